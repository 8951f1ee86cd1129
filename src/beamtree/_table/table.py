"""Opening tables of any type: arrays, lists, sparse matrices, data frames of pandas and polars."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import _get_feature_names, check_array

from beamtree._table.values import (
    BLOCK,
    Column,
    as_float32,
    category_column,
    column_of_objects,
    infinite_message,
    kind_of_values,
)

# The kinds of NumPy types that are numbers: booleans, integers, floats.
NUMBERS = "biuf"
# The kinds that are objects or text: objects, text of fixed length, text of any length.
TEXT = "OUT"
# The largest number of names that an error lists.
MOST_NAMES = 20


class Table:
    """A table whose columns are read one by one, when they are needed.

    Parameters
    ----------
    shape : tuple of int
        Number of rows and of columns.
    names : sequence of str or None
        Names of the columns.
    read : callable
        Takes the number of a column and its name for errors, and returns the column.
    numbers : ndarray or sparse matrix, optional
        The table itself, if it is a single array of numbers.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        names: Sequence[str] | None,
        read: Callable[[int, str], Column],
        numbers: Any = None,
    ) -> None:
        self.shape = shape
        self.names = None if names is None else tuple(names)
        self.numbers = numbers
        self._read = read

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def where(self, j: int) -> str:
        """Return the name of a column for errors."""
        return f"column {j}" if self.names is None else f"column {self.names[j]!r}"

    def column(self, j: int) -> Column:
        """Return a column: numbers as float32, or categories."""
        return self._read(j, self.where(j))


def open_table(X: Any, estimator: Any = None) -> Table:
    """Return a table of any type as a `Table`, whose columns are not read yet.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame of pandas or polars, or Table
        The table.
    estimator : estimator or str, optional
        The estimator that reads the table, or its name, for errors.

    Returns
    -------
    Table
        The table.

    Examples
    --------
    >>> from beamtree._table.table import open_table
    >>> table = open_table([[1, "a"], [2.5, None]])
    >>> table.column(0)
    array([1. , 2.5], dtype=float32)
    >>> table.column(1).values
    ['a']
    """
    if isinstance(X, Table):
        return X
    if _is_frame(X, "pandas"):
        return _pandas_table(X, estimator)
    if _is_frame(X, "polars"):
        _check_size(X.shape)
        return Table(X.shape, X.columns, lambda j, where: _polars_column(X[:, j], where))
    names = None if isinstance(X, np.ndarray) else _get_feature_names(X)
    return _array_table(_as_array(X, estimator), names)


def _is_frame(X: Any, library: str) -> bool:
    # If X is a data frame of the library, the library has been imported.
    module = sys.modules.get(library)
    return module is not None and isinstance(X, module.DataFrame)


def _as_array(X: Any, estimator: Any) -> Any:
    check = partial(
        check_array,
        accept_sparse=("csr", "csc"),
        dtype=None,
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    if isinstance(X, np.ma.MaskedArray):  # masked values are missing
        wide = np.float64 if X.dtype.kind in NUMBERS else object
        X = np.ma.filled(X.astype(wide), np.nan)
    array = check(X)
    if array.dtype.kind in "US" and isinstance(X, list | tuple):
        return check(np.array(X, dtype=object))  # NumPy has turned numbers into text
    return array


def _array_table(X: Any, names: Sequence[str] | None) -> Table:
    if scipy.sparse.issparse(X):
        columns = X.tocsc()
        return Table(X.shape, names, lambda j, where: _sparse_column(columns, j, where), X)
    if X.dtype.kind in NUMBERS:
        return Table(X.shape, names, lambda j, where: as_float32(X[:, j], where), X)
    if X.dtype.kind not in TEXT:
        return Table(X.shape, names, lambda _, where: _refuse_type(X.dtype, where))
    return Table(X.shape, names, lambda j, where: column_of_objects(X[:, j], where))


def listed(names: Sequence[str]) -> str:
    """Return a list of names for an error, shortened if there are many."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(repr, names[:MOST_NAMES])) + more


def _pandas_table(X: Any, estimator: Any) -> Table:
    twice = [str(name) for name, times in Counter(X.columns).items() if times > 1]
    if twice:
        msg = f"columns of X must have different names, got twice: {listed(twice)}"
        raise ValueError(msg)
    kinds = {dtype.kind if isinstance(dtype, np.dtype) else "O" for dtype in X.dtypes}
    if kinds and (kinds <= set("iuf") or kinds == {"b"}):
        return _array_table(_as_array(X, estimator), _get_feature_names(X))
    _check_size(X.shape)
    read = partial(_pandas_column, X)
    return Table(X.shape, _get_feature_names(X), read)


def _check_size(shape: tuple[int, int]) -> None:
    for size, what in zip(shape, ("sample", "feature"), strict=True):
        if size == 0:
            msg = (
                f"Found a table with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )
            raise ValueError(msg)


def _pandas_column(X: Any, j: int, where: str) -> Column:
    series = X.iloc[:, j]
    dtype = series.dtype
    if isinstance(dtype, sys.modules["pandas"].CategoricalDtype):
        categories = series.cat.categories.tolist()
        kind_of_values(categories, where)
        return category_column(series.cat.codes.to_numpy(), categories)
    if dtype.kind in NUMBERS:
        if isinstance(dtype, np.dtype):
            return as_float32(series.to_numpy(), where)
        if isinstance(dtype, sys.modules["pandas"].SparseDtype):
            return as_float32(np.asarray(series), where)
        return as_float32(series.to_numpy(dtype=np.float64, na_value=np.nan), where)
    if dtype.kind in "Mmc":
        _refuse_type(dtype, where)
    return column_of_objects(series.to_numpy(dtype=object), where)


def _polars_column(series: Any, where: str) -> Column:
    dtype = series.dtype
    if dtype.is_numeric() or dtype == sys.modules["polars"].Boolean:
        return as_float32(series.cast(sys.modules["polars"].Float64).to_numpy(), where)
    if dtype.is_temporal() or dtype.is_nested():
        _refuse_type(dtype, where)
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return column_of_objects(values, where)


def _sparse_column(columns: Any, j: int, where: str) -> NDArray[np.float32]:
    start, end = columns.indptr[j : j + 2]
    column = np.zeros(columns.shape[0], dtype=columns.dtype)
    # A sparse matrix may have several entries for one cell: their sum is the value.
    np.add.at(column, columns.indices[start:end], columns.data[start:end])
    return as_float32(column, where)


def _refuse_type(dtype: Any, where: str) -> NoReturn:
    msg = (
        f"{where} of X must have numbers, booleans or text, got the type {dtype}; turn it into one "
        "of these"
    )
    raise ValueError(msg)


def float32_matrix(table: Table) -> NDArray[np.float32]:
    """Return a table of numbers as a matrix of float32.

    Parameters
    ----------
    table : Table
        A table whose `numbers` is not None.

    Returns
    -------
    ndarray of float32, shape (n_rows, n_columns)
        The numbers. A matrix that is already float32 is not copied; others get the order of
        Fortran.
    """
    X = table.numbers
    if scipy.sparse.issparse(X):
        X = X.toarray()
    matrix: NDArray[np.float32] = X
    if X.dtype != np.float32:
        # In blocks of rows, so that a block is still in the cache when the next column is read.
        matrix = np.empty(X.shape, dtype=np.float32, order="F")
        with np.errstate(over="ignore"):
            for start in range(0, len(X), BLOCK):
                matrix[start : start + BLOCK] = X[start : start + BLOCK]
    if X.dtype.kind == "f":
        _check_finite(X, matrix, table)
    return matrix


def _check_finite(X: NDArray[Any], matrix: NDArray[np.float32], table: Table) -> None:
    if np.isfinite(matrix.sum(dtype=np.float64)):
        return
    for j in range(matrix.shape[1]):
        infinite = np.isinf(matrix[:, j])
        if infinite.any():
            row = int(infinite.argmax())
            raise ValueError(infinite_message(table.where(j), row, X[row, j]))

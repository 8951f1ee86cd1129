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

from beamtree._table.read_times import times_of_array, times_of_pandas, times_of_polars
from beamtree._table.values import (
    CategoryColumn,
    Column,
    Numbers,
    as_numbers,
    category_column,
    column_of_objects,
    kind_of_values,
    rows_of_column,
)
from beamtree.tree import INTEGERS

# The kinds of NumPy types that are numbers: booleans, integers, floats.
NUMBERS = "biuf"
# The kinds that are objects or text: objects, text of fixed length, text of any length.
TEXT = "OUT"
# The kinds that are dates and durations.
TIMES = "Mm"
# The largest number of names that an error lists.
MOST_NAMES = 20
# The integers of polars that have at most 64 bits.
POLARS_INTEGERS = {f"{sign}{bits}" for sign in ("Int", "UInt") for bits in (8, 16, 32, 64)}
# Tables that are not in memory, by library and type, and what reads them.
NOT_IN_MEMORY = {
    ("polars", "LazyFrame"): ".collect()",
    ("dask", "DataFrame"): ".compute()",
}


class Table:
    """A table whose columns are read one by one, when they are needed.

    Parameters
    ----------
    shape : tuple of int
        Number of rows and of columns.
    names : sequence of str or None
        Names of the columns, if all of them have names that are strings.
    read : callable
        Takes the number of a column and its name for errors, and returns the column.
    numbers : ndarray or sparse matrix, optional
        The table itself, if it is a single array of numbers.
    shown_names : sequence of str, optional
        Names of the columns in words, if they have names of another type; by default `names`.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        names: Sequence[str] | None,
        read: Callable[[int, str], Column],
        numbers: Any = None,
        shown_names: Sequence[str] | None = None,
    ) -> None:
        self.shape = shape
        self.names = None if names is None else tuple(names)
        self.shown_names = self.names if shown_names is None else tuple(shown_names)
        self.numbers = numbers
        self._read = read

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Table:
        """Return some rows, as scikit-learn's splitters ask for them."""
        chosen = rows[0] if isinstance(rows, tuple) else rows
        return Table(
            (len(np.arange(len(self))[chosen]), self.shape[1]),
            self.names,
            lambda j, where: rows_of_column(self._read(j, where), chosen),
            None if self.numbers is None else self.numbers[chosen],
            self.shown_names,
        )

    def where(self, j: int) -> str:
        """Return the name of a column for errors."""
        names = self.shown_names
        return f"column {j}" if names is None else f"column {names[j]!r}"

    def column(self, j: int, where: str | None = None) -> Column:
        """Return a column: numbers as `as_numbers` returns them, categories, or times.

        Errors name the column as `where` says, by default by its name or number in this table.
        """
        return self._read(j, self.where(j) if where is None else where)


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
    array([1. , 2.5])
    >>> table.column(1).values
    ['a']
    """
    if isinstance(X, Table):
        return X
    _check_in_memory(X)
    if _is_frame(X, "pandas"):
        return _pandas_table(X, estimator)
    if _is_frame(X, "polars"):
        _check_size(X.shape)
        return Table(X.shape, X.columns, lambda j, where: _polars_column(X[:, j], where))
    names = None if isinstance(X, np.ndarray) else _get_feature_names(X)
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biu":
        data, mask = _as_array(np.ma.getdata(X), estimator), np.ma.getmaskarray(X)
        return Table(data.shape, names, lambda j, where: as_numbers(data[:, j], where, mask[:, j]))
    return _array_table(_as_array(X, estimator), names)


def _check_in_memory(X: Any) -> None:
    kind = type(X)
    call = NOT_IN_MEMORY.get((kind.__module__.partition(".")[0], kind.__name__))
    if call is not None:
        msg = f"X must be a table in memory, got a {kind.__name__}: call {call} first"
        raise ValueError(msg)


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
        wide = X.dtype if X.dtype.kind == "f" else object
        X = np.ma.filled(X.astype(wide), np.nan)
    array = check(X)
    if isinstance(X, list | tuple) and _may_have_changed(array):
        return check(np.array(X, dtype=object))
    return array


def _may_have_changed(array: NDArray[Any]) -> bool:
    """Return whether NumPy may have turned numbers of a list into text, or integers into floats."""
    kind = array.dtype.kind
    return kind in "US" or (kind == "f" and bool((np.abs(array) >= INTEGERS).any()))


def _array_table(
    X: Any, names: Sequence[str] | None, shown_names: Sequence[str] | None = None
) -> Table:
    if scipy.sparse.issparse(X):
        columns = X.tocsc()
        return Table(X.shape, names, lambda j, where: _sparse_column(columns, j, where), X)
    if X.dtype.kind in NUMBERS:
        return Table(
            X.shape,
            names,
            lambda j, where: as_numbers(np.ascontiguousarray(X[:, j]), where),
            X,
            shown_names,
        )
    if X.dtype.kind in TIMES:
        return Table(X.shape, names, lambda j, where: times_of_array(X[:, j], where))
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
    # A matrix of columns of different kinds would turn integers into floats.
    names = _get_feature_names(X)
    shown_names = _shown_names(X.columns) if names is None else None
    if len(kinds) == 1 and kinds <= set(NUMBERS):
        return _array_table(_as_array(X, estimator), names, shown_names)
    _check_size(X.shape)
    read = partial(_pandas_column, X)
    return Table(X.shape, names, read, shown_names=shown_names)


def _shown_names(columns: Any) -> list[str] | None:
    """Return names that are not strings in words; None if they are only the numbers 0, 1, ...

    A name of several levels is joined with dots, without empty levels, unless that would give two
    columns the same name.
    """
    pandas = sys.modules["pandas"]
    is_default = isinstance(columns, pandas.RangeIndex)
    if is_default and columns.equals(pandas.RangeIndex(len(columns))):
        return None
    joined = [
        ".".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)
        for name in columns
    ]
    if len(set(joined)) == len(joined) and all(joined):
        return joined
    return [repr(name) for name in columns]


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
    pandas = sys.modules["pandas"]
    if isinstance(dtype, pandas.IntervalDtype):
        found = series.dropna().drop_duplicates().sort_values()
        series = series.astype(pandas.CategoricalDtype(found, ordered=True))
        dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        if not _has_times(dtype.categories.dtype):
            return _pandas_categories(series, where)
        series = series.astype(dtype.categories.dtype)
        dtype = series.dtype
    if _has_times(dtype):
        return times_of_pandas(series, where)
    if dtype.kind in NUMBERS:
        if isinstance(dtype, np.dtype):
            return as_numbers(series.to_numpy(), where)
        if isinstance(dtype, pandas.SparseDtype):
            return as_numbers(np.asarray(series), where)
        if dtype.kind == "f":
            return as_numbers(series.to_numpy(dtype=np.float64, na_value=np.nan), where)
        plain = {"b": np.bool_, "i": np.int64, "u": np.uint64}[dtype.kind]
        integers = series.to_numpy(dtype=plain, na_value=0)
        return as_numbers(integers, where, series.isna().to_numpy(dtype=np.bool_))
    if dtype.kind == "c":
        _refuse_type(dtype, where)
    return column_of_objects(series.to_numpy(dtype=object), where)


def _has_times(dtype: Any) -> bool:
    return dtype.kind in TIMES or isinstance(dtype, sys.modules["pandas"].PeriodDtype)


def _pandas_categories(series: Any, where: str) -> CategoryColumn:
    dtype = series.dtype
    categories = dtype.categories.tolist()
    if isinstance(dtype.categories.dtype, sys.modules["pandas"].IntervalDtype):
        categories = [str(interval) for interval in categories]
    kind_of_values(categories, where)
    codes = series.cat.codes.to_numpy().astype(np.intp)
    if dtype.ordered:
        return CategoryColumn(codes, categories, ordered=True)
    return category_column(codes, categories)


def _polars_column(series: Any, where: str) -> Column:
    dtype = series.dtype
    polars = sys.modules["polars"]
    if dtype == polars.Enum:
        codes = series.to_physical().cast(polars.Int64).fill_null(-1).to_numpy()
        return CategoryColumn(codes.astype(np.intp), dtype.categories.to_list(), ordered=True)
    if dtype.is_float():
        return as_numbers(series.to_numpy(), where)
    if dtype == polars.Boolean or str(dtype) in POLARS_INTEGERS:
        filled = series.fill_null(value=False if dtype == polars.Boolean else 0)
        return as_numbers(filled.to_numpy(), where, series.is_null().to_numpy())
    if dtype.is_temporal():
        return times_of_polars(series)
    if dtype.is_nested():
        _refuse_type(dtype, where)
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return column_of_objects(values, where)


def _sparse_column(columns: Any, j: int, where: str) -> Numbers:
    start, end = columns.indptr[j : j + 2]
    column = np.zeros(columns.shape[0], dtype=columns.dtype)
    # A sparse matrix may have several entries for one cell: their sum is the value.
    np.add.at(column, columns.indices[start:end], columns.data[start:end])
    return as_numbers(column, where)


def _refuse_type(dtype: Any, where: str) -> NoReturn:
    msg = (
        f"{where} of X must have numbers, booleans, text or dates, got the type {dtype}; turn it "
        "into one of these"
    )
    raise ValueError(msg)

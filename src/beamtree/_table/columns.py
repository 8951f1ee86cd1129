"""What the columns of a table are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.table import Table, float32_matrix, open_table
from beamtree._table.values import Coded, Column, as_float32

# Integers below this, and the numbers half way between them, are float32 numbers.
INTEGRAL = 2.0**23


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns that a classifier was fitted on.

    Parameters
    ----------
    names : tuple of str
        Names of the columns; ``x0``, ``x1``, ... where they had none.
    categories : tuple of ndarray or None
        For every column its categories, sorted, or None for a column of numbers. Values that are
        no categories are -1 when encoded.
    integral : ndarray of bool, shape (n_columns,)
        Columns of numbers that are all integers, less than 2**23 in size.
    binary : ndarray of bool, shape (n_columns,)
        Columns of numbers that are all 0 or 1, none of them missing.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> X = [[20, "red"], [35.5, "blue"], [None, "red"]]
    >>> columns = OptimalTreeClassifier().fit(X, ["a", "b", "b"]).columns_
    >>> columns.encode([[41, "green"], [None, "red"]])
    array([[41., -1.],
           [nan,  1.]], dtype=float32)
    """

    names: tuple[str, ...]
    categories: tuple[NDArray[Any] | None, ...]
    integral: NDArray[np.bool_]
    binary: NDArray[np.bool_]

    @classmethod
    def of_zeros_and_ones(cls, names: tuple[str, ...] | None, n_columns: int) -> Self:
        """Return columns of zeros and ones, with names where there are none."""
        every = np.ones(n_columns, dtype=np.bool_)
        return cls(names_or_numbered(names, n_columns), (None,) * n_columns, every, every)

    def encode(self, X: Any) -> NDArray[np.float32]:
        """Return a table as trees take it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            A table with the same columns.

        Returns
        -------
        ndarray of float32, shape (n_rows, n_columns)
            Numbers; for categories their position in `categories`, -1 for one that is not there;
            NaN where a value is missing.

        Raises
        ------
        ValueError
            If there are other columns, or text where there were numbers, or the other way round.
        """
        table = open_table(X)
        if table.shape[1] != len(self.names):
            msg = f"X must have {len(self.names)} columns, got {table.shape[1]}"
            raise ValueError(msg)
        if table.numbers is not None and all(known is None for known in self.categories):
            return float32_matrix(table)
        matrix = np.empty(table.shape, dtype=np.float32, order="F")
        for j, known in enumerate(self.categories):
            column, where = table.column(j), table.where(j)
            if known is None:
                matrix[:, j] = _numbers(column, where)
            else:
                matrix[:, j] = numbers_of_categories(column, known, where)
        return matrix

    def rows(self, table: Table) -> NDArray[Any]:
        """Return a table as `encode` does, but small integers, which trees take too, as they are.

        Parameters
        ----------
        table : Table
            A table with the same columns.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            What `Tree.apply` takes.
        """
        numbers = table.numbers
        if isinstance(numbers, np.ndarray) and all(known is None for known in self.categories):
            kind, size = numbers.dtype.kind, numbers.dtype.itemsize
            if kind == "b" or (kind in "iu" and size <= 2):
                return numbers
        return self.encode(table)


def names_or_numbered(names: tuple[str, ...] | None, n_columns: int) -> tuple[str, ...]:
    """Return names of columns, ``x0``, ``x1``, ... if there are none."""
    return tuple(f"x{j}" for j in range(n_columns)) if names is None else tuple(names)


def is_integral(values: NDArray[np.float32]) -> bool:
    """Tell whether all known numbers are integers below 2**23.

    Parameters
    ----------
    values : ndarray of float32
        Numbers, with NaN for those that are missing.

    Returns
    -------
    bool
        Whether exports may compare them as they are.
    """
    with np.errstate(invalid="ignore"):
        whole = (np.rint(values) == values) & (np.abs(values) < INTEGRAL)
    return bool((whole | np.isnan(values)).all())


def numbers_of_categories(column: Column, known: NDArray[Any], where: str) -> NDArray[np.float32]:
    """Return a column as positions among known categories.

    Parameters
    ----------
    column : ndarray of float32 or Coded
        The column.
    known : ndarray
        Its categories when it was fitted; any column goes if there were none.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float32, shape (n_rows,)
        Positions, -1 where the value is no known category, NaN where it is missing.
    """
    if isinstance(column, Coded):
        values, codes = column.values, column.codes
        is_text = column.is_text
    else:
        distinct, codes = np.unique(column, return_inverse=True)
        missing = np.isnan(distinct)
        values = distinct[~missing].tolist()
        codes = np.where(missing[codes], -1, codes)
        is_text = False
    if len(known) and values and is_text != isinstance(known[0], str):
        wanted = "text" if isinstance(known[0], str) else "numbers"
        msg = f"{where} of X must have {wanted}, as it had in fit, got {values[0]!r}"
        raise ValueError(msg)
    position = {value: number for number, value in enumerate(known.tolist())}
    numbers = np.array([*(position.get(value, -1) for value in values), np.nan], dtype=np.float32)
    return numbers[codes]


def _numbers(column: Column, where: str) -> NDArray[np.float32]:
    """Return a column that had numbers in fit."""
    if not isinstance(column, Coded):
        return column
    if column.values and column.is_text:
        msg = f"{where} of X must have numbers, as it had in fit, got {column.values[0]!r}"
        raise ValueError(msg)
    return as_float32(np.array([*column.values, np.nan], dtype=np.float64), where, column.codes)

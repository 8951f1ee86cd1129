"""The columns of a table: their names, their categories, and how a table is encoded as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.table import Table, float32_matrix, open_table
from beamtree._table.values import CategoryColumn, Column, as_float32

# Integers below this, and the numbers halfway between them, are float32 numbers.
INTEGRAL = 2.0**23


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns that a classifier was fitted on.

    Parameters
    ----------
    names : tuple of str
        Names of the columns; ``x0``, ``x1``, ... if the table had no names.
    categories : tuple of ndarray or None
        The sorted categories of every column, or None for a column of numbers. A value that is
        not among the categories is encoded as -1.
    integral : ndarray of bool, shape (n_columns,)
        Whether the column has only numbers that are integers with an absolute value below 2**23.
    binary : ndarray of bool, shape (n_columns,)
        Whether the column has only the numbers 0 and 1, and no missing values.

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
    def all_binary(cls, names: tuple[str, ...] | None, n_columns: int) -> Self:
        """Return the columns of a table of zeros and ones."""
        every = np.ones(n_columns, dtype=np.bool_)
        return cls(column_names(names, n_columns), (None,) * n_columns, every, every)

    def encode(self, X: Any) -> NDArray[np.float32]:
        """Return a table as the matrix of numbers to which a `Tree` is applied.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            A table with the same columns.

        Returns
        -------
        ndarray of float32, shape (n_rows, n_columns)
            Numbers as they are, and categories as their position in `categories`, or -1 if they
            are not there. A missing value is NaN.

        Raises
        ------
        ValueError
            If the number of columns differs, or if a column has text instead of numbers or numbers
            instead of text.
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
                matrix[:, j] = category_codes(column, known, where)
        return matrix

    def tree_input(self, table: Table) -> NDArray[Any]:
        """Return a table for `Tree.apply`: encoded, or as it is if it has only small integers.

        Parameters
        ----------
        table : Table
            A table with the same columns.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            The same values as those of `encode`, possibly of another type.
        """
        numbers = table.numbers
        if isinstance(numbers, np.ndarray) and all(known is None for known in self.categories):
            kind, size = numbers.dtype.kind, numbers.dtype.itemsize
            if kind == "b" or (kind in "iu" and size <= 2):
                return numbers
        return self.encode(table)


def column_names(names: tuple[str, ...] | None, n_columns: int) -> tuple[str, ...]:
    """Return the names of columns, which are ``x0``, ``x1``, ... by default."""
    return tuple(f"x{j}" for j in range(n_columns)) if names is None else tuple(names)


def are_integral(values: NDArray[np.float32]) -> bool:
    """Return whether all known numbers are integers with an absolute value below 2**23.

    Parameters
    ----------
    values : ndarray of float32
        Numbers; NaN is a missing value.

    Returns
    -------
    bool
        Whether a comparison of doubles gives the same results as one of float32 numbers.
    """
    with np.errstate(invalid="ignore"):
        whole = (np.rint(values) == values) & (np.abs(values) < INTEGRAL)
    return bool((whole | np.isnan(values)).all())


def category_codes(column: Column, known: NDArray[Any], where: str) -> NDArray[np.float32]:
    """Return a column as positions among known categories.

    Parameters
    ----------
    column : ndarray of float32 or CategoryColumn
        The column.
    known : ndarray
        The categories that the column had in fit. If it had none, any column is allowed.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float32, shape (n_rows,)
        Positions in `known`: -1 for an unknown category, and NaN for a missing value.
    """
    if isinstance(column, CategoryColumn):
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
    """Return the numbers of a column that had numbers in fit."""
    if not isinstance(column, CategoryColumn):
        return column
    if column.values and column.is_text:
        msg = f"{where} of X must have numbers, as it had in fit, got {column.values[0]!r}"
        raise ValueError(msg)
    return as_float32(np.array([*column.values, np.nan], dtype=np.float64), where, column.codes)

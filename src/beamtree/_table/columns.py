"""The columns of a table: their names, their categories, and how a table is encoded as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.ranks import rank_values
from beamtree._table.table import Table, open_table
from beamtree._table.times import TimeColumn, TimeKind, encoded_times
from beamtree._table.values import (
    CategoryColumn,
    Column,
    Numbers,
    known_rows,
    numbers_of_objects,
)


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns that a classifier was fitted on.

    Parameters
    ----------
    names : tuple of str
        Names of the columns in words; ``x0``, ``x1``, ... if the table had no names.
    categories : tuple of ndarray or None
        The sorted categories of every column, or None for a column of numbers. A value that is
        not among the categories is encoded as -1.
    integral : ndarray of bool, shape (n_columns,)
        Whether the column has integers, booleans or times, which are compared as integers.
    binary : ndarray of bool, shape (n_columns,)
        Whether the column has only the numbers 0 and 1, and no missing values.
    wide : ndarray of bool, shape (n_columns,), optional
        Whether the column has integers beyond 2**53, so that floats, which cannot hold them all,
        are refused in `encode`. By default no column has.
    ordered : ndarray of bool, shape (n_columns,), optional
        Whether the column has categories with an order, in which `categories` has all of them, also
        those that do not occur. By default no column has.
    times : tuple of TimeKind or None, optional
        What the integers of a column of dates, times of day, durations or periods mean; None for
        other columns. By default no column has them.
    has_missing : ndarray of bool, shape (n_columns,), optional
        Whether the column had missing values in `fit`, so that a tree in words says where they go.
        By default no column had.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> X = [[20, "red"], [35.5, "blue"], [None, "red"]]
    >>> columns = OptimalTreeClassifier().fit(X, ["a", "b", "b"]).columns_
    >>> columns.encode([[41.5, "green"], [None, "red"]])
    (array([41.5,  nan]), array([-1.,  1.]))
    """

    names: tuple[str, ...]
    categories: tuple[NDArray[Any] | None, ...]
    integral: NDArray[np.bool_]
    binary: NDArray[np.bool_]
    wide: NDArray[np.bool_] = None  # type: ignore[assignment]
    ordered: NDArray[np.bool_] = None  # type: ignore[assignment]
    times: tuple[TimeKind | None, ...] = ()
    has_missing: NDArray[np.bool_] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Fill in `wide`, `ordered`, `times` and `has_missing` if they were not given."""
        for name in ("wide", "ordered", "has_missing"):
            if vars(self)[name] is None:
                object.__setattr__(self, name, np.zeros(len(self.names), dtype=np.bool_))
        if not self.times:
            object.__setattr__(self, "times", (None,) * len(self.names))

    @classmethod
    def all_binary(cls, names: tuple[str, ...] | None, n_columns: int) -> Self:
        """Return the columns of a table of zeros and ones."""
        every = np.ones(n_columns, dtype=np.bool_)
        return cls(column_names(names, n_columns), (None,) * n_columns, every, every)

    def encode(self, X: Any) -> tuple[NDArray[Any], ...]:
        """Return a table as the arrays to which a `Tree` is applied.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            A table with the same columns.

        Returns
        -------
        tuple of ndarray, each of shape (n_rows,)
            One array per column. Floats are float64, where NaN is a missing value. Integers are
            int64, or uint64 if they do not fit; if some are missing, the array is a
            ``numpy.ma.MaskedArray``. So are dates, times of day, durations and periods, as integers
            in the unit of `times`, rounded down. Categories are their positions in `categories`,
            as float64: -1 if they are not there, and NaN for a missing value.

        Raises
        ------
        ValueError
            If the number of columns differs, if a column has values of another kind than it had in
            `fit`, such as text instead of numbers, or if it has floats instead of integers beyond
            2**53.
        """
        table = open_table(X)
        if table.shape[1] != len(self.names):
            msg = f"X must have {len(self.names)} columns, got {table.shape[1]}"
            raise ValueError(msg)
        return tuple(self._encoded(table, j) for j in range(len(self.names)))

    def _encoded(self, table: Table, j: int) -> NDArray[Any]:
        column, where, known = table.column(j), table.where(j), self.categories[j]
        kind = self.times[j]
        if kind is not None:
            return _times(column, kind, where)
        if known is not None:
            return category_codes(column, known, where)
        numbers = _numbers(column, where)
        if self.wide[j] and numbers.dtype.kind == "f" and not np.isnan(numbers).all():
            msg = (
                f"{where} of X must have integers, as it had in fit, where some were beyond 2**53; "
                "got floats, which cannot hold them exactly"
            )
            raise ValueError(msg)
        return numbers

    def tree_input(self, table: Table) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Return a table for `Tree.apply`: as it is if that is quicker, otherwise encoded.

        Parameters
        ----------
        table : Table
            A table with the same columns.

        Returns
        -------
        ndarray of shape (n_rows, n_columns), or tuple of ndarray
            The same values as those of `encode`, possibly of another type.
        """
        numbers = table.numbers
        is_plain = not any(self.times) and all(known is None for known in self.categories)
        if isinstance(numbers, np.ndarray) and is_plain:
            if numbers.dtype.kind != "f":
                return numbers
            if numbers.dtype.itemsize <= 8 and not self.wide.any() and _are_finite(numbers):
                return numbers
        return self.encode(table)


def _are_finite(numbers: NDArray[Any]) -> bool:
    """Return whether all numbers are finite; False if that takes more than a sum to find out."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum(dtype=np.float64)))


def column_names(names: tuple[str, ...] | None, n_columns: int) -> tuple[str, ...]:
    """Return the names of columns, which are ``x0``, ``x1``, ... by default."""
    return tuple(f"x{j}" for j in range(n_columns)) if names is None else tuple(names)


def category_codes(column: Column, known: NDArray[Any], where: str) -> NDArray[np.float64]:
    """Return a column as positions among known categories.

    Parameters
    ----------
    column : ndarray, CategoryColumn or TimeColumn
        The column.
    known : ndarray
        The categories that the column had in fit. If it had none, any column is allowed.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
        Positions in `known`: -1 for an unknown category, and NaN for a missing value.
    """
    if isinstance(column, CategoryColumn):
        values, codes = column.values, column.codes
        is_text = column.is_text
    elif isinstance(column, TimeColumn):
        if len(known):
            wanted = "text" if isinstance(known[0], str) else "numbers"
            _refuse_times(column, wanted, where)
        return np.where(_are_missing(column.numbers), np.nan, -1.0)
    else:
        distinct, rank = rank_values(column)
        values = distinct.tolist()
        codes = np.append(np.arange(len(values)), -1)[rank]
        is_text = False
    if len(known) and values and is_text != isinstance(known[0], str):
        wanted = "text" if isinstance(known[0], str) else "numbers"
        msg = f"{where} of X must have {wanted}, as it had in fit, got {values[0]!r}"
        raise ValueError(msg)
    position = {value: number for number, value in enumerate(known.tolist())}
    numbers = np.array([*(position.get(value, -1) for value in values), np.nan])
    return numbers[codes]


def _numbers(column: Column, where: str) -> Numbers:
    """Return the numbers of a column that had numbers in fit."""
    if isinstance(column, TimeColumn):
        _refuse_times(column, "numbers", where)
    if not isinstance(column, CategoryColumn):
        return column
    if column.values and column.is_text:
        msg = f"{where} of X must have numbers, as it had in fit, got {column.values[0]!r}"
        raise ValueError(msg)
    return numbers_of_objects([*column.values, None], column.codes, where)


def _times(column: Column, kind: TimeKind, where: str) -> Numbers:
    """Return the integers of a column that had times in fit."""
    if isinstance(column, TimeColumn):
        return encoded_times(column, kind, where)
    if isinstance(column, CategoryColumn):
        known, first = column.codes >= 0, column.values[:1]
    else:
        known = ~_are_missing(column)
        first = column[known][:1].tolist()
    if known.any():
        msg = f"{where} of X must have {kind.words}, as it had in fit, got {first[0]!r}"
        if isinstance(first[0], str):
            msg += "; turn text into dates, for example with pandas.to_datetime"
        raise ValueError(msg)
    return np.ma.MaskedArray(np.zeros(len(known), dtype=np.int64), ~known)


def _are_missing(numbers: Numbers) -> NDArray[np.bool_]:
    known = known_rows(numbers)
    return np.zeros(len(numbers), dtype=np.bool_) if known is None else ~known


def _refuse_times(column: TimeColumn, wanted: str, where: str) -> NoReturn:
    msg = f"{where} of X must have {wanted}, as it had in fit, got {column.kind.words}"
    raise ValueError(msg)

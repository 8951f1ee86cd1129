"""Reading the values of a column: as numbers, as categories, or as dates and times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf, nan
from numbers import Number, Rational
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._table.read_times import kind_of_type, times_of_objects
from beamtree._table.times import TimeColumn

# Number of rows that are converted at a time; a block of some hundred columns fits into the cache.
BLOCK = 4096
# Names of the types of None, pandas.NA and NaT; pandas need not be installed. NaN is a number.
MISSING = ("NoneType", "NAType", "NaTType")
# The kinds of objects, in words.
KINDS = {"numbers": "numbers", "text": "text", "times": "dates"}


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories.

    Parameters
    ----------
    codes : ndarray of intp, shape (n_rows,)
        Positions in `values`, or -1 for a missing value.
    values : list
        The categories that occur, sorted. They are all text or all numbers.
    ordered : bool, default=False
        Whether the categories have an order. Then they are in this order, with those that do not
        occur.
    """

    codes: NDArray[np.intp]
    values: list[Any]
    ordered: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the categories are text; true if there are no categories."""
        return not self.values or isinstance(self.values[0], str)


# Numbers of a column: floats as float64, where NaN is a missing value, or integers as int64. They
# are uint64 if int64 cannot hold them all, and a MaskedArray of NumPy if some are missing.
Numbers = NDArray[Any]
Column = Numbers | CategoryColumn | TimeColumn

# The integers that a column may have: those of int64 and those of uint64.
LEAST_INTEGER, MOST_SIGNED, MOST_INTEGER = -(2**63), 2**63 - 1, 2**64 - 1


def column_of_objects(values: NDArray[Any], where: str) -> Column:
    """Return a column of objects as numbers, as categories if they are text, or as times.

    Parameters
    ----------
    values : ndarray of objects, shape (n_rows,)
        Numbers, booleans, text, or dates, times of day, durations or periods. None, NaN, pandas.NA
        and NaT are missing values.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float64, int64 or uint64, MaskedArray of integers, CategoryColumn or TimeColumn
        The column. If all values are missing, it is a column without any category.

    Raises
    ------
    ValueError
        If there are other objects, or objects of two kinds, or numbers that cannot be held exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.values import column_of_objects
    >>> column_of_objects(np.array([2, None, True], dtype=object), "column 0").tolist()
    [2, None, 1]
    >>> column_of_objects(np.array([2, None, 0.5], dtype=object), "column 0")
    array([2. , nan, 0.5])
    >>> column_of_objects(np.array(["b", None, "a"], dtype=object), "column 0").codes
    array([ 1, -1,  0])
    """
    rows = values.tolist()
    try:
        distinct = list(dict.fromkeys(rows))
    except TypeError:
        bad = next(value for value in rows if not _is_hashable(value))
        _refuse(bad, where)
    kind = kind_of_values(distinct, where)
    position = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(position.__getitem__, rows), dtype=np.intp, count=len(rows))
    if kind == "numbers":
        return numbers_of_objects(distinct, codes, where)
    if kind == "times":
        known = [None if _is_missing(value) else value for value in distinct]
        return times_of_objects(known, codes, where)
    return category_column(codes, distinct)


def kind_of_values(distinct: list[Any], where: str) -> str:
    """Return whether values are ``"numbers"``, ``"text"`` or ``"times"``, ignoring missing ones.

    Parameters
    ----------
    distinct : list
        The values.
    where : str
        Name of the column, for errors.

    Returns
    -------
    str
        The kind. Values that are all missing are ``"numbers"`` if one of them is NaN, otherwise
        ``"text"``.

    Raises
    ------
    ValueError
        If there are other objects, or objects of two kinds.
    """
    kinds = {kind: _kind(kind) for kind in {type(value) for value in distinct}}
    for value in distinct:
        if kinds[type(value)] == "else":
            _refuse(value, where)
    first: dict[str, Any] = {}
    for value in distinct:
        kind = kinds[type(value)]
        if kind not in first and not _is_missing(value):
            first[kind] = value
    if len(first) > 1:
        one, other = sorted(first)[:2]
        msg = (
            f"{where} of X must be all {KINDS[one]} or all {KINDS[other]}, got {first[one]!r} and "
            f"{first[other]!r}; turn one into the other"
        )
        raise ValueError(msg)
    if first:
        return next(iter(first))
    return "numbers" if "numbers" in kinds.values() else "text"


def category_column(codes: NDArray[Any], values: list[Any]) -> CategoryColumn:
    """Return a column of sorted categories, without missing ones and those that do not occur.

    Parameters
    ----------
    codes : ndarray of integers, shape (n_rows,)
        Positions in `values`; negative for a missing value.
    values : list
        Distinct values.

    Returns
    -------
    CategoryColumn
        The column, with codes for the sorted categories.
    """
    used = np.zeros(len(values) + 1, dtype=np.bool_)
    used[codes] = True  # a code of -1 marks the last element, which belongs to missing values
    kept = [i for i in np.flatnonzero(used[:-1]).tolist() if not _is_missing(values[i])]
    kept.sort(key=values.__getitem__)
    place = np.full(len(values) + 1, -1, dtype=np.intp)
    place[kept] = np.arange(len(kept))
    return CategoryColumn(place[codes], [values[i] for i in kept])


def rows_of_column(column: Column, rows: NDArray[Any]) -> Column:
    """Return some rows of a column, without the categories that do not occur in them.

    Categories that have an order are all kept.

    Parameters
    ----------
    column : ndarray, CategoryColumn or TimeColumn
        The column.
    rows : ndarray of integers or booleans
        The positions of the rows, or whether to take each row.

    Returns
    -------
    ndarray, CategoryColumn or TimeColumn
        The rows.
    """
    if isinstance(column, TimeColumn):
        return TimeColumn(column.numbers[rows], column.kind)
    if isinstance(column, CategoryColumn):
        if column.ordered:
            return replace(column, codes=column.codes[rows])
        return category_column(column.codes[rows], column.values)
    taken: Numbers = column[rows]
    return taken


def numbers_of_objects(distinct: list[Any], codes: NDArray[np.intp], where: str) -> Numbers:
    """Return a column of numbers that are Python objects.

    Parameters
    ----------
    distinct : list
        The different numbers; some may be missing values.
    codes : ndarray of intp, shape (n_rows,)
        For every row the position of its number in `distinct`.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float64, int64 or uint64, or MaskedArray of integers
        Integers if all numbers are integers, which includes decimals and fractions; otherwise the
        nearest floats.

    Raises
    ------
    ValueError
        If an integer does not fit into 64 bits, if different numbers have the same nearest float,
        or if a number is infinite or too large for a float.
    """
    missing = np.array([_is_missing(value) for value in distinct])
    known = [value for value in distinct if not _is_missing(value)]
    if all(_is_integer(value) for value in known):
        integers = [0 if _is_missing(value) else int(value) for value in distinct]
        high = max(integers)
        lowest = LEAST_INTEGER if high <= MOST_SIGNED else 0
        for code, value in enumerate(integers):
            if not lowest <= value <= MOST_INTEGER:
                _refuse_large(value, int((codes == code).argmax()), where)
        kind = np.int64 if high <= MOST_SIGNED else np.uint64
        return as_numbers(np.array(integers, dtype=kind)[codes], where, missing[codes])
    floats = np.array([_number(value) for value in distinct])
    by_float: dict[float, Any] = {}
    for value in known:
        same = by_float.setdefault(_number(value), value)
        if same is not value and abs(_number(value)) < inf:
            msg = (
                f"{where} of X must have numbers that differ as float64, got {same!r} and "
                f"{value!r}; turn them into integers of 64 bits, or into text"
            )
            raise ValueError(msg)
    return as_numbers(floats[codes], where)


def as_numbers(
    numbers: NDArray[Any], where: str, missing: NDArray[np.bool_] | None = None
) -> Numbers:
    """Return numbers in the type in which they are compared with thresholds.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows,)
        Booleans, integers or floats.
    where : str
        Name of the column, for errors.
    missing : ndarray of bool, shape (n_rows,), optional
        Which numbers are missing. A float is also missing if it is NaN.

    Returns
    -------
    ndarray of float64, int64 or uint64, or MaskedArray of integers
        The same numbers. Booleans are the integers 0 and 1.

    Raises
    ------
    ValueError
        If a number is infinite, or if float64 cannot hold it.
    """
    if numbers.dtype.kind == "f":
        return _floats(numbers, where, missing)
    is_large = numbers.dtype == np.uint64 and numbers.max(initial=0) > MOST_SIGNED
    integers: Numbers = numbers.astype(np.uint64 if is_large else np.int64, copy=False)
    if missing is not None and missing.any():
        return np.ma.MaskedArray(integers, missing)
    return integers


def _floats(
    numbers: NDArray[Any], where: str, missing: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    floats = numbers
    if numbers.dtype != np.float64:
        with np.errstate(over="ignore"):
            floats = numbers.astype(np.float64)
    infinite = np.isinf(floats)
    if infinite.any():
        row = int(infinite.argmax())
        raise ValueError(infinite_message(where, row, numbers[row]))
    if numbers.dtype.itemsize > floats.dtype.itemsize:
        different = (floats != numbers) & ~np.isnan(floats)
        if different.any():
            row = int(different.argmax())
            msg = (
                f"{where} of X must have numbers that a float64 can hold, got {numbers[row]!r} in "
                f"row {row}; round them to float64"
            )
            raise ValueError(msg)
    return floats if missing is None else np.where(missing, nan, floats)


def known_rows(numbers: Numbers) -> NDArray[np.bool_] | None:
    """Return which numbers of a column are not missing; None if no number is missing.

    Parameters
    ----------
    numbers : ndarray of float64, int64 or uint64, or MaskedArray of integers
        The column.

    Returns
    -------
    ndarray of bool, shape (n_rows,), or None
        Whether each number is known.
    """
    if isinstance(numbers, np.ma.MaskedArray):
        return ~np.ma.getmaskarray(numbers)
    if numbers.dtype.kind != "f":
        return None
    missing = np.isnan(numbers)
    return ~missing if missing.any() else None


def infinite_message(where: str, row: int, value: Any) -> str:
    """Return the message of the error about an infinite number.

    Parameters
    ----------
    where : str
        Name of the column.
    row : int
        The row.
    value : number
        The number.

    Returns
    -------
    str
        The message.
    """
    return (
        f"{where} of X contains infinity or a number too large for float64: {float(value)!r} in "
        f"row {row}"
    )


def _kind(kind: type) -> str:
    if kind.__name__ in MISSING:
        return "missing"
    if kind_of_type(kind) is not None:
        return "times"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, complex | np.complexfloating):
        return "else"
    return "numbers" if issubclass(kind, Number | np.bool_) else "else"


def _is_missing(value: Any) -> bool:
    return type(value).__name__ in MISSING or bool(value != value)


def _number(value: Any) -> float:
    if _is_missing(value):
        return nan
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _is_integer(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite() and value == value.to_integral_value()
    return isinstance(value, np.bool_) or (isinstance(value, Rational) and value.denominator == 1)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _refuse_large(value: int, row: int, where: str) -> NoReturn:
    msg = (
        f"{where} of X must have integers from -2**63 to 2**63 - 1, or from 0 to 2**64 - 1, got "
        f"{value} in row {row}; turn them into text or floats"
    )
    raise ValueError(msg)


def _refuse(value: Any, where: str) -> NoReturn:
    name = type(value).__name__
    if isinstance(value, complex | np.complexfloating):
        msg = f"Complex data not supported: {where} of X has {value!r}"
        raise ValueError(msg)
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    msg = (
        f"{where} of X must have numbers, booleans, text or dates, got a {name}, {shown}; turn it "
        "into one of these"
    )
    raise ValueError(msg)

"""Reading the values of a column: as numbers, or as categories."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from numbers import Number
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

# Number of rows that are converted at a time; a block of some hundred columns fits into the cache.
BLOCK = 4096
# Names of the types of None, pandas.NA and NaT; pandas need not be installed. NaN is a number.
MISSING = ("NoneType", "NAType", "NaTType")


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories.

    Parameters
    ----------
    codes : ndarray of intp, shape (n_rows,)
        Positions in `values`, or -1 for a missing value.
    values : list
        The categories that occur, sorted. They are all text or all numbers.
    """

    codes: NDArray[np.intp]
    values: list[Any]

    @property
    def is_text(self) -> bool:
        """Whether the categories are text; true if there are no categories."""
        return not self.values or isinstance(self.values[0], str)


# A column of a table: numbers, where NaN is a missing value, or categories.
Column = NDArray[np.float32] | CategoryColumn


def column_of_objects(values: NDArray[Any], where: str) -> Column:
    """Return a column of objects as numbers, or as categories if they are text.

    Parameters
    ----------
    values : ndarray of objects, shape (n_rows,)
        Numbers, booleans or text. None, NaN, pandas.NA and NaT are missing values.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float32, or CategoryColumn
        The column. If all values are missing, it is a column without any category.

    Raises
    ------
    ValueError
        If there are other objects, or both numbers and text.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.values import column_of_objects
    >>> column_of_objects(np.array([2, None, True], dtype=object), "column 0")
    array([ 2., nan,  1.], dtype=float32)
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
        return as_float32(np.array([_number(value) for value in distinct]), where, codes)
    return category_column(codes, distinct)


def kind_of_values(distinct: list[Any], where: str) -> str:
    """Return whether values are ``"numbers"`` or ``"text"``, ignoring missing ones.

    Parameters
    ----------
    distinct : list
        The values.
    where : str
        Name of the column, for errors.

    Returns
    -------
    str
        ``"numbers"`` or ``"text"``; also ``"text"`` if all values are missing.

    Raises
    ------
    ValueError
        If there are other objects, or both numbers and text.
    """
    kinds = {kind: _kind(kind) for kind in {type(value) for value in distinct}}
    for value in distinct:
        if kinds[type(value)] == "else":
            _refuse(value, where)
    text = next((value for value in distinct if kinds[type(value)] == "text"), None)
    numbers = (value for value in distinct if kinds[type(value)] == "numbers")
    if text is None:
        return "text" if next(numbers, None) is None else "numbers"
    number = next((value for value in numbers if not _is_missing(value)), None)
    if number is not None:
        msg = (
            f"{where} of X must be all numbers or all text, got {number!r} and {text!r}; "
            "turn one into the other"
        )
        raise ValueError(msg)
    return "text"


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


def as_float32(
    numbers: NDArray[Any], where: str, codes: NDArray[np.intp] | None = None
) -> NDArray[np.float32]:
    """Return numbers as float32, the type in which they are compared with thresholds.

    Parameters
    ----------
    numbers : ndarray of shape (n_numbers,)
        Booleans, integers or floats.
    where : str
        Name of the column, for errors.
    codes : ndarray of intp, shape (n_rows,), optional
        For every row the position of its number in `numbers`; by default row k has number k.

    Returns
    -------
    ndarray of float32, shape (n_rows,)
        The number of every row.

    Raises
    ------
    ValueError
        If a number is infinite or too large for float32.
    """
    with np.errstate(over="ignore"):
        narrow = numbers.astype(np.float32, copy=False)
    rows = narrow if codes is None else narrow[codes]
    infinite = np.isinf(rows)
    if infinite.any():
        row = int(infinite.argmax())
        value = numbers[row if codes is None else codes[row]]
        raise ValueError(infinite_message(where, row, value))
    return rows


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
        f"{where} of X contains infinity or a number too large for float32: {float(value)!r} in "
        f"row {row}"
    )


def _kind(kind: type) -> str:
    if kind.__name__ in MISSING:
        return "missing"
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


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _refuse(value: Any, where: str) -> NoReturn:
    name = type(value).__name__
    if isinstance(value, complex | np.complexfloating):
        msg = f"Complex data not supported: {where} of X has {value!r}"
        raise ValueError(msg)
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    msg = (
        f"{where} of X must have numbers, booleans or text, got a {name}, {shown}; turn it into "
        "one of these"
    )
    raise ValueError(msg)

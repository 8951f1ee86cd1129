"""Columns of objects: which are numbers, which are categories, and which are neither."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from numbers import Number
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

# Rows read and converted at a time: a block of some hundred columns stays in the cache.
BLOCK = 4096
# None, pandas.NA and NaT by the names of their types: pandas may not be there. NaN is a number.
MISSING = ("NoneType", "NAType", "NaTType")


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of categories.

    Parameters
    ----------
    codes : ndarray of intp, shape (n_rows,)
        Positions in `values`; -1 where the value is missing.
    values : list
        The categories that occur, sorted: all text or all numbers.
    """

    codes: NDArray[np.intp]
    values: list[Any]

    @property
    def is_text(self) -> bool:
        """Whether the categories are text; also if there are none."""
        return not self.values or isinstance(self.values[0], str)


# What a table has: numbers, NaN where they are missing, or categories.
Column = NDArray[np.float32] | Coded


def from_objects(values: NDArray[Any], where: str) -> Column:
    """Read a column of objects: numbers if all of them are, or text.

    Parameters
    ----------
    values : ndarray of objects, shape (n_rows,)
        Numbers, booleans or text, with None, NaN, pandas.NA or NaT where a value is missing.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of float32, or Coded
        The column. If all values are missing it has categories, none.

    Raises
    ------
    ValueError
        If there is something else, or numbers beside text.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.values import from_objects
    >>> from_objects(np.array([2, None, True], dtype=object), "column 0")
    array([ 2., nan,  1.], dtype=float32)
    >>> from_objects(np.array(["b", None, "a"], dtype=object), "column 0").codes
    array([ 1, -1,  0])
    """
    rows = values.tolist()
    try:
        distinct = list(dict.fromkeys(rows))
    except TypeError:
        bad = next(value for value in rows if not _is_hashable(value))
        _refuse(bad, where)
    kind = kind_of(distinct, where)
    position = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(position.__getitem__, rows), dtype=np.intp, count=len(rows))
    if kind == "numbers":
        return as_float32(np.array([_number(value) for value in distinct]), where, codes)
    return sorted_codes(codes, distinct)


def kind_of(distinct: list[Any], where: str) -> str:
    """Return what values are, ``"numbers"`` or ``"text"``, whatever is missing.

    Parameters
    ----------
    distinct : list
        The values.
    where : str
        Name of the column, for errors.

    Returns
    -------
    str
        ``"text"`` if there are none.
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


def sorted_codes(codes: NDArray[Any], values: list[Any]) -> Coded:
    """Return categories sorted, without those that are missing or do not occur.

    Parameters
    ----------
    codes : ndarray of integers, shape (n_rows,)
        Positions in `values`, less than 0 where missing.
    values : list
        Distinct values.

    Returns
    -------
    Coded
        The same column.
    """
    used = np.zeros(len(values) + 1, dtype=np.bool_)
    used[codes] = True  # -1 marks the last, which stands for no value
    kept = [i for i in np.flatnonzero(used[:-1]).tolist() if not _is_missing(values[i])]
    kept.sort(key=values.__getitem__)
    place = np.full(len(values) + 1, -1, dtype=np.intp)
    place[kept] = np.arange(len(kept))
    return Coded(place[codes], [values[i] for i in kept])


def as_float32(
    numbers: NDArray[Any], where: str, codes: NDArray[np.intp] | None = None
) -> NDArray[np.float32]:
    """Return numbers as float32, which is what thresholds are compared with.

    Parameters
    ----------
    numbers : ndarray of shape (n_numbers,)
        Booleans, integers or floats.
    where : str
        Name of the column, for errors.
    codes : ndarray of intp, shape (n_rows,), optional
        Positions in `numbers` of each row's number; by default the rows are the numbers.

    Returns
    -------
    ndarray of float32, shape (n_rows,)
        The rows.

    Raises
    ------
    ValueError
        If one is infinite, or too large.
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
    """Say where a number is infinite.

    Parameters
    ----------
    where : str
        Name of the column.
    row : int
        The row.
    value : number
        Its value.

    Returns
    -------
    str
        The message of an error.
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

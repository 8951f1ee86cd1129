"""Columns of dates, times of day, durations and periods: integers, and what they mean.

Such a column is ordered, and its values are held exactly, as integers of 64 bits. `read_times`
reads them, `time_thresholds` chooses thresholds between them, and `time_words` words these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Nanoseconds of each unit in which dates, times and durations are counted.
NANOSECONDS = {"D": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
# The kinds of columns, in words.
NOUNS = {
    "datetime": "dates",
    "time": "times of day",
    "duration": "durations",
    "period": "periods",
}
# The largest integer of 64 bits.
MOST = 2**63 - 1


@dataclass(frozen=True)
class TimeKind:
    """What the integers of a column of dates or times mean.

    A test holds for a value before the end of its threshold: the integer ``t`` in days is passed by
    all times of that day. So values of another unit are rounded down to the unit of the column.

    Parameters
    ----------
    kind : {"datetime", "time", "duration", "period"}
        Dates count from 1970, and times of day from midnight. Periods have the numbers that pandas
        gives them.
    unit : {"D", "s", "ms", "us", "ns"} or str
        The unit in which they are counted. That of a period is its frequency in pandas.
    zone : str or None, default=None
        Name of the time zone, such as ``"Europe/Zurich"`` or ``"+01:00"``. The integers are those
        of UTC, and the zone is that of the words. None if dates have no time zone.

    Examples
    --------
    >>> from beamtree._table.times import TimeKind
    >>> TimeKind("datetime", "ns", "Europe/Zurich").words
    'dates with a time zone'
    """

    kind: str
    unit: str
    zone: str | None = None

    @property
    def counts_whole(self) -> bool:
        """Whether words name what is counted, a day or a period, and not an instant."""
        return self.kind == "period" or (self.kind == "datetime" and self.unit == "D")

    @property
    def words(self) -> str:
        """What the column has, for errors."""
        if self.kind == "period":
            return f"periods of the frequency {self.unit}"
        return NOUNS[self.kind] + (" with a time zone" if self.zone is not None else "")


@dataclass(frozen=True, eq=False)
class TimeColumn:
    """A column of dates, times of day, durations or periods.

    Parameters
    ----------
    numbers : ndarray of int64, or MaskedArray of int64, shape (n_rows,)
        The integers; missing values are masked.
    kind : TimeKind
        What they mean.
    """

    numbers: NDArray[Any]
    kind: TimeKind


def kind_of_times(column: Any) -> TimeKind | None:
    """Return what the integers of a column mean; None if it has no dates or times."""
    return column.kind if isinstance(column, TimeColumn) else None


def time_column(numbers: NDArray[Any], missing: NDArray[np.bool_], kind: TimeKind) -> TimeColumn:
    """Return a column, whose unit is the day if it has dates without times of day.

    Parameters
    ----------
    numbers : ndarray of int64, shape (n_rows,)
        The integers; those of missing values do not matter.
    missing : ndarray of bool, shape (n_rows,)
        Which values are missing.
    kind : TimeKind
        What the integers mean.

    Returns
    -------
    TimeColumn
        The column.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.times import TimeKind, time_column
    >>> column = time_column(np.array([0, 172_800]), np.zeros(2, bool), TimeKind("datetime", "s"))
    >>> column.numbers, column.kind.unit
    (array([0, 2]), 'D')
    """
    numbers = np.where(missing, 0, numbers).astype(np.int64)
    if kind.kind == "datetime" and kind.zone is None and kind.unit != "D":
        day = NANOSECONDS["D"] // NANOSECONDS[kind.unit]
        if not (numbers % day).any():
            numbers, kind = numbers // day, TimeKind("datetime", "D")
    return TimeColumn(np.ma.MaskedArray(numbers, missing) if missing.any() else numbers, kind)


def encoded_times(column: TimeColumn, kind: TimeKind, where: str) -> NDArray[Any]:
    """Return the integers of a column in the unit of a column that was seen before.

    Parameters
    ----------
    column : TimeColumn
        The column.
    kind : TimeKind
        What the integers of the column meant in `fit`.
    where : str
        Name of the column, for errors.

    Returns
    -------
    ndarray of int64, or MaskedArray of int64, shape (n_rows,)
        The integers, rounded down. Those that are too large for 64 bits are replaced by the largest
        ones.

    Raises
    ------
    ValueError
        If the two kinds cannot be compared, such as dates with and without a time zone.
    """
    check_comparable(column.kind, kind, where)
    if column.kind.unit == kind.unit:
        return column.numbers
    theirs, ours = NANOSECONDS[column.kind.unit], NANOSECONDS[kind.unit]
    if theirs < ours:
        coarse: NDArray[Any] = column.numbers // (ours // theirs)
        return coarse
    factor = theirs // ours
    most = MOST // factor
    fine: NDArray[Any] = np.clip(column.numbers, -most, most) * factor
    return fine


def check_comparable(given: TimeKind, known: TimeKind, where: str) -> None:
    """Raise a ValueError if values of a kind cannot be compared with those that were seen in fit.

    Parameters
    ----------
    given, known : TimeKind
        The kind of a column, and that which the column had in `fit`.
    where : str
        Name of the column, for errors.
    """
    if are_comparable(given, known):
        return
    wanted, got = known.words, given.words
    if given.kind == known.kind == "datetime":  # only one of the two has a time zone
        wanted += " without a time zone" if known.zone is None else ""
        got += " without a time zone" if given.zone is None else ""
    msg = f"{where} of X must have {wanted}, as it had in fit, got {got}"
    raise ValueError(msg)


def are_comparable(first: TimeKind, second: TimeKind) -> bool:
    """Return whether values of two kinds can be compared.

    Parameters
    ----------
    first, second : TimeKind
        The kinds.

    Returns
    -------
    bool
        Whether they are of the same kind, both with or both without a time zone, and, if they are
        periods, of the same frequency.
    """
    if first.kind != second.kind or (first.zone is None) != (second.zone is None):
        return False
    return first.kind != "period" or first.unit == second.unit


def threshold_in(threshold: int, old: TimeKind, new: TimeKind) -> int:
    """Return a threshold in another unit, so that it separates the values of that unit alike.

    Parameters
    ----------
    threshold : int
        A threshold of the old kind.
    old, new : TimeKind
        Two kinds that can be compared.

    Returns
    -------
    int
        The threshold of the new kind.

    Examples
    --------
    >>> from beamtree._table.times import TimeKind, threshold_in
    >>> threshold_in(0, TimeKind("datetime", "D"), TimeKind("datetime", "s"))
    86399
    """
    if old.unit == new.unit:
        return threshold
    end = (threshold + 1) * NANOSECONDS[old.unit]
    return -(-end // NANOSECONDS[new.unit]) - 1

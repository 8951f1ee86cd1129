"""Choosing thresholds between dates and times, such that few words name them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from beamtree._table.thresholds import integer_midpoints
from beamtree._table.times import NANOSECONDS, TimeKind

# The steps of round times, in nanoseconds: days, hours, minutes and seconds with up to nine digits.
STEPS = (
    NANOSECONDS["D"],
    3600 * 10**9,
    60 * 10**9,
    *(10**digits for digits in range(9, -1, -1)),
)


def time_thresholds(
    low: NDArray[np.int64], high: NDArray[np.int64], kind: TimeKind
) -> NDArray[np.int64]:
    """Return the thresholds between neighbouring dates or times.

    Parameters
    ----------
    low, high : ndarray of int64
        Values, and the next larger ones.
    kind : TimeKind
        What the integers mean.

    Returns
    -------
    ndarray of int64
        For neighbours a and b an integer from a to b - 1. Days and periods have the one halfway
        between them. Otherwise the next integer is as round as possible, in the time zone of the
        column: midnight if it is between a and b, else a full hour, minute or second, or as few
        digits of a second as separate them. Of several such times, it is the one that is nearest to
        the middle.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.time_thresholds import time_thresholds
    >>> from beamtree._table.times import TimeKind
    >>> low, high = np.array([7_500, 7_500]), np.array([90_000, 11_111])
    >>> time_thresholds(low, high, TimeKind("duration", "s")) + 1
    array([86400, 10800])
    """
    middle = integer_midpoints(low, high)
    if kind.counts_whole:
        return middle
    shift = _offsets(middle, kind)
    unit = NANOSECONDS[kind.unit]
    chosen = middle.copy()
    open_ = np.ones(len(low), dtype=np.bool_)
    for step in (size // unit for size in STEPS if size >= unit):
        below, above = (_n_steps(values, shift, step) for values in (low, high))
        found = open_ & (below < above)
        if found.any():
            beyond = (middle % step + shift % step) % step
            nearest = _n_steps(middle, shift, step) + (2 * beyond >= step)
            times = np.clip(nearest, below + 1, above) * step - shift
            chosen[found] = times[found] - 1
            open_ &= ~found
    return chosen


def _n_steps(values: NDArray[np.int64], shift: NDArray[np.int64], step: int) -> NDArray[np.int64]:
    """Return how many whole steps there are up to the shifted values, without an overflow."""
    over = (values % step + shift % step) // step
    return values // step + shift // step + over


def _offsets(values: NDArray[np.int64], kind: TimeKind) -> NDArray[np.int64]:
    """Return the offsets from UTC at some instants, in the unit of the column."""
    if kind.zone is None:
        return np.zeros_like(values)
    unit = NANOSECONDS[kind.unit]
    zone = zone_of(kind.zone)
    seconds = [offset_at(value * unit, zone) for value in values.tolist()]
    return np.array(seconds, dtype=np.int64) * (10**9 // unit)


def offset_at(instant: int, zone: tzinfo) -> int:
    """Return the offset of a time zone from UTC at an instant.

    Parameters
    ----------
    instant : int
        Nanoseconds since 1970.
    zone : tzinfo
        The time zone.

    Returns
    -------
    int
        The offset in whole seconds; 0 for years that Python does not have.

    Examples
    --------
    >>> from beamtree._table.time_thresholds import offset_at, zone_of
    >>> offset_at(0, zone_of("-03:30"))
    -12600
    """
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=instant // 10**9)
        offset = moment.astimezone(zone).utcoffset()
    except OverflowError:
        return 0
    return 0 if offset is None else int(offset.total_seconds())


def zone_of(name: str) -> tzinfo:
    """Return the time zone of a name.

    Parameters
    ----------
    name : str
        A name such as ``"Europe/Zurich"``, or an offset such as ``"+01:00"``.

    Returns
    -------
    tzinfo
        The time zone.

    Raises
    ------
    ValueError
        If there is no such time zone.
    """
    if name == "UTC":
        return UTC
    if name[:1] in ("+", "-"):
        return _fixed(name)
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError) as error:
        msg = f"there is no time zone {name!r}"
        raise ValueError(msg) from error


def _fixed(offset: str) -> tzinfo:
    moment = datetime.fromisoformat(f"1970-01-01T00:00:00{offset}")
    distance = moment.utcoffset()
    assert distance is not None
    return timezone(distance)

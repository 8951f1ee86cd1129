"""Thresholds of dates, times of day, durations and periods in words, and as parts for exports."""

from __future__ import annotations

from typing import Any

import numpy as np

from beamtree._table.time_thresholds import offset_at, zone_of
from beamtree._table.times import NANOSECONDS, TimeKind

DAY = NANOSECONDS["D"]
# The parts of a duration that are below a day, in nanoseconds.
PARTS = ((3600 * 10**9, "h"), (60 * 10**9, "min"))


def time_comparison(kind: TimeKind, threshold: int) -> tuple[str, str, str]:
    """Return the signs and the time with which a test and its opposite are worded.

    Parameters
    ----------
    kind : TimeKind
        The kind of the column.
    threshold : int
        The threshold, as an integer of this kind.

    Returns
    -------
    tuple of str
        The sign of the test, that of its opposite, and the time. Days and periods are compared as a
        whole, and all others with the first instant that fails the test.

    Examples
    --------
    >>> from beamtree._table.times import TimeKind
    >>> from beamtree._table.time_words import time_comparison
    >>> time_comparison(TimeKind("datetime", "D"), 19_783)
    ('<=', '>', '2024-03-01')
    >>> time_comparison(TimeKind("datetime", "s"), 1_709_301_599)
    ('<', '>=', '2024-03-01 14:00')
    >>> time_comparison(TimeKind("datetime", "s", "Europe/Zurich"), 1_709_301_599)
    ('<', '>=', '2024-03-01 15:00+01:00')
    """
    if kind.counts_whole:
        return "<=", ">", whole_words(kind, threshold)
    return "<", ">=", instant_words(kind, end_of(kind, threshold))


def whole_words(kind: TimeKind, number: int) -> str:
    """Return a day or a period in words.

    Parameters
    ----------
    kind : TimeKind
        Days or periods.
    number : int
        The integer of the day or of the period.

    Returns
    -------
    str
        For example ``"2024-03-01"``, or ``"2024Q1"`` if the frequency is that of quarters.
    """
    if kind.kind == "period":
        return str(_period(kind, number))
    return iso_date(number)


def iso_date(day: int) -> str:
    """Return a day, counted from 1970, as ``YYYY-MM-DD``."""
    return str(np.datetime64(day, "D"))


def _period(kind: TimeKind, number: int) -> Any:
    import pandas as pd

    return pd.Period(ordinal=number, freq=kind.unit)


def end_of(kind: TimeKind, threshold: int) -> int:
    """Return the first instant that fails a test.

    Parameters
    ----------
    kind : TimeKind
        The kind of the column.
    threshold : int
        The threshold, as an integer of this kind.

    Returns
    -------
    int
        Nanoseconds since 1970, since midnight, or of the duration. Of periods, it is the start of
        the first period that fails the test.
    """
    if kind.kind == "period":
        start = _period(kind, threshold + 1).start_time.to_datetime64()
        unit, _ = np.datetime_data(start.dtype)
        return int(start.astype(np.int64)) * NANOSECONDS[unit]
    return (threshold + 1) * NANOSECONDS[kind.unit]


def instant_words(kind: TimeKind, instant: int) -> str:
    """Return an instant, a time of day or a duration in words.

    Parameters
    ----------
    kind : TimeKind
        The kind of the column.
    instant : int
        Nanoseconds, as `end_of` returns them.

    Returns
    -------
    str
        For example ``"2024-03-01"``, ``"2024-03-01 14:00+01:00"``, ``"14:00:05.5"`` or
        ``"1 day 12 h"``.
    """
    if kind.kind == "duration":
        return duration_words(instant)
    if kind.kind == "time":
        return _clock_words(instant)
    if kind.zone is not None:
        offset = offset_at(instant, zone_of(kind.zone))
        day, inside = divmod(instant + offset * 10**9, DAY)
        return f"{iso_date(day)} {_clock_words(inside)}{_zone_words(kind.zone, offset)}"
    day, inside = divmod(instant, DAY)
    return f"{iso_date(day)} {_clock_words(inside)}" if inside else iso_date(day)


def _clock_words(nanoseconds: int) -> str:
    """Return a time of day, without seconds if there are none."""
    hour, minute, second, fraction = clock_parts(nanoseconds)
    words = f"{hour:02}:{minute:02}"
    if second or fraction:
        words += f":{second:02}" + (f".{fraction:09}".rstrip("0") if fraction else "")
    return words


def clock_parts(nanoseconds: int) -> tuple[int, int, int, int]:
    """Return the hours, minutes, seconds and nanoseconds of a time since midnight."""
    seconds, fraction = divmod(nanoseconds, 10**9)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return hour, minute, second, fraction


def _zone_words(zone: str, offset: int) -> str:
    if zone == "UTC":
        return " UTC"
    hours, minutes, seconds, _ = clock_parts(abs(offset) * 10**9)
    words = f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
    return f"{words}:{seconds:02}" if seconds else words


def duration_words(nanoseconds: int) -> str:
    """Return a duration in words.

    Parameters
    ----------
    nanoseconds : int
        The duration, which may be negative.

    Returns
    -------
    str
        Its parts, from days to seconds, without those that are zero.

    Examples
    --------
    >>> from beamtree._table.time_words import duration_words
    >>> duration_words(129_600 * 10**9), duration_words(-1_500_000), duration_words(0)
    ('1 day 12 h', '-0.0015 s', '0 s')
    """
    if nanoseconds < 0:
        opposite = duration_words(-nanoseconds)
        return f"-({opposite})" if opposite.count(" ") > 1 else f"-{opposite}"
    days, rest = divmod(nanoseconds, DAY)
    words = [f"{days} {'day' if days == 1 else 'days'}"] if days else []
    for size, name in PARTS:
        number, rest = divmod(rest, size)
        words += [f"{number} {name}"] if number else []
    if rest or not words:
        seconds, fraction = divmod(rest, 10**9)
        words.append(f"{seconds}{f'.{fraction:09}'.rstrip('0') if fraction else ''} s")
    return " ".join(words)

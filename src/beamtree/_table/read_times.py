"""Reading dates, times of day, durations and periods from arrays, frames, objects and text."""

from __future__ import annotations

import re
import sys
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._table.times import MOST, NANOSECONDS, NOUNS, TimeColumn, TimeKind, time_column
from beamtree._util.optional import import_optional

# The types of objects by the kind of their column; a datetime is a date, too. Periods are those of
# pandas, which need not be installed.
TYPES = {
    "datetime": (date, np.datetime64),
    "duration": (timedelta, np.timedelta64),
    "time": (time,),
}
# The units of NumPy that are counted in another one.
OTHER_UNITS = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s", "generic": "s"}
# A date, which may have a time of day and an offset from UTC.
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?:[.](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
CLOCK = re.compile(r"(\d\d:\d\d(?::\d\d)?)(?:[.](\d{1,9}))?", re.ASCII)
EPOCH = datetime(1970, 1, 1)


class Instant(NamedTuple):
    """One value: an integer of a unit, and the name of the time zone, None if it has none."""

    number: int
    unit: str
    zone: str | None = None


def kind_of_type(kind: type) -> str | None:
    """Return the kind of column that has objects of a type; None if it is no type of times.

    Examples
    --------
    >>> from datetime import date
    >>> from beamtree._table.read_times import kind_of_type
    >>> kind_of_type(date), kind_of_type(int)
    ('datetime', None)
    """
    found = (name for name, types in TYPES.items() if issubclass(kind, types))
    return "period" if _is_period(kind) else next(found, None)


def _is_period(kind: type) -> bool:
    return kind.__name__ == "Period" and kind.__module__.partition(".")[0] == "pandas"


def times_of_array(array: NDArray[Any], where: str, zone: str | None = None) -> TimeColumn:
    """Return an array of datetime64 or timedelta64 as a column.

    Parameters
    ----------
    array : ndarray of datetime64 or timedelta64, shape (n_rows,)
        The values; NaT is missing.
    where : str
        Name of the column, for errors.
    zone : str or None, default=None
        Name of the time zone, if the values are those of UTC.

    Returns
    -------
    TimeColumn
        The column.
    """
    name = "datetime" if array.dtype.kind == "M" else "duration"
    unit, _ = np.datetime_data(array.dtype)
    unit = OTHER_UNITS.get(unit, unit)
    if unit not in NANOSECONDS or (name == "duration" and str(array.dtype)[12:13] in ("Y", "M")):
        msg = (
            f"{where} of X must have {NOUNS[name]} in days, hours, ... or nanoseconds, got the "
            f"type {array.dtype}"
        )
        raise ValueError(msg)
    numbers = array.astype(f"{array.dtype.kind}8[{unit}]").astype(np.int64)
    return time_column(numbers, np.isnat(array), TimeKind(name, unit, zone))


def times_of_pandas(series: Any, where: str) -> TimeColumn:
    """Return a series of pandas with dates, durations or periods as a column.

    Parameters
    ----------
    series : pandas.Series
        A series whose type has the kind ``"M"`` or ``"m"``, or that of periods.
    where : str
        Name of the column, for errors.

    Returns
    -------
    TimeColumn
        The column.
    """
    pandas, dtype = sys.modules["pandas"], series.dtype
    if isinstance(dtype, pandas.PeriodDtype):
        periods = pandas.PeriodIndex(series)
        return time_column(periods.asi8, periods.isna(), TimeKind("period", periods.freqstr))
    if isinstance(dtype, pandas.ArrowDtype):
        return times_of_arrow(sys.modules["pyarrow"].array(series))
    if isinstance(dtype, pandas.DatetimeTZDtype):
        plain = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return times_of_array(plain.to_numpy(), where, zone_name(dtype.tz))
    return times_of_array(series.to_numpy(), where)


def times_of_polars(series: Any) -> TimeColumn:
    """Return a series of polars with dates, times or durations as a column.

    Parameters
    ----------
    series : polars.Series
        A series of the type Date, Datetime, Time or Duration.

    Returns
    -------
    TimeColumn
        The column.
    """
    polars, dtype = sys.modules["polars"], series.dtype
    if dtype == polars.Date:
        kind = TimeKind("datetime", "D")
    elif dtype == polars.Time:
        kind = TimeKind("time", "ns")
    elif dtype == polars.Duration:
        kind = TimeKind("duration", dtype.time_unit)
    else:
        kind = TimeKind("datetime", dtype.time_unit, dtype.time_zone)
    numbers = series.to_physical().cast(polars.Int64).fill_null(0).to_numpy()
    return time_column(numbers, series.is_null().to_numpy(), kind)


def times_of_arrow(array: Any) -> TimeColumn:
    """Return an array of pyarrow with dates, times or durations as a column.

    Parameters
    ----------
    array : pyarrow.Array or pyarrow.ChunkedArray
        An array of such a type.

    Returns
    -------
    TimeColumn
        The column.
    """
    pa = import_optional("pyarrow", "a column of arrow", "parquet")
    types, dtype = pa.types, array.type
    if types.is_date(dtype):
        array, kind = array.cast(pa.date32()), TimeKind("datetime", "D")
    elif types.is_time(dtype):
        kind = TimeKind("time", dtype.unit)
    elif types.is_duration(dtype):
        kind = TimeKind("duration", dtype.unit)
    else:
        kind = TimeKind("datetime", dtype.unit, dtype.tz)
    is_short = types.is_date(dtype) or types.is_time32(dtype)
    numbers = array.cast(pa.int32() if is_short else pa.int64()).fill_null(0)
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return time_column(numbers.to_numpy(zero_copy_only=False), missing, kind)


def times_of_objects(distinct: list[Any], codes: NDArray[np.intp], where: str) -> TimeColumn:
    """Return a column of objects that are dates, times of day, durations or periods.

    Parameters
    ----------
    distinct : list
        The different objects, None for a missing value.
    codes : ndarray of intp, shape (n_rows,)
        For every row the position of its object in `distinct`.
    where : str
        Name of the column, for errors.

    Returns
    -------
    TimeColumn
        The column.

    Raises
    ------
    ValueError
        If the objects are of different kinds, have different time zones, only some have one, or if
        they do not fit into 64 bits.

    Examples
    --------
    >>> from datetime import date
    >>> import numpy as np
    >>> from beamtree._table.read_times import times_of_objects
    >>> times_of_objects([date(1970, 1, 3), None], np.array([1, 0]), "column 0").numbers.tolist()
    [None, 2]
    """
    first: dict[str, Any] = {}
    for value in distinct:
        if value is not None:
            first.setdefault(kind_of_type(type(value)) or "", value)
    name = next(iter(first))
    if len(first) > 1:
        one, other = list(first.values())[:2]
        msg = f"{where} of X must have values of one kind, got {one!r} and {other!r}"
        raise ValueError(msg)
    if name == "period":
        frequencies = {value.freqstr: value for value in distinct if value is not None}
        if len(frequencies) > 1:
            _refuse_mixture(where, "periods of one frequency", list(frequencies.values()))
        found = [None if v is None else Instant(v.ordinal, v.freqstr) for v in distinct]
        return _column(found, codes, where, TimeKind("period", next(iter(frequencies))))
    found = [None if value is None else _instant(value, where) for value in distinct]
    zones = {one.zone: value for one, value in zip(found, distinct, strict=True) if one is not None}
    if len(zones) > 1:
        wanted = "dates that all have a time zone, or none" if None in zones else "one time zone"
        _refuse_mixture(where, wanted, list(zones.values()))
    units = {one.unit for one in found if one is not None}
    unit = min(units, key=NANOSECONDS.__getitem__)
    return _column(found, codes, where, TimeKind(name, unit, next(iter(zones))))


def _column(
    found: list[Instant | None], codes: NDArray[np.intp], where: str, kind: TimeKind
) -> TimeColumn:
    numbers = []
    for one in found:
        number = 0 if one is None else one.number
        if one is not None and one.unit != kind.unit:
            number *= NANOSECONDS[one.unit] // NANOSECONDS[kind.unit]
        if abs(number) > MOST:
            msg = f"{where} of X must have dates that fit into 64 bits in the unit {kind.unit}"
            raise ValueError(msg)
        numbers.append(number)
    missing = np.array([one is None for one in found])
    return time_column(np.array(numbers, dtype=np.int64)[codes], missing[codes], kind)


def _instant(value: Any, where: str) -> Instant:
    """Return a date, a time of day or a duration as an integer."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        column = times_of_array(np.array([value]), where)
        return Instant(int(column.numbers[0]), column.kind.unit)
    if isinstance(value, time):
        if value.tzinfo is not None:
            msg = f"{where} of X must have times of day without a time zone, got {value!r}"
            raise ValueError(msg)
        return Instant((datetime.combine(EPOCH, value) - EPOCH) // timedelta(microseconds=1), "us")
    if hasattr(value, "to_timedelta64"):
        return _instant(value.to_timedelta64(), where)
    if isinstance(value, timedelta):
        return Instant(value // timedelta(microseconds=1), "us")
    if not isinstance(value, datetime):
        return Instant((value - EPOCH.date()).days, "D")
    zone = None if value.utcoffset() is None else zone_name(value.tzinfo)
    if hasattr(value, "to_datetime64"):  # a Timestamp of pandas, as UTC
        return _instant(value.to_datetime64(), where)._replace(zone=zone)
    start = EPOCH if zone is None else EPOCH.replace(tzinfo=UTC)
    return Instant((value - start) // timedelta(microseconds=1), "us", zone)


def zone_name(zone: tzinfo | None) -> str:
    """Return the name of a time zone.

    Parameters
    ----------
    zone : tzinfo
        The time zone.

    Returns
    -------
    str
        Its name in the database of time zones, or its offset if that is fixed; otherwise ``"UTC"``,
        in which all instants can be worded.

    Examples
    --------
    >>> from datetime import timedelta, timezone
    >>> from zoneinfo import ZoneInfo
    >>> from beamtree._table.read_times import zone_name
    >>> zone_name(ZoneInfo("Asia/Tokyo")), zone_name(timezone(timedelta(hours=2)))
    ('Asia/Tokyo', '+02:00')
    """
    for attribute in ("key", "zone"):  # of zoneinfo, and of pytz
        name = getattr(zone, attribute, None)
        if isinstance(name, str):
            return name
    offset = None if zone is None else zone.utcoffset(None)
    if not offset:
        return "UTC"
    return datetime(1970, 1, 1, tzinfo=zone).isoformat()[19:]


def time_of_text(text: str, kind: TimeKind | None = None) -> Instant | None:
    """Return the date, or the time of day, that a text is; None if it is none.

    Parameters
    ----------
    text : str
        A field of a file; blanks around it are ignored.
    kind : TimeKind or None, default=None
        What the column has; None for dates.

    Returns
    -------
    Instant or None
        The value. A date of ISO 8601 with an offset has the zone UTC.

    Examples
    --------
    >>> from beamtree._table.read_times import time_of_text
    >>> time_of_text("1970-01-02"), time_of_text("1970-01-01 01:00+01:00").number
    (Instant(number=1, unit='D', zone=None), 0)
    >>> time_of_text("2024-02-30"), time_of_text("2024-02"), time_of_text("12.5.2024")
    (None, None, None)
    """
    text = text.strip()
    is_clock = kind is not None and kind.kind == "time"
    found = (CLOCK if is_clock else ISO).fullmatch(text)
    if found is None:
        return None
    parts = ("1970-01-01", *found.groups(), None) if is_clock else found.groups()
    day, clock, fraction, offset = parts
    try:
        start = datetime.fromisoformat(f"{day}T{clock or '00:00'}{offset or ''}")
    except ValueError:
        return None
    zone, epoch = (None, EPOCH) if offset is None else ("UTC", EPOCH.replace(tzinfo=UTC))
    number, unit = (start - epoch) // timedelta(seconds=1), "s"
    if clock is None:
        return Instant(number // 86_400, "D")
    if fraction is not None:
        unit = "us" if len(fraction) <= 6 else "ns"
        digits = 6 if unit == "us" else 9
        number = number * 10**digits + int(fraction.ljust(digits, "0"))
    return Instant(number, unit, zone)


def times_of_texts(
    texts: dict[str, Instant | None], codes: NDArray[np.intp], where: str, kind: str
) -> TimeColumn | None:
    """Return a column of texts that `time_of_text` has read.

    Parameters
    ----------
    texts : dict
        The different texts and their values, None for a missing one. At least one has a value.
    codes : ndarray of intp, shape (n_rows,)
        For every row the position of its text.
    where : str
        Name of the column, for errors.
    kind : str
        The kind of the column, ``"datetime"`` or ``"time"``.

    Returns
    -------
    TimeColumn or None
        The column; None if only some of the dates have an offset.
    """
    found = list(texts.values())
    known = [one for one in found if one is not None]
    if len({one.zone for one in known}) > 1:
        return None
    unit = min((one.unit for one in known), key=NANOSECONDS.__getitem__)
    return _column(found, codes, where, TimeKind(kind, unit, known[0].zone))


def _refuse_mixture(where: str, wanted: str, values: list[Any]) -> NoReturn:
    msg = f"{where} of X must have {wanted}, got {values[0]} and {values[1]}"
    if wanted == "one time zone":
        msg += "; turn them into UTC, for example with pandas.to_datetime(..., utc=True)"
    raise ValueError(msg)

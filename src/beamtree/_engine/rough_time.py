"""Estimated times in words."""

from __future__ import annotations

# Units of time in seconds, and up to which number of them they are used.
_UNITS = (
    ("s", 1.0, 90.0),
    ("min", 60.0, 90.0),
    ("h", 3600.0, 48.0),
    ("days", 86400.0, float("inf")),
)


def rough_time(seconds: float) -> str:
    """Return a time with one digit, as an estimate deserves.

    Parameters
    ----------
    seconds : float
        The time.

    Returns
    -------
    str
        At least one second, in the unit that suits the time.

    Examples
    --------
    >>> from beamtree._engine.rough_time import rough_time
    >>> rough_time(0.2), rough_time(41.7), rough_time(155), rough_time(6000), rough_time(9e6)
    ('1 s', '40 s', '3 min', '2 h', '100 days')
    """
    unit, length = next((unit, length) for unit, length, most in _UNITS if seconds < most * length)
    return f"{float(f'{max(seconds / length, 1.0):.1g}'):,.0f} {unit}"

"""Comparing numbers after they are rounded to float32, as scikit-learn's trees do."""

from __future__ import annotations

import numpy as np

# The number that would follow the largest float32 if there were one more exponent.
BEYOND = 2.0**128


def rounded_down(number: float) -> np.float32:
    """Return the largest float32 that is at most a number.

    Parameters
    ----------
    number : float
        Any number except NaN.

    Returns
    -------
    float32
        The number itself if it is a float32.

    Examples
    --------
    >>> from beamtree._util.float32 import rounded_down
    >>> float(rounded_down(0.5)), float(rounded_down(16777217.0))
    (0.5, 16777216.0)
    """
    with np.errstate(over="ignore", under="ignore"):
        nearest = np.float32(number)
        # NumPy would compare a float32 with a Python float as two float32 numbers.
        above = float(nearest) > number
        return np.nextafter(nearest, np.float32(-np.inf)) if above else nearest


def largest_double(threshold: float) -> float:
    """Return the largest double that, rounded to float32, is at most a threshold.

    Parameters
    ----------
    threshold : float
        Any number except NaN.

    Returns
    -------
    float
        A double is at most this number exactly if its nearest float32 is at most the threshold.

    Examples
    --------
    >>> from beamtree._util.float32 import largest_double
    >>> largest_double(0.5), largest_double(16777217.0)
    (0.5000000298023224, 16777217.0)
    """
    below = rounded_down(threshold)
    if below == np.inf:
        return np.inf
    with np.errstate(over="ignore", under="ignore"):
        after = float(np.nextafter(below, np.float32(np.inf)))
        middle = (max(float(below), -BEYOND) + min(after, BEYOND)) / 2.0
        rounded = np.float32(middle)
    return middle if rounded <= below else float(np.nextafter(middle, -np.inf))

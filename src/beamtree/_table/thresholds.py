"""Choosing thresholds between the values of a column."""

from __future__ import annotations

from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray

from beamtree._table.values import Numbers

# There are at most this many times more quantiles than thresholds, if many quantiles coincide.
FINEST = 64


def midpoints(low: Numbers, high: Numbers) -> NDArray[np.float64]:
    """Return a threshold between every two neighbouring values.

    Parameters
    ----------
    low, high : ndarray of float64, int64 or uint64
        Values, and the next larger ones.

    Returns
    -------
    ndarray of float64
        For neighbours a and b the float64 nearest to the number halfway between them, or a if that
        is b. So a float64 goes left exactly if it is at most a, as do integers up to 2**53.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.thresholds import midpoints
    >>> midpoints(np.array([1.0, 2.0]), np.array([2.0, 5.0]))
    array([1.5, 3.5])
    """
    below, above = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(over="ignore"):
        middle = (below + above) / 2
    middle = np.where(np.isinf(middle), below / 2 + above / 2, middle)
    return np.where(middle >= above, below, middle)


def integer_midpoints(low: Numbers, high: Numbers) -> Numbers:
    """Return the integers halfway between integers, rounded down.

    Parameters
    ----------
    low, high : ndarray of int64 or uint64
        Values, and the next larger ones.

    Returns
    -------
    ndarray of int64 or uint64
        For neighbours a and b an integer from a to b - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.thresholds import integer_midpoints
    >>> integer_midpoints(np.array([1, -(2**63)]), np.array([2, 2**63 - 1])).tolist()
    [1, -1]
    """
    return (low & high) + ((low ^ high) >> 1)  # the sum of both could overflow


def count_at_most(values: Numbers, threshold: float, exact: int | None = None) -> int:
    """Return how many values are at most a threshold.

    Parameters
    ----------
    values : ndarray of float64, int64 or uint64
        Values, increasing.
    threshold : float
        The threshold with which floats are compared.
    exact : int or None, default=None
        The threshold with which integers are compared; None if it is not known.

    Returns
    -------
    int
        The number of values that are at most the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.thresholds import count_at_most
    >>> count_at_most(np.array([1, 2, 5]), 4.5), count_at_most(np.array([1, 2, 5]), 4.5, 5)
    (2, 3)
    """
    if values.dtype.kind == "f":
        return int(np.searchsorted(values, threshold, side="right"))
    kind = np.iinfo(values.dtype)
    if exact is None:
        if not isfinite(threshold):
            return len(values) if threshold > 0 else 0
        exact = floor(threshold)
    if not kind.min <= exact <= kind.max:
        return len(values) if exact > 0 else 0
    return int(np.searchsorted(values, values.dtype.type(exact), side="right"))


def quantile_cuts(weight: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Choose cuts between values by quantiles of their weight.

    Many quantiles may fall on one value of a large weight. Therefore the number of quantiles is
    increased as long as there are at most `most` different cuts.

    Parameters
    ----------
    weight : ndarray of float64, shape (n_values,)
        Weight of each value; the values are in increasing order.
    most : int
        Largest number of cuts, less than ``n_values - 1``.

    Returns
    -------
    ndarray of intp
        The cuts in increasing order; cut c is between the values c and c + 1.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.thresholds import quantile_cuts
    >>> quantile_cuts(np.array([1.0, 1, 1, 1, 1, 1]), 2)
    array([1, 3])
    >>> quantile_cuts(np.array([20.0, 1, 1, 1, 1, 1]), 2)
    array([0, 2])
    """
    below = np.cumsum(weight)
    chosen = _nearest(below, most + 1)
    low, high = most + 1, FINEST * (most + 1)
    # The number of cuts grows with the number of quantiles, except for ties. A bisection finds one
    # that fits, not always the largest.
    while low + 1 < high and len(chosen) < most:
        middle = (low + high) // 2
        cuts = _nearest(below, middle)
        if len(cuts) <= most:
            low, chosen = middle, cuts
        else:
            high = middle
    return chosen


def _nearest(below: NDArray[np.float64], parts: int) -> NDArray[np.intp]:
    """Return the cuts that divide the weight as nearly as possible into equal parts."""
    aims = np.arange(1, parts) * (below[-1] / parts)
    above = np.clip(np.searchsorted(below, aims), 0, len(below) - 2)
    under = np.maximum(above - 1, 0)
    closer = aims - below[under] <= below[above] - aims
    return np.unique(np.where(closer, under, above))

"""Choosing thresholds between the values of a column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# There are at most this many times more quantiles than thresholds, if many quantiles coincide.
FINEST = 64


def midpoints(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a threshold between every two neighbouring values.

    Parameters
    ----------
    values : ndarray of float32, shape (n_values,)
        Distinct values, increasing.

    Returns
    -------
    ndarray of float32, shape (n_values - 1,)
        For neighbours a and b the number halfway between them, rounded to float32, or a if it
        would be rounded to b. So a row goes left exactly if its value is at most a.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.thresholds import midpoints
    >>> midpoints(np.array([1, 2, 5], dtype=np.float32))
    array([1.5, 3.5], dtype=float32)
    """
    low, high = values[:-1], values[1:]
    middle = ((low.astype(np.float64) + high) / 2).astype(np.float32)
    return np.where(middle >= high, low, middle)


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

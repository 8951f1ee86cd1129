"""Thresholds for programs that compare doubles, where `predict` compares float32 numbers."""

from __future__ import annotations

import numpy as np

from beamtree.export._model import Model

# Every integer below this is a float32 number.
INTEGERS = 2.0**24
# The number that would follow the largest float32 if there were one more exponent.
BEYOND = 2.0**128


def largest_double(threshold: float) -> float:
    """Return the largest double that, rounded to float32, is at most the threshold.

    A double is at most this result exactly if `predict`, which rounds it to float32 first, finds it
    to be at most the threshold.

    Parameters
    ----------
    threshold : float
        A finite float32.

    Returns
    -------
    float
        The midpoint of the threshold and the next float32 if it is rounded down, or the largest
        double below that midpoint.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.export._double_thresholds import largest_double
    >>> largest_double(0.5), largest_double(np.float32(0.1))
    (0.5000000298023224, 0.1000000052154064)
    """
    exact = np.float32(threshold)
    with np.errstate(over="ignore", under="ignore"):
        after = float(np.nextafter(exact, np.float32(np.inf)))
    middle = (float(exact) + min(after, BEYOND)) / 2.0
    with np.errstate(over="ignore", under="ignore"):
        rounded = np.float32(middle)
    return middle if rounded <= exact else float(np.nextafter(middle, -np.inf))


def double_threshold(model: Model, node: int) -> float:
    """Return the number with which a node compares a double.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        A node that tests a finite threshold.

    Returns
    -------
    float
        The threshold itself if the column has only integers, otherwise its `largest_double`.
    """
    threshold = float(model.tree.threshold[node])
    if model.columns.integral[model.tree.feature[node]] and abs(threshold) < INTEGERS:
        return threshold
    return largest_double(threshold)

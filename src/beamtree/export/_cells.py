"""Thresholds of float32, for those who compare doubles."""

from __future__ import annotations

import numpy as np

from beamtree.export._model import Model

# Below it every integer is a float32.
INTEGERS = 2.0**24
# What would follow the largest float32, if the exponent went on.
BEYOND = 2.0**128


def largest_double(threshold: float) -> float:
    """Return the largest double that a float32 rounds to a value of at most the threshold.

    So a double is at most the result where its float32 is at most the threshold, which is what
    `predict` compares.

    Parameters
    ----------
    threshold : float
        A finite float32.

    Returns
    -------
    float
        The middle between the threshold and the next float32, if that is rounded down; otherwise
        the double before it.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.export._cells import largest_double
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
    """Return what a double is compared with at a node.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        A node that tests a finite threshold.

    Returns
    -------
    float
        The threshold itself where the column has integers, otherwise `largest_double` of it.
    """
    threshold = float(model.tree.threshold[node])
    if model.columns.integral[model.tree.feature[node]] and abs(threshold) < INTEGERS:
        return threshold
    return largest_double(threshold)

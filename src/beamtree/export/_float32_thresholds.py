"""Thresholds for systems that round numbers to float32 before they compare them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beamtree._table.wording import exact_words
from beamtree._util.float32 import rounded_down
from beamtree.export._model import Model


def float32_thresholds(model: Model, system: str) -> NDArray[np.float64]:
    """Return thresholds that separate the training values after they are rounded to float32.

    Parameters
    ----------
    model : Model
        The tree.
    system : str
        Name of the system that rounds numbers, for the error.

    Returns
    -------
    ndarray of float64, shape (node_count,)
        The thresholds, which float32 holds exactly. For a leaf and for a test of categories they
        are those of the tree.

    Raises
    ------
    ValueError
        If the values on both sides of a threshold are the same float32; the message names them.
    """
    tree = model.tree
    result = tree.threshold.copy()
    for node in np.flatnonzero((tree.feature >= 0) & np.isfinite(tree.threshold)).tolist():
        below, above = tree.value_below[node], tree.value_above[node]
        if below is None or above is None:
            result[node] = rounded_down(float(tree.threshold[node]))
            continue
        found = float32_threshold(float(tree.threshold[node]), below, above)
        if found is None:
            name = model.columns.names[tree.feature[node]]
            msg = (
                f"{system} compares float32 numbers, and the tree separates two values of column "
                f"{name!r} that are the same float32: {exact_words(below)} and "
                f"{exact_words(above)}. Subtract a constant from the column, or rescale it, "
                "before fit; or use to_json, to_sql or to_python"
            )
            raise ValueError(msg)
        result[node] = found
    return result


def float32_threshold(threshold: float, below: float, above: float) -> float | None:
    """Return a float32 that separates two values after they are rounded to float32.

    Parameters
    ----------
    threshold : float
        The threshold between the two values.
    below, above : float or int
        The largest value that goes left, and the smallest that goes right.

    Returns
    -------
    float or None
        The nearest such float32 to the threshold; None if there is none.

    Examples
    --------
    >>> from beamtree.export._float32_thresholds import float32_threshold
    >>> float32_threshold(0.5, 0, 1), float32_threshold(20240115.5, 20240115, 20240116)
    (0.5, None)
    """
    # An integer may be rounded to float32 directly, or be rounded to float64 first.
    low = max(_direct(below), _rounded(float(below)))
    high = min(_direct(above), _rounded(float(above)))
    if low >= high:
        return None
    last = np.nextafter(high, np.float32(-np.inf))
    return float(min(max(_rounded(threshold), low), last))


def _direct(value: float) -> np.float32:
    with np.errstate(over="ignore", under="ignore"):
        return np.float32(np.array(value).astype(np.float32))


def _rounded(value: float) -> np.float32:
    with np.errstate(over="ignore", under="ignore"):
        return np.float32(value)

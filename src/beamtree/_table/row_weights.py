"""Checking the weights of rows, and finding the rows of positive weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight


def checked_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return the weights of rows as an array, after checking them.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), number or None
        Weights of the rows.
    n_rows : int
        Number of rows.

    Returns
    -------
    ndarray of float64, shape (n_rows,), or None
        Weights of at least 0, which are not all 0; None if no weights were given.
    """
    if sample_weight is None:
        return None
    weight: NDArray[np.float64] = _check_sample_weight(
        sample_weight, np.empty(n_rows), dtype=np.float64, ensure_non_negative=True
    )
    if not weight.any():
        msg = "sample_weight must have a positive value, got zeros only"
        raise ValueError(msg)
    return weight


def positive_rows(weight: NDArray[np.float64] | None) -> NDArray[np.bool_] | None:
    """Return which rows have a positive weight.

    Parameters
    ----------
    weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows; None for weights of 1.

    Returns
    -------
    ndarray of bool, shape (n_rows,), or None
        True for rows of positive weight; None if all rows have a positive weight.
    """
    if weight is None or weight.min() > 0.0:
        return None
    return weight > 0.0

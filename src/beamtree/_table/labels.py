"""Checking the labels of rows, and encoding them as integers."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length

# Integer labels in a range below this are counted in an array, which is faster than sorting them.
COUNTED_RANGE = 1 << 16


def checked_labels(y: Any, n_rows: int, estimator: Any) -> NDArray[Any]:
    """Return the labels of rows as an array, after checking them.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels of any kind.
    n_rows : int
        Number of rows.
    estimator : estimator or str
        The estimator that needs the labels, or its name, for errors.

    Returns
    -------
    ndarray of shape (n_rows,)
        One label per row.

    Raises
    ------
    ValueError
        If there are no labels, if one is missing, or if they are not classes.
    """
    if y is None:
        name = estimator if isinstance(estimator, str) else type(estimator).__name__
        msg = f"{name} requires y to be passed, but the target y is None"
        raise ValueError(msg)
    missing = first_missing_label(y)
    if missing is not None:
        msg = f"y must have a label in every row, and the label of row {missing} is missing"
        raise ValueError(msg)
    labels: NDArray[Any] = _check_y(y, estimator=estimator)
    check_consistent_length(np.empty(n_rows), labels)
    if not _are_plain_classes(labels):
        check_classification_targets(labels)
    return labels


def _are_plain_classes(labels: NDArray[Any]) -> bool:
    """Return whether labels are obviously classes, so that nobody has to sort them to find out.

    These are integers in a range that is small beside their number. scikit-learn would accept them
    without a warning, because at most half of them differ.
    """
    if labels.dtype.kind not in "iu" or labels.ndim != 1:
        return False
    return int(labels.max()) - int(labels.min()) < len(labels) // 2


def first_missing_label(y: Any) -> int | None:
    """Return the first row whose label is missing.

    The error of scikit-learn for missing labels would not name the row.

    Parameters
    ----------
    y : array-like
        Labels of any kind.

    Returns
    -------
    int or None
        The number of the row, or None if no label is missing. Only labels of pandas and arrays of
        objects are examined.
    """
    if hasattr(y, "isna"):
        missing = np.asarray(y.isna(), dtype=np.bool_)
    else:
        labels = np.asarray(y)
        if labels.dtype != object or labels.ndim != 1:
            return None
        nothing = (value is None or (isinstance(value, float) and isnan(value)) for value in labels)
        missing = np.fromiter(nothing, dtype=np.bool_, count=len(labels))
    return int(missing.argmax()) if missing.ndim == 1 and missing.any() else None


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted distinct labels, and the position of each row's label among them.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels of one type that can be sorted.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The distinct labels.
    codes : ndarray of int32, shape (n_rows,)
        ``classes[codes]`` equals `y`.
    """
    if y.dtype.kind in "iu":
        low = y.min()
        if int(y.max()) - int(low) < COUNTED_RANGE:
            offsets = y.astype(np.int64) - low.astype(np.int64)
            present = np.bincount(offsets) > 0
            classes = (np.flatnonzero(present) + low.astype(np.int64)).astype(y.dtype)
            codes = (np.cumsum(present) - 1).astype(np.int32)
            return classes, codes[offsets]
    classes, inverse = np.unique(y, return_inverse=True)
    return classes, inverse.astype(np.int32)

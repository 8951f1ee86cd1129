"""Weights of classes, by which the weights of their rows are multiplied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def weigh_classes(
    class_weight: Mapping[Any, float] | str | None,
    codes: NDArray[np.int32],
    classes: NDArray[Any],
    sample_weight: NDArray[np.float64] | None,
    count: NDArray[np.int64] | None = None,
) -> NDArray[np.float64] | None:
    """Multiply the weights of the rows by those of their classes.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        The setting, which has been checked.
    codes : ndarray of int32, shape (n_rows,)
        Positions of the labels in `classes`.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    sample_weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows; None for weights of 1.
    count : ndarray of int64, shape (n_rows,), or None, default=None
        For how many rows each row stands, all of which have its weight; None for one.

    Returns
    -------
    ndarray of float64, shape (n_rows,), or None
        The products.

    Raises
    ------
    ValueError
        If a dict leaves out a label of the data and names a label that the data lack, or if no row
        is left with a positive weight.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.class_weight import weigh_classes
    >>> weigh_classes("balanced", np.array([0, 0, 0, 1]), np.array(["no", "yes"]), None)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is None:
        return sample_weight
    factor = factors_of(class_weight, codes, classes, sample_weight, count)
    weight: NDArray[np.float64] = factor[codes]
    if sample_weight is not None:
        weight = weight * sample_weight
    if not weight.any():
        msg = f"class_weight must leave a row with a positive weight, got {class_weight!r}"
        raise ValueError(msg)
    return weight


def factors_of(
    class_weight: Mapping[Any, float] | str | None,
    codes: NDArray[np.int32],
    classes: NDArray[Any],
    sample_weight: NDArray[np.float64] | None,
    count: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Return the number by which the weights of the rows of each class are multiplied.

    Parameters
    ----------
    class_weight, codes, classes, sample_weight, count
        As in `weigh_classes`.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        The factors.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        return _balanced(codes, len(classes), sample_weight, count)
    return _given(class_weight, classes)


def _balanced(
    codes: NDArray[np.int32],
    n_classes: int,
    sample_weight: NDArray[np.float64] | None,
    count: NDArray[np.int64] | None,
) -> NDArray[np.float64]:
    """Give every class that has any weight the same share of the total."""
    weight: NDArray[Any] | None = sample_weight
    if count is not None:
        weight = count if sample_weight is None else sample_weight * count
    counts = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    present = counts > 0.0
    factor = np.zeros(n_classes)
    factor[present] = counts.sum() / (present.sum() * counts[present])
    return factor


def _given(class_weight: Mapping[Any, float], classes: NDArray[Any]) -> NDArray[np.float64]:
    labels = classes.tolist()
    lacking = [label for label in labels if label not in class_weight]
    foreign = [label for label in class_weight if label not in labels]
    if lacking and foreign:
        # As in scikit-learn: a dict may leave out labels or name unknown ones, but not both.
        msg = (
            f"class_weight must have the labels of y, {labels}: {foreign} are not labels "
            f"of y, and {lacking} have no weight"
        )
        raise ValueError(msg)
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])

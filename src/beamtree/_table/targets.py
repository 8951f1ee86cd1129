"""Checking the numbers that a tree is to predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_y, check_consistent_length

from beamtree._table.labels import first_missing_label

# The squares of larger numbers may be too large for a float64.
LARGEST = 1e140


def checked_numbers(y: Any, n_rows: int, estimator: Any) -> NDArray[np.float64]:
    """Return the numbers of rows as an array, after checking them.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Numbers.
    n_rows : int
        Number of rows.
    estimator : estimator or str
        The estimator that needs the numbers, or its name, for errors.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
        One number per row.

    Raises
    ------
    ValueError
        If there are no numbers, if one is missing or not finite, or if a row has several.

    Examples
    --------
    >>> from beamtree._table.targets import checked_numbers
    >>> checked_numbers([1, 2.5], 2, "OptimalTreeRegressor")
    array([1. , 2.5])
    """
    name = estimator if isinstance(estimator, str) else type(estimator).__name__
    if y is None:
        msg = f"{name} requires y to be passed, but the target y is None"
        raise ValueError(msg)
    missing = first_missing_label(y)
    if missing is not None:
        msg = f"y must have a number in every row, and the number of row {missing} is missing"
        raise ValueError(msg)
    shape = np.asarray(y).shape
    if len(shape) == 2 and shape[1] > 1:
        msg = (
            f"y must have one number per row, got an array of shape {shape}: fit one "
            f"{name} per output, for example with sklearn.multioutput.MultiOutputRegressor"
        )
        raise ValueError(msg)
    numbers: NDArray[Any] = _check_y(y, y_numeric=True, estimator=estimator)
    check_consistent_length(np.empty(n_rows), numbers)
    if numbers.dtype.kind not in "biuf":
        msg = f"y must have numbers, got values of type {numbers.dtype}"
        raise ValueError(msg)
    numbers = numbers.astype(np.float64)
    if (largest := float(np.abs(numbers).max())) > LARGEST:
        msg = f"y must have numbers from -{LARGEST:g} to {LARGEST:g}, got {largest!r}: scale y"
        raise ValueError(msg)
    return numbers

"""The type of datasets with 0/1 features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class BinaryData(NamedTuple):
    """A table of zeros and ones with one class per row.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_features)
        The features.
    y : ndarray of intp, shape (n_rows,)
        The classes, as positions in `class_names`.
    feature_names : list of str
        For each column, what a 1 means.
    class_names : list of str
        The names of the classes.

    Examples
    --------
    >>> from beamtree.datasets import multiplexer
    >>> data = multiplexer(1)
    >>> data.feature_names, data.X.shape
    (['address0', 'data0', 'data1'], (8, 3))
    """

    X: NDArray[np.uint8]
    y: NDArray[np.intp]
    feature_names: list[str]
    class_names: list[str]

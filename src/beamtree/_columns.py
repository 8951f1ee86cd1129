"""What the columns of a table are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns that a classifier was fitted on.

    Parameters
    ----------
    names : tuple of str
        Names of the columns; ``x0``, ``x1``, ... where they had none.
    categories : tuple of ndarray or None
        For every column its categories, sorted, or None for a column of numbers. Values that are
        no categories are -1 when encoded.
    integral : ndarray of bool, shape (n_columns,)
        Columns of numbers that are all integers.
    binary : ndarray of bool, shape (n_columns,), optional
        Columns of numbers that are all 0 or 1, none of them missing. Without it, what shows a tree
        takes a column of integers that is cut at 0.5 alone for one.
    """

    names: tuple[str, ...]
    categories: tuple[NDArray[Any] | None, ...]
    integral: NDArray[np.bool_]
    binary: NDArray[np.bool_] | None = None

"""A tree as the arrays that the core takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class TreeArrays(NamedTuple):
    """A tree over the tests of a search.

    A leaf has -1 in all three arrays. Children come after their parents.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]

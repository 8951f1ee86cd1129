"""A tree as the core takes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class TreeArrays(NamedTuple):
    """A tree over the tests of a search: children come after their parents, -1 marks leaves."""

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]

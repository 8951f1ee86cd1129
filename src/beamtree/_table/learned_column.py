"""What is learned from one column of a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._table.orders import Groups
from beamtree._table.times import TimeKind
from beamtree._table.values import Numbers

NO_VALUES = np.empty(0)


class RankedColumn(NamedTuple):
    """An order and the ranks of the rows in it; the other parameters are those of `Orders`."""

    rank: NDArray[np.unsignedinteger[Any]]
    low: Numbers = NO_VALUES
    high: Numbers = NO_VALUES
    groups: Groups | None = None
    missing_first: bool = False
    asks_if_missing: bool = False
    time: TimeKind | None = None


class LearnedColumn(NamedTuple):
    """What is learned from one column.

    Parameters
    ----------
    orders : list of RankedColumn
        Its orders.
    possible : int
        Number of tests that the column would have without a limit.
    range : ndarray
        As in `LearnedTests`.
    categories, integral, binary, wide, ordered, has_missing
        As in `Columns`.
    n_categories, n_tested : int
        Number of categories without an order that occur, and of those of them that are tested.
    time : TimeKind or None
        What the integers of the column mean, if it has dates or times.
    """

    orders: list[RankedColumn]
    possible: int
    range: Numbers
    categories: NDArray[Any] | None = None
    integral: bool = False
    binary: bool = False
    wide: bool = False
    ordered: bool = False
    has_missing: bool = False
    n_categories: int = 0
    n_tested: int = 0
    time: TimeKind | None = None

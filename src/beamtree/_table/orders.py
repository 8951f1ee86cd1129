"""The orders of a table, and the tests that their cuts stand for."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.ranks import RankedRows
from beamtree._table.split_tests import SplitTests
from beamtree._table.thresholds import count_at_most, integer_midpoints, midpoints
from beamtree._table.time_thresholds import time_thresholds
from beamtree._table.times import TimeKind
from beamtree._table.values import Numbers, known_rows
from beamtree.tree import Tree

# The core numbers tests with 32 bits.
MOST_TESTS = 2**31 - 1

# The positions that stand for unknown categories and for missing values.
UNKNOWN, MISSING = -1, -2

# The groups of an order of categories: each is a tuple of positions of categories.
Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Orders:
    """The orders of a table; an order is a column whose values are ranked, as in `RankedRows`.

    A column of numbers without missing values is one order, with a cut between every two
    neighbouring values, or between some of them. A column of numbers with missing values is two
    orders: in the first, missing values have the highest rank, and the last cut separates them from
    all known values; in the second, they have the rank of the smallest value. There may be millions
    of tests, so they have no array of their own: they are computed from the values around the cuts.

    In an order of categories, groups of categories are ranked, and every cut is the test whether
    the value is in one of the groups before it. So the test of a single category is an order with
    one group. All other categories, also unknown ones, have the rank after the last group.

    Parameters
    ----------
    column : ndarray of intp, shape (n_orders,)
        The column of each order, increasing.
    groups : sequence of tuple or None
        For each order of categories its groups, in the order of their ranks: each is a tuple of
        positions of categories. None for an order of numbers.
    missing_first : ndarray of bool, shape (n_orders,)
        Whether missing values have the lowest rank.
    asks_if_missing : ndarray of bool, shape (n_orders,)
        Whether the last cut separates known values from missing ones.
    low, high : sequence of ndarray
        For each order of numbers, the values of its column on both sides of every other cut. They
        are empty for an order of categories.
    times : sequence of TimeKind or None, optional
        For each order what its integers mean, if they are dates or times. By default none has them.
    is_binary : bool, default=False
        Whether the table has only zeros and ones, so that every order has one cut between them.
    """

    column: NDArray[np.intp]
    groups: Sequence[Groups | None]
    missing_first: NDArray[np.bool_]
    asks_if_missing: NDArray[np.bool_]
    low: Sequence[Numbers]
    high: Sequence[Numbers]
    times: Sequence[TimeKind | None] = ()
    is_binary: bool = False

    def __post_init__(self) -> None:
        """Refuse more tests than the core can number."""
        if self.n_tests > MOST_TESTS:
            msg = (
                f"X must have at most {MOST_TESTS} tests, got {self.n_tests}; set max_thresholds "
                "to a smaller number"
            )
            raise ValueError(msg)

    @classmethod
    def all_binary(cls, n_columns: int) -> Self:
        """Return the orders of a table of zeros and ones: one per column, with one cut."""
        no = np.zeros(n_columns, dtype=np.bool_)
        zero, one = ([np.full(1, value)] * n_columns for value in (0.0, 1.0))
        groups = [None] * n_columns
        return cls(np.arange(n_columns), groups, no, no, zero, one, is_binary=True)

    def __len__(self) -> int:
        """Return the number of orders."""
        return len(self.column)

    @cached_property
    def cuts(self) -> NDArray[np.int32]:
        """Number of cuts of each order."""
        return self._inner_cuts + self.asks_if_missing.astype(np.int32)

    @cached_property
    def _inner_cuts(self) -> NDArray[np.int32]:
        """Number of cuts of each order, without that between known and missing values."""
        pairs = zip(self.low, self.groups, strict=True)
        return np.array(
            [len(low) if groups is None else len(groups) for low, groups in pairs], dtype=np.int32
        )

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Number of the first test of each order, and at the end the number of all tests."""
        return np.concatenate([[0], np.cumsum(self.cuts, dtype=np.int64)])

    @property
    def n_tests(self) -> int:
        """Number of tests of all orders together."""
        return int(self.first[-1])

    def tests(self, number: NDArray[Any]) -> SplitTests:
        """Return the tests with the given numbers.

        Parameters
        ----------
        number : ndarray of integers, shape (n,)
            Numbers of tests.

        Returns
        -------
        SplitTests
            The tests, in the same order.
        """
        order = np.searchsorted(self.first, number, side="right") - 1
        cut = number - self.first[order]
        threshold = np.full(len(order), np.inf)
        categories, exact, below, above = (np.full(len(order), None, dtype=object) for _ in "1234")
        left = self.missing_first[order].astype(np.uint8)
        if self.is_binary:  # quickly, because there may be very many columns
            threshold[:], below[:], above[:] = 0.5, 0.0, 1.0
            return SplitTests(order, threshold, categories, left, exact, below, above)
        is_inner = cut < self._inner_cuts[order]
        has_groups = np.array([groups is not None for groups in self.groups], dtype=np.bool_)
        for k in np.flatnonzero(is_inner & has_groups[order]).tolist():
            threshold[k] = np.nan
            categories[k] = self._categories(int(order[k]), int(cut[k]))
        is_inner &= ~has_groups[order]
        kinds = np.array([low.dtype.char for low in self.low])
        # All orders with values of one type together, because each call of NumPy takes a while.
        for kind in set(kinds.tolist()):
            inner = np.flatnonzero(is_inner & (kinds[order] == kind))
            if not len(inner):
                continue
            inner = inner[np.argsort(order[inner], kind="stable")]
            used, starts = np.unique(order[inner], return_index=True)
            cuts = np.split(cut[inner], starts[1:])
            under, over = (
                np.concatenate([of[k][some] for k, some in zip(used.tolist(), cuts, strict=True)])
                for of in (self.low, self.high)
            )
            threshold[inner] = midpoints(under, over)
            below[inner], above[inner] = under.tolist(), over.tolist()
            if kind != "d":
                exact[inner] = integer_midpoints(under, over).tolist()
        for k in [k for k, kind in enumerate(self.times) if kind is not None]:
            inner = np.flatnonzero(is_inner & (order == k))
            exact[inner], threshold[inner] = self._time_thresholds(k, cut[inner])
        return SplitTests(self.column[order], threshold, categories, left, exact, below, above)

    def _time_thresholds(
        self, order: int, cut: NDArray[np.int64]
    ) -> tuple[list[int], NDArray[np.float64]]:
        """Return the thresholds of cuts between dates or times, for integers and for floats."""
        kind = self.times[order]
        assert kind is not None
        exact = time_thresholds(self.low[order][cut], self.high[order][cut], kind)
        return exact.tolist(), midpoints(exact, exact + 1)

    def _categories(self, order: int, cut: int) -> tuple[int, ...]:
        """Return the categories before a cut, sorted."""
        groups = self.groups[order] or ()
        return tuple(sorted(chain.from_iterable(groups[: cut + 1])))

    def number(
        self,
        column: int,
        threshold: float,
        exact: int | None = None,
        *,
        missing_go_to_left: bool = False,
    ) -> int | None:
        """Return the number of the test that splits a column at a threshold.

        Parameters
        ----------
        column : int
            A column of numbers.
        threshold, exact
            The threshold, as in `count_at_most`.
        missing_go_to_left : bool, default=False
            Whether missing values pass the test. It does not matter if there are none.

        Returns
        -------
        int or None
            Number of the test whose cut is between the same two values; None if no cut is there.
        """
        for order in self._orders_of(column):
            has_missing = self.asks_if_missing[order] or self.missing_first[order]
            if has_missing and bool(self.missing_first[order]) != missing_go_to_left:
                continue
            low, high = self.low[order], self.high[order]
            cut = count_at_most(low, threshold, exact) - 1
            if cut >= 0 and count_at_most(high[cut : cut + 1], threshold, exact) == 0:
                return int(self.first[order]) + cut
        return None

    def number_of_categories(
        self, column: int, passing: Set[int], occurring: Set[int]
    ) -> int | None:
        """Return the number of the test that separates some categories from the others.

        Parameters
        ----------
        column : int
            A column of categories.
        passing : set
            Positions of the categories that pass the test, and `MISSING` if missing values do.
        occurring : set
            All positions that the rows have, as `positions_of` returns them. What does not occur
            may be on either side.

        Returns
        -------
        int or None
            Number of the test; None if there is no such test.
        """
        for order in self._orders_of(column):
            passed = {MISSING} & occurring if self.missing_first[order] else set()
            for cut, group in enumerate(self.groups[order] or ()):
                passed |= occurring & set(group)
                if passed == passing:
                    return int(self.first[order]) + cut
            if self.asks_if_missing[order] and passing == occurring - {MISSING}:
                return int(self.first[order + 1]) - 1
        return None

    def number_of_missing(self, column: int) -> int | None:
        """Return the number of the test whether a value is missing, or None without such a test."""
        return next(
            (
                int(self.first[k + 1]) - 1
                for k in self._orders_of(column)
                if self.asks_if_missing[k]
            ),
            None,
        )

    def _orders_of(self, column: int) -> range:
        start, end = np.searchsorted(self.column, [column, column + 1]).tolist()
        return range(start, end)

    def tree_over_columns(self, tree: Tree, n_columns: int) -> Tree:
        """Return a tree over tests as a tree over the columns of X.

        Parameters
        ----------
        tree : Tree
            A tree whose features are numbers of tests.
        n_columns : int
            Number of columns of X.

        Returns
        -------
        Tree
            The tree, with columns, thresholds and categories in place of tests.
        """
        inner = tree.feature >= 0
        tests = self.tests(tree.feature[inner])
        arrays = {
            name: getattr(tree, name).copy()
            for name in (
                "threshold",
                "categories",
                "missing_go_to_left",
                "exact_threshold",
                "value_below",
                "value_above",
            )
        }
        for name, array in arrays.items():
            array[inner] = getattr(tests, name)
        feature = tree.feature.copy()
        feature[inner] = tests.column
        return replace(tree, feature=feature, n_features=n_columns, **arrays)

    def rank(self, encoded: Sequence[NDArray[Any]]) -> RankedRows:
        """Return the ranks of any rows, which need not be those on which the orders were learned.

        Parameters
        ----------
        encoded : sequence of ndarray
            The columns of the rows, as `Columns.encode` returns them.

        Returns
        -------
        RankedRows
            The ranks. A value between two values of the order is on the side of its threshold.
        """
        n_rows = len(encoded[0])
        rank = np.empty((len(self), n_rows), dtype=np.uint32)
        tests = self.tests(np.arange(self.n_tests))
        for order, column in enumerate(self.column.tolist()):
            values = encoded[column]
            groups = self.groups[order]
            if groups is not None:
                positions = positions_of(values)
                rank[order] = rank_in_groups(positions, groups, self.missing_rank(order))
                continue
            some = slice(int(self.first[order]), int(self.first[order]) + len(self.low[order]))
            keys: Any = tests.threshold[some]
            if values.dtype.kind != "f" and self.low[order].dtype.kind != "f":
                keys = tests.exact_threshold[some].astype(self.low[order].dtype)
            rank[order] = np.searchsorted(keys, np.ma.getdata(values))
            known = known_rows(values)
            if known is not None:
                rank[order, ~known] = self.missing_rank(order)
        return RankedRows(rank, self.cuts)

    def missing_rank(self, order: int) -> int:
        """Return the rank of missing values in an order."""
        return 0 if self.missing_first[order] else int(self.cuts[order])


def positions_of(codes: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the categories of a column.

    Parameters
    ----------
    codes : ndarray of float64, shape (n_rows,)
        The column, as `Columns.encode` returns it.

    Returns
    -------
    ndarray of intp, shape (n_rows,)
        The positions: `UNKNOWN` for an unknown category, and `MISSING` for a missing value.
    """
    return np.where(np.isnan(codes), MISSING, codes).astype(np.intp)


def rank_in_groups(
    positions: NDArray[np.intp], groups: Groups, missing_rank: int
) -> NDArray[np.unsignedinteger[Any]]:
    """Return the ranks of a column of categories in an order.

    Parameters
    ----------
    positions : ndarray of intp, shape (n_rows,)
        The categories of the rows, as `positions_of` returns them.
    groups : tuple of tuples of int
        The groups of the order, as in `Orders`.
    missing_rank : int
        The rank of missing values.

    Returns
    -------
    ndarray of unsigned integers, shape (n_rows,)
        The number of the group that has the category; the number of groups if none has it. The type
        is as small as possible.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.orders import rank_in_groups
    >>> rank_in_groups(np.array([0, 1, 2, -1, -2]), ((0, 2), (1,)), 3)
    array([0, 1, 0, 2, 3], dtype=uint8)
    """
    highest = max(chain.from_iterable(groups), default=-1)
    highest = max(highest, int(positions.max(initial=-1)))
    # The elements at UNKNOWN and MISSING are the last two.
    rank_of = np.full(highest + 3, len(groups), dtype=np.min_scalar_type(len(groups) + 1))
    for number, group in enumerate(groups):
        rank_of[list(group)] = number
    rank_of[MISSING] = missing_rank
    return rank_of[positions]

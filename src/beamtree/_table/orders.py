"""The orders of a table, and the tests that their cuts stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.ranks import RankedRows
from beamtree._table.split_tests import SplitTests
from beamtree._table.thresholds import count_at_most, integer_midpoints, midpoints
from beamtree._table.values import Numbers, known_rows
from beamtree.tree import Tree

# The core numbers tests with 32 bits.
MOST_TESTS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Orders:
    """The orders of a table; an order is a column whose values are ranked, as in `RankedRows`.

    A column of numbers without missing values is one order, with a cut between every two
    neighbouring values, or between some of them. A column of numbers with missing values is two
    orders: in the first, missing values have the highest rank, and the last cut separates them from
    all known values; in the second, they have the rank of the smallest value. The test of a
    category is an order with one cut, and so is the test whether a category is missing. There may
    be millions of tests, so they have no array of their own: they are computed from the values
    around the cuts.

    Parameters
    ----------
    column : ndarray of intp, shape (n_orders,)
        The column of each order, increasing.
    category : ndarray of intp, shape (n_orders,)
        The position of the tested category, or -1 if the order does not test a category.
    missing_first : ndarray of bool, shape (n_orders,)
        Whether missing values have the lowest rank.
    asks_if_missing : ndarray of bool, shape (n_orders,)
        Whether the last cut separates known values from missing ones.
    low, high : sequence of ndarray
        For each order, the values of its column on both sides of every other cut. They are empty if
        the order tests a category.
    is_binary : bool, default=False
        Whether the table has only zeros and ones, so that every order has one cut between them.
    """

    column: NDArray[np.intp]
    category: NDArray[np.intp]
    missing_first: NDArray[np.bool_]
    asks_if_missing: NDArray[np.bool_]
    low: Sequence[Numbers]
    high: Sequence[Numbers]
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
        none = np.full(n_columns, -1, dtype=np.intp)
        zero, one = ([np.full(1, value)] * n_columns for value in (0.0, 1.0))
        return cls(np.arange(n_columns), none, no, no, zero, one, is_binary=True)

    def __len__(self) -> int:
        """Return the number of orders."""
        return len(self.column)

    @cached_property
    def cuts(self) -> NDArray[np.int32]:
        """Number of cuts of each order."""
        known = np.array([len(low) for low in self.low], dtype=np.int32)
        return known + ((self.category >= 0) | self.asks_if_missing).astype(np.int32)

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
        category = self.category[order]
        threshold = np.where(category >= 0, np.nan, np.inf)
        exact, below, above = (np.full(len(order), None, dtype=object) for _ in range(3))
        left = self.missing_first[order].astype(np.uint8)
        if self.is_binary:  # quickly, because there may be very many columns
            threshold[:], below[:], above[:] = 0.5, 0.0, 1.0
            return SplitTests(order, threshold, category, left, exact, below, above)
        known = np.array([len(low) for low in self.low], dtype=np.intp)
        is_inner = cut < known[order] if len(order) else np.zeros(0, dtype=np.bool_)
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
        return SplitTests(self.column[order], threshold, category, left, exact, below, above)

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

    def number_of_category(self, column: int, category: int) -> int | None:
        """Return the number of the test of a category, None if it has no test."""
        return next(
            (int(self.first[k]) for k in self._orders_of(column) if self.category[k] == category),
            None,
        )

    def number_of_missing(self, column: int) -> int | None:
        """Return the number of the test whether a value is missing, None if there is none."""
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
                "category",
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
            if self.category[order] >= 0:
                rank[order] = values != self.category[order]
                continue
            some = slice(int(self.first[order]), int(self.first[order]) + len(self.low[order]))
            keys: Any = tests.threshold[some]
            if values.dtype.kind != "f" and self.low[order].dtype.kind != "f":
                keys = tests.exact_threshold[some].astype(self.low[order].dtype)
            rank[order] = np.searchsorted(keys, np.ma.getdata(values))
            known = known_rows(values)
            if known is not None:
                rank[order, ~known] = 0 if self.missing_first[order] else self.cuts[order]
        return RankedRows(rank, self.cuts)

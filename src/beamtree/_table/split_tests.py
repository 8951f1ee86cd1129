"""The tests from which a search chooses the splits of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.values import BLOCK
from beamtree._table.wording import words_of_test
from beamtree.tree import Tree

# Up to this many thresholds of a column, a table of all possible results is made.
FEW = 64


class _Group(NamedTuple):
    """Tests of one column that are evaluated together: all thresholds, or all categories."""

    tests: slice
    column: int
    keys: NDArray[np.float32]
    is_category: bool

    def fails(self, values: NDArray[np.float32]) -> NDArray[Any]:
        """Return an array with one row per value and one column per test: 1 if the test fails."""
        if self.is_category:
            return np.not_equal(values[:, np.newaxis], self.keys)
        size = len(self.keys)
        if size > FEW:
            return np.logical_not(values[:, np.newaxis] <= self.keys)
        # The thresholds are sorted, so the number of those that fail determines which ones fail. A
        # NaN fails all. Counting them, and looking up the row of the table, is faster than
        # comparing row by row.
        failed = ~(values <= self.keys[:, np.newaxis])
        count = failed.view(np.uint8).sum(axis=0, dtype=np.uint8)
        table: NDArray[np.uint8] = np.tri(size + 1, size, -1, dtype=np.uint8)
        answers: NDArray[np.uint8] = table.take(count, axis=0)
        return answers


@dataclass(frozen=True, eq=False)
class SplitTests:
    """Tests of columns, ordered by column.

    A test holds if the value is at most the threshold, or if it is the category; otherwise it
    fails. Every test fails for a missing value, so the threshold infinity separates known values
    from missing ones.

    Parameters
    ----------
    column : ndarray of intp, shape (n_tests,)
        The tested column.
    threshold : ndarray of float64, shape (n_tests,)
        The threshold, which is a float32 number, or NaN for the test of a category.
    category : ndarray of intp, shape (n_tests,)
        Position of the category among those of the column, or -1 for a threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.split_tests import SplitTests
    >>> tests = SplitTests(np.array([0, 0]), np.array([1.5, np.inf]), np.array([-1, -1]))
    >>> tests.fails(np.array([[1], [2], [np.nan]], dtype=np.float32))
    array([[0, 0],
           [1, 0],
           [1, 1]], dtype=uint8)
    """

    column: NDArray[np.intp]
    threshold: NDArray[np.float64]
    category: NDArray[np.intp]

    @classmethod
    def all_binary(cls, n_columns: int) -> Self:
        """Return the tests of a table of zeros and ones: one per column."""
        column = np.arange(n_columns)
        return cls(column, np.full(n_columns, 0.5), np.full(n_columns, -1, dtype=np.intp))

    @classmethod
    def join(
        cls, thresholds: Sequence[NDArray[Any]], categories: Sequence[NDArray[np.intp]]
    ) -> Self:
        """Return the tests of all columns, given the thresholds and categories of each column."""
        count = [
            len(ours) + len(theirs) for ours, theirs in zip(thresholds, categories, strict=True)
        ]
        pieces = [
            (
                np.concatenate([np.full(len(theirs), np.nan), ours]),
                np.concatenate([theirs, np.full(len(ours), -1, dtype=np.intp)]),
            )
            for ours, theirs in zip(thresholds, categories, strict=True)
        ]
        threshold, category = (np.concatenate(part) for part in zip(*pieces, strict=True))
        return cls(np.repeat(np.arange(len(count)), count), threshold, category)

    def __len__(self) -> int:
        """Return the number of tests."""
        return len(self.column)

    @property
    def asks_if_missing(self) -> NDArray[np.bool_]:
        """Whether each test separates known values from missing ones."""
        return np.isposinf(self.threshold)

    def fails(self, encoded: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return which tests fail for which rows; these rows go right.

        Parameters
        ----------
        encoded : ndarray of float32, shape (n_rows, n_columns)
            Rows, as `Columns.encode` returns them.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_tests)
            1 if the test fails for the row, C-contiguous.
        """
        right = np.empty((len(encoded), len(self)), dtype=np.uint8)
        groups = self._groups()
        for start in range(0, len(encoded), BLOCK):
            rows = slice(start, start + BLOCK)
            for group in groups:
                right[rows, group.tests] = group.fails(encoded[rows, group.column])
        return right

    def _groups(self) -> list[_Group]:
        """Return one group for the thresholds, and one for the categories, of each column."""
        is_category = self.category >= 0
        change = (np.diff(self.column) != 0) | (np.diff(is_category) != 0)
        ends = [*(np.flatnonzero(change) + 1).tolist(), len(self)]
        return [
            self._group(slice(start, end), is_category=bool(is_category[start]))
            for start, end in pairwise([0, *ends])
            if end > start
        ]

    def _group(self, tests: slice, *, is_category: bool) -> _Group:
        keys = (self.category if is_category else self.threshold)[tests].astype(np.float32)
        return _Group(tests, int(self.column[tests.start]), keys, is_category)

    def tree_over_columns(self, tree: Tree, n_columns: int) -> Tree:
        """Return a tree over tests as a tree over the columns of X.

        Parameters
        ----------
        tree : Tree
            A tree whose features are positions of tests.
        n_columns : int
            Number of columns of X.

        Returns
        -------
        Tree
            The tree, with columns, thresholds and categories in place of tests.
        """
        inner = tree.feature >= 0
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        category = tree.category.copy()
        test = tree.feature[inner]
        feature[inner], threshold[inner] = self.column[test], self.threshold[test]
        category[inner] = self.category[test]
        return replace(
            tree, feature=feature, threshold=threshold, category=category, n_features=n_columns
        )

    def words(self, columns: Columns) -> list[str]:
        """Return the tests in words.

        Parameters
        ----------
        columns : Columns
            The columns of the table.

        Returns
        -------
        list of str
            For example ``"age <= 34.5"``, ``"colour == red"``, ``"age is missing"``. No two are
            equal.
        """
        arrays = (self.column, self.threshold, self.category)
        tests = list(zip(*(array.tolist() for array in arrays), strict=True))
        words = [words_of_test(columns, *test).holds for test in tests]
        times = Counter(words)
        # Neighbouring thresholds may be equal when rounded.
        return [
            short if times[short] == 1 else words_of_test(columns, *test, exact=True).holds
            for short, test in zip(words, tests, strict=True)
        ]

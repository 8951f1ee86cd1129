"""Finding the tests of a search that correspond to the splits of a given tree."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._resume.given_tree import GivenTree, refuse
from beamtree._table.training_data import TrainingData


class MatchedTest(NamedTuple):
    """The test of a search that corresponds to a node of a tree.

    Parameters
    ----------
    test : int or None
        Number of the test; -1 if all rows go to the child `yes`, None if there is no such test.
    yes, no : int
        The children for rows that pass and that fail the test.
    """

    test: int | None
    yes: int
    no: int


class TestMatcher:
    """Finds the tests of a search that correspond to the nodes of a tree.

    Parameters
    ----------
    given : GivenTree
        The tree.
    data : TrainingData
        The rows and tests of the search.
    """

    def __init__(self, given: GivenTree, data: TrainingData) -> None:
        self._given, self._data = given, data
        tests = data.tests
        is_category = tests.category >= 0
        keys = np.where(is_category, tests.category, tests.threshold).tolist()
        named = zip(tests.column.tolist(), is_category.tolist(), keys, strict=True)
        self._number = {test: number for number, test in enumerate(named)}

    def match(self, node: int) -> MatchedTest:
        """Return the test that corresponds to an inner node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        MatchedTest
            The test and its two children.
        """
        tree = self._given.tree
        column, threshold = int(tree.feature[node]), float(tree.threshold[node])
        yes, no = int(tree.children_left[node]), int(tree.children_right[node])
        known = self._data.columns.categories[column]
        if self._given.category(node) >= 0:
            if known is None:
                self._refuse_kind(node, column, "categories", "numbers")
            return self._of_category(column, known, self._given.value(node), yes, no)
        if known is not None and threshold < inf:
            self._refuse_kind(node, column, "numbers", "categories")
        place = self._equivalent_threshold(column, threshold)
        if place is None:
            return MatchedTest(None, yes, no)
        if abs(place) < inf:
            return MatchedTest(self._number.get((column, False, place)), yes, no)
        # All known values go the same way; missing values may go the other way.
        first, second = (yes, no) if place > 0.0 else (no, yes)
        missing = yes if self._given.sends_missing_left(node) else no
        test = self._number.get((column, False, inf))
        return MatchedTest(-1 if test is None or missing == first else test, first, second)

    def _of_category(
        self, column: int, known: NDArray[Any], value: Any, yes: int, no: int
    ) -> MatchedTest:
        categories = known.tolist()
        if value not in categories:
            return MatchedTest(-1, no, yes)
        position = categories.index(value)
        test = self._number.get((column, True, position))
        if test is not None:
            return MatchedTest(test, yes, no)
        if len(categories) == 2:  # the test of the other category has the opposite answers
            return MatchedTest(self._number.get((column, True, 1 - position)), no, yes)
        return MatchedTest(self._number.get((column, False, inf), -1), yes, no)

    def _equivalent_threshold(self, column: int, threshold: float) -> float | None:
        """Return the equivalent threshold of the search, None if there is none.

        It is plus or minus infinity if the given threshold lies above or below all values.
        """
        if self._data.columns.categories[column] is not None:
            return inf
        if self._data.equivalent_thresholds is None:  # zeros and ones
            return 0.5 if 0.0 <= threshold < 1.0 else inf if threshold >= 1.0 else -inf
        itself = threshold if (column, False, threshold) in self._number else None
        return self._data.equivalent_thresholds.get((column, threshold), itself)

    def _refuse_kind(self, node: int, column: int, theirs: str, ours: str) -> NoReturn:
        name = self._data.columns.names[column]
        refuse(f"its node {node} tests column {name!r} for {theirs}, and X has {ours} there")

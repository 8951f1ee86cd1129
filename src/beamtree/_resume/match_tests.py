"""Finding the tests of a search that correspond to the splits of a given tree."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, NoReturn

from numpy.typing import NDArray

from beamtree._resume.given_tree import GivenTree, refuse
from beamtree._table.orders import MISSING
from beamtree._table.thresholds import count_at_most
from beamtree._table.times import TimeKind, are_comparable
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
        self._orders = data.orders

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
        column = int(tree.feature[node])
        yes, no = int(tree.children_left[node]), int(tree.children_right[node])
        known = self._data.columns.categories[column]
        missing_left = self._given.sends_missing_left(node)
        if self._given.tests_categories(node):
            if known is None:
                self._refuse_kind(node, column, "categories", "numbers")
            return self._of_categories(node, column, known, missing_left=missing_left)
        ours, theirs = self._data.columns.times[column], self._given.time(node)
        threshold = self._given.threshold(node, ours)
        if threshold[0] < inf:
            if known is not None:
                what = "numbers" if theirs is None else theirs.words
                self._refuse_kind(node, column, what, "categories")
            self._check_times(node, column, theirs, ours)
        values = self._data.ranges[column]
        above = 0 if known is not None else count_at_most(values, *threshold)
        if 0 < above < len(values):
            number = self._orders.number(column, *threshold, missing_go_to_left=missing_left)
            return MatchedTest(number, yes, no)
        # All known values go the same way; missing values may go the other way.
        all_left = known is not None or (above > 0 if len(values) else missing_left)
        first, second = (yes, no) if all_left else (no, yes)
        test = self._orders.number_of_missing(column)
        same_side = missing_left == all_left
        return MatchedTest(-1 if test is None or same_side else test, first, second)

    def _of_categories(
        self, node: int, column: int, known: NDArray[Any], *, missing_left: bool
    ) -> MatchedTest:
        tree = self._given.tree
        yes, no = int(tree.children_left[node]), int(tree.children_right[node])
        tested = set(self._given.values(node))
        left = {position for position, value in enumerate(known.tolist()) if value in tested}
        if missing_left:
            left.add(MISSING)
        occurring = set(self._data.ranges[column].tolist())
        left &= occurring
        if not left:
            return MatchedTest(-1, no, yes)
        if left == occurring:
            return MatchedTest(-1, yes, no)
        test = self._orders.number_of_categories(column, left, occurring)
        if test is not None:
            return MatchedTest(test, yes, no)
        # The test of the other categories has the opposite answers.
        return MatchedTest(
            self._orders.number_of_categories(column, occurring - left, occurring), no, yes
        )

    def _check_times(
        self, node: int, column: int, theirs: TimeKind | None, ours: TimeKind | None
    ) -> None:
        """Refuse a threshold that X has in another kind, if the kind of the tree is known."""
        if theirs is None and (ours is None or not self._given.has_columns):
            return
        if theirs is None or ours is None or not are_comparable(theirs, ours):
            words = ["numbers" if kind is None else kind.words for kind in (theirs, ours)]
            self._refuse_kind(node, column, *words)

    def _refuse_kind(self, node: int, column: int, theirs: str, ours: str) -> NoReturn:
        name = self._data.columns.names[column]
        refuse(f"its node {node} tests column {name!r} for {theirs}, and X has {ours} there")

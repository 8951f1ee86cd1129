"""Why the tree begins with its first test: what the search knows about other first tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.split_tests import SplitTests
from beamtree._table.wording import asks_for_one, words_of_test
from beamtree.tree import exact_number

__all__ = ["Alternative", "Alternatives"]

ALTERNATIVE_DTYPE = np.dtype(
    [
        ("column", np.intp),
        ("threshold", np.float64),
        ("categories", object),
        ("missing_go_to_left", np.uint8),
        ("exact_threshold", object),
        ("value_below", object),
        ("value_above", object),
        ("objective", np.float64),
        ("lower_bound", np.float64),
    ]
)
# The fields that are those of the test.
TEST = tuple(ALTERNATIVE_DTYPE.fields or ())[:-2]
# The number of alternatives that a repr shows.
MOST = 10


class Alternative(NamedTuple):
    """A possible first test, with an upper and a lower bound of the objective.

    Parameters
    ----------
    test : str
        The test, as the question that the text and the picture of the tree ask.
    objective : float
        Objective of the best tree found that begins with this test.
    lower_bound : float
        No tree that begins with this test has a smaller objective.

    Examples
    --------
    >>> from beamtree import Alternative
    >>> Alternative("age <= 34.5?", objective=12.0, lower_bound=9.0).test
    'age <= 34.5?'
    """

    test: str
    objective: float
    lower_bound: float


class Alternatives(Sequence[Alternative]):
    """The possible first tests of a tree, the best first.

    No tree that begins with a test has a smaller objective than the lower bound of the test. If
    this bound is at least the objective of the fitted tree, no tree with that first test is
    better. If the objectives are equal, the first tests tie. Only one of several tests that split
    the rows in the same way is listed. If there are very many thresholds, only one or two of each
    column are listed, the best of a few that were tried. The first test of the fitted tree is
    always among them.

    Parameters
    ----------
    table : ndarray
        Structured array: ``column``, ``threshold``, ``categories``, ``missing_go_to_left``,
        ``exact_threshold``, ``value_below`` and ``value_above`` as in `Tree`, ``objective``,
        ``lower_bound``.
    columns : Columns
        The columns of X.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import tic_tac_toe
    >>> X, y, _, _ = tic_tac_toe()
    >>> alternatives = OptimalTreeClassifier(max_depth=3).fit(X, y).alternatives_
    >>> alternatives[0]
    Alternative(test='x0?', objective=216.0, lower_bound=216.0)
    >>> [one.test for one in alternatives if one.objective == 216.0]
    ['x0?', 'x6?', 'x18?', 'x24?']
    >>> min(one.lower_bound for one in alternatives)
    216.0

    The four corners of the board tie, and no other first test is better.
    """

    def __init__(self, table: NDArray[np.void], columns: Columns) -> None:
        self.table = table
        self._columns = columns

    @classmethod
    def of_tests(
        cls,
        tests: SplitTests,
        columns: Columns,
        number: NDArray[np.int32],
        objective: NDArray[np.float64],
        lower_bound: NDArray[np.float64],
    ) -> Alternatives:
        """Return the sorted alternatives of a search.

        Parameters
        ----------
        tests : SplitTests
            The first test of each alternative.
        columns : Columns
            The columns of the table.
        number : ndarray of int32, shape (n_alternatives,)
            The numbers of these tests in the search.
        objective, lower_bound : ndarray of float64, shape (n_alternatives,)
            Objective of the best tree found for each alternative, and its lower bound.

        Returns
        -------
        Alternatives
            Sorted by objective, then by lower bound, then in the order of the tests.
        """
        table = np.empty(len(number), dtype=ALTERNATIVE_DTYPE)
        for name in TEST:
            table[name] = getattr(tests, name)
        table["objective"], table["lower_bound"] = objective, lower_bound
        return cls(table[np.lexsort((number, lower_bound, objective))], columns)

    def __len__(self) -> int:
        """Return the number of alternatives."""
        return len(self.table)

    @overload
    def __getitem__(self, at: int) -> Alternative: ...
    @overload
    def __getitem__(self, at: slice) -> Alternatives: ...
    def __getitem__(self, at: int | slice) -> Alternative | Alternatives:
        """Return one alternative in words, or a slice of them."""
        if isinstance(at, slice):
            return Alternatives(self.table[at], self._columns)
        row = self.table[at]
        bounds = float(row["objective"]), float(row["lower_bound"])
        return Alternative(f"{self._statement(row)}?", *bounds)

    def _statement(self, row: np.void) -> str:
        """Return what a test asks for, in the words of the tree."""
        column, missing = int(row["column"]), bool(row["missing_go_to_left"])
        threshold = exact_number(float(row["threshold"]), row["exact_threshold"])
        if asks_for_one(self._columns, column, threshold, missing_go_to_left=missing):
            return self._columns.names[column]
        return words_of_test(
            self._columns,
            column,
            threshold,
            row["categories"],
            missing_go_to_left=missing,
            between=(row["value_below"], row["value_above"]),
        ).holds

    def to_frame(self) -> Any:
        """Return the alternatives as a data frame of pandas.

        Returns
        -------
        pandas.DataFrame
            One row per first test, with the columns ``test``, ``objective`` and ``lower_bound``.
        """
        import pandas as pd

        return pd.DataFrame(list(self), columns=list(Alternative._fields))

    def __repr__(self) -> str:
        """Return a table of the best alternatives."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        rows = [(one.test, f"{one.objective:g}", f"{one.lower_bound:g}") for one in self[:MOST]]
        rows.insert(0, Alternative._fields)
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        for test, objective, lower_bound in rows:
            yield f"{test:<{widths[0]}}  {objective:>{widths[1]}}  {lower_bound:>{widths[2]}}"
        if len(self) > MOST:
            yield f"... and {len(self) - MOST} more"

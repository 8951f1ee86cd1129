"""Why this split: what is known of every test that could be the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.split_tests import Tests
from beamtree._table.wording import words_of_test

__all__ = ["Alternative", "Alternatives"]

FIELDS = np.dtype(
    [
        ("column", np.intp),
        ("threshold", np.float64),
        ("category", np.intp),
        ("objective", np.float64),
        ("lower_bound", np.float64),
    ]
)
# Lines that are shown.
MOST = 10


class Alternative(NamedTuple):
    """A first test, the best tree that was found below it, and the least that any could cost.

    Parameters
    ----------
    test : str
        The test, in words.
    objective : float
        Of the best tree that was found below it.
    lower_bound : float
        No tree that begins with it costs less.

    Examples
    --------
    >>> from beamtree import Alternative
    >>> Alternative("age <= 34.5", objective=12.0, lower_bound=9.0).test
    'age <= 34.5'
    """

    test: str
    objective: float
    lower_bound: float


class Alternatives(Sequence[Alternative]):
    """The tests that could stand at the root, the best first.

    No tree that begins with a test costs less than its lower bound. Where that is at least the
    objective of the tree that was found, no tree with that first test is better; where the
    objective is the same, it ties. Of tests that part the rows alike there is the first.

    Parameters
    ----------
    table : ndarray
        Structured array: ``column``, ``threshold`` and ``category`` as in `Tree`, ``objective``,
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
    Alternative(test='x0 <= 0.5', objective=216.0, lower_bound=216.0)
    >>> [one.test for one in alternatives if one.objective == 216.0]
    ['x0 <= 0.5', 'x6 <= 0.5', 'x18 <= 0.5', 'x24 <= 0.5']
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
        tests: Tests,
        columns: Columns,
        feature: NDArray[np.int32],
        objective: NDArray[np.float64],
        lower_bound: NDArray[np.float64],
    ) -> Alternatives:
        """Return the alternatives of a search, sorted.

        Parameters
        ----------
        tests, columns
            What the features of the search are.
        feature : ndarray of int32, shape (n_alternatives,)
            First features.
        objective, lower_bound : ndarray of float64, shape (n_alternatives,)
            Of the best tree that was found below each, and of all.

        Returns
        -------
        Alternatives
            By objective, then by lower bound, then in the order of the tests.
        """
        table = np.empty(len(feature), dtype=FIELDS)
        for name in ("column", "threshold", "category"):
            table[name] = getattr(tests, name)[feature]
        table["objective"], table["lower_bound"] = objective, lower_bound
        return cls(table[np.lexsort((feature, lower_bound, objective))], columns)

    def __len__(self) -> int:
        """Return their number."""
        return len(self.table)

    @overload
    def __getitem__(self, at: int) -> Alternative: ...
    @overload
    def __getitem__(self, at: slice) -> Alternatives: ...
    def __getitem__(self, at: int | slice) -> Alternative | Alternatives:
        """Return one in words, or some."""
        if isinstance(at, slice):
            return Alternatives(self.table[at], self._columns)
        column, threshold, category, objective, lower_bound = self.table[at].item()
        test = words_of_test(self._columns, column, threshold, category).holds
        return Alternative(test, objective, lower_bound)

    def to_frame(self) -> Any:
        """Return a data frame of pandas: test, objective, lower_bound.

        Returns
        -------
        pandas.DataFrame
            A row a test.
        """
        import pandas as pd

        return pd.DataFrame(list(self), columns=list(Alternative._fields))

    def __repr__(self) -> str:
        """Show the best as a table."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        rows = [(one.test, f"{one.objective:g}", f"{one.lower_bound:g}") for one in self[:MOST]]
        rows.insert(0, Alternative._fields)
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        for test, objective, lower_bound in rows:
            yield f"{test:<{widths[0]}}  {objective:>{widths[1]}}  {lower_bound:>{widths[2]}}"
        if len(self) > MOST:
            yield f"... and {len(self) - MOST} more"

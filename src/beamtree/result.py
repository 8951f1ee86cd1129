"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree.tree import Tree

TRACE_DTYPE = np.dtype(
    [
        ("seconds", np.float64),
        ("nodes", np.int64),
        ("objective", np.float64),
        ("lower_bound", np.float64),
        ("restart", np.int64),
        ("threshold", np.float64),
    ]
)


def _gap(objective: float, lower_bound: float) -> float:
    return (objective - lower_bound) / objective if objective > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Incumbent:
    """The best tree at some moment of a search.

    Parameters
    ----------
    seconds : float
        Seconds of search until the last improvement.
    nodes : int
        Nodes searched until then.
    objective : float
        Objective of `tree`, recounted from the rows and their real weights.
    lower_bound : float
        No tree has a smaller objective.
    n_errors : int
        Number of misclassified rows, each counted once; rows of weight zero are left out.
    restart : int
        The pass, from 0.
    threshold : float
        Threshold of the rule in that pass.
    tree : Tree
        The best tree so far.
    columns : Columns or None
        The columns of X, whose ``encode`` makes of a table what the tree takes.

    Examples
    --------
    >>> from beamtree import Search
    >>> from beamtree.datasets import parity
    >>> X, y, _, _ = parity(2, 1)
    >>> first = Search(X, y, max_depth=2).step()
    >>> first.restart, first.objective >= first.lower_bound
    (0, True)
    """

    seconds: float
    nodes: int
    objective: float
    lower_bound: float
    n_errors: int
    restart: int
    threshold: float
    tree: Tree
    columns: Columns | None = None

    @property
    def gap(self) -> float:
        """Distance of the objective from the lower bound, as a share of the objective."""
        return _gap(self.objective, self.lower_bound)


@dataclass(frozen=True, eq=False)
class Result:
    """Outcome of a search: a tree, and what is known of the best tree.

    Parameters
    ----------
    status : str
        Why the search ended, or how it stands.

        - ``"optimal"``: no tree within the limits has a smaller objective.
        - ``"gap_reached"``: the gap is at most the limit that was given; or the search is
          complete, and the gap that remains is only the rounding of real weights to integers.
        - ``"rule_limit"``: the rule's limit leaves out what may be better; `tree` is the best of
          what it admits.
        - ``"time_limit"``: the time was up; `tree` is the best found.
        - ``"node_limit"``: so many nodes were searched; `tree` is the best found.
        - ``"memory_limit"``: the data themselves do not leave enough memory to search; `tree` is
          the best found, a greedy one at least.
        - ``"interrupted"``: the search was stopped with Ctrl-C, a callback or a `CancelToken`, or
          by an exception in a rule or a callback; `tree` is the best found.
        - ``"running"``: the search stands between two steps (only in `Search`).
    objective : float
        Objective of `tree`, recounted from the rows and their real weights.
    lower_bound : float
        No tree has a smaller objective.
    n_errors : int
        Number of misclassified rows, each counted once; rows of weight zero are left out.
    rounding : float
        The most by which the rounding of real weights can have changed an objective.
    tree : Tree
        The best tree found.
    trace : ndarray
        One row an improvement of the objective or the lower bound: ``seconds``, ``nodes``,
        ``objective``, ``lower_bound``, ``restart`` (the pass, from 0) and ``threshold`` (of the
        rule in that pass). Without a rule there is one pass, restart 0, that prunes nothing,
        threshold infinity. Where weights are rounded, objectives before the last are those of
        the rounded weights.
    statistics : dict
        Counters of the search, and ``preparation_seconds``: the time that went into checking and
        packing the data.
    cost, lower : int
        Objective and lower bound in the integers of the search.
    columns : Columns or None
        The columns of X, whose ``encode`` makes of a table what the tree takes.

    Examples
    --------
    >>> from beamtree import Search
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> result = Search(X, ["no", "yes", "yes", "no"], max_depth=2).run()
    >>> result.status, result.objective, result.lower_bound, result.gap
    ('optimal', 0.0, 0.0, 0.0)
    """

    status: str
    objective: float
    lower_bound: float
    n_errors: int
    rounding: float
    tree: Tree
    trace: NDArray[np.void]
    statistics: dict[str, Any]
    cost: int
    lower: int
    columns: Columns | None = None

    @property
    def gap(self) -> float:
        """Distance of the objective from the lower bound, as a share of the objective."""
        return _gap(self.objective, self.lower_bound)

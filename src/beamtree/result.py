"""What a search returns: an `Incumbent` while it runs, and a `Result`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._util.html import html_table
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


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return the difference of an objective and its lower bound, as a share of the objective.

    Parameters
    ----------
    objective, lower_bound : float
        The objective, and its lower bound.

    Returns
    -------
    float
        A number from 0 to 1; 0 if the objective is 0.

    Examples
    --------
    >>> from beamtree.result import relative_gap
    >>> relative_gap(12.0, 9.0)
    0.25
    """
    return (objective - lower_bound) / objective if objective > 0.0 else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Incumbent:
    """The best tree so far at one moment of a search.

    Parameters
    ----------
    seconds : float
        Seconds of search until the last improvement.
    nodes : int
        Nodes searched until the last improvement.
    objective : float
        Objective of `tree`, recounted from the rows and their real weights.
    lower_bound : float
        No tree has a smaller objective.
    n_errors : int or None
        Number of misclassified rows, each counted once; rows of weight zero are left out. None if
        the tree predicts numbers.
    restart : int
        Number of the pass of the last improvement, from 0.
    threshold : float
        Threshold of the rule in that pass.
    tree : Tree
        The best tree so far.
    columns : Columns or None
        The columns of X. Their ``encode`` turns a table into the arrays to which the tree can be
        applied.
    proof : str
        What is proved about `tree`, in one line.
    reward, reward_bound : float or None
        If the tree is a policy, the total reward of `tree`; and a number such that no tree has a
        larger total reward, less the penalties of its leaves.

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
    n_errors: int | None
    restart: int
    threshold: float
    tree: Tree
    columns: Columns | None = None
    proof: str = ""
    reward: float | None = None
    reward_bound: float | None = None

    @property
    def gap(self) -> float:
        """Difference of the objective and the lower bound, as a share of the objective."""
        return relative_gap(self.objective, self.lower_bound)

    def __str__(self) -> str:
        """Return what is proved about the tree, in one line."""
        return self.proof

    def __repr__(self) -> str:
        """Return the same line with the name of the class; the arrays are too long to show."""
        return f"Incumbent({self})"

    def _repr_html_(self) -> str:
        """Return what is proved about the tree, and when it was found."""
        return html_table(self.proof, (), _facts(self, self.seconds, self.nodes))


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Outcome of a search: a tree, and how far it can be from the optimum.

    Parameters
    ----------
    status : str
        Why the search ended.

        - ``"optimal"``: no tree within the limits has a smaller objective. If real weights, or
          numbers that are predicted, had to be rounded, no tree is better by more than `rounding`.
        - ``"gap_reached"``: the gap is at most the given limit.
        - ``"rule_limit"``: the limit of the rule excludes trees that may be better; `tree` is the
          best of those that the rule admits.
        - ``"time_limit"``: the time limit was reached; `tree` is the best tree found.
        - ``"node_limit"``: the node limit was reached; `tree` is the best tree found.
        - ``"memory_limit"``: the data leave too little memory for a search; `tree` is the best
          tree found, which is at least a greedy one.
        - ``"interrupted"``: the search was stopped by Ctrl-C, by a callback or a `CancelToken`, or
          by an exception in a rule or a callback; `tree` is the best tree found.
        - ``"running"``: the search has not ended and can go on (only in `Search`).
    objective : float
        Objective of `tree`, recounted from the rows and their real weights.
    lower_bound : float
        No tree has a smaller objective.
    n_errors : int or None
        Number of misclassified rows, each counted once; rows of weight zero are left out. None if
        the tree predicts numbers.
    rounding : float
        Largest difference of `objective` and `lower_bound` that the rounding of real weights, and
        of numbers that are predicted, can leave after a complete search; 0 if nothing is rounded.
    tree : Tree
        The best tree found.
    trace : ndarray
        Structured array with one row per improvement of the objective or the lower bound:
        ``seconds``, ``nodes``, ``objective``, ``lower_bound``, ``restart`` (the number of the pass,
        from 0) and ``threshold`` (of the rule in that pass). A search without a rule has one pass,
        number 0, with the threshold infinity. If weights are rounded, all objectives but the last
        are computed from the rounded weights.
    statistics : dict
        Counters of the search; ``seconds``, the time at which it ended, on the clock of the trace;
        ``preparation_seconds``, the time for checking and packing the data; and
        ``time_to_proof``, an estimate of the seconds that the proof would take from there: 0 with
        a proof, None if nothing can be said.
    cost, lower : int
        Objective and lower bound as the integers with which the search computes.
    columns : Columns or None
        The columns of X. Their ``encode`` turns a table into the arrays to which the tree can be
        applied.
    proof : str
        What is proved about `tree`, in one line.
    n_leaves_bound : int
        No tree with the least objective has fewer leaves; 1 if nothing is known.
    reward, reward_bound : float or None
        If the tree is a policy, the total reward of `tree`; and a number such that no tree has a
        larger total reward, less the penalties of its leaves.

    Examples
    --------
    >>> from beamtree import Search
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> result = Search(X, ["no", "yes", "yes", "no"], max_depth=2).run()
    >>> result.status, result.objective, result.lower_bound, result.gap
    ('optimal', 0.0, 0.0, 0.0)
    >>> print(result)
    Proved optimal: 0 errors
    """

    status: str
    objective: float
    lower_bound: float
    n_errors: int | None
    rounding: float
    tree: Tree
    trace: NDArray[np.void]
    statistics: dict[str, Any]
    cost: int
    lower: int
    columns: Columns | None = None
    proof: str = ""
    n_leaves_bound: int = 1
    reward: float | None = None
    reward_bound: float | None = None

    @property
    def gap(self) -> float:
        """Difference of the objective and the lower bound, as a share of the objective."""
        return relative_gap(self.objective, self.lower_bound)

    def __str__(self) -> str:
        """Return what is proved about the tree, in one line."""
        return self.proof

    def __repr__(self) -> str:
        """Return the same line with the name of the class; the arrays are too long to show."""
        return f"Result({self})"

    def _repr_html_(self) -> str:
        """Return what is proved about the tree, and when the search last improved."""
        last = self.trace[-1] if len(self.trace) else {"seconds": 0.0, "nodes": 0}
        facts = _facts(self, float(last["seconds"]), int(last["nodes"]))
        return html_table(self.proof, (), [("status", self.status), *facts])


def _facts(found: Incumbent | Result, seconds: float, nodes: int) -> list[tuple[str, str]]:
    """Return the names and the values that a notebook shows."""
    tree = found.tree
    counted = ("rows", f"{tree.n_node_samples[0]:,}")
    if found.reward is not None:
        counted = ("total reward", f"{found.reward:.6g}")
    elif found.n_errors is not None:
        counted = ("errors", f"{found.n_errors:,} of {tree.n_node_samples[0]:,} rows")
    return [
        ("objective", f"{found.objective:.6g}"),
        ("lower bound", f"{found.lower_bound:.6g}"),
        ("gap", f"{found.gap:.1%}"),
        counted,
        ("tree", f"{tree.n_leaves} leaves, depth {tree.max_depth}"),
        ("last improvement", f"after {seconds:.3f} s and {nodes:,} nodes"),
    ]

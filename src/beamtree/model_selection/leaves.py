"""The best tree for every number of leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from beamtree._engine.limits import Limits, seconds_of
from beamtree._engine.proof import bound_words, proof_line
from beamtree._engine.settings import LEAVES, Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._resume.initial_tree import check_kind, read_kind
from beamtree._sklearn.unproved import warn_of_path
from beamtree._util.validation import SECONDS_OR_NONE
from beamtree.model_selection._hull import Solved
from beamtree.model_selection._tree_path import (
    GROUPED_BY,
    Origin,
    TreePath,
    allowed_parameters,
    check_parameters,
    mistakes,
    path_status,
    solved,
    with_rewards,
)
from beamtree.tree import Tree

__all__ = ["LeafPath", "leaf_path"]

LEAF_PATH_DTYPE = np.dtype(
    [
        ("max_leaf_nodes", np.int64),
        ("leaves", np.int64),
        ("depth", np.int64),
        ("error", np.float64),
        ("n_errors", np.int64),
        ("lower_bound", np.float64),
        ("status", "U12"),
    ]
)
ALLOWED = allowed_parameters("max_leaf_nodes")


@dataclass(frozen=True, eq=False, repr=False)
class LeafPath(TreePath):
    """The best tree for every number of leaves.

    Unlike `PenaltyPath`, it also has the trees that no leaf penalty gives, because they lie above
    the convex hull of errors and numbers of leaves.

    Parameters
    ----------
    table : ndarray
        Structured array with one row per number of leaves. The columns are ``max_leaf_nodes`` (the
        largest number of leaves), ``leaves`` (those of the tree, which may be fewer), ``depth``,
        ``error`` (cost of the mistakes, squared error, or regret of a policy), ``n_errors`` (number
        of mistakes, -1 if no labels are predicted), ``lower_bound`` (no tree with at most
        ``max_leaf_nodes`` leaves has a smaller error), and ``status`` (``"optimal"`` if the error
        equals that bound up to rounding, otherwise the reason why the search ended). Policies also
        have ``reward``, the total reward, and ``reward_bound``, its upper bound.
    trees : tuple of Tree
        The trees, in the same order.
    status : str
        ``"optimal"`` if all of these trees are proved to be optimal, otherwise the reason why the
        proof is not complete.
    max_depth : int or None
        Largest depth of the trees; None for any depth.
    seconds : float
        Seconds that the computation took.
    columns : Columns
        The columns of X. Its method ``encode`` turns a table into the numbers that the trees take.
    classes : ndarray of shape (n_classes,)
        The labels, sorted, or the actions; empty if the trees predict numbers.
    proof : str
        What is proved about the trees, in one line.

    Examples
    --------
    >>> from beamtree import leaf_path
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> path = leaf_path(X, y, max_leaf_nodes=7, max_depth=3)
    >>> path.status, path.table["error"].tolist()
    ('optimal', [216.0, 108.0, 108.0, 72.0, 72.0, 72.0, 48.0])
    """

    _across: ClassVar[str] = "max_leaf_nodes"

    _shown: ClassVar[tuple[tuple[str, int], ...]] = (
        ("at most", 7),
        ("leaves", 6),
        ("depth", 5),
        ("error", 12),
        ("lower bound", 12),
    )

    def _cells(self, row: np.void) -> list[str]:
        """Return what is shown of a row of the table."""
        numbers = [str(row[name]) for name in ("max_leaf_nodes", "leaves", "depth")]
        return [*numbers, *self._bounds(row)]


def leaf_path(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    regression: bool = False,
    policy: bool = False,
    actions: Sequence[Any] | None = None,
    max_leaf_nodes: int = 8,
    max_depth: int | None = 4,
    time_limit: float | None = 60.0,
    **params: Any,
) -> LeafPath:
    """Find the best tree for every number of leaves.

    The largest number comes first: its lower bound holds for all trees with fewer leaves, too. Then
    the numbers are searched from one leaf on, each from the best tree of the numbers before it. A
    number needs no search if that tree is known to be the best one.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table, as in `OptimalTreeClassifier.fit`.
    y : array-like of shape (n_rows,)
        Labels: numbers, strings or booleans. With `regression`, numbers to predict. With `policy`,
        the rewards of the actions, of shape (n_rows, n_actions), as in `OptimalPolicyTree.fit`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows, at least 0 and not all 0. None means that all rows weigh the same.
    regression : bool, default=False
        Whether the trees predict the numbers of `y`, as `OptimalTreeRegressor` does, instead of
        labels.
    policy : bool, default=False
        Whether the trees choose actions by their rewards, as `OptimalPolicyTree` does, instead of
        predicting labels.
    actions : sequence or None, default=None
        With `policy`, the names of the actions, as in `OptimalPolicyTree`.
    max_leaf_nodes : int, default=8
        Largest number of leaves. The path ends earlier if no tree of this depth, or over this
        table's rows, can have as many leaves.
    max_depth : int or None, default=4
        Largest depth of the trees, from 0 to 20. None allows any depth, with at most 121 leaves.
    time_limit : float or None, default=60.0
        Seconds for all searches together. None means that there is no limit. The first search has
        half of the time; what remains is divided equally among the numbers that are not yet proved.
    **params
        Further parameters of `OptimalTreeClassifier`, `OptimalTreeRegressor` or
        `OptimalPolicyTree`, except `leaf_penalty`, `tie_break`, `callback` and `verbose`.

    Returns
    -------
    LeafPath
        The trees, with their errors and lower bounds. If a limit ended the searches before all
        trees were proved, there is one ``ConvergenceWarning``. Ctrl-C ends the path with the trees
        that are known, unless `on_interrupt` asks for KeyboardInterrupt.

    Examples
    --------
    >>> from beamtree import leaf_path
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(leaf_path(X, [0, 1, 1, 0], max_leaf_nodes=4, max_depth=2))
    Proved optimal: the best trees of 1 to 4 leaves and depth at most 2
    at most  leaves  depth         error   lower bound
          1       1      0             2             2
          2       1      0             2             2
          3       3      2             1             1
          4       4      2             0             0

    The best policy trees, by the rewards of two actions:

    >>> X, rewards = [[25], [31], [47], [62]], [[0, 3], [0, 2], [0, -1], [0, 4]]
    >>> print(leaf_path(X, rewards, policy=True, max_leaf_nodes=3, max_depth=2))
    Proved optimal: the best trees of 1 to 3 leaves and depth at most 2
    at most  leaves  depth        reward   upper bound
          1       1      0             8             8
          2       1      0             8             8
          3       3      2             9             9
    """
    begin = perf_counter()
    SECONDS_OR_NONE.check("time_limit", time_limit)
    check_parameters("leaf_path", params, ALLOWED)
    LEAVES.check("max_leaf_nodes", max_leaf_nodes)
    settings = Settings(
        max_depth=max_depth, max_leaf_nodes=max_leaf_nodes, tie_break="any", **params
    )
    kind = check_kind(settings, regression=regression, policy=policy, actions=actions)
    # All searches use the same split tests, including those of the tree in `init`.
    data = read_kind(kind, X, y, actions, sample_weight, settings, "leaf_path")
    most = min(int(max_leaf_nodes), len(data.X))
    most = most if max_depth is None else min(most, 2 ** int(max_depth))

    def solve(leaves: int, seconds: float, tree: Tree) -> Solved:
        first = settings.init is not None and tree.n_leaves == 1
        init = settings.init if first else TreeWithColumns(tree, data.columns)
        return solved(data, replace(settings, max_leaf_nodes=leaves, init=init), seconds)

    leaf = solved(data, replace(settings, max_depth=0, init=None), inf)
    front = _Front(most, leaf)
    _explore(front, solve, begin + seconds_of(time_limit))
    rows = [front.row(leaves) for leaves in range(1, most + 1)]
    best = [front.best(leaves).found for leaves in range(1, most + 1)]
    table = with_rewards(np.array(rows, dtype=LEAF_PATH_DTYPE), best)
    status = path_status(front.ends, proved=bool((table["status"] == "optimal").all()))
    leaves = "1 leaf" if most == 1 else f"1 to {most:,} leaves"
    limits = Limits(settings.node_limit, settings.gap_limit, seconds_of(time_limit))
    depth = "any depth" if max_depth is None else f"depth at most {max_depth}"
    proof = proof_line(
        status,
        f"the best trees of {leaves} and {depth}",
        up_to=0.0 if kind == "numbers" else float((table["error"] - table["lower_bound"]).max()),
        limits=limits,
        bound=bound_words(data.space, settings.max_thresholds, GROUPED_BY[kind]),
    )
    trees = tuple(found.tree for found in best)
    origin = Origin(
        replace(settings, init=None, cancel=None),
        limits,
        data.space,
        data.names,
        front.rounding if kind == "numbers" else leaf.problem.rounding,
    )
    seconds = perf_counter() - begin
    found = table, trees, status, max_depth, seconds
    warn_of_path(proof, status, time_limit)
    return LeafPath(*found, data.columns, data.classes, proof, origin)


class _Front:
    """What is known of the best trees of all numbers of leaves.

    Parameters
    ----------
    most : int
        The largest number of leaves.
    leaf : Solved
        The tree that is a single leaf.
    """

    def __init__(self, most: int, leaf: Solved) -> None:
        self.most = most
        self.ends = [leaf.status]  # the statuses of all searches
        # For each number of leaves the searches with this limit. There is only one single leaf.
        self._searched = {1: [replace(leaf, lower=leaf.cost, status="optimal")]}

    def add(self, leaves: int, result: Solved) -> None:
        """Take the result of a search with a limit of leaves."""
        self.ends.append(result.status)
        self._searched.setdefault(leaves, []).append(result)

    def _all(self) -> Iterator[Solved]:
        return chain.from_iterable(self._searched.values())

    def best(self, leaves: int) -> Solved:
        """Return the best tree with at most this number of leaves."""
        small = [one for one in self._all() if one.found.tree.n_leaves <= leaves]
        return min(small, key=lambda one: (one.found.error, one.found.tree.n_leaves))

    @property
    def rounding(self) -> float:
        """The largest rounding of all searches."""
        return max(one.problem.rounding for one in self._all())

    def lower(self, leaves: int) -> int:
        """Return a lower bound on the cost of trees with at most this number of leaves.

        Every bound for more leaves holds for fewer, too. The integers of all searches are the same,
        because there is no penalty.
        """
        searched = [some for limit, some in self._searched.items() if limit >= leaves]
        return max((one.lower for one in chain.from_iterable(searched)), default=0)

    def is_proved(self, leaves: int) -> bool:
        """Return whether the best tree of the integer problem is known."""
        return min(one.cost for one in self._all() if _size(one) <= leaves) == self.lower(leaves)

    def unproved(self) -> list[int]:
        """Return the numbers of leaves whose best trees are not known."""
        return [leaves for leaves in range(1, self.most + 1) if not self.is_proved(leaves)]

    def row(self, leaves: int) -> tuple[Any, ...]:
        """Return the row of the table for a number of leaves."""
        best = self.best(leaves)
        tree, error, problem = best.found.tree, best.found.error, best.problem
        if tree.predicts_numbers:  # trees with more leaves are rounded more
            problem = max((one.problem for one in self._all()), key=lambda one: one.rounding)
        bound, proved = min(problem.lower_bound(self.lower(leaves)), error), self.is_proved(leaves)
        if error == 0.0 or (proved and problem.rounding == 0.0):
            bound = error
        status = "optimal"
        if not proved and bound < error:
            own = self._searched.get(leaves)
            status = self.ends[-1] if own is None else own[-1].status
        shape = leaves, tree.n_leaves, tree.max_depth
        return (*shape, error, mistakes(best.found), bound, status)


def _size(one: Solved) -> int:
    """Return a number of leaves of a tree that has the cost of a search."""
    # If weights are rounded, the tree without superfluous splits may have another cost.
    return one.leaves if one.problem.rounding > 0.0 else one.found.tree.n_leaves


def _explore(front: _Front, solve: Callable[[int, float, Tree], Solved], end: float) -> None:
    """Search the largest number of leaves, and then all numbers that are not proved.

    After Ctrl-C, the other numbers get greedy trees, and parts of the trees that are known.
    """
    for leaves in (front.most, *range(2, front.most + 1)):
        if front.is_proved(leaves):
            continue
        if front.ends[-1] == "interrupted":
            quick = solve(leaves, 0.0, front.best(front.most).found.tree)
            front.add(leaves, replace(quick, status="interrupted"))
            continue
        shares = 2 if len(front.ends) == 1 else len(front.unproved())
        seconds = (end - perf_counter()) / shares
        front.add(leaves, solve(leaves, seconds, front.best(leaves).found.tree))

"""The path of all trees that are optimal for some leaf penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf, sqrt
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.limits import Limits, seconds_of
from beamtree._engine.native import leaf_limit
from beamtree._engine.proof import bound_words, proof_line
from beamtree._engine.settings import DEPTH, Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._resume.initial_tree import check_kind, read_kind
from beamtree._sklearn.unproved import warn_of_path
from beamtree._util.validation import SECONDS_OR_NONE
from beamtree.model_selection._hull import Hull, Solved, Vertex, price_between
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

__all__ = ["PenaltyPath", "penalty_path"]

PATH_DTYPE = np.dtype(
    [
        ("leaves", np.int64),
        ("depth", np.int64),
        ("error", np.float64),
        ("n_errors", np.int64),
        ("lower_bound", np.float64),
        ("status", "U12"),
        ("leaf_penalty", np.float64),
        ("penalty_from", np.float64),
        ("penalty_to", np.float64),
    ]
)
ALLOWED = allowed_parameters()


@dataclass(frozen=True, eq=False, repr=False)
class PenaltyPath(TreePath):
    """The trees that are optimal for some leaf penalty, for one depth.

    They are the trees on the lower convex hull of errors and numbers of leaves.

    Parameters
    ----------
    table : ndarray
        Structured array with one row per tree, from one leaf to many. The columns are ``leaves``,
        ``depth``, ``error`` (cost of the mistakes, squared error, or regret of a policy),
        ``n_errors`` (number of mistakes, -1 if no labels are predicted), ``lower_bound`` (no tree
        with at most this number of leaves has a smaller error), ``status`` (``"optimal"`` if the
        error equals that bound up to rounding, otherwise the reason why the search ended),
        ``leaf_penalty`` (a penalty that gives this tree), and ``penalty_from`` and ``penalty_to``,
        between which the tree is optimal. Policies also have ``reward``, the total reward, and
        ``reward_bound``, its upper bound.
    trees : tuple of Tree
        The trees, in the same order.
    status : str
        ``"optimal"`` if all of these trees are proved to be optimal and no tree is missing,
        otherwise the reason why the proof is not complete.
    max_depth : int
        Largest depth of the trees.
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
    >>> from beamtree import penalty_path
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> path = penalty_path(X, y, max_depth=3)
    >>> path.status, path.table["leaves"].tolist(), path.table["error"].tolist()
    ('optimal', [1, 2, 4, 7], [216.0, 108.0, 72.0, 48.0])
    """

    _across: ClassVar[str] = "leaves"

    _shown: ClassVar[tuple[tuple[str, int], ...]] = (
        ("leaves", 6),
        ("depth", 5),
        ("error", 12),
        ("lower bound", 12),
        ("best for leaf_penalty", 0),
    )

    def _cells(self, row: np.void) -> list[str]:
        """Return what is shown of a row of the table."""
        numbers = str(row["leaves"]), str(row["depth"])
        penalties = f"{row['penalty_from']:.4g} to {row['penalty_to']:.4g}"
        return [*numbers, *self._bounds(row), penalties]


def penalty_path(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    regression: bool = False,
    policy: bool = False,
    actions: Sequence[Any] | None = None,
    max_depth: int = 4,
    time_limit: float | None = 60.0,
    **params: Any,
) -> PenaltyPath:
    """Find all trees that are optimal for some leaf penalty.

    These are the trees on the lower convex hull of errors and numbers of leaves. The first search
    finds the tree with the least error, and of those the one with the fewest leaves. For two
    neighbouring trees on the hull, a search at the penalty at which both cost the same either finds
    a tree between them or proves that there is none. Penalties are fractions, so no tree is missed
    as long as the weights are exact.

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
    max_depth : int, default=4
        Largest depth of the trees, from 0 to 20.
    time_limit : float or None, default=60.0
        Seconds for all searches together. None means that there is no limit. The remaining time is
        divided equally among the searches that are still known to be needed.
    **params
        Further parameters of `OptimalTreeClassifier`, `OptimalTreeRegressor` or
        `OptimalPolicyTree`, except `leaf_penalty`, `tie_break`, `callback` and `verbose`.

    Returns
    -------
    PenaltyPath
        The trees, with their errors and lower bounds. If a limit ended the searches before all
        trees were proved, there is one ``ConvergenceWarning``.

    Examples
    --------
    >>> from beamtree import penalty_path
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(penalty_path(X, [0, 1, 1, 1], max_depth=2))
    Proved optimal: 2 trees of depth at most 2
    leaves  depth         error   lower bound  best for leaf_penalty
         1      0             1             1  0.125 to inf
         3      2             0             0  0 to 0.125

    The policy trees, by the rewards of two actions; a penalty is a reward per row:

    >>> X, rewards = [[25], [31], [47], [62]], [[0, 3], [0, 2], [0, -1], [0, 4]]
    >>> print(penalty_path(X, rewards, policy=True, max_depth=2))
    Proved optimal: 2 trees of depth at most 2
    leaves  depth        reward   upper bound  best for leaf_penalty
         1      0             8             8  0.125 to inf
         3      2             9             9  0 to 0.125
    """
    begin = perf_counter()
    SECONDS_OR_NONE.check("time_limit", time_limit)
    check_parameters("penalty_path", params, ALLOWED)
    DEPTH.check("max_depth", max_depth)  # the penalties of a path begin at 0
    end = begin + seconds_of(time_limit)
    settings = Settings(max_depth=max_depth, tie_break="any", **params)
    kind = check_kind(settings, regression=regression, policy=policy, actions=actions)
    # All searches use the same split tests, including those of the tree in `init`.
    data = read_kind(kind, X, y, actions, sample_weight, settings, "penalty_path")

    def solve(share: Fraction, seconds: float, tree: Tree | None = None, **changed: Any) -> Solved:
        if tree is not None:
            changed["init"] = TreeWithColumns(tree, data.columns)
        return solved(data, replace(settings, leaf_penalty=share, **changed), seconds)

    hull = Hull(solve(Fraction(0), inf, max_depth=0, init=None))
    ends = _explore(hull, solve, max_depth, end)
    table, trees = _table(hull)
    proved = hull.complete and bool((table["status"] == "optimal").all())
    status = path_status(ends, proved=proved)
    noun = "tree" if len(trees) == 1 else "trees"
    limits = Limits(settings.node_limit, settings.gap_limit, seconds_of(time_limit))
    proof = proof_line(
        status,
        f"{len(trees)} {noun} of depth at most {max_depth}",
        up_to=0.0 if kind == "numbers" else float((table["error"] - table["lower_bound"]).max()),
        limits=limits,
        max_leaf_nodes=leaf_limit(settings, len(data.X)),
        bound=bound_words(data.space, settings.max_thresholds, GROUPED_BY[kind]),
    )
    origin = Origin(
        replace(settings, init=None, cancel=None),
        limits,
        data.space,
        data.names,
        hull.rounding,
    )
    seconds = perf_counter() - begin
    found = table, trees, status, max_depth, seconds
    warn_of_path(proof, status, time_limit)
    return PenaltyPath(*found, data.columns, data.classes, proof, origin)


def _explore(hull: Hull, solve: Any, max_depth: int, end: float) -> list[str]:
    """Search at all prices that may give another tree. Return the statuses of the searches."""
    # At this price all leaves together cost less than the least difference of errors.
    most_leaves = min(2**max_depth, len(hull.base.weight))
    first = Fraction(1, most_leaves)
    half = (end - perf_counter()) / 2
    last = hull.search(first, lambda share: solve(share, half))
    ends = [last.status]
    while last.status != "interrupted" and (edges := hull.open_edges()):
        seconds = (end - perf_counter()) / len(edges)
        price, larger = edges[0]
        tree = larger.found.tree
        last = hull.search(price, lambda share: solve(share, seconds, tree))  # noqa: B023
        ends.append(last.status)
    return ends


def _table(hull: Hull) -> tuple[NDArray[np.void], tuple[Tree, ...]]:
    vertices = hull.vertices
    total = hull.base.total
    prices = [price_between(*pair) for pair in pairwise(vertices)]
    ends = [inf, *(float(price / total) for price in prices), 0.0]
    rows = [
        _row(hull, vertex, low, high)
        for vertex, low, high in zip(vertices, ends[1:], ends[:-1], strict=True)
    ]
    table = with_rewards(np.array(rows, dtype=PATH_DTYPE), [vertex.found for vertex in vertices])
    return table, tuple(vertex.found.tree for vertex in vertices)


def _row(hull: Hull, vertex: Vertex, low: float, high: float) -> tuple[Any, ...]:
    found = vertex.found
    bound, proved = hull.bound(vertex)
    status = vertex.status
    if proved:
        status = "optimal"
    elif status == "optimal":
        status = "gap_reached"
    # The geometric mean lies well inside the interval; CART uses it, too.
    inside = sqrt(low * high) if low > 0.0 and high < inf else (2.0 * low or high / 2.0)
    if low == 0.0 and high == inf:
        inside = 0.0
    shape = vertex.leaves, found.tree.max_depth
    penalty = _short_between(inside, low, high)
    return (*shape, found.error, mistakes(found), bound, status, penalty, low, high)


def _short_between(value: float, low: float, high: float) -> float:
    """Return a number of few digits that is close to a value, and between two others.

    Numbers of few digits are small fractions, with which the integers of a search are exact.
    """
    for digits in range(3, 17):
        short = float(f"{value:.{digits}g}")
        if low < short < high:
            return short
    return value

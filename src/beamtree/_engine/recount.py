"""The tree of a search, simplified and recounted from the rows with their real weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._table.ranks import RankedRows, core_rows, n_tests
from beamtree.tree import Tree, levels


@dataclass(frozen=True, eq=False)
class Recounted:
    """A tree and its costs.

    Parameters
    ----------
    tree : Tree
        The tree over tests. A tree of classes has no splits whose two sides predict the same one.
    objective : float
        Its objective in real weights.
    error : float
        The part of the objective that is due to mistakes, or the squared error.
    n_errors : int or None
        Number of rows that the tree misclassifies; None if it predicts numbers.
    reward : float or None, default=None
        The total reward of the tree, if it is a policy.
    """

    tree: Tree
    objective: float
    error: float
    n_errors: int | None
    reward: float | None = None

    def reward_bound(self, lower_bound: float) -> float | None:
        """Return an upper bound of the total reward of policies, less penalties.

        Parameters
        ----------
        lower_bound : float
            No tree has a smaller objective.

        Returns
        -------
        float or None
            The bound; None if the tree is no policy.
        """
        # The error is the regret: reward and regret add up to the reward of the best actions.
        return None if self.reward is None else self.reward - (lower_bound - self.error)


def recount(
    X: RankedRows | NDArray[np.uint8],
    codes: NDArray[np.int32],
    weight: NDArray[np.float64],
    n_classes: int,
    outcome: _core.Outcome,
    leaf_penalty: float,
    cost: NDArray[np.float64] | None = None,
    reward: NDArray[np.float64] | None = None,
    count: NDArray[np.int64] | None = None,
    *,
    counted: bool = False,
) -> Recounted:
    """Recount the tree of an outcome.

    Parameters
    ----------
    X : RankedRows or ndarray of uint8
        The rows.
    codes, weight : ndarray
        Their classes and their positive weights.
    n_classes : int
        Number of classes.
    outcome : Outcome
        Tree and bounds of the native search.
    leaf_penalty : float
        Cost of a leaf as a share of the total weight.
    cost : ndarray of float64, shape (n_rows, n_classes), or None, default=None
        What a row of weight 1 costs, for each prediction; None for 1 per mistake.
    reward : ndarray of float64, shape (n_rows, n_classes), or None, default=None
        The reward of a row of weight 1, for each action, if the tree is a policy.
    count : ndarray of int64, shape (n_rows,), or None, default=None
        For how many equal rows each row stands, all of which have its weight; None for one.
    counted : bool, default=False
        Whether the weights are those of the native search; then its counts are taken over.

    Returns
    -------
    Recounted
        The tree and its costs.
    """
    nodes = (outcome.feature, outcome.left, outcome.right)
    every = np.ones(len(X)) if count is None else count.astype(np.float64)
    total = weight if count is None else weight * every
    if counted:
        class_weight, samples = outcome.sums.astype(np.float64), outcome.rows
    else:
        class_weight, samples = _core.recount(core_rows(X), codes, total, n_classes, *nodes, count)
    counts = class_weight
    if weight.min() != 1.0 or weight.max() != 1.0:
        counts, _ = _core.recount(core_rows(X), codes, every, n_classes, *nodes)
    if cost is None:
        label = class_weight.argmax(axis=1)
        error = _off(class_weight, label)
    else:
        costs = _sums(X, weight, cost, nodes)
        label = costs.argmin(axis=1)
        error = _chosen(costs, label)
    feature, leaf = collapsed(*nodes, label)
    rewards = None if reward is None else _sums(X, weight, reward, nodes)
    tree = Tree.from_search(
        feature, *nodes[1:], class_weight, samples, n_tests(X), label, error, rewards
    )

    paid = float(error[leaf].sum())
    penalty = leaf_penalty * float(total.sum()) if tree.n_leaves > 1 else 0.0
    return Recounted(
        tree=tree,
        objective=paid + penalty * (tree.n_leaves - 1),
        error=paid,
        n_errors=round(float(_off(counts[leaf], label[leaf]).sum())),
        reward=None if rewards is None else float(_chosen(rewards[leaf], label[leaf]).sum()),
    )


def collapsed(
    feature: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    label: NDArray[np.intp],
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Turn nodes into leaves if all leaves below them predict the same class.

    The search has few such splits or none. They occur if two classes have the same weight after
    rounding to integers, but different real weights.

    Parameters
    ----------
    feature, left, right : ndarray of int32, shape (node_count,)
        The tree: the tested features, -1 for a leaf, and the children, which come after their
        parents.
    label : ndarray of intp, shape (node_count,)
        The class that each node predicts if it is a leaf.

    Returns
    -------
    feature : ndarray of int32, shape (node_count,)
        The tested features, with -1 for the new leaves, too.
    leaf : ndarray of bool, shape (node_count,)
        Which nodes are leaves of the remaining tree.
    """
    feature = feature.copy()
    while True:  # at most once per level
        inner = np.flatnonzero(feature >= 0)
        zero, one = left[inner], right[inner]
        same = (feature[zero] < 0) & (feature[one] < 0) & (label[zero] == label[one])
        if not same.any():
            break
        feature[inner[same]] = -1
    reached = np.zeros(len(feature), dtype=np.bool_)
    reached[np.concatenate(levels(feature, left, right))] = True
    return feature, reached & (feature < 0)


def _sums(
    X: RankedRows | NDArray[np.uint8],
    weight: NDArray[np.float64],
    values: NDArray[np.float64],
    nodes: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
) -> NDArray[np.float64]:
    """Return the weighted sum of each column of values over the rows of each node."""
    one_class = np.zeros(len(X), dtype=np.int32)
    rows = core_rows(X)
    by_column = [_core.recount(rows, one_class, weight * each, 1, *nodes)[0] for each in values.T]
    return np.concatenate(by_column, axis=1)


def _chosen(values: NDArray[np.float64], label: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the value of the chosen class of each node."""
    return np.take_along_axis(values, label[:, np.newaxis], axis=1)[:, 0]


def _off(weights: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the sum of the weights outside the chosen class of each node.

    The other classes are added up, instead of subtracting the chosen one from the total, so that
    pure leaves give exactly 0.0 for all weights.
    """
    others = weights.copy()
    np.put_along_axis(others, chosen[:, np.newaxis], 0.0, axis=1)
    off: NDArray[np.float64] = others.sum(axis=1)
    return off

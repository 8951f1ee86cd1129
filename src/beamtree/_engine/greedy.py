"""Greedy trees for problems with a cost matrix, of which the core sees only virtual rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.special import xlogy

from beamtree import _core
from beamtree._engine.tree_arrays import TreeArrays

# Gains that differ by less, as a share of the weight, are equal; then the first feature is taken.
TIE = 1e-9
# Number of rows that are added up at a time, and of sums that are held in memory at a time.
BLOCK = 1 << 14
MOST_SUMS = 1 << 21

Impurity = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class _Rows(NamedTuple):
    """Some rows of a table: their numbers, classes and weights."""

    X: NDArray[np.uint8]
    row: NDArray[np.intp]
    codes: NDArray[np.int32]
    weight: NDArray[np.float64]
    n_classes: int

    def only(self, kept: NDArray[np.bool_]) -> Self:
        return self._replace(row=self.row[kept], codes=self.codes[kept], weight=self.weight[kept])


def entropy(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of the last axis, times the weight."""
    total = weight.sum(axis=-1)
    nats: NDArray[np.float64] = xlogy(total, total) - xlogy(weight, weight).sum(axis=-1)
    return nats


def gini(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Gini impurity of the last axis, times the weight."""
    total = weight.sum(axis=-1)
    squares = (weight**2).sum(axis=-1)
    share = np.divide(squares, total, out=np.zeros_like(total), where=total > 0.0)
    impure: NDArray[np.float64] = total - share
    return impure


def greedy_tree(
    X: NDArray[np.uint8],
    codes: NDArray[np.int32],
    weight: NDArray[np.float64],
    n_classes: int,
    *,
    max_depth: int,
    min_rows: int,
    impurity: Impurity,
) -> TreeArrays:
    """Grow the greedy tree, all nodes of one level at the same time.

    Parameters
    ----------
    X, codes, weight : ndarray
        The rows, with positive weights.
    n_classes : int
        Number of classes.
    max_depth : int
        Largest depth.
    min_rows : int
        Smallest number of rows in a leaf.
    impurity : callable
        `entropy` or `gini`.

    Returns
    -------
    TreeArrays
        The tree, without splits that gain nothing. Of equally good features the first is taken.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.greedy import gini, greedy_tree
    >>> X = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.uint8)
    >>> codes = np.array([0, 0, 1], dtype=np.int32)
    >>> tree = greedy_tree(X, codes, np.ones(3), 2, max_depth=2, min_rows=1, impurity=gini)
    >>> tree.feature.tolist()
    [0, -1, -1]
    """
    feature, left = [-1], [-1]
    rows = _Rows(X, np.arange(len(X)), codes, weight, n_classes)
    place = np.zeros(len(X), dtype=np.intp)  # position of each row's node in the level
    nodes = np.zeros(1, dtype=np.intp)
    for _ in range(max_depth):
        best = _best_features(rows, place, len(nodes), min_rows, impurity)
        split = best >= 0
        if not split.any():
            break
        number = np.cumsum(split) - 1  # position of each node among those that are split
        for at in np.flatnonzero(split):
            feature[nodes[at]] = int(best[at])
            left[nodes[at]] = len(feature) + 2 * int(number[at])
        children = 2 * int(split.sum())
        nodes = np.arange(len(feature), len(feature) + children)
        feature += [-1] * children
        left += [-1] * children
        goes_on = split[place]
        rows, place = rows.only(goes_on), place[goes_on]
        place = 2 * number[place] + X[rows.row, best[place]]
    begin = np.array(left, dtype=np.int32)
    return TreeArrays(
        np.array(feature, dtype=np.int32), begin, np.where(begin < 0, begin, begin + 1)
    )


def _best_features(
    rows: _Rows, place: NDArray[np.intp], n_nodes: int, min_rows: int, impurity: Impurity
) -> NDArray[np.intp]:
    """Return the feature of the largest gain at each node, -1 if no feature gains anything."""
    best = np.full(n_nodes, -1, dtype=np.intp)
    step = max(MOST_SUMS // (rows.X.shape[1] * rows.n_classes), 1)
    for start in range(0, n_nodes, step):
        here = (place >= start) & (place < start + step)
        size = min(step, n_nodes - start)
        some = rows.only(here) if size < n_nodes else rows
        gain = _gains(some, place[here] - start, size, min_rows, impurity)
        largest = gain.max(axis=1)
        # The first of the features whose gains are equal up to rounding errors.
        first = (gain >= largest[:, np.newaxis] * (1.0 - TIE)).argmax(axis=1)
        best[start : start + size] = np.where(largest > 0.0, first, -1)
    return best


def _gains(
    rows: _Rows, place: NDArray[np.intp], n_nodes: int, min_rows: int, impurity: Impurity
) -> NDArray[np.float64]:
    """Return the gain of each feature at each node; 0 if a leaf would have too few rows."""
    cell = place * rows.n_classes + rows.codes
    shape = (n_nodes, rows.n_classes, -1)
    sums = _sums(rows, cell, rows.weight, n_nodes * rows.n_classes).reshape(shape)
    one = sums[:, :, 1:].swapaxes(1, 2)  # (nodes, features, classes)
    both = sums[:, np.newaxis, :, 0]
    zero = np.maximum(both - one, 0.0)
    gain = impurity(both) - impurity(one) - impurity(zero)
    gain[gain <= TIE * both.sum(axis=2)] = 0.0
    if min_rows > 1:  # a split that gains anything has at least one row on both sides
        count = _sums(rows, place, np.ones(len(place)), n_nodes)
        smaller = np.minimum(count[:, 1:], count[:, :1] - count[:, 1:])
        gain[smaller < min_rows] = 0.0
    return gain


def _sums(
    rows: _Rows, group: NDArray[np.intp], weight: NDArray[np.float64], n_groups: int
) -> NDArray[np.float64]:
    """Return the weight of each group, followed by that of its rows in which a feature is 1."""
    sums = np.zeros((n_groups, 1 + rows.X.shape[1]))
    for start in range(0, len(rows.row), BLOCK):
        part = slice(start, start + BLOCK)
        entries = (weight[part], (group[part], np.arange(len(group[part]))))
        by_group = scipy.sparse.csr_array(entries, shape=(n_groups, len(group[part])))
        sums[:, 0] += by_group.sum(axis=1)
        sums[:, 1:] += by_group @ rows.X[rows.row[part]].astype(np.float64)
    return sums


def cheapest_greedy_tree(
    X: NDArray[np.uint8],
    codes: NDArray[np.int32],
    weight: NDArray[np.float64],
    cost_matrix: NDArray[np.float64],
    *,
    max_depth: int,
    min_rows: int,
    price: float,
) -> TreeArrays:
    """Return the better one of the greedy trees by information gain and by Gini impurity.

    Parameters
    ----------
    X, codes, weight : ndarray
        The rows, with positive weights.
    cost_matrix : ndarray of float64, shape (n_classes, n_classes)
        Costs of mistakes.
    max_depth, min_rows : int
        As in `greedy_tree`.
    price : float
        Cost of a leaf.

    Returns
    -------
    TreeArrays
        The tree of lower cost.
    """
    rows = (X, codes, weight, len(cost_matrix))
    trees = [
        greedy_tree(*rows, max_depth=max_depth, min_rows=min_rows, impurity=impurity)
        for impurity in (entropy, gini)
    ]

    def cost(tree: TreeArrays) -> float:
        class_weight, _ = _core.recount(*rows, *tree)
        leaf = tree.feature < 0
        paid = (class_weight[leaf] @ cost_matrix).min(axis=1).sum()
        return float(paid) + price * (int(leaf.sum()) - 1)

    return min(trees, key=cost)

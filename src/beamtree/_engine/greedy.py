"""Greedy trees, for problems whose first tree the core cannot know: it sees virtual rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.special import xlogy

from beamtree import _core
from beamtree._engine.tree_arrays import TreeArrays

# Gains this close, as a share of the weight, are equal, and the first feature is taken.
TIE = 1e-9
# Rows that are added up at a time, and sums that are held at a time.
BLOCK = 1 << 14
MOST_SUMS = 1 << 21

Impurity = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class _Rows(NamedTuple):
    """Rows of a table, by their numbers, with the classes and weights of these."""

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
    """Grow the greedy tree, all nodes of a level at once.

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
        The tree; splits that gain nothing are left out, and the first of equal features is taken.

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
    place = np.zeros(len(X), dtype=np.intp)  # of each row among the nodes of the level
    nodes = np.zeros(1, dtype=np.intp)
    for _ in range(max_depth):
        best = _best_features(rows, place, len(nodes), min_rows, impurity)
        split = best >= 0
        if not split.any():
            break
        number = np.cumsum(split) - 1  # of each node among those that split
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
    """Return the feature of the largest gain at each node, -1 where none gains."""
    best = np.full(n_nodes, -1, dtype=np.intp)
    step = max(MOST_SUMS // (rows.X.shape[1] * rows.n_classes), 1)
    for start in range(0, n_nodes, step):
        here = (place >= start) & (place < start + step)
        size = min(step, n_nodes - start)
        some = rows.only(here) if size < n_nodes else rows
        gain = _gains(some, place[here] - start, size, min_rows, impurity)
        largest = gain.max(axis=1)
        # The first of those that are equal, but for the noise of doubles.
        first = (gain >= largest[:, np.newaxis] * (1.0 - TIE)).argmax(axis=1)
        best[start : start + size] = np.where(largest > 0.0, first, -1)
    return best


def _gains(
    rows: _Rows, place: NDArray[np.intp], n_nodes: int, min_rows: int, impurity: Impurity
) -> NDArray[np.float64]:
    """Return what each feature gains at each node; 0 where it may not be tested."""
    cell = place * rows.n_classes + rows.codes
    shape = (n_nodes, rows.n_classes, -1)
    sums = _sums(rows, cell, rows.weight, n_nodes * rows.n_classes).reshape(shape)
    one = sums[:, :, 1:].swapaxes(1, 2)  # (nodes, features, classes)
    both = sums[:, np.newaxis, :, 0]
    zero = np.maximum(both - one, 0.0)
    gain = impurity(both) - impurity(one) - impurity(zero)
    gain[gain <= TIE * both.sum(axis=2)] = 0.0
    if min_rows > 1:  # what gains has a row on both sides
        count = _sums(rows, place, np.ones(len(place)), n_nodes)
        smaller = np.minimum(count[:, 1:], count[:, :1] - count[:, 1:])
        gain[smaller < min_rows] = 0.0
    return gain


def _sums(
    rows: _Rows, group: NDArray[np.intp], weight: NDArray[np.float64], n_groups: int
) -> NDArray[np.float64]:
    """Return the weight of each group, then, in more columns, of its rows with each feature."""
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
    """Return the better of the greedy trees by information gain and by Gini.

    Parameters
    ----------
    X, codes, weight : ndarray
        The rows, with positive weights.
    cost_matrix : ndarray of float64, shape (n_classes, n_classes)
        Costs of mistakes.
    max_depth, min_rows : int
        As in `greedy_tree`.
    price : float
        Price of a leaf.

    Returns
    -------
    TreeArrays
        The tree that costs less.
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

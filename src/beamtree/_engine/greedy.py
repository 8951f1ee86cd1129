"""Greedy trees for problems with costs of mistakes, of which the core sees only virtual rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.special import xlogy

from beamtree._engine.tree_arrays import TreeArrays
from beamtree._table.ranks import RankedRows

# Gains that differ by less, as a share of the weight, are equal; then the first feature is taken.
TIE = 1e-9
# Number of rows that are added up at a time, and of sums that are held in memory at a time.
BLOCK = 1 << 14
MOST_SUMS = 1 << 21

# X, classes, weights, and the number of classes.
Rows = tuple[RankedRows | NDArray[np.uint8], NDArray[np.int32], NDArray[np.float64], int]
Impurity = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class _Rows(NamedTuple):
    """Some rows of a table: their numbers, classes and weights."""

    X: RankedRows | NDArray[np.uint8]
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


def misclassified(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of the last axis outside its largest class."""
    off: NDArray[np.float64] = weight.sum(axis=-1) - weight.max(axis=-1)
    return off


def greedy_tree(
    X: RankedRows | NDArray[np.uint8],
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
    X : RankedRows or ndarray of uint8
        The rows.
    codes, weight : ndarray
        Their classes and their positive weights.
    n_classes : int
        Number of classes.
    max_depth : int
        Largest depth.
    min_rows : int
        Smallest number of rows in a leaf.
    impurity : callable
        `entropy`, `gini` or `misclassified`.

    Returns
    -------
    TreeArrays
        The tree over the tests of the search. A node with rows of several classes is split even if
        no test gains anything by itself, because the splits below may. Of equally good tests the
        first is taken.

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
        best = _best_tests(rows, place, len(nodes), min_rows, impurity)
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
        place = 2 * number[place] + _goes_right(X, rows.row, best[place])
    begin = np.array(left, dtype=np.int32)
    return TreeArrays(
        np.array(feature, dtype=np.int32), begin, np.where(begin < 0, begin, begin + 1)
    )


def _goes_right(
    X: RankedRows | NDArray[np.uint8], row: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[Any]:
    """Return for each row whether its test sends it right."""
    if isinstance(X, np.ndarray):
        return X[row, test]
    ends = np.cumsum(X.cuts, dtype=np.int64)
    order = np.searchsorted(ends, test, side="right")
    return X.rank[order, row] > test - (ends - X.cuts)[order]


def _best_tests(
    rows: _Rows, place: NDArray[np.intp], n_nodes: int, min_rows: int, impurity: Impurity
) -> NDArray[np.intp]:
    """Return the test of the largest gain at each node, -1 if the node is pure or too small."""
    if isinstance(rows.X, np.ndarray):
        best, gain = _best_features(rows, rows.X, place, n_nodes, min_rows, impurity)
    else:
        best, gain = _best_cuts(rows, rows.X, place, n_nodes, min_rows, impurity)
    classes = np.zeros((n_nodes, rows.n_classes), dtype=np.bool_)
    classes[place, rows.codes] = True
    return np.where((classes.sum(axis=1) > 1) & (gain >= 0.0), best, -1)


def _best_cuts(
    rows: _Rows,
    X: RankedRows,
    place: NDArray[np.intp],
    n_nodes: int,
    min_rows: int,
    impurity: Impurity,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the best cut of all orders at each node, and its gain; -1 without a cut."""
    best, largest = np.full(n_nodes, -1, dtype=np.intp), np.full(n_nodes, -1.0)
    total = np.zeros((n_nodes, rows.n_classes))
    np.add.at(total, (place, rows.codes), rows.weight)
    impure, slack = impurity(total), TIE * total.sum(axis=1)
    size = np.bincount(place, minlength=n_nodes)
    begin = np.cumsum(size) - size
    by_class = np.zeros((len(place) + 1, rows.n_classes))
    first = 0
    for rank, cuts in zip(X.rank, X.cuts.tolist(), strict=True):
        key = place * (cuts + 1) + rank[rows.row]
        order = np.argsort(key)
        key = key[order]
        by_class[1:] = 0.0
        by_class[1 + np.arange(len(order)), rows.codes[order]] = rows.weight[order]
        np.cumsum(by_class, axis=0, out=by_class)
        # The positions before which a rank ends and a larger one of the same node begins.
        node = place[order]
        at = 1 + np.flatnonzero((key[1:] != key[:-1]) & (node[1:] == node[:-1]))
        node = node[at]
        inside = (at - begin[node] >= min_rows) & (begin[node] + size[node] - at >= min_rows)
        at, node = at[inside], node[inside]
        if len(at):
            left = by_class[at] - by_class[begin[node]]
            right = np.maximum(total[node] - left, 0.0)
            gain = impure[node] - impurity(left) - impurity(right)
            gain[gain <= slack[node]] = 0.0
            starts = np.flatnonzero(np.diff(node, prepend=-1))
            most = np.full(n_nodes, -1.0)
            most[node[starts]] = np.maximum.reduceat(gain, starts)
            # The first of the cuts whose gains are equal up to rounding errors.
            equal = np.flatnonzero(gain >= most[node] * (1.0 - TIE))
            _, one = np.unique(node[equal], return_index=True)
            chosen = equal[one]
            where = node[chosen]
            better = most[where] * (1.0 - TIE) > largest[where]
            chosen, where = chosen[better], where[better]
            # Of the cuts that separate the rows in this way, the first one.
            best[where] = first + key[at[chosen] - 1] - where * (cuts + 1)
            largest[where] = most[where]
        first += cuts
    return best, largest


def _best_features(
    rows: _Rows,
    X: NDArray[np.uint8],
    place: NDArray[np.intp],
    n_nodes: int,
    min_rows: int,
    impurity: Impurity,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the best column of zeros and ones at each node, and its gain; -1 without a cut."""
    best, most = np.full(n_nodes, -1, dtype=np.intp), np.full(n_nodes, -1.0)
    if not X.shape[1]:
        return best, most
    step = max(MOST_SUMS // (X.shape[1] * rows.n_classes), 1)
    for start in range(0, n_nodes, step):
        here = (place >= start) & (place < start + step)
        size = min(step, n_nodes - start)
        some = rows.only(here) if size < n_nodes else rows
        gain = _gains(some, X, place[here] - start, size, min_rows, impurity)
        largest = gain.max(axis=1)
        # The first of the features whose gains are equal up to rounding errors.
        first = (gain >= largest[:, np.newaxis] * (1.0 - TIE)).argmax(axis=1)
        best[start : start + size], most[start : start + size] = first, largest
    return best, most


def _gains(
    rows: _Rows,
    X: NDArray[np.uint8],
    place: NDArray[np.intp],
    n_nodes: int,
    min_rows: int,
    impurity: Impurity,
) -> NDArray[np.float64]:
    """Return the gain of each feature at each node; -1 if a leaf would have too few rows."""
    cell = place * rows.n_classes + rows.codes
    shape = (n_nodes, rows.n_classes, -1)
    sums = _sums(X, rows.row, cell, rows.weight, n_nodes * rows.n_classes).reshape(shape)
    one = sums[:, :, 1:].swapaxes(1, 2)  # (nodes, features, classes)
    both = sums[:, np.newaxis, :, 0]
    zero = np.maximum(both - one, 0.0)
    gain = impurity(both) - impurity(one) - impurity(zero)
    gain[gain <= TIE * both.sum(axis=2)] = 0.0
    if min_rows > 1 or (gain.max(axis=1) == 0.0).any():
        # A split that gains anything has at least one row on both sides, others may not.
        count = _sums(X, rows.row, place, np.ones(len(place)), n_nodes)
        smaller = np.minimum(count[:, 1:], count[:, :1] - count[:, 1:])
        gain[smaller < min_rows] = -1.0
    return gain


def _sums(
    X: NDArray[np.uint8],
    row: NDArray[np.intp],
    group: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_groups: int,
) -> NDArray[np.float64]:
    """Return the weight of each group, followed by that of its rows in which a feature is 1."""
    sums = np.zeros((n_groups, 1 + X.shape[1]))
    for start in range(0, len(row), BLOCK):
        part = slice(start, start + BLOCK)
        entries = (weight[part], (group[part], np.arange(len(group[part]))))
        by_group = scipy.sparse.csr_array(entries, shape=(n_groups, len(group[part])))
        sums[:, 0] += by_group.sum(axis=1)
        sums[:, 1:] += by_group @ X[row[part]].astype(np.float64)
    return sums


def greedy_trees_of_costs(
    rows: Rows, virtual: Rows, *, max_depth: int, min_rows: int, copies: int
) -> list[TreeArrays]:
    """Return greedy trees for rows whose mistakes have costs.

    Parameters
    ----------
    rows : tuple
        X, classes, positive weights, and the number of classes.
    virtual : tuple
        The same of the virtual rows, whose misclassified weight is the cost.
    max_depth, min_rows : int
        As in `greedy_tree`.
    copies : int
        Number of virtual rows per row, if `min_rows` is above 1.

    Returns
    -------
    list of TreeArrays
        The greedy trees by information gain and by Gini impurity, which want pure leaves, and the
        one by cost, each of whose splits saves the most.
    """
    trees = [
        greedy_tree(*rows, max_depth=max_depth, min_rows=min_rows, impurity=impurity)
        for impurity in (entropy, gini)
    ]
    by_cost = greedy_tree(
        *virtual, max_depth=max_depth, min_rows=min_rows * copies, impurity=misclassified
    )
    return [*trees, by_cost]

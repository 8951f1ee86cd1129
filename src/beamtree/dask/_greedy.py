"""The greedy tree over all thresholds, grown level by level in passes over the partitions.

A search over some thresholds starts from this tree, so that it is no worse. On one machine, the
core grows it over the sorted rows (core/sorted/sorted_greedy.cpp). Here a pass counts the classes
of each value in each leaf, column by column, so that the rows themselves stay where they are. Gains
are rounded as they are there, so that the trees are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.integer_weights import integer_problem
from beamtree._engine.native import rows_of_leaf
from beamtree._engine.settings import Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._table.columns import Columns
from beamtree._table.learn_tests import AddedTests, describe, learn_column
from beamtree._table.learned_column import LearnedColumn, RankedColumn
from beamtree._table.orders import Orders
from beamtree._table.values import CategoryColumn, Column
from beamtree.dask._columns import CollectionColumns
from beamtree.dask._distinct import Cells
from beamtree.dask._rows import ExactRank, search_holds_bits
from beamtree.tree import Tree

GAIN_UNIT = 2.0**40  # gains are rounded to multiples of its inverse
N_GAINS = 2  # information gain, and Gini
# Larger squares of numbers of rows are not exact as floats.
MOST_ROWS = 2**26


class Split(NamedTuple):
    """A test of a column, which sends a row left if its rank is 0.

    Parameters
    ----------
    rank : ExactRank
        The ranks 0 and 1 of the values of the column.
    order : RankedColumn
        An order with the test as its only cut.
    learned : LearnedColumn
        The column, without its orders.
    """

    rank: ExactRank
    order: RankedColumn
    learned: LearnedColumn


@dataclass(eq=False)
class Node:
    """A node of a greedy tree.

    Parameters
    ----------
    weight : ndarray of int64, shape (n_classes,)
        Number of rows of each class.
    """

    weight: NDArray[np.int64]
    split: Split | None = None
    children: list[Node] = field(default_factory=list)
    gain: int | None = None
    left: NDArray[np.int64] | None = None

    @property
    def errors(self) -> int:
        """Number of rows that a leaf misclassifies."""
        return int(self.weight.sum() - self.weight.max())

    def take(self, gain: int, left: NDArray[np.int64], split: Split) -> None:
        """Remember the best split so far."""
        self.gain, self.left, self.split = gain, left, split

    def grow(self) -> list[Node]:
        """Make the children of the best split, and return them."""
        if self.split is not None and self.left is not None:
            self.children = [Node(self.left), Node(self.weight - self.left)]
        return self.children


class LeafNumbers(NamedTuple):
    """The leaves of several trees, by which the rows of a partition are numbered.

    Parameters
    ----------
    columns : list of int
        The columns that the trees test.
    described : Columns
        How these columns are encoded.
    trees : list
        For each tree its nodes, in an order in which parents come first: the position of the
        tested column in `columns`, how it is ranked, and the numbers of the children. None for a
        leaf.
    """

    columns: list[int]
    described: Columns | None
    trees: list[list[tuple[int, ExactRank, int, int] | None]]

    def leaves(self, X: Any) -> NDArray[np.int32]:
        """Return one number per row, which stands for its leaves in all trees."""
        number = np.zeros(len(X), dtype=np.int32)
        encoded = () if self.described is None else self.described.encode(X)
        for tree in self.trees:
            at = np.zeros(len(X), dtype=np.int64)
            for node, step in enumerate(tree):
                if step is None:
                    continue
                place, rank, left, right = step
                here = np.flatnonzero(at == node)
                goes_right = rank.rank(encoded[place][here]) > 0
                at[here] = np.where(goes_right, right, left)
            number = (number * len(tree) + at).astype(np.int32)
        return number


class GreedyGrowth:
    """Two greedy trees, by information gain and by Gini.

    Parameters
    ----------
    columns : CollectionColumns
        The columns of the collections, all of which have been visited.
    settings : Settings
        The settings of the search.
    """

    def __init__(self, columns: CollectionColumns, settings: Settings) -> None:
        assert settings.max_depth is not None
        self._columns, self._depth = columns, int(settings.max_depth)
        self._most = settings.max_thresholds
        weight = columns.targets.n_rows
        rows = weight.sum(keepdims=True)
        problem = integer_problem(np.ones(1), settings.leaf_penalty, settings.max_depth, count=rows)
        self._unit, self._penalty = problem.unit, problem.penalty
        total = float(max(rows[0], 2))
        self._log_unit = 2.0 ** (60 - np.ceil(np.log2(total * np.log2(total))))
        self._roots = [Node(weight) for _ in range(N_GAINS)]
        self._cuts: list[int] = []

    @staticmethod
    def can_grow(columns: CollectionColumns, settings: Settings) -> bool:
        """Return whether the greedy trees of a problem can be grown here.

        Parameters
        ----------
        columns : CollectionColumns
            The columns of the collections.
        settings : Settings
            The settings of the search.

        Returns
        -------
        bool
            True if every mistake costs the weight of its row, which is 1, and if only the depth
            limits a tree.
        """
        targets = columns.targets
        return (
            not (targets.numbers or targets.weighted)
            and settings.class_weight is None
            and settings.cost_matrix is None
            and settings.max_depth is not None
            and settings.max_leaf_nodes is None
            and settings.min_weight_fraction_leaf == 0
            and rows_of_leaf(settings.min_samples_leaf, columns.n_rows) == 1
            and columns.n_rows < MOST_ROWS
        )

    def grow(self) -> TreeWithColumns | None:
        """Grow the trees.

        Returns
        -------
        TreeWithColumns or None
            The best one, or a leaf if it costs no more; None if a search over all thresholds would
            hold the rows as columns of bits, where the core takes other ways.
        """
        open_nodes = [[root] for root in self._roots]
        for level in range(self._depth):
            wanted = [[node for node in nodes if not self._is_closed(node)] for nodes in open_nodes]
            if not any(wanted):
                break
            self._find_splits()
            if level == 0 and search_holds_bits(np.array(self._cuts, dtype=np.int32)):
                return None
            open_nodes = [[child for node in nodes for child in node.grow()] for nodes in wanted]
        root = self._roots[0]
        best, cost, leaves = Node(root.weight), self._unit * root.errors, 1
        for root in self._roots:
            tree_cost = self._pruned(root)
            tree_leaves = _n_leaves(root)
            if (tree_cost, tree_leaves) < (cost, leaves):
                best, cost, leaves = root, tree_cost, tree_leaves
        return self._whole(best)

    def _is_closed(self, node: Node) -> bool:
        return self._unit * node.errors <= self._penalty or int(node.weight.sum()) < 2

    def _pruned(self, node: Node) -> int:
        """Return the cost of a tree, after splits that do not lower it have become leaves."""
        leaf = self._unit * node.errors
        if not node.children:
            return leaf
        cost = self._penalty + sum(self._pruned(child) for child in node.children)
        if cost < leaf:
            return cost
        node.children = []
        return leaf

    def _find_splits(self) -> None:
        """Pass over the columns, and find the best splits of all leaves that are not closed."""
        numbered = [_numbered(root) for root in self._roots]
        sizes = [len(nodes) for nodes in numbered]
        leaf_of = self._leaf_numbers(numbered)
        self._cuts = []

        def see(j: int, column: Column, cells: Cells) -> None:
            labels, leaves = cells.keys
            learned = self._learn(j, column, cells)
            self._cuts += [_n_cuts(order) for order in learned.orders]
            at = np.unravel_index(leaves, sizes)
            for order in learned.orders:
                same: dict[bytes, tuple[NDArray[Any], NDArray[Any]]] = {}
                for which, nodes in enumerate(numbered):
                    for number, node in enumerate(nodes):
                        if node.children or self._is_closed(node):
                            continue
                        here = at[which] == number
                        key = np.packbits(here).tobytes() if len(self._roots) > 1 else b""
                        if key not in same:
                            same[key] = _by_rank(
                                order.rank[here].astype(np.int64),
                                labels[here],
                                cells.n_rows[here],
                                _n_cuts(order) + 1,
                                len(node.weight),
                            )
                        self._consider(node, which, j, learned, order, *same[key])

        self._columns.visit(range(self._columns.n_columns), see, with_classes=True, leaf_of=leaf_of)

    def _learn(self, j: int, column: Column, cells: Cells) -> LearnedColumn:
        """Learn all tests of a column, with the ranks of its cells."""
        labels = cells.keys[0] if isinstance(column, CategoryColumn) else None
        weight = cells.n_rows.astype(np.float64)
        where = self._columns.table.where(j)
        return learn_column(column, weight, labels, None, AddedTests(), where)

    def _consider(
        self,
        node: Node,
        which: int,
        j: int,
        learned: LearnedColumn,
        order: RankedColumn,
        ranks: NDArray[np.intp],
        weight: NDArray[np.int64],
    ) -> None:
        """Take the best split of a node by one order, if it is better than the ones before."""
        if len(ranks) < 2:
            return
        total = int(node.weight.sum())
        left = np.cumsum(weight, axis=1)[:, :-1]
        right = node.weight[:, np.newaxis] - left
        on_left = _added(left)
        if which == 0:
            logs = self._logs(left) + self._logs(right)
            both = self._log(on_left) + self._log(total - on_left)
            purity = (logs - both) / self._log_unit
        else:
            purity = _squares(left) / on_left + _squares(right) / (total - on_left)
        gain = np.rint(purity / float(total) * GAIN_UNIT).astype(np.int64)
        gain[_skipped(weight)] = np.iinfo(np.int64).min
        best = int(gain.argmax())
        if node.gain is not None and gain[best] <= node.gain:
            return
        low, high = int(ranks[best]), int(ranks[best + 1])
        cut = low + (high - low + 1) // 2
        node.take(int(gain[best]), left[:, best].copy(), _split(j, learned, order, cut))

    def _logs(self, weight: NDArray[np.int64]) -> NDArray[np.int64]:
        return _added(self._log(one) for one in weight)

    def _log(self, weight: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return weights times their logarithms, as multiples of a unit."""
        known = np.maximum(weight, 1).astype(np.float64)
        logs: NDArray[np.float64] = known * np.log2(known) * self._log_unit
        return np.rint(logs).astype(np.int64)

    def _leaf_numbers(self, numbered: list[list[Node]]) -> LeafNumbers:
        splits = [node.split for nodes in numbered for node in nodes if node.children]
        learned = {split.rank.column: split.learned for split in splits if split is not None}
        columns = sorted(learned)
        described = describe([learned[j] for j in columns], None)[0] if columns else None
        trees: list[list[tuple[int, ExactRank, int, int] | None]] = []
        for nodes in numbered:
            number = {id(node): k for k, node in enumerate(nodes)}
            steps: list[tuple[int, ExactRank, int, int] | None] = []
            for node in nodes:
                if not node.children or node.split is None:
                    steps.append(None)
                    continue
                rank = node.split.rank
                left, right = (number[id(child)] for child in node.children)
                steps.append((columns.index(rank.column), rank, left, right))
            trees.append(steps)
        return LeafNumbers(columns, described, trees)

    def _whole(self, root: Node) -> TreeWithColumns:
        """Return a tree over the columns of the table."""
        nodes = _numbered(root)
        number = {id(node): k for k, node in enumerate(nodes)}
        splits = [node.split for node in nodes if node.children and node.split is not None]
        order = [split.order for split in splits]
        orders = Orders(
            np.array([split.rank.column for split in splits], dtype=np.intp),
            [one.groups for one in order],
            np.array([one.missing_first for one in order], dtype=np.bool_),
            np.array([one.asks_if_missing for one in order], dtype=np.bool_),
            [one.low for one in order],
            [one.high for one in order],
            [one.time for one in order],
        )
        feature, left, right = (np.full(len(nodes), -1, dtype=np.int32) for _ in range(3))
        test = 0
        for k, node in enumerate(nodes):
            if not node.children:
                continue
            feature[k], test = test, test + 1
            left[k], right[k] = (number[id(child)] for child in node.children)
        weight = np.array([node.weight for node in nodes])
        tree = Tree.from_search(
            feature, left, right, weight.astype(np.float64), weight.sum(axis=1), max(test, 1)
        )
        table = self._columns.table
        learned = self._columns.learn(self._most, {})
        for split in splits:
            learned[split.rank.column] = split.learned
        described = describe(learned, table.shown_names)[0]
        return TreeWithColumns(orders.tree_over_columns(tree, len(learned)), described)


def _by_rank(
    rank: NDArray[np.int64],
    labels: NDArray[Any],
    n_rows: NDArray[np.int64],
    n_ranks: int,
    n_classes: int,
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the ranks that occur, and the number of rows of each class for each of them."""
    rank += labels * np.int64(n_ranks)
    sums = np.bincount(rank, n_rows, n_ranks * n_classes).astype(np.int64)
    weight = sums.reshape(n_classes, n_ranks)
    ranks = np.flatnonzero(_added(weight))
    return ranks, weight if len(ranks) == n_ranks else weight[:, ranks]


def _skipped(weight: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the splits that are between two single rows of the same class.

    Their gain is not larger than that of a split beside them, and the core skips them.
    """
    single = _added(weight) == 1
    pairs = np.flatnonzero(single[:-1] & single[1:])
    same = (weight[:, pairs] == weight[:, pairs + 1]).all(axis=0)
    skipped: NDArray[np.intp] = pairs[same]
    return skipped


def _added(of_classes: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the sum over the classes; NumPy is slow along an axis of few elements."""
    total = np.zeros(0, dtype=np.int64)
    for one in of_classes:
        total = total + one if len(total) else one
    return total


def _squares(weight: NDArray[np.int64]) -> NDArray[np.float64]:
    total = np.zeros(weight.shape[1])
    for one in weight:
        total += one.astype(np.float64) ** 2
    return total


def _n_cuts(order: RankedColumn) -> int:
    inner = len(order.low) if order.groups is None else len(order.groups)
    return inner + order.asks_if_missing


def _split(j: int, learned: LearnedColumn, order: RankedColumn, cut: int) -> Split:
    """Return a cut of an order, from 1 on, as an order with this cut alone."""
    inner = _n_cuts(order) - order.asks_if_missing
    asks = cut > inner
    groups = order.groups
    if groups is not None:
        inside = tuple(sorted(one for group in groups[:cut] for one in group))
        groups = () if asks else (inside,)
    low, high = (side[cut - 1 : cut].copy() for side in (order.low, order.high))
    alone = order._replace(
        rank=np.empty(0, dtype=np.uint32),
        low=low,
        high=high,
        groups=groups,
        asks_if_missing=asks,
    )
    missing = 0 if order.missing_first else 1
    return Split(ExactRank(j, groups, high, missing), alone, learned._replace(orders=[]))


def _numbered(root: Node) -> list[Node]:
    """Return the nodes of a tree, parents first."""
    nodes = [root]
    for node in nodes:
        nodes += node.children
    return nodes


def _n_leaves(root: Node) -> int:
    return sum(not node.children for node in _numbered(root))

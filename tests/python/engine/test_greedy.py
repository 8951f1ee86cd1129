"""The greedy tree of rows with real weights is the one of the oracle."""

import numpy as np
import pytest

import beamtree._engine.greedy
from beamtree._engine.costs import virtual_rows
from beamtree._engine.greedy import (
    entropy,
    gini,
    greedy_tree,
    greedy_trees_of_costs,
    misclassified,
)
from beamtree._table.ranks import RankedRows
from tests import oracle


def nested(tree, node=0):
    """Return a tree in the form of the oracle."""
    if tree.feature[node] < 0:
        return None
    sides = (nested(tree, side[node]) for side in (tree.left, tree.right))
    return (int(tree.feature[node]), *sides)


def rows(seed, count=80, features=6, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (count, features), dtype=np.uint8)
    y = np.where(rng.random(count) < 0.4, rng.integers(0, classes, count), X[:, 0] + X[:, 1])
    return X, y.astype(np.int32), rng.integers(1, 5, count).astype(float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("min_rows", [1, 4])
@pytest.mark.parametrize("impurity", [entropy, gini])
def test_the_tree_is_that_of_the_oracle(seed, min_rows, impurity, monkeypatch):
    X, y, weight = rows(seed)
    settings = {"max_depth": 4, "min_rows": min_rows, "impurity": impurity}
    tree = greedy_tree(X, y, weight, 3, **settings)
    assert nested(tree) == oracle.greedy(X, y, weight, 3, 4, min_rows, impurity.__name__)
    # The sizes of the blocks of rows and of nodes change nothing.
    monkeypatch.setattr(beamtree._engine.greedy, "BLOCK", 7)
    monkeypatch.setattr(beamtree._engine.greedy, "MOST_SUMS", 50)
    assert nested(greedy_tree(X, y, weight, 3, **settings)) == nested(tree)


def test_pure_rows_are_a_leaf():
    tree = greedy_tree(
        np.eye(4, dtype=np.uint8),
        np.zeros(4, dtype=np.int32),
        np.ones(4),
        2,
        max_depth=3,
        min_rows=1,
        impurity=entropy,
    )
    assert [array.tolist() for array in tree] == [[-1], [-1], [-1]]


def test_the_greedy_trees_of_costs():
    costs = np.array([[0, 1, 5], [2, 0, 1], [9, 1, 0.5]])
    cheaper = 0
    for seed in range(20):
        X, y, weight = rows(seed)
        cost = costs[y]
        virtual = virtual_rows(weight, cost, counted=True)
        of_costs = (X[virtual.row], virtual.codes, virtual.weight, 3)
        trees = greedy_trees_of_costs(
            (X, y, weight, 3), of_costs, max_depth=3, min_rows=3, copies=virtual.copies
        )
        found = [nested(tree) for tree in trees]
        assert found[:2] == [
            oracle.greedy(X, y, weight, 3, 3, 3, criterion) for criterion in ("entropy", "gini")
        ]
        leaves = [oracle.enumeration.leaves_of(tree, X) for tree in found]
        assert all(len(leaf) >= 3 for tree in leaves for leaf in tree)
        paid = [
            sum((weight[leaf, None] * cost[leaf]).sum(axis=0).min() for leaf in tree)
            for tree in leaves
        ]
        cheaper += paid[2] < min(paid[:2])
    assert cheaper


def ranked(seed, count=60, orders=3):
    """Return rows as ranks, with classes and weights."""
    rng = np.random.default_rng(seed)
    ranks = [np.unique(rng.integers(0, 9, count), return_inverse=True)[1] for _ in range(orders)]
    rank = np.array(ranks, dtype=np.uint32)
    y = np.where(rng.random(count) < 0.4, rng.integers(0, 3, count), (rank[0] > 3) + (rank[1] > 5))
    X = RankedRows(rank, rank.max(axis=1).astype(np.int32))
    return X, y.astype(np.int32), rng.integers(1, 5, count).astype(float)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("min_rows", [1, 4])
@pytest.mark.parametrize("impurity", [entropy, gini, misclassified])
def test_ranks_give_the_same_tree_as_zeros_and_ones(seed, min_rows, impurity):
    X, y, weight = ranked(seed)
    settings = {"max_depth": 4, "min_rows": min_rows, "impurity": impurity}
    tree = greedy_tree(X, y, weight, 3, **settings)
    assert nested(tree) == nested(greedy_tree(X.fails(), y, weight, 3, **settings))


def test_impure_nodes_are_split_without_gain():
    X = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]], dtype=np.uint8)
    y = np.array([0, 1, 1, 0], dtype=np.int32)
    cuts = np.ones(3, dtype=np.int32)
    for rows_of in (X, RankedRows(np.ascontiguousarray(X.T, dtype=np.uint32), cuts)):
        settings = {"max_depth": 2, "min_rows": 1, "impurity": gini}
        tree = greedy_tree(rows_of, y, np.ones(4), 2, **settings)
        # The first column is constant, so that it cannot split.
        assert nested(tree) == (1, (2, None, None), (2, None, None))
        large = greedy_tree(rows_of, y, np.ones(4), 2, **settings | {"min_rows": 3})
        assert nested(large) is None


def test_rows_without_tests_are_a_leaf():
    empty = RankedRows(np.empty((0, 2), dtype=np.uint32), np.empty(0, dtype=np.int32))
    y = np.array([0, 1], dtype=np.int32)
    for rows_of in (empty, np.empty((2, 0), dtype=np.uint8)):
        tree = greedy_tree(rows_of, y, np.ones(2), 2, max_depth=2, min_rows=1, impurity=gini)
        assert nested(tree) is None

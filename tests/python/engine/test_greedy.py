"""The greedy tree of rows with real weights is the one of the oracle."""

import numpy as np
import pytest

import beamtree._engine.greedy
from beamtree._engine.greedy import cheapest_greedy_tree, entropy, gini, greedy_tree
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


def test_the_cheaper_of_two_greedy_trees_is_taken():
    costs = np.array([[0, 1, 5], [2, 0, 1], [9, 1, 0.5]])
    differ = 0
    for seed in range(20):
        X, y, weight = rows(seed)
        settings = {"max_depth": 3, "min_rows": 3}
        cost = {}
        for impurity in (entropy, gini):
            tree = greedy_tree(X, y, weight, 3, **settings, impurity=impurity)
            leaves = oracle.enumeration.leaves_of(nested(tree), X)
            paid = sum((weight[leaf, None] * costs[y[leaf]]).sum(axis=0).min() for leaf in leaves)
            cost[nested(tree)] = paid + 2.0 * (len(leaves) - 1)
        differ += len(set(cost.values())) > 1
        best = cheapest_greedy_tree(X, y, weight, costs, **settings, price=2.0)
        assert cost[nested(best)] == pytest.approx(min(cost.values()))
    assert differ

"""Heuristics: the order in which features are tried."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier
from beamtree._engine.strategy import HEURISTICS, heuristic_options
from beamtree.datasets import load_binarized, tic_tac_toe
from tests.python.rules.own_rules import Listening


@pytest.mark.parametrize("name", HEURISTICS)
def test_heuristics_are_values(name):
    heuristic = HEURISTICS[name]()
    assert deepcopy(heuristic) == heuristic
    assert pickle.loads(pickle.dumps(heuristic)) == heuristic
    assert hash(heuristic) == hash(deepcopy(heuristic))
    assert heuristic_options(heuristic) == heuristic_options(name) == {"heuristic": name}


@pytest.mark.parametrize("rule", [None, "auto", "discrepancy", "gain", "top-k"])
@pytest.mark.parametrize("name", HEURISTICS)
def test_every_heuristic_proves_the_optimum(name, rule):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=4, rule=rule, heuristic=name).fit(X, y)
    assert (clf.status_, clf.objective_) == ("optimal", 137)


def entropy(weight):
    share = weight[weight > 0] / weight.sum()
    return -(share * np.log2(share)).sum()


def gini(weight):
    return 1 - ((weight / weight.sum()) ** 2).sum()


def error(weight):
    return 1 - weight.max() / weight.sum()


def gain(impurity, X, y):
    """Return the gain of every column."""
    gains = []
    for column in X.T:
        sides = [np.bincount(y[column == side], minlength=3) for side in (0, 1)]
        after = sum(side.sum() / len(y) * impurity(side) for side in sides)
        gains.append(impurity(np.bincount(y)) - after)
    return np.array(gains)


def gain_ratio(X, y):
    ones = X.sum(axis=0)
    return gain(entropy, X, y) / [entropy(np.array([one, len(y) - one])) for one in ones]


def at_the_root(heuristic):
    """Return the contexts that a rule gets for the splits of the root, ordered by rank."""
    X, y, _, _ = load_binarized("wine")
    X = X[:, :12]
    rule = Listening()
    OptimalTreeClassifier(max_depth=2, rule=rule, heuristic=heuristic, exact_levels=0).fit(X, y)
    splits = {child.rank: child for child in rule.children if child.level == 1}
    assert list(splits) == list(range(len(splits)))
    assert len(splits) > 3
    return X, y, list(splits.values())


EXPECTED = {
    "information_gain": lambda X, y: gain(entropy, X, y),
    "gain_ratio": gain_ratio,
    "gini": lambda X, y: gain(gini, X, y),
    "error": lambda X, y: gain(error, X, y),
}


@pytest.mark.parametrize("heuristic", EXPECTED)
def test_gains(heuristic):
    X, y, splits = at_the_root(heuristic)
    expected = EXPECTED[heuristic](X, y)
    np.testing.assert_allclose(
        [split.gain for split in splits], expected[[split.feature for split in splits]], atol=1e-9
    )
    np.testing.assert_allclose([split.best_gain for split in splits], expected.max(), atol=1e-9)
    assert (np.diff([split.gain for split in splits]) <= 0).all()


def test_given_is_the_order_of_the_columns():
    _, _, splits = at_the_root("given")
    features = [split.feature for split in splits]
    assert features == sorted(features)

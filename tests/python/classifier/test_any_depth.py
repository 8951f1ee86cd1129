"""Trees of any depth, which need a price per leaf or a limit of leaves."""

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree.datasets import tic_tac_toe
from beamtree.export.json import from_json, to_json
from tests.unfinished import unfinished


def test_any_depth_needs_a_price():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.raises(ValueError, match="max_depth must be an integer unless leaf_penalty"):
        OptimalTreeClassifier(max_depth=None).fit(X, y)
    with pytest.raises(ValueError, match="max_depth must be an integer unless leaf_penalty"):
        Search(X, y, max_depth=None)
    clf = OptimalTreeClassifier(max_depth=None, leaf_penalty=0.1).fit(X, y)
    assert clf.status_ == "optimal"
    assert clf.n_errors_ == 0
    assert clf.objective_ == pytest.approx(3 * 0.1 * 4)


def one_column_per_class(n_classes):
    """Return rows that only a chain of splits can tell apart: each column is 1 for one class."""
    return np.eye(n_classes, dtype=np.uint8).repeat(2, axis=0), np.arange(n_classes).repeat(2)


@pytest.mark.parametrize("rule", ["auto", None])
@pytest.mark.parametrize("numbers", [False, True])
def test_an_optimal_tree_is_deeper_than_twenty(rule, numbers):
    X, y = one_column_per_class(30)
    table = X * 1.5 + 0.25 if numbers else X
    clf = OptimalTreeClassifier(max_depth=None, leaf_penalty=0.001, rule=rule, time_limit=30)
    clf.fit(table, y)
    assert clf.status_ == "optimal"
    assert clf.n_errors_ == 0
    assert clf.get_n_leaves() == 30
    assert clf.get_depth() == 29
    assert (clf.predict(table) == y).all()
    again = from_json(to_json(clf), OptimalTreeClassifier())
    assert (again.predict(table) == y).all()


def test_the_depth_limit_does_not_change_the_optimum_where_it_does_not_bind():
    X, y, _, _ = tic_tac_toe()
    results = [
        OptimalTreeClassifier(max_depth=depth, leaf_penalty=0.02, time_limit=60).fit(X, y)
        for depth in (None, 20, 8)
    ]
    assert [clf.status_ for clf in results] == ["optimal"] * 3
    assert len({round(clf.objective_, 6) for clf in results}) == 1
    least = min(each.lower_bound for each in results[0].alternatives_)
    assert least == pytest.approx(results[0].objective_)


def test_weights_and_costs():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 6))
    y = (X[:, 0] ^ X[:, 1] | X[:, 2]) ^ (rng.random(60) < 0.1)
    weight = rng.integers(1, 5, 60)
    costs = [[0, 1], [3, 0]]
    deep, limited = (
        OptimalTreeClassifier(max_depth=depth, leaf_penalty=0.01, cost_matrix=costs).fit(
            X, y, weight
        )
        for depth in (None, 6)  # no column is of use twice on a path
    )
    assert deep.status_ == limited.status_ == "optimal"
    assert deep.objective_ == pytest.approx(limited.objective_)


@unfinished
def test_limits_leave_a_fitted_classifier():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (300, 40)), rng.integers(0, 2, 300)
    clf = OptimalTreeClassifier(max_depth=None, leaf_penalty=0.002, time_limit=0.2).fit(X, y)
    assert clf.status_ == "time_limit"
    assert 0 < clf.lower_bound_ <= clf.objective_
    assert clf.n_errors_ == (clf.predict(X) != y).sum()

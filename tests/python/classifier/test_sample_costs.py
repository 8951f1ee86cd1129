"""Costs per row in `fit`; tests/property/test_policies.py compares them with enumeration."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from beamtree import OptimalPolicyTree, OptimalTreeClassifier
from tests.python.problems import noisy_problem


def test_the_costs_of_a_matrix_for_each_row():
    X, y, rng = noisy_problem(1, 3, rows=80, features=6)
    costs = rng.integers(0, 6, (3, 3))
    for given in ({}, {"min_samples_leaf": 4}, {"leaf_penalty": 0.02}, {"class_weight": {0: 3}}):
        by_class = OptimalTreeClassifier(max_depth=3, cost_matrix=costs, **given).fit(X, y)
        by_row = OptimalTreeClassifier(max_depth=3, **given).fit(X, y, sample_costs=costs[y])
        assert by_row.objective_ == by_class.objective_
        assert by_row.lower_bound_ == by_class.lower_bound_
        assert by_row.n_errors_ == by_class.n_errors_
        assert_array_equal(by_row.predict(X), by_class.predict(X))


def test_costs_are_what_predictions_cost():
    X, y, rng = noisy_problem(2, 3, rows=80, features=6)
    costs, weight = rng.integers(0, 20, (80, 3)), rng.integers(0, 4, 80)
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y, weight, costs)
    paid = costs[np.arange(80), clf.predict(X)]
    assert clf.objective_ == clf.lower_bound_ == (weight * paid).sum()
    assert clf.proof_ == f"Proved optimal: objective {clf.objective_:,.6g}"
    assert clf.n_errors_ == ((clf.predict(X) != y) & (weight > 0)).sum()


def test_costs_are_rewards_with_the_other_sign():
    X, y, rng = noisy_problem(3, 3, rows=80, features=6)
    costs = rng.integers(0, 20, (80, 3))
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_costs=costs)
    policy = OptimalPolicyTree(max_depth=2).fit(X, -costs)
    assert policy.reward_ == -clf.objective_


def test_no_costs_are_no_costs():
    X, y, _ = noisy_problem(4, 2)
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_costs=np.zeros((len(y), 2)))
    assert (clf.objective_, clf.status_, clf.get_n_leaves()) == (0.0, "optimal", 1)


def test_a_warm_start_continues_with_equal_costs_only():
    X, y, rng = noisy_problem(5, 3, rows=80, features=6)
    costs = rng.integers(0, 9, (80, 3))
    clf = OptimalTreeClassifier(max_depth=3, warm_start=True).fit(X, y, sample_costs=costs)
    first, nodes = clf.objective_, clf.statistics_["nodes"]
    assert clf.fit(X, y, sample_costs=costs).statistics_["nodes"] == nodes
    assert clf.fit(X, y, sample_costs=2 * costs).objective_ == 2 * first


def test_metadata_routing():
    X, y, rng = noisy_problem(6, 2, rows=60, features=5)
    costs = rng.integers(1, 9, (60, 2)) * (1 - np.eye(2, dtype=int)[y])
    with config_context(enable_metadata_routing=True):
        clf = OptimalTreeClassifier(max_depth=2).set_fit_request(sample_costs=True)
        pipe = make_pipeline(FunctionTransformer(), clf).fit(X, y, sample_costs=costs)
        plain = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_costs=costs)
        assert pipe[-1].objective_ == plain.objective_
        search = GridSearchCV(clf, {"max_depth": [1, 2]}, cv=3).fit(X, y, sample_costs=costs)
        assert search.best_estimator_.proof_.startswith("Proved optimal: objective")


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], "Found input variables with inconsistent numbers of samples: [2, 1]"),
        (
            [[0, 1, 2]] * 2,
            (
                "sample_costs must have a column for each of the 2 labels ['no', 'yes'], got the "
                "shape (2, 3)"
            ),
        ),
        (
            [0, 1],
            (
                "sample_costs must be a table with one line per row and one column per label, got "
                "an array of shape (2,)"
            ),
        ),
        ([[0, 1], [-2, 0]], "sample_costs must be at least 0, got -2.0 for label no of row 1"),
        (
            [[0, 1], [np.inf, 0]],
            (
                "sample_costs must have finite numbers only, got inf (infinity or NaN) in row 1, "
                "column 0"
            ),
        ),
    ],
)
def test_costs_that_are_not_allowed(costs, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalTreeClassifier().fit([[0], [1]], ["no", "yes"], sample_costs=costs)


def test_costs_cannot_be_combined():
    costs = [[0, 1], [1, 0]]
    message = "cost_matrix must be None if there are sample_costs, which take its place"
    with pytest.raises(ValueError, match=f"^{message}$"):
        OptimalTreeClassifier(cost_matrix=costs).fit([[0], [1]], [0, 1], sample_costs=costs)
    clf = OptimalTreeClassifier(min_weight_fraction_leaf=0.1)
    message = "min_weight_fraction_leaf must be 0 if there are sample_costs, got 0.1"
    with pytest.raises(ValueError, match=f"^{message}$"):
        clf.fit([[0], [1]], [0, 1], sample_costs=costs)

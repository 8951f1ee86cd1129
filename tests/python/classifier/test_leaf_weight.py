"""`min_weight_fraction_leaf`: every leaf has a share of the weight."""

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (60, 5))
    y = rng.integers(0, 2, 60)
    return X, y, rng.integers(1, 9, 60)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.5])
def test_leaves_have_the_minimum_weight(share):
    X, y, weight = problem()
    clf = OptimalTreeClassifier(max_depth=3, min_weight_fraction_leaf=share).fit(X, y, weight)
    assert clf.status_ == "optimal"
    assert clf.tree_.weighted_n_node_samples.min() >= share * weight.sum()
    free = OptimalTreeClassifier(max_depth=3).fit(X, y, weight)
    assert clf.objective_ >= free.objective_
    assert Search(X, y, weight, max_depth=3, min_weight_fraction_leaf=share).run().objective == (
        clf.objective_
    )


def test_with_equal_weights_it_is_the_share_of_rows():
    X, y, _ = problem()
    by_weight = OptimalTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.1).fit(X, y)
    by_rows = OptimalTreeClassifier(max_depth=3, min_samples_leaf=6).fit(X, y)
    assert by_weight.objective_ == by_rows.objective_


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"min_weight_fraction_leaf": 0.6}, "a number from 0 to 0.5, got 0.6"),
        ({"min_weight_fraction_leaf": "0.1"}, "got '0.1'"),
        ({"min_weight_fraction_leaf": 0.1, "min_samples_leaf": 2}, "if min_samples_leaf is 2"),
        (
            {"min_weight_fraction_leaf": 0.1, "cost_matrix": [[0, 1], [2, 0]]},
            "if there is a cost_matrix",
        ),
    ],
)
def test_errors_name_what_is_wrong(parameters, words):
    X, y, _ = problem()
    with pytest.raises(ValueError, match="min_weight_fraction_leaf") as error:
        OptimalTreeClassifier(**parameters).fit(X, y)
    assert words in str(error.value)


def test_weights_that_cannot_be_exact_are_refused():
    X, y, _ = problem()
    weight = np.random.default_rng(1).random(60)
    with pytest.raises(ValueError, match="min_weight_fraction_leaf must be 0 unless the weights"):
        OptimalTreeClassifier(min_weight_fraction_leaf=0.1).fit(X, y, weight)


def test_weights_of_very_different_size_are_exact():
    X, y, _ = problem()
    weight = np.where(y == 0, 1000.0, 0.0001)
    clf = OptimalTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.1).fit(X, y, weight)
    assert clf.status_ == "optimal"
    assert clf.tree_.weighted_n_node_samples.min() >= 0.1 * weight.sum()


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_shares_of_numpy(kind):
    X, y, _ = problem()
    for share in (0.0, 0.25):
        clf = OptimalTreeClassifier(max_depth=2, min_weight_fraction_leaf=kind(share)).fit(X, y)
        assert clf.tree_.n_node_samples.min() >= share * len(X)

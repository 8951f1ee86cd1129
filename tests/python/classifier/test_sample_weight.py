"""Sample weights mean what they mean in scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.class_weight import compute_sample_weight

from beamtree import OptimalTreeClassifier
from beamtree.datasets import load_binarized, tic_tac_toe


def same_tree(first, second):
    for name in ("feature", "children_left", "children_right"):
        assert_array_equal(getattr(first.tree_, name), getattr(second.tree_, name))
    np.testing.assert_allclose(first.tree_.value, second.tree_.value, rtol=1e-12)
    np.testing.assert_allclose(
        first.tree_.weighted_n_node_samples, second.tree_.weighted_n_node_samples, rtol=1e-12
    )
    assert first.objective_ == pytest.approx(second.objective_, rel=1e-12)
    assert first.status_ == second.status_


@pytest.fixture
def noisy():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, (120, 8))
    y = np.where(rng.random(120) < 0.3, rng.integers(0, 3, 120), X[:, 0] + (X[:, 1] & X[:, 2]))
    return X, y, rng


def test_integer_weights_are_repeated_rows(noisy):
    X, y, rng = noisy
    weight = rng.integers(1, 6, len(y))
    weighted = OptimalTreeClassifier(max_depth=3).fit(X, y, weight)
    repeated = OptimalTreeClassifier(max_depth=3).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    same_tree(weighted, repeated)
    assert weighted.objective_ == repeated.n_errors_
    assert weighted.n_errors_ == (weighted.predict(X) != y).sum()
    assert weighted.tree_.n_node_samples[0] == len(y)


def test_zero_weights_are_dropped_rows(noisy):
    X, y, rng = noisy
    weight = rng.integers(0, 3, len(y)).astype(float)
    kept = weight > 0
    weighted = OptimalTreeClassifier(max_depth=3, min_samples_leaf=4).fit(X, y, weight)
    dropped = OptimalTreeClassifier(max_depth=3, min_samples_leaf=4)
    dropped.fit(X[kept], y[kept], weight[kept])
    same_tree(weighted, dropped)
    assert_array_equal(weighted.tree_.n_node_samples, dropped.tree_.n_node_samples)
    assert weighted.n_errors_ == dropped.n_errors_


def test_a_class_of_weight_zero_stays_a_class():
    clf = OptimalTreeClassifier().fit([[0], [1], [1]], ["a", "b", "c"], [1, 1, 0])
    assert clf.classes_.tolist() == ["a", "b", "c"]
    assert clf.tree_.value[1:, 0].tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("weight", [1, 0.1, 1 / 3, 1e6])
def test_equal_weights_are_no_weights(noisy, weight):
    X, y, _ = noisy
    plain = OptimalTreeClassifier(max_depth=3).fit(X, y)
    weighted = OptimalTreeClassifier(max_depth=3).fit(X, y, np.full(len(y), weight))
    assert_array_equal(plain.tree_.feature, weighted.tree_.feature)
    assert weighted.objective_ == pytest.approx(weight * plain.objective_)
    assert (weighted.status_, weighted.rounding_) == ("optimal", 0.0)
    assert weighted.lower_bound_ == weighted.objective_
    assert plain.n_errors_ == weighted.n_errors_


def test_one_number_is_the_weight_of_every_row(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y, sample_weight=2.0)
    assert clf.objective_ == 2 * clf.n_errors_


def test_objective_is_the_weight_of_the_errors(noisy):
    X, y, rng = noisy
    weight = np.exp(rng.normal(0, 1.5, len(y)))
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y, weight)
    wrong = clf.predict(X) != y
    assert clf.objective_ == pytest.approx(weight[wrong].sum(), rel=1e-12)
    assert clf.n_errors_ == wrong.sum()
    assert clf.status_ == "optimal"
    assert 0 < clf.rounding_ < 1e-9 * weight.sum()
    assert 0 < clf.objective_ - clf.lower_bound_ <= clf.rounding_
    assert clf.gap_ == (clf.objective_ - clf.lower_bound_) / clf.objective_
    assert clf.trace_[-1]["lower_bound"] == clf.lower_bound_
    assert clf.trace_[-1]["objective"] == clf.objective_
    assert clf.n_leaves_bound_ == 1
    unweighted = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert clf.lower_bound_ <= weight[unweighted.predict(X) != y].sum()


def test_a_tree_without_errors_is_optimal_despite_rounding():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (50, 3))
    clf = OptimalTreeClassifier(max_depth=2).fit(X, X[:, 0] ^ X[:, 1], rng.random(50) + 0.1)
    assert (clf.status_, clf.objective_, clf.lower_bound_, clf.gap_) == ("optimal", 0, 0, 0)
    assert clf.rounding_ > 0


def test_probabilities_are_weighted():
    clf = OptimalTreeClassifier(leaf_smoothing=None)
    clf.fit([[0], [0], [1]], [0, 1, 0], [1.0, 3.0, 2.5])
    np.testing.assert_allclose(clf.predict_proba([[0], [1]]), [[0.25, 0.75], [1, 0]])
    assert clf.predict([[0]]) == [1]


def test_balanced_weights_are_exact():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y, compute_sample_weight("balanced", y))
    assert (clf.status_, clf.rounding_) == ("optimal", 0.0)


def test_penalty_is_a_share_of_the_weight():
    X, y, _, _ = load_binarized("wine")
    weight = np.where(y == 0, 5.0, 1.0)
    clf = OptimalTreeClassifier(max_depth=3, leaf_penalty=0.01).fit(X, y, weight)
    wrong = weight[clf.predict(X) != y].sum()
    price = 0.01 * weight.sum() * (clf.get_n_leaves() - 1)
    assert clf.objective_ == pytest.approx(wrong + price)


def test_huge_weights_do_not_spoil_the_greedy_tree():
    X = np.array([[i >> j & 1 for j in range(6)] for i in range(64)])
    weight = 2.0**43 + np.arange(64) % 5
    clf = OptimalTreeClassifier(max_depth=4, time_limit=0).fit(X, X[:, 2], sample_weight=weight)
    assert clf.objective_ == 0
    assert clf.get_n_leaves() == 2


def test_twenty_one_rows_with_real_weights_end_with_a_proof():
    rng = np.random.default_rng(0)
    X, y, weight = rng.integers(0, 2, (21, 5)), rng.integers(0, 2, 21), rng.random(21)
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y, weight)
    assert clf.status_ == "optimal"
    assert 0 < clf.gap_ < 1e-8
    assert clf.rounding_ < 1e-9 * weight.sum()
    read = OptimalTreeClassifier.from_json(clf.to_json())
    assert (read.status_, read.proof_, read.gap_) == (clf.status_, clf.proof_, clf.gap_)
    refused = clf.to_json().replace(f'"rounding": {clf.rounding_!r}', '"rounding": 0.0')
    with pytest.raises(ValueError, match=r"search.status must not be 'optimal' if"):
        OptimalTreeClassifier.from_json(refused)


@pytest.mark.parametrize("max_depth", [2, 3])
@pytest.mark.parametrize("raw", [True, False])
def test_adaboost_runs_on_proofs(raw, max_depth):
    if raw:
        X, y = load_wine(return_X_y=True)
        X = X[:, : 13 if max_depth == 2 else 3]
    else:
        X, y, _, _ = tic_tac_toe()
    boosted = AdaBoostClassifier(OptimalTreeClassifier(max_depth=max_depth), n_estimators=6)
    boosted.fit(X, y)
    assert len(boosted.estimators_) > 1
    for tree in boosted.estimators_:
        assert tree.status_ == "optimal"
        assert tree.proof_.startswith("Proved optimal: ")
        assert 0 <= tree.objective_ - tree.lower_bound_ <= tree.rounding_ < 1e-9


@pytest.mark.parametrize("gap_limit", [0.0, 1e-12, 0.1])
def test_a_gap_limit_below_the_rounding_is_a_complete_search(noisy, gap_limit):
    X, y, rng = noisy
    weight = rng.random(len(y))
    clf = OptimalTreeClassifier(max_depth=3, gap_limit=gap_limit).fit(X, y, weight)
    if gap_limit < 0.1:
        assert clf.status_ == "optimal"
    assert clf.gap_ <= max(gap_limit, clf.rounding_ / clf.objective_)


def test_the_weight_of_leaves_is_not_rounded(noisy):
    X, y, rng = noisy
    clf = OptimalTreeClassifier(max_depth=2, min_weight_fraction_leaf=0.1)
    with pytest.raises(ValueError, match="multiples of a common unit"):
        clf.fit(X, y, rng.random(len(y)) + 1.0)

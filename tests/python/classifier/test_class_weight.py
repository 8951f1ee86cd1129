"""Class weights multiply the weights of the rows, before anything else."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.class_weight import compute_sample_weight

from beamtree import OptimalTreeClassifier, Search
from tests import oracle
from tests.unfinished import unfinished

NAMES = np.array(["blue", "green", "red"])


@pytest.fixture
def noisy():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 5))
    y = np.where(rng.random(60) < 0.4, rng.choice(3, 60, p=[0.8, 0.1, 0.1]), X[:, 0] + X[:, 1])
    return X, y, rng.integers(0, 4, 60).astype(float)


@pytest.mark.parametrize("class_weight", [{"blue": 0.5, "green": 3, "red": 1.25}, "balanced"])
@pytest.mark.parametrize("penalty", [0.0, 0.02])
def test_the_optimum_is_that_of_weighted_rows(noisy, class_weight, penalty):
    X, y, sample_weight = noisy
    clf = OptimalTreeClassifier(max_depth=2, leaf_penalty=penalty, class_weight=class_weight)
    clf.fit(X, NAMES[y], sample_weight)
    if class_weight == "balanced":
        totals = np.bincount(y, sample_weight)
        factor = totals.sum() / (3 * totals)
    else:
        factor = np.array([class_weight[name] for name in NAMES])
    weight = sample_weight * factor[y]
    best = oracle.best(X, y, weight, 3, 2, leaf_penalty=penalty)
    assert clf.status_ == "optimal"
    assert clf.objective_ == pytest.approx(float(best), rel=1e-9)
    assert clf.tree_.weighted_n_node_samples[0] == pytest.approx(weight.sum())


def test_balanced_means_the_same_as_in_scikit_learn(noisy):
    X, y, _ = noisy
    ours = OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y)
    theirs = OptimalTreeClassifier(max_depth=2).fit(X, y, compute_sample_weight("balanced", y))
    assert ours.objective_ == pytest.approx(theirs.objective_)
    assert_array_equal(ours.predict(X), theirs.predict(X))


def test_balanced_counts_a_row_of_weight_two_as_two_rows(noisy):
    X, y, sample_weight = noisy
    times = sample_weight.astype(int)
    weighted = OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y, sample_weight)
    repeated = OptimalTreeClassifier(max_depth=2, class_weight="balanced")
    repeated.fit(np.repeat(X, times, 0), np.repeat(y, times))
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_balanced_shares_the_weight_among_classes_that_have_any():
    X, y = [[0], [0], [1], [1]], ["a", "a", "b", "c"]
    clf = OptimalTreeClassifier(max_depth=0, class_weight="balanced").fit(X, y, [1, 1, 1, 0])
    assert_allclose(clf.tree_.value[0], [[0.5, 0.5, 0.0]])


def test_labels_that_a_dict_leaves_out_weigh_one():
    X, y = [[0]] * 5, ["a", "a", "b", "b", "b"]
    clf = OptimalTreeClassifier(max_depth=0, class_weight={"a": 2}).fit(X, y)
    assert clf.predict([[0]]) == "a"
    assert clf.objective_ == 3


def test_a_class_of_weight_zero_counts_for_nothing():
    X, y = [[0], [0], [1], [1]], [0, 0, 0, 1]
    clf = OptimalTreeClassifier(max_depth=1, class_weight={0: 0, 1: 1}).fit(X, y)
    assert clf.classes_.tolist() == [0, 1]
    assert clf.tree_.n_node_samples.tolist() == [1]
    assert clf.predict([[0], [1]]).tolist() == [1, 1]


@pytest.mark.parametrize("y", [[-1, 1, 1, 1], [1.0, 2.0, 2.0, 2.0], [False, True, True, True]])
def test_labels_of_all_kinds(y):
    clf = OptimalTreeClassifier(max_depth=0, class_weight={y[0]: 5.0}).fit([[0]] * 4, y)
    assert clf.predict([[0]]).tolist() == y[:1]


def test_class_weight_may_name_labels_that_y_lacks():
    clf = OptimalTreeClassifier(class_weight={0: 1.0, 1: 2.0, 2: 3.0}).fit([[0], [1]], [0, 1])
    assert clf.objective_ == 0


FOREIGN = (
    "class_weight must have the labels of y, [0, 1]: ['1'] are not labels of y, and [1] have no "
    "weight"
)
ALLOWED = (
    "class_weight must be None, 'balanced', or a dict from labels to finite numbers of at least "
    "0, got "
)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("even", ALLOWED + "'even'"),
        ({0: -1}, ALLOWED + "{0: -1}"),
        ({0: np.inf}, ALLOWED + "{0: inf}"),
        ({0: np.nan}, ALLOWED + "{0: nan}"),
        ({0: "1"}, ALLOWED + "{0: '1'}"),
        ([1, 2], ALLOWED + "[1, 2]"),
        ({0: 1, "1": 2}, FOREIGN),
        ({0: 0, 1: 0}, "class_weight must leave a row with a positive weight, got {0: 0, 1: 0}"),
    ],
)
def test_errors_name_what_is_wrong(class_weight, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalTreeClassifier(class_weight=class_weight).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Search([[0], [1]], [0, 1], class_weight=class_weight)


def test_a_search_is_saved_with_its_class_weights(noisy, tmp_path):
    X, y, sample_weight = noisy
    weights = {"red": np.float64(2.5), np.str_("green"): 3}
    search = Search(X, NAMES[y], sample_weight, max_depth=3, class_weight=weights)
    search.step()
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", X, NAMES[y], sample_weight)
    assert loaded.parameters["class_weight"] == {"red": 2.5, "green": 3}
    assert loaded.run().objective == search.run().objective


@unfinished
def test_a_warm_start_continues_with_equal_weights_only(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifier(max_depth=4, class_weight={0: 2}, warm_start=True, node_limit=1)
    first = clf.fit(X, y).objective_
    assert clf.set_params(node_limit=None, class_weight={0: 2.0}).fit(X, y).trace_[0][1] <= 1
    assert clf.objective_ <= first
    fresh = OptimalTreeClassifier(max_depth=4, class_weight={0: 3}).fit(X, y)
    assert clf.set_params(class_weight={0: 3}).fit(X, y).objective_ == fresh.objective_

"""Smoothed probabilities of leaves: their values, the order of the labels, weights, and exports."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV, Search, export_text
from beamtree.datasets import load_binarized
from beamtree.model_selection import penalty_path

SMOOTHINGS = ["laplace", 0.5, 2.0, 100.0]
STAIRS = [[0], [0], [0], [1], [1]], ["a", "a", "a", "b", "b"]


def fitted(smoothing, X, y, weight=None, **options):
    options = {"max_depth": 2, "leaf_smoothing": smoothing} | options
    return OptimalTreeClassifier(**options).fit(X, y, weight)


def test_laplace_adds_a_row_of_each_class_and_is_the_default():
    clf = OptimalTreeClassifier(max_depth=1).fit([[0], [0], [0], [1]], ["a", "a", "a", "b"])
    assert_allclose(clf.predict_proba([[0], [1]]), [[4 / 5, 1 / 5], [1 / 3, 2 / 3]])
    assert clf.leaf_smoothing == "laplace"


def test_a_number_adds_rows_of_the_parent():
    clf = fitted(2.0, [[0], [0], [0], [1]], ["a", "a", "a", "b"], max_depth=1)
    root = np.array([3 + 1, 1 + 1]) / 6  # two more rows, one of each class
    left, right = (np.array([3, 0]) + 2 * root) / 5, (np.array([0, 1]) + 2 * root) / 3
    assert_allclose(clf.predict_proba([[0], [1]]), [left, right])
    # With 20 more rows, the only row of the right leaf would lose; its label stays the likeliest.
    clf = fitted(20.0, [[0], [0], [0], [1]], ["a", "a", "a", "b"], max_depth=1)
    assert_allclose(clf.predict_proba([[1]])[0], [0.5, 0.5], atol=1e-6)
    assert clf.predict_proba([[1]])[0].argmax() == 1


@pytest.mark.parametrize("off", [None, 0, 0.0])
def test_without_smoothing_probabilities_are_shares(off):
    clf = fitted(off, [[0], [0], [0], [1]], ["a", "a", "a", "b"])
    assert clf.predict_proba([[0], [1]]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("seed", range(3))
def test_the_predicted_label_stays_the_most_probable_one(smoothing, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (60, 6)), rng.integers(0, 4, 60)  # with many ties
    for weight in (None, rng.random(60), 10.0 ** rng.integers(-20, 3, 60), np.full(60, 1 / 60)):
        clf = fitted(smoothing, X, y, weight, max_depth=4)
        found = clf.predict_proba(X)
        assert_array_equal(clf.classes_[found.argmax(axis=1)], clf.predict(X))
        assert_array_equal(found.astype(np.float32).argmax(axis=1), found.argmax(axis=1))
        assert_allclose(found.sum(axis=1), 1.0)
        assert (found > 0).all()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_ties_go_to_the_first_label(smoothing):
    X, y = [[0]] * 4 + [[1]] * 20, ["a", "b", "a", "b"] + ["b"] * 20
    for labels in (y, [{"a": "z"}.get(label, label) for label in y]):
        clf = fitted(smoothing, X, labels, max_depth=0)
        assert clf.classes_[clf.predict_proba([[0]]).argmax()] == clf.predict([[0]])[0]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_costs_decide_the_prediction_and_not_the_probabilities(smoothing):
    """The most probable label is the same as without smoothing, and so is the prediction."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (80, 5)), rng.integers(0, 3, 80)
    costs = [[0, 1, 5], [9, 0, 2], [1, 1, 0]]
    plain, clf = (fitted(one, X, y, cost_matrix=costs) for one in (None, smoothing))
    assert_array_equal(clf.predict(X), plain.predict(X))
    most = plain.predict_proba(X).argmax(axis=1)
    assert_array_equal(clf.predict_proba(X).argmax(axis=1), most)
    assert (clf.classes_[most] != clf.predict(X)).any()


def test_weights_count_as_rows_unless_their_mean_is_below_one():
    X, y = STAIRS
    weight = np.array([2, 1, 3, 2, 1])
    rows = np.repeat(np.arange(5), weight)
    twice = fitted("laplace", X, y, weight)
    repeated = fitted("laplace", np.array(X)[rows], np.array(y)[rows])
    assert_allclose(twice.predict_proba(X), repeated.predict_proba(X))
    plain = fitted("laplace", X, y).predict_proba(X)
    for scale in (1.0, 0.2, 1e-9):
        assert_allclose(fitted("laplace", X, y, np.full(5, scale)).predict_proba(X), plain)
    assert_allclose(fitted("laplace", X, y, np.full(5, 10.0)).predict_proba(X)[0, 0], 31 / 32)


def test_a_log_loss_is_never_infinite():
    X, y, _, _ = load_binarized("wine")
    losses = {}
    for smoothing in (None, "laplace", 2.0):
        clf = fitted(smoothing, X[::2], y[::2], max_depth=3)
        losses[smoothing] = log_loss(y[1::2], clf.predict_proba(X[1::2]))
    assert losses[None] > 2.0
    assert losses["laplace"] < 0.6
    assert losses[2.0] < 0.9


def test_exports_have_the_smoothed_probabilities_and_the_real_shares():
    X, y = STAIRS
    clf = fitted("laplace", X, y)
    probabilities = clf.predict_proba(X)
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert_array_equal(again.predict_proba(X), probabilities)
    nodes = json.loads(clf.to_json())["nodes"]
    assert nodes[1]["shares"] == [1.0, 0.0]
    assert nodes[1]["probabilities"] == [0.8, 0.2]
    assert_allclose(clf.to_sklearn().predict_proba(X), probabilities)
    # The text counts the training rows.
    assert export_text(clf).splitlines()[-1] == "  no: a (3 rows, 100%)"
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(clf.to_onnx().SerializeToString())
    found = session.run(["probabilities"], {"X": np.array(X, dtype=np.float32)})[0]
    assert_allclose(found, probabilities, rtol=1e-6)


def test_searches_and_paths_and_cross_validation_pass_it_on():
    X, y, _, _ = load_binarized("iris")
    search = Search(X, y, max_depth=2)
    search.run()
    assert (search.to_classifier().predict_proba(X) > 0).all()
    assert (penalty_path(X, y, max_depth=2).classifier().predict_proba(X) > 0).all()
    for smoothing in (None, "laplace"):
        clf = OptimalTreeClassifierCV(
            OptimalTreeClassifier(leaf_smoothing=smoothing),
            max_depths=(2,),
            cv=3,
            scoring="neg_log_loss",
        ).fit(X, y)
        assert clf.best_estimator_.leaf_smoothing == smoothing
        assert (clf.predict_proba(X) > 0).all() == (smoothing is not None)
    grid = GridSearchCV(
        OptimalTreeClassifier(2),
        {"leaf_smoothing": [None, "laplace", 1.0]},
        cv=3,
        scoring="neg_log_loss",
    ).fit(X, y)
    assert grid.best_params_["leaf_smoothing"] is not None


@pytest.mark.parametrize("wrong", ["lap", -1, np.inf, True, [1]])
def test_bad_values(wrong):
    words = "leaf_smoothing must be None, 'laplace' or a finite number of at least 0, got "
    with pytest.raises(ValueError, match=words):
        fitted(wrong, *STAIRS)

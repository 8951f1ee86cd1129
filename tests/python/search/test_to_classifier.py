"""The classifier of a search: `Search.to_classifier`."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from beamtree import OptimalTreeClassifier, Search, export_text
from beamtree.datasets import monks, tic_tac_toe


@pytest.fixture
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


def assert_same(first, second):
    """Assert that two classifiers have the same tree and the same results of the search."""
    for name in ("status_", "objective_", "lower_bound_", "gap_", "n_errors_", "rounding_"):
        assert getattr(first, name) == getattr(second, name)
    for name in ("feature", "threshold", "children_left", "children_right", "value"):
        np.testing.assert_array_equal(getattr(first.tree_, name), getattr(second.tree_, name))
    np.testing.assert_array_equal(first.classes_, second.classes_)
    np.testing.assert_array_equal(first.trace_["objective"], second.trace_["objective"])
    assert first.n_features_in_ == second.n_features_in_
    assert first.search_space_ == second.search_space_
    assert export_text(first) == export_text(second)


def test_it_is_the_classifier_that_fit_gives(boards):
    X, y = boards
    search = Search(X, y, max_depth=3, leaf_penalty=0.01)
    search.run()
    clf = search.to_classifier()
    fitted = OptimalTreeClassifier(max_depth=3, leaf_penalty=0.01).fit(X, y)
    assert_same(clf, fitted)
    assert vars(clf).keys() == vars(fitted).keys()
    np.testing.assert_array_equal(clf.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(clf.predict_proba(X), fitted.predict_proba(X))
    assert clf.score(X, y) == 1 - clf.n_errors_ / len(y)
    assert str(clf.alternatives_) == str(fitted.alternatives_)
    assert str(clf) == str(fitted)
    first, second, *_ = str(clf).splitlines()
    assert first == f"Proved optimal: objective {clf.objective_:g}"
    assert second == "OptimalTreeClassifier(leaf_penalty=0.01, max_depth=3)"


def test_it_has_the_problem_and_the_strategy_as_parameters(boards):
    settings = {"max_depth": 2, "class_weight": "balanced", "rule": "top-k", "max_thresholds": 5}
    search = Search(*boards, **settings, node_limit=3, callback=print, on_interrupt="raise")
    clf = search.to_classifier()
    assert clf.get_params() == OptimalTreeClassifier(**settings).get_params()
    assert clone(clf).fit(*boards).objective_ == search.run(node_limit=10**6).objective


def test_columns_and_labels_of_any_kind():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"age": [20, 30, 40, None], "colour": ["red", "blue", "red", "green"]})
    y = np.array(["no", "no", "yes", "yes"])
    search = Search(X, y, max_depth=2)
    search.run()
    clf = search.to_classifier()
    assert clf.feature_names_in_.tolist() == ["age", "colour"]
    assert clf.predict(X).tolist() == y.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(X.rename(columns={"age": "years"}))
    X = X[["colour"]].set_axis([7], axis=1)
    assert not hasattr(Search(X, y, max_depth=1).to_classifier(), "feature_names_in_")


def test_pickle_and_json(boards):
    X, y = boards
    search = Search(X, y, max_depth=3)
    search.run()
    clf = search.to_classifier()
    assert_same(pickle.loads(pickle.dumps(clf)), clf)
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert (again.status_, again.objective_) == ("optimal", clf.objective_)
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))


def test_a_search_that_has_not_begun(boards):
    clf = Search(*boards, max_depth=4).to_classifier(0)
    assert clf.status_ in ("time_limit", "running")
    assert clf.lower_bound_ <= 137 <= clf.objective_


def test_an_unfinished_search_continues_without_the_classifier(boards):
    X, y = boards
    search = Search(X, y, max_depth=4)
    search.run(node_limit=5)
    clf = search.to_classifier(0)
    before = clf.objective_, clf.lower_bound_, export_text(clf)
    assert clf.status_ == "node_limit"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()
    assert search.run(node_limit=10**9).status == "optimal"
    assert (clf.objective_, clf.lower_bound_, export_text(clf)) == before
    assert search.to_classifier().status_ == "optimal"


def test_a_search_from_a_checkpoint(boards, tmp_path):
    X, y = boards
    search = Search(X, y, max_depth=4, leaf_penalty=0.01)
    search.run(node_limit=5)
    search.save(tmp_path / "saved")
    loaded = Search.load(tmp_path / "saved", X, y)
    clf = loaded.to_classifier(0)
    assert clf.get_params()["leaf_penalty"] == 0.01
    assert clf.n_errors_ == (clf.predict(X) != y).sum()
    loaded.run()
    search.run(node_limit=10**9)
    assert_same(loaded.to_classifier(), search.to_classifier())


def test_weights_count():
    X, y, _, _ = monks(1)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    search = Search(X, y, weight, max_depth=2)
    search.run()
    assert_same(search.to_classifier(), OptimalTreeClassifier(max_depth=2).fit(X, y, weight))


@pytest.mark.parametrize("seconds", [-1, "long"])
def test_the_time_is_checked(boards, seconds):
    with pytest.raises(ValueError, match="time_limit must be None or a number of seconds"):
        Search(*boards, max_depth=1).to_classifier(seconds)

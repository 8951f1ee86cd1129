"""Depth, penalty and number of leaves chosen by cross validation."""

import os
import pickle
import re
import signal
from threading import Timer

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV, penalty_path
from beamtree.datasets import monks
from beamtree.model_selection._folds import Candidate, Score, choose, results_table


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (150, 6))
    y = np.where(rng.random(150) < 0.15, rng.integers(0, 2, 150), X[:, 0] & X[:, 1])
    return X, np.array(["no", "yes"])[y], rng.random(150) + 0.5


GRID = {"max_depths": (1, 2, 3), "leaf_penalties": (0.0, 0.01, 0.05)}


def test_scores_are_those_of_a_grid_search(noisy):
    """Initial trees change no score if every search ends with a proof and ties are rare."""
    X, y, weight = noisy
    grid = {"max_depth": [1, 2, 3], "leaf_penalty": [0.0, 0.01, 0.05]}
    theirs = GridSearchCV(OptimalTreeClassifier(), grid, cv=4).fit(X, y, sample_weight=weight)
    ours = OptimalTreeClassifierCV(**GRID, cv=4).fit(X, y, weight)
    place = {tuple(params.values()): at for at, params in enumerate(ours.cv_results_["params"])}
    order = [place[p["max_depth"], p["leaf_penalty"]] for p in theirs.cv_results_["params"]]
    for name in ("mean_test_score", "std_test_score", "split3_test_score", "rank_test_score"):
        assert_allclose(ours.cv_results_[name][order], theirs.cv_results_[name])
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert set(theirs.cv_results_) - {"rank_test_score"} <= set(ours.cv_results_)


def test_fitted_attributes(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(**GRID, cv=3).fit(X, y)
    at = clf.best_index_
    assert clf.best_params_ == clf.cv_results_["params"][at]
    assert clf.best_score_ == clf.cv_results_["mean_test_score"][at]
    assert clf.cv_results_["param_max_depth"][at] == clf.best_params_["max_depth"]
    assert (clf.n_splits_, clf.n_features_in_) == (3, 6)
    assert clf.classes_.tolist() == ["no", "yes"]
    best = clf.best_estimator_
    assert {name: best.get_params()[name] for name in clf.best_params_} == clf.best_params_
    assert best.init is None
    assert best.status_ == "optimal"
    assert_array_equal(clf.predict(X), best.predict(X))
    assert_array_equal(clf.predict_proba(X), best.predict_proba(X))
    assert_array_equal(clf.predict_log_proba(X), best.predict_log_proba(X))
    assert clf.score(X, y) == best.score(X, y)
    assert clf.score(X, y, np.arange(150)) == best.score(X, y, np.arange(150))
    assert clf.refit_time_ > 0
    assert clf.proof_ == clf.best_estimator_.proof_
    assert is_classifier(clf)


def test_penalties_of_the_path(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(max_depths=(2, 3), cv=3).fit(X, y)
    tried = {2: set(), 3: set()}
    for params in clf.cv_results_["params"]:
        tried[params["max_depth"]].add(params["leaf_penalty"])
    for depth, penalties in tried.items():
        path = penalty_path(X, y, max_depth=depth)
        assert penalties == set(path.table["leaf_penalty"])
    best = clf.best_params_
    path = penalty_path(X, y, max_depth=best["max_depth"])
    row = path.table[path.table["leaf_penalty"] == best["leaf_penalty"]][0]
    assert clf.best_estimator_.get_n_leaves() == row["leaves"]


def table_of(scores, leaves):
    """Return the results of candidates of one depth, given the scores of each on the folds."""
    candidates = [Candidate(3, 0.1 * at) for at in range(len(scores))]
    rows = [
        [Score(score, size, 0.0, 0.0, "optimal") for score in row]
        for row, size in zip(scores, leaves, strict=True)
    ]
    return results_table(candidates, rows)


def test_one_standard_error():
    scores = [[0.9, 1.0, 0.8, 0.9], [0.9, 0.9, 0.9, 0.8], [0.8, 0.8, 0.8, 0.8]]
    table = table_of(scores, leaves=[8, 4, 2])
    # The standard error of the first candidate is sqrt(0.02 / 3) / 2 = 0.041.
    assert choose(table, 4, one_standard_error=False) == 0
    assert choose(table, 4, one_standard_error=True) == 1
    assert table["rank_test_score"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("one_standard_error", [False, True])
def test_of_equal_scores_the_smallest_tree_is_chosen(one_standard_error):
    table = table_of([[0.5, 0.5]] * 4, leaves=[6, 3, 3, 9])
    assert choose(table, 2, one_standard_error=one_standard_error) == 2


def test_a_score_that_is_not_a_number_is_the_worst():
    table = table_of([[np.nan, 0.9], [0.1, 0.2]], leaves=[1, 9])
    assert choose(table, 2, one_standard_error=True) == 1
    assert table["rank_test_score"].tolist() == [2, 1]


def test_one_standard_error_gives_no_larger_tree(noisy):
    X, y, _ = noisy
    plain = OptimalTreeClassifierCV(cv=5).fit(X, y)
    small = OptimalTreeClassifierCV(cv=5, one_standard_error=True).fit(X, y)
    leaves = plain.cv_results_["mean_n_leaves"]
    assert leaves[small.best_index_] <= leaves[plain.best_index_]
    error = plain.cv_results_["std_test_score"][plain.best_index_] / np.sqrt(4)
    assert small.best_score_ >= plain.best_score_ - error - 1e-9


def test_fits_start_from_the_tree_of_the_neighbouring_penalty(noisy, monkeypatch):
    X, y, _ = noisy
    seen = []
    fit = OptimalTreeClassifier.fit

    def spy(self, *args, **kwargs):
        seen.append((self.max_depth, self.leaf_penalty, self.init))
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(OptimalTreeClassifier, "fit", spy)
    OptimalTreeClassifierCV(max_depths=(3,), leaf_penalties=(0.01, 0.0), cv=2).fit(X, y)
    checked, *fits, refit = seen
    assert checked == (0, 0.0, None)
    assert [penalty for _, penalty, _ in fits] == [0.0, 0.01] * 2
    assert [init is None for _, _, init in fits] == [True, False] * 2
    assert refit[2] is None
    seen.clear()
    OptimalTreeClassifierCV(max_depths=(3,), cv=2).fit(X, y)
    assert seen[-1][2] is not None
    seen.clear()
    given = OptimalTreeClassifier().fit(X, y).tree_
    OptimalTreeClassifierCV(OptimalTreeClassifier(init=given), **GRID, cv=2).fit(X, y)
    assert all(init is not None for depth, _, init in seen[2:])


def test_a_leaf_stays_one_with_larger_penalties(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(max_depths=(3,), leaf_penalties=(0.9, 1.0), cv=2).fit(X, y)
    assert clf.cv_results_["mean_fit_time"][1] == 0
    assert len(set(clf.cv_results_["mean_test_score"])) == 1
    assert clf.best_params_ == {"max_depth": 3, "leaf_penalty": 1.0}


def test_without_refit(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(**GRID, cv=2, refit=False).fit(X, y)
    assert not hasattr(clf, "best_estimator_")
    assert not hasattr(clf, "predict_proba")
    with pytest.raises(AttributeError, match="has no attribute 'predict'"):
        clf.predict(X)
    with pytest.raises(ValueError, match="without a best_estimator_, because refit=False"):
        clf.plot()
    assert str(clf) == repr(clf)


def test_unfitted():
    with pytest.raises(NotFittedError):
        OptimalTreeClassifierCV().predict([[0]])


def test_scoring(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(**GRID, cv=3, scoring="neg_log_loss").fit(X, y)
    assert clf.best_score_ < 0
    assert clf.score(X, y) == get_scorer("neg_log_loss")(clf.best_estimator_, X, y)


def test_a_scorer_without_weights(noisy):
    X, y, weight = noisy
    told = []

    def scorer(estimator, X, y):
        told.append(len(X))
        return estimator.score(X, y)

    OptimalTreeClassifierCV(max_depths=(1,), cv=3, scoring=scorer).fit(X, y, weight)
    assert set(told) == {50}


def test_groups(noisy):
    X, y, _ = noisy
    groups = np.arange(150) % 5
    clf = OptimalTreeClassifierCV(max_depths=(1, 2), cv=LeaveOneGroupOut())
    assert clf.fit(X, y, groups=groups).n_splits_ == 5
    with pytest.raises(TypeError, match="takes no parameter 'weights'; allowed are"):
        clf.fit(X, y, weights=groups)


def test_fits_in_parallel_are_the_same(noisy):
    X, y, weight = noisy
    alone = OptimalTreeClassifierCV(**GRID, cv=3).fit(X, y, weight)
    both = OptimalTreeClassifierCV(**GRID, cv=3, n_jobs=2).fit(X, y, weight)
    assert_array_equal(both.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    assert both.best_params_ == alone.best_params_


@pytest.fixture
def ctrl_c():
    """Make Ctrl-C raise, as it does for processes in the foreground."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("penalties", ["path", (0.0, 0.001)])
def test_ctrl_c_ends_the_cross_validation(penalties):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (2000, 40)), rng.integers(0, 2, 2000)
    clf = OptimalTreeClassifierCV(max_depths=(7,), leaf_penalties=penalties, time_limit=30)
    Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert not hasattr(clf, "best_estimator_")


def test_parameters_of_the_estimator_hold(noisy):
    X, y, _ = noisy
    inside = OptimalTreeClassifier(min_samples_leaf=20, class_weight="balanced")
    clf = OptimalTreeClassifierCV(inside, max_depths=(3,), cv=3, time_limit=5).fit(X, y)
    assert clf.best_estimator_.min_samples_leaf == 20
    assert clf.best_estimator_.time_limit == 5
    assert clf.best_estimator_.tree_.n_node_samples.min() >= 20
    assert inside.time_limit == 60.0


def test_a_fold_without_a_label_that_has_costs():
    X = np.tile([[0], [1]], (10, 1))
    y = np.array([0, 1] * 9 + [2, 1])
    costs = np.array([[0, 1, 9], [2, 0, 9], [3, 3, 0]])
    inside = OptimalTreeClassifier(cost_matrix=costs)
    folds = [(np.arange(18), np.arange(18, 20)), (np.arange(2, 20), np.arange(2))]
    clf = OptimalTreeClassifierCV(inside, max_depths=(1,), leaf_penalties=(0.0,), cv=folds)
    assert clf.fit(X, y).cv_results_["split0_test_score"].tolist() == [0.5]
    assert_array_equal(clf.best_estimator_.cost_matrix, costs)


def test_frames_and_lists():
    X, y, names, _ = monks(3)
    frame = pd.DataFrame(X, columns=names)
    clf = OptimalTreeClassifierCV(max_depths=(2, 3), cv=3).fit(frame, pd.Series(y))
    assert_array_equal(clf.feature_names_in_, names)
    assert clf.best_score_ == 1.0
    lists = OptimalTreeClassifierCV(max_depths=(2, 3), cv=3).fit(X.tolist(), y.tolist())
    assert not hasattr(lists, "feature_names_in_")
    assert lists.best_score_ == 1.0


def test_among_the_tools_of_scikit_learn(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(max_depths=(1, 2), cv=3)
    assert clone(clf).get_params() == clf.get_params()
    assert cross_val_score(make_pipeline(FunctionTransformer(), clf), X, y, cv=2).min() > 0.7
    twin = pickle.loads(pickle.dumps(clf.fit(X, y)))
    assert_array_equal(twin.predict(X), clf.predict(X))
    assert repr(clf) == "OptimalTreeClassifierCV(cv=3, max_depths=(1, 2))"


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_to_those_who_request_them(noisy):
    X, y, weight = noisy
    given = {**GRID, "cv": 3}
    scores = {}
    for fits, scored in ((True, True), (True, False), (False, True)):
        inside = OptimalTreeClassifier().set_fit_request(sample_weight=fits)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=scored)
        clf = OptimalTreeClassifierCV(inside, **given, scoring=scorer)
        clf.fit(X, y, sample_weight=weight)
        scores[fits, scored] = tuple(clf.cv_results_["mean_test_score"])
        assert (clf.best_estimator_.tree_.weighted_n_node_samples[0] == 150) == (not fits)
    assert len(set(scores.values())) == 3
    alone = OptimalTreeClassifierCV(**given).fit(X, y, weight)
    assert tuple(alone.cv_results_["mean_test_score"]) == scores[True, True]


@pytest.mark.usefixtures("routing")
def test_weights_that_nobody_asked_for(noisy):
    X, y, weight = noisy
    clf = OptimalTreeClassifierCV(OptimalTreeClassifier(), max_depths=(1,))
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        clf.fit(X, y, sample_weight=weight)
    assert clf.fit(X, y).n_splits_ == 5


@pytest.mark.usefixtures("routing")
def test_groups_are_routed_to_the_splitter(noisy):
    X, y, _ = noisy
    clf = OptimalTreeClassifierCV(max_depths=(1,), cv=GroupKFold(3))
    assert clf.fit(X, y, groups=np.arange(150) % 3).n_splits_ == 3


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_from_an_outer_search(noisy):
    X, y, weight = noisy
    outer = GridSearchCV(OptimalTreeClassifierCV(cv=2), {"max_depths": [(1,), (2,)]}, cv=2)
    outer.fit(X, y, sample_weight=weight)
    best = outer.best_estimator_.best_estimator_
    assert best.tree_.weighted_n_node_samples[0] == pytest.approx(weight.sum())


SEQUENCE = "a sequence of at least one value, each"
DEPTHS = f"max_depths must be {SEQUENCE} None or an integer from 0 to 20, got "
NUMBERS = (
    "max_leaf_nodes must be None, an integer of at least 1, or a sequence of at least one such "
    "integer, got "
)
PENALTIES = f"leaf_penalties must be 'path', or {SEQUENCE} a finite number of at least 0, got "


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("estimator", 3, "estimator must be None or an OptimalTreeClassifier, got 3"),
        ("max_depths", (), DEPTHS + "()"),
        ("max_depths", 3, DEPTHS + "3"),
        ("max_depths", (2, 21), DEPTHS + "(2, 21)"),
        ("leaf_penalties", (0.1, -1), PENALTIES + "(0.1, -1)"),
        ("leaf_penalties", "all", PENALTIES + "'all'"),
        ("max_leaf_nodes", 0, NUMBERS + "0"),
        ("max_leaf_nodes", (), NUMBERS + "()"),
        ("max_leaf_nodes", (2, None), NUMBERS + "(2, None)"),
        ("refit", 1, "refit must be True or False, got 1"),
        ("one_standard_error", "yes", "one_standard_error must be True or False, got 'yes'"),
        ("time_limit", -1, "time_limit must be None or a number of seconds of at least 0, got -1"),
        ("n_jobs", 0, "n_jobs must be None or an integer other than 0, got 0"),
    ],
)
def test_errors_name_what_is_wrong(name, value, message, noisy):
    X, y, _ = noisy
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalTreeClassifierCV(**{name: value}).fit(X, y)


def test_splitters_of_scikit_learn(noisy):
    X, y, _ = noisy
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    by_object = OptimalTreeClassifierCV(**GRID, cv=folds).fit(X, y)
    by_list = OptimalTreeClassifierCV(**GRID, cv=list(folds.split(X, y))).fit(X, y)
    by_generator = OptimalTreeClassifierCV(**GRID, cv=folds.split(X, y)).fit(X, y)
    for other in (by_list, by_generator):
        assert_array_equal(
            other.cv_results_["mean_test_score"], by_object.cv_results_["mean_test_score"]
        )

"""The classifier together with scikit-learn's tools."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV
from beamtree.datasets import load_binarized, monks, tic_tac_toe
from beamtree.heuristics import Auto, InformationGain
from beamtree.rules import Both, Discrepancy, Gain, TopK
from beamtree.schedules import Exponential, Sequence
from tests.python.rules.own_rules import OwnDiscrepancy


@pytest.fixture(scope="module")
def fitted():
    data = load_binarized("iris")
    return OptimalTreeClassifier(max_depth=2).fit(data.X, data.y), data


def test_pickle(fitted):
    clf, data = fitted
    twin = pickle.loads(pickle.dumps(clf))
    assert_array_equal(twin.predict_proba(data.X), clf.predict_proba(data.X))
    assert_array_equal(twin.trace_, clf.trace_)
    assert twin.statistics_ == clf.statistics_
    assert twin.objective_ == clf.objective_


def test_a_pickle_does_not_hold_the_training_data():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert len(pickle.dumps(clf)) < X.nbytes / 4


def test_joblib(fitted, tmp_path):
    clf, data = fitted
    joblib.dump(clf, tmp_path / "tree.joblib")
    twin = joblib.load(tmp_path / "tree.joblib", mmap_mode="r")
    assert_array_equal(twin.predict(data.X), clf.predict(data.X))


def test_fits_in_parallel_give_the_same():
    X, y, _, _ = monks(1)
    fits = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(OptimalTreeClassifier(max_depth=3).fit)(X, y) for _ in range(4)
    )
    for clf in fits:
        assert_array_equal(clf.tree_.feature, fits[0].tree_.feature)
        assert clf.objective_ == 48


def test_clone_is_unfitted_and_has_the_parameters(fitted):
    clf, _ = fitted
    twin = clone(clf.set_params(leaf_penalty=0.0))
    assert twin.get_params() == clf.get_params()
    assert not hasattr(twin, "tree_")


STRATEGIES = [
    {"rule": None},
    {"rule": "gain", "heuristic": "gini"},
    {"rule": Both(Gain(), Discrepancy(limit=100)), "schedule": Exponential()},
    {"rule": TopK(), "schedule": (0, 3), "heuristic": InformationGain()},
]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_strategies_are_parameters_like_others(strategy):
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=3, **strategy)
    twin = clone(clf)
    assert twin.get_params() == clf.get_params()
    assert pickle.loads(pickle.dumps(clf)).get_params() == clf.get_params()
    fitted = pickle.loads(pickle.dumps(twin.fit(X, y)))
    assert (fitted.status_, fitted.objective_) == ("optimal", 48)
    assert fitted.get_params() == clf.get_params()


def test_own_rules_are_cloned_and_pickled():
    X, y, _, _ = monks(1)
    rule = OwnDiscrepancy()
    clf = clone(OptimalTreeClassifier(max_depth=4, rule=rule, exact_levels=1)).fit(X, y)
    assert clf.rule is not rule
    assert clf.rule.threshold == 0
    twin = pickle.loads(pickle.dumps(clf))
    assert twin.objective_ == clf.objective_
    assert clone(twin).fit(X, y).objective_ == clf.objective_


def test_grid_search_over_strategies():
    X, y, _, _ = monks(3)
    grid = {
        "rule": ["auto", None, TopK(), OwnDiscrepancy()],
        "schedule": ["luby", Sequence((0, 2))],
        "heuristic": [Auto(), "gini"],
    }
    search = GridSearchCV(OptimalTreeClassifier(max_depth=3), grid, cv=3).fit(X, y)
    assert search.best_score_ == 1.0
    assert search.cv_results_["mean_test_score"].min() == 1.0


def test_repr_shows_parameters_that_are_not_default():
    assert repr(OptimalTreeClassifier(max_depth=3)) == "OptimalTreeClassifier(max_depth=3)"


def test_tags_say_that_it_is_a_classifier_of_many_classes():
    assert is_classifier(OptimalTreeClassifier())
    tags = OptimalTreeClassifier().__sklearn_tags__()
    assert tags.classifier_tags.multi_class
    assert tags.target_tags.required
    for kind in ("allow_nan", "categorical", "sparse", "string"):
        assert getattr(tags.input_tags, kind)


def test_adaboost():
    X, y, _, _ = tic_tac_toe()
    labels = np.array(["no", "yes"])[y]
    alone = OptimalTreeClassifier(max_depth=2).fit(X, labels).score(X, labels)
    boosted = AdaBoostClassifier(OptimalTreeClassifier(max_depth=2), n_estimators=10)
    boosted.fit(X, labels)
    assert len(boosted.estimators_) == 10
    assert boosted.score(X, labels) > alone + 0.05


def test_bagging():
    X, y, _, _ = monks(1)
    bagged = BaggingClassifier(OptimalTreeClassifier(max_depth=2), 3, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.6


def test_grid_search():
    X, y, _, _ = monks(3)
    grid = {"max_depth": [1, 2, 3], "leaf_penalty": [0.0, 0.5]}
    search = GridSearchCV(OptimalTreeClassifier(), grid, cv=3).fit(X, y)
    assert search.best_params_ == {"max_depth": 3, "leaf_penalty": 0.0}
    assert search.best_score_ == 1.0


def test_pipeline_from_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.abs(X[:, 1]) > 1
    bins = KBinsDiscretizer(10, encode="onehot-dense", strategy="uniform")
    model = make_pipeline(bins, OptimalTreeClassifier(max_depth=5))
    assert cross_val_score(model, X, y, cv=3).min() > 0.8


def test_pipeline_from_categories():
    frame = pd.DataFrame({"sky": list("sscsrc"), "wind": list("hllhhl")})
    y = ["go", "go", "stay", "go", "stay", "stay"]
    one_hot = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
    model = make_pipeline(one_hot, OptimalTreeClassifier(max_depth=1)).fit(frame, y)
    assert model.score(frame, y) == 1.0
    assert model[-1].feature_names_in_[model[-1].tree_.feature[0]] == "sky_s"


def test_a_pickle_is_as_large_with_more_rows():
    """Whatever the parameters, a classifier keeps nothing that grows with the rows."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (4000, 5), dtype=np.uint8)
    y = X[:, 0] ^ X[:, 1]
    weight = rng.integers(1, 4, 4000).astype(float)
    models = [
        OptimalTreeClassifier(class_weight="balanced", cost_matrix=[[0, 1], [2, 0]]),
        OptimalTreeClassifier(warm_start=True, init=OptimalTreeClassifier().fit(X, y).tree_),
        OptimalTreeClassifierCV(max_depths=(2,), cv=2),
    ]
    for model in models:
        sizes = [len(pickle.dumps(clone(model).fit(X[:n], y[:n], weight[:n]))) for n in (200, 4000)]
        assert abs(sizes[1] - sizes[0]) < 1000


def test_calibration():
    X, y, _, _ = tic_tac_toe()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    calibrated = CalibratedClassifierCV(OptimalTreeClassifier(max_depth=4), cv=folds).fit(X, y)
    proba = calibrated.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert calibrated.score(X, y) > 0.7
    frozen = FrozenEstimator(OptimalTreeClassifier(max_depth=3).fit(X, y))
    assert CalibratedClassifierCV(frozen, method="isotonic").fit(X, y).score(X, y) > 0.7


def test_stacking_and_voting():
    X, y, _, _ = tic_tac_toe()
    members = [(f"depth {depth}", OptimalTreeClassifier(max_depth=depth)) for depth in (2, 3)]
    stacked = StackingClassifier(members, LogisticRegression(), cv=3).fit(X, y)
    voted = VotingClassifier(members, voting="soft").fit(X, y)
    assert stacked.score(X, y) > 0.7
    assert voted.score(X, y) > 0.7


def test_one_against_the_rest():
    data = load_binarized("iris")
    rest = OneVsRestClassifier(OptimalTreeClassifier(max_depth=2)).fit(data.X, data.y)
    assert rest.score(data.X, data.y) > 0.9


def test_thresholds_and_importances():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    always = FixedThresholdClassifier(FrozenEstimator(clf), threshold=0.0).fit(X, y)
    assert always.predict(X).all()
    importance = permutation_importance(clf, X, y, n_repeats=2, random_state=0)
    unused = np.setdiff1d(np.arange(X.shape[1]), clf.tree_.feature)
    assert not importance.importances_mean[unused].any()


def test_cross_validation_predicts_every_row():
    X, y, _, _ = monks(3)
    predicted = cross_val_predict(OptimalTreeClassifier(max_depth=3), X, y, cv=3)
    assert_array_equal(predicted, y)


def test_frames_go_through_a_pipeline_that_keeps_them():
    X, y, names, _ = monks(3)
    frame = pd.DataFrame(X, columns=names)
    model = make_pipeline(SelectKBest(chi2, k=6), OptimalTreeClassifier(max_depth=3))
    model.set_output(transform="pandas").fit(frame, y)
    assert set(model[-1].feature_names_in_) < set(names)
    assert_array_equal(model.predict(frame), model.predict(frame[names]))


def test_predict_needs_the_column_names_of_fit():
    X, y, names, _ = monks(1)
    frame = pd.DataFrame(X, columns=names)
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, y)
    assert_array_equal(clf.feature_names_in_, names)
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[names[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert_array_equal(clf.predict(X), clf.predict(frame))


@pytest.fixture
def weighted():
    X, y, _, _ = tic_tac_toe()
    return X, y, np.where(y == 1, 5.0, 1.0)


def test_weights_in_a_pipeline(weighted):
    X, y, weight = weighted
    model = make_pipeline(SelectKBest(chi2, k=9), OptimalTreeClassifier(max_depth=2))
    model.fit(X, y, optimaltreeclassifier__sample_weight=weight)
    assert model[-1].tree_.weighted_n_node_samples[0] == weight.sum()


def test_metadata_routing_of_weights(weighted):
    X, y, weight = weighted
    with sklearn.config_context(enable_metadata_routing=True):
        tree = OptimalTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
        tree.set_score_request(sample_weight=True)
        model = make_pipeline(SelectKBest(chi2, k=9), tree)
        model.fit(X, y, sample_weight=weight)
        assert model[-1].tree_.weighted_n_node_samples[0] == weight.sum()
        routed = cross_validate(tree, X, y, cv=3, params={"sample_weight": weight})
        ignored = cross_validate(
            OptimalTreeClassifier(max_depth=2), X, y, cv=3, return_estimator=True
        )
        boosted = AdaBoostClassifier(OptimalTreeClassifier(max_depth=1), n_estimators=3).fit(X, y)
    assert (routed["test_score"] != ignored["test_score"]).all()
    assert len(boosted.estimators_) == 3


def test_grid_search_over_the_objective():
    X, y, _, _ = tic_tac_toe()
    grid = {
        "class_weight": [None, "balanced", {0: 3}],
        "cost_matrix": [None, np.array([[0, 1], [5, 0]])],
        "min_samples_leaf": [1, 0.1],
    }
    search = GridSearchCV(OptimalTreeClassifier(max_depth=2), grid, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 12
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()

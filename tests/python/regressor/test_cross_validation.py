"""The regressor that chooses the size of its tree by cross validation."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score

from beamtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    export_text,
)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


def test_the_scores_are_those_of_the_folds(diabetes):
    X, y = diabetes
    chosen = OptimalTreeRegressorCV(max_depths=(1, 2), leaf_penalties=(0.0,)).fit(X, y)
    for depth, score in zip((1, 2), chosen.cv_results_["mean_test_score"], strict=True):
        by_hand = cross_val_score(OptimalTreeRegressor(max_depth=depth), X, y, cv=KFold(5))
        assert score == pytest.approx(by_hand.mean())
    assert chosen.best_params_ == {"max_depth": 2, "leaf_penalty": 0.0}
    assert not hasattr(chosen, "classes_")
    assert not hasattr(chosen, "predict_proba")
    best = OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert (chosen.predict(X) == best.predict(X)).all()
    assert chosen.score(X, y) == best.score(X, y)
    assert export_text(chosen) == export_text(best)
    assert str(chosen).startswith("Proved optimal: squared error 1,477,077 (R² 0.436)\n")


def test_sizes_come_from_paths(diabetes):
    X, y = diabetes
    by_penalty = OptimalTreeRegressorCV(max_depths=(2,), cv=3).fit(X, y)
    assert len(by_penalty.cv_results_["params"]) == 4
    by_leaves = OptimalTreeRegressorCV(max_depths=(2,), max_leaf_nodes=3, cv=3).fit(X, y)
    tried = [params["max_leaf_nodes"] for params in by_leaves.cv_results_["params"]]
    assert tried == [1, 2, 3]


def test_weights_count(diabetes):
    X, y = diabetes
    weight = np.linspace(0.5, 2, len(y))
    chosen = OptimalTreeRegressorCV(max_depths=(1,), leaf_penalties=(0.0,), cv=3).fit(X, y, weight)
    scores = []
    for train, test in KFold(3).split(X):
        reg = OptimalTreeRegressor(max_depth=1).fit(X.iloc[train], y[train], weight[train])
        scores.append(reg.score(X.iloc[test], y[test], weight[test]))
    assert chosen.best_score_ == pytest.approx(np.mean(scores))


def test_the_other_kind_of_estimator_is_refused():
    X, y = [[0], [1]] * 5, [0, 1] * 5
    with pytest.raises(ValueError, match="estimator must be None or an OptimalTreeRegressor, got"):
        OptimalTreeRegressorCV(OptimalTreeClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="estimator must be None or an OptimalTreeClassifier, got"):
        OptimalTreeClassifierCV(OptimalTreeRegressor()).fit(X, y)

"""The policy tree that chooses its size by cross validation."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, cross_val_score

from beamtree import OptimalPolicyTree, OptimalPolicyTreeCV, OptimalTreeClassifier, export_text
from tests.python.policy.test_policy import noisy

ACTIONS = ["none", "treat", "wait"]


def test_the_scores_are_the_mean_rewards_of_the_folds():
    X, rewards = noisy()
    chosen = OptimalPolicyTreeCV(max_depths=(1, 2), leaf_penalties=(0.0, 0.02)).fit(X, rewards)
    for params, score in zip(
        chosen.cv_results_["params"], chosen.cv_results_["mean_test_score"], strict=True
    ):
        by_hand = cross_val_score(OptimalPolicyTree(**params), X, rewards, cv=KFold(5))
        assert score == pytest.approx(by_hand.mean())
    assert chosen.best_score_ == chosen.cv_results_["mean_test_score"].max()
    best = OptimalPolicyTree(**chosen.best_params_).fit(X, rewards)
    assert (chosen.predict(X) == best.predict(X)).all()
    assert chosen.score(X, rewards) == chosen.value(X, rewards) == best.value(X, rewards)
    assert export_text(chosen) == export_text(best)
    assert chosen.proof_ == best.proof_
    assert chosen.actions_.tolist() == [0, 1, 2]
    assert not hasattr(chosen, "classes_")
    assert not hasattr(chosen, "predict_proba")
    assert not is_classifier(chosen)
    assert not is_regressor(chosen)
    assert pickle.loads(pickle.dumps(chosen)).value(X, rewards) == best.value(X, rewards)


@pytest.mark.parametrize("scale", [1e-50, 1e-9, 1.0, 1e9])
def test_sizes_come_from_paths_whatever_the_unit_of_rewards(scale):
    X, rewards = noisy(120)
    named = OptimalPolicyTree(actions=ACTIONS)
    by_penalty = OptimalPolicyTreeCV(named, max_depths=(2,), cv=3).fit(X, rewards * scale)
    assert 2 <= len(by_penalty.cv_results_["params"]) <= 4
    assert set(by_penalty.predict(X)) <= set(ACTIONS)
    by_leaves = OptimalPolicyTreeCV(named, max_depths=(2,), max_leaf_nodes=4, cv=3)
    by_leaves.fit(X, rewards * scale)
    tried = [params["max_leaf_nodes"] for params in by_leaves.cv_results_["params"]]
    assert tried[0] == 1
    assert by_leaves.cv_results_["n_proved"].tolist() == [3] * len(tried)
    for leaves, score in zip(tried, by_leaves.cv_results_["mean_test_score"], strict=True):
        one = OptimalPolicyTree(max_depth=2, max_leaf_nodes=leaves)
        by_hand = cross_val_score(one, X, rewards * scale, cv=KFold(3))
        assert score == pytest.approx(by_hand.mean(), rel=1e-9, abs=0)


def test_weights_and_data_frames():
    X, rewards = noisy()
    weight = np.linspace(0.5, 2, len(X))
    frame = pd.DataFrame(rewards, columns=ACTIONS)
    table = pd.DataFrame(X, columns=list("abcd"))
    chosen = OptimalPolicyTreeCV(max_depths=(1,), leaf_penalties=(0.0,), cv=3)
    chosen.fit(table, frame, weight)
    scores = []
    for train, test in KFold(3).split(X):
        policy = OptimalPolicyTree(max_depth=1).fit(X[train], rewards[train], weight[train])
        scores.append(policy.value(X[test], rewards[test], weight[test]))
    assert chosen.best_score_ == pytest.approx(np.mean(scores))
    assert chosen.actions_.tolist() == ACTIONS
    assert chosen.feature_names_in_.tolist() == list("abcd")
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(chosen).fit(table, frame, sample_weight=weight)
    assert routed.best_score_ == chosen.best_score_


def test_another_score():
    X, rewards = noisy(60)

    def share_of_best(rewards, taken):
        return (np.asarray(rewards).argmax(axis=1) == taken).mean()

    chosen = OptimalPolicyTreeCV(max_depths=(1,), leaf_penalties=(0.0,), cv=2, refit=False)
    chosen.set_params(scoring=make_scorer(share_of_best)).fit(X, rewards)
    assert 0.2 < chosen.best_score_ < 0.8
    assert not hasattr(chosen, "value")


def test_one_warning_for_all_fits():
    X, rewards = noisy(400)
    chosen = OptimalPolicyTreeCV(max_depths=(4,), leaf_penalties=(0.0,), cv=2, time_limit=0.001)
    with pytest.warns(ConvergenceWarning, match="3 of 3 fits ended at a limit") as warned:
        chosen.fit(X, rewards)
    assert len(warned) == 1
    assert warned[0].filename == __file__


def test_the_other_kind_of_estimator_is_refused():
    with pytest.raises(ValueError, match="estimator must be None or an OptimalPolicyTree, got"):
        OptimalPolicyTreeCV(OptimalTreeClassifier()).fit([[0], [1]] * 5, [[0, 1], [1, 0]] * 5)

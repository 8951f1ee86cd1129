"""Numbers of leaves as candidates of the cross validation, and trees of any depth."""

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV, leaf_path
from beamtree.model_selection._folds import Candidate, Score, choose, results_table


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (150, 6))
    return X, np.where(rng.random(150) < 0.15, rng.integers(0, 2, 150), X[:, 0] & X[:, 1])


def test_numbers_of_leaves_that_are_given(noisy):
    clf = OptimalTreeClassifierCV(max_depths=(2, 3), max_leaf_nodes=(4, 2, 1, 2), cv=3).fit(*noisy)
    tried = [tuple(params.values()) for params in clf.cv_results_["params"]]
    assert tried == [(depth, 0.0, leaves) for depth in (2, 3) for leaves in (1, 2, 4)]
    assert clf.cv_results_["param_max_leaf_nodes"].tolist() == [1, 2, 4] * 2
    assert (clf.cv_results_["mean_n_leaves"] <= [1, 2, 4] * 2).all()
    assert {*clf.best_params_} == {"max_depth", "leaf_penalty", "max_leaf_nodes"}
    best = clf.best_estimator_
    assert {name: best.get_params()[name] for name in clf.best_params_} == clf.best_params_
    assert best.get_n_leaves() <= clf.best_params_["max_leaf_nodes"]
    assert best.status_ == "optimal"


def test_numbers_of_leaves_of_the_path(noisy):
    clf = OptimalTreeClassifierCV(max_depths=(3,), max_leaf_nodes=6, cv=3).fit(*noisy)
    path = leaf_path(*noisy, max_depth=3, max_leaf_nodes=6)
    tried = clf.cv_results_["param_max_leaf_nodes"].tolist()
    assert tried == sorted(set(path.table["leaves"].tolist()))
    assert (clf.cv_results_["param_leaf_penalty"] == 0.0).all()


def test_numbers_of_leaves_with_penalties(noisy):
    clf = OptimalTreeClassifierCV(
        max_depths=(2,), max_leaf_nodes=(1, 3), leaf_penalties=(0.5, 0.0), cv=2
    ).fit(*noisy)
    tried = [tuple(params.values()) for params in clf.cv_results_["params"]]
    assert tried == [(2, 0.0, 1), (2, 0.5, 1), (2, 0.0, 3), (2, 0.5, 3)]
    leaves = clf.cv_results_["mean_n_leaves"]
    assert leaves[2] > 1  # a single leaf is the best tree of one leaf, not of three
    assert leaves[3] == 1


def test_any_depth(noisy):
    clf = OptimalTreeClassifierCV(max_depths=(1, None), leaf_penalties=(0.02,), cv=2).fit(*noisy)
    assert clf.cv_results_["param_max_depth"].tolist() == [1, None]
    clf = OptimalTreeClassifierCV(max_depths=(None,), max_leaf_nodes=(2, 3), cv=2).fit(*noisy)
    assert clf.best_estimator_.max_depth is None
    limited = OptimalTreeClassifier(max_leaf_nodes=3)
    clf = OptimalTreeClassifierCV(limited, max_depths=(None,), leaf_penalties=(0.0,), cv=2)
    clf.fit(*noisy)
    assert clf.best_params_ == {"max_depth": None, "leaf_penalty": 0.0}
    assert (clf.cv_results_["mean_n_leaves"] <= 3).all()


def test_any_depth_needs_penalties_or_numbers_of_leaves(noisy):
    for penalties in ("path", (0.1, 0.0)):
        clf = OptimalTreeClassifierCV(max_depths=(3, None), leaf_penalties=penalties)
        with pytest.raises(ValueError, match=r"max_depths must not contain None unless .*3, None"):
            clf.fit(*noisy)


@pytest.mark.parametrize(("one_standard_error", "best"), [(False, 1), (True, 0)])
def test_the_standard_error_chooses_fewer_leaves(one_standard_error, best):
    candidates = [Candidate(None, 0.0, 2), Candidate(3, 0.0, 5), Candidate(None, 0.0, 5)]
    scores = [[0.9, 0.9, 0.9, 0.8], [0.9, 1.0, 0.8, 0.9], [0.9, 1.0, 0.8, 0.9]]
    rows = [
        [Score(score, candidate.max_leaf_nodes, 0.0, 0.0, "optimal") for score in row]
        for row, candidate in zip(scores, candidates, strict=True)
    ]
    table = results_table(candidates, rows)
    # Of equally good candidates of the same size, the one with the smaller limits is chosen.
    assert choose(table, 4, one_standard_error=one_standard_error) == best

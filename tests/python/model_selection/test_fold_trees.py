"""What the searches on one fold share, held against separate fits."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, get_scorer

from beamtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    leaf_path,
)
from beamtree.model_selection import _folds
from beamtree.model_selection._candidate import Candidate
from beamtree.model_selection._fold_trees import FoldTrees
from beamtree.model_selection._folds import Fold, fit_fold

PENALTIES = (0.0, 0.004, 0.011, 0.03, 0.08, 0.3)


def table(seed, *, numbers):
    """Return a table with noise, of which some trees of each size are the best."""
    rng = np.random.default_rng(seed)
    X = rng.random((80, 4)).round(2) if numbers else rng.integers(0, 2, (120, 7))
    y = np.where(X[:, 0] > 0.4, X[:, 1] > 0.6, X[:, 2] > 0.5)
    return X, np.where(rng.random(len(X)) < 0.15, ~y, y)


def fold_of(X, y, weight=None):
    train = np.arange(len(X)) % 4 > 0
    params = {} if weight is None else {"sample_weight": weight}
    rows = np.flatnonzero(train), np.flatnonzero(~train)
    return Fold(X, y, *rows, params, {}, np.unique(y), "fold 1 of 1")


@pytest.fixture
def fits(monkeypatch):
    """Return the list of all candidates that are searched, with their classifiers."""
    searched = []
    plain = _folds.fit_candidate

    def spy(template, candidate, *arguments):
        fitted = plain(template, candidate, *arguments)
        searched.append((candidate, template.time_limit, fitted))
        return fitted

    monkeypatch.setattr(_folds, "fit_candidate", spy)
    return searched


def grid(leaves):
    shallow = product((1, 2, 3), PENALTIES, leaves)
    return [Candidate(*one) for one in (*shallow, *product((None,), PENALTIES[4:], leaves))]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leaves", [(None,), (2, 3, 5)])
def test_trees_are_as_good_as_those_of_separate_fits(seed, numbers, weighted, leaves):
    """All fits are proved, and no tree is worse than the one of a fit of its own."""
    X, y = table(seed, numbers=numbers)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)) if weighted else np.ones(len(y))
    fold = fold_of(X, y, weight)
    candidates = grid(leaves)
    seen = []

    def scorer(fitted, *_):
        seen.append(fitted)
        return float(len(seen) - 1)

    template = OptimalTreeClassifier(time_limit=None)
    scores = fit_fold(template, candidates, scorer, fold)
    train = X[fold.train], y[fold.train]
    for candidate, score in zip(candidates, scores, strict=True):
        fitted = seen[int(score.score)]
        plain = OptimalTreeClassifier(**candidate.params).fit(*train, weight[fold.train])
        wrong = weight[fold.train][fitted.predict(train[0]) != train[1]].sum()
        price = candidate.leaf_penalty * weight[fold.train].sum()
        assert wrong + price * (score.leaves - 1) == pytest.approx(plain.objective_, rel=1e-12)
        assert score.leaves == fitted.get_n_leaves()
        assert fitted.get_depth() <= (candidate.max_depth or 99)
        assert score.leaves <= (candidate.max_leaf_nodes or 99)
        assert score.status == "optimal"


@pytest.mark.parametrize("decimals", [0, 12])
@pytest.mark.parametrize("leaves", [(None,), (2, 3, 5)])
def test_regression_trees_are_as_good_as_those_of_separate_fits(decimals, leaves, fits):
    X, _ = table(0, numbers=True)
    y = (30 * X[:, 0] * X[:, 1] + np.random.default_rng(1).normal(0, 5, len(X))).round(decimals)
    weight = np.arange(len(y)) % 3 + 1.0
    fold = fold_of(X, y, weight)
    candidates = [Candidate(*one) for one in product((1, 2, 3), PENALTIES, leaves)]
    seen = []

    def scorer(fitted, *_):
        seen.append(fitted)
        return float(len(seen) - 1)

    scores = fit_fold(OptimalTreeRegressor(time_limit=None), candidates, scorer, fold)
    assert len(fits) < len(candidates)  # the bounds made some fits needless
    train = X[fold.train], y[fold.train], weight[fold.train]
    for candidate, score in zip(candidates, scores, strict=True):
        fitted = seen[int(score.score)]
        plain = OptimalTreeRegressor(**candidate.params).fit(*train)
        error = (train[2] * (train[1] - fitted.predict(train[0])) ** 2).sum()
        price = candidate.leaf_penalty * fitted.tree_.error[0]
        assert error + price * (score.leaves - 1) == pytest.approx(plain.objective_, rel=1e-11)
        assert score.status == "optimal"


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_the_best_trees_of_all_sizes(seed):
    """A bound never exceeds the cost of the best tree with that number of leaves."""
    X, y = table(seed, numbers=False)
    path = leaf_path(X, y, max_leaf_nodes=8, max_depth=3)
    trees = FoldTrees(same_tests=True)
    for depth, penalty in product((1, 2, 3), PENALTIES):
        params = {"max_depth": depth, "leaf_penalty": penalty}
        trees.add(Candidate(depth, penalty), OptimalTreeClassifier(**params).fit(X, y))
        for other in PENALTIES:
            least = trees.least_costs(Candidate(3, other))
            costs = path.table["error"] + other * len(y) * np.arange(8)
            assert (least <= costs + 1e-9).all()


def test_few_leaves_need_few_levels():
    """The proofs at depth 2 and one at depth 3 decide about the larger penalties of depth 3."""
    X, y = table(0, numbers=False)
    trees = FoldTrees(same_tests=True)
    for candidate in (Candidate(2, 0.03), Candidate(2, 0.08), Candidate(3, 0.011)):
        trees.add(candidate, OptimalTreeClassifier(**candidate.params).fit(X, y))
        assert trees.is_proved(candidate)
    assert not trees.is_proved(Candidate(3, 0.0))
    plain = OptimalTreeClassifier(max_depth=3, leaf_penalty=0.08).fit(X, y)
    assert trees.is_proved(Candidate(3, 0.08))
    assert trees.best(Candidate(3, 0.08)).get_n_leaves() == plain.get_n_leaves()


def test_searches_with_rounded_weights_are_proved_up_to_rounding():
    """Without a time limit, all trees are proved, although real weights are rounded."""
    X, y = table(0, numbers=True)
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    plain = OptimalTreeClassifier(max_depth=2).fit(X, y, weight)
    assert "(up to " in plain.proof_
    clf = OptimalTreeClassifierCV(max_depths=(1, 2, 3), cv=3, time_limit=None).fit(X, y, weight)
    assert (clf.cv_results_["n_proved"] == 3).all()


def test_an_unproved_tree_decides_nothing():
    X, y = table(1, numbers=True)
    trees = FoldTrees(same_tests=True)
    assert trees.best(Candidate(3, 0.0)) is None
    assert not trees.is_proved(Candidate(3, 0.0))
    trees.add(Candidate(3, 0.0), OptimalTreeClassifier(max_depth=3, time_limit=0).fit(X, y))
    assert not any(trees.is_proved(Candidate(3, penalty)) for penalty in PENALTIES[:3])


def test_proofs_decide_nothing_about_searches_with_other_tests(fits):
    X, y = table(2, numbers=True)
    scorer = get_scorer("accuracy")
    candidates = [Candidate(2, penalty) for penalty in (0.3, 0.4, 0.5)]
    fit_fold(OptimalTreeClassifier(), candidates, scorer, fold_of(X, y))
    assert [candidate for candidate, _, _ in fits] == candidates[:1]
    fits.clear()
    scores = fit_fold(OptimalTreeClassifier(max_thresholds=3), candidates, scorer, fold_of(X, y))
    assert [candidate for candidate, _, _ in fits] == candidates
    assert all(score.status == "optimal" for score in scores)


def test_the_smallest_tree_is_not_taken_from_another_search_without_a_proof(fits):
    """A tree that is optimal, but perhaps not the smallest, is searched for again."""
    X, y = table(3, numbers=False)
    candidates = [Candidate(3, 0.0), Candidate(4, 0.0)]
    template = OptimalTreeClassifier(tie_break="smallest")
    scores = fit_fold(template, candidates, get_scorer("accuracy"), fold_of(X, y))
    for (_, _, fitted), score in zip(fits, scores, strict=True):
        assert score.leaves == fitted.n_leaves_bound_


def test_a_candidate_that_was_once_proved_stays_proved(monkeypatch):
    """If weights are rounded, a later tree can be a little better and larger."""
    X, y = table(0, numbers=False)
    candidates = [Candidate(2, 0.3), Candidate(2, 0.4)]
    scored = []

    def is_proved(_trees, candidate):
        return candidate == candidates[1] and not scored

    def scorer(fitted, *_):
        scored.append(fitted)
        return 0.0

    monkeypatch.setattr(FoldTrees, "is_proved", is_proved)
    scores = fit_fold(OptimalTreeClassifier(), candidates, scorer, fold_of(X, y))
    assert [score.status for score in scores] == ["optimal", "optimal"]


def test_the_time_is_for_all_fits_of_a_depth(fits):
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 12)), rng.integers(0, 2, 300)
    candidates = [Candidate(5, penalty) for penalty in (0.0, 0.002, 0.004, 0.006)]
    template = OptimalTreeClassifier(time_limit=0.8)
    scores = fit_fold(template, candidates, get_scorer("accuracy"), fold_of(X, y))
    assert [limit for _, limit, _ in fits] == pytest.approx([0.2] * 4, rel=0.3)
    assert all(score.status == "time_limit" for score in scores)
    assert template.time_limit == 0.8


def test_every_candidate_gets_the_best_tree_that_is_known():
    """A better tree that a later search finds counts for the earlier candidate, too."""
    X, y = table(0, numbers=True)
    trees = FoldTrees(same_tests=True)
    early, late = Candidate(3, 0.0), Candidate(3, 0.001)
    trees.add(early, OptimalTreeClassifier(max_depth=1).fit(X, y))
    assert trees.best(early).get_n_leaves() == 2
    trees.add(late, OptimalTreeClassifier(**late.params).fit(X, y))
    assert trees.best(early).get_n_leaves() > 2


@pytest.mark.parametrize("one_standard_error", [False, True])
def test_the_choice_is_that_of_separate_fits(one_standard_error, monkeypatch):
    X, y = table(0, numbers=True)
    given = {"max_depths": (1, 2, 3), "cv": 4, "one_standard_error": one_standard_error}
    ours = OptimalTreeClassifierCV(**given).fit(X, y)

    def separate(_template, candidates, _scorer, fold, _progress=None):
        scores = []
        for candidate in candidates:
            fitted = OptimalTreeClassifier(**candidate.params)
            fitted.fit(X[fold.train], y[fold.train])
            score = accuracy_score(y[fold.test], fitted.predict(X[fold.test]))
            scores.append(_folds.Score(score, fitted.get_n_leaves(), 0.0, 0.0, fitted.status_))
        return scores

    monkeypatch.setattr("beamtree.model_selection._size_chooser.fit_fold", separate)
    plain = OptimalTreeClassifierCV(**given).fit(X, y)
    assert ours.best_params_ == plain.best_params_
    assert ours.best_estimator_.objective_ == plain.best_estimator_.objective_
    for name in ("params", "n_proved", "mean_n_leaves"):
        assert list(ours.cv_results_[name]) == list(plain.cv_results_[name])
    assert (ours.cv_results_["n_proved"] == 4).all()

"""Fits on the folds of a cross validation, their scores as a table, and the choice among them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from beamtree._resume.offered_tree import Start
from beamtree.classifier import OptimalTreeClassifier

Scorer = Callable[..., float]


@dataclass(frozen=True)
class Candidate:
    """What a fit is tried with."""

    max_depth: int
    leaf_penalty: float


@dataclass(frozen=True)
class Score:
    """What a fit gave on a fold."""

    score: float
    leaves: int
    fit_seconds: float
    score_seconds: float


@dataclass(frozen=True, eq=False)
class Fold:
    """A table, and the rows of it that are fitted and scored.

    Parameters
    ----------
    X, y : array-like
        The whole table.
    train, test : ndarray of int
        Numbers of rows.
    fit_params, score_params : dict
        What `fit` and the scorer are told besides; arrays with an entry a row are cut.
    classes : ndarray
        All labels.
    """

    X: Any
    y: Any
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    fit_params: dict[str, Any]
    score_params: dict[str, Any]
    classes: NDArray[Any]


def fit_fold(
    template: OptimalTreeClassifier, candidates: list[Candidate], scorer: Scorer, fold: Fold
) -> list[Score]:
    """Fit and score candidates of one depth on a fold, each from the tree of the one before.

    Parameters
    ----------
    template : OptimalTreeClassifier
        Has all other parameters.
    candidates : list of Candidate
        Of one depth, with growing penalties.
    scorer : callable
        A scorer of scikit-learn.
    fold : Fold
        The rows.

    Returns
    -------
    list of Score
        In the same order.
    """
    X, y = _safe_indexing(fold.X, fold.train), _safe_indexing(fold.y, fold.train)
    X_test, y_test = _safe_indexing(fold.X, fold.test), _safe_indexing(fold.y, fold.test)
    fit_params = _check_method_params(fold.X, fold.fit_params, fold.train)
    score_params = _check_method_params(fold.X, fold.score_params, fold.test)
    template = clone(template).set_params(**_costs_of_fold(template, fold.classes, y))
    scores: list[Score] = []
    fitted: OptimalTreeClassifier | None = None
    for candidate in candidates:
        if fitted is not None and fitted.status_ == "optimal" and fitted.get_n_leaves() == 1:
            # A larger penalty changes nothing any more.
            scores.append(Score(scores[-1].score, 1, 0.0, 0.0))
            continue
        begin = perf_counter()
        start = None if fitted is None else Start(fitted.tree_, fitted.columns_)
        fitted = fit_candidate(template, candidate, X, y, fit_params, start)
        end = perf_counter()
        score = float(scorer(fitted, X_test, y_test, **score_params))
        took = end - begin, perf_counter() - end
        scores.append(Score(score, fitted.get_n_leaves(), *took))
    return scores


def fit_candidate(
    template: OptimalTreeClassifier,
    candidate: Candidate,
    X: Any,
    y: Any,
    fit_params: dict[str, Any],
    start: Start | None,
) -> OptimalTreeClassifier:
    """Fit a classifier, from a tree unless the template has one of its own to start from."""
    init = template.init
    classifier: OptimalTreeClassifier = clone(template).set_params(
        max_depth=candidate.max_depth,
        leaf_penalty=candidate.leaf_penalty,
        init=start if init is None else init,
    )
    classifier.fit(X, y, **fit_params)
    return classifier.set_params(init=init)  # type: ignore[no-any-return]


def _costs_of_fold(
    template: OptimalTreeClassifier, classes: NDArray[Any], y: Any
) -> dict[str, Any]:
    """Return the costs of the labels that a fold has, where it lacks some."""
    present = np.isin(classes, np.asarray(y))
    if template.cost_matrix is None or present.all():
        return {}
    return {"cost_matrix": np.asarray(template.cost_matrix)[np.ix_(present, present)]}


def takes_weights(scorer: Scorer) -> bool:
    """Tell whether a scorer can be told weights of rows."""
    parameters = inspect.signature(scorer).parameters.values()
    return any(
        parameter.name == "sample_weight" or parameter.kind is inspect.Parameter.VAR_KEYWORD
        for parameter in parameters
    )


def results_table(candidates: list[Candidate], scores: list[list[Score]]) -> dict[str, Any]:
    """Return the scores as scikit-learn's ``cv_results_`` has them.

    Parameters
    ----------
    candidates : list of Candidate
        What was tried.
    scores : list of list of Score
        For each candidate its scores, fold by fold.

    Returns
    -------
    dict
        Columns with an entry a candidate.
    """
    table: dict[str, Any] = {}
    for name, seconds in (("fit_time", "fit_seconds"), ("score_time", "score_seconds")):
        values = np.array([[getattr(score, seconds) for score in row] for row in scores])
        table[f"mean_{name}"] = values.mean(axis=1)
        table[f"std_{name}"] = values.std(axis=1)
    params = [vars(candidate) for candidate in candidates]
    for name, kind in (("max_depth", np.int64), ("leaf_penalty", np.float64)):
        column = np.array([entry[name] for entry in params], dtype=kind)
        table[f"param_{name}"] = np.ma.MaskedArray(column, mask=np.zeros(len(params), np.bool_))
    table["params"] = [dict(entry) for entry in params]
    values = np.array([[score.score for score in row] for row in scores])
    for split, column in enumerate(values.T):
        table[f"split{split}_test_score"] = column
    mean = values.mean(axis=1)
    table["mean_test_score"] = mean
    table["std_test_score"] = values.std(axis=1)
    known = np.nan_to_num(mean, nan=-np.inf)
    table["rank_test_score"] = 1 + (known[np.newaxis, :] > known[:, np.newaxis]).sum(axis=1)
    table["mean_n_leaves"] = np.array([[score.leaves for score in row] for row in scores]).mean(1)
    return table


def choose(table: dict[str, Any], n_splits: int, *, one_standard_error: bool) -> int:
    """Return the place of the candidate to take: of those that are good enough the smallest.

    Parameters
    ----------
    table : dict
        What `results_table` returned.
    n_splits : int
        Number of folds.
    one_standard_error : bool
        Whether one standard error less than the best mean is good enough.

    Returns
    -------
    int
        Its place. Trees are compared by their mean number of leaves, then by their score, then
        by their depth; then the larger penalty is taken.
    """
    mean = np.nan_to_num(table["mean_test_score"], nan=-np.inf)
    best = mean.argmax()
    least = mean[best] - 1e-12 * abs(mean[best])
    if one_standard_error and n_splits > 1 and np.isfinite(mean[best]):
        least -= table["std_test_score"][best] / np.sqrt(n_splits - 1)
    leaves, depth = table["mean_n_leaves"], table["param_max_depth"]
    penalty = table["param_leaf_penalty"]
    good = [at for at in range(len(mean)) if mean[at] >= least]
    return min(good, key=lambda at: (leaves[at], -mean[at], depth[at], -penalty[at]))

"""Fit and score candidates on the folds of a cross validation, and choose one of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from beamtree._engine.limits import seconds_of
from beamtree._resume.given_tree import TreeWithColumns
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._candidate import Candidate
from beamtree.model_selection._fit_progress import FitProgress
from beamtree.model_selection._fold_trees import FoldTrees, TreeEstimator

Scorer = Callable[..., float]


@dataclass(frozen=True)
class Score:
    """The result of one candidate on one fold.

    `status` tells why its search ended; it is ``"optimal"`` if any search has proved its tree.
    """

    score: float
    leaves: int
    fit_seconds: float
    score_seconds: float
    status: str


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold: a table, with the rows to fit and the rows to score.

    Parameters
    ----------
    X, y : array-like
        All rows, and what they are to predict.
    train, test : ndarray of int
        Indices of the rows to fit, and of those to score.
    fit_params, score_params : dict
        Further arguments of `fit` and of the scorer for all rows. Arrays with one entry per row are
        reduced to the rows of the fold.
    classes : ndarray or None
        The labels of all rows, sorted; None if no labels are predicted.
    name : str
        The fold in words, for example ``"fold 2 of 5"``.
    """

    X: Any
    y: Any
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    fit_params: dict[str, Any]
    score_params: dict[str, Any]
    classes: NDArray[Any] | None
    name: str


def fit_fold(
    template: TreeEstimator,
    candidates: list[Candidate],
    scorer: Scorer,
    fold: Fold,
    progress: FitProgress | None = None,
) -> list[Score]:
    """Fit and score all candidates on one fold.

    Each search starts from the known tree that costs the least with its parameters. A candidate
    needs no search if the bounds of the searches before it prove that this tree is optimal. The
    time limit is for all searches of one depth: each gets an equal share of the time that is left.

    Parameters
    ----------
    template : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        Estimator with all parameters that are not tried.
    candidates : list of Candidate
        The candidates, those of one depth one after the other.
    scorer : callable
        A scorer of scikit-learn.
    fold : Fold
        The rows to fit and to score.
    progress : FitProgress or None, default=None
        Object that is told of each fit. None if the fold is fitted in another process.

    Returns
    -------
    list of Score
        One score per candidate, in the same order.
    """
    X, y = _safe_indexing(fold.X, fold.train), _safe_indexing(fold.y, fold.train)
    X_test, y_test = _safe_indexing(fold.X, fold.test), _safe_indexing(fold.y, fold.test)
    fit_params = _check_method_params(fold.X, fold.fit_params, fold.train)
    score_params = _check_method_params(fold.X, fold.score_params, fold.test)
    template = clone(template).set_params(**_costs_of_fold(template, fold.classes, y))
    # With a limit of thresholds, and with a tree to start from, the tests depend on the depth.
    trees = FoldTrees(same_tests=template.max_thresholds is None and template.init is None)
    limit = seconds_of(template.time_limit)
    took = dict.fromkeys(candidates, 0.0)
    ended: dict[Candidate, str] = {}
    for _, of_depth in groupby(candidates, key=lambda candidate: candidate.max_depth):
        tried = list(of_depth)
        end = perf_counter() + limit
        for at, candidate in enumerate(tried):
            if progress is not None:
                progress.begin(f"{candidate}, {fold.name}")
            if trees.is_proved(candidate):
                ended[candidate] = "optimal"
            else:
                begin = perf_counter()
                share = max(end - begin, 0.0) / sum(not trees.is_proved(one) for one in tried[at:])
                template.set_params(time_limit=None if share == inf else share)
                start = _start(trees.best(candidate))
                fitted = fit_candidate(template, candidate, X, y, fit_params, start)
                trees.add(candidate, fitted)
                ended[candidate] = fitted.status_
                took[candidate] = perf_counter() - begin
            if progress is not None:
                progress.done += 1
    scored: dict[TreeEstimator, float] = {}
    scores: list[Score] = []
    for candidate in candidates:
        begin = perf_counter()
        best = trees.best(candidate)
        assert best is not None  # it was fitted, or a tree is proved to be the best
        if best not in scored:
            scored[best] = float(scorer(best, X_test, y_test, **score_params))
        seconds = took[candidate], perf_counter() - begin
        status = "optimal" if trees.is_proved(candidate) else ended[candidate]
        scores.append(Score(scored[best], best.get_n_leaves(), *seconds, status))
    return scores


def _start(fitted: TreeEstimator | None) -> TreeWithColumns | None:
    """Return the tree of an estimator, for a search to start from."""
    return None if fitted is None else TreeWithColumns(fitted.tree_, fitted.columns_)


def fit_candidate(
    template: TreeEstimator,
    candidate: Candidate,
    X: Any,
    y: Any,
    fit_params: dict[str, Any],
    start: TreeWithColumns | None,
) -> TreeEstimator:
    """Fit one candidate, starting from `start` unless the template has an `init` of its own."""
    init = template.init
    estimator: TreeEstimator = clone(template).set_params(
        **candidate.params, init=start if init is None else init
    )
    estimator.fit(X, y, **fit_params)
    return estimator.set_params(init=init)  # type: ignore[no-any-return]


def _costs_of_fold(template: TreeEstimator, classes: NDArray[Any] | None, y: Any) -> dict[str, Any]:
    """Return the `cost_matrix` of the labels in a fold, if the fold lacks some labels."""
    if classes is None or not isinstance(template, OptimalTreeClassifier):
        return {}
    present = np.isin(classes, np.asarray(y))
    if template.cost_matrix is None or present.all():
        return {}
    return {"cost_matrix": np.asarray(template.cost_matrix)[np.ix_(present, present)]}


def takes_weights(scorer: Scorer) -> bool:
    """Return whether a scorer accepts sample weights."""
    parameters = inspect.signature(scorer).parameters.values()
    return any(
        parameter.name == "sample_weight" or parameter.kind is inspect.Parameter.VAR_KEYWORD
        for parameter in parameters
    )


def results_table(candidates: list[Candidate], scores: list[list[Score]]) -> dict[str, Any]:
    """Return the scores in the format of scikit-learn's ``cv_results_``.

    Parameters
    ----------
    candidates : list of Candidate
        The candidates.
    scores : list of list of Score
        One list per candidate, with one score per fold.

    Returns
    -------
    dict
        Columns with one entry per candidate.
    """
    table: dict[str, Any] = {}
    for name, seconds in (("fit_time", "fit_seconds"), ("score_time", "score_seconds")):
        values = np.array([[getattr(score, seconds) for score in row] for row in scores])
        table[f"mean_{name}"] = values.mean(axis=1)
        table[f"std_{name}"] = values.std(axis=1)
    params = [candidate.params for candidate in candidates]
    for name in params[0]:
        entries = [entry[name] for entry in params]
        # Depths and leaves are integers, penalties are floats; None stands for any depth.
        column = np.array(entries, dtype=np.object_ if None in entries else type(entries[0]))
        table[f"param_{name}"] = np.ma.MaskedArray(column, mask=np.zeros(len(params), np.bool_))
    table["params"] = params
    values = np.array([[score.score for score in row] for row in scores])
    for split, column in enumerate(values.T):
        table[f"split{split}_test_score"] = column
    mean = values.mean(axis=1)
    table["mean_test_score"] = mean
    table["std_test_score"] = values.std(axis=1)
    known = np.nan_to_num(mean, nan=-np.inf)
    table["rank_test_score"] = 1 + (known[np.newaxis, :] > known[:, np.newaxis]).sum(axis=1)
    table["mean_n_leaves"] = np.array([[score.leaves for score in row] for row in scores]).mean(1)
    table["n_proved"] = np.array(
        [[score.status for score in row].count("optimal") for row in scores]
    )
    return table


def choose(table: dict[str, Any], n_splits: int, *, one_standard_error: bool) -> int:
    """Return the index of the smallest candidate whose score is good enough.

    Parameters
    ----------
    table : dict
        The result of `results_table`.
    n_splits : int
        Number of folds.
    one_standard_error : bool
        Whether a mean score is good enough if it is at most one standard error below the best.

    Returns
    -------
    int
        Index of the candidate with the fewest leaves on average. Ties are resolved by the higher
        score, then by the smaller limits of leaves and of depth, then by the larger penalty.
    """
    mean = np.nan_to_num(table["mean_test_score"], nan=-np.inf)
    best = mean.argmax()
    least = mean[best] - 1e-12 * abs(mean[best])
    if one_standard_error and n_splits > 1 and np.isfinite(mean[best]):
        least -= table["std_test_score"][best] / np.sqrt(n_splits - 1)
    leaves, tried = table["mean_n_leaves"], [Candidate(**params) for params in table["params"]]

    def size(at: int) -> tuple[float, ...]:
        limits = [
            np.inf if limit is None else limit
            for limit in (tried[at].max_leaf_nodes, tried[at].max_depth)
        ]
        return (leaves[at], -mean[at], *limits, -tried[at].leaf_penalty)

    return min((at for at in range(len(mean)) if mean[at] >= least), key=size)

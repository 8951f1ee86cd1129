"""A classifier that chooses the size of its tree by cross validation."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed

from beamtree._engine.settings import LEAVES, SETTINGS, Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._sklearn.tree_export import TreeExportMixin
from beamtree._sklearn.unproved import warn_of_many
from beamtree._util.validation import BOOLEAN, Allowed
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._best import BestPredictor
from beamtree.model_selection._candidate import Candidate
from beamtree.model_selection._fit_progress import FitProgress
from beamtree.model_selection._folds import (
    Fold,
    Scorer,
    choose,
    fit_candidate,
    fit_fold,
    results_table,
    takes_weights,
)
from beamtree.model_selection.leaves import ALLOWED as LEAF_PATH_PARAMETERS
from beamtree.model_selection.leaves import leaf_path
from beamtree.model_selection.path import ALLOWED as PATH_PARAMETERS
from beamtree.model_selection.path import penalty_path

__all__ = ["OptimalTreeClassifierCV"]


def _is_list_of(allowed: Allowed, values: Any) -> bool:
    """Tell whether there is at least one value, and each is allowed."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
        return False
    return all(allowed.test(value) for value in values)


DEPTH_OR_NONE = SETTINGS["max_depth"].allowed
PENALTY = SETTINGS["leaf_penalty"].allowed
ALLOWED = {
    "estimator": Allowed(
        "None or an OptimalTreeClassifier",
        lambda value: value is None or isinstance(value, OptimalTreeClassifier),
    ),
    "max_depths": Allowed(
        f"a sequence of at least one value, each {DEPTH_OR_NONE.words}",
        lambda value: _is_list_of(DEPTH_OR_NONE, value),
    ),
    "leaf_penalties": Allowed(
        f"'path', or a sequence of at least one value, each {PENALTY.words}",
        lambda value: _is_list_of(PENALTY, value) or (isinstance(value, str) and value == "path"),
    ),
    "max_leaf_nodes": Allowed(
        f"None, {LEAVES.words}, or a sequence of at least one such integer",
        lambda value: value is None or LEAVES.test(value) or _is_list_of(LEAVES, value),
    ),
    "one_standard_error": BOOLEAN,
    "refit": BOOLEAN,
    **{name: SETTINGS[name].allowed for name in ("time_limit", "n_jobs", "verbose")},
}


class OptimalTreeClassifierCV(TreeExportMixin, BestPredictor, ClassifierMixin, BaseEstimator):
    """Optimal decision tree whose depth and number of leaves are chosen by cross validation.

    `fit` tries each depth with each penalty, or each number of leaves, on each fold. The searches
    on one fold share their trees and lower bounds: each starts from the best tree that is known,
    and is left out if the bounds prove that this tree is optimal. `fit` then takes the parameters
    with the best mean score, those of the smallest tree if several are equally good, and fits a
    tree to all rows with them.

    Parameters
    ----------
    estimator : OptimalTreeClassifier or None, default=None
        Classifier with all other parameters. None means one with default parameters.
    max_depths : sequence of int or None, default=(1, 2, 3, 4)
        Depths to try. None, any depth, needs penalties above 0 or numbers of leaves.
    leaf_penalties : sequence of float or "path", default="path"
        Penalties to try with each depth. With ``"path"``, `fit` computes the `penalty_path` of each
        depth on all rows, and tries one penalty for each of its trees; if numbers of leaves are
        tried, it means no penalty.
    max_leaf_nodes : int, sequence of int or None, default=None
        Numbers of leaves to try with each depth and each penalty. With an integer, `fit` computes
        the `leaf_path` of each depth on all rows up to this number, and tries the number of leaves
        of each of its trees. None tries no numbers of leaves.
    cv : int, splitter, iterable or None, default=None
        The folds, as in scikit-learn. None means five stratified folds.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn. None means the accuracy.
    one_standard_error : bool, default=False
        Whether to take the smallest tree whose score is within one standard error of the best
        score. By default only the best score counts.
    refit : bool, default=True
        Whether to fit `best_estimator_` to all rows.
    time_limit : float or None, default=10.0
        Seconds for each path, for all fits of one depth on one fold together, and for the fit to
        all rows. None means that there is no limit. If paths or fits end at a limit before their
        trees are proved, one ``ConvergenceWarning`` says how many.
    n_jobs : int or None, default=None
        Number of folds that joblib fits at the same time. None means 1, and -1 one per core.
        The number of threads of each search is a parameter of `estimator`.
    verbose : int, default=0
        How much is printed: 1 shows the time, the number of fits that are done, and the fit that is
        running. In a notebook, and in a terminal with the package rich, this is a live line;
        elsewhere a line is printed at most every ten seconds, between two fits.

    Attributes
    ----------
    best_params_ : dict
        The chosen ``max_depth`` and ``leaf_penalty``, and ``max_leaf_nodes`` if numbers of leaves
        are tried.
    best_score_ : float
        Mean score of these parameters on the folds.
    best_index_ : int
        Index of these parameters in `cv_results_`.
    best_estimator_ : OptimalTreeClassifier
        The classifier that was fitted to all rows with these parameters. It exists if `refit` is
        True.
    proof_ : str
        What is proved about the tree of `best_estimator_`, in one line. It exists if `refit` is
        True.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Those of `best_estimator_`. They exist if `refit` is True.
    cv_results_ : dict
        Columns with one entry per candidate, as in scikit-learn's ``GridSearchCV``,
        ``mean_n_leaves``, and ``n_proved``, the number of folds on which its tree is proved to be
        optimal, up to the rounding of weights. A fit that a bound made needless took 0 seconds.
    n_splits_ : int
        Number of folds.
    scorer_ : callable
        The scorer that was used.
    refit_time_ : float
        Seconds of the fit to all rows. It exists if `refit` is True.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Number of columns of X in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns. They exist if X had names that are all strings.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifierCV
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(3)
    >>> clf = OptimalTreeClassifierCV(max_depths=(1, 2, 3), cv=3).fit(X, y)
    >>> clf.best_params_["max_depth"], clf.best_score_, clf.best_estimator_.status_
    (3, 1.0, 'optimal')
    """

    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    proof_: str
    cv_results_: dict[str, Any]
    n_splits_: int
    refit_time_: float
    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        estimator: OptimalTreeClassifier | None = None,
        *,
        max_depths: Sequence[int | None] = (1, 2, 3, 4),
        leaf_penalties: Sequence[float] | str = "path",
        max_leaf_nodes: int | Sequence[int] | None = None,
        cv: Any = None,
        scoring: Any = None,
        one_standard_error: bool = False,
        refit: bool = True,
        time_limit: float | None = 10.0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.max_depths = max_depths
        self.leaf_penalties = leaf_penalties
        self.max_leaf_nodes = max_leaf_nodes
        self.cv = cv
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.refit = refit
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the depth and the penalty or the number of leaves, and fit the tree.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in `OptimalTreeClassifier.fit`.
        y : array-like of shape (n_rows,)
            Labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, used by the fits and by the scorer if it accepts them. With
            metadata routing, only those that request the weights get them. If `estimator` is None,
            both do.
        **params
            ``groups`` for the splitter. With metadata routing, any parameter that is requested.

        Returns
        -------
        OptimalTreeClassifierCV
            The estimator itself.
        """
        for name, allowed in ALLOWED.items():
            allowed.check(name, getattr(self, name))
        template = self._template()
        self._check_any_depth(template)
        scorer = check_scoring(template, self.scoring)
        routed = self._routed(scorer, sample_weight, params)
        checked = clone(template).set_params(max_depth=0, init=None, callback=None, verbose=0)
        checked.fit(X, y, **routed.estimator.fit)
        X, y = indexable(X, y)
        cv = check_cv(self.cv, y, classifier=True)
        rows = list(cv.split(X, y, **routed.splitter.split))
        arguments = routed.estimator.fit, routed.scorer.score, checked.classes_
        folds = [
            Fold(X, y, train, test, *arguments, f"fold {number} of {len(rows)}")
            for number, (train, test) in enumerate(rows, start=1)
        ]
        with FitProgress(self.verbose) as progress:
            paths, fits = self._choose_and_fit(template, scorer, folds, progress)
        self._take_features(checked)
        what = "paths and fits" if paths else "fits"
        warn_of_many(what, [*paths, *fits], self.time_limit, "smaller max_depths")
        return self

    def _choose_and_fit(
        self,
        template: OptimalTreeClassifier,
        scorer: Scorer,
        folds: list[Fold],
        progress: FitProgress,
    ) -> tuple[list[str], list[str]]:
        """Score the candidates on the folds, choose one of them, and fit it to all rows.

        Returns
        -------
        tuple of list of str
            Why each path ended, and why each fit ended.
        """
        X, y, fit_params, classes = (
            getattr(folds[0], name) for name in ("X", "y", "fit_params", "classes")
        )
        tried, paths = self._candidates(template, X, y, fit_params, progress)
        for candidate in tried:
            Settings(**{"max_leaf_nodes": template.max_leaf_nodes} | candidate.params).check()
        scores = self._scores(template, [*tried], scorer, folds, progress)
        self.cv_results_ = results_table([*tried], scores)
        self.best_index_ = choose(
            self.cv_results_, len(folds), one_standard_error=self.one_standard_error
        )
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.n_splits_, self.scorer_, self.classes_ = len(folds), scorer, classes
        fits = [score.status for row in scores for score in row]
        if self.refit:
            begin = perf_counter()
            best = Candidate(**self.best_params_)
            progress.begin(f"{best}, all rows")
            self.best_estimator_ = fit_candidate(template, best, X, y, fit_params, tried[best])
            self.refit_time_ = perf_counter() - begin
            self.proof_ = self.best_estimator_.proof_
            fits.append(self.best_estimator_.status_)
        return paths, fits

    def _check_any_depth(self, template: OptimalTreeClassifier) -> None:
        """Raise a ValueError if trees may have any depth, and nothing else limits their size."""
        if all(depth is not None for depth in self.max_depths):
            return
        if self.max_leaf_nodes is not None or template.max_leaf_nodes is not None:
            return
        penalties = self.leaf_penalties
        if not isinstance(penalties, str) and all(penalty > 0 for penalty in penalties):
            return
        msg = (
            f"max_depths must not contain None unless there are max_leaf_nodes or all "
            f"leaf_penalties are above 0, got max_depths={self.max_depths!r} and "
            f"leaf_penalties={penalties!r}"
        )
        raise ValueError(msg)

    def _template(self) -> OptimalTreeClassifier:
        if self.estimator is None:
            template = OptimalTreeClassifier()
            if get_config()["enable_metadata_routing"]:
                template.set_fit_request(sample_weight=True)
                template.set_score_request(sample_weight=True)
        else:
            template = clone(self.estimator)
        return template.set_params(time_limit=self.time_limit)  # type: ignore[no-any-return]

    def _routed(self, scorer: Scorer, sample_weight: Any, params: dict[str, Any]) -> Bunch:
        """Return the further arguments of the fits, of the scorer and of the splitter."""
        if hasattr(sample_weight, "__array__"):
            sample_weight = np.asarray(sample_weight)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", **params, **weights)
        for name in params:
            if name != "groups":
                msg = f"fit() takes no parameter {name!r}; allowed are sample_weight and groups"
                raise TypeError(msg)
        return Bunch(
            estimator=Bunch(fit=weights),
            scorer=Bunch(score=weights if takes_weights(scorer) else {}),
            splitter=Bunch(split=params),
        )

    def _candidates(
        self,
        template: OptimalTreeClassifier,
        X: Any,
        y: Any,
        fit_params: dict[str, Any],
        progress: FitProgress,
    ) -> tuple[dict[Candidate, TreeWithColumns | None], list[str]]:
        """Return the candidates, each with a tree to start from if one is known.

        Returns
        -------
        tuple of dict and list of str
            The candidates, and why each path ended from which they come.
        """
        given = template.get_params() | {"on_interrupt": "raise"}
        tried: dict[Candidate, TreeWithColumns | None] = {}
        ends: list[str] = []
        for depth in dict.fromkeys(None if one is None else int(one) for one in self.max_depths):
            rows = {"X": X, "y": y, "max_depth": depth, "time_limit": self.time_limit} | fit_params
            tried |= self._candidates_of_depth(given, rows, progress, ends)
        return tried, ends

    def _candidates_of_depth(
        self,
        given: dict[str, Any],
        rows: dict[str, Any],
        progress: FitProgress,
        ends: list[str],
    ) -> dict[Candidate, TreeWithColumns | None]:
        """Return the candidates of one depth, in the order in which a fold tries them.

        Parameters
        ----------
        given : dict
            The parameters of the classifier.
        rows : dict
            The rows, the depth and the time limit, as arguments of a path.
        progress : FitProgress
            Object that is told of each path.
        ends : list of str
            List to which it is added why a path ended.
        """
        depth = rows["max_depth"]
        path_name = "path of any depth" if depth is None else f"path of depth {depth}"
        by_path = isinstance(self.leaf_penalties, str)
        if by_path and self.max_leaf_nodes is None:
            progress.begin(path_name)
            path = penalty_path(**rows, **{name: given[name] for name in PATH_PARAMETERS})
            ends.append(path.status)
            # The path goes from few leaves to many; the folds need increasing penalties.
            pairs = zip(path.table["leaf_penalty"][::-1], path.trees[::-1], strict=True)
            return {
                Candidate(depth, float(penalty)): TreeWithColumns(tree, path.columns)
                for penalty, tree in pairs
            }
        penalties = [0.0] if by_path else sorted({float(one) for one in self.leaf_penalties})
        numbers: dict[int | None, TreeWithColumns | None] = {None: None}
        if isinstance(self.max_leaf_nodes, Sequence | np.ndarray):
            numbers = dict.fromkeys(sorted({int(one) for one in self.max_leaf_nodes}))
        elif self.max_leaf_nodes is not None:
            params = {name: given[name] for name in LEAF_PATH_PARAMETERS}
            progress.begin(path_name)
            found = leaf_path(**rows, max_leaf_nodes=self.max_leaf_nodes, **params)
            ends.append(found.status)
            numbers = {tree.n_leaves: TreeWithColumns(tree, found.columns) for tree in found.trees}
        return {
            Candidate(depth, penalty, number): start
            for number, start in numbers.items()
            for penalty in penalties
        }

    def _scores(
        self,
        template: OptimalTreeClassifier,
        candidates: list[Candidate],
        scorer: Scorer,
        folds: list[Fold],
        progress: FitProgress,
    ) -> list[list[Any]]:
        """Return one list per candidate, with one score per fold."""
        # Ctrl-C ends the whole cross validation, not only the current fit.
        # A fold keeps all its classifiers for a while, so none of them keeps its search.
        quiet = clone(template).set_params(
            on_interrupt="raise", callback=None, verbose=0, warm_start=False
        )
        tasks = [(quiet, candidates, scorer, fold) for fold in folds]
        progress.total = len(candidates) * len(folds)
        fits: list[list[Any]] = []
        if effective_n_jobs(self.n_jobs) == 1:
            fits = [fit_fold(*task, progress) for task in tasks]
        elif not progress.wanted:
            fits = Parallel(n_jobs=self.n_jobs)(delayed(fit_fold)(*task) for task in tasks)
        else:
            parallel = Parallel(n_jobs=self.n_jobs, return_as="generator")
            progress.begin(f"{len(folds)} folds")
            for fit in parallel(delayed(fit_fold)(*task) for task in tasks):
                fits.append(fit)
                progress.done += len(fit)
                progress.begin(f"{len(folds)} folds")
        return [list(row) for row in zip(*fits, strict=True)]

    def _take_features(self, checked: OptimalTreeClassifier) -> None:
        self.n_features_in_ = checked.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(checked, "feature_names_in_"):
            self.feature_names_in_ = checked.feature_names_in_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata the estimator, the scorer and the splitter request.

        Returns
        -------
        MetadataRouter
            See scikit-learn's user guide on metadata routing.
        """
        fits = MethodMapping().add(caller="fit", callee="fit")
        scores = MethodMapping().add(caller="fit", callee="score")
        scores.add(caller="score", callee="score")
        splits = MethodMapping().add(caller="fit", callee="split")
        template = self._template()
        return (
            MetadataRouter(owner=self)
            .add(estimator=template, method_mapping=fits)
            .add(scorer=check_scoring(template, self.scoring), method_mapping=scores)
            .add(splitter=self.cv, method_mapping=splits)
        )

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the estimator that is fitted."""
        tags = super().__sklearn_tags__()
        inside = get_tags(OptimalTreeClassifier() if self.estimator is None else self.estimator)
        tags.input_tags, tags.classifier_tags = inside.input_tags, inside.classifier_tags
        return tags

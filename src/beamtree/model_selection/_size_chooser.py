"""How the size of a tree is chosen by cross validation, whatever its leaves predict."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed

from beamtree._engine.settings import LEAVES, SETTINGS, Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._sklearn.unproved import warn_of_many
from beamtree._util.validation import BOOLEAN, Allowed
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._candidate import Candidate
from beamtree.model_selection._fit_progress import FitProgress
from beamtree.model_selection._fold_trees import TreeEstimator
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
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor


def _is_list_of(allowed: Allowed, values: Any) -> bool:
    """Tell whether there is at least one value, and each is allowed."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
        return False
    return all(allowed.test(value) for value in values)


DEPTH_OR_NONE = SETTINGS["max_depth"].allowed
PENALTY = SETTINGS["leaf_penalty"].allowed
ALLOWED = {
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


class SizeChooserMixin:
    """Mixin of an estimator that chooses the size of a tree by cross validation."""

    # The class of the estimator whose size is chosen.
    _kind: ClassVar[type]

    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    proof_: str
    cv_results_: dict[str, Any]
    n_splits_: int
    refit_time_: float
    n_features_in_: int

    def __init__(
        self,
        estimator: Any = None,
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
            The table, as in the `fit` of `estimator`.
        y : array-like of shape (n_rows,) or (n_rows, n_actions)
            Labels, numbers to predict or rewards of actions, as in the `fit` of `estimator`.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, used by the fits and by the scorer if it accepts them. With
            metadata routing, only those that request the weights get them. If `estimator` is None,
            both do.
        **params
            ``groups`` for the splitter. With metadata routing, any parameter that is requested.

        Returns
        -------
        estimator
            The estimator itself.
        """
        paths, fits = self._fit(X, y, sample_weight, params)
        what = "paths and fits" if paths else "fits"
        warn_of_many(what, [*paths, *fits], self.time_limit, "smaller max_depths")
        return self

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]
    ) -> tuple[list[str], list[str]]:
        """Choose the size, and fit the tree; see `fit`.

        Returns
        -------
        tuple of list of str
            Why each path ended, and why each fit ended.
        """
        Allowed(
            f"None or an {self._kind.__name__}",
            lambda value: value is None or isinstance(value, self._kind),
        ).check("estimator", self.estimator)
        for name, allowed in ALLOWED.items():
            allowed.check(name, getattr(self, name))
        template = self._template()
        self._check_any_depth(template)
        scorer = check_scoring(template, self.scoring)
        routed = self._routed(scorer, sample_weight, params)
        checked = clone(template).set_params(max_depth=0, init=None, callback=None, verbose=0)
        checked.fit(X, y, **routed.estimator.fit)
        X, y = indexable(X, y)
        has_labels = issubclass(self._kind, OptimalTreeClassifier)
        cv = check_cv(self.cv, y, classifier=has_labels)
        rows = list(cv.split(X, y, **routed.splitter.split))
        classes = checked.classes_ if has_labels else None
        arguments = routed.estimator.fit, routed.scorer.score, classes
        folds = [
            Fold(X, y, train, test, *arguments, f"fold {number} of {len(rows)}")
            for number, (train, test) in enumerate(rows, start=1)
        ]
        with FitProgress(self.verbose) as progress:
            paths, fits = self._choose_and_fit(template, scorer, folds, progress)
        for name in ("classes_", "actions_"):
            if hasattr(checked, name):
                setattr(self, name, getattr(checked, name))
        self._take_features(checked)
        return paths, fits

    def _choose_and_fit(
        self,
        template: TreeEstimator,
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
        X, y, fit_params = (getattr(folds[0], name) for name in ("X", "y", "fit_params"))
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
        self.n_splits_, self.scorer_ = len(folds), scorer
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

    def _check_any_depth(self, template: TreeEstimator) -> None:
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

    def _template(self) -> TreeEstimator:
        if self.estimator is None:
            template = self._kind()
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
        template: TreeEstimator,
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
            rows["regression"] = issubclass(self._kind, OptimalTreeRegressor)
            rows["policy"] = issubclass(self._kind, OptimalPolicyTree)
            rows["actions"] = given.get("actions")  # only a policy tree has some
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
            The parameters of the estimator.
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
            path = penalty_path(**rows, **_known(given, PATH_PARAMETERS))
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
            params = _known(given, LEAF_PATH_PARAMETERS)
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
        template: TreeEstimator,
        candidates: list[Candidate],
        scorer: Scorer,
        folds: list[Fold],
        progress: FitProgress,
    ) -> list[list[Any]]:
        """Return one list per candidate, with one score per fold."""
        # Ctrl-C ends the whole cross validation, not only the current fit.
        # A fold keeps all its estimators for a while, so none of them keeps its search.
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

    def _take_features(self, checked: TreeEstimator) -> None:
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
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        inside = get_tags(self._kind() if self.estimator is None else self.estimator)
        tags.input_tags, tags.target_tags = inside.input_tags, inside.target_tags
        tags.classifier_tags, tags.regressor_tags = inside.classifier_tags, inside.regressor_tags
        return tags


def _known(given: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that an estimator has, of those that a path takes."""
    return {name: given[name] for name in names if name in given}

"""The regressor, which follows the conventions of scikit-learn."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from beamtree._engine.settings import REGRESSOR, Callback, Settings
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._estimator import SearchEstimatorMixin
from beamtree._resume.initial_tree import read_training_data
from beamtree._sklearn.callbacks import CallbackSupportMixin, with_callbacks
from beamtree._sklearn.predictor import NumberPredictorMixin
from beamtree._sklearn.tree_export import TreeExportMixin
from beamtree._sklearn.unproved import is_unproved, warn_of_fit
from beamtree._table.columns import Columns
from beamtree._table.training_data import TrainingData
from beamtree.alternatives import Alternatives
from beamtree.cancel import CancelToken
from beamtree.objectives import Objective
from beamtree.search_space import SearchSpace
from beamtree.tree import Tree


class OptimalTreeRegressor(
    CallbackSupportMixin,
    RegressorMixin,
    TreeExportMixin,
    SearchEstimatorMixin,
    NumberPredictorMixin,
    BaseEstimator,
):
    """Regression tree with the smallest squared error of all trees of its depth, with proof.

    Of all trees of depth at most `max_depth` and at most `max_leaf_nodes` leaves, with at least
    `min_samples_leaf` rows in every leaf, whatever their thresholds, the search finds one that
    minimises

        squared error + leaf_penalty * squared error of a single leaf * (leaves - 1)

    The squared error is the sum of ``weight * (y - prediction) ** 2`` over the rows, and every leaf
    predicts the weighted mean of its rows. If a limit such as `time_limit` ends the search early,
    the result is the best tree so far, with a lower bound on the objective of the best possible
    tree, and a ``ConvergenceWarning`` says so.

    A split is a test of a column: ``x <= t`` for numbers and ordered categories, ``x == c`` and
    ``x in (...)`` for text and categories without an order, or whether the value is missing, in
    columns that have missing values. Numbers are compared without rounding, and missing values go
    to the side that is better. Categories without an order are grouped along the mean of y among
    all training rows. If there are more than three of them, these are not all groups, and deeper
    nodes may prefer others. `search_space_` describes the tests that are searched.

    Parameters
    ----------
    max_depth : int or None, default=4
        Largest depth of the tree; a tree of depth 0 is a single leaf. None allows any depth, and
        needs a `leaf_penalty` or a limit of leaves. An integer is at most 20. The time grows
        steeply with the depth.
    min_samples_leaf : int or float, default=1
        Smallest number of rows in a leaf, or a share of the rows between 0 and 1. A share is
        rounded up to a number of rows. Rows count alike whatever their weights, but rows of weight
        zero do not count.
    leaf_penalty : float, default=0.0
        Cost of every leaf after the first, as a share of the squared error of a single leaf. With
        0.01, a leaf must raise the share of the squared error that is explained, which is R² on
        the training rows, by 0.01. Penalties make trees smaller; 0 minimises the error alone.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree; by default only its depth limits them. 1 is a single
        leaf. If `max_depth` is None, it is at most 121.
    min_weight_fraction_leaf : float, default=0.0
        Smallest weight of a leaf, as a share of the total weight. Cannot be combined with
        `min_samples_leaf`, or with weights that must be rounded.
    max_thresholds : int or None, default=None
        Largest number of thresholds, or of categories, that are searched in one column; by default
        all thresholds, and at most 128 categories. There is a threshold between every two
        neighbouring values. If a column has more thresholds than the given number, quantiles of the
        weight are searched; if it has more categories, the most frequent ones. `proof_` then says
        so.
    tie_break : {"any", "small", "smallest"}, default="small"
        Which of the best trees is sought: any, a small one, or the one with the fewest leaves. As
        in `OptimalTreeClassifier`. Trees are equally good if the integers with which the search
        computes are equal; see `rounding_`.
    criterion : {"squared_error"} or Objective, default="squared_error"
        What the leaves of a tree that predicts numbers cost: squared errors, or an objective of
        your own. Such an objective is an object of a class that is derived from
        `beamtree.objectives.Objective`, for example `beamtree.objectives.PoissonDeviance`. The cost
        of the leaves then takes the place of the squared error, and leaves predict what the
        objective says. The search calls the objective in Python, which is many times slower, and
        uses one thread.
    rule : rule, str or None, default="auto"
        Rule by which each pass of the search leaves out splits; it decides which trees come first.
        An object of `beamtree.rules`, a rule of your own, or a name: ``"discrepancy"``,
        ``"top-k"``, ``"top-k-star"``, ``"gain"``, ``"purity"``. ``"auto"`` is the best known
        strategy. None searches in one complete pass. Every fit works on a copy of a rule of your
        own.
    schedule : schedule, str or sequence of numbers, default="luby"
        How fast the rule is relaxed from one pass to the next. An object of `beamtree.schedules`,
        a name (``"luby"``, ``"monotonic"``, ``"exponential"``), or the multiples of the rule's
        unit themselves.
    heuristic : heuristic or str, default="auto"
        Order in which features are tried. An object of `beamtree.heuristics` or a name
        (``"auto"``, ``"lookahead"``, ``"error"``, ``"given"``); heuristics that measure classes are
        refused.
    exact_levels : int, default=3
        Number of levels at the bottom of the tree that a specialised kernel solves at once. From 0
        to 3, of which at most 2 are used. Rules act above these levels. Changes the speed, not the
        optimum.
    time_limit : float or None, default=60.0
        Seconds after which the search stops with its best tree. The time counts from the call of
        `fit`. 0 gives a greedy tree; None sets no limit.
    gap_limit : float, default=0.0
        Gap at which the search stops, as a share of the objective of its tree. With 0.05, the
        search stops when no tree can be better by more than 5%. 0 searches until the tree is
        proved to be optimal.
    node_limit : int or None, default=None
        Number of nodes after which the search stops with its best tree. Unlike a time limit, it
        gives the same tree on every machine, with one thread. None sets no limit.
    memory_limit : int, str or None, default=None
        Largest amount of memory by which the process may grow, such as 2GB; by default 80% of the
        free memory. A number of bytes, or text such as ``"2GB"``, ``"512 MB"``, ``"1.5GiB"``. A
        search that reaches the limit forgets results that it can compute again: with less memory
        it is slower, not worse.
    init : tree or None, default=None
        Tree to start from, so that the result is not worse than this tree. A fitted
        ``DecisionTreeRegressor``, ``ExtraTreeRegressor`` or `OptimalTreeRegressor` on the same
        columns, or a `Tree`, `Incumbent` or `Result`. The tree is cut to `max_depth`,
        `max_leaf_nodes` and `min_samples_leaf`, splits that do not lower the objective are removed,
        and its tests are added to those that are searched.
    warm_start : bool, default=False
        Whether another `fit` continues the search of the previous one. The data and the settings
        of the problem and the strategy must be equal; otherwise the search starts anew. Give it
        more time, more nodes or a smaller gap. Nodes are counted from the first fit, the time from
        the latest. The search is kept in memory, but not in copies and pickles.
    callback : callable or None, default=None
        Function that is called with an `Incumbent` at every improvement of the tree or the bound.
        A true return value stops the search. If it raises an exception, the regressor is fitted
        before the exception propagates. The time that it takes counts.
    cancel : CancelToken or None, default=None
        Token that ends the search from another thread.
    on_interrupt : {"auto", "keep", "raise"}, default="auto"
        What happens after Ctrl-C, once the best tree has been stored. ``"keep"`` returns the
        fitted regressor; ``"raise"`` raises KeyboardInterrupt. ``"auto"`` raises if scikit-learn
        or joblib called `fit`, so that a cross validation, a grid search or a pipeline ends as a
        whole, and returns if your own code did.
    n_jobs : int or None, default=None
        Number of threads that search together, by default one; -1 uses all cores. None takes the
        number of ``joblib.parallel_config``, if that is set. A rule that is written in Python
        always uses one thread.
    verbose : int, default=0
        How much is printed: 1 shows a live line, 2 prints a line at every improvement. As in
        `OptimalTreeClassifier`.

    Attributes
    ----------
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had names that are all strings.
    columns_ : Columns
        Names and categories of the columns of X; its ``encode`` converts a table to the arrays
        that `tree_` takes.
    search_space_ : SearchSpace
        The tests that were searched: their number in each column, and whether these are all.
    status_ : str
        Why the search ended. ``"optimal"`` means that the search is complete: no tree over the
        tests of `search_space_` has an objective that is smaller by more than `rounding_`. The
        other values are those of `OptimalTreeClassifier`.
    proof_ : str
        What is proved about the tree, in one line, for example ``"Proved optimal: squared error
        923,021 (R² 0.648)"``. It has the objective instead of the squared error if there is a
        `leaf_penalty`.
    objective_ : float
        The objective of the tree, recounted from the rows.
    lower_bound_ : float
        Lower bound on the objective: no tree has a smaller one. It is below `objective_` by up to
        `rounding_` even if the search is complete.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``, or 0 if both are 0.
    n_leaves_bound_ : int
        Lower bound on the number of leaves of the best trees. It is 1, which means that nothing is
        known, unless the squared error is 0.
    rounding_ : float
        Largest change of an objective that can be due to the integers with which the search
        computes; it is part of `gap_`. It is usually below 1e-11 of the squared error of a single
        leaf. It grows with the number of rows if y has more than nine decimals, and with the number
        of leaves.
    trace_ : ndarray
        Structured array with one row per improvement: ``seconds``, ``nodes``, ``objective``,
        ``lower_bound``, ``restart`` (number of the pass, from 0), ``threshold`` (of the rule).
    tree_ : Tree
        The tree as flat arrays, in scikit-learn's layout, over the columns of X.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much of the drop of the squared error each column accounts for. They add up to 1, or
        are all 0 if no split lowers the error.
    alternatives_ : Alternatives
        For tests that could be at the root, the best objective that was found with each, and a
        lower bound. They show whether another first test can do as well.
    statistics_ : dict
        Counters of the search; ``seconds``, the time at which it ended, on the clock of the trace;
        ``preparation_seconds``, the time for checking and packing the data; and
        ``time_to_proof``, an estimate of the seconds that the proof would take from there: 0 with
        a proof, None if nothing can be said.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from beamtree import OptimalTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> reg = OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> print(reg.proof_)
    Proved optimal: squared error 1,477,077 (R² 0.436)
    >>> round(reg.score(X, y), 3)
    0.436
    """

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    columns_: Columns
    search_space_: SearchSpace
    status_: str
    proof_: str
    objective_: float
    lower_bound_: float
    gap_: float
    n_leaves_bound_: int
    rounding_: float
    trace_: NDArray[np.void]
    tree_: Tree
    statistics_: dict[str, Any]
    alternatives_: Alternatives

    def __init__(
        self,
        max_depth: int | None = 4,
        min_samples_leaf: float = 1,
        leaf_penalty: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_weight_fraction_leaf: float = 0.0,
        max_thresholds: int | None = None,
        tie_break: str = "small",
        criterion: str | Objective = "squared_error",
        rule: RuleLike = "auto",
        schedule: ScheduleLike = "luby",
        heuristic: HeuristicLike = "auto",
        exact_levels: int = 3,
        time_limit: float | None = 60.0,
        gap_limit: float = 0.0,
        node_limit: int | None = None,
        memory_limit: int | str | None = None,
        init: Any = None,
        warm_start: bool = False,  # noqa: FBT001, FBT002
        callback: Callback | None = None,
        cancel: CancelToken | None = None,
        on_interrupt: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.leaf_penalty = leaf_penalty
        self.max_leaf_nodes = max_leaf_nodes
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_thresholds = max_thresholds
        self.tie_break = tie_break
        self.criterion = criterion
        self.rule = rule
        self.schedule = schedule
        self.heuristic = heuristic
        self.exact_levels = exact_levels
        self.time_limit = time_limit
        self.gap_limit = gap_limit
        self.node_limit = node_limit
        self.memory_limit = memory_limit
        self.init = init
        self.warm_start = warm_start
        self.callback = callback
        self.cancel = cancel
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        certificate: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Search for the best tree on the given rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Numbers, booleans, text or categories, some of which may be missing. Floats are
            compared as float64, and integers as integers. Categories may have an order.
        y : array-like of shape (n_rows,)
            Numbers to predict, all of them finite.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, at least 0 and not all 0; None gives all rows the same weight.
            Rows of weight zero are ignored.
        certificate : path or None, default=None
            File in which a proof of the lower bound is written after the search, for programs that
            are not beamtree: see `Search.certificate`, which explains how long it takes and which
            problems cannot be stated. If Ctrl-C is pressed meanwhile, there is only a warning.

        Returns
        -------
        OptimalTreeRegressor
            The estimator itself.
        """
        call: str | None = self.__dict__.pop("_call", None)
        self._fit(
            REGRESSOR,
            lambda settings: self._read(X, y, sample_weight, settings),
            numbers=True,
            X=X,
            y=y,
            sample_weight=sample_weight,
            certificate=certificate,
        )
        if is_unproved(self.status_, self.time_limit):
            left = self.statistics_["time_to_proof"]
            warn_of_fit(self.proof_, self.status_, self.max_depth, call, left)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, settings: Settings) -> TrainingData:
        return read_training_data(X, y, sample_weight, settings, self, numbers=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return a regressor with the tree that `to_json` wrote.

        Parameters
        ----------
        text : str or bytes
            The JSON; see `beamtree.export.from_json`.

        Returns
        -------
        OptimalTreeRegressor
            A regressor that predicts the same; its parameters are the defaults.
        """
        from beamtree.export.json import from_json

        return from_json(text, cls())

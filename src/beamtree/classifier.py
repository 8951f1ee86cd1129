"""The classifier, which follows the conventions of scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from beamtree._engine.settings import CLASSIFIER, Callback, Settings
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._estimator import SearchEstimatorMixin
from beamtree._resume.initial_tree import read_training_data
from beamtree._sklearn.callbacks import CallbackSupportMixin, with_callbacks
from beamtree._sklearn.predictor import ClassPredictorMixin
from beamtree._sklearn.tree_export import TreeExportMixin
from beamtree._sklearn.unproved import is_unproved, warn_of_fit
from beamtree._table.columns import Columns
from beamtree._table.training_data import TrainingData
from beamtree.alternatives import Alternatives
from beamtree.cancel import CancelToken
from beamtree.search_space import SearchSpace
from beamtree.tree import Tree


class OptimalTreeClassifier(
    CallbackSupportMixin,
    ClassifierMixin,
    TreeExportMixin,
    SearchEstimatorMixin,
    ClassPredictorMixin,
    BaseEstimator,
):
    """Decision tree with the smallest training error of all trees of its depth, with proof.

    Of all trees of depth at most `max_depth` and at most `max_leaf_nodes` leaves, with at least
    `min_samples_leaf` rows in every leaf, whatever their thresholds, the search finds one that
    minimises

        weight of misclassified rows + leaf_penalty * total weight * (leaves - 1)

    Mistakes may have different costs (`cost_matrix`, or `sample_costs` of `fit`). If a limit such
    as `time_limit` ends the search early, the result is the best tree so far, with a lower bound on
    the objective of the best possible tree, and a ``ConvergenceWarning`` says so.

    A split is a test of a column: ``x <= t`` for numbers and ordered categories, ``x == c`` and
    ``x in (...)`` for text and categories without an order, or whether the value is missing, in
    columns that have missing values. Numbers are compared without rounding, and missing values go
    to the side that is better. Categories without an order are grouped along their share of a
    class among all training rows. If there are more than three of them, these are not all groups,
    and deeper nodes may prefer others. `search_space_` describes the tests that are searched.

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
        Cost of every leaf after the first, as a share of the total weight of the rows. With 0.01,
        a leaf must reduce the misclassified weight by one hundredth of the total. Penalties make
        trees smaller; 0 minimises the error alone.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree; by default only its depth limits them. 1 is a single
        leaf. If `max_depth` is None, it is at most 121. `leaf_path` finds the best trees of all
        numbers of leaves.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels, by which the weights of their rows are multiplied. Labels that a
        dict does not name have weight 1. ``"balanced"`` gives every label the same share of the
        total weight.
    cost_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        Costs of the mistakes: row j, column k has the cost of predicting label k for a row of
        label j. Labels are in the order of `classes_`, and costs are at least 0; the cost of a
        row is multiplied by its weight. Leaves predict the label of the least cost. None is 1 for
        every mistake.
    min_weight_fraction_leaf : float, default=0.0
        Smallest weight of a leaf, as a share of the total weight. Cannot be combined with
        `min_samples_leaf` or `cost_matrix`, or with weights that must be rounded.
    max_thresholds : int or None, default=None
        Largest number of thresholds, or of categories, that are searched in one column; by default
        all thresholds, and at most 128 categories. There is a threshold between every two
        neighbouring values. If a column has more thresholds than the given number, quantiles of the
        weight are searched; if it has more categories, the most frequent ones. `proof_` then says
        so.
    tie_break : {"any", "small", "smallest"}, default="small"
        Which of the best trees is sought: any, a small one, or the one with the fewest leaves.
        ``"any"`` keeps the first of several trees that are equally good. ``"small"`` keeps the one
        with fewer leaves and, once a tree is proved to be optimal, spends another tenth of the work
        on the search for a smaller one that is as good. ``"smallest"`` searches until no best tree
        can have fewer leaves, which may take much longer. `n_leaves_bound_` says what is proved.
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
        (``"auto"``, ``"information_gain"``, ``"gain_ratio"``, ``"gini"``, ``"error"``,
        ``"lookahead"``, ``"given"``).
    exact_levels : int, default=3
        Number of levels at the bottom of the tree that a specialised kernel solves at once. From 0
        to 3; a table with many thresholds has at most 2. Rules act above these levels. Changes the
        speed, not the optimum.
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
        ``DecisionTreeClassifier``, ``ExtraTreeClassifier`` or `OptimalTreeClassifier` on the same
        columns, or a `Tree`, `Incumbent` or `Result`. The tree is cut to `max_depth`,
        `max_leaf_nodes` and `min_samples_leaf`, splits that do not lower the objective are removed,
        and its tests are added to those that are searched. Grid searches clone estimators, and
        clones are not fitted: give the ``tree_`` of an `OptimalTreeClassifier`, or a
        ``sklearn.frozen.FrozenEstimator`` around the classifier.
    warm_start : bool, default=False
        Whether another `fit` continues the search of the previous one. The data and the settings
        of the problem and the strategy must be equal; otherwise the search starts anew. Give it
        more time, more nodes or a smaller gap. Nodes are counted from the first fit, the time from
        the latest. The search is kept in memory, but not in copies and pickles.
    leaf_smoothing : float, "laplace" or None, default="laplace"
        How the probabilities of leaves are smoothed: ``'laplace'`` adds a row of each class, a
        number m adds m rows of the parent's classes, and None adds nothing. The shares of classes
        in a small leaf are poor probabilities, often 0 and 1. Smoothing changes `predict_proba` and
        the probabilities of exports, but neither the tree nor `predict`, and the most probable
        label of a leaf stays the same. A row of weight 2 counts as two rows; weights of a mean
        below 1 are scaled to a mean of 1 first.
    callback : callable or None, default=None
        Function that is called with an `Incumbent` at every improvement of the tree or the bound.
        A true return value stops the search. If it raises an exception, the classifier is fitted
        before the exception propagates. The time that it takes counts.
    cancel : CancelToken or None, default=None
        Token that ends the search from another thread.
    on_interrupt : {"auto", "keep", "raise"}, default="auto"
        What happens after Ctrl-C, once the best tree has been stored. ``"keep"`` returns the
        fitted classifier; ``"raise"`` raises KeyboardInterrupt. ``"auto"`` raises if scikit-learn
        or joblib called `fit`, so that a cross validation, a grid search or a pipeline ends as a
        whole, and returns if your own code did.
    n_jobs : int or None, default=None
        Number of threads that search together, by default one; -1 uses all cores. None takes the
        number of ``joblib.parallel_config``, if that is set. A rule that is written in Python
        always uses one thread.
    verbose : int, default=0
        How much is printed: 1 shows a live line, 2 prints a line at every improvement. The live
        line has time, objective, bound, gap, pass, speed and memory. It is updated in place on a
        terminal, which needs the package rich, and in notebooks; any other output gets it every
        ten seconds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes_,)
        The labels, sorted.
    n_classes_ : int
        Number of labels.
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
        Why the search ended:

        - ``"optimal"``: the tree is proved to be the best over all tests of `search_space_`. If
          real weights had to be rounded, its objective is at most `rounding_` above the least one;
        - ``"gap_reached"``: the gap is at most `gap_limit`;
        - ``"rule_limit"``: the rule has a limit of its own, and trees that it leaves out may be
          better;
        - ``"time_limit"``: the time was over;
        - ``"node_limit"``: the limit on the number of nodes was reached;
        - ``"memory_limit"``: the data did not leave enough memory for the search;
        - ``"interrupted"``: the search was stopped by Ctrl-C, a callback or a token, or by an
          exception in a callback or in a rule of your own. The exception is raised after the
          classifier is fitted.
    proof_ : str
        What is proved about the tree, in one line, for example ``"Proved optimal: 9 errors"`` or
        ``"Not proved: 379 errors, at least 0 (time limit of 60 s)"``. It has the objective instead
        of the errors if weights, costs or penalties count, and names the limit of leaves, and the
        bound on thresholds or categories, and groups of categories, if they leave something out.
        ``"Proved optimal: objective 12.5 (up to 3e-10)"`` means that real weights had to be
        rounded, and that no tree is better by more than this number.
    objective_ : float
        The objective of the tree, recounted from the rows.
    lower_bound_ : float
        Lower bound on the objective: no tree has a smaller one.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``, or 0 if both are 0. It is 0 for a proved tree,
        unless real weights had to be rounded: then it has what the rounding leaves open.
    n_errors_ : int
        Number of misclassified training rows; rows of weight zero do not count.
    n_leaves_bound_ : int
        Lower bound on the number of leaves of the best trees: no tree with the least objective has
        fewer leaves. If it equals ``get_n_leaves()`` and the status is ``"optimal"``, the tree is
        proved to be a smallest one of the best. It is 1 if nothing is known, as it is if weights
        must be rounded.
    rounding_ : float
        Largest difference of `objective_` and `lower_bound_` that can be due to scaling the weights
        and the penalty to integers; it is part of `gap_`. It is 0 for integers, and for numbers
        that are small multiples of a common unit, where numbers that agree to 1e-12 count as equal.
        For other weights it is usually below 1e-9 of their total.
    trace_ : ndarray
        Structured array with one row per improvement: ``seconds``, ``nodes``, ``objective``,
        ``lower_bound``, ``restart`` (number of the pass, from 0), ``threshold`` (of the rule).
    tree_ : Tree
        The tree as flat arrays, in scikit-learn's layout, over the columns of X.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much of the drop of the training error each column accounts for. They add up to 1, or
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
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> clf.status_, clf.n_errors_, clf.lower_bound_
    ('optimal', 48, 48.0)
    >>> print(clf.proof_)
    Proved optimal: 48 errors
    >>> clf.score(X, y)
    0.8888888888888888
    """

    classes_: NDArray[Any]
    n_classes_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    columns_: Columns
    search_space_: SearchSpace
    status_: str
    proof_: str
    objective_: float
    lower_bound_: float
    gap_: float
    n_errors_: int
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
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        max_thresholds: int | None = None,
        tie_break: str = "small",
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
        leaf_smoothing: float | str | None = "laplace",
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
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_thresholds = max_thresholds
        self.tie_break = tie_break
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
        self.leaf_smoothing = leaf_smoothing
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
        sample_costs: Any = None,
        certificate: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Search for the best tree on the given rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Numbers, booleans, text or categories, some of which may be missing. Floats are
            compared as float64, and integers as integers. Categories may have an order.
        y : array-like of shape (n_rows,)
            Labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, at least 0 and not all 0; None gives all rows the same weight.
            Rows of weight zero are ignored.
        sample_costs : array-like of shape (n_rows, n_classes), default=None
            For each row, the cost of predicting each label, in the order of `classes_`; costs are
            at least 0, and multiplied by the weight of the row. They take the place of a
            `cost_matrix`, which has the same costs for all rows of a label. The label of a row
            counts for `n_errors_` and for the probabilities, but not for the search.
        certificate : path or None, default=None
            File in which a proof of the lower bound is written after the search, for programs that
            are not beamtree: see `Search.certificate`, which explains how long it takes and which
            problems cannot be stated. If Ctrl-C is pressed meanwhile, there is only a warning.

        Returns
        -------
        OptimalTreeClassifier
            The estimator itself.
        """
        call: str | None = self.__dict__.pop("_call", None)
        self._fit(
            CLASSIFIER,
            lambda settings: self._read(X, y, sample_weight, settings, sample_costs),
            X=X,
            y=y,
            sample_weight=sample_weight,
            sample_costs=sample_costs,
            certificate=certificate,
        )
        if is_unproved(self.status_, self.time_limit):
            left = self.statistics_["time_to_proof"]
            warn_of_fit(self.proof_, self.status_, self.max_depth, call, left)
        return self

    def _read(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, sample_costs: Any
    ) -> TrainingData:
        return read_training_data(X, y, sample_weight, settings, self, sample_costs)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return a classifier with the tree that `to_json` wrote.

        Parameters
        ----------
        text : str or bytes
            The JSON; see `beamtree.export.from_json`.

        Returns
        -------
        OptimalTreeClassifier
            A classifier that predicts the same; its parameters are the defaults.
        """
        from beamtree.export.json import from_json

        return from_json(text, cls())

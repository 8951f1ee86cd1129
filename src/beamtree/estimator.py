"""The classifier for users of scikit-learn."""

from __future__ import annotations

from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from beamtree._engine import Engine
from beamtree._predictor import TreePredictor
from beamtree._strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._validation import SECONDS_OR_NONE, VERBOSITY, training_data
from beamtree.result import Result
from beamtree.search import SEARCH_PARAMETERS
from beamtree.tree import Tree

ALLOWED = SEARCH_PARAMETERS | {"time_limit": SECONDS_OR_NONE, "verbose": VERBOSITY}


class OptimalTreeClassifier(ClassifierMixin, TreePredictor, BaseEstimator):
    """Decision tree with the smallest training error of all trees of its depth, with proof.

    Of all trees of depth at most `max_depth` with at least `min_samples_leaf` rows in every
    leaf, the search finds one that minimises

        weight of misclassified rows + leaf_penalty * total weight * (leaves - 1)

    or, if `time_limit` ends it early, the best it met, with a lower bound that tells how far from
    the best it may be. The features are zeros and ones.

    Parameters
    ----------
    max_depth : int, default=4
        Largest depth of the tree, from 0 (a single leaf) to 20. Time grows steeply with it.
    min_samples_leaf : int, default=1
        Smallest number of rows in a leaf, whatever their weights.
    leaf_penalty : float, default=0.0
        Price of every leaf but the first, as a share of the total weight: with 0.01 a leaf must
        save one hundredth of the weight. Makes trees smaller; 0 minimises the error alone.
    rule : rule, str or None, default="auto"
        What the passes of the search leave out, and so which trees are met first: an object of
        `beamtree.rules`, a rule of your own, or a name: ``"discrepancy"``, ``"top-k"``,
        ``"top-k-star"``, ``"gain"``, ``"purity"``. ``"auto"`` is the best known strategy. None
        searches in one complete pass. Every fit works on a copy of a rule of your own.
    schedule : schedule, str or sequence of numbers, default="luby"
        How fast the rule is relaxed: an object of `beamtree.schedules`, a name (``"luby"``,
        ``"monotonic"``, ``"exponential"``), or the multiples of the rule's unit themselves.
    heuristic : heuristic or str, default="auto"
        The order in which features are tried: an object of `beamtree.heuristics` or a name
        (``"auto"``, ``"information_gain"``, ``"gain_ratio"``, ``"gini"``, ``"error"``,
        ``"lookahead"``, ``"given"``).
    exact_levels : int, default=3
        Number of levels at the bottom, 0 to 3, that are solved at once by a specialised kernel.
        Rules act above them. Changes the speed, not the optimum.
    time_limit : float or None, default=60.0
        Seconds after which the search stops with its best tree; 0 gives a greedy tree, None no
        limit.
    node_limit : int or None, default=None
        Number of nodes after which the search stops with its best tree; unlike a time limit it
        gives the same tree on every machine. None for no limit.
    verbose : int, default=0
        1 prints a line at every improvement of the tree or the bound.

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
    status_ : str
        Why the search ended:

        - ``"optimal"``: the tree is proved to be the best;
        - ``"gap_reached"``: the search is complete, and the gap that remains is only the
          rounding of real weights;
        - ``"rule_limit"``: the limit of `rule` leaves out what may be better;
        - ``"time_limit"``: the time was up;
        - ``"node_limit"``: so many nodes were searched;
        - ``"memory_limit"``: no more memory was to be had;
        - ``"interrupted"``: the search was stopped with Ctrl-C, or by an exception in a rule of
          your own, which is raised; the classifier is fitted.
    objective_ : float
        What the tree costs, recounted from the rows.
    lower_bound_ : float
        No tree costs less.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``, 0 where both are 0.
    n_errors_ : int
        Number of misclassified training rows; rows of weight zero are left out.
    rounding_ : float
        The most by which scaling the weights and the penalty to integers can have changed an
        objective; it is counted in `gap_`. 0 for integers, and for numbers that are small
        multiples of a common unit, where numbers that agree to 1e-12 count as equal.
    trace_ : ndarray
        Structured array with a row an improvement: ``seconds``, ``nodes``, ``objective``,
        ``lower_bound``, ``restart`` (the pass, from 0), ``threshold`` (of the rule).
    tree_ : Tree
        The tree as flat arrays, in scikit-learn's layout.
    statistics_ : dict
        Counters of the search.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> clf.status_, clf.n_errors_, clf.lower_bound_
    ('optimal', 48, 48.0)
    >>> clf.score(X, y)
    0.8888888888888888
    """

    classes_: NDArray[Any]
    n_classes_: int
    status_: str
    objective_: float
    lower_bound_: float
    gap_: float
    n_errors_: int
    rounding_: float
    trace_: NDArray[np.void]
    tree_: Tree
    statistics_: dict[str, Any]

    def __init__(
        self,
        max_depth: int = 4,
        min_samples_leaf: int = 1,
        leaf_penalty: float = 0.0,
        rule: RuleLike = "auto",
        schedule: ScheduleLike = "luby",
        heuristic: HeuristicLike = "auto",
        exact_levels: int = 3,
        time_limit: float | None = 60.0,
        node_limit: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.leaf_penalty = leaf_penalty
        self.rule = rule
        self.schedule = schedule
        self.heuristic = heuristic
        self.exact_levels = exact_levels
        self.time_limit = time_limit
        self.node_limit = node_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the best tree for the given rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features, all 0 or 1 (or False and True), of any type.
        y : array-like of shape (n_rows,)
            Labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, at least 0 and not all 0; None weighs all alike. Rows of weight
            zero are dropped before anything else.

        Returns
        -------
        OptimalTreeClassifier
            The estimator itself.
        """
        for name, allowed in ALLOWED.items():
            allowed.check(name, getattr(self, name))
        X, y = validate_data(self, X, y, dtype=None)
        data = training_data(X, y, sample_weight, getattr(self, "feature_names_in_", None))
        self.classes_ = data.classes
        self.n_classes_ = len(data.classes)
        settings = {name: getattr(self, name) for name in SEARCH_PARAMETERS}
        engine = Engine(data.X, data.codes, data.sample_weight, self.n_classes_, **settings)
        seconds = inf if self.time_limit is None else self.time_limit - engine.preparation
        try:
            engine.run(seconds, _print_improvement if self.verbose else None)
        finally:
            # An exception in a rule of the user's own leaves a fitted classifier.
            self._take(engine.result())
        return self

    def _take(self, result: Result) -> None:
        self.status_ = result.status
        self.objective_ = result.objective
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.n_errors_ = result.n_errors
        self.rounding_ = result.rounding
        self.trace_ = result.trace
        self.tree_ = result.tree
        self.statistics_ = result.statistics


def _print_improvement(
    seconds: float,
    nodes: int,
    objective: float,
    lower_bound: float,
    restart: int,
    threshold: float,
) -> None:
    print(
        f"{seconds:9.3f} s  {nodes:12,d} nodes  "
        f"objective {objective:12.6g}  lower bound {lower_bound:12.6g}  "
        f"pass {restart:3d}  threshold {threshold:g}",
        flush=True,
    )

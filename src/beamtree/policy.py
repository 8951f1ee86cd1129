"""The policy tree, which chooses the best action for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from beamtree._engine.settings import POLICY, Callback
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._estimator import SearchEstimatorMixin
from beamtree._resume.initial_tree import read_policy_data
from beamtree._sklearn.callbacks import CallbackSupportMixin, with_callbacks
from beamtree._sklearn.tree_export import TreeExportMixin
from beamtree._sklearn.unproved import is_unproved, warn_of_fit
from beamtree._table.columns import Columns
from beamtree._table.row_costs import ACTIONS, checked_rewards
from beamtree._table.row_weights import checked_weight
from beamtree.alternatives import Alternatives
from beamtree.cancel import CancelToken
from beamtree.search_space import SearchSpace
from beamtree.tree import Tree


class OptimalPolicyTree(CallbackSupportMixin, TreeExportMixin, SearchEstimatorMixin, BaseEstimator):
    """Decision tree whose leaves name actions, with the largest total reward, with proof.

    Each row has a reward for each action: what the row would earn if the action were taken. Of all
    trees of depth at most `max_depth` and at most `max_leaf_nodes` leaves, with at least
    `min_samples_leaf` rows in every leaf, whatever their thresholds, the search finds one that
    maximises

        total reward - leaf_penalty * total weight * (leaves - 1)

    where the total reward is the sum over the rows of their weight times the reward of the action
    that the tree takes for them. Rewards may be negative. They are often estimates, for example
    doubly robust scores. If a limit such as `time_limit` ends the search early, the result is the
    best tree so far, with a bound on the reward of the best possible tree, and a
    ``ConvergenceWarning`` says so.

    The search minimises the regret, which is the best reward of each row less the reward of its
    action. Adding a number to all rewards of a row changes neither the tree nor its regret nor the
    gap. Splits are those of `OptimalTreeClassifier`; categories without an order are grouped along
    the share of the rows for which an action is the best.

    Parameters
    ----------
    max_depth : int or None, default=3
        Largest depth of the tree; a tree of depth 0 is a single leaf. None allows any depth, and
        needs a `leaf_penalty` or a limit of leaves. An integer is at most 20. The time grows
        steeply with the depth.
    min_samples_leaf : int or float, default=1
        Smallest number of rows in a leaf, or a share of the rows between 0 and 1. A share is
        rounded up to a number of rows. Rows count alike whatever their weights, but rows of weight
        zero do not count.
    leaf_penalty : float, default=0.0
        Cost of every leaf after the first, as a reward per row. With 0.01, a leaf must raise the
        mean reward of a row by 0.01. Penalties make trees smaller; 0 maximises the reward alone.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree; by default only its depth limits them. 1 is a single
        leaf. If `max_depth` is None, it is at most 121. `leaf_path` finds the best trees of all
        numbers of leaves.
    actions : sequence or None, default=None
        Names of the actions, in the order of the columns of the rewards. By default these are the
        names of the columns if the rewards are a data frame, and the numbers from 0 otherwise.
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
        Gap at which the search stops, as a share of the objective of its tree, which is its regret.
        With 0.05, the search stops when no tree can have a regret that is smaller by more than 5%.
        0 searches until the tree is proved to be optimal.
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
        ``DecisionTreeClassifier``, ``ExtraTreeClassifier``, `OptimalTreeClassifier` or
        `OptimalPolicyTree` on the same columns, or a `Tree`, `Incumbent` or `Result`, whose splits
        are taken over; leaves get the best actions. Clones are not fitted: where estimators are
        cloned, give a ``tree_``.
    warm_start : bool, default=False
        Whether another `fit` continues the search of the previous one. The data and the settings
        of the problem and the strategy must be equal; otherwise the search starts anew. Give it
        more time, more nodes or a smaller gap. Nodes are counted from the first fit, the time from
        the latest. The search is kept in memory, but not in copies and pickles.
    callback : callable or None, default=None
        Function that is called with an `Incumbent` at every improvement of the tree or the bound.
        A true return value stops the search. If it raises an exception, the policy tree is fitted
        before the exception propagates. The time that it takes counts.
    cancel : CancelToken or None, default=None
        Token that ends the search from another thread.
    on_interrupt : {"auto", "keep", "raise"}, default="auto"
        What happens after Ctrl-C, once the best tree has been stored. ``"keep"`` returns the
        fitted policy tree; ``"raise"`` raises KeyboardInterrupt. ``"auto"`` raises if scikit-learn
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
    actions_ : ndarray of shape (n_actions_,)
        The names, or numbers, of the actions.
    n_actions_ : int
        Number of actions.
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
        Why the search ended, as in `OptimalTreeClassifier`.
    proof_ : str
        What is proved about the tree, in one line, for example ``"Proved optimal: total reward
        123.4"`` or ``"Not proved: total reward 120, at most 130 (time limit of 60 s)"``. With a
        `leaf_penalty`, these are the rewards less penalties.
    reward_ : float
        The total reward of the tree on the training rows, without penalties.
    reward_bound_ : float
        Upper bound on rewards: no tree has a larger total reward, less the penalties of its leaves.
    regret_ : float
        The regret of the tree: how much larger the total reward would be if each training row got
        its own best action.
    objective_ : float
        What the search minimises: the regret, plus the penalties of the leaves.
    lower_bound_ : float
        Lower bound on the objective: no tree has a smaller one.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``, or 0 if both are 0. It is a share of the
        regret, because a share of the reward would depend on what a reward of zero means.
    n_leaves_bound_ : int
        Lower bound on the number of leaves of the best trees, as in `OptimalTreeClassifier`.
    rounding_ : float
        Largest change of an objective that can be due to scaling the regrets to integers; it is
        part of `gap_`. It is 0 if the differences of rewards, times the weights, are integers or
        small multiples of a common unit.
    trace_ : ndarray
        Structured array with one row per improvement: ``seconds``, ``nodes``, ``objective``,
        ``lower_bound``, ``restart`` (number of the pass, from 0), ``threshold`` (of the rule).
    tree_ : Tree
        The tree as flat arrays, in scikit-learn's layout, over the columns of X. Its ``reward`` has
        the mean reward of each action at each node.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much of the drop of the regret each column accounts for. They add up to 1, or are all 0
        if no split lowers the regret.
    alternatives_ : Alternatives
        For tests that could be at the root, the best objective that was found with each, and a
        lower bound.
    statistics_ : dict
        Counters of the search; ``seconds``, the time at which it ended, on the clock of the trace;
        ``preparation_seconds``, the time for checking and packing the data; and
        ``time_to_proof``, an estimate of the seconds that the proof would take from there: 0 with
        a proof, None if nothing can be said.

    Examples
    --------
    >>> from beamtree import OptimalPolicyTree
    >>> X = [[25], [31], [47], [62]]
    >>> rewards = [[0, 3], [0, 2], [0, -1], [0, -4]]  # the treatment helps only the young
    >>> policy = OptimalPolicyTree(max_depth=1, actions=["none", "treat"]).fit(X, rewards)
    >>> print(policy.proof_)
    Proved optimal: total reward 5
    >>> policy.predict([[20], [50]])
    array(['treat', 'none'], dtype='<U5')
    >>> policy.value(X, rewards)
    1.25
    """

    actions_: NDArray[Any]
    n_actions_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    columns_: Columns
    search_space_: SearchSpace
    status_: str
    proof_: str
    reward_: float
    reward_bound_: float
    regret_: float
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
        max_depth: int | None = 3,
        min_samples_leaf: float = 1,
        leaf_penalty: float = 0.0,
        max_leaf_nodes: int | None = None,
        actions: Sequence[Any] | None = None,
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
        self.actions = actions
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
        self.callback = callback
        self.cancel = cancel
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search for the best policy on the given rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Numbers, booleans, text or categories, some of which may be missing. Floats are
            compared as float64, and integers as integers. Categories may have an order.
        y : array-like or data frame of shape (n_rows, n_actions)
            The rewards: for each row, the reward of each action. They are finite numbers, which may
            be negative. The name is the one that scikit-learn expects.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, at least 0 and not all 0, by which their rewards are multiplied;
            None gives all rows the same weight. Rows of weight zero are ignored.

        Returns
        -------
        OptimalPolicyTree
            The estimator itself.
        """
        ACTIONS.check("actions", self.actions)
        call: str | None = self.__dict__.pop("_call", None)
        self._fit(
            POLICY,
            lambda settings: read_policy_data(X, y, self.actions, sample_weight, settings, self),
            X=X,
            y=y,
            sample_weight=sample_weight,
        )
        if is_unproved(self.status_, self.time_limit):
            left = self.statistics_["time_to_proof"]
            warn_of_fit(self.proof_, self.status_, self.max_depth, call, left)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Choose an action for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The name, or number, of the action with the largest mean reward among the training rows
            in the leaf of each row; the first of those that tie.
        """
        leaf = self.apply(X)
        action: NDArray[Any] = self.actions_[self.tree_.prediction]
        return action[leaf]

    def value(self, X: Any, rewards: Any, sample_weight: Any = None) -> float:
        """Return the mean reward of the actions that the tree takes for rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`.
        rewards : array-like or data frame of shape (n_rows, n_actions)
            For each row, the reward of each action, in the order of `actions_`.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, at least 0 and not all 0; None gives all rows the same weight.

        Returns
        -------
        float
            The sum of weight times reward over the rows, divided by the sum of the weights. Take
            rows that `fit` did not see: on the training rows the value is too large on average.
        """
        leaf = self.apply(X)
        values, _ = checked_rewards(rewards, self.actions_.tolist(), len(leaf), self)
        taken = values[np.arange(len(leaf)), self.tree_.prediction[leaf]]
        return float(np.average(taken, weights=checked_weight(sample_weight, len(leaf))))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return `value`, so that scikit-learn's cross validation compares mean rewards.

        Parameters
        ----------
        X, y, sample_weight
            As in `value`, where y are the rewards.

        Returns
        -------
        float
            The mean reward.
        """
        return self.value(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        """Return tags that say that each row has several rewards, and that they are required."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return a policy tree that `to_json` wrote.

        Parameters
        ----------
        text : str or bytes
            The JSON; see `beamtree.export.from_json`.

        Returns
        -------
        OptimalPolicyTree
            A policy tree that takes the same actions; its parameters are the defaults.
        """
        from beamtree.export.json import from_json

        return from_json(text, cls())

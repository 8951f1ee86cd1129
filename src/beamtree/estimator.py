"""The classifier for users of scikit-learn."""

from __future__ import annotations

from math import inf
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from beamtree._engine import run
from beamtree._validation import (
    NONE,
    SECONDS_OR_NONE,
    VERBOSITY,
    as_binary,
    encode_labels,
    finite,
    integer,
)
from beamtree.tree import Tree

ALLOWED = {
    "max_depth": integer(0, 20),
    "min_samples_leaf": integer(1),
    "leaf_penalty": finite(0.0),
    "rule": NONE,
    "exact_levels": integer(0, 3),
    "time_limit": SECONDS_OR_NONE,
    "verbose": VERBOSITY,
}


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):
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
    rule : None, default=None
        None searches in one complete pass.
    exact_levels : int, default=3
        Number of levels at the bottom, 0 to 3, that are solved at once by a specialised kernel.
        Changes the speed, not the result.
    time_limit : float or None, default=60.0
        Seconds after which the search stops with its best tree; 0 gives a greedy tree, None no
        limit.
    verbose : int, default=0
        1 prints a line at every improvement.

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
        - ``"time_limit"``: the time was up;
        - ``"memory_limit"``: no more memory was to be had;
        - ``"interrupted"``: the search was stopped with Ctrl-C; the classifier is fitted.
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
        ``lower_bound``, ``restart``, ``threshold``.
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
        rule: None = None,
        exact_levels: int = 3,
        time_limit: float | None = 60.0,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.leaf_penalty = leaf_penalty
        self.rule = rule
        self.exact_levels = exact_levels
        self.time_limit = time_limit
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
        check_classification_targets(y)
        binary = as_binary(X, getattr(self, "feature_names_in_", None))
        if sample_weight is not None:
            sample_weight = _positive_weight(sample_weight, X)
        self.classes_, codes = encode_labels(y)
        self.n_classes_ = len(self.classes_)
        result = run(
            binary,
            codes,
            sample_weight,
            self.n_classes_,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            leaf_penalty=self.leaf_penalty,
            exact_levels=self.exact_levels,
            time_limit=inf if self.time_limit is None else self.time_limit,
            listener=_print_improvement if self.verbose else None,
        )
        self.status_ = result.status
        self.objective_ = result.objective
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.n_errors_ = result.n_errors
        self.rounding_ = result.rounding
        self.trace_ = result.trace
        self.tree_ = result.tree
        self.statistics_ = result.statistics
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features, all 0 or 1.

        Returns
        -------
        ndarray of shape (n_rows,)
            The label of the largest weight in each row's leaf; the first of those that tie.
        """
        leaf = self.apply(X)
        label: NDArray[Any] = self.classes_[self.tree_.value[:, 0, :].argmax(axis=1)]
        return label[leaf]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probabilities of the labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features, all 0 or 1.

        Returns
        -------
        ndarray of shape (n_rows, n_classes_)
            Share of each label in the training weight of the row's leaf.
        """
        binary = self._check_rows(X)
        return self.tree_.predict(binary)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the labels' probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features, all 0 or 1.

        Returns
        -------
        ndarray of shape (n_rows, n_classes_)
            Logarithm of `predict_proba`; minus infinity where that is 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the number of the leaf that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features, all 0 or 1.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers of nodes of `tree_`.
        """
        binary = self._check_rows(X)
        return self.tree_.apply(binary)

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features, all 0 or 1.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node of `tree_`.
        """
        binary = self._check_rows(X)
        return self.tree_.decision_path(binary)

    def get_depth(self) -> int:
        """Return the depth of the tree, which may be less than `max_depth`.

        Returns
        -------
        int
            Depth of the deepest leaf.
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Returns
        -------
        int
            Number of leaves.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _check_rows(self, X: Any) -> NDArray[np.uint8]:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, reset=False)
        return as_binary(X, getattr(self, "feature_names_in_", None))


def _positive_weight(sample_weight: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    weight: NDArray[np.float64] = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if not weight.any():
        msg = "sample_weight must have a positive value, got zeros only"
        raise ValueError(msg)
    return weight


def _print_improvement(seconds: float, nodes: int, objective: float, lower_bound: float) -> None:
    print(
        f"{seconds:9.3f} s  {nodes:12,d} nodes  "
        f"objective {objective:12.6g}  lower bound {lower_bound:12.6g}",
        flush=True,
    )

"""Estimators that choose the size of their tree by cross validation."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from beamtree._sklearn.tree_export import TreeExportMixin
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._best import BestClassPredictor, BestPolicy, BestPredictor
from beamtree.model_selection._size_chooser import SizeChooserMixin
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor

__all__ = ["OptimalPolicyTreeCV", "OptimalTreeClassifierCV", "OptimalTreeRegressorCV"]


class OptimalTreeClassifierCV(
    TreeExportMixin, SizeChooserMixin, BestClassPredictor, ClassifierMixin, BaseEstimator
):
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

    _kind: ClassVar[type] = OptimalTreeClassifier

    classes_: NDArray[Any]


class OptimalTreeRegressorCV(
    TreeExportMixin, SizeChooserMixin, BestPredictor, RegressorMixin, BaseEstimator
):
    """Optimal regression tree whose depth and number of leaves are chosen by cross validation.

    `fit` tries each depth with each penalty, or each number of leaves, on each fold. The searches
    on one fold share their trees and lower bounds: each starts from the best tree that is known,
    and is left out if the bounds prove that this tree is optimal. `fit` then takes the parameters
    with the best mean score, those of the smallest tree if several are equally good, and fits a
    tree to all rows with them.

    Parameters
    ----------
    estimator : OptimalTreeRegressor or None, default=None
        Regressor with all other parameters. None means one with default parameters.
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
        The folds, as in scikit-learn. None means five folds.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn. None means R².
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
    best_estimator_ : OptimalTreeRegressor
        The regressor that was fitted to all rows with these parameters. It exists if `refit` is
        True.
    proof_ : str
        What is proved about the tree of `best_estimator_`, in one line. It exists if `refit` is
        True.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Those of `best_estimator_`. They exist if `refit` is True.
    cv_results_ : dict
        Columns with one entry per candidate, as in scikit-learn's ``GridSearchCV``,
        ``mean_n_leaves``, and ``n_proved``, the number of folds on which its tree is proved to be
        optimal. A fit that a bound made needless took 0 seconds.
    n_splits_ : int
        Number of folds.
    scorer_ : callable
        The scorer that was used.
    refit_time_ : float
        Seconds of the fit to all rows. It exists if `refit` is True.
    n_features_in_ : int
        Number of columns of X in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns. They exist if X had names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from beamtree import OptimalTreeRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = OptimalTreeRegressorCV(max_depths=(1, 2), leaf_penalties=(0.0, 0.05)).fit(X, y)
    >>> reg.best_params_, round(reg.best_score_, 2)
    ({'max_depth': 2, 'leaf_penalty': 0.0}, 0.31)
    >>> reg.proof_
    'Proved optimal: squared error 1,477,077 (R² 0.436)'
    """

    _kind: ClassVar[type] = OptimalTreeRegressor


class OptimalPolicyTreeCV(TreeExportMixin, SizeChooserMixin, BestPolicy, BaseEstimator):
    """Optimal policy tree whose depth and number of leaves are chosen by cross validation.

    The score of a policy tree is its mean reward on the rows of the fold that it was not fitted to.
    `fit` tries the sizes as `OptimalTreeClassifierCV` does, takes the one with the largest mean
    score, that of the smallest tree if several are equally good, and fits a tree to all rows.

    Parameters
    ----------
    estimator : OptimalPolicyTree or None, default=None
        Policy tree with all other parameters. None means one with default parameters.
    max_depths, leaf_penalties, max_leaf_nodes, one_standard_error, refit
        As in `OptimalTreeClassifierCV`. Penalties are rewards per row, as in `OptimalPolicyTree`.
    cv : int, splitter, iterable or None, default=None
        The folds, as in scikit-learn. None means five folds.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn. None means the mean reward, `OptimalPolicyTree.value`.
    time_limit, n_jobs, verbose
        As in `OptimalTreeClassifierCV`.

    Attributes
    ----------
    best_params_, best_index_, proof_, feature_importances_, cv_results_
        As in `OptimalTreeClassifierCV`.
    best_score_ : float
        Mean score of `best_params_` on the folds, by default the mean reward of a row.
    best_estimator_ : OptimalPolicyTree
        The policy tree that was fitted to all rows with these parameters. It exists if `refit` is
        True.
    n_splits_, scorer_, refit_time_
        As in `OptimalTreeClassifierCV`.
    actions_ : ndarray of shape (n_actions,)
        The names, or numbers, of the actions.
    n_features_in_ : int
        Number of columns of X in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns. They exist if X had names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree import OptimalPolicyTree, OptimalPolicyTreeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> treat = np.sign(X[:, 0]) + rng.normal(size=200)
    >>> rewards = np.column_stack([np.zeros(200), treat])
    >>> named = OptimalPolicyTree(actions=["none", "treat"])
    >>> policy = OptimalPolicyTreeCV(named, max_depths=(1, 2)).fit(X, rewards)
    >>> policy.best_estimator_.get_n_leaves()
    2
    >>> policy.predict([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).tolist()
    ['treat', 'none']
    """

    _kind: ClassVar[type] = OptimalPolicyTree

    actions_: NDArray[Any]

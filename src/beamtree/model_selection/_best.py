"""Predictions of an estimator that has chosen one of several trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from beamtree.model_selection._folds import Scorer


def _is_refitted(estimator: BestPredictor) -> bool:
    if not estimator.refit:
        msg = "best_estimator_ does not exist, because refit is False"
        raise AttributeError(msg)
    return True


class BestPredictor:
    """Predict with `best_estimator_`. The methods exist only if `refit` is True."""

    refit: bool
    best_estimator_: Any
    scorer_: Scorer

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels, numbers or actions of rows with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in the `predict` of `best_estimator_`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Predicted labels, numbers or actions.
        """
        check_is_fitted(self)
        predicted: NDArray[Any] = self.best_estimator_.predict(X)
        return predicted

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The `feature_importances_` of `best_estimator_`, which exist only if `refit` is True."""
        check_is_fitted(self)
        _is_refitted(self)
        importances: NDArray[np.float64] = self.best_estimator_.feature_importances_
        return importances

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of `best_estimator_`, measured as on the folds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in the `predict` of `best_estimator_`.
        y : array-like of shape (n_rows,) or (n_rows, n_actions)
            Labels, numbers or rewards of the rows.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows. None means that all rows weigh the same.

        Returns
        -------
        float
            The score that `scoring` defines, by default the accuracy, R², or the mean reward.
        """
        check_is_fitted(self)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.scorer_(self.best_estimator_, X, y, **weights))


class BestClassPredictor(BestPredictor):
    """Predict labels and their probabilities with `best_estimator_`."""

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probabilities of the labels with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in the `predict` of `best_estimator_`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities of the labels, in the order of `classes_`.
        """
        check_is_fitted(self)
        shares: NDArray[np.float64] = self.best_estimator_.predict_proba(X)
        return shares

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the labels' probabilities with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in the `predict` of `best_estimator_`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Logarithms of the probabilities, minus infinity where a probability is 0.
        """
        check_is_fitted(self)
        logarithms: NDArray[np.float64] = self.best_estimator_.predict_log_proba(X)
        return logarithms


class BestPolicy(BestPredictor):
    """Choose actions with `best_estimator_`."""

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def value(self, X: Any, rewards: Any, sample_weight: Any = None) -> float:
        """Return the mean reward of the actions that `best_estimator_` takes for rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in the `predict` of `best_estimator_`.
        rewards : array-like or data frame of shape (n_rows, n_actions)
            For each row, the reward of each action, in the order of `actions_`.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows. None means that all rows weigh the same.

        Returns
        -------
        float
            The mean reward, as in `OptimalPolicyTree.value`.
        """
        check_is_fitted(self)
        return float(self.best_estimator_.value(X, rewards, sample_weight))

"""Predictions of an estimator that has chosen one of several classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._folds import Scorer


def _is_refitted(classifier: BestPredictor) -> bool:
    if not classifier.refit:
        msg = "best_estimator_ does not exist, because refit is False"
        raise AttributeError(msg)
    return True


class BestPredictor:
    """Predict with `best_estimator_`. The methods exist only if `refit` is True."""

    refit: bool
    best_estimator_: OptimalTreeClassifier
    scorer_: Scorer

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in `OptimalTreeClassifier.predict`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Predicted labels.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probabilities of the labels with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in `OptimalTreeClassifier.predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities of the labels, in the order of `classes_`.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the labels' probabilities with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in `OptimalTreeClassifier.predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Logarithms of the probabilities, minus infinity where a probability is 0.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict_log_proba(X)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The `feature_importances_` of `best_estimator_`, which exist only if `refit` is True."""
        check_is_fitted(self)
        _is_refitted(self)
        return self.best_estimator_.feature_importances_

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of `best_estimator_`, measured as on the folds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as in `OptimalTreeClassifier.predict`.
        y : array-like of shape (n_rows,)
            Labels of the rows.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows. None means that all rows weigh the same.

        Returns
        -------
        float
            The score that `scoring` defines, by default the accuracy.
        """
        check_is_fitted(self)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.scorer_(self.best_estimator_, X, y, **weights))

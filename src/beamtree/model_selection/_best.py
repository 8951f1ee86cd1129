"""Predictions of a classifier that holds the best of several."""

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
        msg = "there is no best_estimator_ to ask, because refit=False"
        raise AttributeError(msg)
    return True


class BestPredictor:
    """Predictions by `best_estimator_`, which is there if `refit`."""

    refit: bool
    best_estimator_: OptimalTreeClassifier
    scorer_: Scorer

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probabilities of the labels with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the labels' probabilities with `best_estimator_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Logarithms; minus infinity where the probability is 0.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict_log_proba(X)

    @available_if(_is_refitted)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score `best_estimator_` as the folds were scored.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights.

        Returns
        -------
        float
            The score by `scoring`; the accuracy by default.
        """
        check_is_fitted(self)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.scorer_(self.best_estimator_, X, y, **weights))

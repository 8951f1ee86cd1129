"""What the estimators for Dask collections share."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _clone_parametrized

from beamtree._engine.native import Distribute
from beamtree._sklearn.predictor import TreePredictorMixin
from beamtree.dask._collections import check_client, compute, is_collection
from beamtree.dask._distributed_search import distributor
from beamtree.dask._predict import predict_by_partition


class CollectionMixin(TreePredictorMixin):
    """Mixin of an estimator that also takes Dask collections; it stands before the local one."""

    client: Any
    _local: ClassVar[type]

    @property
    def _distribute(self) -> Distribute | None:
        """What makes a search that the workers of the client do."""
        check_client(self.client)
        return distributor(self.client)

    def to_local(self) -> Any:
        """Return the estimator without Dask: the same parameters and the same tree.

        Returns
        -------
        OptimalTreeClassifier or OptimalTreeRegressor
            The ordinary estimator, fitted if this one is.
        """
        local = self._local()
        state = self.__getstate__()
        del state["client"]
        vars(local).update(state)
        return local

    def apply(self, X: Any) -> Any:
        """Return the number of the leaf that each row reaches.

        Parameters
        ----------
        X : table, Dask DataFrame or Dask Array of shape (n_rows, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray, Dask Series or Dask Array of shape (n_rows,)
            The leaf of each row, as a node of `tree_`. For a Dask collection it is computed by
            partition when it is needed.
        """
        return self._by_partition("apply", X, np.dtype(np.intp))

    def _by_partition(self, method: str, X: Any, kind: np.dtype[Any], columns: Any = None) -> Any:
        """Call a method of the local estimator, by partition if there are any."""
        if not is_collection(X):
            return getattr(super(), method)(X)
        return predict_by_partition(self.to_local(), method, X, columns, kind)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of scikit-learn: the accuracy of labels, or R² of numbers.

        Parameters
        ----------
        X : table, Dask DataFrame or Dask Array of shape (n_rows, n_features)
            A table with the columns of `fit`.
        y : array-like, Dask Series or Dask Array of shape (n_rows,)
            The labels or the numbers. For collections, predictions and labels are collected here.
        sample_weight : array-like, Dask Series or Dask Array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The score.
        """
        if is_collection(X):
            predicted = np.asarray(compute(self.predict(X), self.client))  # type: ignore[attr-defined]
            local = _Predicted(self.to_local(), predicted)
            y, sample_weight = (
                np.asarray(compute(value, self.client)) if is_collection(value) else value
                for value in (y, sample_weight)
            )
            return local.score(y, sample_weight)
        score: float = super().score(X, y, sample_weight)  # type: ignore[misc]
        return score

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the client, which belongs to this process."""
        everything: Any = super().__getstate__()  # a dict in scikit-learn's estimators
        return {**everything, "client": None}

    def __sklearn_clone__(self) -> Any:
        """Return a clone with the same client, which cannot be copied."""
        unconnected = copy(self)
        unconnected.client = None
        cloned = _clone_parametrized(unconnected)
        cloned.client = self.client
        return cloned


class _Predicted:
    """Predictions that are known, which an estimator of scikit-learn scores."""

    def __init__(self, local: Any, predicted: Any) -> None:
        self._local, self._predicted = local, predicted

    def score(self, y: Any, sample_weight: Any) -> float:
        local = copy(self._local)
        local.predict = lambda _: self._predicted
        score: float = local.score(None, y, sample_weight)
        return score

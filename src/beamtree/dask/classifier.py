"""The classifier for Dask collections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from beamtree._engine.settings import Callback, Settings
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._table.training_data import TrainingData
from beamtree.cancel import CancelToken
from beamtree.classifier import OptimalTreeClassifier
from beamtree.dask._collections import is_collection
from beamtree.dask._mixin import CollectionMixin
from beamtree.dask._read import read_collections


class DaskOptimalTreeClassifier(CollectionMixin, OptimalTreeClassifier):
    """`OptimalTreeClassifier` for tables that do not fit into the memory of one machine.

    `fit` takes a Dask DataFrame or Array, and reads it partition by partition. Its passes find the
    labels, the tests of each column, and the distinct rows. Equal rows are merged where their
    partition is, and only distinct rows travel to this process, which searches for the tree. The
    tests are those of a fit of `OptimalTreeClassifier` on the same rows in memory, and so are the
    objective, its bound and the proof. The tree does not depend on how the rows are divided into
    partitions.

    The fitted estimator has all methods of `OptimalTreeClassifier`; `predict` takes collections,
    too, and predicts by partition when its result is needed.

    With a `client`, the workers of its cluster also do the search, for tables in memory, too. The
    objective and its bound are the same; of several best trees, another one may be found. Without
    one, tables in memory are fitted as `OptimalTreeClassifier` fits them.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The cluster that runs the passes and the search. None runs the passes in threads of this
        process, which hold a few partitions at a time, and the search in this process. It is left
        out of pickles, and clones share it.
    max_depth, min_samples_leaf, leaf_penalty, ... : optional
        All other parameters of `OptimalTreeClassifier`, with the same meanings and defaults.
        `time_limit` counts from the call of `fit`, but ends no pass over the data. `memory_limit`
        is about this process. `n_jobs` is the number of threads of a search on each worker; None
        takes as many as the worker has.

    See Also
    --------
    beamtree.OptimalTreeClassifier : The same for tables in memory, with all attributes.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from beamtree.dask import DaskOptimalTreeClassifier
    >>> table = pd.DataFrame({"size": [1, 2, 3, 4], "colour": ["red", "blue", "red", "blue"]})
    >>> X = dd.from_pandas(table, npartitions=2)
    >>> y = dd.from_pandas(pd.Series(["no", "no", "yes", "yes"]), npartitions=2)
    >>> clf = DaskOptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> print(clf.proof_)
    Proved optimal: 0 errors
    >>> clf.predict(X).compute().tolist()
    ['no', 'no', 'yes', 'yes']
    """

    _local = OptimalTreeClassifier

    def __init__(
        self,
        client: Any = None,
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
        super().__init__(
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            leaf_penalty=leaf_penalty,
            max_leaf_nodes=max_leaf_nodes,
            class_weight=class_weight,
            cost_matrix=cost_matrix,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_thresholds=max_thresholds,
            tie_break=tie_break,
            rule=rule,
            schedule=schedule,
            heuristic=heuristic,
            exact_levels=exact_levels,
            time_limit=time_limit,
            gap_limit=gap_limit,
            node_limit=node_limit,
            memory_limit=memory_limit,
            init=init,
            warm_start=warm_start,
            leaf_smoothing=leaf_smoothing,
            callback=callback,
            cancel=cancel,
            on_interrupt=on_interrupt,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.client = client

    def _read(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, sample_costs: Any
    ) -> TrainingData:
        if not is_collection(X):
            return super()._read(X, y, sample_weight, settings, sample_costs)
        if sample_costs is not None:
            msg = (
                f"sample_costs must be None if X is a Dask collection, got a "
                f"{type(sample_costs).__name__}: give a cost_matrix, or fit in memory"
            )
            raise ValueError(msg)
        return read_collections(X, y, sample_weight, self.client, settings, self)

    def predict(self, X: Any) -> Any:
        """Predict the labels of rows.

        Parameters
        ----------
        X : table, Dask DataFrame or Dask Array of shape (n_rows, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray, Dask Series or Dask Array of shape (n_rows,)
            The labels, as `OptimalTreeClassifier.predict` returns them. For a Dask collection they
            are computed by partition when they are needed.
        """
        check_is_fitted(self)
        return self._by_partition("predict", X, self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Predict the probabilities of the labels.

        Parameters
        ----------
        X : table, Dask DataFrame or Dask Array of shape (n_rows, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray, Dask DataFrame or Dask Array of shape (n_rows, n_classes_)
            The probabilities, as `OptimalTreeClassifier.predict_proba` returns them. For a Dask
            DataFrame, the columns are the labels.
        """
        check_is_fitted(self)
        columns = self.classes_.tolist()
        return self._by_partition("predict_proba", X, np.dtype(np.float64), columns)

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of the labels' probabilities.

        Parameters
        ----------
        X : table, Dask DataFrame or Dask Array of shape (n_rows, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray, Dask DataFrame or Dask Array of shape (n_rows, n_classes_)
            Logarithm of `predict_proba`.
        """
        if not is_collection(X):
            return super().predict_log_proba(X)
        check_is_fitted(self)
        columns = self.classes_.tolist()
        return self._by_partition("predict_log_proba", X, np.dtype(np.float64), columns)

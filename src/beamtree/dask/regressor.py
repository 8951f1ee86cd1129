"""The regressor for Dask collections."""

from __future__ import annotations

from typing import Any

import numpy as np

from beamtree._engine.settings import Callback, Settings
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._table.training_data import TrainingData
from beamtree.cancel import CancelToken
from beamtree.dask._collections import is_collection
from beamtree.dask._mixin import CollectionMixin
from beamtree.dask._read import read_collections
from beamtree.objectives import Objective
from beamtree.regressor import OptimalTreeRegressor


class DaskOptimalTreeRegressor(CollectionMixin, OptimalTreeRegressor):
    """`OptimalTreeRegressor` for tables that do not fit into the memory of one machine.

    `fit` takes a Dask DataFrame or Array, and reads it partition by partition. Its passes find the
    types of the columns, the tests of each column, and the distinct rows. Equal rows are merged
    where their partition is, and only distinct rows travel to this process, which searches for the
    tree. The tests are those of a fit of `OptimalTreeRegressor` on the same rows in memory, and so
    are the objective, its bound and the proof. The tree does not depend on how the rows are divided
    into partitions.

    The fitted estimator has all methods of `OptimalTreeRegressor`; `predict` takes collections,
    too, and predicts by partition when its result is needed.

    With a `client`, the workers of its cluster also do the search, for tables in memory, too. The
    objective and its bound are the same; of several best trees, another one may be found. Without
    one, tables in memory are fitted as `OptimalTreeRegressor` fits them.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The cluster that runs the passes and the search. None runs the passes in threads of this
        process, which hold a few partitions at a time, and the search in this process. It is left
        out of pickles, and clones share it.
    max_depth, min_samples_leaf, leaf_penalty, ... : optional
        All other parameters of `OptimalTreeRegressor`, with the same meanings and defaults.
        `time_limit` counts from the call of `fit`, but ends no pass over the data. `memory_limit`
        is about this process. `n_jobs` is the number of threads of a search on each worker; None
        takes as many as the worker has.

    See Also
    --------
    beamtree.OptimalTreeRegressor : The same for tables in memory, with all attributes.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from beamtree.dask import DaskOptimalTreeRegressor
    >>> X = da.from_array(np.arange(6.0)[:, np.newaxis], chunks=(2, 1))
    >>> y = da.from_array(np.array([1.0, 1.0, 1.0, 5.0, 5.0, 6.0]), chunks=2)
    >>> reg = DaskOptimalTreeRegressor(max_depth=1).fit(X, y)
    >>> reg.predict(X).compute().round(2)
    array([1.  , 1.  , 1.  , 5.33, 5.33, 5.33])
    """

    _local = OptimalTreeRegressor

    def __init__(
        self,
        client: Any = None,
        max_depth: int | None = 4,
        min_samples_leaf: float = 1,
        leaf_penalty: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_weight_fraction_leaf: float = 0.0,
        max_thresholds: int | None = None,
        tie_break: str = "small",
        criterion: str | Objective = "squared_error",
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
        super().__init__(
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            leaf_penalty=leaf_penalty,
            max_leaf_nodes=max_leaf_nodes,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_thresholds=max_thresholds,
            tie_break=tie_break,
            criterion=criterion,
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
            callback=callback,
            cancel=cancel,
            on_interrupt=on_interrupt,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.client = client

    def _read(self, X: Any, y: Any, sample_weight: Any, settings: Settings) -> TrainingData:
        if not is_collection(X):
            return super()._read(X, y, sample_weight, settings)
        return read_collections(X, y, sample_weight, self.client, settings, self, numbers=True)

    def predict(self, X: Any) -> Any:
        """Predict the numbers of rows.

        Parameters
        ----------
        X : table, Dask DataFrame or Dask Array of shape (n_rows, n_features)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray, Dask Series or Dask Array of shape (n_rows,)
            The numbers, as `OptimalTreeRegressor.predict` returns them. For a Dask collection they
            are computed by partition when they are needed.
        """
        return self._by_partition("predict", X, np.dtype(np.float64))

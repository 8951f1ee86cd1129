"""Predictions for Dask collections, partition by partition and lazily."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from beamtree._util.optional import import_optional
from beamtree.dask._collections import is_frame, whole_rows


def predict_by_partition(local: Any, method: str, X: Any, columns: Any, kind: np.dtype[Any]) -> Any:
    """Return the predictions for the rows of a Dask collection, which are computed when needed.

    Parameters
    ----------
    local : estimator
        A fitted estimator of one machine.
    method : str
        The method that predicts.
    X : Dask DataFrame or Array
        The rows.
    columns : sequence or None
        What the columns of the predictions are; None for one number or label per row.
    kind : dtype
        The type of the predictions.

    Returns
    -------
    Dask Series, DataFrame or Array
        A Series or a DataFrame, with the index of the rows, for a DataFrame; otherwise an Array.
    """
    check_is_fitted(local)
    if is_frame(X):
        import_optional("dask.dataframe", "predicting for a Dask DataFrame", "dask")
        import pandas as pd

        meta: Any = pd.Series([], dtype=kind, name=method)
        if columns is not None:
            meta = pd.DataFrame({name: pd.Series([], dtype=kind) for name in columns})
        return X.map_partitions(_frame_of_chunk, local, method, columns, kind, meta=meta)
    rows = whole_rows(X)
    if columns is None:
        return rows.map_blocks(_array_of_chunk, local, method, kind, dtype=kind, drop_axis=1)
    chunks = (rows.chunks[0], (len(columns),))
    return rows.map_blocks(_array_of_chunk, local, method, kind, dtype=kind, chunks=chunks)


def _array_of_chunk(X: Any, local: Any, method: str, kind: np.dtype[Any]) -> Any:
    if len(X) == 0:
        wide = method in ("predict_proba", "predict_log_proba")
        return np.empty((0, len(local.classes_)) if wide else 0, dtype=kind)
    return getattr(local, method)(X).astype(kind, copy=False)


def _frame_of_chunk(X: Any, local: Any, method: str, columns: Any, kind: np.dtype[Any]) -> Any:
    import pandas as pd

    found = _array_of_chunk(X, local, method, kind)
    if columns is None:
        return pd.Series(found, index=X.index, name=method)
    return pd.DataFrame(found, index=X.index, columns=columns)

"""Thresholds chosen by gradient boosting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

# Many small trees: each adds a few thresholds where the trees before it make mistakes.
ENSEMBLE = {"max_iter": 50, "max_depth": 3, "learning_rate": 0.2, "early_stopping": False}
# Smaller tables are fitted with one thread, because several would mostly wait for each other.
FEW_VALUES = 1_000_000


def guessed_thresholds(
    encoded: Sequence[NDArray[Any]], y: NDArray[Any], weight: NDArray[np.float64] | None
) -> list[NDArray[np.float64]]:
    """Return the thresholds that gradient boosting uses, those of the largest gain first.

    The idea is due to McTavish et al., "Fast sparse decision tree optimization via reference
    ensembles", AAAI 2022.

    Parameters
    ----------
    encoded : sequence of ndarray
        The columns of the table, as `Columns.encode` returns them.
    y : ndarray of shape (n_rows,)
        The labels.
    weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows, all positive.

    Returns
    -------
    list of ndarray
        The thresholds of every column.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    if len(np.unique(y)) < 2:
        return [np.empty(0)] * len(encoded)
    matrix = np.column_stack([np.ma.filled(x.astype(np.float64), np.nan) for x in encoded])
    ensemble = HistGradientBoostingClassifier(**ENSEMBLE, random_state=0)
    with threadpool_limits(1 if matrix.size < FEW_VALUES else None, "openmp"):
        ensemble.fit(matrix, y, sample_weight=weight)
    nodes = [tree.nodes for trees in ensemble._predictors for tree in trees]
    inner = np.concatenate([each[each["is_leaf"] == 0] for each in nodes])
    return [_by_gain(inner[inner["feature_idx"] == j]) for j in range(len(encoded))]


def _by_gain(nodes: NDArray[np.void]) -> NDArray[np.float64]:
    thresholds, place = np.unique(nodes["num_threshold"], return_inverse=True)
    gain = np.bincount(place, weights=nodes["gain"], minlength=len(thresholds))
    ordered: NDArray[np.float64] = thresholds[np.argsort(-gain, kind="stable")]
    return ordered

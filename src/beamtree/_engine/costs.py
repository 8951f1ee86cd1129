"""Costs of mistakes, turned into weights of rows, so that the core can minimise mistakes.

Row i of weight w costs ``w * C[i, k]`` if its leaf predicts k. Compared with the most expensive
prediction, k saves ``B[i, k] = max_l C[i, l] - C[i, k]`` for each unit of weight. The row is
therefore replaced by *virtual rows* with the same features: for every k, one row of class k and
weight ``w * B[i, k]``. The virtual weight that a leaf classifies correctly is the cost that its
prediction saves, and the virtual weight that a tree misclassifies differs from its cost by a
constant.

All rows of a class have the same costs if they come from a cost matrix. For a policy, the cost of
an action is its regret: the best reward of the row less the reward of the action.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.training_data import TrainingData


def as_costs(value: Any) -> NDArray[np.float64] | None:
    """Return a value as a square table of costs, or None if it is not one."""
    try:
        table = np.asarray(value)
    except (TypeError, ValueError):
        return None
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.dtype.kind not in "biuf":
        return None
    table = table.astype(np.float64)
    return table if np.isfinite(table).all() and (table >= 0.0).all() else None


def cost_table(cost_matrix: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the costs as an array, after checking that there is one line per label.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_classes) or None
        The setting, which has been checked: row j, column k has the cost of predicting label k
        for a row of label j.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.

    Returns
    -------
    ndarray of float64, shape (n_classes, n_classes), or None
        The costs.
    """
    if cost_matrix is None:
        return None
    table = as_costs(cost_matrix)
    assert table is not None
    if len(table) != len(classes):
        msg = (
            f"cost_matrix must have a row and a column for each of the {len(classes)} labels "
            f"{classes.tolist()}, got the shape {table.shape}"
        )
        raise ValueError(msg)
    return table


def row_costs(data: TrainingData, cost_matrix: Any) -> NDArray[np.float64] | None:
    """Return what each row costs, for each prediction.

    Parameters
    ----------
    data : TrainingData
        The rows, which may have costs or rewards of their own.
    cost_matrix : array-like of shape (n_classes, n_classes) or None
        The setting, which has been checked.

    Returns
    -------
    ndarray of float64, shape (n_rows, n_classes), or None
        The costs of rows of weight 1; None if each mistake costs 1. For a policy these are the
        regrets: the best reward of the row less the reward of the action.
    """
    if data.rewards is not None:
        regret: NDArray[np.float64] = data.rewards.max(axis=1)[:, np.newaxis] - data.rewards
        return regret
    if data.costs is not None:
        return data.costs
    table = cost_table(cost_matrix, data.classes)
    return None if table is None else table[data.codes]


@dataclass(frozen=True, eq=False)
class VirtualRows:
    """Rows whose misclassified weight is the cost on the real rows, up to a constant.

    Parameters
    ----------
    row : ndarray of intp, shape (n_virtual,)
        Numbers of the real rows whose features they have.
    codes : ndarray of int32, shape (n_virtual,)
        Their classes.
    weight : ndarray of float64, shape (n_virtual,)
        Their weights.
    copies : int
        Number of virtual rows per real row, if leaves are counted in rows; otherwise 1.
    offset : float
        The constant: the cost of a tree minus its misclassified virtual weight.
    """

    row: NDArray[np.intp]
    codes: NDArray[np.int32]
    weight: NDArray[np.float64]
    copies: int
    offset: float


def virtual_rows(
    weight: NDArray[np.float64], cost: NDArray[np.float64], *, counted: bool
) -> VirtualRows:
    """Return the virtual rows of real ones.

    Parameters
    ----------
    weight : ndarray of float64, shape (n_rows,)
        Weights of the rows, all positive.
    cost : ndarray of float64, shape (n_rows, n_classes)
        What a row of weight 1 costs, for each prediction.
    counted : bool
        Whether every real row must have the same number of virtual rows, so that leaves can be
        counted in rows.

    Returns
    -------
    VirtualRows
        The virtual rows; there is at least one. Those of a real row follow each other.

    Examples
    --------
    Predicting class 0 saves 1 for the first row, and predicting class 1 saves 5 for the others:

    >>> import numpy as np
    >>> from beamtree._engine.costs import virtual_rows
    >>> costs = np.array([[0.0, 1.0], [5.0, 0.0], [5.0, 0.0]])
    >>> rows = virtual_rows(np.ones(3), costs, counted=False)
    >>> rows.codes.tolist(), rows.weight.tolist(), rows.offset
    ([0, 1, 1], [1.0, 5.0, 5.0], 0.0)
    """
    most = cost.max(axis=1)
    saved = most[:, np.newaxis] - cost
    number = (saved > 0.0).sum(axis=1)
    if not number.any():
        # No prediction saves anything: a single leaf is optimal, whatever it predicts.
        every = np.arange(len(cost))
        none = np.zeros(len(cost), dtype=np.int32)
        with np.errstate(over="ignore"):  # sums that are too large are refused later
            return VirtualRows(every, none, weight.copy(), 1, float(weight @ most))
    constant = most - saved.sum(axis=1)
    copies = 1
    if counted:
        _save_everywhere(saved, constant, number)
        copies = int(number.max())
    row, codes = np.nonzero(saved)
    parts = saved[row, codes]
    if counted:
        # The first virtual row of a real one is split until there are as many as of the others.
        times = np.ones(len(row), dtype=np.intp)
        times[np.cumsum(number) - number] += copies - number
        row, codes, parts = (np.repeat(one, times) for one in (row, codes, parts / times))
    with np.errstate(over="ignore"):
        return VirtualRows(
            row, codes.astype(np.int32), weight[row] * parts, copies, float(weight @ constant)
        )


def _save_everywhere(
    saved: NDArray[np.float64], constant: NDArray[np.float64], number: NDArray[np.intp]
) -> None:
    """Let all predictions save the same if none saves anything for a row, so that the row counts.

    That adds another constant to the costs.
    """
    indifferent = number == 0
    if indifferent.any():
        classes = saved.shape[1]
        least = float(saved.min(where=saved > 0.0, initial=np.inf))
        saved[indifferent] = least
        constant[indifferent] -= (classes - 1) * least
        number[indifferent] = classes

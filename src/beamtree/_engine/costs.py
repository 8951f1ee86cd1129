"""Costs of mistakes, turned into weights of rows, so that the core can minimise mistakes.

A leaf that predicts k costs ``sum_j w_j C[j, k]``, where w_j is the weight of class j in the leaf.
Compared with the most expensive prediction, k saves ``B[j, k] = max_l C[j, l] - C[j, k]`` for each
unit of weight of class j. A row of class j and weight w is therefore replaced by *virtual rows*
with the same features: for every k, one row of class k and weight ``w * B[j, k]``. The virtual
weight that a leaf classifies correctly is the cost that its prediction saves, and the virtual
weight that a tree misclassifies differs from its cost by a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


# The virtual rows of a row of weight 1: their classes, their weights, and the constant.
_Parts = tuple[list[int], list[float], float]


def virtual_rows(
    codes: NDArray[np.int32],
    weight: NDArray[np.float64],
    cost: NDArray[np.float64],
    *,
    counted: bool,
) -> VirtualRows:
    """Return the virtual rows of real ones.

    Parameters
    ----------
    codes : ndarray of int32, shape (n_rows,)
        Classes of the rows.
    weight : ndarray of float64, shape (n_rows,)
        Their weights, all positive.
    cost : ndarray of float64, shape (n_classes, n_classes)
        Costs.
    counted : bool
        Whether every real row must have the same number of virtual rows, so that leaves can be
        counted in rows.

    Returns
    -------
    VirtualRows
        The virtual rows; there is at least one.

    Examples
    --------
    A correct prediction saves 1 for a row of class 0, and 5 for a row of class 1:

    >>> import numpy as np
    >>> from beamtree._engine.costs import virtual_rows
    >>> costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> rows = virtual_rows(np.array([0, 1, 1]), np.ones(3), costs, counted=False)
    >>> rows.codes.tolist(), rows.weight.tolist(), rows.offset
    ([0, 1, 1], [1.0, 5.0, 5.0], 0.0)
    """
    present = np.bincount(codes, minlength=len(cost)) > 0
    parts = [_parts_of(costs) for costs in cost]
    if not any(parts[j][0] for j in np.flatnonzero(present)):
        # No prediction saves anything: a single leaf is optimal, whatever it predicts.
        parts = [([0], [1.0], costs[0]) for costs in cost]
    elif counted:
        parts = _equally_many(parts, present)
    size = np.array([len(part[0]) for part in parts])
    begin = np.cumsum(size) - size
    copies = size[codes]
    row = np.repeat(np.arange(len(codes)), copies)
    at = np.arange(len(row)) + np.repeat(begin[codes] - (np.cumsum(copies) - copies), copies)
    by_class = np.bincount(codes, weights=weight, minlength=len(cost))
    with np.errstate(over="ignore"):  # sums that are too large are refused later
        virtual = weight[row] * np.concatenate([part[1] for part in parts])[at]
        offset = float(by_class @ [part[2] for part in parts])
    label = np.concatenate([np.array(part[0], dtype=np.int32) for part in parts])
    times = int(size[present].max()) if counted else 1
    return VirtualRows(row, label[at], virtual, times, offset)


def _parts_of(costs: NDArray[np.float64]) -> _Parts:
    saved = costs.max() - costs
    label = np.flatnonzero(saved > 0.0)
    weight = saved[label].tolist()
    return label.tolist(), weight, float(costs.max()) - sum(weight)


def _equally_many(parts: list[_Parts], present: NDArray[np.bool_]) -> list[_Parts]:
    """Split virtual rows until the rows of all classes that occur have equally many of them.

    If no prediction saves anything for a class, its rows become one virtual row of every class,
    all of the same weight, which adds another constant to the costs.
    """
    ours = [parts[j] for j in np.flatnonzero(present)]
    classes = len(parts)
    indifferent = any(not part[0] for part in ours)
    size = classes if indifferent else max(len(part[0]) for part in ours)
    least = min(min(part[1]) for part in ours if part[0])
    equal = []
    for (label, weight, constant), occurs in zip(parts, present.tolist(), strict=True):
        if not occurs:
            equal.append((label, weight, constant))  # no row becomes these virtual rows
            continue
        if not label:
            everything = ([*range(classes)], [least] * classes, constant - (classes - 1) * least)
            equal.append(everything)
            continue
        times = size - len(label) + 1
        equal.append(
            (
                [label[0]] * (times - 1) + label,
                [weight[0] / times] * times + weight[1:],
                constant,
            )
        )
    return equal

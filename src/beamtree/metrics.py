"""Measures of how good a search is over time: primal gap, primal integral and gap integral.

The study uses these measures. A *trace* lists the improvements of a search: it is the ``trace_`` of
a fitted classifier, the classifier itself, or rows of seconds, objective and, optionally, lower
bound. The search holds the tree of one row until the next row. Before the first row it has no tree.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["gap_integral", "primal_gap", "primal_integral"]

Floats = NDArray[np.float64]


class _Trace(NamedTuple):
    """The columns of a trace."""

    seconds: Floats
    objective: Floats
    lower_bound: Floats


def primal_gap(objective: ArrayLike | None, best: float) -> Any:
    """Return how far an objective is from the best known objective, from 0 to 1.

    The gap is 0 for the best objective, 1 if there is no tree, and
    ``|objective - best| / max(objective, best)`` otherwise.

    Parameters
    ----------
    objective : float, array-like or None
        The objective of a tree. Use None or infinity if there is no tree.
    best : float
        The best known objective, or the optimum. It is infinity if no tree is known.

    Returns
    -------
    float or ndarray
        The gap. It is an array if `objective` is an array.

    Examples
    --------
    >>> from beamtree.metrics import primal_gap
    >>> primal_gap(8, 6), primal_gap(6, 6), primal_gap(None, 6)
    (0.25, 0.0, 1.0)
    >>> primal_gap([8, 6, float("inf")], 6)
    array([0.25, 0.  , 1.  ])
    """
    values = _numbers("objective", inf if objective is None else objective, least=0.0)
    target = float(_numbers("best", best, least=0.0, dimensions=(0,)))
    gaps = np.ones(values.shape)
    known = np.isfinite(values) & np.isfinite(target)
    larger = np.maximum(values[known], target)
    distance = np.abs(values[known] - target)
    gaps[known] = np.divide(distance, larger, out=np.zeros(larger.shape), where=distance > 0.0)
    return gaps if gaps.ndim else float(gaps)


def primal_integral(trace: Any, best: float, until: ArrayLike) -> Any:
    """Return the integral of the primal gap over time.

    The integral divided by `until` is the mean gap of a search that is stopped at a random moment
    before `until`: 0 for a search that has the best tree at once, and 1 for a search that never has
    a tree.

    Parameters
    ----------
    trace : classifier, structured array or array-like of shape (n_rows, 2 or 3)
        The improvements of the search.
    best : float
        The best known objective, or the optimum.
    until : float or array-like
        The seconds at which the integral ends.

    Returns
    -------
    float or ndarray
        The integral, in seconds. It is an array if `until` is an array.

    Examples
    --------
    >>> from beamtree.metrics import primal_integral
    >>> rows = [(1.0, 8.0), (3.0, 6.0)]  # gap 1 for 1 s, 0.25 for 2 s, then 0
    >>> primal_integral(rows, best=6, until=10)
    1.5
    >>> primal_integral(rows, best=6, until=[1, 2, 3])
    array([1.  , 1.25, 1.5 ])

    A fitted classifier is also accepted; its trace is used.

    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> primal_integral(clf, best=clf.objective_, until=60) < 60
    True
    """
    columns = _columns(trace)
    return _integral(columns.seconds, primal_gap(columns.objective, best), until)


def gap_integral(trace: Any, until: ArrayLike) -> Any:
    """Return the integral over time of the gap between the tree and the lower bound.

    The gap is ``(objective - lower_bound) / objective``. It is 0 if both are 0, and 1 before the
    first tree. Unlike the primal integral, this integral does not need a best known objective. It
    is small only if the search soon proves how good its tree is.

    Parameters
    ----------
    trace : classifier, structured array or array-like of shape (n_rows, 3)
        The improvements of the search.
    until : float or array-like
        The seconds at which the integral ends.

    Returns
    -------
    float or ndarray
        The integral, in seconds. It is an array if `until` is an array.

    Examples
    --------
    >>> from beamtree.metrics import gap_integral
    >>> rows = [(1.0, 8.0, 0.0), (3.0, 8.0, 6.0), (4.0, 8.0, 8.0)]
    >>> gap_integral(rows, until=10)  # 1 for 3 s, 0.25 for 1 s, then 0
    3.25
    """
    columns = _columns(trace, bounded=True)
    objective, lower_bound = columns.objective, columns.lower_bound
    if np.any(lower_bound > objective):
        row = int(np.argmax(lower_bound > objective))
        msg = (
            "lower_bound must be at most the objective, "
            f"got {lower_bound[row]:g} above {objective[row]:g} in row {row}"
        )
        raise ValueError(msg)
    known = np.isfinite(objective)
    gaps = np.ones(objective.shape)
    distance = objective[known] - lower_bound[known]
    gaps[known] = np.divide(
        distance, objective[known], out=np.zeros(distance.shape), where=distance > 0.0
    )
    return _integral(columns.seconds, gaps, until)


def _integral(seconds: Floats, gaps: Floats, until: ArrayLike) -> Any:
    """Integrate a step function that is 1 before its first step."""
    ends = _numbers("until", until, least=0.0, most=np.finfo(np.float64).max)
    starts = np.concatenate(([0.0], seconds))
    heights = np.concatenate(([1.0], gaps))
    stops = np.append(seconds, inf)
    widths = np.clip(np.minimum(stops, ends[..., np.newaxis]) - starts, 0.0, None)
    areas = widths @ heights
    return areas if ends.ndim else float(areas)


def _columns(trace: Any, *, bounded: bool = False) -> _Trace:
    """Return a trace as checked columns. A missing lower bound becomes 0."""
    trace = getattr(trace, "trace_", trace)
    names = getattr(getattr(trace, "dtype", None), "names", None)
    if names is not None:
        table = np.column_stack([np.asarray(trace[name], np.float64) for name in _Trace._fields])
    else:
        table = np.asarray(trace, dtype=np.float64)
    if table.size == 0:
        table = table.reshape(0, 3)
    widths = (3,) if bounded else (2, 3)
    if table.ndim != 2 or table.shape[1] not in widths:
        rows = " or ".join(str(width) for width in widths)
        msg = f"trace must have rows of {rows} numbers, got the shape {table.shape}"
        raise ValueError(msg)
    if table.shape[1] == 2:
        table = np.column_stack([table, np.zeros(len(table))])
    columns = _Trace(*table.T)
    for name, column in zip(_Trace._fields, columns, strict=True):
        _numbers(f"{name} of the trace", column, least=0.0)
    if np.any(np.diff(columns.seconds) < 0.0):
        msg = "seconds of the trace must not decrease from one row to the next"
        raise ValueError(msg)
    return columns


def _numbers(
    name: str,
    value: ArrayLike,
    *,
    least: float,
    most: float = inf,
    dimensions: tuple[int, ...] = (0, 1),
) -> Floats:
    """Return numbers as an array, or raise a ValueError that says what is allowed."""
    numbers = np.asarray(value, dtype=np.float64)
    allowed = (numbers >= least) & (numbers <= most)
    if numbers.ndim not in dimensions or not np.all(allowed):
        kind = "numbers" if 1 in dimensions else "a number"
        finite = "finite " if most < inf else ""
        shown = numbers[~allowed][0] if numbers.ndim in dimensions else f"shape {numbers.shape}"
        msg = f"{name} must be {finite}{kind} of at least {least:g}, got {shown}"
        raise ValueError(msg)
    return numbers

"""The way into the search: arrays in, one `Result` out."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._weights import IntegerProblem, integer_problem
from beamtree.result import TRACE_DTYPE, Result
from beamtree.tree import Tree

# Told of every improvement: seconds, nodes, objective, lower bound.
Listener = Callable[[float, int, float, float], None]


def run(
    X: NDArray[np.uint8],
    codes: NDArray[np.int32],
    sample_weight: NDArray[np.float64] | None,
    n_classes: int,
    *,
    max_depth: int,
    min_samples_leaf: int = 1,
    leaf_penalty: float = 0.0,
    exact_levels: int = 3,
    time_limit: float = inf,
    listener: Listener | None = None,
    **switches: Any,
) -> Result:
    """Search the best tree of the given depth.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_features)
        Zeros and ones, C-contiguous.
    codes : ndarray of int32, shape (n_rows,)
        Classes, from 0 to ``n_classes - 1``.
    sample_weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows, at least 0 and not all 0; None for weights of 1.
    n_classes : int
        Number of classes.
    max_depth, min_samples_leaf, leaf_penalty, exact_levels, time_limit
        As in `OptimalTreeClassifier`.
    listener : callable, optional
        Called with seconds, nodes, objective and lower bound at every improvement.
    **switches
        Further attributes of ``_core.Options``: the kernel, and the parts of the search that
        tests and ablations switch off.

    Returns
    -------
    Result
        The tree and its proof.
    """
    leaf_penalty = float(leaf_penalty)
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    if weight.min() == 0.0:
        kept = weight > 0.0
        X, codes, weight = X[kept], codes[kept], weight[kept]
    problem = integer_problem(weight, leaf_penalty, max_depth)

    options = _core.Options()
    settings = {
        "max_depth": max_depth,
        "min_samples_leaf": min(min_samples_leaf, len(X) + 1),  # more rules out every split alike
        "unit": problem.unit,
        "penalty": problem.penalty,
        "exact_levels": exact_levels,
        "time_limit": time_limit,
    }
    for name, setting in (settings | switches).items():
        setattr(options, name, setting)

    relay = None if listener is None else _in_real_units(listener, problem)
    outcome = _core.solve(X, codes, problem.weight, n_classes, options, relay)

    nodes = (outcome.feature, outcome.left, outcome.right)
    class_weight, samples = _core.recount(X, codes, weight, n_classes, *nodes)
    counts = class_weight
    if sample_weight is not None:
        counts, _ = _core.recount(X, codes, np.ones(len(X)), n_classes, *nodes)
    tree = Tree.from_search(*nodes, class_weight, samples, X.shape[1])

    leaf = outcome.feature < 0
    chosen = class_weight[leaf].argmax(axis=1)
    penalty = leaf_penalty * float(weight.sum()) if tree.n_leaves > 1 else 0.0
    objective = _off(class_weight[leaf], chosen) + penalty * (tree.n_leaves - 1)
    status, lower_bound = _verdict(outcome, problem, objective)
    return Result(
        status=status,
        objective=objective,
        lower_bound=lower_bound,
        n_errors=round(_off(counts[leaf], chosen)),
        rounding=problem.rounding,
        tree=tree,
        trace=_trace(outcome, problem),
        statistics=dict(outcome.statistics),
        cost=outcome.cost,
        lower=outcome.lower,
    )


def _off(weights: NDArray[np.float64], chosen: NDArray[np.intp]) -> float:
    """Sum what lies off the chosen class of each leaf.

    The others are added up, rather than subtracted from the total, so that pure leaves give 0.0
    whatever the weights.
    """
    others = weights.copy()
    np.put_along_axis(others, chosen[:, np.newaxis], 0.0, axis=1)
    return float(others.sum())


def _verdict(
    outcome: _core.Outcome, problem: IntegerProblem, objective: float
) -> tuple[str, float]:
    """Return the status and the lower bound of the real problem.

    ``"optimal"`` is said only if the integer problem is solved and its rounding leaves no doubt.
    """
    proved = outcome.lower == outcome.cost
    if objective == 0.0 or (proved and problem.rounding == 0.0):
        return "optimal", objective
    lower_bound = min(problem.lower_bound(outcome.lower), objective)
    if proved:
        return "optimal" if lower_bound == objective else "gap_reached", lower_bound
    return outcome.status, lower_bound


def _in_real_units(
    listener: Listener, problem: IntegerProblem
) -> Callable[[float, int, int, int], None]:
    def relay(seconds: float, nodes: int, cost: int, lower: int) -> None:
        listener(seconds, nodes, problem.objective(cost), problem.lower_bound(lower))

    return relay


def _trace(outcome: _core.Outcome, problem: IntegerProblem) -> NDArray[np.void]:
    seconds, nodes, costs, lowers = outcome.trace
    trace = np.zeros(len(seconds), dtype=TRACE_DTYPE)
    trace["seconds"] = seconds
    trace["nodes"] = nodes
    trace["objective"] = [problem.objective(int(cost)) for cost in costs]
    trace["lower_bound"] = [problem.lower_bound(int(lower)) for lower in lowers]
    trace["threshold"] = inf
    return trace

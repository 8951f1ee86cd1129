"""The status, the bound and the improvements of a search, converted from integers."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_weights import IntegerProblem
from beamtree._engine.recount import Recounted
from beamtree.result import TRACE_DTYPE

# Before there is a tree, the core reports at least this cost.
NO_COST = 2**61 - 1
# Seconds, nodes, objective, lower bound, restart, threshold.
Improvement = tuple[float, int, float, float, int, float]


class Progress(NamedTuple):
    """How far a search is while it runs, in the units of the real weights."""

    seconds: float
    nodes: int
    objective: float
    lower_bound: float
    restart: int
    threshold: float
    bytes: int
    time_to_proof: float | None = None

    @classmethod
    def of(
        cls,
        native: tuple[float, int, int, int, int, float, int, float | None],
        problem: IntegerProblem,
        preparation: float,
    ) -> Self:
        """Convert the integers of the core; without a tree the objective is infinite."""
        seconds, nodes, cost, lower, restart, threshold, size, time_to_proof = native
        return cls(
            preparation + seconds,
            nodes,
            problem.objective(cost) if cost < NO_COST else np.inf,
            problem.lower_bound(lower),
            restart,
            threshold,
            size,
            time_to_proof,
        )


def verdict(
    outcome: _core.Outcome,
    problem: IntegerProblem,
    objective: float,
) -> tuple[str, float]:
    """Return the status and the lower bound of the real problem.

    The status is ``"optimal"`` if the integer problem is solved, and the objective is at most the
    lower bound plus the rounding of the problem.

    Parameters
    ----------
    outcome : Outcome
        Tree, bounds and trace of the native search.
    problem : IntegerProblem
        The meaning of its integers.
    objective : float
        Objective of the tree in real weights.

    Returns
    -------
    status : str
        As in `Result`.
    lower_bound : float
        No tree has a smaller objective.
    """
    proved = outcome.lower == outcome.cost
    if objective == 0.0 or (proved and problem.rounding == 0.0):
        return "optimal", objective
    lower_bound = min(problem.lower_bound(outcome.lower), objective)
    if not proved:
        return outcome.status, lower_bound
    known = objective - lower_bound <= problem.rounding
    return "optimal" if known else "gap_reached", lower_bound


def leaves_bound(outcome: _core.Outcome, problem: IntegerProblem, found: Recounted) -> int:
    """Return a number of leaves below which there is no tree with the least objective.

    Parameters
    ----------
    outcome : Outcome
        Tree, bounds and trace of the native search.
    problem : IntegerProblem
        The meaning of its integers.
    found : Recounted
        Its tree, recounted.

    Returns
    -------
    int
        The number; 1 if nothing is known. It is never above the leaves of a tree that is proved to
        be optimal.
    """
    if problem.rounding > 0.0 and not (problem.zero_is_exact and found.objective == 0.0):
        return 1  # other trees may be the best ones of the real problem
    if outcome.lower == outcome.cost:
        return min(int(outcome.leaves_bound), found.tree.n_leaves)
    return int(outcome.leaves_bound)


def improvements(
    outcome: _core.Outcome, problem: IntegerProblem, preparation: float, start: int = 0
) -> list[Improvement]:
    """Return the improvements in real units.

    Parameters
    ----------
    outcome : Outcome
        Tree, bounds and trace of the native search.
    problem : IntegerProblem
        The meaning of its integers.
    preparation : float
        Seconds before the search began.
    start : int, default=0
        Position of the first improvement to return; -1 returns only the last one.

    Returns
    -------
    list of tuple
        For each improvement its seconds, nodes, objective, lower bound, restart and threshold.
    """
    columns = [column[start:].tolist() for column in outcome.trace]
    return [
        (
            preparation + seconds,
            nodes,
            problem.objective(cost),
            problem.lower_bound(lower),
            restart,
            threshold,
        )
        for seconds, nodes, cost, lower, restart, threshold in zip(*columns, strict=True)
    ]


def trace(
    rows: list[Improvement], outcome: _core.Outcome, objective: float, lower_bound: float
) -> NDArray[np.void]:
    """Return the improvements as an array, whose last row agrees with the result.

    If the weights were rounded, earlier rows have the values of the rounded weights, but never
    better ones than the result.

    Parameters
    ----------
    rows : list of tuple
        All improvements.
    outcome : Outcome
        Tree, bounds and trace of the native search.
    objective, lower_bound : float
        Objective and lower bound of the result.

    Returns
    -------
    ndarray
        The trace of the result.
    """
    table = np.array(rows, dtype=TRACE_DTYPE)
    _, _, cost, lower, _, _ = outcome.trace
    table["objective"] = np.where(
        cost == outcome.cost, objective, np.maximum(table["objective"], objective)
    )
    table["lower_bound"] = np.where(
        lower == outcome.lower, lower_bound, np.minimum(table["lower_bound"], lower_bound)
    )
    return table

"""What the integers of a search mean in real weights: status, bound, improvements."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_weights import IntegerProblem
from beamtree.result import TRACE_DTYPE

# What the core says of the cost before there is a tree, or more.
NO_COST = 2**61 - 1
# Seconds, nodes, objective, lower bound, restart, threshold.
Improvement = tuple[float, int, float, float, int, float]


class Progress(NamedTuple):
    """How far a search is while it runs, in real units."""

    seconds: float
    nodes: int
    objective: float
    lower_bound: float
    restart: int
    threshold: float
    bytes: int

    @classmethod
    def of(
        cls,
        native: tuple[float, int, int, int, int, float, int],
        problem: IntegerProblem,
        preparation: float,
    ) -> Self:
        """Make it from the integers of the core, whose cost is huge before the first tree."""
        seconds, nodes, cost, lower, restart, threshold, size = native
        return cls(
            preparation + seconds,
            nodes,
            problem.objective(cost) if cost < NO_COST else np.inf,
            problem.lower_bound(lower),
            restart,
            threshold,
            size,
        )


def verdict(outcome: _core.Outcome, problem: IntegerProblem, objective: float) -> tuple[str, float]:
    """Return the status and the lower bound of the real problem.

    ``"optimal"`` is said only if the integer problem is solved and its rounding leaves no doubt.

    Parameters
    ----------
    outcome : Outcome
        What the search has.
    problem : IntegerProblem
        What its integers stand for.
    objective : float
        Objective of its tree in real weights.

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
    if proved:
        return "optimal" if lower_bound == objective else "gap_reached", lower_bound
    return outcome.status, lower_bound


def improvements(
    outcome: _core.Outcome, problem: IntegerProblem, preparation: float, start: int = 0
) -> list[Improvement]:
    """Return the improvements in real units.

    Parameters
    ----------
    outcome : Outcome
        What the search has.
    problem : IntegerProblem
        What its integers stand for.
    preparation : float
        Seconds until the search began.
    start : int, default=0
        The first improvement to return; -1 for the last alone.

    Returns
    -------
    list of tuple
        Seconds, nodes, objective, lower bound, restart and threshold of each.
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
    """Return the improvements as an array that ends as the result does.

    Where integers are rounded, earlier rows are what they were by the rounded weights, but no
    better than what was found in the end.

    Parameters
    ----------
    rows : list of tuple
        All improvements.
    outcome : Outcome
        What the search has.
    objective, lower_bound : float
        Those of the result.

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

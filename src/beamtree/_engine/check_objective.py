"""Comparing an objective of the user's own with enumeration, on small samples of the data."""

from __future__ import annotations

from functools import cache
from math import inf, isclose
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.limits import NO_LIMIT
from beamtree._engine.native import native_search
from beamtree._engine.own_objective import OwnObjective
from beamtree._engine.settings import Settings
from beamtree._table.ranks import RankedRows
from beamtree.objectives import Objective

SAMPLES = 20
MOST_ROWS = 8
DEPTH = 2
# So many sets of rows, of all sizes, are compared with the same set without one row.
PAIRS = 200
# Differences of costs that are smaller, as a share of the cost of all rows, are rounding errors.
TOLERANCE = 1e-9


def check_objective(
    X: RankedRows, y: NDArray[np.float64], weight: NDArray[np.float64], objective: Objective
) -> None:
    """Raise a ValueError if an objective contradicts enumeration.

    Parameters
    ----------
    X : RankedRows
        The rows.
    y, weight : ndarray of float64, shape (n_rows,)
        The numbers to predict, and the positive weights of the rows.
    objective : Objective
        The objective.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.check_objective import check_objective
    >>> from beamtree._engine.regression import as_ranks
    >>> from beamtree.objectives import PoissonDeviance
    >>> X = as_ranks(np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8))
    >>> check_objective(X, np.array([0.0, 1.0, 5.0]), np.ones(3), PoissonDeviance())
    """
    random = np.random.default_rng(0)
    _check_bounds_of_all(OwnObjective(X, y, weight, objective, 0.0), random)
    for _ in range(SAMPLES):
        rows = np.sort(random.permutation(len(y))[:MOST_ROWS])
        _check_sample(OwnObjective(X[rows], y[rows], weight[rows], objective, 0.0), X[rows])


def _check_sample(task: OwnObjective, X: RankedRows) -> None:
    rows = len(X)
    table = task.statistics.integers
    members = (np.arange(1, 1 << rows)[:, np.newaxis] >> np.arange(rows)) & 1
    sums = np.ascontiguousarray((members @ table).T)
    real = task.prices.real(sums)
    _check_alone(task, sums, real)
    _check_bounds_of_sets(task, real)
    if task.prices.single == inf:
        return
    integers = [0, *task.prices(sums).tolist()]
    settings = Settings(max_depth=DEPTH, rule=None)
    native = native_search(task, settings, None, {})
    while native.search.step(inf, NO_LIMIT, 0.0, 0):
        pass
    native.search.raise_failure()
    if native.search.status != "optimal":
        raise KeyboardInterrupt
    found, best = native.search.outcome().cost, _best_tree(X, integers)
    # The doubles of the user may be rounded differently if there are other leaves in the array.
    if abs(found - best) > 2 ** (DEPTH + 1):
        scale = 2.0**task.prices.exponent
        _refuse(
            task,
            f"the search found a tree of cost {found / scale:.15g} on {rows} rows, and enumeration "
            f"one of {best / scale:.15g}",
        )


def _check_alone(
    task: OwnObjective, sums: NDArray[np.int64], together: NDArray[np.float64]
) -> None:
    """Check that the cost of a leaf does not depend on the other leaves in the array."""
    for at in range(0, sums.shape[1], 7):
        alone = float(task.prices.real(np.ascontiguousarray(sums[:, [at]]))[0])
        spare = TOLERANCE * task.prices.single
        if not isclose(alone, together[at], rel_tol=TOLERANCE, abs_tol=spare):
            _refuse(
                task,
                f"leaf_costs returned {together[at]:g} for a leaf beside others, and {alone:g} for "
                f"the same leaf alone",
            )


def _check_bounds_of_sets(task: OwnObjective, costs: NDArray[np.float64]) -> None:
    """Check the declared bounds on all sets of rows, and on each of them with one row less."""
    sets = np.arange(1, 1 << task.n_rows)
    for row in range(task.n_rows):
        larger = sets[((sets >> row) & 1 == 1) & (sets != 1 << row)]
        rows = np.full(len(larger), row)
        _check_bounds(task, rows, costs[larger - 1], costs[(larger ^ (1 << row)) - 1])


def _check_bounds_of_all(task: OwnObjective, random: np.random.Generator) -> None:
    """Check the declared bounds on sets of all sizes, with and without one of their rows."""
    table, sizes = task.statistics.integers, np.geomspace(2, max(task.n_rows, 2), PAIRS)
    last, sums = [], []
    for size in np.minimum(sizes.astype(np.int64), task.n_rows).tolist():
        rows = random.choice(task.n_rows, size, replace=False)
        last.append(int(rows[-1]))
        sums += [table[rows].sum(axis=0), table[rows[:-1]].sum(axis=0)]
    if task.n_rows > 1:
        costs = task.prices.real(np.ascontiguousarray(np.array(sums).T))
        _check_bounds(task, np.array(last), costs[::2], costs[1::2])


def _check_bounds(
    task: OwnObjective,
    rows: NDArray[np.intp],
    more: NDArray[np.float64],
    less: NDArray[np.float64],
) -> None:
    """Check the declared bounds, given costs of leaves with and without a row."""
    removal = task.removal_costs()
    spare = TOLERANCE * np.where(np.isfinite(more), more, 0.0)
    spare += TOLERANCE * (task.prices.single if task.prices.single < inf else 0.0)
    if task.objective.superset_bound and (less > more + spare).any():
        at = int((less > more + spare).argmax())
        _refuse(
            task,
            f"superset_bound is True, but a leaf of cost {less[at]:.15g} costs {more[at]:.15g} "
            f"with one more row",
        )
    if removal is not None and (more > less + removal[rows] + spare).any():
        at = int((more > less + removal[rows] + spare).argmax())
        _refuse(
            task,
            f"removal_costs says {removal[rows[at]]:g} for a row, but a leaf of cost "
            f"{more[at]:.15g} costs {less[at]:.15g} without it",
        )


def _best_tree(X: RankedRows, cost: list[int]) -> int:
    """Return the least cost of a tree, given the costs of all sets of rows as leaves."""
    tests = {
        sum(1 << row for row, is_left in enumerate(rank < cut) if is_left)
        for rank in X.rank
        for cut in np.unique(rank).tolist()
    }

    @cache
    def best(rows: int, depth: int) -> int:
        least = cost[rows]
        if depth > 0:
            for test in tests:
                left, right = rows & test, rows & ~test
                if left and right:
                    least = min(least, best(left, depth - 1) + best(right, depth - 1))
        return least

    return best(len(cost) - 1, DEPTH)


def _refuse(task: OwnObjective, what: str) -> NoReturn:
    name = type(task.objective).__name__
    msg = f"criterion must be an objective that passes its check, and {name} does not: {what}"
    raise ValueError(msg)

"""Making a search of the core from rows and settings."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.costs import VirtualRows, virtual_rows
from beamtree._engine.greedy import Rows, greedy_trees_of_costs
from beamtree._engine.integer_weights import (
    MAX_DEPTH,
    MAX_EXACT_RATIO,
    IntegerProblem,
    integer_problem,
)
from beamtree._engine.limits import NO_LIMIT, threads_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.settings import Settings
from beamtree._engine.strategy import heuristic_options, rule_parts, schedule_options
from beamtree._engine.tree_arrays import TreeArrays
from beamtree._table.ranks import core_rows
from beamtree._table.row_weights import positive_rows

# Largest ratio of two weights if leaves have a smallest weight.
MAX_LEAF_WEIGHT_RATIO = 2**40


class Native(NamedTuple):
    """A search of the core, and what was made for it.

    Parameters
    ----------
    search : _core.Search
        The search.
    rows : tuple
        The rows of positive weight.
    cost : ndarray of float64, shape (n_rows, n_classes), or None
        Costs of these rows.
    problem : IntegerProblem
        The weights and the leaf penalty as integers.
    crowded : bool
        Whether the data leave no memory for a search.
    most_leaves : int
        The limit of leaves that the search observes; 0 for none.
    """

    search: _core.Search
    rows: Rows
    cost: NDArray[np.float64] | None
    problem: IntegerProblem
    crowded: bool
    most_leaves: int


def rows_of_leaf(min_samples_leaf: float, n_rows: int) -> int:
    """Return the smallest number of rows in a leaf.

    Parameters
    ----------
    min_samples_leaf : int or float
        The number of rows itself, or a share of the rows below 1, which is rounded up.
    n_rows : int
        Number of rows of positive weight.

    Returns
    -------
    int
        The number of rows. It is at most one more than there are rows, which allows no split.

    Examples
    --------
    >>> from beamtree._engine.native import rows_of_leaf
    >>> rows_of_leaf(5, 100), rows_of_leaf(0.07, 100), rows_of_leaf(0.07, 101)
    (5, 7, 8)
    """
    if min_samples_leaf < 1:
        # The decimal number as the user wrote it: as doubles, 0.07 * 100 is more than 7.
        min_samples_leaf = ceil(Fraction(repr(float(min_samples_leaf))) * n_rows)
    return min(int(min_samples_leaf), n_rows + 1)


def leaf_limit(settings: Settings, n_rows: int) -> int:
    """Return the largest number of leaves that the core has to observe.

    Parameters
    ----------
    settings : Settings
        The settings of the search.
    n_rows : int
        Number of rows of positive weight.

    Returns
    -------
    int
        The limit; 0 if no tree within the other limits can have more leaves.

    Examples
    --------
    >>> from beamtree._engine.native import leaf_limit
    >>> from beamtree._engine.settings import Settings
    >>> leaf_limit(Settings(max_depth=3, max_leaf_nodes=6), 100)
    6
    >>> leaf_limit(Settings(max_depth=3, max_leaf_nodes=8), 100)
    0
    """
    if settings.max_leaf_nodes is None:
        return 0
    limit, depth = int(settings.max_leaf_nodes), settings.max_depth
    if limit < n_rows:  # every leaf has a row
        return 0 if depth is not None and limit >= 2**depth else limit
    # Trees of any depth need another limit, which is their price, or the number of rows.
    return n_rows if depth is None and not settings.leaf_penalty > 0 else 0


def native_search(
    rows: Rows,
    settings: Settings,
    cost: NDArray[np.float64] | None,
    allowance: MemoryAllowance | None,
    switches: dict[str, Any],
) -> Native:
    """Pack the rows, and make a search over them.

    Parameters
    ----------
    rows : tuple
        X, classes, weights of at least 0, and the number of classes.
    settings : Settings
        The settings of the search.
    cost : ndarray of float64, shape (n_rows, n_classes), or None
        What a row of weight 1 costs, for each prediction; None for 1 per mistake.
    allowance : MemoryAllowance or None
        How much memory the search may take; None for no limit.
    switches : dict
        Further attributes of ``_core.Options``, which replace what follows from the settings.

    Returns
    -------
    Native
        The search, before its first step.
    """
    X, codes, weight, n_classes = rows
    kept = positive_rows(weight)
    if kept is not None:
        X, codes, weight = X[kept], codes[kept], weight[kept]
        rows = (X, codes, weight, n_classes)
        cost = None if cost is None else cost[kept]
    max_depth, leaf_penalty = settings.max_depth, settings.leaf_penalty
    most_leaves = leaf_limit(settings, len(X))
    _check_algorithm(switches.get("algorithm"), most_leaves)
    least = rows_of_leaf(settings.min_samples_leaf, len(X))
    by_weight = bool(settings.min_weight_fraction_leaf > 0)
    starts: list[TreeArrays] = []
    if cost is None:
        # The least weight of a leaf is exact only if the weights are.
        ratio = MAX_LEAF_WEIGHT_RATIO if by_weight else MAX_EXACT_RATIO
        problem = integer_problem(
            weight, leaf_penalty, max_depth, max_leaf_nodes=most_leaves or None, exact_ratio=ratio
        )
        if by_weight:
            _check_exact(weight, problem, settings.min_weight_fraction_leaf)
            share = Fraction(repr(float(settings.min_weight_fraction_leaf)))
            least = ceil(share * int(problem.weight.sum()))
    else:
        virtual = virtual_rows(weight, cost, counted=least > 1)
        if not np.array_equal(virtual.row, np.arange(len(X))):
            X = X[virtual.row]
        codes = virtual.codes
        limit = settings.depth_limit
        if switches.get("greedy", True):
            starts = greedy_trees_of_costs(
                rows,
                (X, codes, virtual.weight, n_classes),
                max_depth=MAX_DEPTH if limit is None else min(limit, MAX_DEPTH),
                min_rows=least,
                copies=virtual.copies,
            )
        least *= virtual.copies
        problem = _virtual_problem(virtual, weight, settings, most_leaves)
    native_rows = core_rows(X)
    parts, rule_switches = rule_parts(settings.rule)
    memory = NO_LIMIT if allowance is None else allowance.left()
    if memory < NO_LIMIT:
        memory -= _core.packed_bytes(native_rows, codes)
    options = {
        "max_depth": MAX_DEPTH if max_depth is None else max_depth,
        "any_depth": max_depth is None,
        "max_leaf_nodes": most_leaves,
        "tie_break": settings.tie_break,
        "min_samples_leaf": least,
        "leaf_weight": by_weight,
        "unit": problem.unit,
        "penalty": problem.penalty,
        "memory": max(memory, 0),
        "exact_levels": settings.exact_levels,
        "threads": threads_of(settings.n_jobs, settings.rule),
        **schedule_options(settings.schedule),
        **heuristic_options(settings.heuristic),
        **rule_switches,
        **switches,
    }
    search = _core.Search(
        native_rows, codes, problem.weight, n_classes, _options(options), parts, problem.scale
    )
    for tree in starts:
        search.offer(*tree)
    return Native(search, rows, cost, problem, memory < 0, most_leaves)


def _check_exact(
    weight: NDArray[np.float64], problem: IntegerProblem, min_weight_fraction_leaf: float
) -> None:
    """Raise a ValueError unless the integer weights are proportional to the real ones."""
    if np.allclose(problem.weight / problem.scale, weight, rtol=1e-9, atol=0.0):
        return
    msg = (
        f"min_weight_fraction_leaf must be 0 unless the weights are multiples of a common unit, so "
        f"that leaves can be weighed exactly; got {min_weight_fraction_leaf!r}, and weights that "
        f"must be rounded. Use min_samples_leaf, which counts rows whatever their weights"
    )
    raise ValueError(msg)


def _check_algorithm(algorithm: str | None, most_leaves: int) -> None:
    """Raise a ValueError if there is a limit of leaves, and an algorithm that knows none."""
    if most_leaves > 0 and algorithm not in (None, "restarts"):
        msg = (
            f"max_leaf_nodes must be None if the algorithm is {algorithm!r}, which limits only the "
            f"depth; got a limit of {most_leaves}"
        )
        raise ValueError(msg)


def _options(values: dict[str, Any]) -> _core.Options:
    options = _core.Options()
    for name, value in values.items():
        setattr(options, name, value)
    return options


def _virtual_problem(
    virtual: VirtualRows,
    weight: NDArray[np.float64],
    settings: Settings,
    most_leaves: int,
) -> IntegerProblem:
    """State the problem of virtual rows, in which a leaf still costs a share of the real weight."""
    return integer_problem(
        virtual.weight,
        settings.leaf_penalty,
        settings.max_depth,
        max_leaf_nodes=most_leaves or None,
        total=float(weight.sum()),
        offset=virtual.offset,
    )

"""Making a search of the core from rows and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_weights import MAX_DEPTH, IntegerProblem
from beamtree._engine.limits import NO_LIMIT, threads_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.settings import Settings
from beamtree._engine.strategy import (
    RuleLike,
    heuristic_options,
    rule_parts,
    schedule_options,
)
from beamtree._engine.task import NativeProblem, Task
from beamtree._table.ranks import RankedRows, core_rows, n_tests

# Numbers are held in groups of rows up to about so many tests, and else as sorted columns.
FEW_TESTS = 600
# Largest ratio of two weights if leaves have a smallest weight.
MAX_LEAF_WEIGHT_RATIO = 2**40


@dataclass(frozen=True, eq=False)
class SearchSpec:
    """All that a search of the core is made from. It can be sent to another process.

    Parameters
    ----------
    stated : NativeProblem
        The rows, and the problem in integers.
    rule : rule, str or None
        The rule.
    options : dict
        Attributes of ``_core.Options``.
    n_jobs : int or None
        The setting.
    """

    stated: NativeProblem
    rule: RuleLike
    options: dict[str, Any]
    n_jobs: int | None

    def make(self, **changes: Any) -> _core.Search:
        """Pack the rows, and return a search before its first step.

        Parameters
        ----------
        **changes
            Options that are different in this search.

        Returns
        -------
        Search
            The search, which knows the trees to start from.
        """
        stated = self.stated
        parts, _ = rule_parts(self.rule)
        search = _core.Search(
            core_rows(stated.X),
            stated.y,
            stated.problem.weight,
            stated.n_classes,
            _options(self.options | changes),
            parts,
            stated.problem.scale,
            stated.prices,
            stated.row_count,
        )
        for tree in stated.starts:
            search.offer(*tree)
        return search

    @property
    def is_one_step(self) -> bool:
        """Whether the whole tree is solved at once: three levels over few tests, else two."""
        if self.options["any_depth"]:
            return False
        X = self.stated.X
        few = holds_bits(X, {}) if self.stated.n_classes > 0 else n_tests(X) <= FEW_TESTS
        most: int = self.options["exact_levels"]
        depth: int = self.options["max_depth"]
        return depth <= (most if few else min(most, 2))

    def packed_bytes(self) -> int:
        """Return an estimate of the bytes that the rows take inside a search."""
        return _core.packed_bytes(core_rows(self.stated.X), self.stated.y)


# Makes a search that has the methods of one of the core, and leaves its work to other processes.
Distribute = Callable[[SearchSpec], _core.Search]


class Native(NamedTuple):
    """A search of the core, and what was made for it.

    Parameters
    ----------
    search : _core.Search
        The search.
    problem : IntegerProblem
        The weights and the leaf penalty as integers.
    crowded : bool
        Whether the data leave no memory for a search.
    most_leaves : int
        The limit of leaves that the search observes; 0 for none.
    """

    search: _core.Search
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
    task: Task,
    settings: Settings,
    allowance: MemoryAllowance | None,
    switches: dict[str, Any],
    distribute: Distribute | None = None,
) -> Native:
    """Pack the rows, and make a search over them.

    Parameters
    ----------
    task : Task
        The rows, and what is to be predicted.
    settings : Settings
        The settings of the search.
    allowance : MemoryAllowance or None
        How much memory the search may take; None for no limit.
    switches : dict
        Further attributes of ``_core.Options``, which replace what follows from the settings.
    distribute : callable or None, default=None
        Makes the search, if other processes do its work. An objective that is written in Python is
        searched in this process.

    Returns
    -------
    Native
        The search, before its first step.
    """
    max_depth = settings.max_depth
    most_leaves = leaf_limit(settings, task.n_rows)
    _check_algorithm(switches.get("algorithm"), most_leaves)
    stated = task.state(settings, most_leaves, switches)
    problem = stated.problem
    _, rule_switches = rule_parts(settings.rule)
    memory = NO_LIMIT if allowance is None else allowance.left()
    if memory < NO_LIMIT:
        memory -= _core.packed_bytes(core_rows(stated.X), stated.y)
    options = {
        "max_depth": MAX_DEPTH if max_depth is None else max_depth,
        "any_depth": max_depth is None,
        "max_leaf_nodes": most_leaves,
        "tie_break": settings.tie_break,
        "min_samples_leaf": stated.least,
        "leaf_weight": stated.by_weight,
        "penalty": problem.penalty,
        "memory": max(memory, 0),
        "exact_levels": settings.exact_levels,
        "threads": threads_of(settings.n_jobs, settings.rule),
        **stated.options,
        **schedule_options(settings.schedule),
        **heuristic_options(settings.heuristic),
        **rule_switches,
        **switches,
    }
    spec = SearchSpec(stated, settings.rule, options, settings.n_jobs)
    search = spec.make() if distribute is None or stated.prices is not None else distribute(spec)
    return Native(search, problem, memory < 0, most_leaves)


def check_leaf_weight(min_weight_fraction_leaf: float, *, exact: bool) -> None:
    """Raise a ValueError unless leaves can be weighed.

    Parameters
    ----------
    min_weight_fraction_leaf : float
        The setting.
    exact : bool
        Whether the integer weights are proportional to the real ones.
    """
    if exact:
        return
    msg = (
        f"min_weight_fraction_leaf must be 0 unless the weights are multiples of a common unit, so "
        f"that leaves can be weighed exactly; got {min_weight_fraction_leaf!r}, and weights that "
        f"must be rounded. Use min_samples_leaf, which counts rows whatever their weights"
    )
    raise ValueError(msg)


def weight_of_leaf(min_weight_fraction_leaf: float, total: int) -> int:
    """Return the smallest weight of a leaf.

    Parameters
    ----------
    min_weight_fraction_leaf : float
        The setting, a share of the total weight.
    total : int
        The total of the integer weights.

    Returns
    -------
    int
        The weight, rounded up.

    Examples
    --------
    >>> from beamtree._engine.native import weight_of_leaf
    >>> weight_of_leaf(0.07, 100), weight_of_leaf(0.07, 101)
    (7, 8)
    """
    return ceil(Fraction(repr(float(min_weight_fraction_leaf))) * total)


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


def holds_bits(X: RankedRows | NDArray[np.uint8], switches: dict[str, Any]) -> bool:
    """Return whether a search will hold rows with classes as columns of bits.

    Parameters
    ----------
    X : RankedRows or ndarray of uint8
        The rows.
    switches : dict
        Further attributes of ``_core.Options``, which may force the form.
    """
    form: dict[str, Any] = {
        name: switches[name] for name in ("form", "coarse_cuts") if name in switches
    }
    rows = core_rows(X)
    return not (isinstance(rows, _core.Ranks) and rows.sorts(_options(form)))

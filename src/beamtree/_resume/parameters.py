"""What a search can be told, what is allowed, and an engine from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beamtree._engine.class_weight import CLASS_WEIGHT, weigh_classes
from beamtree._engine.costs import COST_MATRIX, cost_table
from beamtree._engine.engine import Engine, Listener
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import JOBS, threads_of
from beamtree._engine.memory import MEMORY_OR_NONE, MemoryAllowance
from beamtree._engine.progress import print_improvement
from beamtree._engine.strategy import HEURISTIC, RULE, SCHEDULE
from beamtree._resume.initial_tree import INIT, check_init, init_arrays
from beamtree._table.training_rows import TrainingData
from beamtree._util.validation import LEAF_SIZE, VERBOSITY, Allowed, finite, integer, or_none
from beamtree.cancel import CancelToken
from beamtree.result import Incumbent

# Told of the incumbent at every improvement; what is true as an answer ends the search.
Callback = Callable[[Incumbent], object]

# The problem, and the strategy: searches that differ here are different searches.
PROBLEM_PARAMETERS = {
    "max_depth": integer(0, 20),
    "min_samples_leaf": LEAF_SIZE,
    "leaf_penalty": finite(0.0),
    "class_weight": CLASS_WEIGHT,
    "cost_matrix": COST_MATRIX,
    "min_weight_fraction_leaf": finite(0.0, 0.5),
    "max_thresholds": or_none(integer(1)),
    "rule": RULE,
    "schedule": SCHEDULE,
    "heuristic": HEURISTIC,
    "exact_levels": integer(0, 3),
}
# Those that the engine is told as they are.
ENGINE_PARAMETERS = PROBLEM_PARAMETERS.keys() - {"class_weight", "cost_matrix", "max_thresholds"}
# How far it goes, with what, and who hears of it.
CONTROL_PARAMETERS = {
    "gap_limit": finite(0.0),
    "node_limit": or_none(integer(1)),
    "memory_limit": MEMORY_OR_NONE,
    "init": INIT,
    "callback": Allowed("None or a callable", lambda value: value is None or callable(value)),
    "cancel": Allowed(
        "None or a beamtree.CancelToken",
        lambda value: value is None or isinstance(value, CancelToken),
    ),
    "on_interrupt": Allowed(
        "'keep' or 'raise'", lambda value: isinstance(value, str) and value in ("keep", "raise")
    ),
    "n_jobs": JOBS,
    "verbose": VERBOSITY,
}


def check_parameters(values: dict[str, Any], allowed: dict[str, Allowed]) -> None:
    """Raise a ValueError unless all values are allowed.

    Parameters
    ----------
    values : dict
        Parameters by name.
    allowed : dict
        What each may be.
    """
    for name, what in allowed.items():
        what.check(name, values[name])
    if "min_weight_fraction_leaf" in allowed and values["min_weight_fraction_leaf"] > 0:
        _check_leaf_weight(values)
    if "init" in allowed:
        check_init(values["init"])


def _check_leaf_weight(values: dict[str, Any]) -> None:
    share = values["min_weight_fraction_leaf"]
    if values["min_samples_leaf"] != 1:
        msg = (
            f"min_weight_fraction_leaf must be 0 if min_samples_leaf is "
            f"{values['min_samples_leaf']!r}: leaves have one minimum, of rows or of weight; got "
            f"{share!r}"
        )
        raise ValueError(msg)
    if values["cost_matrix"] is not None:
        msg = f"min_weight_fraction_leaf must be 0 if there is a cost_matrix, got {share!r}"
        raise ValueError(msg)


def make_engine(
    data: TrainingData,
    values: dict[str, Any],
    *,
    allowance: MemoryAllowance,
    begin: float,
    interrupts: Interrupts | None = None,
) -> Engine:
    """Return an engine for checked parameters.

    Parameters
    ----------
    data : TrainingData
        The rows.
    values : dict
        All of `PROBLEM_PARAMETERS` and `CONTROL_PARAMETERS`.
    allowance, begin, interrupts
        As in `Engine`.

    Returns
    -------
    Engine
        Before its first step, with `init` offered.
    """
    init = values["init"]
    tree = None if init is None else init_arrays(init, data, values["max_depth"])
    engine = Engine(
        data.X,
        data.codes,
        weigh_classes(values["class_weight"], data.codes, data.classes, data.sample_weight),
        len(data.classes),
        **{name: values[name] for name in ENGINE_PARAMETERS},
        cost_matrix=cost_table(values["cost_matrix"], data.classes),
        node_limit=values["node_limit"],
        gap_limit=values["gap_limit"],
        threads=threads_of(values["n_jobs"], values["rule"]),
        allowance=allowance,
        cancel=values["cancel"],
        interrupts=interrupts,
        columns=data.columns,
        tests=data.tests,
        begin=begin,
    )
    if tree is not None:
        engine.offer(tree)
    return engine


def listeners_of(callback: Callback | None, verbose: int) -> list[Listener]:
    """Return who is told of improvements.

    Parameters
    ----------
    callback : callable or None
        The user's own.
    verbose : int
        2 or more prints.

    Returns
    -------
    list of callable
        Listeners of an engine.
    """
    listeners: list[Listener] = []
    if verbose >= 2:
        listeners.append(print_improvement)
    if callback is not None:
        listeners.append(lambda engine: callback(engine.incumbent()))
    return listeners

"""The systems of the study: those of the paper, and this package's default.

To add a system: 1. write a function that takes a `Task` and a `Tell`, and returns an `End`; 2. list
it in `SYSTEMS`, with one line that describes it; 3. name it in docs/study.md. The tests read the
table, so they cover the new system. A system of your own needs no entry in the table: use
``"module:function"``, the name of a function that can be imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.strategy import RuleLike
from beamtree._util.validation import Allowed
from beamtree.rules import Discrepancy, Gain, HalvingTopK, Purity, TopK
from beamtree.study.task import End, System, Task, Tell

if TYPE_CHECKING:
    from beamtree._engine.engine import Engine

# The settings that all systems of the paper share: a cache of covers (the sets of training rows
# that reach a node), pruning by the upper bound, a kernel for the two bottom levels, features
# ordered by information gain at every node, and passes that skip what an earlier pass has explored
# as far (the paper's test of a cached state). Everything else in the core is this package's own and
# is off here: neither the paper nor the authors' code has it.
PAPER: dict[str, Any] = {
    "heuristic": "information_gain",
    "exact_levels": 2,
    "memo": True,
    "tie_break": "any",
    "greedy": False,  # the first tree comes from the first pass
    "cancel_rows": False,
    "merge_rows": False,  # covers are sets of the original rows
    "similarity_bound": False,
    "archive_bound": False,
    "parent_bound": False,
    "unavoidable_bound": False,
    "cell_cache": False,  # subproblems of two levels are in the cache of covers, like all others
    "sweep": "never",  # the kernel of two levels counts pairs
    "relearn": False,  # every pass orders the features by the gain alone
    "free_ranks": False,  # the rank of a feature is its position in the full order
    "polish": False,
    "probe": False,
    "subsets": False,
}


def _engine(task: Task, rule: RuleLike, schedule: str = "luby", **others: Any) -> Engine:
    """Return the search of this package, with the given settings and switches."""
    from beamtree._engine.engine import Engine, split_settings
    from beamtree._engine.memory import MemoryAllowance
    from beamtree._table.training_data import binary_training_data

    data = binary_training_data(task.X, task.codes, None, np.arange(task.n_classes))
    given = dict(max_depth=task.depth, rule=rule, schedule=schedule, n_jobs=1, **others)
    settings, switches = split_settings(given)
    return Engine(data, settings, allowance=MemoryAllowance(task.memory), **switches)


def _search(task: Task, tell: Tell, **settings: Any) -> End:
    """Run the search of this package."""
    engine = _engine(task, **settings)

    def listen(engine: Engine) -> None:
        _, _, objective, lower_bound, _, _ = engine.improvement
        tell(objective, lower_bound)

    engine.run(task.budget - engine.preparation, (listen,))
    status, lower_bound = engine.verdict()
    return End(status, lambda X: _classes(engine, X), lower_bound, engine.preparation)


def _classes(engine: Engine, X: NDArray[np.uint8]) -> NDArray[np.intp]:
    codes: NDArray[np.intp] = engine.result().tree.predict(X).argmax(axis=1)
    return codes


def _c45(task: Task, tell: Tell) -> End:  # noqa: ARG001
    """Fit the greedy tree of scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(
        criterion="entropy", max_depth=task.depth, random_state=task.seed
    ).fit(task.X, task.codes)
    return End("finished", model.predict)


_SCHEDULES = ("monotonic", "exponential", "luby")
_RELAXED: dict[str, tuple[type[Any], str]] = {
    "ca-gain": (Gain, "splits whose gain is close to the best"),
    "ca-discrepancy": (Discrepancy, "a budget of deviations from the best splits"),
    "ca-top-k": (TopK, "the k best splits of every node"),
    "ca-top-k-star": (HalvingTopK, "the k best splits of the root, half as many per level below"),
}


def _paper(name: str, about: str, rule: RuleLike, *, complete: bool, **settings: Any) -> System:
    solve = partial(_search, rule=rule, **PAPER | settings)
    return System(name, about, solve, complete=complete)


def _table() -> Iterator[System]:
    entropy = "scikit-learn's greedy tree by entropy"
    yield System("c45", entropy, _c45, complete=False, distribution="scikit-learn")
    for k, word in ((3, "three"), (5, "five")):
        about = f"the {word} best splits of every node, one pass"
        yield _paper(f"top-{k}", about, TopK(k, limit=k), complete=False)
    yield _paper("dl85", "one complete pass", None, complete=True)
    about = "a budget of deviations from the best splits, which grows by one per pass"
    yield _paper("lds-dl85", about, Discrepancy(), complete=True, schedule="monotonic")
    about = "splits the leaf nearest to the root first, and backtracks from the deepest node"
    yield _paper("blossom", about, None, complete=True, algorithm="blossom")
    about = "the first split of the best tree of two levels, at every node"
    yield _paper("lgdt", about, None, complete=False, algorithm="lgdt")
    about = "nodes that are pure enough are leaves"
    yield _paper("ca-purity", about, Purity(), complete=True, schedule="monotonic")
    for name, (rule, about) in _RELAXED.items():
        for schedule in _SCHEDULES:
            yield _paper(f"{name}-{schedule}", about, rule(), complete=True, schedule=schedule)
    yield System("beamtree", "this package's default", partial(_search, rule="auto"), complete=True)


SYSTEMS: dict[str, System] = {system.name: system for system in _table()}


def find_system(name: str) -> System:
    """Return the system of a given name.

    Parameters
    ----------
    name : str
        A key of `SYSTEMS` or of `PEERS`, or ``"module:function"``.

    Returns
    -------
    System
        The system.

    Raises
    ------
    ValueError
        If no system has that name.

    Examples
    --------
    >>> from beamtree.study.systems import find_system
    >>> find_system("dl85").about
    'one complete pass'
    """
    from beamtree.study.peers import PEERS

    known = SYSTEMS | PEERS
    if name in known:
        return known[name]
    module, colon, function = name.partition(":")
    try:
        if colon:
            solve = getattr(import_module(module), function)
            return System(name, "a function of the user", solve, complete=False)
    except (AttributeError, ImportError) as error:
        msg = f"a system 'module:function' must be importable, got {name!r}: {error}"
        raise ValueError(msg) from error
    msg = f"systems must be among {', '.join(known)}, or 'module:function', got {name!r}"
    raise ValueError(msg)


_NAMES = Allowed(
    "None, or one or more names and patterns of systems",
    lambda value: (
        value is None
        or isinstance(value, str)
        or (isinstance(value, Iterable) and all(isinstance(name, str) for name in value))
    ),
)


def chosen_systems(systems: Iterable[str] | str | None = None) -> list[str]:
    """Return the names of the systems that are asked for, in the given order.

    Parameters
    ----------
    systems : str, iterable of str or None, default=None
        Names, and patterns such as ``"ca-*"``; None for all of `SYSTEMS`. Patterns do not match
        peers: these must be named, and be installed.

    Returns
    -------
    list of str
        The names, each once.

    Raises
    ------
    ValueError
        If a name or a pattern matches no system.
    ImportError
        If a peer is not installed.

    Examples
    --------
    >>> from beamtree.study.systems import chosen_systems
    >>> chosen_systems(["dl85", "ca-gain-*"])
    ['dl85', 'ca-gain-monotonic', 'ca-gain-exponential', 'ca-gain-luby']
    """
    from beamtree.study.peers import PEERS, check_installed

    if isinstance(systems, Iterable) and not isinstance(systems, str):
        systems = list(systems)
    _NAMES.check("systems", systems)
    if systems is None:
        return list(SYSTEMS)
    chosen: dict[str, None] = {}
    for pattern in [systems] if isinstance(systems, str) else systems:
        found = [name for name in SYSTEMS if fnmatchcase(name, pattern)]
        if not found:
            find_system(pattern)
            found = [pattern]
        if pattern in PEERS:
            check_installed(pattern)
        chosen |= dict.fromkeys(found)
    if not chosen:
        msg = "systems must name at least one system, got none"
        raise ValueError(msg)
    return list(chosen)

"""The part of a distributed search that runs on a worker, as an actor of Dask."""

from __future__ import annotations

import pickle
from importlib import metadata
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.limits import NO_LIMIT, threads_of
from beamtree._engine.native import SearchSpec
from beamtree._engine.tree_arrays import TreeArrays
from beamtree.dask._exit import ended_at_exit, holders

# Share of the worker's memory limit that it may use in all; Dask begins to act at a bit more.
MEMORY_SHARE = 0.55
# How many times as long as others tasks may take whose children would be solved at once.
LAST_LEVELS = 10.0
NO_NODES: NDArray[np.int32] = np.empty(0, dtype=np.int32)
NO_TREE = TreeArrays(NO_NODES, NO_NODES, NO_NODES)
# Before there is a tree, the core reports at least this cost.
NO_COST = 2**60

# Id, path, most levels, most leaves, bound, target of the whole pass, and whether it is a probe.
Task = tuple[int, list[tuple[int, bool]], int, int, int, int, bool]

# What a search has learned of subproblems, as bytes: bounds, and cells of the exact solver.
Learned = tuple[bytes, bytes]


class Answer(NamedTuple):
    """What a worker has found out about a task.

    Parameters
    ----------
    id : int
        The number of the task.
    end : str
        ``"solved"``, ``"reached"``, ``"time_out"`` or ``"given_up"``.
    lower : int
        No tree of the task costs less.
    tree : TreeArrays
        The best tree that was found, or no nodes.
    nodes : int
        Number of nodes.
    seconds : float
        How long it took.
    """

    id: int
    end: str = "given_up"
    lower: int = 0
    tree: TreeArrays = NO_TREE
    nodes: int = 0
    seconds: float = 0.0


class Known(NamedTuple):
    """What is known of the whole problem.

    Parameters
    ----------
    cost : int
        Cost of the best tree.
    lower : int
        No tree costs less.
    tree : TreeArrays
        The tree.
    done : bool, default=False
        Whether the one who knows it can find out nothing more.
    """

    cost: int
    lower: int
    tree: TreeArrays
    done: bool = False


def version_here() -> str:
    """Return the version of beamtree in this process."""
    return metadata.version("beamtree")


class Helper:
    """A search that solves subproblems of a search in another process.

    It holds the rows, and keeps its cache from task to task. Dask runs the ordinary methods one
    after the other in one thread; `tell` and `stop` run meanwhile.

    Parameters
    ----------
    spec : SearchSpec
        What the other search was made from.
    version : str
        The version of beamtree in the other process. Facts of another version may be about other
        rows.
    """

    def __init__(self, spec: SearchSpec, version: str) -> None:
        from distributed import get_worker

        if version != version_here():
            msg = f"this worker has beamtree {version_here()}, and the search is of {version}"
            raise ImportError(msg)
        worker = get_worker()
        threads = threads_of(spec.n_jobs or worker.state.nthreads, spec.rule)
        changes = {"threads": threads, "log_facts": True}
        if limit := worker.memory_manager.memory_limit:
            used = worker.monitor.get_process_memory() + spec.packed_bytes()
            changes["memory"] = max(min(int(MEMORY_SHARE * limit) - used, NO_LIMIT), 0)
        self._search: Any = spec.make(**changes)
        holders.add(self)
        self._cost = self._target = NO_COST
        self._stopped = False
        # The length of the paths from which on only the levels at the bottom are left.
        self._last = spec.options["max_depth"] - spec.options["exact_levels"] - 1

    def solve(
        self, tasks: list[Task], learned: list[Learned], cost: int, seconds: float
    ) -> tuple[list[Answer], Learned]:
        """Solve tasks, one after the other.

        Parameters
        ----------
        tasks : list of Task
            The tasks.
        learned : list of Learned
            What other workers have learned.
        cost : int
            Cost of the best tree.
        seconds : float
            How long each task may take, unless only the levels at the bottom are left. After this
            time, no other task is begun.

        Returns
        -------
        answers : list of Answer
            One for each task.
        learned : Learned
            What this worker has learned.
        """
        with ended_at_exit(self._interrupt):
            return self._solve(tasks, learned, cost, seconds)

    def _solve(
        self, tasks: list[Task], learned: list[Learned], cost: int, seconds: float
    ) -> tuple[list[Answer], Learned]:
        self._cost = min(self._cost, cost)
        self._merge(learned)
        answers: list[Answer] = []
        end = perf_counter() + seconds
        for number, path, depth, leaves, bound, target, probe in tasks:
            if self._stopped or target > self._cost or (answers and perf_counter() > end):
                answers.append(Answer(number))
                continue
            self._target = target
            patience = LAST_LEVELS if len(path) >= self._last else 1.0
            end_word, lower, *tree, nodes, took = self._search.solve(
                path, depth, leaves, bound, probe, patience * seconds
            )
            self._target = 0
            answers.append(Answer(number, end_word, lower, TreeArrays(*tree), nodes, took))
        return answers, self._search.take_learned()

    def explore(
        self, known: Known, learned: list[Learned], seconds: float
    ) -> tuple[Known, Learned]:
        """Search for better trees of the whole problem, as a search in one process does.

        Parameters
        ----------
        known : Known
            What the other search knows.
        learned : list of Learned
            What other workers have learned.
        seconds : float
            How long to search, unless the tree improves before.

        Returns
        -------
        known : Known
            The best tree and the lower bound.
        learned : Learned
            What this worker has learned.
        """
        with ended_at_exit(self._interrupt):
            return self._explore(known, learned, seconds)

    def _explore(
        self, known: Known, learned: list[Learned], seconds: float
    ) -> tuple[Known, Learned]:
        self._merge(learned)
        search, end = self._search, perf_counter() + seconds
        if known.cost < search.progress()[2]:
            search.learn(*known.tree, known.lower)
        while not self._stopped and not search.done and (left := end - perf_counter()) > 0:
            improved = search.step(left, NO_LIMIT, 0.0, 0)
            search.raise_failure()
            if not improved or search.progress()[2] < known.cost:
                break
        outcome = search.outcome()
        tree = TreeArrays(outcome.feature, outcome.left, outcome.right)
        return Known(outcome.cost, outcome.lower, tree, search.done), search.take_learned()

    async def tell(self, cost: int) -> None:
        """Take note of the cost of a better tree: a task that asks for more ends soon.

        Parameters
        ----------
        cost : int
            The cost.
        """
        self._cost = min(self._cost, cost)
        if self._target > cost:
            self._search.interrupt()

    async def stop(self) -> None:
        """End the present task soon, and begin no other one."""
        self._interrupt()

    def _interrupt(self) -> None:
        self._stopped = True
        if self._search is not None:
            self._search.interrupt()

    def let_go(self) -> None:
        """Free the search; the interpreter ends."""
        self._stopped, self._search = True, None

    def _merge(self, learned: list[Learned]) -> None:
        for facts, cells in learned:
            self._search.merge_learned(facts, cells)

    def __reduce__(self) -> Any:
        """Refuse to be moved to another worker or to a disk."""
        msg = "a search on a worker stays there"
        raise pickle.PicklingError(msg)

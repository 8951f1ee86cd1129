"""A search whose work is done by the workers of a Dask cluster.

The search in this process runs the same passes as any other one, in threads that only wait: what
they would search, they post as tasks (core/tasks/task_board.hpp). Here, two threads per worker take
tasks to a `Helper` on the worker and bring the answers. What a worker learns about subproblems goes
to all others with their next tasks. One worker also explores: it searches for better trees of the
whole problem, more of the time while it finds some.

Nothing is lost with a worker but the tasks that it was given, which are posted again. All that
counts is in this process: the best tree, the lower bound, and the facts that prove it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from math import inf
from threading import Event, Lock, Thread
from time import perf_counter, sleep
from typing import Any

from beamtree import _core
from beamtree._engine.native import Distribute, SearchSpec
from beamtree._engine.tree_arrays import TreeArrays
from beamtree.dask._exit import ended_at_exit
from beamtree.dask._helper import (
    NO_COST,
    NO_TREE,
    Answer,
    Helper,
    Known,
    Learned,
    Task,
    version_here,
)

BETWEEN_LOOKS = 0.2
"""Seconds between two looks at the list of workers."""
BETWEEN_ANSWERS = 0.05
"""Seconds that the tasks that a worker gets at a time should take."""
FIRST_TREES = 0.3
"""Seconds of exploring before anything else."""
LAST_SECONDS = 5.0
"""Seconds that a worker has to end what it does."""
PATIENCE = 30.0
"""Seconds without any worker, after which a search fails."""
MOST_TASKS = 16
"""Most tasks that a worker gets at a time."""
MOST_THREADS = 256
"""Most threads that wait for answers."""
MOST_BYTES = 64_000_000
"""Bytes of what was learned that are kept for workers that have not had them yet."""
MOST_SHARING = 8
"""Most workers that exchange cells, whose number grows with that of the workers."""
MANY_BYTES = 2_000_000_000
"""Bytes that the nodes of waiting threads may take, roughly."""
FAILURES = 3
"""So often, a worker that is still there may fail before its error ends the search."""


class LostWorker(Exception):  # noqa: N818
    """Raised when a worker does not answer any more."""


def distributor(client: Any) -> Distribute | None:
    """Return what makes the searches that a cluster does.

    Parameters
    ----------
    client : distributed.Client or None
        The cluster; None for searches in this process.

    Returns
    -------
    callable or None
        The function.
    """
    if client is None:
        return None

    def distribute(spec: SearchSpec) -> _core.Search:
        if spec.is_one_step:
            return spec.make()
        search: Any = DistributedSearch(spec, client)  # has the same methods
        return search  # type: ignore[no-any-return]

    return distribute


class DistributedSearch:
    """A search of the core whose work other processes do.

    Parameters
    ----------
    spec : SearchSpec
        What a search of the core is made from.
    client : distributed.Client
        The cluster.
    """

    def __init__(self, spec: SearchSpec, client: Any) -> None:
        n_workers = max(len(client.nthreads()), 1)
        fitting = MANY_BYTES // max(spec.packed_bytes(), 1)
        threads = min(max(min(4 * n_workers, fitting), 2 * n_workers, 4), MOST_THREADS)
        self._native = spec.make(threads=1, task_threads=threads)
        self._crew = Crew(self._native, spec, client)
        self._raised = False
        weakref.finalize(self, self._crew.close)

    def __getattr__(self, name: str) -> Any:
        """Return what has nothing to do with other processes."""
        return getattr(self._native, name)

    def step(self, seconds: float, nodes: int, gap: float, slack: int) -> bool:
        """Search until the next improvement, as `_core.Search.step` does.

        Parameters
        ----------
        seconds, nodes, gap, slack
            As in the core.

        Returns
        -------
        bool
            Whether there was an improvement.
        """
        if self._crew.failure is not None:
            return False
        started = self._native.progress()[2] < NO_COST
        if started and not self._native.done and seconds > 0:
            self._crew.begin()
        try:
            return self._native.step(seconds, nodes, gap, slack)
        finally:
            self._crew.pause()
            self._note_best()
            if self._native.done:
                self._crew.close()

    def _note_best(self) -> None:
        """Tell the workers of a better tree."""
        _, _, cost, lower, *_ = self._native.progress()
        if cost < self._crew.best.cost:
            outcome = self._native.outcome()
            tree = TreeArrays(outcome.feature, outcome.left, outcome.right)
            self._crew.note_best(Known(outcome.cost, outcome.lower, tree))
        elif lower > self._crew.best.lower:
            self._crew.note_best(self._crew.best._replace(lower=lower))

    def raise_failure(self) -> None:
        """Raise the exception that has ended the search, if there was one; only once."""
        self._native.raise_failure()
        if self._crew.failure is not None and not self._raised:
            self._crew.close()
            self._raised = True
            raise self._crew.failure

    def extra_statistics(self) -> dict[str, int]:
        """Return counters of the exchange with the workers."""
        return {"workers": self._crew.n_helped, "tasks": self._crew.n_tasks}


class Crew:
    """The threads that take tasks to the workers and bring the answers.

    Parameters
    ----------
    native : _core.Search
        The search of this process.
    spec : SearchSpec
        What it was made from.
    client : distributed.Client
        The cluster.

    Attributes
    ----------
    failure : Exception or None
        Why the search cannot go on.
    best : Known
        The best tree and the bound of the whole search, after its last step.
    n_helped : int
        How many workers have helped.
    n_tasks : int
        How many tasks they have answered.
    """

    def __init__(self, native: _core.Search, spec: SearchSpec, client: Any) -> None:
        self.failure: Exception | None = None
        self.best = Known(NO_COST, 0, NO_TREE)
        self.n_helped = self.n_tasks = 0
        self._native, self._spec, self._client = native, spec, client
        self._begun = 0.0
        self._closed, self._stepping = Event(), Event()
        self._lock = Lock()
        self._members: dict[str, Member] = {}
        self._log = LearnedLog()
        self._exploring = Exploring()
        self._seconds_per_task = 0.01

    def begin(self) -> None:
        """Let the workers help from now on; the first call sends them the rows."""
        self._stepping.set()
        if self._begun == 0.0:
            self._begun = perf_counter()
            Thread(target=self._work, daemon=True).start()

    def pause(self) -> None:
        """Give the workers no more tasks until the next step begins."""
        self._stepping.clear()

    def close(self) -> None:
        """End the threads and what runs on the workers."""
        self._closed.set()

    def note_best(self, best: Known) -> None:
        """Tell the workers what the best tree costs, if it is a better one."""
        better = best.cost < self.best.cost
        self.best = best
        with self._lock:
            members = list(self._members.values()) if better else []
        for member in members:
            member.tell(best.cost)

    def _fail(self, error: Exception) -> None:
        if self.failure is None and not self._closed.is_set():
            self.failure = error
        self._native.interrupt()

    def _lose(self, error: Exception) -> None:
        """End the search, because the cluster does not answer any more."""
        lost = ConnectionError(
            f"the Dask cluster was lost during the search: {error}. The best tree so far and its "
            f"bound were kept"
        )
        lost.__cause__ = error
        self._fail(lost)

    def _work(self) -> None:
        """Keep threads for the workers until the search ends, or the interpreter."""
        with suppress(RuntimeError), ended_at_exit(self.close):
            self._watch()

    def _watch(self) -> None:
        """Keep threads for every worker that there is."""
        seen = perf_counter()
        try:
            while not self._closed.wait(BETWEEN_LOOKS if self._members else 0.01):
                present = self._present()
                if present:
                    seen = perf_counter()
                elif perf_counter() - seen > PATIENCE:
                    msg = f"there was no worker for {PATIENCE:.0f} seconds"
                    raise ConnectionError(msg)
                with self._lock:
                    for address in set(self._members) - present:
                        self._members.pop(address).lost.set()
                        self._log.forget(address)
                        self._exploring.leave(address)
                    new = [Member(self, address) for address in present - set(self._members)]
                    self._members.update((member.address, member) for member in new)
                for member in new:
                    member.begin()
        except Exception as error:
            self._lose(error)
        finally:
            with self._lock:
                members = list(self._members.values())
                self._members.clear()
            for member in members:
                member.stop()
            for member in members:
                member.wait()

    def _present(self) -> set[str]:
        """Return the addresses of the workers."""
        try:
            present = set(self._client.nthreads())
        except Exception as error:
            self._check_connected(error)
            raise
        self._check_connected()
        return present

    def _check_connected(self, cause: Exception | None = None) -> None:
        """Raise a ConnectionError if the client was closed; what it raises itself is unclear."""
        if self._client.status not in ("running", "connecting"):
            msg = f"the client is {self._client.status}"
            raise ConnectionError(msg) from cause

    # What members call, each in threads of its own.

    @property
    def closed(self) -> bool:
        """Whether the search has ended."""
        return self._closed.is_set() or self.failure is not None

    def send_rows(self, address: str) -> Any:
        """Send the rows to a worker.

        Each worker gets them from here: what one worker would give to another is lost with it.
        """
        return self._client.scatter(self._spec, workers=[address], hash=False)

    def make_helper(self, rows: Any, address: str) -> Any:
        """Make the part of the search that runs on a worker, and return a future of the actor."""
        return self._client.submit(
            Helper, rows, version_here(), actor=True, workers=[address], pure=False
        )

    def free(self, made: Any) -> None:
        """Free an actor. References to it are in cycles, which may last for long."""
        with suppress(Exception):  # the cluster may be gone
            self._client.cancel([made], force=True)

    def take(self) -> list[Task]:
        """Take the next tasks from the board, as many as take about a tenth of a second."""
        if not self._stepping.wait(0.05):
            return []
        most = int(BETWEEN_ANSWERS / max(self._seconds_per_task, 1e-6))
        return self._native.take_tasks(min(max(most, 1), MOST_TASKS), 0.05)

    def seconds_of_task(self) -> float:
        """Return how long a task may take before it is divided."""
        return min(max(0.1 * (perf_counter() - self._begun), 0.2), 10.0)

    def bring(self, address: str, answers: list[Answer], learned: Learned) -> None:
        """Hand over the answers of a worker, and what it has learned."""
        self._share(address, learned)
        for answer in answers:
            self._native.answer(
                answer.id, answer.end, answer.lower, *answer.tree, answer.nodes, answer.seconds
            )
            if answer.end != "given_up":
                self.n_tasks += 1
                self._seconds_per_task += 0.1 * (answer.seconds - self._seconds_per_task)

    def _share(self, address: str, learned: Learned) -> None:
        facts, cells = learned
        self._native.merge_learned(facts, b"")
        if len(self._members) > MOST_SHARING:
            cells = b""
        if facts or cells:
            self._log.add(address, (facts, cells))

    def give_back(self, tasks: list[Task]) -> None:
        """Post tasks again that a worker did not answer."""
        for number, *_ in tasks:
            self._native.answer(number, "given_up", 0, *NO_TREE, 0, 0.0)

    def learned_by_others(self, address: str) -> list[Learned]:
        """Return what others have learned since this worker was last told."""
        return self._log.take(address)

    def may_explore(self, address: str) -> bool:
        """Return whether a worker should now search for better trees."""
        with self._lock:
            elapsed = perf_counter() - self._begun
            return self._stepping.is_set() and self._exploring.is_turn(
                address, elapsed, max(len(self._members), 1)
            )

    def bring_known(self, address: str, known: Known, learned: Learned, seconds: float) -> None:
        """Hand over what a worker has found by exploring."""
        self._share(address, learned)
        with self._lock:
            improved = known.cost < self.best.cost
            elapsed = perf_counter() - self._begun
            self._exploring.note(known, seconds, elapsed, improved=improved)
        self._native.learn(*known.tree, known.lower)

    def begins_to_help(self) -> None:
        """Count a worker that has the rows."""
        self.n_helped += 1

    def fails(self, address: str, error: Exception) -> None:
        """End the search, because a worker cannot do its work."""
        if self._client.status != "running":
            self._lose(error)
            return
        failure = RuntimeError(
            f"the search failed on the Dask worker {address}: {type(error).__name__}: {error}. The "
            f"best tree so far and its bound were kept"
        )
        failure.__cause__ = error
        self._fail(failure)


class Exploring:
    """When which worker explores."""

    def __init__(self) -> None:
        self._done = False
        self._address: str | None = None
        self._spent = self._improved = 0.0

    def is_turn(self, address: str, elapsed: float, n_workers: int) -> bool:
        """Return whether a worker should explore now; the first one that asks is the explorer.

        It begins with some tenths of a second. From then on the share of exploring is 0.4 of all
        work, and falls to 0.05 while the tree does not improve.
        """
        if self._address is None:
            self._address = address
        if self._address != address or self._done:
            return False
        idle = (elapsed - self._improved) / max(elapsed, 1e-9)
        share = 0.05 + 0.35 * max(0.0, 1.0 - idle) ** 2
        return self._spent <= max(FIRST_TREES, share * elapsed * n_workers)

    def note(self, known: Known, seconds: float, elapsed: float, *, improved: bool) -> None:
        """Take note of what a turn has found, and whether it is better than what was known."""
        self._spent += seconds
        self._done = known.done
        if improved:
            self._improved = elapsed

    def leave(self, address: str) -> None:
        """Let another worker explore, because this one is lost."""
        if self._address == address:
            self._address = None
            self._done = False


class LearnedLog:
    """What workers have learned, for the others."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._learned: list[tuple[str, Learned]] = []
        self._first = 0  # number of the first that is kept
        self._size = 0
        self._told: dict[str, int] = {}

    def add(self, address: str, learned: Learned) -> None:
        """Add what a worker has learned."""
        with self._lock:
            self._learned.append((address, learned))
            self._size += sum(map(len, learned))
            all_know = min(self._told.values(), default=0)
            while self._learned and (self._first < all_know or self._size > MOST_BYTES):
                self._size -= sum(map(len, self._learned.pop(0)[1]))
                self._first += 1

    def take(self, address: str) -> list[Learned]:
        """Return what others have learned since the last call for this worker."""
        with self._lock:
            start = max(self._told.get(address, 0) - self._first, 0)
            self._told[address] = self._first + len(self._learned)
            return [learned for origin, learned in self._learned[start:] if origin != address]

    def forget(self, address: str) -> None:
        """Forget a worker that is lost."""
        with self._lock:
            self._told.pop(address, None)


class Member:
    """A worker, and the two threads that serve it: while it works for one, the other exchanges.

    Parameters
    ----------
    crew : Crew
        The crew.
    address : str
        The worker's address.
    """

    def __init__(self, crew: Crew, address: str) -> None:
        self._crew, self.address = crew, address
        self.lost = Event()
        self._made: Any = None  # the future of the actor
        self._actor: Any = None
        self._calls: list[Any] = []  # for whose results nobody waits
        self._failures = 0
        self._threads: list[Thread] = []

    def begin(self) -> None:
        """Start the threads."""
        self._run(self._start)

    def _run(self, target: Callable[[], None]) -> None:
        thread = Thread(target=target, daemon=True)
        self._threads.append(thread)
        thread.start()

    def tell(self, cost: int) -> None:
        """Tell the worker the cost of a better tree, without waiting."""
        self._call_later("tell", cost)

    def stop(self) -> None:
        """End what the worker does, without waiting."""
        self._call_later("stop")

    def wait(self) -> None:
        """Wait until the threads have ended, and then free the memory of the worker."""
        for thread in self._threads:
            thread.join(PATIENCE)
        with suppress(Exception):  # the worker may be gone
            for call in self._calls:
                call.result(timeout=LAST_SECONDS)
        self._actor, self._calls = None, []
        if self._made is not None:
            self._crew.free(self._made)

    def _call_later(self, method: str, *args: Any) -> None:
        actor = self._actor
        if actor is None or self.lost.is_set():
            return
        with suppress(Exception):  # a lost worker is soon not on the list any more
            self._calls = [call for call in self._calls if not call.done()]
            self._calls.append(getattr(actor, method)(*args))

    def _start(self) -> None:
        while self._actor is None and not self._ends():
            try:
                self._actor = self._make()
            except Exception as error:
                self._note_failure(error)
        if self._actor is not None:
            self._failures = 0
            self._crew.begins_to_help()
            self._run(self._serve)
            self._serve(explores=True)

    def _make(self) -> Any:
        self._made = self._crew.make_helper(self._crew.send_rows(self.address), self.address)
        while self._made.status == "pending":
            if self._ends():
                raise LostWorker
            sleep(0.005)
        return self._made.result()

    def _ends(self) -> bool:
        return self.lost.is_set() or self._crew.closed

    def _serve(self, *, explores: bool = False) -> None:
        crew = self._crew
        while not self._ends():
            if not explores and crew.may_explore(self.address):
                sleep(0.002)  # else the turn of the explorer would be behind these tasks
                continue
            tasks: list[Task] = []
            try:
                if explores and crew.may_explore(self.address):
                    self._explore()
                elif tasks := crew.take():
                    self._solve(tasks)
                self._failures = 0
            except Exception as error:
                crew.give_back(tasks)
                self._note_failure(error)

    def _solve(self, tasks: list[Task]) -> None:
        crew = self._crew
        learned = crew.learned_by_others(self.address)
        call = self._actor.solve(tasks, learned, crew.best.cost, crew.seconds_of_task())
        crew.bring(self.address, *self._wait(call))

    def _explore(self) -> None:
        crew = self._crew
        begin = perf_counter()
        learned = crew.learned_by_others(self.address)
        call = self._actor.explore(crew.best, learned, min(crew.seconds_of_task(), 1.0))
        known, learned = self._wait(call)
        crew.bring_known(self.address, known, learned, perf_counter() - begin)

    def _wait(self, call: Any) -> Any:
        """Return the result of a call, which comes soon after the worker was told to stop."""
        end = inf
        while True:
            try:
                return call.result(timeout=0.2)
            except TimeoutError:
                if self._ends():
                    end = min(end, perf_counter() + LAST_SECONDS)
                if self.lost.is_set() or perf_counter() > end:
                    raise LostWorker from None

    def _note_failure(self, error: Exception) -> None:
        """Decide whether the worker is lost, whether to try again, or whether the search fails."""
        # A worker that is gone is soon not on the list any more.
        if self._ends() or isinstance(error, LostWorker) or self.lost.wait(5 * BETWEEN_LOOKS):
            return
        self._failures += 1
        comes_from_dask = isinstance(error, OSError | RuntimeError | KeyError | CancelledError)
        if not comes_from_dask or self._failures >= FAILURES:
            self._crew.fails(self.address, error)

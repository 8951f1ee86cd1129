"""One search over encoded rows: rows and settings in, improvements and a `Result` out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Any, Protocol
from weakref import WeakMethod

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.classification import Classification
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import Limits, is_own
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.native import Distribute, native_search
from beamtree._engine.outcome import (
    Improvement,
    Progress,
    improvements,
    leaves_bound,
    trace,
    verdict,
)
from beamtree._engine.own_objective import OwnObjective
from beamtree._engine.proof import bound_words, proof_line
from beamtree._engine.recount import Recounted
from beamtree._engine.regression import Regression
from beamtree._engine.settings import IDENTITY, SETTINGS, Settings
from beamtree._engine.task import NativeProblem, Task
from beamtree._engine.tree_arrays import TreeArrays
from beamtree._table.training_data import TrainingData, binary_training_data
from beamtree.alternatives import Alternatives
from beamtree.cancel import CancelToken
from beamtree.objectives import Objective
from beamtree.result import Incumbent, Result

# Called with the engine at every improvement; a true return value ends the run.
Listener = Callable[["Engine"], object]

# The core shows this cost, or a larger one, before it has a tree.
NO_COST = 2**60

# The settings that the engine reads. The others belong to those who use an engine: the classifier,
# for example, hands over the memory that is allowed. The data were read with `max_thresholds`,
# which the engine only names in its proof.
READ = frozenset(IDENTITY) | {"gap_limit", "node_limit", "n_jobs", "cancel"}


class Saver(Protocol):
    """The object that saves a search between two slices of a step."""

    spent: float

    def left(self) -> float:
        """Return the seconds until the next save is due."""

    def save_if_due(self) -> None:
        """Save if a save is due."""

    def save(self) -> None:
        """Save now, and raise an exception if that fails."""

    def try_to_save(self, *, silent: bool = False) -> None:
        """Save now, and warn if that fails."""


class Engine:
    """A search over encoded rows.

    The engine counts in the real weights of the rows, and recounts every tree that it returns; the
    native search inside counts in integers.

    Parameters
    ----------
    data : TrainingData
        The rows.
    settings : Settings
        The settings, which have been checked. The engine reads those in `READ`.
    starts : sequence of TreeArrays, default=()
        Trees to start from, if they are better than a greedy one.
    allowance : MemoryAllowance or None, default=None
        How much memory the search may take; None for no limit.
    interrupts : Interrupts or None, default=None
        Object that notices Ctrl-C; None for a new one.
    begin : float or None, default=None
        Value of ``perf_counter`` when the preparations began; None for now.
    distribute : callable or None, default=None
        Makes the native search, if other processes do its work.
    **switches
        Further attributes of ``_core.Options``: the kernel, and the parts of the search that
        tests and ablations switch on and off.

    Attributes
    ----------
    settings : Settings
        The settings of the search.
    problem : IntegerProblem
        Relation between the integers of the native search and the real weights.
    limits : Limits
        Limits on nodes and gap, which may be changed between two steps.
    preparation : float
        Seconds before the search could begin, which the native search does not count.
    last_preparation : float
        Seconds of the most recent preparations, if the engine is used for another fit.
    started : bool
        Whether a step was taken, so that there is a tree.
    failed : bool
        Whether a rule or a signal handler raised an exception.
    saver : Saver or None
        Object that saves the search from time to time.
    """

    def __init__(
        self,
        data: TrainingData,
        settings: Settings,
        *,
        starts: Sequence[TreeArrays] = (),
        allowance: MemoryAllowance | None = None,
        interrupts: Interrupts | None = None,
        begin: float | None = None,
        distribute: Distribute | None = None,
        **switches: Any,
    ) -> None:
        begin = perf_counter() if begin is None else begin
        self._columns, self._orders = data.columns, data.orders
        self._task = task_of(data, settings)
        self._bound = bound_words(data.space, settings.max_thresholds, self._task.groups_by)
        native = native_search(self._task, settings, allowance, switches, distribute)
        self._search, self.problem = native.search, native.problem
        self._most_leaves = native.most_leaves
        self.settings, self._switches = settings, switches
        self._outcome: _core.Outcome | None = None
        self._recounted: tuple[tuple[int, int], Recounted] | None = None
        self.limits = Limits(settings.node_limit, settings.gap_limit)
        self._busy = False
        # Reasons to end that the native search does not know: the data leave no memory for a
        # search, or somebody asked for the end.
        self._crowded = native.crowded
        self._stopped = False
        # While a rule or an objective in Python runs, Ctrl-C raises at once, and the core ends the
        # step.
        own_objective = isinstance(settings.criterion, Objective)
        self._own_code = own_objective or is_own(settings.rule)
        self.started = self.failed = False
        self.saver: Saver | None = None
        self.obey(settings.cancel, interrupts)
        for tree in starts:
            self._search.offer(*tree)
        self.preparation = self.last_preparation = perf_counter() - begin

    @property
    def done(self) -> bool:
        """Whether the search has ended, so that another step would change nothing."""
        return self._search.done

    @property
    def has_tree(self) -> bool:
        """Whether there is a tree; without a failure there is one from the first step on."""
        return not self.failed or self._search.progress()[2] < NO_COST

    def obey(self, cancel: CancelToken | None, interrupts: Interrupts | None = None) -> None:
        """End when a token is cancelled, or when Ctrl-C is pressed.

        Parameters
        ----------
        cancel : CancelToken or None
            The token, if there is one.
        interrupts : Interrupts or None, default=None
            Object that notices Ctrl-C; None for a new one.
        """
        self._cancel = cancel
        self.interrupts = Interrupts() if interrupts is None else interrupts
        # A weak reference, so that the engine's memory is freed together with its last user.
        method = WeakMethod(self.interrupt)
        self.interrupts.notify = lambda: interrupt() if (interrupt := method()) else None
        if cancel is not None:
            cancel._watch(self)

    def interrupt(self) -> None:
        """End the current step soon; any thread may call this.

        Between two steps this does nothing: the next step checks by itself whether it should end.
        """
        if self._busy:
            self._search.interrupt()

    def step(self, seconds: float = inf) -> bool:
        """Search until the next improvement.

        Parameters
        ----------
        seconds : float, default=inf
            Largest duration of the step. The first step gives a greedy tree even with no time.

        Returns
        -------
        bool
            Whether there was an improvement. If not, the search has ended, a limit was reached, or
            somebody ended the step.

        Raises
        ------
        Exception
            An exception that a rule written in Python raised. The tree and the bound stay valid.
        """
        self._check_idle()
        with self.interrupts:
            self._begin()
            return self._sliced(seconds)

    def _begin(self) -> None:
        """Forget what ended the last step, but not Ctrl-C while the rows were packed."""
        self._stopped = False
        if self._search.take_pressed():
            self.interrupts.pressed = True

    def _sliced(self, seconds: float) -> bool:
        """Take a step. If there is a saver, take it in slices, and save between two slices."""
        if self.saver is None:
            return self._step(seconds)
        while True:
            begin, least = perf_counter(), self.saver.left()
            improved = self._step(min(seconds, least))
            spent = perf_counter() - begin
            self.saver.save_if_due()
            if improved or spent < least or least >= seconds or self.done or self._stopped:
                return improved
            seconds -= spent

    def _step(self, seconds: float) -> bool:
        self._check_idle()
        # From here on `interrupt` reaches the native step; earlier requests are noticed below.
        self._busy = True
        try:
            if self._crowded or self._wanted_to_end():
                if self.started:
                    return False
                seconds = 0.0
            self._outcome = None
            self.interrupts.raising = self._own_code
            improved = self._native_step(seconds)
            self.interrupts.raising = False
            self.started = True
            self._search.raise_failure()
            return improved
        except KeyboardInterrupt:
            # Raised by a signal handler of the user, in a rule or around the native step.
            self.interrupts.pressed = True
            return False
        except BaseException:
            self.failed = True
            raise
        finally:
            self.interrupts.raising = self._busy = False
            if self._search.take_pressed():
                self.interrupts.pressed = True
            self._wanted_to_end()

    def _native_step(self, seconds: float) -> bool:
        end = perf_counter() + seconds
        improved = self._search.step(*self.limits.budget(seconds, self.problem))
        if improved or not self.started or self.done or self._wanted_to_end():
            return improved
        if self._search.status == "interrupted" and not self._search.take_pressed():
            # The request came at the very end of an earlier step, which had ended by itself.
            left = end - perf_counter()
            return self._search.step(*self.limits.budget(left, self.problem))
        return False

    def _wanted_to_end(self) -> bool:
        """Return whether the step or run should end, because of Ctrl-C, a token or a listener."""
        cancelled = self._cancel is not None and self._cancel.cancelled
        self._stopped = self._stopped or self.interrupts.pressed or cancelled
        return self._stopped

    def _check_idle(self) -> None:
        """Raise an error if another thread, or a rule of this search, calls during a step."""
        if self._busy:
            msg = "the search is taking a step; call this again when the step has ended"
            raise RuntimeError(msg)

    def run(self, seconds: float = inf, listeners: Sequence[Listener] = ()) -> None:
        """Take steps until the search ends, a limit is reached, or somebody ends the run.

        Parameters
        ----------
        seconds : float, default=inf
            Largest duration of the run, including the time of the listeners.
        listeners : sequence of callable, default=()
            Functions that are called with the engine at every improvement, one after the other. A
            true return value ends the run.
        """
        end = perf_counter() + seconds - self._saving()
        with self.interrupts:
            self._begin()
            while self._sliced(end + self._saving() - perf_counter()):
                if self._notify(listeners):
                    break

    def _saving(self) -> float:
        """Return the seconds spent on saving, which do not count towards limits."""
        return 0.0 if self.saver is None else self.saver.spent

    def _notify(self, listeners: Sequence[Listener]) -> bool:
        """Call the listeners, and return whether the run should end.

        While they run, Ctrl-C raises inside them, and then ends the run as it does elsewhere.
        """
        answers: list[bool] = []
        try:
            self.interrupts.raising = True
            answers.extend(bool(listener(self)) for listener in listeners)
            self.interrupts.raising = False
        except KeyboardInterrupt:
            self.interrupts.pressed = True
        except BaseException:
            self._stopped = True
            raise
        finally:
            self.interrupts.raising = False
        self._stopped = self._stopped or any(answers)
        return self._wanted_to_end()

    def _ensure_tree(self) -> None:
        """Take the first step if there was none, so that there is a tree."""
        self._check_idle()
        if not self.started:
            self._step(0.0)

    def _ended_by(self) -> str | None:
        """Return the status if the native search does not know it."""
        if self._crowded:
            return "memory_limit"
        return "interrupted" if self._stopped else None

    def save(self, write: Callable[[bytes], object]) -> None:
        """Pass the state of the search to a function; take the first step if there was none.

        Parameters
        ----------
        write : callable
            Function that is called with one piece of the state, as bytes, after the other.
        """
        self._ensure_tree()
        self._search.save(write)

    def restore(self, read: Callable[[], bytes], preparation: float) -> None:
        """Continue from the state of a saved search; call this before the first step.

        Parameters
        ----------
        read : callable
            Function that returns the next piece of the state, and empty bytes at the end.
        preparation : float
            Seconds of preparation of the saved search, which are part of the times in its trace.
        """
        self._search.restore(read)
        self.started = True
        self.preparation = preparation

    @property
    def outcome(self) -> _core.Outcome:
        """The tree and the bounds in integers; the first step is taken if there was none."""
        self._ensure_tree()
        if self._outcome is None:
            try:
                self._outcome = self._search.outcome()
            except RuntimeError as error:
                if not isinstance(self._task, OwnObjective):
                    raise
                name = type(self._task.objective).__name__
                msg = (
                    f"{name}.leaf_costs must return the same costs for the same sums, and did not: "
                    f"check=True may tell more"
                )
                raise ValueError(msg) from error
        return self._outcome

    def progress(self) -> Progress:
        """Return how far the search is; any thread may ask, even during a step."""
        return Progress.of(self._search.progress(), self.problem, self.preparation)

    def verdict(self) -> tuple[str, float]:
        """Return the status and the lower bound."""
        status, lower_bound = verdict(
            self.outcome,
            self.problem,
            self.found().objective,
        )
        if self.outcome.lower < self.outcome.cost and not self._search.done:
            status = self._ended_by() or status
        return status, lower_bound

    def leaves_bound(self) -> int:
        """Return a number of leaves below which there is no best tree."""
        return leaves_bound(self.outcome, self.problem, self.found())

    @property
    def improvement(self) -> Improvement:
        """The last improvement, in real units."""
        return self._improvements(-1)[0]

    def incumbent(self) -> Incumbent:
        """Return the best tree so far, and when and how it was found."""
        found = self.found()
        seconds, nodes, _, _, restart, threshold = self.improvement
        _, lower_bound = self.verdict()
        return Incumbent(
            seconds=seconds,
            nodes=nodes,
            objective=found.objective,
            lower_bound=lower_bound,
            n_errors=found.n_errors,
            restart=restart,
            threshold=threshold,
            tree=found.tree,
            columns=self._columns,
            proof=self._proof(),
            reward=found.reward,
            reward_bound=found.reward_bound(lower_bound),
        )

    def result(self) -> Result:
        """Return the best tree so far, and what is proved about the best possible tree."""
        outcome, found = self.outcome, self.found()
        status, lower_bound = self.verdict()
        rows = self._improvements()
        # If no step was taken after a checkpoint was read, the core has not read its clock yet.
        seconds = max(rows[-1][0], self.preparation + self._search.progress()[0])
        statistics = dict(outcome.statistics) | {
            "seconds": seconds,
            "preparation_seconds": self.last_preparation,
            "time_to_proof": self._time_to_proof(status),
        }
        if (more := getattr(self._search, "extra_statistics", None)) is not None:
            statistics |= more()
        return Result(
            status=status,
            objective=found.objective,
            lower_bound=lower_bound,
            n_errors=found.n_errors,
            rounding=self.problem.rounding,
            tree=found.tree,
            trace=trace(rows, outcome, found.objective, lower_bound),
            statistics=statistics,
            cost=outcome.cost,
            lower=outcome.lower,
            columns=self._columns,
            proof=self._proof(),
            n_leaves_bound=self.leaves_bound(),
            reward=found.reward,
            reward_bound=found.reward_bound(lower_bound),
        )

    def _time_to_proof(self, status: str) -> float | None:
        """Return the estimated seconds until the proof.

        It is None if nothing can be said, or if the search has ended and more time would not help.
        """
        if status == "optimal":
            return 0.0
        return None if self._search.done or self._crowded else self.outcome.time_to_proof

    def _proof(self) -> str:
        """Return what is proved about the best tree so far, in one line."""
        status, lower_bound = self.verdict()
        objective = self.found().objective
        known = objective if status == "optimal" else lower_bound
        return proof_line(
            status,
            self._task.words(self.found(), known),
            up_to=objective - lower_bound if self._task.names_rounding else 0.0,
            limits=self.limits,
            max_leaf_nodes=self._most_leaves,
            bound=self._bound,
        )

    def state(self) -> NativeProblem:
        """Return the problem in integers once more, as the native search was given it."""
        return self._task.state(self.settings, self._most_leaves, self._switches)

    def prove(self, path: list[tuple[int, bool]], bound: int) -> int:
        """Return a lower bound on the cost of all trees on some of the rows.

        Parameters
        ----------
        path : list of (int, bool)
            The tests that lead to the rows, and whether the rows are on their right sides. Every
            test must split the rows that reach it.
        bound : int
            The bound that is asked for, which may need a search.

        Returns
        -------
        int
            A bound, without the cost of rows that the search has cancelled. It is lower than the
            one that was asked for if some tree costs less, or if the search was stopped.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C was pressed.
        """
        self._check_idle()
        if self.interrupts.pressed:
            raise KeyboardInterrupt
        self._busy = True
        try:
            return self._search.prove(path, bound, inf)
        finally:
            self._busy = False
            if self._search.take_pressed():
                self.interrupts.pressed = True

    def shallow_bound(
        self, path: list[tuple[int, bool]], bound: int
    ) -> tuple[int, list[tuple[int, int, int]]] | None:
        """Return what is known of the trees on some of the rows without looking further down.

        Trees of three levels are counted, and deeper ones cost penalties.

        Parameters
        ----------
        path, bound
            As in `prove`.

        Returns
        -------
        tuple of int and list of (int, int, int), or None
            A lower bound like that of `prove`, and the tests with which trees may begin that cost
            less than the one that was asked for, with bounds of their left and right sides. None if
            the search has no such bounds.
        """
        return self._search.shallow_bound(path, bound)

    def alternatives(self, seconds: float) -> Alternatives:
        """Return what is known about the tests that could be at the root.

        Parameters
        ----------
        seconds : float
            Largest duration of a search for more knowledge; 0 or less for none.

        Returns
        -------
        Alternatives
            For each test that the core reports, the best objective that was found with it and a
            lower bound. Of an order with very many cuts, the core may report only some.
        """
        self._ensure_tree()
        feature, lower, upper = self._search.alternatives(seconds)
        self._search.raise_failure()
        # The objective of the tree was recounted. Rounding must not make others look better.
        _, bound = self.verdict()
        best = self.found().objective
        found = np.maximum(_each(self.problem.objective, upper), best)
        found[upper == self.outcome.cost] = best
        least = np.maximum(_each(self.problem.lower_bound, lower), bound)
        least[lower == self.outcome.lower] = bound
        return Alternatives.of_tests(
            self._orders.tests(feature), self._columns, feature, found, np.minimum(least, found)
        )

    def _improvements(self, start: int = 0) -> list[Improvement]:
        return improvements(self.outcome, self.problem, self.preparation, start)

    def found(self) -> Recounted:
        """Return the best tree so far, recounted from the rows.

        It is recounted only if its cost or its size has changed: the search only ever finds trees
        that are better, or smaller and as good.
        """
        outcome = self.outcome
        key = outcome.cost, len(outcome.feature)
        if self._recounted is None or self._recounted[0] != key:
            found = self._task.recount(outcome, self.problem)
            tree = self._orders.tree_over_columns(found.tree, len(self._columns.names))
            found = replace(found, tree=tree)
            self._recounted = (key, found)
        return self._recounted[1]


def task_of(data: TrainingData, settings: Settings) -> Task:
    """Return the task of a search.

    Parameters
    ----------
    data : TrainingData
        The rows, with classes or with numbers to predict.
    settings : Settings
        The settings of the search.

    Returns
    -------
    Task
        A classification, a regression, or an objective of the user's own.
    """
    if data.numbers is None:
        return Classification(data, settings)
    if isinstance(settings.criterion, Objective):
        return OwnObjective.of(data, settings)
    return Regression(data, settings)


def _each(function: Callable[[int], float], costs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the values of a slow function for costs of which many are equal."""
    values, place = np.unique(costs, return_inverse=True)
    return np.array([function(value) for value in values.tolist()], dtype=np.float64)[place]


def split_settings(given: dict[str, Any]) -> tuple[Settings, dict[str, Any]]:
    """Separate the settings of an engine from its switches.

    Parameters
    ----------
    given : dict
        Values by name.

    Returns
    -------
    settings : Settings
        The settings.
    switches : dict
        All other values, which become attributes of ``_core.Options``.

    Raises
    ------
    TypeError
        If there is a setting that the engine does not read, and would ignore.
    """
    settings = {name: value for name, value in given.items() if name in SETTINGS}
    for name in settings:
        if name not in READ:
            allowed = ", ".join(sorted(READ))
            msg = f"{name} is a setting that the engine does not read; it reads {allowed}"
            raise TypeError(msg)
    switches = {name: value for name, value in given.items() if name not in SETTINGS}
    return Settings(**settings), switches


def run(
    X: NDArray[np.uint8],
    codes: NDArray[np.int32],
    sample_weight: NDArray[np.float64] | None,
    n_classes: int,
    *,
    time_limit: float = inf,
    listener: Listener | None = None,
    **settings: Any,
) -> Result:
    """Search over rows of zeros and ones, and return the result.

    Tests and benchmarks call this function to set parts of the search that `Settings` lacks.

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
    time_limit : float, default=inf
        Seconds after which the search ends.
    listener : callable or None, default=None
        Called with the engine at every improvement.
    **settings
        The settings in `READ`, and switches of `Engine`. By default there is no rule and one
        thread.

    Returns
    -------
    Result
        The tree and its proof.
    """
    chosen, switches = split_settings({"rule": None, "n_jobs": 1} | settings)
    data = binary_training_data(X, codes, sample_weight, np.arange(n_classes))
    engine = Engine(data, chosen, **switches)
    engine.limits.seconds = time_limit
    engine.run(time_limit - engine.preparation, () if listener is None else (listener,))
    return engine.result()

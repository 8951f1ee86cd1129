"""The way into the search: arrays in, improvements and one `Result` out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from time import perf_counter
from typing import Any, Protocol
from weakref import WeakMethod

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.answers import Answers
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import Limits, is_own
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.native import native_search
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._engine.tree_arrays import TreeArrays
from beamtree._table.columns import Columns
from beamtree._table.split_tests import Tests
from beamtree.cancel import CancelToken
from beamtree.result import Result

# Told of every improvement; what is true as an answer ends the run.
Listener = Callable[["Engine"], object]


class Saver(Protocol):
    """What the engine needs of somebody who saves the search between two slices of a step."""

    spent: float

    def left(self) -> float:
        """Return the seconds until it is time to save."""

    def save_if_due(self) -> None:
        """Save if it is time."""

    def save(self) -> None:
        """Save now, and raise what goes wrong."""

    def try_to_save(self, *, silent: bool = False) -> None:
        """Save now, and warn if that fails."""


class Engine(Answers):
    """A search over encoded rows; the only caller of the native search.

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
    max_depth, min_samples_leaf, leaf_penalty, schedule, heuristic, exact_levels
        As in `OptimalTreeClassifier`; a penalty may be a fraction, too.
    cost_matrix : ndarray of float64, shape (n_classes, n_classes), or None, default=None
        Cost of predicting the class of a column for a row of the class of a row.
    rule : rule, str or None, default=None
        As in `OptimalTreeClassifier`, but for the default.
    node_limit, gap_limit, cancel
        As in `OptimalTreeClassifier`.
    threads : int, default=1
        Threads that search together.
    allowance : MemoryAllowance, optional
        What memory it may take; as much as there is by default.
    interrupts : Interrupts, optional
        Where Ctrl-C is noted.
    columns : Columns, optional
        The columns of the table that `X` was made from.
    tests : Tests, optional
        What the features of `X` are in those columns: 1 where a test does not hold. By default
        trees are over the features of `X`.
    begin : float, optional
        The moment, by ``perf_counter``, at which preparations began; by default now.
    **switches
        Further attributes of ``_core.Options``: the kernel, and the parts of the search that
        tests and ablations switch on and off.
    """

    def __init__(
        self,
        X: NDArray[np.uint8],
        codes: NDArray[np.int32],
        sample_weight: NDArray[np.float64] | None,
        n_classes: int,
        *,
        max_depth: int,
        min_samples_leaf: float = 1,
        leaf_penalty: float | Fraction = 0.0,
        cost_matrix: NDArray[np.float64] | None = None,
        min_weight_fraction_leaf: float = 0.0,
        rule: RuleLike = None,
        schedule: ScheduleLike = "luby",
        heuristic: HeuristicLike = "auto",
        exact_levels: int = 3,
        node_limit: int | None = None,
        gap_limit: float = 0.0,
        threads: int = 1,
        allowance: MemoryAllowance | None = None,
        cancel: CancelToken | None = None,
        interrupts: Interrupts | None = None,
        columns: Columns | None = None,
        tests: Tests | None = None,
        begin: float | None = None,
        **switches: Any,
    ) -> None:
        begin = perf_counter() if begin is None else begin
        native = native_search(
            X,
            codes,
            sample_weight,
            n_classes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            leaf_penalty=leaf_penalty,
            cost_matrix=cost_matrix,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            rule=rule,
            schedule=schedule,
            heuristic=heuristic,
            allowance=allowance,
            options={"exact_levels": exact_levels, "threads": threads, **switches},
        )
        super().__init__(
            native.search,
            native.rows,
            native.problem,
            float(leaf_penalty),
            cost_matrix,
            perf_counter() - begin,
            columns,
            tests,
        )
        self.limits = Limits(node_limit, gap_limit)
        self._busy = False
        # Why it ended, where the native search does not know: data that leave no memory for a
        # search, or somebody who wanted it to end.
        self._crowded = native.crowded
        self._stopped = False
        # In a rule in Python Ctrl-C raises at once, which the core turns into the end of a step.
        self._own_rule = is_own(rule)
        # Whether a step was taken, so that there is a tree.
        self.started = False
        # Whether a rule, or a handler of signals, raised an exception.
        self.failed = False
        # Where it is saved now and then.
        self.saver: Saver | None = None
        self.obey(cancel, interrupts)

    @property
    def done(self) -> bool:
        """Whether no step will change anything any more."""
        return self._search.done

    def obey(self, cancel: CancelToken | None, interrupts: Interrupts | None = None) -> None:
        """Be told to end by a token, and by Ctrl-C that is noted elsewhere."""
        self._cancel = cancel
        self.interrupts = Interrupts() if interrupts is None else interrupts
        # Held weakly, so that an engine goes, with all its memory, when its last user does.
        method = WeakMethod(self.interrupt)
        self.interrupts.notify = lambda: interrupt() if (interrupt := method()) else None
        if cancel is not None:
            cancel._watch(self)

    def interrupt(self) -> None:
        """End a step soon, from any thread. While rows are packed there is no tree to keep yet."""
        if self._busy:
            self._search.interrupt()

    def offer(self, tree: TreeArrays) -> None:
        """Start from a tree, if it is better than a greedy one; before the first step."""
        self._search.offer(*tree)

    def step(self, seconds: float = inf) -> bool:
        """Search until the next improvement, and tell whether there was one.

        Parameters
        ----------
        seconds : float, default=inf
            The most to spend. The first step gives a greedy tree even without time.

        Returns
        -------
        bool
            False if the search, the time or a limit is over, or somebody ended it.

        Raises
        ------
        Exception
            What a rule written in Python raised, once; what the search has is valid all the same.
        """
        self._check_idle()
        with self.interrupts:
            self._begin()
            return self._sliced(seconds)

    def _begin(self) -> None:
        """Forget who ended the last step; Ctrl-C while rows were packed still counts."""
        self._stopped = False
        if self._search.take_pressed():
            self.interrupts.pressed = True

    def _sliced(self, seconds: float) -> bool:
        """Take a step; if somebody saves, in slices between which that is done."""
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
        # From here on an interrupt reaches the native step; one that came before is seen below.
        self._busy = True
        try:
            if self._crowded or self._wanted_to_end():
                if self.started:
                    return False
                seconds = 0.0
            self._outcome = None
            self.interrupts.raising = self._own_rule
            improved = self._native_step(seconds)
            self.interrupts.raising = False
            self.started = True
            self._search.raise_failure()
            return improved
        except KeyboardInterrupt:
            # Raised by a handler of the user's own, in a rule or around the native step.
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
        improved = self._search.step(*self.limits.budget(seconds, self._problem))
        if improved or not self.started or self.done or self._wanted_to_end():
            return improved
        if self._search.status == "interrupted" and not self._search.take_pressed():
            # Asked for in the last moment of an earlier step, which had ended anyway.
            left = end - perf_counter()
            return self._search.step(*self.limits.budget(left, self._problem))
        return False

    def _wanted_to_end(self) -> bool:
        """Whether Ctrl-C or the token asks for the end."""
        cancelled = self._cancel is not None and self._cancel.cancelled
        self._stopped = self._stopped or self.interrupts.pressed or cancelled
        return self._stopped

    def _check_idle(self) -> None:
        """Keep out other threads, and rules that ask their own search."""
        if self._busy:
            msg = "the search is taking a step; ask again when the step has ended"
            raise RuntimeError(msg)

    def run(self, seconds: float = inf, listeners: Sequence[Listener] = ()) -> None:
        """Step until the search or the time is over, or somebody ends it.

        Parameters
        ----------
        seconds : float, default=inf
            The most to spend, the listeners' time included.
        listeners : sequence of callable, default=()
            Told of every improvement, in turn; what is true as an answer ends the run.
        """
        end = perf_counter() + seconds - self._saving()
        with self.interrupts:
            self._begin()
            while self._sliced(end + self._saving() - perf_counter()):
                if self.tell(listeners):
                    break

    def _saving(self) -> float:
        """Seconds spent on saving, which no limit counts."""
        return 0.0 if self.saver is None else self.saver.spent

    def tell(self, listeners: Sequence[Listener]) -> bool:
        """Tell listeners of an improvement, and whether one of them ends the run.

        Ctrl-C in code of the user's own raises there, and ends the run as it does elsewhere.
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
        self._check_idle()
        if not self.started:
            self._step(0.0)

    def _ended_by(self) -> str | None:
        if self._crowded:
            return "memory_limit"
        return "interrupted" if self._stopped else None

    def save(self, write: Callable[[bytes], object]) -> None:
        """Hand the state of the search to a function, in pieces; a first step is taken if none was.

        Parameters
        ----------
        write : callable
            Takes bytes.
        """
        self._ensure_tree()
        self._search.save(write)

    def restore(self, read: Callable[[], bytes], preparation: float) -> None:
        """Take the state of a search that was saved, before the first step.

        Parameters
        ----------
        read : callable
            Gives the pieces, and nothing at the end.
        preparation : float
            Seconds of preparation of that search, which its trace goes on from.
        """
        self._search.restore(read)
        self.started = True
        self.preparation = preparation


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
    """Search the best tree of the given depth.

    Parameters
    ----------
    X, codes, sample_weight, n_classes, **settings
        As in `Engine`.
    time_limit : float, default=inf
        Seconds after which the search ends.
    listener : callable, optional
        Called with the engine at every improvement.

    Returns
    -------
    Result
        The tree and its proof.
    """
    engine = Engine(X, codes, sample_weight, n_classes, **settings)
    engine.run(time_limit - engine.preparation, () if listener is None else (listener,))
    return engine.result()

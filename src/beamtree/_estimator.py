"""How an estimator is fitted by a search: the classifier and the policy tree do it alike."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from beamtree._engine.engine import Engine
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import seconds_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.progress import listeners_of, live_line
from beamtree._engine.settings import Callback, Settings
from beamtree._resume.initial_tree import check_settings, make_engine
from beamtree._resume.warm_start import WarmStart
from beamtree._sklearn.callbacks import FitTasks
from beamtree._sklearn.predictor import TreePredictorMixin, restore_features_on_failure
from beamtree._sklearn.unproved import is_unproved, name_of_call, warn_of_fit
from beamtree._table.training_data import TrainingData
from beamtree.alternatives import Alternatives
from beamtree.result import Result

# Most seconds for finding out more about the tests that could be at the root instead.
ALTERNATIVES_SECONDS = 0.1
# Attributes that copies and pickles do not have.
NOT_STORED = ("_warm", "_call")


class SearchEstimatorMixin(TreePredictorMixin):
    """Mixin of an estimator whose `fit` is a search."""

    status_: str
    proof_: str
    alternatives_: Alternatives
    max_depth: int | None
    time_limit: float | None
    callback: Callback | None
    verbose: int

    def _fitted_attributes(self, result: Result, data: TrainingData) -> dict[str, Any]:
        """Return the attributes that follow from the result of a search, by name."""
        raise NotImplementedError

    def _search(
        self,
        names: tuple[str, ...],
        read: Callable[[Settings], TrainingData],
        **arguments: Any,
    ) -> None:
        """Search for the best tree, and take it over.

        Parameters
        ----------
        names : tuple of str
            The settings that are parameters of the estimator.
        read : callable
            Reads the rows of the search, given the settings.
        **arguments
            The arguments of `fit`, for the callbacks of scikit-learn.
        """
        call: str | None = self.__dict__.pop("_call", None)
        with restore_features_on_failure(self):
            self._search_or_fail(names, read, arguments)
        if is_unproved(self.status_, self.time_limit):
            warn_of_fit(self.proof_, self.status_, self.max_depth, call)

    def _search_or_fail(
        self,
        names: tuple[str, ...],
        read: Callable[[Settings], TrainingData],
        arguments: dict[str, Any],
    ) -> None:
        interrupts = Interrupts()
        with interrupts:  # from the start, so that Ctrl-C while data are read gives a tree, too
            begin = perf_counter()
            settings = Settings(**{name: getattr(self, name) for name in names})
            check_settings(settings)
            allowance = MemoryAllowance(settings.memory_limit)
            tasks = FitTasks(self, **arguments)
            data = read(settings)
            engine = self._engine_for(data, settings, allowance, begin, interrupts)
            engine.limits.seconds = seconds_of(settings.time_limit)
            end = begin + engine.limits.seconds
            try:
                self._run(engine, tasks, data, end)
            finally:
                # The estimator is fitted even if a callback or a rule raised an exception.
                left = 0.0 if interrupts.pressed else end - perf_counter()
                self._take(self._fitted_attributes(engine.result(), data))
                self.alternatives_ = engine.alternatives(min(left, ALTERNATIVES_SECONDS))
                if engine.failed:
                    self._forget()
            tasks.finish(dict)
        interrupts.raise_if_pressed(settings.on_interrupt)

    def _engine_for(
        self,
        data: TrainingData,
        settings: Settings,
        allowance: MemoryAllowance,
        begin: float,
        interrupts: Interrupts,
    ) -> Engine:
        """Return a new engine or, for a warm start, the one that was kept."""
        if not settings.warm_start:
            self._forget()
            return make_engine(
                data, settings, allowance=allowance, begin=begin, interrupts=interrupts
            )
        warm = WarmStart(data, settings)
        kept: WarmStart | None = self.__dict__.get("_warm")
        if kept is not None and kept.is_same(warm):
            kept.go_on(settings, begin, interrupts)
        else:
            self._forget()
            kept = warm
            kept.start(allowance, begin, interrupts)
            self._warm = kept
        return kept.engine

    def _run(self, engine: Engine, tasks: FitTasks, data: TrainingData, end: float) -> None:
        listeners = listeners_of(self.callback, self.verbose)
        if tasks.wanted:
            tasks.begin()
            listeners.append(lambda engine: self._next_task(engine, tasks, data))
        with live_line(engine, self.verbose):
            engine.run(end - perf_counter(), listeners)

    def _next_task(self, engine: Engine, tasks: FitTasks, data: TrainingData) -> bool:
        stop = tasks.end(lambda: self._fitted_attributes(engine.result(), data))
        if not stop:
            tasks.begin()
        return stop

    def _take(self, attributes: dict[str, Any]) -> None:
        self.__dict__.pop("problem_", None)  # belongs to the file that it was read from
        for name, value in attributes.items():
            setattr(self, name, value)

    def _forget(self) -> None:
        self.__dict__.pop("_warm", None)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the search that is kept for a warm start.

        An estimator that joblib sends to another process knows for which call it is fitted there.
        """
        everything: Any = super().__getstate__()  # a dict in scikit-learn's estimators
        state = {name: value for name, value in everything.items() if name not in NOT_STORED}
        if (call := name_of_call()) is not None:
            state["_call"] = call
        return state

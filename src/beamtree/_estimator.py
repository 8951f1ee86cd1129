"""How an estimator is fitted by a search: classifier, regressor and policy tree do it alike."""

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
from beamtree._sklearn.attributes import fitted_attributes
from beamtree._sklearn.callbacks import FitTasks
from beamtree._sklearn.predictor import TreePredictorMixin, restore_features_on_failure
from beamtree._sklearn.unproved import name_of_call
from beamtree._table.training_data import TrainingData
from beamtree.alternatives import Alternatives

# Most seconds for finding out more about the tests that could be at the root instead.
ALTERNATIVES_SECONDS = 0.1


class SearchEstimatorMixin(TreePredictorMixin):
    """Mixin of an estimator whose `fit` is a search."""

    alternatives_: Alternatives
    callback: Callback | None
    verbose: int

    def _fit(
        self,
        names: tuple[str, ...],
        read: Callable[[Settings], TrainingData],
        *,
        numbers: bool = False,
        **arguments: Any,
    ) -> None:
        """Search for the best tree, and take it over.

        Parameters
        ----------
        names : tuple of str
            The settings that are parameters of the estimator.
        read : callable
            Reads the rows of the search, given the settings.
        numbers : bool, default=False
            Whether the tree predicts numbers instead of classes.
        **arguments
            The arguments of `fit`, for the callbacks of scikit-learn.
        """
        with restore_features_on_failure(self):
            self._fit_or_fail(names, read, arguments, numbers=numbers)

    def _fit_or_fail(
        self,
        names: tuple[str, ...],
        read: Callable[[Settings], TrainingData],
        arguments: dict[str, Any],
        *,
        numbers: bool,
    ) -> None:
        interrupts = Interrupts()
        with interrupts:  # from the start, so that Ctrl-C while data are read gives a tree, too
            begin = perf_counter()
            settings = Settings(**{name: getattr(self, name) for name in names})
            check_settings(settings, numbers=numbers)
            allowance = MemoryAllowance(settings.memory_limit)
            tasks = FitTasks(self, **arguments)
            data = read(settings)
            engine = self._engine_for(data, settings, allowance, begin, interrupts)
            engine.limits.seconds = seconds_of(settings.time_limit)
            end = begin + engine.limits.seconds
            try:
                self._run(engine, tasks, data, end)
            finally:
                # The estimator is fitted even if a callback, a rule or an objective raised an
                # exception, unless it did so before there was a tree.
                left = 0.0 if interrupts.pressed else end - perf_counter()
                if engine.has_tree:
                    self._take(fitted_attributes(engine.result(), data, self._smoothing))
                    self.alternatives_ = engine.alternatives(min(left, ALTERNATIVES_SECONDS))
                if engine.failed:
                    self._forget()
            tasks.finish(dict)
        interrupts.raise_if_pressed(settings.on_interrupt)

    @property
    def _smoothing(self) -> float | str | None:
        """How the probabilities of leaves are smoothed; only a classifier has some."""
        smoothing: float | str | None = getattr(self, "leaf_smoothing", None)
        return smoothing

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
            smoothing = self._smoothing
            listeners.append(lambda engine: _next_task(engine, tasks, data, smoothing))
        with live_line(engine, self.verbose):
            engine.run(end - perf_counter(), listeners)

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
        state = dict(everything)
        state.pop("_warm", None)
        state.pop("_call", None)
        if (call := name_of_call()) is not None:
            state["_call"] = call
        return state


def _next_task(
    engine: Engine, tasks: FitTasks, data: TrainingData, smoothing: float | str | None
) -> bool:
    stop = tasks.end(lambda: fitted_attributes(engine.result(), data, smoothing))
    if not stop:
        tasks.begin()
    return stop

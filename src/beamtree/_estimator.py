"""How an estimator is fitted by a search: classifier, regressor and policy tree do it alike."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from beamtree._certificate.certificate import check_certifiable, write_certificate
from beamtree._certificate.header import RawRows, table_names
from beamtree._engine.engine import Engine
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import seconds_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.native import Distribute
from beamtree._engine.progress import listeners_of, live_line
from beamtree._engine.settings import PATH, Callback, Settings
from beamtree._resume.initial_tree import check_settings, make_engine
from beamtree._resume.warm_start import WarmStart
from beamtree._sklearn.attributes import fitted_attributes
from beamtree._sklearn.callbacks import FitTasks
from beamtree._sklearn.predictor import TreePredictorMixin, restore_features_on_failure
from beamtree._sklearn.unproved import name_of_call
from beamtree._table.columns import Columns
from beamtree._table.training_data import TrainingData
from beamtree._util.atomic_files import check_folder
from beamtree.alternatives import Alternatives

# Most seconds for finding out more about the tests that could be at the root instead.
ALTERNATIVES_SECONDS = 0.1


class SearchEstimatorMixin(TreePredictorMixin):
    """Mixin of an estimator whose `fit` is a search."""

    alternatives_: Alternatives
    columns_: Columns
    callback: Callback | None
    verbose: int

    def _fit(
        self,
        names: tuple[str, ...],
        read: Callable[[Settings], TrainingData],
        *,
        numbers: bool = False,
        certificate: str | os.PathLike[str] | None = None,
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
        certificate : path or None, default=None
            File in which the proof of the lower bound is written.
        **arguments
            The arguments of `fit`, for the callbacks of scikit-learn.
        """
        with restore_features_on_failure(self):
            self._fit_or_fail(names, read, arguments, numbers=numbers, certificate=certificate)

    def _fit_or_fail(
        self,
        names: tuple[str, ...],
        read: Callable[[Settings], TrainingData],
        arguments: dict[str, Any],
        *,
        numbers: bool,
        certificate: str | os.PathLike[str] | None,
    ) -> None:
        interrupts = Interrupts()
        with interrupts:  # from the start, so that Ctrl-C while data are read gives a tree, too
            begin = perf_counter()
            settings = Settings(**{name: getattr(self, name) for name in names})
            check_settings(settings, numbers=numbers)
            if certificate is not None:
                PATH.check("certificate", certificate)
                check_folder("certificate", Path(certificate))
                check_certifiable(settings, costs=arguments.get("sample_costs") is not None)
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
            if certificate is not None:
                self._certify(certificate, engine, data, arguments)
        interrupts.raise_if_pressed(settings.on_interrupt)

    def _certify(
        self,
        path: str | os.PathLike[str],
        engine: Engine,
        data: TrainingData,
        arguments: dict[str, Any],
    ) -> None:
        """Write the proof of the lower bound, unless Ctrl-C is pressed."""
        X, y, sample_weight = (arguments[name] for name in ("X", "y", "sample_weight"))
        names = table_names(y, sample_weight)
        try:
            write_certificate(
                path, engine, data, RawRows.of(self.columns_, X, sample_weight), names
            )
        except KeyboardInterrupt:
            engine.interrupts.pressed = True
            msg = f"no certificate was written to {str(path)!r}, because the fit was interrupted"
            warnings.warn(msg, UserWarning, stacklevel=5)

    @property
    def _smoothing(self) -> float | str | None:
        """How the probabilities of leaves are smoothed; only a classifier has some."""
        smoothing: float | str | None = getattr(self, "leaf_smoothing", None)
        return smoothing

    @property
    def _distribute(self) -> Distribute | None:
        """What makes a search whose work other processes do; here there are none."""
        return None

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
                data,
                settings,
                allowance=allowance,
                begin=begin,
                interrupts=interrupts,
                distribute=self._distribute,
            )
        warm = WarmStart(data, settings)
        kept: WarmStart | None = self.__dict__.get("_warm")
        if kept is not None and kept.is_same(warm):
            kept.go_on(settings, begin, interrupts)
        else:
            self._forget()
            kept = warm
            kept.start(allowance, begin, interrupts, self._distribute)
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

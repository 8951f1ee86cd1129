"""A search that is kept in memory, so that another fit can continue it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from time import perf_counter

import numpy as np

from beamtree._engine.engine import Engine
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import Limits, threads_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.native import Distribute
from beamtree._engine.settings import Settings
from beamtree._resume.fingerprint import data_fingerprint, plain_settings, same_settings
from beamtree._resume.initial_tree import init_key, make_engine
from beamtree._table.training_data import TrainingData


class WarmStart:
    """A search, with the data and settings that another fit must have to continue it.

    Parameters
    ----------
    data : TrainingData
        The rows.
    settings : Settings
        The settings of the fit.
    """

    engine: Engine

    def __init__(self, data: TrainingData, settings: Settings) -> None:
        self._data = data
        self._classes = data.classes
        self._fingerprint = data_fingerprint(data)
        # A search can only be continued if these are equal. The copy is needed because a rule that
        # the user wrote may change later.
        fixed = settings.identity() | {
            "threads": threads_of(settings.n_jobs, settings.rule),
            "memory_limit": settings.memory_limit,
            "init": init_key(settings.init),
        }
        self._fixed = deepcopy(plain_settings(fixed))
        self._settings = settings

    def is_same(self, other: WarmStart) -> bool:
        """Return whether another fit has the same data and the same settings."""
        return (
            self._fingerprint == other._fingerprint
            and np.array_equal(self._classes, other._classes)
            and same_settings(self._fixed, other._fixed)
        )

    def start(
        self,
        allowance: MemoryAllowance,
        begin: float,
        interrupts: Interrupts,
        distribute: Distribute | None,
    ) -> None:
        """Make the engine, over copies of rows that the user could change in the meantime."""
        data = self._data
        weight = data.sample_weight
        own = replace(
            data,
            X=data.X.copy() if isinstance(data.X, np.ndarray) and data.is_shared else data.X,
            sample_weight=None if weight is None else weight.copy(),
        )
        self.engine = make_engine(
            own,
            self._settings,
            allowance=allowance,
            begin=begin,
            interrupts=interrupts,
            distribute=distribute,
        )
        del self._data, self._settings

    def go_on(self, settings: Settings, begin: float, interrupts: Interrupts) -> None:
        """Prepare the engine for another fit, which has its own limits."""
        engine = self.engine
        engine.limits = Limits(settings.node_limit, settings.gap_limit)
        engine.obey(settings.cancel, interrupts)
        engine.last_preparation = perf_counter() - begin

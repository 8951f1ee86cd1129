"""A search that is kept from one fit to the next."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from beamtree._engine.engine import Engine
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.limits import Limits, threads_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._resume.fingerprint import data_fingerprint, plain_settings, same_settings
from beamtree._resume.initial_tree import init_key
from beamtree._resume.parameters import PROBLEM_PARAMETERS, make_engine
from beamtree._table.training_rows import TrainingData


class WarmStart:
    """The data and parameters of a search, by which another fit may go on with it.

    Parameters
    ----------
    data : TrainingData
        The rows.
    values : dict
        All parameters of a search.
    """

    engine: Engine

    def __init__(self, data: TrainingData, values: dict[str, Any]) -> None:
        self._data = data
        self._classes = data.classes
        self._fingerprint = data_fingerprint(data)
        # What cannot change while a search goes on. A rule of the user's own may change later.
        settings = {name: values[name] for name in PROBLEM_PARAMETERS}
        settings["threads"] = threads_of(values["n_jobs"], values["rule"])
        settings["memory_limit"] = values["memory_limit"]
        settings["init"] = init_key(values["init"])
        self._settings = deepcopy(plain_settings(settings))
        self._values = values

    def is_same(self, other: WarmStart) -> bool:
        """Tell whether another fit is of the same data and the same problem."""
        return (
            self._fingerprint == other._fingerprint
            and np.array_equal(self._classes, other._classes)
            and same_settings(self._settings, other._settings)
        )

    def start(self, allowance: MemoryAllowance, begin: float, interrupts: Interrupts) -> None:
        """Make the engine, on rows that nobody else can change before it goes on."""
        data = self._data
        weight = data.sample_weight
        own = replace(
            data,
            X=data.X.copy() if data.is_shared else data.X,
            sample_weight=None if weight is None else weight.copy(),
        )
        self.engine = make_engine(
            own, self._values, allowance=allowance, begin=begin, interrupts=interrupts
        )
        del self._data, self._values

    def go_on(self, values: dict[str, Any], begin: float, interrupts: Interrupts) -> None:
        """Prepare the engine for another fit, with limits of its own."""
        engine = self.engine
        engine.limits = Limits(values["node_limit"], values["gap_limit"])
        engine.obey(values["cancel"], interrupts)
        engine.last_preparation = perf_counter() - begin

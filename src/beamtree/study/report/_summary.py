"""Compute the numbers of the report from the runs.

A *group* holds all runs of one depth and one budget, like one of the paper's tables. A *problem* is
a dataset at a depth. Runs that differ only in the seed are averaged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from beamtree.metrics import primal_integral
from beamtree.study.report._styles import order
from beamtree.study.store import Run

Floats = NDArray[np.float64]
Problem = tuple[str, int]

# The times of the tables, as fractions of the budget. Those of the paper are 15, 30, 60, 120, 240
# and 300 s.
FRACTIONS = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.0])
# The latest and the earliest second at which an axis of time begins.
START, LEAST = 0.01, 1e-4
# The paper's tables leave out the datasets that dl85 proves within these seconds.
QUICK = 1.0
# Objectives whose relative difference is not larger than this count as equal.
TOLERANCE = 1e-9


def less(one: float, other: float) -> bool:
    """Return whether an objective is less than another by more than rounding errors."""
    return one < other - TOLERANCE * max(abs(one), abs(other), 1.0)


def final(run: Run) -> float:
    """Return the objective of a run's last tree, or infinity if it has none.

    A run that failed has no tree, whatever it reported. A run that was killed could not be
    rescored, so its last report counts.
    """
    if run.status == "failed":
        return inf
    if run.objective is not None:
        return run.objective
    return min((row[1] for row in run.trace), default=inf)


def rescored(run: Run) -> float:
    """Return the objective of a run's last tree if it was rescored, else infinity."""
    return inf if run.status == "killed" else final(run)


def curve(run: Run) -> list[tuple[float, float, float]]:
    """Return the improvements of a run as rows of seconds, objective and lower bound.

    If the last tree, rescored, is worse than an earlier report, that report is not believed: no
    objective in the curve is less than that of the last tree. The last tree counts from the end of
    the run, or from the end of the budget if that is earlier.
    """
    last = final(run)
    if last == inf:
        return []
    end = min(run.seconds, run.budget)
    rows = [(row[0], max(row[1], last), row[2]) for row in run.trace if row[0] <= end]
    return [*rows, (end, last, run.lower_bound)]


def proves(run: Run, best: float) -> bool:
    """Return whether a run proved the optimum within its budget; refuted claims do not count."""
    return run.status == "optimal" and not less(best, final(run)) and run.seconds <= run.budget


@dataclass(frozen=True)
class Group:
    """The runs of a depth and a budget.

    Parameters
    ----------
    depth : int
        The depth.
    budget : float
        Seconds that a run may take.
    runs : dict
        The runs of each system and dataset, one per seed.
    best : dict
        The best known objective of each dataset.
    quick : frozenset
        The datasets that dl85 proves in less than a second.
    """

    depth: int
    budget: float
    runs: dict[tuple[str, str], list[Run]]
    best: dict[str, float]
    quick: frozenset[str]

    @property
    def name(self) -> str:
        """The name of the group in names of files."""
        return f"depth-{self.depth}-{self.budget:g}s"

    @property
    def title(self) -> str:
        """The name of the group in texts."""
        return f"depth {self.depth}, {self.budget:g} s"

    @cached_property
    def systems(self) -> list[str]:
        """The systems, in the order of the paper's tables."""
        return sorted({system for system, _ in self.runs}, key=order)

    @cached_property
    def datasets(self) -> list[str]:
        """The datasets, in alphabetic order."""
        return sorted({dataset for _, dataset in self.runs})

    @property
    def times(self) -> list[float]:
        """The times of the tables."""
        return [float(f"{time:.6g}") for time in self.budget * FRACTIONS]

    @cached_property
    def integrals(self) -> dict[tuple[str, str], Floats]:
        """P(T) / T of each system and dataset, at each of the times."""
        return {
            (system, dataset): np.mean([self.shares(run) for run in runs], axis=0)
            for (system, dataset), runs in self.runs.items()
        }

    def shares(self, run: Run) -> Floats:
        """Return P(T) / T of a run, at each of the times."""
        times, best = np.array(self.times), self.best[run.dataset]
        # Only the reports of a killed run can be below the best, because they are not rescored.
        rows = [(seconds, max(objective, best), bound) for seconds, objective, bound in curve(run)]
        shares: Floats = primal_integral(rows, best, times) / times
        return shares

    def missing(self, datasets: Iterable[str]) -> dict[str, list[str]]:
        """Return the missing datasets of each system that has no run on some of the datasets."""
        holes = {
            system: [dataset for dataset in datasets if (system, dataset) not in self.runs]
            for system in self.systems
        }
        return {system: names for system, names in holes.items() if names}

    def complete(self, datasets: Iterable[str]) -> list[str]:
        """Return those of the datasets on which all systems have a run."""
        return [
            dataset
            for dataset in datasets
            if all((system, dataset) in self.runs for system in self.systems)
        ]

    def first_trees(self) -> list[float]:
        """Return the seconds after which each run had its first tree."""
        curves = (curve(run) for runs in self.runs.values() for run in runs)
        return [rows[0][0] for rows in curves if rows]

    def start(self, times: Iterable[float]) -> float:
        """Return the start of an axis of time that shows events at the given times."""
        return max(min([START, self.budget / 100.0, *times]), LEAST)

    def mean(self, system: str, datasets: Sequence[str]) -> Floats:
        """Return 100 times the mean of P(T) / T over those datasets that a system has run on."""
        shares = [
            self.integrals[system, dataset]
            for dataset in datasets
            if (system, dataset) in self.runs
        ]
        mean: Floats = 100.0 * np.mean(shares, axis=0)
        return mean

    def proofs(
        self, system: str, datasets: frozenset[str] | None = None
    ) -> list[tuple[float, float]]:
        """Return the number of datasets proved by a system over time, averaged over the seeds."""
        counts = [
            (run.seconds, 1.0 / len(runs))
            for (name, dataset), runs in self.runs.items()
            for run in runs
            if name == system
            and (datasets is None or dataset in datasets)
            and proves(run, self.best[dataset])
        ]
        seconds = sorted(counts)
        totals = np.cumsum([count for _, count in seconds]).tolist()
        return [(time, total) for (time, _), total in zip(seconds, totals, strict=True)]


class Summary:
    """All runs of a campaign.

    Parameters
    ----------
    runs : list of Run
        The runs.

    Attributes
    ----------
    best : dict
        The best known objective of each dataset and depth, over all budgets and all trees that were
        rescored; infinity if there is no such tree.
    groups : list of Group
        The groups, sorted by depth and budget.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = sorted(
            runs, key=lambda run: (run.depth, run.budget, run.dataset, order(run.system), run.seed)
        )
        self.best = self._best()
        self.groups = self._groups()

    def _best(self) -> dict[Problem, float]:
        best: dict[Problem, float] = {}
        for run in self.runs:
            problem = run.dataset, run.depth
            best[problem] = min(best.get(problem, inf), rescored(run))
        return best

    def _groups(self) -> list[Group]:
        quick = {
            (run.dataset, run.depth)
            for run in self.runs
            if run.system == "dl85"
            and run.seconds < QUICK
            and proves(run, self.best[run.dataset, run.depth])
        }
        found: dict[tuple[int, float], dict[tuple[str, str], list[Run]]] = {}
        for run in self.runs:
            group = found.setdefault((run.depth, run.budget), defaultdict(list))
            group[run.system, run.dataset].append(run)
        return [
            Group(
                depth,
                budget,
                dict(group),
                {name: value for (name, at), value in self.best.items() if at == depth},
                frozenset(name for name, at in quick if at == depth),
            )
            for (depth, budget), group in found.items()
        ]

    @property
    def systems(self) -> list[str]:
        """All systems, in the order of the paper's tables."""
        return sorted({run.system for run in self.runs}, key=order)

    def proven(self, problem: Problem) -> bool:
        """Return whether a run has proved that the best known objective is the optimum."""
        return any(
            proves(run, self.best[problem])
            for run in self.runs
            if (run.dataset, run.depth) == problem
        )

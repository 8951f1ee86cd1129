"""From runs to numbers.

A *group* is all runs of one depth and one budget: what one of the paper's tables is about. Runs
that differ only in the seed are averaged.
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

# Of the budget. The paper's times are 15, 30, 60, 120, 240 and 300 s.
FRACTIONS = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.0])
# Seconds at which the axes of time begin: at the latest, and at the earliest.
START, LEAST = 0.01, 1e-4
# Seconds in which dl85 proves what the paper's tables leave out.
QUICK = 1.0
# Share of a number by which floats may differ and be the same objective.
TOLERANCE = 1e-9


def less(one: float, other: float) -> bool:
    """Tell whether an objective is less than another, beyond the rounding of floats."""
    return one < other - TOLERANCE * max(abs(one), abs(other), 1.0)


def final(run: Run) -> float:
    """Return the objective of a run's last tree, infinity without one.

    A run that failed has none, whatever it told. One that was killed could not be rescored: what
    it told last is taken.
    """
    if run.status == "failed":
        return inf
    if run.objective is not None:
        return run.objective
    return min((row[1] for row in run.trace), default=inf)


def rescored(run: Run) -> float:
    """Return the objective of a run's last tree if it was counted from the rows, else infinity."""
    return inf if run.status == "killed" else final(run)


def curve(run: Run) -> list[tuple[float, float, float]]:
    """Return what a run had when: seconds, objective, lower bound.

    Where the last tree, rescored, is worse than what was told on the way, the reports are not
    believed: no objective counts as less than that tree's. The last tree counts when the run
    ends, at the latest when its budget does.
    """
    last = final(run)
    if last == inf:
        return []
    end = min(run.seconds, run.budget)
    rows = [(row[0], max(row[1], last), row[2]) for row in run.trace if row[0] <= end]
    return [*rows, (end, last, run.lower_bound)]


def proves(run: Run, best: float) -> bool:
    """Tell whether a run proved the optimum in its budget; a refuted claim does not count."""
    return run.status == "optimal" and not less(best, final(run)) and run.seconds <= run.budget


@dataclass(frozen=True)
class Group:
    """The runs of a depth and a budget.

    Parameters
    ----------
    depth : int
        The depth.
    budget : float
        Seconds a run.
    runs : dict
        The runs of each system and dataset, one a seed.
    best : dict
        The best objective known of each dataset.
    quick : frozenset
        The datasets that dl85 proves in under a second.
    """

    depth: int
    budget: float
    runs: dict[tuple[str, str], list[Run]]
    best: dict[str, float]
    quick: frozenset[str]

    @property
    def name(self) -> str:
        """Its name in the names of files."""
        return f"depth-{self.depth}-{self.budget:g}s"

    @property
    def title(self) -> str:
        """Its name in words."""
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
        """P(T) / T of each system and dataset, for each of the times."""
        return {
            (system, dataset): np.mean([self.shares(run) for run in runs], axis=0)
            for (system, dataset), runs in self.runs.items()
        }

    def shares(self, run: Run) -> Floats:
        """Return P(T) / T of a run, for each of the times."""
        times, best = np.array(self.times), self.best[run.dataset]
        # Only a run that was killed may have told of something better, which nobody counted.
        rows = [(seconds, max(objective, best), bound) for seconds, objective, bound in curve(run)]
        shares: Floats = primal_integral(rows, best, times) / times
        return shares

    def missing(self, datasets: Iterable[str]) -> dict[str, list[str]]:
        """Return the datasets that systems have no run of; no entry for a system that has all."""
        holes = {
            system: [dataset for dataset in datasets if (system, dataset) not in self.runs]
            for system in self.systems
        }
        return {system: names for system, names in holes.items() if names}

    def complete(self, datasets: Iterable[str]) -> list[str]:
        """Return those of the datasets that all systems have a run of."""
        return [
            dataset
            for dataset in datasets
            if all((system, dataset) in self.runs for system in self.systems)
        ]

    def first_trees(self) -> list[float]:
        """Return when each run had its first tree."""
        curves = (curve(run) for runs in self.runs.values() for run in runs)
        return [rows[0][0] for rows in curves if rows]

    def start(self, times: Iterable[float]) -> float:
        """Return where an axis of time begins that shows events at these times."""
        return max(min([START, self.budget / 100.0, *times]), LEAST)

    def mean(self, system: str, datasets: Sequence[str]) -> Floats:
        """Return 100 times the mean of P(T) / T over those of the datasets that a system has."""
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
        """Return when a system has proved how many of some datasets; with seeds, on average."""
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
        The best objective known of each dataset and depth, over all budgets, of trees that were
        rescored; infinity without one.
    groups : list of Group
        By depth and budget.
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
        """Tell whether some run proved that the best known is the optimum."""
        return any(
            proves(run, self.best[problem])
            for run in self.runs
            if (run.dataset, run.depth) == problem
        )

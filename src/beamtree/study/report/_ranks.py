"""Compare systems in pairs and by average ranks, and test whether differences could be chance.

The method is that of Demsar (2006), Statistical comparisons of classifiers over multiple data sets:
the average ranks of Friedman's test, and Nemenyi's critical difference between two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isclose, sqrt
from typing import NamedTuple

import numpy as np

from beamtree.study.report._styles import order
from beamtree.study.report._summary import Group, Problem

# With fewer problems than this, ranks say little.
FEW = 5
LEVEL = 0.05


class Score(NamedTuple):
    """The numbers of problems on which a system is better than another, equal, and worse."""

    better: int
    equal: int
    worse: int


@dataclass(frozen=True)
class Ranks:
    """Average ranks of systems.

    Parameters
    ----------
    systems : tuple of str
        The systems, best first.
    ranks : tuple of float
        The average ranks of the systems; 1 is the best.
    problems : int
        Number of problems (a dataset at a depth) that all systems have runs on.
    distance : float
        Nemenyi's critical difference at the level 0.05.
    p_value : float
        The p value of Friedman's test, whose hypothesis is that all systems are equally good.
    """

    systems: tuple[str, ...]
    ranks: tuple[float, ...]
    problems: int
    distance: float
    p_value: float

    @property
    def cliques(self) -> list[tuple[int, int]]:
        """First and last index of each group of systems that do not differ significantly."""
        spans: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            last = max(i for i, other in enumerate(self.ranks) if other - rank <= self.distance)
            if last > first and (not spans or last > spans[-1][1]):
                spans.append((first, last))
        return spans


def integrals(groups: Sequence[Group]) -> dict[tuple[str, Problem], float]:
    """Return P(T) / T at the end of the budget, of each system on each problem."""
    return {
        (system, (dataset, group.depth)): float(shares[-1])
        for group in groups
        for (system, dataset), shares in group.integrals.items()
    }


def scores(groups: Sequence[Group]) -> dict[tuple[str, str], Score]:
    """Compare all pairs of systems by the primal integral, on the problems that both have runs on.

    Parameters
    ----------
    groups : sequence of Group
        Groups of one budget.

    Returns
    -------
    dict
        The score for each pair of systems, from the view of the first.
    """
    values = integrals(groups)
    systems = sorted({system for system, _ in values}, key=order)
    problems = {problem for _, problem in values}
    found = {}
    for one in systems:
        for other in systems:
            pairs = [
                (values[one, problem], values[other, problem])
                for problem in problems
                if (one, problem) in values and (other, problem) in values
            ]
            equal = sum(isclose(mine, theirs, rel_tol=1e-9) for mine, theirs in pairs)
            better = sum(
                mine < theirs and not isclose(mine, theirs, rel_tol=1e-9) for mine, theirs in pairs
            )
            found[one, other] = Score(better, equal, len(pairs) - equal - better)
    return found


def average_ranks(groups: Sequence[Group]) -> Ranks | None:
    """Rank the systems by the primal integral, on the problems that all have runs on.

    Parameters
    ----------
    groups : sequence of Group
        Groups of one budget.

    Returns
    -------
    Ranks or None
        The ranks; None if there are fewer than two systems, or no problem that all have runs on.
    """
    # Imported here because it is slow, and the processes of the runs import this package too.
    from scipy.stats import rankdata

    values = integrals(groups)
    systems = sorted({system for system, _ in values}, key=order)
    problems = [
        problem
        for problem in sorted({problem for _, problem in values})
        if all((system, problem) in values for system in systems)
    ]
    if len(systems) < 2 or not problems:
        return None
    table = np.array([[values[system, problem] for system in systems] for problem in problems])
    ranked = np.array([rankdata(np.round(row, 12)) for row in table])
    means = ranked.mean(axis=0)
    best = np.argsort(means, kind="stable")
    return Ranks(
        tuple(systems[i] for i in best),
        tuple(float(means[i]) for i in best),
        len(problems),
        critical_difference(len(systems), len(problems)),
        _friedman(ranked),
    )


def critical_difference(systems: int, problems: int) -> float:
    """Return Nemenyi's critical difference of average ranks.

    Parameters
    ----------
    systems, problems : int
        Numbers of systems and problems.

    Returns
    -------
    float
        Average ranks that are farther apart than this differ at the level 0.05.

    Examples
    --------
    >>> from beamtree.study.report._ranks import critical_difference
    >>> round(critical_difference(5, 30), 2)  # Demsar: 2.728 * sqrt(5 * 6 / (6 * 30))
    1.11
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1.0 - LEVEL, systems, inf)) / sqrt(2.0)
    return quantile * sqrt(systems * (systems + 1) / (6.0 * problems))


def _friedman(ranked: np.ndarray) -> float:
    """Return the p value of Friedman's test with ties; 1 if all ranks are equal."""
    from scipy.stats import chi2

    problems, systems = ranked.shape
    spread = float(((ranked - (systems + 1) / 2.0) ** 2).sum()) / (systems - 1)
    if spread == 0.0:
        return 1.0
    between = problems**2 * float(((ranked.mean(axis=0) - (systems + 1) / 2.0) ** 2).sum())
    return float(chi2.sf(between / spread, systems - 1))

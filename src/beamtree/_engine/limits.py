"""Limits on nodes, gap and time, and the number of threads."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

from beamtree import _core
from beamtree._engine.strategy import RuleLike
from beamtree.rules import Both, Rule

if TYPE_CHECKING:
    from beamtree._engine.integer_weights import IntegerProblem

NO_LIMIT = 2**63 - 1
MOST_THREADS_PER_CORE = 4


@dataclass
class Limits:
    """The limits of a search.

    Parameters
    ----------
    nodes : int or None, default=None
        Largest number of nodes of the whole search; None for no limit.
    gap : float, default=0.0
        Gap at which the search ends.
    seconds: float, default=inf
        The time limit that the user gave. It only serves to describe the result: every step of the
        engine is given the seconds that are left.
    """

    nodes: int | None = None
    gap: float = 0.0
    seconds: float = inf

    def budget(self, seconds: float, problem: IntegerProblem) -> tuple[float, int, float, int]:
        """Return the limits of a step of the core: seconds, nodes, gap and slack.

        The slack is a cost by which the upper and the lower bound must be closer than the gap
        demands. If weights were rounded, the rounding may have changed the objective, the bound
        and the objective of which the gap is a share; the slack covers the worst case. It also
        covers the part of the objective that the core does not see.
        """
        gap = float(self.gap)
        slack = (1.0 + gap) * problem.rounding + 2.0 * problem.noise - gap * problem.offset
        slack *= problem.unit * problem.scale
        nodes = NO_LIMIT if self.nodes is None else min(int(self.nodes), NO_LIMIT)
        return max(seconds, 0.0), nodes, gap, ceil(slack) if slack < NO_LIMIT else NO_LIMIT // 2


def seconds_of(time_limit: float | None) -> float:
    """Return a time limit as a number, infinity for None."""
    return inf if time_limit is None else float(time_limit)


def threads_of(n_jobs: int | None, rule: RuleLike) -> int:
    """Return the number of threads for a search.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn: None is 1 unless ``joblib.parallel_config`` sets another number, -1 is
        all cores, -2 all cores except one. Unlike in scikit-learn, processes of a pool use this
        number of threads, too.
    rule : rule, str or None
        The rule; a rule that is written in Python runs on one thread.

    Returns
    -------
    int
        At least 1, and at most four times the number of cores.
    """
    import joblib

    if is_own(rule):
        return 1
    cores = int(joblib.cpu_count())
    jobs = int(joblib.effective_n_jobs(None) if n_jobs is None else n_jobs)
    if jobs < 0:
        jobs = max(cores + 1 + jobs, 1)
    most: int = _core.OPTIONS["threads"].most
    return min(jobs, MOST_THREADS_PER_CORE * cores, most)


def is_own(rule: RuleLike) -> bool:
    """Return whether a rule is written in Python by the user, or contains such a rule."""
    parts = rule.parts if isinstance(rule, Both) else (rule,)
    return any(isinstance(part, Rule) for part in parts)

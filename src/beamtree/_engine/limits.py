"""When a search has done enough, and with what it may work."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

from beamtree._engine.strategy import RuleLike
from beamtree.rules import Both, Rule

if TYPE_CHECKING:
    from beamtree._engine.integer_weights import IntegerProblem

NO_LIMIT = 2**63 - 1
# Threads that the core takes, and those that a core of the machine gets at most.
MOST_THREADS = 1024
MOST_THREADS_A_CORE = 4


@dataclass
class Limits:
    """What ends a search, beside the clock.

    Parameters
    ----------
    nodes : int or None, default=None
        Nodes of the whole search; None for no limit.
    gap : float, default=0.0
        Gap at which it has done enough.
    """

    nodes: int | None = None
    gap: float = 0.0

    def budget(self, seconds: float, problem: IntegerProblem) -> tuple[float, int, float, int]:
        """Return what the native step takes: seconds, nodes, gap and slack.

        With rounded weights both the objective and the bound may be off by the rounding, and so
        may be the objective that the gap is a share of: the slack makes up for the worst case. So
        does it for a part of the objective that the search does not see.
        """
        gap = float(self.gap)
        slack = (2.0 + gap) * problem.rounding + 2.0 * problem.noise - gap * problem.offset
        slack *= problem.unit * problem.scale
        nodes = NO_LIMIT if self.nodes is None else min(int(self.nodes), NO_LIMIT)
        return max(seconds, 0.0), nodes, gap, ceil(slack) if slack < NO_LIMIT else NO_LIMIT // 2


def seconds_of(time_limit: float | None) -> float:
    """Return a time limit as a number."""
    return inf if time_limit is None else float(time_limit)


def threads_of(n_jobs: int | None, rule: RuleLike) -> int:
    """Return the number of threads for a search.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn: None is 1 unless ``joblib.parallel_config`` says otherwise, -1 all
        cores, -2 all but one. Unlike scikit-learn's, these are threads in every process, also
        in those of a pool.
    rule : rule, str or None
        The rule; one that is written in Python runs on one thread.

    Returns
    -------
    int
        At least 1, and at most four times the cores.
    """
    import joblib

    if is_own(rule):
        return 1
    cores = int(joblib.cpu_count())
    jobs = int(joblib.effective_n_jobs(None) if n_jobs is None else n_jobs)
    if jobs < 0:
        jobs = max(cores + 1 + jobs, 1)
    return min(jobs, MOST_THREADS_A_CORE * cores, MOST_THREADS)


def is_own(rule: RuleLike) -> bool:
    """Tell whether a rule is one of the user's own, or holds one."""
    parts = rule.parts if isinstance(rule, Both) else (rule,)
    return any(isinstance(part, Rule) for part in parts)

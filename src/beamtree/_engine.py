"""The way into the search: arrays in, improvements and one `Result` out."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._outcome import Improvement, improvements, trace, verdict
from beamtree._recount import Recounted, recount
from beamtree._strategy import (
    HeuristicLike,
    RuleLike,
    ScheduleLike,
    heuristic_options,
    rule_parts,
    schedule_options,
)
from beamtree._weights import integer_problem
from beamtree.result import Incumbent, Result

# Told of every improvement: seconds, nodes, objective, lower bound, restart, threshold.
Listener = Callable[[float, int, float, float, int, float], None]
NO_LIMIT = 2**63 - 1


class Engine:
    """A search over encoded rows; the only caller of the native search.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_features)
        Zeros and ones, C-contiguous.
    codes : ndarray of int32, shape (n_rows,)
        Classes, from 0 to ``n_classes - 1``.
    sample_weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows, at least 0 and not all 0; None for weights of 1.
    n_classes : int
        Number of classes.
    max_depth, min_samples_leaf, leaf_penalty, schedule, heuristic, exact_levels, node_limit
        As in `OptimalTreeClassifier`.
    rule : rule, str or None, default=None
        As in `OptimalTreeClassifier`, but for the default.
    **switches
        Further attributes of ``_core.Options``: the kernel, and the parts of the search that
        tests and ablations switch on and off.
    """

    def __init__(
        self,
        X: NDArray[np.uint8],
        codes: NDArray[np.int32],
        sample_weight: NDArray[np.float64] | None,
        n_classes: int,
        *,
        max_depth: int,
        min_samples_leaf: int = 1,
        leaf_penalty: float = 0.0,
        rule: RuleLike = None,
        schedule: ScheduleLike = "luby",
        heuristic: HeuristicLike = "auto",
        exact_levels: int = 3,
        node_limit: int | None = None,
        **switches: Any,
    ) -> None:
        begin = perf_counter()
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        if weight.min() == 0.0:
            kept = weight > 0.0
            X, codes, weight = X[kept], codes[kept], weight[kept]
        problem = integer_problem(weight, leaf_penalty, max_depth)
        parts, rule_switches = rule_parts(rule)
        settings = {
            "max_depth": max_depth,
            "min_samples_leaf": min(min_samples_leaf, len(X) + 1),  # more: no split, all the same
            "unit": problem.unit,
            "penalty": problem.penalty,
            "exact_levels": exact_levels,
            **schedule_options(schedule),
            **heuristic_options(heuristic),
            **rule_switches,
            **switches,
        }
        options = _core.Options()
        for name, setting in settings.items():
            setattr(options, name, setting)

        self._rows = (X, codes, weight, n_classes)
        self._leaf_penalty = float(leaf_penalty)
        self._problem = problem
        self._search = _core.Search(
            X, codes, problem.weight, n_classes, options, parts, problem.scale
        )
        self._nodes = NO_LIMIT if node_limit is None else min(node_limit, NO_LIMIT)
        self._outcome: _core.Outcome | None = None
        self._recounted: tuple[int, Recounted] | None = None
        self._busy = False
        self._interrupted = False
        # Whether a step was taken, so that there is a tree.
        self.started = False
        # Seconds until the search could begin, which the native search does not count.
        self.preparation = perf_counter() - begin

    @property
    def done(self) -> bool:
        """Whether no step will change anything any more."""
        return self._search.done

    def step(self, seconds: float = inf) -> bool:
        """Search until the next improvement, and tell whether there was one.

        Parameters
        ----------
        seconds : float, default=inf
            The most to spend. The first step gives a greedy tree even without time.

        Returns
        -------
        bool
            False if the search or the time is over.

        Raises
        ------
        Exception
            What a rule written in Python raised, once; what the search has is valid all the same.
        """
        self._interrupted = False
        return self._step(seconds)

    def _step(self, seconds: float) -> bool:
        self._check_idle()
        self._busy = True
        try:
            self._outcome = None
            improved = self._search.step(max(seconds, 0.0), self._nodes)
            self.started = True
            self._search.raise_failure()
            return improved
        except KeyboardInterrupt:
            # Pressed while Python was running, in a rule or around the native step.
            self._interrupted = True
            return False
        finally:
            self._busy = False

    def _check_idle(self) -> None:
        """Keep out other threads, and rules that ask their own search."""
        if self._busy:
            msg = "the search is taking a step; ask again when the step has ended"
            raise RuntimeError(msg)

    def run(self, seconds: float = inf, listener: Listener | None = None) -> None:
        """Step until the search or the time is over.

        Parameters
        ----------
        seconds : float, default=inf
            The most to spend, the listener's time included.
        listener : callable, optional
            Told of every improvement.
        """
        end = perf_counter() + seconds
        try:
            while self.step(end - perf_counter()):
                if listener is not None:
                    listener(*self._improvements(-1)[0])
        except KeyboardInterrupt:
            self._interrupted = True

    @property
    def outcome(self) -> _core.Outcome:
        """What the search has now; the first step is taken if none was."""
        if not self.started:
            self._step(0.0)
        if self._outcome is None:
            self._check_idle()
            self._outcome = self._search.outcome()
        return self._outcome

    def verdict(self) -> tuple[str, float]:
        """Return the status and the lower bound."""
        status, lower_bound = verdict(self.outcome, self._problem, self._tree().objective)
        if self._interrupted and not self.done and status in ("running", "time_limit"):
            status = "interrupted"
        return status, lower_bound

    def incumbent(self) -> Incumbent:
        """Return the best tree so far, and when and how it was found."""
        found = self._tree()
        seconds, nodes, _, _, restart, threshold = self._improvements(-1)[0]
        _, lower_bound = self.verdict()
        return Incumbent(
            seconds=seconds,
            nodes=nodes,
            objective=found.objective,
            lower_bound=lower_bound,
            n_errors=found.n_errors,
            restart=restart,
            threshold=threshold,
            tree=found.tree,
        )

    def result(self) -> Result:
        """Return the best tree so far, and what is known of the best of all."""
        outcome, found = self.outcome, self._tree()
        status, lower_bound = self.verdict()
        return Result(
            status=status,
            objective=found.objective,
            lower_bound=lower_bound,
            n_errors=found.n_errors,
            rounding=self._problem.rounding,
            tree=found.tree,
            trace=trace(self._improvements(), outcome, found.objective, lower_bound),
            statistics=dict(outcome.statistics),
            cost=outcome.cost,
            lower=outcome.lower,
        )

    def _improvements(self, start: int = 0) -> list[Improvement]:
        return improvements(self.outcome, self._problem, self.preparation, start)

    def _tree(self) -> Recounted:
        """Recount the tree, if it is not the one that was recounted last: trees only get better."""
        outcome = self.outcome
        if self._recounted is None or self._recounted[0] != outcome.cost:
            found = recount(*self._rows, outcome, self._leaf_penalty)
            self._recounted = (outcome.cost, found)
        return self._recounted[1]


def run(
    X: NDArray[np.uint8],
    codes: NDArray[np.int32],
    sample_weight: NDArray[np.float64] | None,
    n_classes: int,
    *,
    time_limit: float = inf,
    listener: Listener | None = None,
    **settings: Any,
) -> Result:
    """Search the best tree of the given depth.

    Parameters
    ----------
    X, codes, sample_weight, n_classes, **settings
        As in `Engine`.
    time_limit : float, default=inf
        Seconds after which the search ends.
    listener : callable, optional
        Called with seconds, nodes, objective, lower bound, restart and threshold at every
        improvement.

    Returns
    -------
    Result
        The tree and its proof.
    """
    engine = Engine(X, codes, sample_weight, n_classes, **settings)
    engine.run(time_limit - engine.preparation, listener)
    return engine.result()

"""What a search answers when it is asked how it stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_weights import IntegerProblem
from beamtree._engine.outcome import Improvement, Progress, improvements, trace, verdict
from beamtree._engine.recount import Recounted, recount
from beamtree._table.columns import Columns
from beamtree._table.split_tests import Tests
from beamtree.alternatives import Alternatives
from beamtree.result import Incumbent, Result


class Answers(ABC):
    """The answers of an engine, in real units and with trees that are recounted.

    Parameters
    ----------
    search : _core.Search
        The native search.
    rows : tuple
        X, codes, weights and the number of classes.
    problem : IntegerProblem
        What the integers of the search stand for.
    leaf_penalty : float
        Price of a leaf, as a share of the total weight.
    cost_matrix : ndarray of float64, shape (n_classes, n_classes), or None
        Costs of mistakes.
    preparation : float
        Seconds until the search could begin, which the native search does not count.
    columns : Columns, optional
        The columns of the table.
    tests : Tests, optional
        What the features of the rows are in these columns.
    """

    def __init__(
        self,
        search: _core.Search,
        rows: tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.float64], int],
        problem: IntegerProblem,
        leaf_penalty: float,
        cost_matrix: NDArray[np.float64] | None,
        preparation: float,
        columns: Columns | None = None,
        tests: Tests | None = None,
    ) -> None:
        self._search = search
        self._rows = rows
        self._problem = problem
        self._leaf_penalty = leaf_penalty
        self._columns, self._tests = columns, tests
        self._cost_matrix = cost_matrix
        self._outcome: _core.Outcome | None = None
        self._recounted: tuple[int, Recounted] | None = None
        # Those of the last preparations, which are others if an engine is used again, go into the
        # statistics.
        self.preparation = self.last_preparation = preparation

    @abstractmethod
    def _ensure_tree(self) -> None:
        """Take the first step, if none was taken; raise a RuntimeError during a step."""

    @abstractmethod
    def _ended_by(self) -> str | None:
        """Return the status, where the native search does not know it."""

    @property
    def outcome(self) -> _core.Outcome:
        """What the search has now; the first step is taken if none was."""
        self._ensure_tree()
        if self._outcome is None:
            self._outcome = self._search.outcome()
        return self._outcome

    def progress(self) -> Progress:
        """Return how far the search is, from any thread, even while it takes a step."""
        return Progress.of(self._search.progress(), self._problem, self.preparation)

    def verdict(self) -> tuple[str, float]:
        """Return the status and the lower bound."""
        status, lower_bound = verdict(self.outcome, self._problem, self._tree().objective)
        if self.outcome.lower < self.outcome.cost and not self._search.done:
            status = self._ended_by() or status
        return status, lower_bound

    @property
    def improvement(self) -> Improvement:
        """The last improvement, in real units."""
        return self._improvements(-1)[0]

    def incumbent(self) -> Incumbent:
        """Return the best tree so far, and when and how it was found."""
        found = self._tree()
        seconds, nodes, _, _, restart, threshold = self.improvement
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
            columns=self._columns,
        )

    def result(self) -> Result:
        """Return the best tree so far, and what is known of the best of all."""
        outcome, found = self.outcome, self._tree()
        status, lower_bound = self.verdict()
        statistics = dict(outcome.statistics) | {"preparation_seconds": self.last_preparation}
        return Result(
            status=status,
            objective=found.objective,
            lower_bound=lower_bound,
            n_errors=found.n_errors,
            rounding=self._problem.rounding,
            tree=found.tree,
            trace=trace(self._improvements(), outcome, found.objective, lower_bound),
            statistics=statistics,
            cost=outcome.cost,
            lower=outcome.lower,
            columns=self._columns,
        )

    def alternatives(self, seconds: float) -> Alternatives:
        """Return what is known of every first test, after at most so many seconds of finding out.

        Parameters
        ----------
        seconds : float
            Less than 0 is none.

        Returns
        -------
        Alternatives
            In the words of the table.
        """
        self._ensure_tree()
        feature, lower, upper = self._search.alternatives(seconds)
        self._search.raise_failure()
        n_tests = self._rows[0].shape[1]
        tests = Tests.of_zeros_and_ones(n_tests) if self._tests is None else self._tests
        columns = self._columns or Columns.of_zeros_and_ones(None, n_tests)
        # The tree that was found is recounted; no other is shown as better by its rounding.
        _, bound = self.verdict()
        best = self._tree().objective
        found = np.maximum(_each(self._problem.objective, upper), best)
        found[upper == self.outcome.cost] = best
        least = np.maximum(_each(self._problem.lower_bound, lower), bound)
        least[lower == self.outcome.lower] = bound
        return Alternatives.of_tests(tests, columns, feature, found, np.minimum(least, found))

    def _improvements(self, start: int = 0) -> list[Improvement]:
        return improvements(self.outcome, self._problem, self.preparation, start)

    def _tree(self) -> Recounted:
        """Recount the tree, if it is not the one that was recounted last: trees only get better."""
        outcome = self.outcome
        if self._recounted is None or self._recounted[0] != outcome.cost:
            # Virtual rows of a cost matrix are not the rows themselves.
            same = (
                self._problem.scale == 1.0
                and self._problem.rounding == 0.0
                and self._cost_matrix is None
            )
            found = recount(
                *self._rows, outcome, self._leaf_penalty, self._cost_matrix, counted=same
            )
            if self._tests is not None and self._columns is not None:
                tree = self._tests.in_columns(found.tree, len(self._columns.names))
                found = replace(found, tree=tree)
            self._recounted = (outcome.cost, found)
        return self._recounted[1]


def _each(function: Callable[[int], float], costs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Apply a function to costs, few of which differ."""
    values, place = np.unique(costs, return_inverse=True)
    return np.array([function(value) for value in values.tolist()], dtype=np.float64)[place]

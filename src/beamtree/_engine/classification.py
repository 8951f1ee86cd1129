"""Classes, or actions, as what a tree predicts: the weight of mistakes, or their cost, is least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.class_weight import weigh_classes
from beamtree._engine.costs import row_costs, virtual_rows
from beamtree._engine.greedy import greedy_trees_of_costs
from beamtree._engine.integer_weights import (
    MAX_DEPTH,
    MAX_EXACT_RATIO,
    IntegerProblem,
    integer_problem,
)
from beamtree._engine.native import (
    MAX_LEAF_WEIGHT_RATIO,
    check_leaf_weight,
    holds_bits,
    rows_of_leaf,
    weight_of_leaf,
)
from beamtree._engine.proof import objective_words, reward_words
from beamtree._engine.recount import Recounted, recount
from beamtree._engine.settings import Settings
from beamtree._engine.task import NativeProblem
from beamtree._engine.tree_arrays import TreeArrays
from beamtree._table.row_weights import positive_rows
from beamtree._table.training_data import TrainingData


def check_policy(settings: Settings) -> None:
    """Raise a ValueError if there is a setting that is about classes.

    Parameters
    ----------
    settings : Settings
        The settings of a search for a tree that chooses actions.
    """
    for name in ("class_weight", "cost_matrix"):
        if (value := getattr(settings, name)) is not None:
            msg = f"{name} must be None for a tree that chooses actions, got {value!r}"
            raise ValueError(msg)
    if (share := settings.min_weight_fraction_leaf) > 0:
        msg = f"min_weight_fraction_leaf must be 0 for a tree that chooses actions, got {share!r}"
        raise ValueError(msg)


class Classification:
    """The task of predicting classes, or of choosing actions; see `Task` in task.py.

    Parameters
    ----------
    data : TrainingData
        The rows.
    settings : Settings
        The settings of the search.
    """

    names_rounding = True

    def __init__(self, data: TrainingData, settings: Settings) -> None:
        self._leaf_penalty = float(settings.leaf_penalty)
        cost, rewards = row_costs(data, settings.cost_matrix), data.rewards
        self.groups_by = "class share" if rewards is None else "share of the best action"
        count = data.count
        weight = weigh_classes(
            settings.class_weight, data.codes, data.classes, data.sample_weight, count
        )
        weight = np.ones(len(data.X)) if weight is None else weight
        self._counts_errors = (
            self._leaf_penalty == 0.0
            and cost is None
            and bool(((weight == 1.0) | (weight == 0.0)).all())
        )
        X, codes = data.X, data.codes
        kept = positive_rows(weight)
        if kept is not None:
            X, codes, weight = X[kept], codes[kept], weight[kept]
            cost = None if cost is None else cost[kept]
            rewards = None if rewards is None else rewards[kept]
            count = None if count is None else count[kept]
        assert count is None or (cost is None and rewards is None)
        self._rows = (X, codes, weight, len(data.classes))
        self._cost, self._rewards, self._count = cost, rewards, count
        self.n_rows = len(X) if count is None else int(count.sum())

    def state(
        self, settings: Settings, most_leaves: int, switches: dict[str, Any]
    ) -> NativeProblem:
        """State the problem in integers; with costs, that of virtual rows."""
        X, codes, weight, n_classes = self._rows
        least = rows_of_leaf(settings.min_samples_leaf, self.n_rows)
        if self._cost is not None:
            return self._state_costs(self._cost, settings, most_leaves, least, switches)
        by_weight = bool(settings.min_weight_fraction_leaf > 0)
        # The least weight of a leaf is exact only if the weights are.
        problem = integer_problem(
            weight,
            settings.leaf_penalty,
            settings.max_depth,
            max_leaf_nodes=most_leaves or None,
            exact_ratio=MAX_LEAF_WEIGHT_RATIO if by_weight else MAX_EXACT_RATIO,
            by_bits=holds_bits(X, switches),
            count=self._count,
        )
        if by_weight:
            every = weight if self._count is None else weight * self._count
            exact = np.allclose(problem.weight / problem.scale, every, rtol=1e-11, atol=0.0)
            check_leaf_weight(settings.min_weight_fraction_leaf, exact=exact)
            least = weight_of_leaf(settings.min_weight_fraction_leaf, int(problem.weight.sum()))
        options = {"unit": problem.unit}
        return NativeProblem(
            X, codes, n_classes, problem, least, by_weight, options, row_count=self._count
        )

    def _state_costs(
        self,
        cost: NDArray[np.float64],
        settings: Settings,
        most_leaves: int,
        least: int,
        switches: dict[str, Any],
    ) -> NativeProblem:
        X, _, weight, n_classes = self._rows
        virtual = virtual_rows(weight, cost, counted=least > 1)
        if not np.array_equal(virtual.row, np.arange(len(X))):
            X = X[virtual.row]
        starts: list[TreeArrays] = []
        if switches.get("greedy", True):
            limit = settings.depth_limit
            starts = greedy_trees_of_costs(
                self._rows,
                (X, virtual.codes, virtual.weight, n_classes),
                max_depth=MAX_DEPTH if limit is None else min(limit, MAX_DEPTH),
                min_rows=least,
                copies=virtual.copies,
            )
        problem = integer_problem(
            virtual.weight,
            settings.leaf_penalty,
            settings.max_depth,
            max_leaf_nodes=most_leaves or None,
            total=float(weight.sum()),
            offset=virtual.offset,
            by_bits=holds_bits(X, switches),
        )
        return NativeProblem(
            X,
            virtual.codes,
            n_classes,
            problem,
            least * virtual.copies,
            by_weight=False,
            options={"unit": problem.unit},
            starts=starts,
        )

    def recount(self, outcome: _core.Outcome, problem: IntegerProblem) -> Recounted:
        """Return the tree of an outcome, recounted from the rows with their real weights."""
        # With costs, the search counted virtual rows instead of the rows themselves.
        same = problem.scale == 1.0 and problem.rounding == 0.0 and self._cost is None
        return recount(
            *self._rows,
            outcome,
            self._leaf_penalty,
            self._cost,
            self._rewards,
            self._count,
            counted=same,
        )

    def words(self, found: Recounted, lower_bound: float) -> str:
        """Return the number of errors, the objective, or the total reward, in words."""
        bound = found.reward_bound(lower_bound)
        if found.reward is not None and bound is not None:
            reward = found.reward - (found.objective - found.error)
            return reward_words(reward, bound, penalised=self._leaf_penalty > 0.0)
        return objective_words(found.objective, lower_bound, counts_errors=self._counts_errors)

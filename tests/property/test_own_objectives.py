"""Objectives that are written in Python, compared with an enumeration of all trees."""

from types import SimpleNamespace

import numpy as np
import pytest

from beamtree import OptimalTreeRegressor
from beamtree._engine.settings import Settings
from beamtree._resume.initial_tree import read_training_data
from beamtree.objectives import PoissonDeviance
from tests.oracle import least_cost
from tests.property.own_objectives import OBJECTIVES
from tests.property.test_regression import Problem, search, strategy
from tests.soak import trials


class OwnProblem(Problem):
    """A table, the numbers to predict, and an objective."""

    def __init__(self, rng, **shape):
        super().__init__(rng, **shape)
        kind = OBJECTIVES[rng.integers(len(OBJECTIVES))]
        self.objective = kind(check=bool(rng.random() < 0.1))
        self.y = rng.integers(0, 12, len(self.y)).astype(float).tolist()
        if kind is PoissonDeviance and rng.random() < 0.5:
            self.y = (np.array(self.y) * np.exp(rng.normal())).tolist()
        self.settings.pop("min_weight_fraction_leaf", None)
        if not np.isfinite(self.squares(self.kept)):
            self.objective = OBJECTIVES[0]()  # a forbidden leaf with all rows would be refused
        self.settings["criterion"] = self.objective

    @property
    def kept(self):
        return [row for row, weight in enumerate(self.weights) if weight > 0]

    def best(self):
        limits = {name: value for name, value in self.settings.items() if name != "criterion"}
        return least_cost(self.questions(), self.weights, self.squares, **limits)

    def statistics(self, rows):
        y, weights = np.array(self.y)[rows], np.array(self.weights, dtype=float)[rows]
        return np.asarray(self.objective.statistics(y, weights), dtype=float)

    def sums(self, rows):
        return self.statistics(rows).sum(axis=0)[np.newaxis]

    def squares(self, rows):
        return float(self.objective.leaf_costs(self.sums(rows))[0])

    def prediction(self, rows):
        return float(self.objective.predictions(self.sums(rows))[0])

    @property
    def noise(self):
        """How much doubles may round."""
        size = float(np.abs(self.statistics(self.kept)).sum())
        return 1e-11 * (size + self.squares(self.kept))


def hold(rng, problem):
    # Doubles are added up in another order here, so equal trees may differ by their noise.
    optimum = problem.best() - problem.noise
    chosen = strategy(rng, constant=True) if rng.random() < 0.5 else {}
    reg = OptimalTreeRegressor(time_limit=None, **problem.settings, **chosen)
    reg.fit(problem.table, problem.y, problem.weight)
    names = ("status", "objective", "lower_bound", "rounding", "tree", "gap")
    result = SimpleNamespace(**{name: getattr(reg, f"{name}_") for name in names})
    assert result.status == "optimal"
    check_own(problem, result, reg.columns_, optimum)
    data = read_training_data(
        problem.table, problem.y, problem.weight, Settings(), "Search", numbers=True
    )
    search(rng, problem, optimum, data, check_own)


def check_own(problem, result, columns, optimum):
    noise = problem.noise
    exact = problem.recounted(result.tree, columns)
    assert abs(result.objective - exact) <= noise
    assert result.lower_bound <= optimum + 2 * noise
    assert result.lower_bound <= result.objective
    assert optimum <= exact
    if result.status == "optimal":
        assert exact - optimum <= result.rounding + 2 * noise
        assert result.rounding <= 1e-8 * max(1.0, problem.squares(problem.kept))


@pytest.mark.parametrize("chunk", trials(4, soak=400))
def test_random_tables(chunk):
    """160 small tables in `make test`, and 16,000 in `make soak`."""
    for seed in range(40):
        rng = np.random.default_rng([95, chunk, seed])
        hold(rng, OwnProblem(rng))

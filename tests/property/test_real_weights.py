"""Real weights that must be rounded, compared with the oracle in exact arithmetic.

Nothing is forgiven here: lower bounds are below the optimum, and a complete search leaves at most
`rounding` open.
"""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from beamtree._engine.engine import Engine
from beamtree._engine.settings import Settings
from beamtree._resume.initial_tree import read_training_data
from tests.oracle import best, best_of_table, objective_of
from tests.property.checks import run
from tests.property.problems import random_problem
from tests.soak import trials


def real_weights(rng, rows):
    """Return weights that are no multiples of a unit, of similar or of very different sizes."""
    if rng.random() < 0.5:
        return rng.random(rows) + 1e-3
    return np.exp(rng.normal(0, rng.choice([1.0, 3.0, 8.0]), rows))


def check(result, optimum, *, at=None):
    """Assert that a complete search says exactly what it has proved."""
    lower, objective = Fraction(result.lower_bound), Fraction(result.objective)
    assert lower <= optimum
    assert objective - optimum <= Fraction(result.rounding)
    assert result.objective - result.lower_bound <= result.rounding
    assert result.status == "optimal"
    assert result.gap >= 0.0
    assert result.trace["lower_bound"][-1] == result.lower_bound
    assert result.trace["objective"][-1] == result.objective
    assert (result.trace["lower_bound"] <= result.lower_bound).all()
    if at is not None:  # the objective is that of the tree, up to the last bits of a double
        assert abs(objective - at) <= 1e-12 * result.tree.weighted_n_node_samples[0]


@pytest.mark.parametrize("seed", trials(300, 5000))
def test_columns_of_bits(seed):
    rng = np.random.default_rng([17, seed])
    problem = random_problem(rng, rows=(2, 30))
    problem = problem.but(weight=real_weights(rng, len(problem.y)))
    result = run(problem)
    walk = objective_of(result.tree, *problem.question[:3], problem.leaf_penalty)
    if problem.leaf_penalty == 0.0:
        assert result.rounding < 1e-9 * problem.total
    check(result, best(*problem.question), at=walk.objective)


@pytest.mark.parametrize("seed", trials(150, 3000))
def test_sorted_columns(seed):
    rng = np.random.default_rng([18, seed])
    rows, classes = int(rng.integers(4, 16)), int(rng.integers(2, 4))
    X = rng.integers(0, 12, (rows, int(rng.integers(1, 4)))).astype(float)
    y = np.append(np.arange(classes), rng.integers(0, classes, rows))[:rows]
    weight = real_weights(rng, rows)
    depth = int(rng.integers(1, 4))
    penalty = float(rng.choice([0.0, 0.0, 0.02]))
    settings = Settings(max_depth=depth, leaf_penalty=penalty, rule=None, n_jobs=1)
    data = read_training_data(X, y, weight, settings, "test")
    engine = Engine(data, settings, form="sorted", coarse_cuts=2)
    engine.run(inf)
    columns = [("numbers", column.tolist()) for column in X.T]
    costs = (1 - np.eye(classes, dtype=int)).tolist()
    optimum, _ = best_of_table(
        columns, y.tolist(), weight.tolist(), costs, max_depth=depth, leaf_penalty=penalty
    )
    result = engine.result()
    if penalty == 0.0:
        assert result.rounding < 1e-9 * weight.sum()
    check(result, optimum)

"""`_core.Search` itself, which solves problems with integer weights."""

from math import inf

import numpy as np
import pytest

from beamtree import _core
from beamtree._engine.limits import NO_LIMIT
from tests.oracle import best_cost, cost_of
from tests.property.checks import FUSED, KERNELS, SWITCHES
from tests.property.problems import medium_problem, random_problem
from tests.soak import trials


def options(rng, problem, **more):
    """Return options of the core with a random setting."""
    chosen = _core.Options()
    chosen.max_depth = problem.depth
    chosen.min_samples_leaf = problem.min_samples_leaf
    chosen.exact_levels = int(rng.integers(0, 4))
    chosen.kernel = str(rng.choice(KERNELS))
    chosen.fused_granules = int(rng.choice(FUSED))
    for switch in SWITCHES:
        setattr(chosen, switch, bool(rng.random() < 0.8))
    for name, value in more.items():
        setattr(chosen, name, value)
    return chosen


def solve(problem, weight, chosen, heard=None):
    """Run a search to its end, and append the trace of every step to `heard`."""
    search = _core.Search(problem.X, problem.y, weight, problem.n_classes, chosen, [], 1.0)
    while search.step(inf, NO_LIMIT, 0.0, 0):
        if heard is not None:
            heard.append([int(column[-1]) for column in search.outcome().trace[1:4]])
    return search.outcome()


@pytest.mark.parametrize("chunk", trials(20, soak=100))
def test_cost_is_the_optimum_of_the_integers(chunk):
    """1,000 problems, whose weights, units and penalties need lanes of 16, 32 or 64 bits."""
    for seed in range(50):
        rng = np.random.default_rng([20, chunk, seed])
        problem = random_problem(rng, rows=(1, 50))
        weight = rng.integers(1, [2, 2, 9, 3000, 2**17, 2**33][rng.integers(6)], len(problem.y))
        unit = int(rng.choice([1, 1, 3, 100, 2**16, 2**20]))
        penalty = int(rng.choice([0, 1, unit, 2 * unit + 1, int(weight.sum()) * unit // 20]))
        outcome = solve(problem, weight, options(rng, problem, unit=unit, penalty=penalty))
        units = [int(w) * unit for w in weight]
        expected = best_cost(
            problem.rows, problem.y.tolist(), units, problem.n_classes,
            problem.depth, problem.min_samples_leaf, penalty,
        )  # fmt: skip
        arrays = [a.tolist() for a in (outcome.feature, outcome.left, outcome.right)]
        described = f"unit={unit} penalty={penalty} weight={weight.tolist()}\n{problem}"
        assert outcome.cost == outcome.lower == expected, described
        assert outcome.status == "optimal", described
        assert cost_of(*arrays, problem.rows, problem.y.tolist(), units, penalty) == expected


def test_recount_sums_the_rows_of_each_node():
    rng = np.random.default_rng(21)
    problem = medium_problem(rng, rows=40, features=8, depth=3, classes=3)
    weight = rng.random(40)
    tree = solve(problem, np.ones(40, np.int64), options(rng, problem, min_samples_leaf=1))
    value, samples = _core.recount(
        problem.X, problem.y, weight, 3, tree.feature, tree.left, tree.right
    )
    walks, seen = [(0, np.arange(40))], 0
    while walks:
        node, rows = walks.pop()
        seen += 1
        assert samples[node] == len(rows)
        np.testing.assert_allclose(value[node], np.bincount(problem.y[rows], weight[rows], 3))
        if tree.feature[node] >= 0:
            ones = problem.X[rows, tree.feature[node]] == 1
            walks += [(tree.left[node], rows[~ones]), (tree.right[node], rows[ones])]
    assert seen == len(tree.feature) > 1


def test_every_step_is_an_improvement():
    rng = np.random.default_rng(22)
    problem = medium_problem(rng, rows=60, features=8, depth=4)
    heard = []
    outcome = solve(problem, np.ones(60, np.int64), options(rng, problem), heard)
    nodes, costs, lowers = map(list, zip(*heard, strict=True))
    assert nodes == outcome.trace[1].tolist()
    assert costs == sorted(costs, reverse=True)
    assert lowers == sorted(lowers)
    assert len(set(zip(costs, lowers, strict=True))) == len(heard)
    assert costs[-1] == outcome.cost

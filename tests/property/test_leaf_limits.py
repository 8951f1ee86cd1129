"""Limits of leaves, with and without a price and a limit of depth, and the smallest best trees.

Every problem is compared with the least error of every number of leaves, which the oracle lists.
"""

import tempfile
from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest

from beamtree import Search
from beamtree._engine.engine import Engine, split_settings
from beamtree._resume.initial_tree import read_training_data
from tests.oracle import best_within, front_of_rows, front_of_table
from tests.property.checks import check_tree, engine, slack_of
from tests.property.problems import random_problem
from tests.property.test_any_depth import DEEP, random_hooks
from tests.soak import trials

# The search takes these fractions as they are, so that ties are the same for it and the oracle.
PRICES = (0, 0, 0, *(Fraction(1, n) for n in (1000, 200, 100, 50, 20, 10, 3)))
TIE_BREAKS = ("any", "small", "smallest")
WHOLE = ("none", "none", "unit", "small", "zeros", "large")


def random_limits(rng, *, least_depth=0):
    """Return a random limit of leaves, depth, price and choice among equal trees."""
    return {
        "max_leaf_nodes": int(rng.integers(1, 9)),
        "max_depth": None if rng.random() < 0.4 else int(rng.integers(least_depth, 6)),
        "leaf_penalty": PRICES[rng.integers(len(PRICES))],
        "tie_break": str(rng.choice(TIE_BREAKS)),
    }


def run_to_the_end(search):
    """Run a search until it is done, also after the proof; the memory may end it earlier."""
    for _ in range(10_000):
        search.run(inf)
        if search.done or search.result().status == "memory_limit":
            break
    else:
        pytest.fail("the search does not end")
    return search.result()


def check(result, limits, optimum, fewest, slack, chosen):
    """Assert that the result is true, and complete unless the memory was too small."""
    told = {"limits": limits, "optimum": optimum, "fewest": fewest, "chosen": chosen}
    optimum = float(optimum)
    leaves = result.tree.n_leaves
    if limits["max_leaf_nodes"] is not None:
        assert leaves <= limits["max_leaf_nodes"], told
    assert result.lower_bound <= optimum + slack, told
    assert result.objective >= optimum - slack, told
    if result.rounding == 0.0:
        assert 1 <= result.n_leaves_bound <= fewest, told
    else:
        assert result.n_leaves_bound == 1 or result.objective == 0.0, told
    if result.status == "optimal":
        assert result.objective <= optimum + result.rounding + slack, told
        assert result.n_leaves_bound <= leaves, told
        if limits["tie_break"] == "smallest" and result.rounding == 0.0 and "memory" not in chosen:
            assert result.n_leaves_bound == leaves == fewest, told
    else:
        assert result.status == "memory_limit", (result.status, told)
        assert "memory" in chosen, told


def question(problem, limits, most=None):
    """Return the optimum of a problem of zeros and ones within limits, and its fewest leaves."""
    most = limits["max_leaf_nodes"] if most is None else most
    front = front_of_rows(
        *problem.question[:4], limits["max_depth"], most, problem.min_samples_leaf
    )
    total = sum(map(Fraction, problem.weight_list))
    return best_within(front, most, Fraction(limits["leaf_penalty"]) * total)


@pytest.mark.parametrize("seed", trials(250, 20_000))
def test_zeros_and_ones(seed):
    rng = np.random.default_rng([21, seed])
    kind = str(rng.choice(WHOLE)) if seed % 4 else None
    problem = random_problem(rng, rows=(1, 40), features=(2, 8), depth=4, weight=kind)
    limits = random_limits(rng)
    optimum, fewest = question(problem, limits)
    chosen = random_hooks(rng)
    result = run_to_the_end(engine(problem, **chosen | limits))
    depth = DEEP if limits["max_depth"] is None else limits["max_depth"]
    check_tree(problem.but(depth=depth, leaf_penalty=limits["leaf_penalty"]), result)
    slack = slack_of(problem) + 1e-9 * problem.total
    check(result, limits, optimum, fewest, slack, chosen)


@pytest.mark.parametrize("seed", trials(100, 8_000))
def test_smallest_trees_without_a_limit_of_leaves(seed):
    rng = np.random.default_rng([22, seed])
    problem = random_problem(
        rng, rows=(1, 30), features=(2, 5), depth=4, weight=str(rng.choice(WHOLE))
    )
    limits = random_limits(rng) | {"max_leaf_nodes": None}
    if limits["max_depth"] is None and not limits["leaf_penalty"]:
        limits["max_depth"] = int(rng.integers(0, 6))
    optimum, fewest = question(problem, limits, most=32)
    chosen = random_hooks(rng)
    result = run_to_the_end(engine(problem, **chosen | limits))
    check(result, limits, optimum, fewest, 1e-9 * problem.total, chosen)


@pytest.mark.parametrize("seed", trials(120, 10_000))
def test_raw_tables(seed):
    """Both forms of the rows, over numbers with missing values."""
    rng = np.random.default_rng([23, seed])
    n, m, n_classes = int(rng.integers(2, 13)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    X = rng.integers(0, int(rng.choice([3, 6, 14])), (n, m)).astype(float)
    X[rng.random((n, m)) < rng.choice([0.0, 0.0, 0.15])] = np.nan
    y = np.append(rng.integers(0, n_classes, n - 2), [0, 1])
    n_classes = len(np.unique(y))
    y = np.unique(y, return_inverse=True)[1]
    weight = None if rng.random() < 0.5 else rng.integers(1, 5, n).astype(float)
    limits = random_limits(rng)
    leaf = int(rng.choice([1, 1, 1, 2, 3]))
    columns = [("numbers", [None if np.isnan(v) else v for v in column]) for column in X.T]
    front, penalty = front_of_table(
        columns,
        y.tolist(),
        np.ones(n) if weight is None else weight,
        (1 - np.eye(n_classes, dtype=int)).tolist(),
        max_depth=limits["max_depth"],
        most=limits["max_leaf_nodes"],
        min_samples_leaf=leaf,
        leaf_penalty=limits["leaf_penalty"],
    )
    optimum, fewest = best_within(front, limits["max_leaf_nodes"], penalty)
    chosen = random_hooks(rng) | {"form": str(rng.choice(["sorted", "sorted", "bits"]))}
    chosen["coarse_cuts"] = int(rng.choice([1, 2, 32]))
    settings, switches = split_settings(chosen | limits | {"min_samples_leaf": leaf})
    data = read_training_data(X, y, weight, settings, "Search")
    result = run_to_the_end(Engine(data, settings, **switches))
    check(result, limits, optimum, fewest, 1e-9 * n * 5, chosen)


@pytest.mark.parametrize("seed", trials(40, 2_000))
def test_stopped_everywhere(seed):
    """Steps of no length: tree and bounds are true after each of them, and never get worse."""
    rng = np.random.default_rng([24, seed])
    problem = random_problem(
        rng, rows=(10, 40), features=(2, 6), depth=4, weight=str(rng.choice(WHOLE)), hard=True
    )
    limits = random_limits(rng, least_depth=2)
    optimum, fewest = question(problem, limits)
    search = engine(problem, **random_hooks(rng) | limits | {"n_jobs": 1, "memory": 2**40})
    cost, lower, bound, size, steps = inf, -1, 0, inf, 0
    while not search.done:
        search.step(float(rng.choice([0, 1e-9, 1e-6, 1e-5, 1e-4])) if steps < 200 else inf)
        outcome, steps = search.outcome, steps + 1
        assert lower <= outcome.lower <= outcome.cost <= cost
        assert outcome.leaves_bound >= bound
        leaves = int((outcome.feature < 0).sum())
        assert leaves <= limits["max_leaf_nodes"]
        if limits["tie_break"] != "any":
            assert outcome.cost < cost or leaves <= size, (steps, limits)
        cost, lower, bound, size = outcome.cost, outcome.lower, outcome.leaves_bound, leaves
        result = search.result()
        assert result.tree.n_leaves <= leaves
        assert result.lower_bound <= float(optimum) + 1e-9 * problem.total
        assert result.n_leaves_bound <= fewest
        assert steps < 20_000
    check(search.result(), limits, optimum, fewest, 1e-9 * problem.total, {})


@pytest.mark.parametrize("seed", trials(20, 500))
def test_saved_and_loaded(seed):
    rng = np.random.default_rng([25, seed])
    problem = random_problem(rng, rows=(20, 40), features=(4, 6), depth=4, weight="none")
    problem = problem.but(min_samples_leaf=1)
    limits = random_limits(rng, least_depth=2)
    optimum, fewest = question(problem, limits)
    search = Search(problem.X, problem.y, **limits)
    search.run(node_limit=int(rng.integers(1, 10)))
    with tempfile.TemporaryDirectory() as folder:
        search.save(Path(folder) / "search.checkpoint")
        result = Search.load(Path(folder) / "search.checkpoint", problem.X, problem.y).run()
    assert result.status == "optimal"
    check(result, limits, optimum, fewest, 1e-9 * problem.total, {})

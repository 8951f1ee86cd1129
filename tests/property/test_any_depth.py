"""Trees of any depth at a price per leaf, compared with the oracle."""

import tempfile
from math import inf
from pathlib import Path

import numpy as np
import pytest

from beamtree import Search
from beamtree._engine.engine import Engine, split_settings
from beamtree._resume.initial_tree import read_training_data
from tests.oracle import best
from tests.oracle.raw_tables import best_over_splits, every_split
from tests.property.checks import check_bounds, check_tree, engine, random_setting, slack_of
from tests.property.problems import random_problem
from tests.property.systems import random_system
from tests.soak import trials

PRICES = (0.003, 0.005, 0.01, 0.02, 0.037, 0.05, 0.1, 1 / 3, np.pi / 1000)
MEMORY = (0, 300_000, 600_000, 2_000_000)
STEPS = (1, 3, 20)
DEEP = 10**6  # deeper than any tree


def run_in_steps(search):
    """Run a search to its end; steps may be as short as the hook `stop_at_look` makes them."""
    for _ in range(10_000):
        search.run(inf)
        if search.result().status != "time_limit":
            break
    return search.result()


def random_hooks(rng):
    """Return a random setting, sometimes with little memory and very short steps."""
    chosen = random_setting(rng) | random_system(rng)
    chosen["n_jobs"] = int(rng.integers(1, 3))
    if rng.random() < 0.3:
        chosen["memory"] = int(rng.choice(MEMORY))
    if rng.random() < 0.3:
        chosen["stop_at_look"] = int(rng.choice(STEPS))
    return chosen


def check(result, optimum, slack, chosen):
    """Assert that the result is true, and complete unless the memory was too small."""
    assert result.lower_bound <= optimum + slack, chosen
    assert result.objective >= optimum - slack, chosen
    if result.status == "optimal":
        assert result.objective <= optimum + result.rounding + slack, chosen
    else:
        assert result.status == "memory_limit", (result.status, chosen)
        assert "memory" in chosen, chosen


@pytest.mark.parametrize("seed", trials(400, 20_000))
def test_zeros_and_ones(seed):
    rng = np.random.default_rng([15, seed])
    problem = random_problem(rng, rows=(1, 40), features=(2, 8), depth=4)
    problem = problem.but(leaf_penalty=float(rng.choice(PRICES)))
    # On a path, no column of zeros and ones is of use twice.
    deepest = problem.but(depth=problem.X.shape[1])
    optimum = float(best(*deepest.question))
    chosen = random_hooks(rng)
    result = run_in_steps(engine(problem, max_depth=None, **chosen))
    check_tree(problem.but(depth=DEEP), result)
    check_bounds(problem, result, optimum)
    check(result, optimum, slack_of(problem) + 1e-9 * problem.total, chosen)


@pytest.mark.parametrize("seed", trials(150, 8_000))
def test_priced_passes_obey_a_limit_of_depth(seed):
    rng = np.random.default_rng([16, seed])
    problem = random_problem(rng, rows=(1, 40), features=(2, 8), depth=int(rng.integers(1, 7)))
    problem = problem.but(leaf_penalty=float(rng.choice(PRICES)))
    optimum = float(best(*problem.question))
    chosen = random_hooks(rng) | {"price_depth": 0, "probe": True}
    result = run_in_steps(engine(problem, **chosen))
    check_tree(problem, result)
    check(result, optimum, slack_of(problem) + 1e-9 * problem.total, chosen)


@pytest.mark.parametrize("seed", trials(200, 10_000))
def test_raw_tables(seed):
    rng = np.random.default_rng([17, seed])
    n, m, n_classes = int(rng.integers(2, 14)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    X = rng.integers(0, int(rng.choice([3, 6, 14])), (n, m)).astype(float)
    X[rng.random((n, m)) < rng.choice([0.0, 0.0, 0.15])] = np.nan
    y = np.append(rng.integers(0, n_classes, n - 2), [0, 1])
    weight = None if rng.random() < 0.5 else rng.integers(1, 5, n).astype(float)
    whole = np.ones(n, dtype=int) if weight is None else weight.astype(int)
    percent, leaf = int(rng.choice([1, 2, 5, 10])), int(rng.choice([1, 1, 1, 2, 3]))
    columns = [("numbers", [None if np.isnan(v) else v for v in column]) for column in X.T]
    costs = [
        [100 * int(w) * (k != label) for k in range(n_classes)]
        for w, label in zip(whole, y, strict=True)
    ]
    everything = (1 << n) - 1
    optimum, _ = best_over_splits(
        every_split(columns, range(n)),
        costs,
        n,
        lambda cover: cover.bit_count() >= leaf or cover == everything,
        percent * int(whole.sum()),
    )
    chosen = random_hooks(rng) | {"form": str(rng.choice(["sorted", "sorted", "bits"]))}
    chosen["coarse_cuts"] = int(rng.choice([1, 2, 32]))
    given = {"max_depth": None, "leaf_penalty": percent / 100, "min_samples_leaf": leaf}
    settings, switches = split_settings(chosen | given)
    data = read_training_data(X, y, weight, settings, "Search")
    result = run_in_steps(Engine(data, settings, **switches))
    check(result, optimum / 100, 1e-9 * whole.sum(), chosen)


@pytest.mark.parametrize("seed", trials(20, 500))
def test_saved_and_loaded(seed):
    rng = np.random.default_rng([18, seed])
    problem = random_problem(rng, rows=(20, 40), features=(4, 8), depth=4, weight="none")
    problem = problem.but(leaf_penalty=float(rng.choice([0.005, 0.01, 0.02])), min_samples_leaf=1)
    deepest = problem.but(depth=problem.X.shape[1])
    optimum = float(best(*deepest.question))
    settings = {"max_depth": None, "leaf_penalty": problem.leaf_penalty}
    search = Search(problem.X, problem.y, **settings)
    search.run(node_limit=int(rng.integers(1, 10)))
    with tempfile.TemporaryDirectory() as folder:
        search.save(Path(folder) / "search.checkpoint")
        result = Search.load(Path(folder) / "search.checkpoint", problem.X, problem.y).run()
    assert result.status == "optimal"
    assert abs(result.objective - optimum) <= 1e-9 * problem.total

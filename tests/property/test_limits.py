"""Searches that a time limit ends: never worse than greedy, and never with a wrong bound."""

import time

import numpy as np
import pytest

from tests.oracle import best
from tests.property.checks import (
    check_bounds,
    check_greedy,
    check_tree,
    random_setting,
    run,
    slack_of,
)
from tests.property.problems import medium_problem, random_problem
from tests.soak import trials

LIMITS = (0.0, 1e-9, 1e-5, 1e-4, 1e-3)


def check_cut_short(problem, result, optimum, **setting):
    """Check the result of a search that a time limit may have ended."""
    check_tree(problem, result)
    check_bounds(problem, result, optimum)
    assert result.status in ("optimal", "gap_reached", "time_limit")
    if result.status == "optimal":
        assert result.objective <= optimum + slack_of(problem)
    check_greedy(problem, result, **setting)


@pytest.mark.parametrize("chunk", trials(20, soak=200))
def test_small_problems(chunk):
    """1,000 problems, compared with the oracle's optimum and with both greedy trees."""
    for seed in range(50):
        rng = np.random.default_rng([30, chunk, seed])
        problem = random_problem(rng, rows=(5, 70))
        setting = random_setting(rng) | {"time_limit": float(rng.choice(LIMITS))}
        result = run(problem, **setting)
        try:
            check_cut_short(problem, result, best(*problem.question), **setting)
        except AssertionError as failure:
            raise AssertionError(f"{failure}\nsettings = {setting}\n{problem}") from failure


@pytest.mark.parametrize("weight", ["none", "small", "large", "huge", "boosted"])
def test_without_time_the_tree_is_as_good_as_greedy(weight):
    """250 problems; floats cannot represent the sums of huge weights exactly."""
    for seed in range(50):
        rng = np.random.default_rng([33, seed])
        problem = medium_problem(
            rng,
            rows=100,
            features=12,
            depth=2 + seed % 4,
            classes=2 + seed % 3,
            weight=weight,
            leaf=1 + seed % 2 * 2,
            penalty=(0.0, 0.01)[seed % 7 == 0],
        )
        check_greedy(problem, run(problem, time_limit=0.0))


@pytest.mark.parametrize("seed", trials(12, soak=24))
def test_medium_problems(seed):
    """Searches that stop after various shares of their time.

    The optimum is the one of the engine itself, which other tests check.
    """
    rng = np.random.default_rng([31, seed])
    problem = medium_problem(
        rng,
        rows=300 + 40 * seed,
        features=20 + seed,
        depth=4,
        classes=2 + seed % 3,
        weight=["none", "small", "large", "boosted"][seed % 4],
        leaf=1 + seed % 5,
    )
    levels = {"exact_levels": (3, 2)[seed // 4 % 2]}
    complete = run(problem, **levels)
    needed = complete.trace["seconds"][-1]
    optimum = complete.lower_bound if complete.rounding else complete.objective
    for share in (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9):
        result = run(problem, time_limit=share * needed, **levels)
        check_tree(problem, result)
        assert result.lower_bound <= complete.objective + slack_of(problem)
        assert result.objective >= optimum - slack_of(problem)
        if share == 0:
            check_greedy(problem, result)


@pytest.mark.parametrize("shape", [(1500, 400, 5), (3000, 100, 6), (100_000, 40, 6)])
@pytest.mark.parametrize("exact_levels", [0, 3])
def test_the_limit_is_kept(shape, exact_levels):
    """Searches that are far too large for 0.2 seconds stop soon after them."""
    rows, features, depth = shape
    rng = np.random.default_rng([32, rows])
    problem = medium_problem(rng, rows=rows, features=features, depth=depth, noise=0.3)
    begin = time.perf_counter()
    result = run(problem, time_limit=0.2, exact_levels=exact_levels)
    seconds = time.perf_counter() - begin
    assert result.status == "time_limit"
    assert 0 <= result.lower_bound < result.objective
    # Preparing the rows and growing the first tree are not interrupted.
    assert seconds < 1.5

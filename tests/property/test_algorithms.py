"""The algorithms without passes: Blossom proves the optimum, LGDT grows the tree of its paper."""

import numpy as np
import pytest

from tests.oracle import best, greedy_objective, lgdt_errors
from tests.property.checks import (
    KERNELS,
    check_any,
    explained,
    hold,
    random_setting,
    run,
    same_answer,
)
from tests.property.problems import medium_problem, random_problem
from tests.property.stops import check_some_stops, check_steps
from tests.property.test_edges import EDGES
from tests.soak import trials

BLOSSOM = {"algorithm": "blossom"}
LGDT = {"algorithm": "lgdt", "greedy": False}


@pytest.mark.parametrize("chunk", trials(13, soak=60))
def test_blossom_proves_the_optimum(chunk):
    """520 problems of every kind, two settings each."""
    for seed in range(40):
        rng = np.random.default_rng([70, chunk, seed])
        features = (5, 8) if seed % 5 else (1, 12)
        problem = random_problem(rng, rows=(3, 60), features=features, hard=seed % 2 == 0)
        hold(problem, [random_setting(rng) | BLOSSOM for _ in range(2)])


@pytest.mark.parametrize("chunk", trials(3, soak=40))
def test_blossom_stopped_after_some_nodes(chunk):
    """60 problems, stopped after up to six numbers of nodes each."""
    for seed in range(20):
        rng = np.random.default_rng([71, chunk, seed])
        problem = random_problem(rng, rows=(10, 50), features=(5, 8), depth=4, hard=True)
        check_some_stops(rng, problem, random_setting(rng) | BLOSSOM)


def test_blossom_step_by_step():
    """40 searches reach the proof although their steps are stopped after very short times."""
    for seed in range(40):
        rng = np.random.default_rng([72, seed])
        problem = random_problem(rng, rows=(10, 50), features=(5, 8), depth=4, hard=True)
        check_steps(rng, problem, random_setting(rng) | BLOSSOM)


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    """The smallest problems."""
    hold(EDGES[name], [BLOSSOM | {"greedy": False, "exact_levels": levels} for levels in range(4)])
    result = run(EDGES[name], **LGDT)
    check_any(EDGES[name], result, best(*EDGES[name].question))


@pytest.mark.parametrize("seed", range(6))
def test_blossom_on_medium_problems(seed):
    """Problems too large for the oracle: compared with the passes, and between kernels."""
    rng = np.random.default_rng([73, seed])
    problem = medium_problem(
        rng, rows=100 + 30 * seed, features=12 + seed, depth=4, classes=2 + seed % 3
    )
    expected = run(problem)
    for levels in (0, 2):
        setting = BLOSSOM | {"exact_levels": levels, "greedy": False}
        results = [run(problem, kernel=kernel, **setting) for kernel in KERNELS]
        assert results[0].cost == results[0].lower == expected.cost, f"{setting}\n{problem}"
        for result in results[1:]:
            same_answer(results[0], result)


def test_the_first_tree_of_blossom_is_greedy():
    """150 problems: splits by information gain, also without a gain, where greedy would stop."""
    equal = 0
    for seed in range(150):
        rng = np.random.default_rng([74, seed])
        problem = random_problem(rng, rows=(10, 60), depth=4, weight="none").but(leaf_penalty=0.0)
        result = run(problem, **BLOSSOM, greedy=False, exact_levels=0)
        # The first row of the trace is the single leaf, which may be as good.
        first = result.trace["objective"][min(1, len(result.trace) - 1)]
        greedy = greedy_objective(*problem.question)
        assert first <= greedy, str(problem)
        equal += first == greedy
    assert equal > 100


def test_lgdt_agrees_with_the_oracle():
    """200 problems of every kind, without weights and penalties."""
    statuses = set()
    for seed in range(200):
        rng = np.random.default_rng([75, seed])
        problem = random_problem(rng, rows=(5, 40), features=(3, 7), weight="none", hard=True)
        problem = problem.but(leaf_penalty=0.0)
        setting = random_setting(rng) | LGDT
        result = run(problem, **setting)
        optimum = best(*problem.question)
        expected = lgdt_errors(
            problem.rows, problem.y.tolist(), problem.depth, problem.min_samples_leaf
        )
        statuses.add(result.status)
        with explained(problem, result, optimum, **setting):
            assert result.objective == expected
            check_any(problem, result, optimum)
    assert statuses == {"optimal", "rule_limit"}


def test_lgdt_with_weights_and_penalties():
    """200 problems of every kind: the tree is valid, and so is the bound."""
    for seed in range(200):
        rng = np.random.default_rng([76, seed])
        problem = random_problem(rng, rows=(5, 60))
        setting = random_setting(rng) | LGDT
        result = run(problem, **setting)
        optimum = best(*problem.question)
        with explained(problem, result, optimum, **setting):
            check_any(problem, result, optimum)
            assert result.status in ("optimal", "gap_reached", "rule_limit")
            same_answer(result, run(problem, **setting))

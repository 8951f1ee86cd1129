"""Searches under rules that end early: after some nodes, after a step, or at a rule's limit."""

import numpy as np
import pytest

from tests.oracle import best
from tests.property.checks import (
    check_any,
    check_greedy,
    explained,
    random_setting,
    run,
    same_answer,
    slack_of,
)
from tests.property.stops import check_some_stops, check_steps, check_stopped
from tests.property.systems import RULES, problem_of_passes, random_system
from tests.property.test_edges import EDGES
from tests.soak import trials


def draw(rng, **more):
    """Return a problem on which rules have an effect, and a random setting of everything."""
    chosen = {"rows": (10, 60), "features": (5, 8), "depth": int(rng.integers(3, 6))}
    problem = problem_of_passes(rng, levels=2, **chosen | more)
    return problem, random_setting(rng) | random_system(rng)


@pytest.mark.parametrize("chunk", trials(6, soak=60))
def test_stopped_after_some_nodes(chunk):
    """180 problems, stopped after up to six numbers of nodes each."""
    for seed in range(30):
        rng = np.random.default_rng([60, chunk, seed])
        check_some_stops(rng, *draw(rng))


@pytest.mark.parametrize("rule", RULES)
def test_stopped_after_every_node(rule):
    rng = np.random.default_rng([61, list(RULES).index(rule)])
    problem, setting = draw(rng, rows=(12, 30), features=(5, 6), depth=4)
    setting |= {"rule": RULES[rule], "schedule": "exponential"}
    optimum = best(*problem.question)
    whole = run(problem, **setting)
    for nodes in range(1, min(whole.statistics["nodes"], 80) + 2):
        check_stopped(problem, nodes, setting, whole, optimum)


@pytest.mark.parametrize("chunk", trials(6, soak=40))
def test_step_by_step(chunk):
    """180 searches reach the proof although their steps are stopped after very short times."""
    for seed in range(30):
        rng = np.random.default_rng([62, chunk, seed])
        check_steps(rng, *draw(rng))


@pytest.mark.parametrize("chunk", trials(5, soak=40))
def test_limits_of_rules(chunk):
    """250 problems under rules that may end before the proof, and never claim it falsely."""
    seen = set()
    for seed in range(50):
        rng = np.random.default_rng([63, chunk, seed])
        problem, setting = draw(rng)
        setting |= random_system(rng, limited=True) | {"exact_levels": seed % 3}
        optimum = best(*problem.question)
        result = run(problem, **setting)
        seen.add(result.status)
        with explained(problem, result, optimum, **setting):
            check_any(problem, result, optimum)
            check_greedy(problem, result, **setting)
            assert result.status in ("rule_limit", "optimal", "gap_reached")
            assert (result.status == "rule_limit") == (result.lower < result.cost)
            if result.status == "optimal":
                assert result.objective <= optimum + slack_of(problem)
            same_answer(result, run(problem, **setting))
    assert {"rule_limit", "optimal"} <= seen


@pytest.mark.parametrize("heuristic", ["auto", "information_gain", "given"])
@pytest.mark.parametrize("kind", ["discrepancy", "top-k", "top-k-star"])
def test_xor_needs_more_than_the_first_choice(kind, heuristic):
    """Exact levels solve the problem; without them, the narrowest rule must not claim a proof."""
    problem = xor_of_three()
    narrowest = RULES[kind]
    narrowest = type(narrowest)(limit=narrowest.start)
    optimum = best(*problem.question)
    for levels in range(4):
        setting = {"rule": narrowest, "heuristic": heuristic, "exact_levels": levels}
        result = run(problem, **setting)
        with explained(problem, result, optimum, **setting):
            check_any(problem, result, optimum)
            if levels == 0:
                assert result.status == "rule_limit"
            if levels == 3:
                assert result.status == "optimal"
            assert (result.status == "optimal") == (result.objective == optimum)


def xor_of_three():
    """Return a problem of three levels whose class is the parity of three of four features."""
    X = np.array([[i >> j & 1 for j in range(4)] for i in range(16)], np.uint8)
    y = np.bitwise_xor.reduce(X[:, 1:], axis=1).astype(np.int32)
    return EDGES["two features, xor"].but(X=X, y=y, depth=3)

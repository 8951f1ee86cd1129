"""Checks of searches that are stopped, and continued."""

from math import inf

import numpy as np

from tests.oracle import best
from tests.property.checks import (
    check_all,
    check_any,
    check_greedy,
    engine,
    explained,
    run,
    same_answer,
    slack_of,
)


def check_some_stops(rng, problem, setting):
    """Stop a search after one node, after its last node, and after some random numbers of nodes."""
    optimum = best(*problem.question)
    whole = run(problem, **setting)
    needed = whole.statistics["nodes"]
    for nodes in {1, needed, *rng.integers(1, needed + 2, 4).tolist()} - {0}:
        check_stopped(problem, nodes, setting, whole, optimum)


def check_steps(rng, problem, setting):
    """Take a search to its proof in steps that the clock ends after very short times."""
    optimum = best(*problem.question)
    search = engine(problem, **setting)
    cost, lower, steps = inf, -1, 0
    while not search.done:
        search.step(float(rng.choice([0, 1e-9, 1e-6, 1e-5, 1e-4])))
        outcome, steps = search.outcome, steps + 1
        assert lower <= outcome.lower <= outcome.cost <= cost
        cost, lower = outcome.cost, outcome.lower
        if steps in (1, 5, 20):
            result = search.result()
            with explained(problem, result, optimum, **setting):
                check_any(problem, result, optimum)
                check_greedy(problem, result, **setting)
        assert steps < 20_000
    check_all(problem, search.result(), optimum, **setting)


def check_stopped(problem, nodes, setting, whole, optimum):
    """Check a search that stops after `nodes` nodes, given the result of the whole search."""
    result = run(problem, node_limit=nodes, **setting)
    with explained(problem, result, optimum, node_limit=nodes, **setting):
        check_any(problem, result, optimum)
        check_greedy(problem, result, **setting)
        check_prefix(result, whole, nodes)
        assert result.statistics["nodes"] <= nodes
        assert result.status in ("node_limit", "optimal", "gap_reached")
        if result.status == "optimal":
            assert result.objective <= optimum + slack_of(problem)
        if result.status == "node_limit":
            assert result.statistics["nodes"] == nodes
            assert result.lower < result.cost
        same_answer(result, run(problem, node_limit=nodes, **setting))


def check_prefix(result, whole, nodes):
    """Assert that the trace of a stopped search is the beginning of the whole trace."""
    first = result.trace[result.trace["nodes"] < nodes]
    second = whole.trace[whole.trace["nodes"] < nodes]
    for name in ("nodes", "restart", "threshold"):
        np.testing.assert_array_equal(first[name], second[name])
    # The objective of the rounded weights, which is replaced by the recounted one at the end.
    for name in ("objective", "lower_bound"):
        np.testing.assert_allclose(
            first[name], second[name], rtol=1e-9, atol=1e-9 + 2 * result.rounding
        )

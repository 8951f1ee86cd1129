"""Runs of the engine, and the checks of every result."""

from contextlib import contextmanager
from math import inf

import numpy as np

from beamtree import _core
from beamtree._engine.engine import Engine, split_settings
from beamtree._table.training_data import binary_training_data
from tests.oracle import best, greedy_objective, objective_of

DEFAULTS = _core.Options()
# These are part of the problem, not of the search: `leaf_weight`, which the tests of the core have,
# `any_depth`, which follows from `max_depth`, and what the user declares of an own objective.
OF_THE_PROBLEM = ("leaf_weight", "any_depth", "costs_grow", "costs_bounded")
# Everything that can be switched off in the core, so that a new switch is tested at once.
SWITCHES = tuple(
    name
    for name in dir(DEFAULTS)
    if isinstance(getattr(DEFAULTS, name), bool) and name not in OF_THE_PROBLEM
)
FUSED = (0, 1, 3, DEFAULTS.fused_granules, 1000)
KERNELS = tuple(_core.kernels())
ALL_OFF = dict.fromkeys(SWITCHES, False)


def run(problem, time_limit=inf, **settings):
    """Return the result of the engine for a problem."""
    search = engine(problem, **settings)
    search.run(time_limit - search.preparation)
    return search.result()


def engine(problem, **settings):
    """Return an engine for a problem, before its first step.

    `settings` are settings and switches of the engine. By default there is no rule and
    one thread.
    """
    given = {
        "max_depth": problem.depth,
        "min_samples_leaf": problem.min_samples_leaf,
        "leaf_penalty": problem.leaf_penalty,
        "rule": None,
        "n_jobs": 1,
    } | settings
    chosen, switches = split_settings(given)
    classes = np.arange(problem.n_classes)
    data = binary_training_data(problem.X, problem.y, problem.weight, classes)
    return Engine(data, chosen, **switches)


def every_setting():
    """Yield each kernel with 0 to 3 exact levels and with all switches on, one off, or all off."""
    for kernel in KERNELS:
        for exact_levels in range(4):
            base = {"kernel": kernel, "exact_levels": exact_levels}
            yield base
            yield base | ALL_OFF
            yield base | {"fused_granules": 0}
            for switch in SWITCHES:
                yield base | {switch: False}


def random_setting(rng):
    """Return a random kernel, number of exact levels, granules to fuse, and switches."""
    switches = {switch: bool(rng.random() < 0.5) for switch in SWITCHES}
    return {
        "kernel": str(rng.choice([*KERNELS, "auto"])),
        "exact_levels": int(rng.choice([0, 1, 2, 3, 3])),
        "fused_granules": int(rng.choice(FUSED)),
        # So small that small problems have probes and subsets of features, too.
        "probe_work": int(rng.choice([1, 300, 5000])),
        "price_depth": int(rng.choice([0, 2, DEFAULTS.price_depth])),
        "wide": int(rng.choice([1, 3, DEFAULTS.wide])),
        "first_width": int(rng.choice([2, 3, 5])),
    } | switches


def slack_of(problem):
    """Return by how much two floats may differ that mean the same objective."""
    return 0.0 if problem.whole else 1e-10 * problem.total


def check_tree(problem, result):
    """Assert that the tree is feasible and agrees with the result."""
    walk = objective_of(result.tree, *problem.question[:3], problem.leaf_penalty)
    tree = result.tree
    assert walk.depth == tree.max_depth <= problem.depth
    assert walk.leaves == tree.n_leaves
    assert walk.leaves == 1 or walk.smallest_leaf >= problem.min_samples_leaf
    assert abs(float(walk.objective) - result.objective) <= slack_of(problem)
    assert walk.errors == result.n_errors
    passed = [walk.rows_of.get(node, 0) for node in range(tree.node_count)]
    assert passed == tree.n_node_samples.tolist()
    assert np.isclose(tree.weighted_n_node_samples[0], problem.total)


def check_bounds(problem, result, optimum):
    """Assert that ``lower_bound <= optimum <= objective`` in the result and in its whole trace.

    In the trace, bound and objective may be those of the rounded weights.
    """
    slack, optimum = slack_of(problem), float(optimum)
    assert result.lower_bound <= optimum + slack
    assert optimum <= result.objective + slack
    assert 0 <= result.lower_bound <= result.objective
    gap = result.objective - result.lower_bound
    assert np.isclose(result.gap, gap / result.objective if result.objective else 0.0)

    trace = result.trace
    assert len(trace) >= 1
    assert never_falls(-trace["objective"])
    for name in ("lower_bound", "nodes", "seconds", "restart", "threshold"):
        assert never_falls(trace[name]), name
    assert trace["lower_bound"][-1] <= optimum + result.rounding + slack
    assert abs(trace["objective"][-1] - result.objective) <= result.rounding + slack


def never_falls(values):
    """Return whether values never fall; differences would fail for infinite thresholds."""
    return (values[1:] >= values[:-1]).all()


def check_clean(tree):
    """Assert that the leaves below every split predict at least two classes."""
    predicted = tree.value[:, 0].argmax(axis=1)

    def classes(node):
        if tree.children_left[node] == -1:
            return {predicted[node]}
        below = classes(tree.children_left[node]) | classes(tree.children_right[node])
        assert len(below) > 1, f"the leaves below node {node} all predict {below}"
        return below

    classes(0)


def check_greedy(problem, result, *, greedy=True, **_setting):
    """Assert that the result is no worse than either greedy tree, unless `greedy` is off.

    The engine compares the trees by the rounded weights.
    """
    for criterion in ("entropy", "gini") if greedy else ():
        objective = float(greedy_objective(*problem.question, criterion=criterion))
        assert result.objective <= objective + 2 * result.rounding + slack_of(problem), criterion


def check_proof(problem, result, optimum):
    """Assert that a search without limits found the optimum and says so."""
    slack, optimum = slack_of(problem), float(optimum)
    if problem.whole:
        assert result.rounding == 0
        assert result.objective == result.lower_bound == optimum
    if result.rounding == 0:
        assert result.status == "optimal"
        assert result.lower_bound == result.objective
    assert result.cost == result.lower
    assert result.status == "optimal"
    assert result.objective - optimum <= result.rounding + slack
    assert result.objective - result.lower_bound <= result.rounding


def check_all(problem, result, optimum, **settings):
    """Check everything of a search that ran to its end."""
    with explained(problem, result, optimum, **settings):
        check_any(problem, result, optimum)
        check_proof(problem, result, optimum)


def hold(problem, settings_list):
    """Compare the engine under each of the settings with the oracle."""
    optimum = best(*problem.question)
    for setting in settings_list:
        check_all(problem, run(problem, **setting), optimum, **setting)


def check_any(problem, result, optimum):
    """Check what holds for every result, however the search ended."""
    check_tree(problem, result)
    check_clean(result.tree)
    check_bounds(problem, result, optimum)


@contextmanager
def explained(problem, result, optimum, **settings):
    """Add the problem as Python code to the message if a check fails."""
    try:
        yield
    except AssertionError as failure:
        raise AssertionError(
            f"{failure}\noptimum {optimum} = {float(optimum)}, objective {result.objective}, "
            f"lower_bound {result.lower_bound}, rounding {result.rounding}, "
            f"status {result.status}\nsettings = {settings}\n{problem}"
        ) from failure


def same_tree(first, second):
    """Return whether two trees are equal in all their nodes."""
    names = ("feature", "children_left", "children_right", "value", "n_node_samples")
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)


def same_answer(first, second):
    """Assert that two results are equal, except for the seconds of their traces."""
    assert same_tree(first.tree, second.tree)
    assert first.status == second.status
    assert (first.cost, first.lower) == (second.cost, second.lower)
    for name in first.trace.dtype.names:
        if name != "seconds":
            np.testing.assert_array_equal(first.trace[name], second.trace[name])

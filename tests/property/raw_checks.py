"""Checks of searches over tables of raw values."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from beamtree import OptimalTreeClassifier
from beamtree._engine.engine import Engine
from beamtree._engine.settings import SETTINGS, Settings
from beamtree._resume.initial_tree import read_training_data
from tests.oracle.raw_tables import every_split, goes_left
from tests.property.checks import (
    check_bounds,
    check_proof,
    explained,
    random_setting,
    slack_of,
)
from tests.property.systems import random_system

TEST = ("threshold", "exact_threshold", "categories", "missing_go_to_left")
STOPS = (0.0, 1e-9, 1e-6, 1e-5, 1e-4)


def hold_table(rng, problem, *, runs=2):
    """Compare the classifier, and some random searches, with the oracle."""
    optimum, by_split = problem.best()
    fit(rng, problem, optimum, by_split)
    some_searches(rng, problem, optimum, runs)


def some_searches(rng, problem, optimum, runs):
    """Check some random searches over the same rows."""
    table = problem.table()
    data = read_training_data(table, np.array(problem.y), problem.weight, Settings(), "Search")
    encoded = data.columns.encode(table)
    for _ in range(runs):
        search(rng, problem, optimum, data, encoded)


def fit(rng, problem, optimum, by_split):
    """Check a fitted classifier, its predictions, and its alternatives."""
    chosen = random_system(rng) | {"exact_levels": int(rng.integers(0, 4))}
    chosen = {} if rng.random() < 0.3 else chosen
    chosen["n_jobs"] = int(rng.integers(1, 3))
    table, y = problem.table(), np.array(problem.y)
    clf = OptimalTreeClassifier(time_limit=None, **problem.settings, **chosen)
    clf.fit(table, y, problem.weight)
    result = as_result(clf)
    with explained(problem, result, optimum, **chosen):
        leaf = check_table_tree(problem, result, clf.columns_)
        assert (clf.predict(table) == clf.tree_.prediction[leaf]).all()
        check_table_proof(problem, result, optimum)
        check_alternatives(problem, clf, by_split)


def as_result(clf):
    """Return the attributes of a classifier under the names of a result."""
    names = ("status", "objective", "lower_bound", "n_errors", "rounding", "tree", "gap")
    return SimpleNamespace(**{name: getattr(clf, f"{name}_") for name in names})


def search(rng, problem, optimum, data, encoded):
    """Check a search with a random strategy, form and switches, and with random stops."""
    threads = int(rng.integers(1, 3))
    chosen = {
        **random_setting(rng),
        **random_system(rng),
        "form": str(rng.choice(["bits", "sorted", "sorted", "sorted", "auto"])),
        "coarse_cuts": int(rng.choice([1, 2, 3, 5, 32])),
        "sweep": str(rng.choice(["auto", "always", "never"])),
        "n_jobs": threads,
        "stop_at_look": int(rng.choice([0, 0, 1, 3, 50])) if threads == 1 else 0,
    }
    stops = rng.choice([np.inf, np.inf, *STOPS])
    given = {name: value for name, value in chosen.items() if name in SETTINGS}
    switches = {name: value for name, value in chosen.items() if name not in SETTINGS}
    settings = Settings(**problem.settings, **given)
    settings.check()
    engine = Engine(data, settings, **switches)
    cost, lower, steps = np.inf, 0, 0
    while not engine.done:
        # A search whose steps are too short for any work would never end.
        engine.step(np.inf if steps > 20 else float(stops))
        outcome, steps = engine.outcome, steps + 1
        assert lower <= outcome.lower <= outcome.cost <= cost
        cost, lower = outcome.cost, outcome.lower
        if steps in (1, 4):
            result = engine.result()
            with explained(problem, result, optimum, steps=steps, **chosen):
                check_table_tree(problem, result, data.columns)
                check_bounds(problem, result, optimum)
        assert steps < 100_000, f"{chosen}\n{problem}"
    result = engine.result()
    with explained(problem, result, optimum, **chosen):
        leaf = check_table_tree(problem, result, data.columns)
        assert (result.tree.apply(encoded) == leaf).all()
        check_bounds(problem, result, optimum)
        check_proof(problem, result, optimum)


def check_table_proof(problem, result, optimum):
    """Assert that a fitted classifier found the optimum and says so."""
    slack, optimum = slack_of(problem), float(optimum)
    if problem.whole:
        assert result.rounding == 0
        assert result.objective == result.lower_bound == optimum
    if result.rounding == 0:
        assert result.status == "optimal"
        assert result.lower_bound == result.objective
    assert result.status == "optimal"
    assert result.lower_bound <= optimum + slack
    assert -slack <= result.objective - optimum <= result.rounding + slack
    assert result.objective - result.lower_bound <= result.rounding


def check_table_tree(problem, result, columns):
    """Assert that the tree is feasible and agrees with the result; return the leaf of each row."""
    tree = result.tree
    weights = problem.weights
    kept = [i for i, weight in enumerate(weights) if weight > 0]
    splits = set(every_split(problem.questions(), kept))
    left = {}
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        column = int(tree.feature[node])
        test = SimpleNamespace(**{name: getattr(tree, name)[node] for name in TEST})
        values = problem.columns[column].values
        left[node] = [goes_left(test, columns.categories[column], value) for value in values]
        side = sum(1 << place for place, i in enumerate(kept) if left[node][i])
        assert {side, side ^ (1 << len(kept)) - 1} & splits, "no split of the table"
        check_neighbours(problem, tree, node, values)

    leaf, depth = [], 0
    for row in range(len(problem.y)):
        node, level = 0, 0
        while node in left:
            node = int((tree.children_left if left[node][row] else tree.children_right)[node])
            level += 1
        leaf.append(node)
        depth = max(depth, level)
    assert tree.max_depth <= problem.depth
    assert tree.n_leaves <= problem.settings.get("max_leaf_nodes", np.inf)
    if len(kept) == len(weights):
        assert depth == tree.max_depth

    rows_of = {node: [i for i in kept if leaf[i] == node] for node in set(leaf)}
    paid, errors = 0, 0
    for node, rows in rows_of.items():
        guess = int(tree.prediction[node])
        paid += sum(weights[i] * Fraction(problem.costs[problem.y[i]][guess]) for i in rows)
        errors += sum(problem.y[i] != guess for i in rows)
        assert tree.n_node_samples[node] == len(rows)
    total = sum(weights)
    paid += Fraction(problem.settings.get("leaf_penalty", 0)) * total * (tree.n_leaves - 1)
    assert abs(float(paid) - result.objective) <= slack_of(problem)
    assert errors == result.n_errors
    if tree.n_leaves > 1:
        least = problem.settings.get("min_samples_leaf", 1)
        least = least * len(kept) - 1e-9 if least < 1 else least
        share = problem.settings.get("min_weight_fraction_leaf", 0.0)
        for rows in rows_of.values():
            assert len(rows) >= least
            assert sum(weights[i] for i in rows) >= float(total) * share * (1 - 1e-9)
        assert len([rows for rows in rows_of.values() if rows]) == tree.n_leaves
    return leaf


def check_neighbours(problem, tree, node, values):
    """Assert that a threshold is between two neighbouring values of its column."""
    if tree.categories[node] is not None or tree.threshold[node] == np.inf:
        assert tree.value_below[node] is None
        assert tree.value_above[node] is None
        return
    weight = problem.weight or [1] * len(values)
    known = sorted({v for v, w in zip(values, weight, strict=True) if w > 0 and v is not None})
    below, above = tree.value_below[node], tree.value_above[node]
    exact = tree.exact_threshold[node]
    limit = float(tree.threshold[node]) if exact is None else exact
    assert below == max(value for value in known if value <= limit)
    assert above == min(value for value in known if value > limit)


def check_alternatives(problem, clf, by_split):
    """Assert that the bounds for each first test enclose the optimum for that test."""
    slack = 1e-12 * problem.total + slack_of(problem) + 2 * clf.rounding_
    kept = [i for i, weight in enumerate(problem.weights) if weight > 0]
    everything = (1 << len(kept)) - 1
    for row in clf.alternatives_.table:
        test = SimpleNamespace(**{name: row[name] for name in TEST})
        column = int(row["column"])
        values = problem.columns[column].values
        left = [goes_left(test, clf.columns_.categories[column], values[i]) for i in kept]
        side = sum(1 << place for place, is_left in enumerate(left) if is_left)
        side = side ^ everything if side & 1 else side
        if side in by_split:
            assert row["lower_bound"] <= float(by_split[side]) + slack
            # A penalty above all costs is lowered, because no split can pay for either of them.
            if not {"cost_matrix", "leaf_penalty"} <= set(problem.settings):
                assert row["objective"] >= float(by_split[side]) - slack

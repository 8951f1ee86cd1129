"""The two forms in which the core holds rows: columns of bits, and sorted columns."""

import numpy as np
import pytest

from beamtree import _core, rules
from beamtree._engine.strategy import rule_parts

RULES = [
    None,
    rules.Discrepancy(),
    rules.TopK(),
    rules.HalvingTopK(),
    rules.Gain(),
    rules.Purity(),
    rules.Both(rules.Discrepancy(), rules.Purity()),
]
HEURISTICS = ["auto", "lookahead", "information_gain", "gini", "gain_ratio", "error", "given"]


def random_problem(rng):
    """Return ranks, cuts, classes, weights, the number of classes, and options."""
    n_rows, n_orders, n_classes = rng.integers(2, 60), rng.integers(1, 5), rng.integers(2, 5)
    ranks = [
        np.unique(rng.integers(0, rng.integers(2, 30), n_rows), return_inverse=True)[1]
        for _ in range(n_orders)
    ]
    y = rng.integers(0, n_classes, n_rows)
    if rng.random() < 0.5:
        y = (ranks[0] > np.median(ranks[0])) + (rng.random(n_rows) < 0.2)
    weight = rng.integers(1, 5, n_rows) if rng.random() < 0.4 else np.ones(n_rows, dtype=np.int64)
    if rng.random() < 0.1:
        weight = weight * rng.integers(1, 10**6)
    options = {"max_depth": int(rng.integers(1, 5)), "leaf_weight": bool(rng.random() < 0.2)}
    if rng.random() < 0.35:
        options["min_samples_leaf"] = int(rng.integers(2, 6))
    if rng.random() < 0.35:
        options["penalty"] = int(rng.integers(1, 4) * weight.max())
    if rng.random() < 0.3:
        options["unit"] = int(rng.integers(1, 4))
    ranks = np.array(ranks, dtype=np.uint32)
    cuts = ranks.max(axis=1).astype(np.int32)
    return _core.Ranks(ranks, cuts), y.astype(np.int32), weight, int(n_classes), options


def random_strategy(rng):
    """Return a rule, and options that change the way to the optimum."""
    threads = int(rng.integers(1, 3))
    options = {
        "threads": threads,
        "exact_levels": int(rng.integers(0, 4)),
        "probe": bool(rng.random() < 0.5),
        "polish": bool(rng.random() < 0.5),
        "probe_work": int(rng.choice([1, 1000, 20_000_000])),
        "kernel": str(rng.choice(["portable", "auto"])),
        "schedule": str(rng.choice(["luby", "monotonic", "exponential"])),
        "heuristic": str(rng.choice(HEURISTICS)),
        "coarse_cuts": int(rng.integers(1, 5)),
        "stop_at_look": int(rng.choice([0, 0, 1, 3, 50])) if threads == 1 else 0,
    }
    return RULES[rng.integers(len(RULES))], options


def solve(rows, y, weight, n_classes, rule=None, **options):
    """Return the outcome of a search that runs to its end, and check it after each step."""
    parts, switches = rule_parts(rule)
    chosen = _core.Options()
    for name, value in (switches | options).items():
        setattr(chosen, name, value)
    search = _core.Search(rows, y, weight, n_classes, chosen, parts)
    cost, lower, steps = np.inf, 0, 0
    while not search.done:
        search.step(1e9, 2**62, 0.0, 0)
        outcome = search.outcome()
        assert lower <= outcome.lower <= outcome.cost <= cost
        cost, lower, steps = outcome.cost, outcome.lower, steps + 1
        assert steps < 100_000
    return search.outcome()


@pytest.mark.parametrize("block", range(20))
def test_both_forms_find_the_same_optimum(block):
    for seed in range(20 * block, 20 * block + 20):
        rng = np.random.default_rng(seed)
        *problem, options = random_problem(rng)
        expected = solve(*problem, form="bits", **options)
        rule, strategy = random_strategy(rng)
        found = solve(*problem, rule=rule, form="sorted", **{**options, **strategy})
        assert found.status == expected.status == "optimal"
        assert found.cost == found.lower == expected.cost, seed


def test_a_search_over_sorted_columns_is_saved_and_restored():
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(300) for _ in range(3)], dtype=np.uint32)
    rows = _core.Ranks(ranks, np.full(3, 299, dtype=np.int32))
    y, weight = rng.integers(0, 2, 300).astype(np.int32), np.ones(300, dtype=np.int64)
    parts, switches = rule_parts(rules.Discrepancy())
    options = _core.Options()
    for name, value in (switches | {"form": "sorted", "max_depth": 3}).items():
        setattr(options, name, value)

    def start():
        return _core.Search(rows, y, weight, 2, options, parts)

    search = start()
    for _ in range(5):
        search.step(1e9, 2**62, 0.0, 0)
    pieces = []
    search.save(pieces.append)
    pieces.append(b"")
    restored = start()
    restored.restore(iter(pieces).__next__)
    assert restored.outcome().cost == search.outcome().cost
    assert restored.outcome().lower == search.outcome().lower
    while not restored.done:
        restored.step(1e9, 2**62, 0.0, 0)
    while not search.done:
        search.step(1e9, 2**62, 0.0, 0)
    assert restored.outcome().cost == search.outcome().cost == search.outcome().lower

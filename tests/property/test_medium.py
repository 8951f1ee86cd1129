"""Problems too large for the oracle: settings of the engine are compared with each other."""

import numpy as np
import pytest

from tests.property.checks import (
    ALL_OFF,
    KERNELS,
    SWITCHES,
    check_tree,
    random_setting,
    run,
    same_answer,
    same_tree,
)
from tests.property.problems import medium_problem, random_problem
from tests.soak import trials

SHAPES = [  # rows, features, depth, classes
    (200, 40, 3, 2),
    (250, 24, 4, 3),
    (300, 12, 5, 2),
    (400, 30, 3, 4),
    (700, 16, 4, 2),
    (1000, 20, 3, 3),
    (1500, 14, 4, 4),
    (2000, 12, 5, 2),
]


def hold_together(problem, settings):
    """Assert that every setting proves the same cost, with a tree of that cost."""
    first = run(problem)
    check_tree(problem, first)
    assert first.cost == first.lower
    for setting in settings:
        result = run(problem, **setting)
        assert (result.cost, result.lower) == (first.cost, first.cost), setting
        if not same_tree(first.tree, result.tree):  # walking many rows through a tree is slow
            check_tree(problem, result)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("weight", ["none", "small", "large", "huge", "boosted"])
def test_settings_agree(shape, weight):
    rows, features, depth, classes = shape
    rng = np.random.default_rng([40, rows, len(weight)])
    problem = medium_problem(
        rng, rows=rows, features=features, depth=depth, classes=classes, weight=weight,
        leaf=int(rng.choice([1, 1, 5, 20])), penalty=float(rng.choice([0.0, 0.0, 0.005, 0.0123])),
    )  # fmt: skip
    plain = [{"exact_levels": levels} for levels in range(3)]
    one_off = [{switch: False} for switch in SWITCHES] + [{"fused_granules": 0}]
    mixed = [random_setting(rng) for _ in range(4)]
    hold_together(problem, [*plain, *one_off, *mixed])


@pytest.mark.parametrize("chunk", trials(5, soak=60))
def test_many_searches_agree(chunk):
    """500 problems that are slightly too large for the oracle, two settings each.

    A lower bound that is too high seldom does harm: only if the search asks for it again, which
    happens in trees of five levels, where the same cover is reached by many paths.
    """
    plain = {"similarity_bound": False, "archive_bound": False, "parent_bound": False}
    for seed in range(100):
        rng = np.random.default_rng([47, chunk, seed])
        problem = random_problem(rng, rows=(60, 200), features=(10, 16), depth=5, hard=True)
        expected = run(problem, exact_levels=2, **plain)
        for setting in ({}, random_setting(rng)):
            result = run(problem, **setting)
            assert result.cost == result.lower == expected.cost, f"{setting}\n{problem}"


@pytest.mark.parametrize("seed", range(4))
def test_the_plainest_search_agrees(seed):
    """With all switches off, the search is a depth first search with a cache."""
    rng = np.random.default_rng([41, seed])
    problem = medium_problem(
        rng, rows=150, features=12, depth=4, classes=2 + seed, leaf=1 + 2 * (seed % 2)
    )
    hold_together(problem, [ALL_OFF | {"exact_levels": levels} for levels in range(4)])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("exact_levels", [0, 2, 3])
def test_runs_and_kernels_give_the_same_tree(seed, exact_levels):
    rng = np.random.default_rng([42, seed])
    problem = medium_problem(
        rng, rows=100 + 60 * seed, features=10 + 2 * seed, depth=3 + seed % 3 // 2,
        classes=2 + seed % 3, weight=["none", "large", "boosted", "huge"][seed % 4],
    )  # fmt: skip
    first = run(problem, exact_levels=exact_levels)
    same_answer(first, run(problem, exact_levels=exact_levels))
    for kernel in KERNELS:
        same_answer(first, run(problem, exact_levels=exact_levels, kernel=kernel))


@pytest.mark.parametrize("factor", [2**7, 2**20, 2**33])
@pytest.mark.parametrize("seed", range(4))
def test_wide_lanes_find_the_same_optimum(seed, factor):
    """The optimum of weights times a factor is the factor times the old one, or one more.

    One row weighs one more, so that the weights have no common divisor.
    """
    rng = np.random.default_rng([43, seed])
    problem = medium_problem(
        rng, rows=600, features=16, depth=3 + seed % 2, classes=2 + seed // 2, weight="small"
    )
    once = problem.but(weight=problem.weight.copy())
    once.weight[0] = 1.0
    scaled = once.but(weight=once.weight * factor)
    scaled.weight[0] += 1
    optimum = run(once).objective
    for setting in [
        {},
        {"exact_levels": 0},
        {"exact_levels": 2},
        *({"kernel": k} for k in KERNELS),
    ]:
        assert run(scaled, **setting).objective // factor == optimum


@pytest.mark.parametrize("features", [63, 64, 65, 127, 129, 200, 255, 256, 257, 300])
def test_many_features(features):
    rng = np.random.default_rng([44, features])
    problem = medium_problem(rng, rows=120, features=features, depth=3, classes=2 + features % 2)
    settings = [{"kernel": kernel} for kernel in KERNELS]
    settings += [{"exact_levels": 2}, {"cell_cache": False, "cancel_rows": False}]
    hold_together(problem, settings)


def test_thousands_of_features():
    problem = medium_problem(np.random.default_rng(45), rows=80, features=2500, depth=2)
    hold_together(problem, [{"kernel": kernel} for kernel in KERNELS])
    wide = problem.but(X=np.ascontiguousarray(problem.X[:, :1030]))
    hold_together(wide, [{"exact_levels": 1}])


@pytest.mark.parametrize(
    ("rows", "weight"),
    [(65_535, "none"), (65_536, "none"), (65_536, "small"), (70_000, "huge"), (140_000, "none")],
)
def test_many_rows(rows, weight):
    """More rows than 16 bits can count."""
    rng = np.random.default_rng([46, rows])
    problem = medium_problem(rng, rows=rows, features=24, depth=3, classes=3, weight=weight)
    settings = [{"kernel": kernel} for kernel in KERNELS]
    settings += [{"exact_levels": 2}, {"merge_rows": False}, {"cancel_rows": False}]
    hold_together(problem, settings)

"""Thousands of small problems, compared with the oracle under every setting of the engine.

The problems have 6 to 9 features, so that the levels above the exact kernels have work.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.checks import (
    KERNELS,
    every_setting,
    hold,
    random_setting,
    run,
    same_answer,
)
from tests.property.problems import WEIGHTS, problems, random_problem
from tests.soak import trials


@pytest.mark.parametrize("chunk", trials(8, soak=60))
def test_default_and_random_settings(chunk):
    """800 problems of every kind, three settings each."""
    for seed in range(100):
        rng = np.random.default_rng([10, chunk, seed])
        hold(random_problem(rng), [{}, random_setting(rng), random_setting(rng)])


@pytest.mark.parametrize("chunk", trials(10, soak=60))
def test_hard_problems(chunk):
    """500 problems whose best tree is full, with up to five levels, four settings each."""
    for seed in range(50):
        rng = np.random.default_rng([15, chunk, seed])
        problem = random_problem(rng, rows=(40, 120), depth=3 + seed % 3, hard=True)
        hold(problem, [{}, random_setting(rng), random_setting(rng), random_setting(rng)])


@pytest.mark.parametrize("chunk", trials(1, soak=5))
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("depth", range(6))
def test_every_weight_at_every_depth(depth, weight, chunk):
    """360 problems with all kinds of weights, three settings each."""
    for seed in range(6):
        rng = np.random.default_rng([11, depth, chunk, seed])
        problem = random_problem(rng, rows=(30, 90), depth=depth, weight=weight)
        hold(problem, [{}, random_setting(rng), random_setting(rng)])


@pytest.mark.parametrize("seed", trials(20, soak=120))
def test_every_setting(seed):
    """Each kernel with 0 to 3 exact levels and with all switches on, one off, or all off."""
    rng = np.random.default_rng([12, seed])
    problem = random_problem(rng, rows=(10, 80), depth=1 + seed % 5, hard=seed % 2 == 0)
    hold(problem, every_setting())


@pytest.mark.parametrize("seed", trials(20, soak=120))
def test_many_subsets_of_switches(seed):
    """64 random settings on each of 20 problems with four or five levels."""
    rng = np.random.default_rng([13, seed])
    problem = random_problem(rng, rows=(30, 100), depth=4 + seed % 2, hard=True)
    hold(problem, [random_setting(rng) for _ in range(64)])


@pytest.mark.parametrize("chunk", range(4))
def test_runs_and_kernels_give_the_same_tree(chunk):
    """200 problems: tree, nodes and trace are the same in every run and with every kernel."""
    for seed in range(50):
        rng = np.random.default_rng([16, chunk, seed])
        problem = random_problem(rng, rows=(20, 150), hard=True)
        setting = random_setting(rng)
        first = run(problem, **setting)
        for kernel in KERNELS:
            same_answer(first, run(problem, **(setting | {"kernel": kernel})))


@pytest.mark.parametrize("seed", range(20))
def test_deeper_than_the_features(seed):
    """Depths up to 20, where the tree runs out of features or rows first."""
    rng = np.random.default_rng([14, seed])
    problem = random_problem(rng, rows=(5, 25), features=(2, 5), depth=[6, 7, 8, 12, 20][seed % 5])
    hold(problem, [{}, {"exact_levels": 0}, random_setting(rng)])


@given(problems(), st.integers(0, 2**32 - 1))
def test_hypothesis(problem, seed):
    hold(problem, [{}, random_setting(np.random.default_rng(seed))])

"""Searches with several threads and with too little memory find the optimum of the oracle."""

import numpy as np
import pytest

from tests.oracle import best
from tests.property.checks import check_all, check_any, explained, random_setting, run
from tests.property.problems import random_problem
from tests.property.systems import HEURISTICS, NAMED_SCHEDULES, random_rule
from tests.soak import trials

CHUNK = 25


@pytest.mark.parametrize("chunk", trials(20, soak=100))
def test_threads_and_little_memory(chunk):
    for seed in range(CHUNK):
        rng = np.random.default_rng([71, chunk, seed])
        problem = random_problem(rng, depth=int(rng.integers(3, 6)), rows=(5, 40), features=(2, 8))
        setting = random_setting(rng) | {
            "rule": random_rule(rng),
            "schedule": str(rng.choice(NAMED_SCHEDULES)),
            "heuristic": str(rng.choice(HEURISTICS)),
            "threads": int(rng.choice([1, 2, 3])),
            "memory": int(rng.choice([1 << 20, 2 << 20, 1 << 40])),
        }
        optimum = best(*problem.question)
        check_all(problem, run(problem, **setting), optimum, **setting)
        short = setting | {"node_limit": int(rng.integers(1, 30))}
        result = run(problem, **short)
        with explained(problem, result, optimum, **short):
            check_any(problem, result, optimum)


def test_without_memory_there_is_still_a_tree():
    rng = np.random.default_rng(72)
    for _ in range(20):
        problem = random_problem(rng, depth=4, rows=(5, 40), features=(2, 8))
        result = run(problem, memory=0)
        optimum = best(*problem.question)
        with explained(problem, result, optimum):
            check_any(problem, result, optimum)
            assert result.status in ("memory_limit", "optimal")

"""Every rule, schedule and heuristic proves the oracle's optimum with every kernel."""

import numpy as np
import pytest

from beamtree.rules import Both, Gain, Purity, TopK
from tests.oracle import best
from tests.property.checks import (
    ALL_OFF,
    KERNELS,
    SWITCHES,
    check_all,
    check_any,
    explained,
    hold,
    random_setting,
    run,
    same_answer,
    slack_of,
)
from tests.property.problems import medium_problem, random_problem
from tests.property.systems import (
    HEURISTICS,
    RULES,
    SCHEDULES,
    problem_of_passes,
    random_part,
    random_system,
)
from tests.property.test_edges import EDGES
from tests.soak import trials


@pytest.mark.parametrize("round_", trials(1, soak=6))
@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("rule", RULES)
def test_every_combination(rule, heuristic, round_):
    """Each rule with each heuristic and each schedule, on one problem per round.

    Each problem is solved with 3 and 1 exact levels or with 2 and 0, in turn. All kernels give the
    same answer except for the seconds. One round compares 1,456 answers with the oracle.
    """
    numbers = [list(RULES).index(rule), HEURISTICS.index(heuristic), round_]
    for number, schedule in enumerate(SCHEDULES):
        exact_levels = 2 + (sum(numbers) + number) % 2
        rng = np.random.default_rng([50, *numbers, number])
        problem = problem_of_passes(rng)
        optimum = best(*problem.question)
        switches = {switch: bool(rng.random() < 0.5) for switch in SWITCHES}
        system = {"rule": RULES[rule], "schedule": SCHEDULES[schedule], "heuristic": heuristic}
        for levels in (exact_levels, exact_levels - 2):
            setting = switches | system | {"exact_levels": levels}
            results = [run(problem, kernel=kernel, **setting) for kernel in KERNELS]
            check_all(problem, results[0], optimum, **setting)
            for result in results[1:]:
                same_answer(results[0], result)


@pytest.mark.parametrize("chunk", trials(8, soak=60))
def test_random_systems(chunk):
    """400 problems of every kind, three systems each, whose rules have random numbers."""
    for seed in range(50):
        rng = np.random.default_rng([51, chunk, seed])
        features = (5, 8) if seed % 5 else (1, 12)
        problem = random_problem(rng, rows=(3, 70), features=features, hard=seed % 2 == 0)
        hold(problem, [random_setting(rng) | random_system(rng) for _ in range(3)])


@pytest.mark.parametrize("seed", trials(8, soak=60))
def test_many_systems(seed):
    """60 systems on each of eight problems with six levels."""
    rng = np.random.default_rng([52, seed])
    problem = problem_of_passes(rng, rows=(40, 70), features=(7, 8), depth=6)
    hold(problem, [random_setting(rng) | random_system(rng) for _ in range(60)])


@pytest.mark.parametrize("kind", [Gain, Purity])
def test_tiny_units(kind):
    """However small the unit, every pass admits the smallest value that the last one skipped."""
    for seed in range(10):
        rng = np.random.default_rng([57, seed])
        problem = problem_of_passes(rng, levels=1, rows=(10, 25), features=(4, 6), depth=4)
        hold(
            problem,
            [
                {"rule": rule, "schedule": schedule, "exact_levels": 1}
                for rule in (kind(unit=1e-300), Both(kind(unit=1e-12), TopK()))
                for schedule in ("monotonic", "exponential")
            ],
        )


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    """The smallest problems under every rule."""
    hold(
        EDGES[name],
        [{"rule": rule, "exact_levels": levels} for rule in RULES.values() for levels in (0, 2)],
    )


@pytest.mark.parametrize("rule", RULES)
def test_rules_on_medium_problems(rule):
    """Problems too large for the oracle: each rule is compared with the plainest search."""
    for seed in range(3):
        rng = np.random.default_rng([53, seed])
        problem = medium_problem(
            rng, rows=120 + 40 * seed, features=10 + seed, depth=5, classes=2 + seed
        )
        expected = run(problem, **ALL_OFF)
        for setting in ({"exact_levels": 2}, {"schedule": "exponential"}):
            result = run(problem, rule=RULES[rule], **setting)
            assert result.cost == result.lower == expected.cost, f"{setting}\n{problem}"
            assert result.status == "optimal"


@pytest.mark.parametrize("seed", range(1, 5))
def test_subsets_of_wide_problems(seed):
    """With more than 128 features, early passes try only some of them at each node."""
    problem = medium_problem(
        np.random.default_rng([54, seed]),
        rows=90 + 5 * seed,
        features=132 + 2 * seed,
        depth=4,
        classes=2 + seed % 2,
        weight=["none", "small"][seed == 2],
        leaf=1 + seed // 3,
        noise=0.4,
    )
    expected = run(problem)
    assert expected.statistics["features"] > 128
    rng = np.random.default_rng([55, seed])
    systems = [
        *({"rule": rule} for rule in ("auto", "discrepancy", "gain", None)),
        {"rule": "auto", "exact_levels": 2},
        {"rule": RULES["top-k + purity"], "schedule": "exponential"},
        {"rule": random_part(rng), "schedule": "exponential", "kernel": KERNELS[-1]},
    ]
    for system in systems:
        result = run(problem, **({"subsets": True} | system))
        with explained(problem, result, expected.objective, **system):
            assert result.cost == result.lower == expected.cost
            check_any(problem, result, expected.objective)


@pytest.mark.parametrize(
    ("rows", "features", "depth", "classes", "weight"),
    [(250, 54, 5, 2, "none"), (400, 50, 5, 2, "small"), (120, 132, 4, 3, "none")],
)
def test_probes(rows, features, depth, classes, weight):
    """Problems that take long enough for probes, compared with the default search."""
    rng = np.random.default_rng([56, rows])
    problem = medium_problem(
        rng, rows=rows, features=features, depth=depth, classes=classes, weight=weight, noise=0.4
    )
    expected = run(problem)
    settings = [
        {"rule": "auto"},
        {"rule": "auto", "kernel": KERNELS[-1], "schedule": "exponential"},
        {"rule": RULES["discrepancy + gain"]},
        # These find the best tree late, so that a wrong bound would show.
        {"rule": "top-k", "heuristic": "given", "schedule": "monotonic"},
        {"rule": "discrepancy", "heuristic": "given", "schedule": "monotonic"},
    ]
    probes = 0
    for setting in settings:
        result = run(problem, **({"probe": True} | setting))
        with explained(problem, result, expected.objective, **setting):
            assert result.cost == result.lower == expected.cost
            assert abs(result.objective - expected.objective) <= slack_of(problem)
        probes += result.statistics["probes"]
    assert probes > 0

"""Schedules: their multiples, and searches that follow them."""

import pickle
from copy import deepcopy
from itertools import islice

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier
from beamtree._engine import engine
from beamtree._engine.strategy import SCHEDULES, schedule_options
from beamtree.datasets import tic_tac_toe
from beamtree.rules import Discrepancy
from beamtree.schedules import Exponential, Luby, Monotonic, Sequence
from tests.python.rules.own_rules import Listening


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Monotonic(), [0, 1, 2, 3, 4, 5, 6, 7]),
        (Exponential(), [0, 1, 2, 4, 8, 16, 32, 64]),
        (Luby(), [0, 1, 2, 4, 5, 6, 8, 12]),
        (Sequence((0, 3, 4)), [0, 3, 4, 5, 6, 7, 8, 9]),
        (Sequence([1, 10]), [1, 10, 19, 28, 37, 46, 55, 64]),
        (Sequence((0.5,)), [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]),
        (Sequence((0, 2, 2.5)), [0, 2, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]),
    ],
)
def test_multiples(schedule, expected):
    assert list(islice(schedule.multiples(), 8)) == expected


def test_luby_adds_the_sequence_of_luby():
    steps = np.diff(list(islice(Luby().multiples(), 32)))
    assert steps.tolist() == [
        *(1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1),
        *(1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 16),
    ]


@pytest.mark.parametrize("schedule", [Luby(), Sequence((0, 3))])
def test_schedules_are_values(schedule):
    assert deepcopy(schedule) == schedule
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert len({schedule, deepcopy(schedule)}) == 1


def test_steps_may_come_in_any_form():
    expected = Sequence((0, 1, 5))
    assert Sequence([0, 1, 5]) == expected
    assert Sequence(np.array([0, 1, 5])) == expected
    assert Sequence(step for step in (0, 1, 5)) == expected


@pytest.mark.parametrize(
    "steps", [(), (1, 0), (0, 2, 2), (-1,), (0, np.nan), (np.inf,), ("0",), (True,), "01", 3, None]
)
def test_steps_must_be_numbers_that_increase(steps):
    message = "^Sequence.steps must be a sequence of one or more finite, increasing numbers"
    with pytest.raises(ValueError, match=message):
        Sequence(steps)


@pytest.mark.parametrize(
    ("schedule", "options"),
    [
        ("luby", {"schedule": "luby"}),
        (Exponential(), {"schedule": "exponential"}),
        (Sequence((0, 2)), {"schedule": "sequence", "steps": [0.0, 2.0]}),
        ((0, 2), {"schedule": "sequence", "steps": [0.0, 2.0]}),
        ([0, 2], {"schedule": "sequence", "steps": [0.0, 2.0]}),
    ],
)
def test_options_for_the_core(schedule, options):
    assert schedule_options(schedule) == options


EVERY = [*SCHEDULES, Monotonic(), Sequence((0, 4)), [0, 0.5, 1, 7], (3, 3.5)]


@pytest.mark.parametrize("schedule", EVERY, ids=str)
@pytest.mark.parametrize("rule", ["auto", "discrepancy", "gain", "top-k-star"])
def test_every_schedule_proves_the_optimum(rule, schedule):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=4, rule=rule, schedule=schedule).fit(X, y)
    assert (clf.status_, clf.objective_) == ("optimal", 137)


@pytest.mark.parametrize("schedule", [Monotonic(), Exponential(), Luby(), Sequence((0, 2, 7))])
@pytest.mark.parametrize("unit", [1, 3])
def test_thresholds_lie_on_the_schedule(schedule, unit):
    X, y, _, _ = tic_tac_toe()
    result = engine.run(
        X, y.astype(np.int32), None, 2, max_depth=4, exact_levels=1,
        rule=Discrepancy(start=2, unit=unit), schedule=schedule, heuristic="given",
    )  # fmt: skip
    thresholds = set(result.trace["threshold"].tolist())
    assert len(thresholds) > 2
    assert thresholds <= {2 + unit * multiple for multiple in islice(schedule.multiples(), 500)}


@pytest.mark.parametrize("schedule", [Monotonic(), Exponential(), Luby(), Sequence((0, 2, 7))])
def test_rules_get_the_increments(schedule):
    X, y, _, _ = tic_tac_toe()
    rule = Listening()
    OptimalTreeClassifier(
        max_depth=4, rule=rule, schedule=schedule, heuristic="given", exact_levels=2
    ).fit(X, y)
    multiples = list(islice(schedule.multiples(), len(rule.steps) + 1))
    assert len(rule.steps) > 2
    assert rule.steps == np.diff(multiples).tolist()

"""The engine: what it reports to its listener, and what it concludes from an outcome."""

from types import SimpleNamespace

import numpy as np
import pytest

from beamtree import _core
from beamtree._engine import engine
from beamtree._engine.integer_weights import integer_problem
from beamtree._engine.outcome import verdict
from beamtree._engine.settings import SETTINGS
from beamtree._table.training_data import binary_training_data
from beamtree.datasets import monks, tic_tac_toe


@pytest.fixture
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y.astype(np.int32)


def test_the_listener_gets_every_improvement_in_real_units(boards):
    X, y = boards
    heard = []
    weight = np.full(len(y), 0.25)
    result = engine.run(
        X, y, weight, 2, max_depth=3, listener=lambda engine: heard.append(engine.improvement)
    )
    assert result.objective == 54.0
    assert heard == result.trace.tolist()
    assert heard[-1][2] == 54.0


def test_an_error_of_the_listener_is_raised(boards):
    X, y = boards

    def fail(*_improvement):
        msg = "enough"
        raise KeyError(msg)

    with pytest.raises(KeyError, match="enough"):
        engine.run(X, y, None, 2, max_depth=3, listener=fail)


def test_an_unknown_switch_is_an_error(boards):
    X, y = boards
    with pytest.raises(AttributeError, match="warp"):
        engine.run(X, y, None, 2, max_depth=1, warp=True)


@pytest.mark.parametrize("name", sorted(SETTINGS.keys() - engine.READ - {"time_limit"}))
def test_a_setting_that_would_be_ignored_is_an_error(boards, name):
    X, y = boards
    with pytest.raises(TypeError, match=f"^{name} is a setting that the engine does not read"):
        engine.run(X, y, None, 2, **{"max_depth": 1, name: SETTINGS[name].default})


def test_the_engine_reads_no_other_setting(boards):
    """Settings that have only those attributes are enough for an engine."""
    X, y = boards
    settings = SimpleNamespace(**{name: SETTINGS[name].default for name in engine.READ})
    data = binary_training_data(X, y, None, np.arange(2))
    assert engine.Engine(data, settings).result().n_errors > 0


@pytest.mark.parametrize("kernel", [*_core.kernels(), "auto"])
def test_kernels_agree(kernel):
    X, y, _, _ = monks(1)
    result = engine.run(X, y.astype(np.int32), None, 2, max_depth=3, kernel=kernel)
    assert (result.objective, result.status) == (48.0, "optimal")


def test_algorithms_without_passes(boards):
    """At depth 4 the optimum is 137 errors; a single leaf has 332."""
    X, y = boards
    blossom = engine.run(X, y, None, 2, max_depth=4, algorithm="blossom", greedy=False)
    assert (blossom.objective, blossom.status) == (137.0, "optimal")
    assert blossom.trace["objective"][0] == 332.0
    lgdt = engine.run(X, y, None, 2, max_depth=4, algorithm="lgdt", greedy=False)
    assert (len(lgdt.trace), lgdt.status) == (2, "rule_limit")
    assert 137.0 <= lgdt.objective < 332.0


def test_an_unknown_algorithm_is_an_error(boards):
    X, y = boards
    with pytest.raises(ValueError, match=r"^algorithm must be one of restarts, blossom, lgdt"):
        engine.run(X, y, None, 2, max_depth=1, algorithm="bud")


def test_an_algorithm_without_passes_has_no_rule(boards):
    X, y = boards
    with pytest.raises(ValueError, match="rule must be None if algorithm is 'lgdt', got a rule"):
        engine.run(X, y, None, 2, max_depth=1, algorithm="lgdt", rule="discrepancy")


class Outcome:
    def __init__(self, status, cost, lower):
        self.status, self.cost, self.lower = status, cost, lower


EXACT = integer_problem(np.full(100, 0.5))
ROUNDED = integer_problem(np.random.default_rng(0).random(100) + 0.5)


@pytest.mark.parametrize(
    ("outcome", "problem", "objective", "status", "lower_bound"),
    [
        (Outcome("optimal", 10, 10), EXACT, 5.0, "optimal", 5.0),
        (Outcome("time_limit", 10, 4), EXACT, 5.0, "time_limit", 2.0),
        (Outcome("time_limit", 10, 0), EXACT, 5.0, "time_limit", 0.0),
        (Outcome("interrupted", 10, 9), EXACT, 5.0, "interrupted", 4.5),
        (Outcome("optimal", 0, 0), ROUNDED, 0.0, "optimal", 0.0),
        (Outcome("time_limit", 1000, 0), ROUNDED, 0.05, "time_limit", 0.0),
    ],
)
def test_verdict(outcome, problem, objective, status, lower_bound):
    assert verdict(outcome, problem, objective) == (status, lower_bound)


def test_verdict_counts_the_rounding():
    cost = 2**33
    least = ROUNDED.objective(cost)
    real = least + 0.4 * ROUNDED.rounding
    status, lower_bound = verdict(Outcome("optimal", cost, cost), ROUNDED, real)
    assert status == "optimal"
    assert least - ROUNDED.rounding < lower_bound < least
    status, _ = verdict(Outcome("time_limit", cost, cost - 1), ROUNDED, real)
    assert status == "time_limit"
    # No bound is above the objective.
    assert verdict(Outcome("optimal", cost, cost), ROUNDED, real / 2) == ("optimal", real / 2)
    # A complete search proves nothing if rounding cannot explain the difference.
    status, _ = verdict(Outcome("optimal", cost, cost), ROUNDED, least + 2.0 * ROUNDED.rounding)
    assert status == "gap_reached"

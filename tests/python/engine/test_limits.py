"""Limits: each has its own status, and leaves a fitted classifier and a valid bound."""

from multiprocessing import get_context

import joblib
import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree._engine.integer_weights import integer_problem
from beamtree._engine.limits import Limits, threads_of
from beamtree.datasets import tic_tac_toe
from beamtree.rules import Both, Gain
from tests.python.rules.own_rules import OwnDiscrepancy
from tests.unfinished import unfinished


@pytest.fixture(scope="module")
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


@pytest.fixture(scope="module")
def endless():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (1500, 40)), rng.integers(0, 2, 1500)


@pytest.mark.parametrize("gap", [0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("weighted", [False, True])
def test_gap_limit(boards, gap, weighted):
    X, y = boards
    weight = np.random.default_rng(0).random(len(y)) + 0.1 if weighted else None
    clf = OptimalTreeClassifier(max_depth=5, gap_limit=gap, rule="auto").fit(X, y, weight)
    assert clf.status_ in ("gap_reached", "optimal")
    assert clf.gap_ <= gap
    assert 0 <= clf.lower_bound_ <= clf.objective_
    assert clf.trace_["objective"][-1] == clf.objective_


def test_a_gap_limit_of_1_ends_the_search_at_once(boards):
    clf = OptimalTreeClassifier(max_depth=5, gap_limit=1).fit(*boards)
    assert clf.status_ == "gap_reached"
    assert len(clf.trace_) == 1


def test_a_smaller_gap_limit_continues_the_search(boards):
    search = Search(*boards, max_depth=5, gap_limit=1.0)
    first = search.run()
    assert first.status == "gap_reached"
    assert not search.done
    second = search.run(gap_limit=0.0)
    assert (second.status, second.objective) == ("optimal", 63)
    with pytest.raises(ValueError, match="gap_limit must be a finite number of at least 0, got -1"):
        search.run(gap_limit=-1)


def test_a_larger_node_limit_continues_the_search(endless):
    search = Search(*endless, max_depth=5, node_limit=10)
    first = search.run()
    assert (first.status, first.statistics["nodes"]) == ("node_limit", 10)
    second = search.run(node_limit=100)
    assert (second.status, second.statistics["nodes"]) == ("node_limit", 100)
    assert second.objective <= first.objective
    assert search.step() is None
    assert search.status == "node_limit"


@unfinished
def test_node_limits_are_deterministic(endless):
    fits = [OptimalTreeClassifier(max_depth=5, node_limit=60).fit(*endless) for _ in range(2)]
    for name in ("nodes", "objective", "lower_bound", "restart", "threshold"):
        np.testing.assert_array_equal(*(clf.trace_[name] for clf in fits))
    np.testing.assert_array_equal(*(clf.tree_.feature for clf in fits))


@unfinished
@pytest.mark.parametrize("limit", [0, 0.001])
def test_hardly_any_time(endless, limit):
    X, y = endless
    clf = OptimalTreeClassifier(max_depth=6, time_limit=limit).fit(X, y)
    assert clf.status_ == "time_limit"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()


def test_preparation_is_reported(boards):
    clf = OptimalTreeClassifier(max_depth=2).fit(*boards)
    assert 0 < clf.statistics_["preparation_seconds"] <= clf.trace_["seconds"][0]
    assert Search(*boards, max_depth=2).run().statistics["preparation_seconds"] > 0


def test_the_slack_covers_the_rounding():
    problem = integer_problem(np.random.default_rng(0).random(100) + 0.5)
    _, _, gap, slack = Limits(None, 0.5).budget(1.0, problem)
    assert gap == 0.5
    assert problem.objective(slack) >= 1.5 * problem.rounding > 0
    exact = integer_problem(np.ones(10))
    assert Limits(7, 0.5).budget(-1.0, exact) == (0.0, 7, 0.5, 0)


def test_threads_are_as_in_joblib():
    cores = joblib.cpu_count()
    assert threads_of(None, "auto") == 1
    assert threads_of(3, None) == 3
    assert threads_of(-1, "auto") == cores
    assert threads_of(-cores, "gain") == 1
    with joblib.parallel_config(n_jobs=2, backend="threading"):
        assert threads_of(None, "auto") == 2
    assert threads_of(10**6, "auto") <= 4 * cores
    for rule in (OwnDiscrepancy(), Both(Gain(), OwnDiscrepancy())):
        assert threads_of(4, rule) == 1


def test_threads_in_the_processes_of_a_pool():
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(threads_of, (2, "auto")) == 2


@pytest.mark.parametrize("rule", ["auto", None, "discrepancy"])
def test_two_threads_prove_the_same(boards, rule):
    clf = OptimalTreeClassifier(max_depth=5, n_jobs=2, rule=rule).fit(*boards)
    assert (clf.status_, clf.objective_, clf.lower_bound_) == ("optimal", 63, 63)


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("gap_limit", -0.1, "a finite number of at least 0"),
        ("gap_limit", np.inf, "a finite number of at least 0"),
        ("gap_limit", np.nan, "a finite number of at least 0"),
        ("gap_limit", None, "a finite number of at least 0"),
        ("n_jobs", 0, "None or an integer other than 0"),
        ("n_jobs", 1.0, "None or an integer other than 0"),
        ("n_jobs", True, "None or an integer other than 0"),
        ("callback", 3, "None or a callable"),
        ("cancel", True, "None or a beamtree.CancelToken"),
        ("on_interrupt", "stop", "'auto', 'keep' or 'raise'"),
        ("on_interrupt", None, "'auto', 'keep' or 'raise'"),
        ("verbose", -1, "a bool or an integer of at least 0"),
    ],
)
def test_wrong_values(name, value, what):
    message = f"^{name} must be {what}, got {value!r}$"
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(**{name: value}).fit("not looked at", None)
    with pytest.raises(ValueError, match=message):
        Search("not looked at", None, **{name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "time_limit",
            10**400,
            "None or a number of seconds of at least 0, got an integer of",
        ),
        ("gap_limit", 10**5000, "a finite number of at least 0, got an integer of 16610 bits"),
        ("memory_limit", "9" * 400 + "GB", "None, a number of bytes of at least 1, or text"),
        ("on_interrupt", np.array(["keep", "raise"]), "'auto', 'keep' or 'raise', got array"),
    ],
    ids=["time", "gap", "memory", "interrupt"],
)
def test_values_that_cannot_be_compared(name, value, message):
    with pytest.raises(ValueError, match=f"^{name} must be {message}"):
        OptimalTreeClassifier(**{name: value}).fit([[0], [1]], [0, 1])


def test_bad_warm_start(boards):
    with pytest.raises(ValueError, match=r"^warm_start must be True or False, got 1$"):
        OptimalTreeClassifier(warm_start=1).fit(*boards)

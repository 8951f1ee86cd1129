"""Ctrl-C keeps the tree."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree._engine import Engine
from tests.python.own_rules import OwnDiscrepancy


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 60))
    return X, rng.integers(0, 2, 2000)


@pytest.fixture
def on_interrupt():
    """Set a handler; a process that was started in the background may ignore Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_returns_the_fitted_classifier(problem, on_interrupt):
    X, y = problem
    on_interrupt(signal.default_int_handler)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    clf = OptimalTreeClassifier(max_depth=7, time_limit=30).fit(X, y)
    assert time.perf_counter() - start < 5
    assert clf.status_ == "interrupted"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()
    assert 0 <= clf.lower_bound_ <= clf.objective_


def test_a_handler_of_the_users_own_may_raise(problem, on_interrupt):
    X, y = problem

    def handler(*_):
        raise RuntimeError("stop it")

    on_interrupt(handler)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(RuntimeError, match="stop it"):
        OptimalTreeClassifier(max_depth=7, time_limit=30).fit(X, y)


def test_ctrl_c_in_a_rule_is_like_any_other(problem, on_interrupt):
    class Pressed(OwnDiscrepancy):
        def relax(self, _step):
            os.kill(os.getpid(), signal.SIGINT)
            return True

    X, y = problem
    on_interrupt(signal.default_int_handler)
    clf = OptimalTreeClassifier(max_depth=5, rule=Pressed(), time_limit=30).fit(X, y)
    assert clf.status_ == "interrupted"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()


def test_ctrl_c_between_steps_keeps_the_tree(problem, on_interrupt):
    X, y = problem
    on_interrupt(signal.default_int_handler)
    engine = Engine(X.astype(np.uint8), y.astype(np.int32), None, 2, max_depth=5)
    engine.run(30, [lambda *_: os.kill(os.getpid(), signal.SIGINT)])
    result = engine.result()
    assert result.status == "interrupted"
    assert len(result.trace) == 1
    engine.run(0)
    assert engine.result().status == "time_limit"


def test_a_search_goes_on_after_ctrl_c(problem, on_interrupt):
    search = Search(*problem, max_depth=7)
    on_interrupt(signal.default_int_handler)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    first = search.run(time_limit=30)
    assert first.status == "interrupted"
    assert not search.done
    second = search.run(time_limit=0.1)
    assert second.status == "time_limit"
    assert second.statistics["nodes"] >= first.statistics["nodes"]


def test_a_search_with_an_own_rule_goes_on_after_ctrl_c(problem, on_interrupt):
    class PressedOnce(OwnDiscrepancy):
        pressed = False

        def relax(self, step):
            if not PressedOnce.pressed:
                PressedOnce.pressed = True
                os.kill(os.getpid(), signal.SIGINT)
            return super().relax(step)

    X, y = problem
    on_interrupt(signal.default_int_handler)
    search = Search(X[:300, :12], y[:300], max_depth=5, rule=PressedOnce())
    assert search.run().status == "interrupted"
    assert not search.done
    assert search.run().status == "optimal"

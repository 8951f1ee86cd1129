"""Rules written in Python run in the same search."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from beamtree import OptimalTreeClassifier, Search
from beamtree._engine import engine
from beamtree.datasets import monks, tic_tac_toe
from beamtree.rules import Both, Discrepancy, Gain, NodeContext, Purity, Rule, TopK
from tests.property.checks import same_answer
from tests.python.rules.own_rules import (
    Failing,
    Listening,
    OwnDiscrepancy,
    OwnPurity,
    OwnTopK,
)
from tests.unfinished import unfinished

SCHEDULES = ["monotonic", "exponential", "luby", (0, 1, 5, 6)]
FUNCTIONS = ["initial_state", "update", "prune", "relax", "terminal_state"]


def noisy(seed=0, rows=200, features=10):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features), dtype=np.uint8)
    y = ((X[:, 0] & X[:, 1]) ^ X[:, 2] ^ (rng.random(rows) < 0.2)).astype(np.int32)
    return X, y


OWN = {OwnDiscrepancy: Discrepancy, OwnTopK: TopK}


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("heuristic", ["auto", "information_gain", "given"])
@pytest.mark.parametrize(("max_depth", "exact_levels"), [(3, 0), (4, 1), (4, 2), (5, 2), (5, 3)])
@pytest.mark.parametrize("own", OWN)
def test_a_built_in_rule_written_again_is_the_same(
    own, max_depth, exact_levels, heuristic, schedule
):
    """Both searches visit the same nodes in every pass, on one to three levels.

    The memo is off: it is valid for equal states of a Python rule, but for all states that reach no
    further of a built-in rule, so that the two searches would explore nodes again at other times.
    """
    X, y = noisy()
    settings = {"max_depth": max_depth, "exact_levels": exact_levels, "memo": False}
    built_in, written = (
        engine.run(X, y, None, 2, rule=rule, schedule=schedule, heuristic=heuristic, **settings)
        for rule in (OWN[own](), own())
    )
    assert built_in.status == "optimal"
    assert built_in.trace["restart"][-1] > 0
    written.trace["threshold"] += OWN[own]().start  # a Python rule's trace has the sum of the steps
    same_answer(built_in, written)


@pytest.mark.parametrize("own", OWN)
def test_a_built_in_rule_written_again_is_the_same_on_many_levels(own):
    X, y = noisy()
    built_in, written = (
        engine.run(X, y, None, 2, rule=rule, max_depth=5, exact_levels=0)
        for rule in (OWN[own](), own())
    )
    assert (built_in.status, built_in.cost) == (written.status, written.cost)
    assert built_in.trace[0]["objective"] == written.trace[0]["objective"]


def test_a_rule_that_closes_nodes_written_again_is_the_same():
    X, y = noisy()
    answers = [
        engine.run(X, y, None, 2, max_depth=4, exact_levels=1, rule=rule)
        for rule in (Purity(unit=0.05), OwnPurity(unit=0.05))
    ]
    assert answers[0].status == "optimal"
    assert answers[0].objective == answers[1].objective


@pytest.mark.parametrize(
    "rule",
    [
        Both(OwnDiscrepancy(), Gain()),
        Both(Purity(unit=0.05), OwnTopK()),
        Both(OwnDiscrepancy(), Both(OwnTopK(), OwnPurity(unit=0.1))),
    ],
    ids=["gain", "purity", "own"],
)
def test_with_other_rules(rule):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=4, rule=rule, exact_levels=2).fit(X, y)
    assert (clf.status_, clf.objective_) == ("optimal", 137)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("call", [1, 3])
@pytest.mark.parametrize("schedule", ["luby", (1, 2, 3)])  # the second relaxes at the start
def test_an_exception_leaves_a_fitted_classifier_and_is_raised(function, call, schedule):
    X, y = noisy()
    clf = OptimalTreeClassifier(
        max_depth=5, rule=Failing(function, call), schedule=schedule, exact_levels=2
    )
    with pytest.raises(ZeroDivisionError, match=f"^in {function}$"):
        clf.fit(X, y)
    assert clf.status_ == "interrupted"
    assert clf.n_errors_ == (clf.predict(X) != y).sum() == clf.objective_
    assert 0 <= clf.lower_bound_ <= clf.objective_
    assert 0 <= clf.gap_ <= 1
    assert len(clf.trace_) > 0
    assert clf.tree_.n_leaves > 1
    assert clf.statistics_


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_exception_ends_a_search_once(function):
    X, y = noisy()
    search = Search(X, y, max_depth=5, rule=Failing(function), exact_levels=2)
    with pytest.raises(ZeroDivisionError, match=f"^in {function}$"):
        search.run()
    assert search.done
    assert search.status == "interrupted"
    assert search.step() is None
    assert search.result().objective == search.incumbent.objective


@pytest.mark.parametrize("function", ["prune", "relax"])
def test_a_missing_return_value_is_an_error(function):
    forgetful = type("Forgetful", (OwnDiscrepancy,), {function: lambda _self, _argument: None})
    X, y = noisy()
    message = rf"^Forgetful.{function} must return True or False, got None$"
    with pytest.raises(TypeError, match=message):
        OptimalTreeClassifier(max_depth=4, rule=forgetful(), exact_levels=2).fit(X, y)


def test_answers_may_be_booleans_of_numpy():
    class Numpy(OwnDiscrepancy):
        def prune(self, state):
            return np.bool_(super().prune(state))

    X, y = noisy()
    clf = OptimalTreeClassifier(max_depth=4, rule=Numpy(), exact_levels=2).fit(X, y)
    assert clf.status_ == "optimal"


@pytest.mark.parametrize("kind", [tuple, list])
def test_states_may_be_of_any_kind(kind):
    class Path(OwnDiscrepancy):
        def initial_state(self, _ctx):
            return kind()

        def update(self, state, ctx):
            return kind([*state, ctx.rank])

        def prune(self, state):
            return sum(state) > self.threshold

    X, y = noisy()
    settings = {"max_depth": 4, "exact_levels": 2}
    first = engine.run(X, y, None, 2, rule=Path(), **settings)
    second = engine.run(X, y, None, 2, rule="discrepancy", **settings)
    assert (first.status, first.objective) == ("optimal", second.objective)


@unfinished
def test_a_rule_that_cannot_relax_is_a_limit():
    X, y = noisy()
    clf = OptimalTreeClassifier(max_depth=4, rule=OwnDiscrepancy(limit=0), exact_levels=0)
    assert clf.fit(X, y).status_ == "rule_limit"


@unfinished
def test_a_rule_that_relaxes_and_admits_nothing_is_a_limit():
    class Stubborn(OwnDiscrepancy):
        def relax(self, _step):
            return True

    X, y = noisy()
    clf = OptimalTreeClassifier(max_depth=4, rule=Stubborn(), exact_levels=0)
    assert clf.fit(X, y).status_ == "rule_limit"


def test_fits_do_not_change_the_rule():
    X, y = noisy()
    rule = OwnDiscrepancy()
    clf = OptimalTreeClassifier(max_depth=4, rule=rule, exact_levels=2)
    first = clf.fit(X, y).trace_
    assert clf.rule is rule
    assert rule.threshold == 0
    second = clf.fit(X, y).trace_
    names = [name for name in first.dtype.names if name != "seconds"]
    assert_array_equal(first[names], second[names])


def test_a_rule_must_have_the_functions():
    class Half(Rule):
        def initial_state(self, _ctx):
            return 0

    with pytest.raises(TypeError, match="abstract"):
        Half()


def test_what_a_rule_sees():
    X, y, _, _ = monks(1)
    weight = np.where(y == 1, 0.5, 0.25)
    rule = Listening()
    OptimalTreeClassifier(max_depth=3, rule=rule, heuristic="information_gain", exact_levels=0).fit(
        X, y, weight
    )
    for root in rule.roots:
        assert (root.rank, root.feature, root.gain, root.best_gain) == (0, -1, 0.0, 0.0)
        assert (root.level, root.remaining_depth, root.rows) == (0, 3, len(y))
        assert root.weight == pytest.approx(weight.sum())
        assert root.error == pytest.approx(0.25 * (y == 0).sum())
        np.testing.assert_allclose(root.class_weights, np.bincount(y, weight))
    assert {child.level for child in rule.children} >= {1, 2}
    for child in rule.children:
        assert child.level + child.remaining_depth == 3
        assert 0 <= child.feature < X.shape[1]
        assert 0 <= child.gain <= child.best_gain + 1e-9
        assert sum(child.class_weights) == pytest.approx(child.weight)
        assert child.weight - max(child.class_weights) == pytest.approx(child.error)
        assert 0 < child.rows < len(y)
    top = [child for child in rule.children if child.level == 1]
    for child in top:
        sides = [X[:, child.feature] == side for side in (0, 1)]
        assert any(
            side.sum() == child.rows and weight[side].sum() == pytest.approx(child.weight)
            for side in sides
        )


def test_a_context_is_read_only():
    rule = Listening()
    OptimalTreeClassifier(max_depth=3, rule=rule, exact_levels=0).fit(*noisy())
    with pytest.raises(AttributeError):
        rule.roots[0].rank = 3


def test_a_rule_can_be_tested_without_a_search():
    rule = OwnDiscrepancy()
    state = rule.update(rule.initial_state(NodeContext()), NodeContext(rank=2, level=1))
    assert state == 2
    assert rule.prune(state)
    assert rule.relax(2)
    assert not rule.prune(state)
    context = NodeContext(rank=3, feature=7, gain=0.25, best_gain=0.5, error=2.0, weight=8.0)
    assert (context.rank, context.feature, context.gain, context.best_gain) == (3, 7, 0.25, 0.5)
    assert (context.error, context.weight, context.class_weights) == (2.0, 8.0, [6.0, 2.0])


class Fresh:
    """An object whose end is recorded, in Python code that needs the interpreter's lock."""

    ended = 0

    def __del__(self):
        Fresh.ended += 1


class Terminal(OwnDiscrepancy):
    def terminal_state(self, _state):
        return Fresh()


def test_terminal_state_may_return_an_object_that_nobody_keeps():
    """The object is destroyed while the search holds the interpreter's lock."""
    before = Fresh.ended
    clf = OptimalTreeClassifier(max_depth=4, exact_levels=1, rule=Terminal()).fit(*noisy())
    assert clf.status_ == "optimal"
    assert Fresh.ended > before

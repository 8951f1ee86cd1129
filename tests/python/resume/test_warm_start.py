"""With `warm_start`, a second fit of the same problem continues the search."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from beamtree import OptimalTreeClassifier
from beamtree.datasets import tic_tac_toe
from beamtree.heuristics import Gini
from beamtree.rules import Both, Discrepancy, Gain, TopK
from beamtree.schedules import Luby, Sequence
from tests.python.rules.own_rules import OwnDiscrepancy
from tests.unfinished import unfinished

pytestmark = unfinished


@pytest.fixture
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


def begun(boards, **parameters):
    return OptimalTreeClassifier(max_depth=5, warm_start=True, node_limit=8, **parameters).fit(
        *boards
    )


def test_a_larger_node_limit_continues_the_search(boards):
    clf = begun(boards)
    assert (clf.status_, clf.statistics_["nodes"]) == ("node_limit", 8)
    first = clf.trace_
    clf.set_params(node_limit=None).fit(*boards)
    assert (clf.status_, clf.objective_) == ("optimal", 63)
    np.testing.assert_array_equal(clf.trace_[: len(first)]["seconds"], first["seconds"])
    assert len(clf.trace_) > len(first)
    assert (np.diff(clf.trace_["seconds"]) >= 0).all()
    again = clf.fit(*boards)
    assert (again.status_, again.objective_) == ("optimal", 63)


def test_continuing_is_hardly_more_work_than_one_fit(boards):
    clf = begun(boards)
    clf.set_params(node_limit=None).fit(*boards)
    whole = OptimalTreeClassifier(max_depth=5).fit(*boards)
    assert clf.statistics_["nodes"] <= 1.5 * whole.statistics_["nodes"] + 20


def test_the_same_limit_stops_at_once(boards):
    clf = begun(boards)
    assert clf.fit(*boards).statistics_["nodes"] == 8
    assert clf.status_ == "node_limit"


def test_equal_data_in_other_arrays_continue_the_search(boards):
    X, y = boards
    clf = begun(boards)
    engine = clf._warm.engine
    clf.fit(X.astype(float), y.tolist())
    assert clf._warm.engine is engine
    clf.fit(X, y, np.ones(len(y)))
    assert clf._warm.engine is engine


@pytest.mark.parametrize(
    "change",
    [
        {"max_depth": 4},
        {"min_samples_leaf": 2},
        {"leaf_penalty": 0.01},
        {"max_leaf_nodes": 6},
        {"tie_break": "any"},
        {"rule": "gain"},
        {"schedule": "monotonic"},
        {"heuristic": "gini"},
        {"exact_levels": 2},
        {"n_jobs": 2},
        {"memory_limit": "1GB"},
    ],
    ids=str,
)
def test_another_problem_starts_anew(boards, change):
    clf = begun(boards)
    engine = clf._warm.engine
    clf.set_params(**change).fit(*boards)
    assert clf._warm.engine is not engine
    if "n_jobs" in change:  # with several threads, two searches do not stop at the same tree
        return
    fresh = OptimalTreeClassifier(**{**clf.get_params(), "warm_start": False}).fit(*boards)
    assert clf.objective_ == fresh.objective_


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"leaf_penalty": 0.0}, {"leaf_penalty": 0}),
        ({"max_depth": 5}, {"max_depth": np.int64(5)}),
        ({"max_leaf_nodes": 5}, {"max_leaf_nodes": np.int8(5)}),
        ({"rule": "discrepancy"}, {"rule": Discrepancy(limit=np.inf)}),
        ({"rule": Both(Gain(), TopK(start=2))}, {"rule": Both(Gain(0), TopK(start=np.int8(2)))}),
        ({"schedule": "luby"}, {"schedule": Luby()}),
        ({"schedule": [0, 2]}, {"schedule": Sequence((0.0, 2.0))}),
        ({"heuristic": "gini"}, {"heuristic": Gini()}),
        ({"memory_limit": "1GB"}, {"memory_limit": 10**9}),
    ],
    ids=str,
)
def test_parameters_of_equal_meaning_continue_the_search(boards, first, second):
    clf = OptimalTreeClassifier(max_depth=5, warm_start=True, node_limit=8)
    engine = clf.set_params(**first).fit(*boards)._warm.engine
    assert clf.set_params(**second).fit(*boards)._warm.engine is engine


def test_other_data_start_anew(boards):
    X, y = boards
    clf = begun(boards)
    for data in (
        (1 - X, y),
        (X, 1 - y),
        (X[:-1], y[:-1]),
        (X[:, :-1], y),
        (X, np.array(["no", "yes"])[y]),
        (X, y, np.where(y == 1, 2.0, 1.0)),
    ):
        engine = clf._warm.engine
        clf.fit(*data)
        assert clf._warm.engine is not engine
    assert clf.classes_.tolist() == [0, 1]


def test_data_that_were_changed_in_place_start_anew(boards):
    X, y = boards
    original = X.copy()
    clf = begun((X, y))
    engine = clf._warm.engine
    X[:] = 1 - X
    clf.set_params(node_limit=None).fit(original, y)
    assert clf._warm.engine is engine
    assert (clf.status_, clf.objective_) == ("optimal", 63)
    clf.fit(X, y)
    assert clf._warm.engine is not engine


def test_rules_in_python_are_compared_by_their_attributes(boards):
    rule = OwnDiscrepancy()
    clf = begun(boards, rule=rule)
    engine = clf._warm.engine
    assert clf.set_params(rule=OwnDiscrepancy()).fit(*boards)._warm.engine is engine
    rule.threshold = 5
    assert clf.set_params(rule=rule).fit(*boards)._warm.engine is not engine


def test_another_initial_tree_starts_anew(boards):
    clf = begun(boards)
    engine = clf._warm.engine
    tree = DecisionTreeClassifier(max_depth=5, random_state=0).fit(*boards)
    assert clf.set_params(init=tree).fit(*boards)._warm.engine is not engine
    engine = clf._warm.engine
    same = DecisionTreeClassifier(max_depth=5, random_state=0).fit(*boards)
    assert clf.set_params(init=same).fit(*boards)._warm.engine is engine


def test_without_warm_start_no_search_is_kept(boards):
    clf = begun(boards)
    clf.set_params(warm_start=False).fit(*boards)
    assert not hasattr(clf, "_warm")


def pickled(clf):
    return pickle.loads(pickle.dumps(clf))


@pytest.mark.parametrize("other", [copy.copy, copy.deepcopy, clone, pickled])
def test_copies_do_not_keep_the_search(boards, other):
    clf = begun(boards)
    twin = other(clf)
    assert not hasattr(twin, "_warm")
    assert twin.set_params(node_limit=None).fit(*boards).objective_ == 63
    assert clf._warm.engine is not twin._warm.engine


def test_a_search_that_failed_is_not_kept(boards):
    class Failing(OwnDiscrepancy):
        def relax(self, _step):
            raise KeyError("no")

    clf = OptimalTreeClassifier(max_depth=5, rule=Failing(), exact_levels=0, warm_start=True)
    with pytest.raises(KeyError, match="no"):
        clf.fit(*boards)
    assert clf.status_ == "interrupted"
    assert not hasattr(clf, "_warm")


def test_a_fit_continues_after_a_callback_stopped_it(boards):
    clf = OptimalTreeClassifier(max_depth=5, warm_start=True, callback=lambda _: True).fit(*boards)
    assert clf.status_ == "interrupted"
    assert len(clf.trace_) == 1
    clf.set_params(callback=None).fit(*boards)
    assert (clf.status_, clf.objective_) == ("optimal", 63)

"""`Search`: iterate, step, stop and continue."""

import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from beamtree import Incumbent, OptimalTreeClassifier, Result, Search
from beamtree.datasets import monks, tic_tac_toe
from beamtree.rules import TopK
from tests.python.rules.own_rules import OwnDiscrepancy
from tests.unfinished import unfinished


@pytest.fixture
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


@pytest.fixture
def endless():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (1500, 60)), rng.integers(0, 2, 1500)


COLUMNS = ("nodes", "objective", "lower_bound", "restart", "threshold")


def columns(incumbents):
    return [tuple(getattr(incumbent, name) for name in COLUMNS) for incumbent in incumbents]


@pytest.mark.parametrize("rule", [None, "auto", "discrepancy", "gain"])
def test_iteration_gives_the_trace_of_fit(boards, rule):
    fitted = OptimalTreeClassifier(max_depth=4, rule=rule).fit(*boards)
    search = Search(*boards, max_depth=4, rule=rule)
    incumbents = list(search)
    assert columns(incumbents) == [tuple(row) for row in fitted.trace_[list(COLUMNS)].tolist()]
    assert search.done
    assert search.status == "optimal"
    assert_array_equal(search.incumbent.tree.feature, fitted.tree_.feature)
    assert search.incumbent.objective == search.lower_bound == 137
    assert list(search) == []
    assert search.step() is None


@pytest.mark.parametrize("rule", [None, "auto", "discrepancy"])
def test_leaving_the_loop_and_continuing_changes_nothing(boards, rule):
    whole = list(Search(*boards, max_depth=4, rule=rule))
    search = Search(*boards, max_depth=4, rule=rule)
    parts = []
    while not search.done:
        for incumbent in search:
            parts.append(incumbent)
            break
        assert search.status in ("running", "optimal")
    assert columns(parts) == columns(whole)
    assert search.result().status == "optimal"


def test_an_incumbent_agrees_with_its_tree(boards):
    X, y = boards
    search = Search(X, y, max_depth=4)
    last = None
    for incumbent in search:
        assert isinstance(incumbent, Incumbent)
        predicted = search.classes[incumbent.tree.predict(X).argmax(axis=1)]
        assert incumbent.n_errors == (predicted != y).sum() == incumbent.objective
        assert incumbent.gap == 1 - incumbent.lower_bound / incumbent.objective
        assert search.incumbent.tree is incumbent.tree
        assert search.lower_bound == incumbent.lower_bound
        if last is not None:
            better = incumbent.objective < last.objective
            if incumbent.objective == last.lower_bound:  # the tree is proved, and becomes smaller
                better = incumbent.tree.n_leaves < last.tree.n_leaves
            assert better or incumbent.lower_bound > last.lower_bound
            assert incumbent.seconds >= last.seconds
            assert better or incumbent.tree is last.tree
        last = incumbent


def test_before_the_first_step(boards):
    search = Search(*boards)
    assert search.incumbent is None
    assert search.lower_bound == 0.0
    assert search.status == "running"
    assert not search.done
    first = search.step(time_limit=0)
    assert first.objective < 332
    assert search.status == "running"


def test_a_result_needs_no_step(boards):
    result = Search(*boards).result()
    assert isinstance(result, Result)
    assert result.objective < 332
    assert len(result.trace) == 1


def test_a_step_without_time_has_no_improvement(endless):
    search = Search(*endless, max_depth=8)
    search.step()
    assert search.step(0) is None
    assert search.status == "time_limit"
    assert not search.done
    assert search.run(0).status == "time_limit"


def test_a_search_can_be_continued_after_a_time_limit(endless):
    search = Search(*endless, max_depth=8)
    start = time.perf_counter()
    first = search.run(time_limit=0.2)
    assert time.perf_counter() - start < 2.0
    assert first.status == "time_limit"
    second = search.run(time_limit=0.2)
    assert second.objective <= first.objective
    assert second.lower_bound >= first.lower_bound
    assert second.statistics["nodes"] > first.statistics["nodes"]
    assert_array_equal(second.trace[: len(first.trace)]["nodes"], first.trace["nodes"])


def test_only_the_time_inside_the_search_counts(boards):
    search = Search(*boards, max_depth=3)
    search.step()
    time.sleep(0.3)
    assert search.run().trace["seconds"][-1] < 0.3


def test_run_gives_the_result_of_fit(boards):
    X, y = boards
    weight = np.where(y == 1, 0.25, 0.5)
    settings = {"max_depth": 3, "min_samples_leaf": 5, "leaf_penalty": 0.01}
    fitted = OptimalTreeClassifier(**settings).fit(X, y, weight)
    result = Search(X, y, weight, **settings).run()
    assert result.status == fitted.status_
    assert result.objective == fitted.objective_
    assert result.n_errors == fitted.n_errors_
    assert result.gap == fitted.gap_
    assert_array_equal(result.tree.value, fitted.tree_.value)


def test_labels_of_any_kind():
    frame = pd.DataFrame([[0, 0], [0, 1], [1, 0], [1, 1]], columns=["left", "right"])
    search = Search(frame, ["same", "differ", "differ", "same"], max_depth=2)
    tree = search.run().tree
    assert search.classes.tolist() == ["differ", "same"]
    labels = search.classes[tree.predict(frame.to_numpy()).argmax(axis=1)]
    assert labels.tolist() == ["same", "differ", "differ", "same"]


def test_real_weights_are_recounted():
    X, y, _, _ = monks(1)
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    search = Search(X, y, weight, max_depth=2, rule="discrepancy", exact_levels=0)
    for incumbent in search:
        wrong = search.classes[incumbent.tree.predict(X).argmax(axis=1)] != y
        assert incumbent.objective == pytest.approx(weight[wrong].sum(), rel=1e-12)
    assert search.status in ("optimal", "gap_reached")


@unfinished
@pytest.mark.parametrize("limit", [1, 10, 100])
def test_node_limit(endless, limit):
    search = Search(*endless, max_depth=6, node_limit=limit)
    result = search.run()
    assert result.status == "node_limit"
    assert not search.done
    assert result.statistics["nodes"] <= limit + 1
    fitted = OptimalTreeClassifier(max_depth=6, node_limit=limit).fit(*endless)
    assert fitted.status_ == "node_limit"
    assert fitted.objective_ == result.objective


def test_a_limit_on_the_rule_ends_the_search(boards):
    search = Search(*boards, max_depth=4, rule=TopK(limit=1), exact_levels=0)
    assert search.run().status == "rule_limit"
    assert search.done
    assert search.step() is None


def test_two_searches_are_independent(boards):
    first, second = (Search(*boards, max_depth=4) for _ in range(2))
    pairs = list(zip(first, second, strict=True))
    assert columns(a for a, _ in pairs) == columns(b for _, b in pairs)


def test_only_one_step_at_a_time(endless):
    """Another thread, or the rule itself, gets an error instead of an inconsistent state."""
    search = None
    seen = []

    class Nosy(OwnDiscrepancy):
        def prune(self, state):
            for ask in (search.step, search.result, lambda: search.incumbent):
                with pytest.raises(RuntimeError, match=r"^the search is taking a step; call this"):
                    ask()
                seen.append(ask)
            return super().prune(state)

    search = Search(*endless, max_depth=4, rule=Nosy(), node_limit=3)
    assert search.run().status == "node_limit"
    assert seen


def test_parameters_are_checked_like_the_estimator_s(boards):
    X, y = boards
    with pytest.raises(ValueError, match=r"^max_depth must be None or an integer .*, got -1$"):
        Search(X, y, max_depth=-1)
    with pytest.raises(ValueError, match=r"^rule must be None, 'auto', "):
        Search(X, y, rule="beam")
    with pytest.raises(ValueError, match=r"^time_limit must be None or a number of seconds"):
        Search(X, y).step(-1)
    with pytest.raises(ValueError, match=r"^max_thresholds must be None or an integer of at least"):
        Search(X, y, max_thresholds=0)
    frame = pd.DataFrame({"a": [1.0, np.inf], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="column 'a' of X contains infinity"):
        Search(frame, y[:2])
    with pytest.raises(ValueError, match=r"ample.weight"):
        Search(X, y, np.zeros(len(y)))
    with pytest.raises(ValueError, match="requires y to be passed"):
        Search(X, None)

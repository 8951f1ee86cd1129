"""Cost matrices: the optimum is the one of brute force, in the costs of the user."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from beamtree import OptimalTreeClassifier, Search, export_text
from beamtree._engine.costs import virtual_rows
from tests import oracle
from tests.oracle import enumeration
from tests.python.problems import noisy_problem
from tests.python.rules.own_rules import OwnDiscrepancy
from tests.unfinished import unfinished

KINDS = ["integer", "real", "ordinal", "one-sided", "indifferent", "diagonal", "zero"]


def costs_of(kind, classes, rng):
    numbers = np.arange(classes)
    if kind == "ordinal":
        return np.abs(numbers[:, None] - numbers)
    if kind == "zero":
        return np.zeros((classes, classes))
    costs = rng.integers(0, 6, (classes, classes)).astype(float)
    if kind == "real":
        costs *= 0.37
    if kind == "diagonal":
        return costs
    costs[numbers, numbers] = 0
    if kind == "one-sided":
        costs[-1] = np.where(numbers == classes - 1, 0, 3)
    if kind == "indifferent":
        costs[0] = 2
    return costs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("leaf_size", [1, 2, 5])
@pytest.mark.parametrize("penalty", [0.0, 0.03, 2.5])
def test_brute_force(kind, classes, leaf_size, penalty):
    X, y, rng = noisy_problem(10 * KINDS.index(kind) + classes, classes)
    costs = costs_of(kind, classes, rng)
    for weight in (None, rng.integers(0, 4, len(y)), rng.random(len(y)) + 0.01):
        clf = OptimalTreeClassifier(
            max_depth=2, min_samples_leaf=leaf_size, leaf_penalty=penalty, cost_matrix=costs
        )
        clf.fit(X, y, weight)
        check(clf, X, y, weight, costs)


def check(clf, X, y, weight, costs):
    """Assert that the classifier is optimal, or as close to the optimum as it claims."""
    best = oracle.best_by_costs(
        X, y, weight, costs, clf.max_depth, clf.min_samples_leaf, clf.leaf_penalty
    )
    total = len(y) if weight is None else float(np.sum(weight))
    paid = float(oracle.cost_of_predictions(clf.predict(X), y, weight, costs))
    paid += clf.leaf_penalty * total * (clf.get_n_leaves() - 1)
    scale = max(float(np.max(costs)) * total, 1.0)
    assert clf.objective_ == pytest.approx(paid, abs=1e-9 * scale)
    assert clf.objective_ >= float(best) - 1e-9 * scale
    assert clf.lower_bound_ <= float(best) + 1e-9 * scale
    assert clf.objective_ <= float(best) + clf.rounding_ + 1e-9 * scale
    assert clf.status_ == "optimal"
    assert clf.objective_ - clf.lower_bound_ <= clf.rounding_
    leaves = clf.tree_.feature < 0
    if leaves.sum() > 1:
        assert clf.tree_.n_node_samples[leaves].min() >= clf.min_samples_leaf
    assert clf.trace_["objective"][-1] == clf.objective_
    assert clf.trace_["lower_bound"][-1] == clf.lower_bound_
    assert (np.diff(clf.trace_["objective"]) <= 0).all()
    assert (clf.trace_["lower_bound"] <= clf.lower_bound_).all()
    kept = np.ones(len(y), bool) if weight is None else np.asarray(weight) > 0
    assert clf.n_errors_ == (clf.predict(X) != y)[kept].sum()


@given(st.data())
def test_any_costs(data):
    classes = data.draw(st.integers(2, 4))
    X, y, rng = noisy_problem(data.draw(st.integers(0, 2**32 - 1)), classes, rows=14, features=3)
    cost = st.one_of(st.integers(0, 9), st.sampled_from([0.1, 0.25, 1 / 3, 1e-3]))
    costs = [[data.draw(cost) for _ in range(classes)] for _ in range(classes)]
    clf = OptimalTreeClassifier(
        max_depth=data.draw(st.integers(0, 3)),
        min_samples_leaf=data.draw(st.integers(1, 4)),
        leaf_penalty=data.draw(st.sampled_from([0.0, 0.01, 0.1, 1.0])),
        cost_matrix=costs,
        rule=data.draw(st.sampled_from(["auto", None, "gain"])),
    )
    weight = data.draw(st.sampled_from([None, rng.integers(1, 4, len(y))]))
    check(clf.fit(X, y, weight), X, y, weight, costs)


@pytest.mark.parametrize("classes", [2, 3])
def test_costs_of_one_change_nothing(classes):
    X, y, _ = noisy_problem(1, classes, rows=80, features=6)
    plain = OptimalTreeClassifier(max_depth=3).fit(X, y)
    costed = OptimalTreeClassifier(max_depth=3, cost_matrix=1 - np.eye(classes)).fit(X, y)
    assert costed.objective_ == plain.objective_ == costed.n_errors_
    assert costed.status_ == "optimal"


def test_equal_costs_of_a_label_act_as_its_weight():
    X, y, _ = noisy_problem(2, 3, rows=80, features=6)
    weights = np.array([2.0, 1.0, 4.0])
    costs = weights[:, None] * (1 - np.eye(3))
    costed = OptimalTreeClassifier(max_depth=3, cost_matrix=costs).fit(X, y)
    weighted = OptimalTreeClassifier(max_depth=3, class_weight=dict(enumerate(weights))).fit(X, y)
    assert costed.objective_ == weighted.objective_
    assert costed.tree_.weighted_n_node_samples[0] == 80


def test_class_weights_and_costs_multiply():
    X, y, rng = noisy_problem(3, 3)
    costs = costs_of("integer", 3, rng)
    clf = OptimalTreeClassifier(
        max_depth=2, leaf_penalty=0.02, class_weight={0: 3, 2: 0.5}, cost_matrix=costs
    )
    weight = np.array([3, 1, 0.5])[y]
    best = oracle.best_by_costs(X, y, weight, costs, 2, 1, 0.02)
    assert clf.fit(X, y).objective_ == pytest.approx(float(best))


def test_leaves_predict_the_least_cost_and_show_the_real_shares():
    X, y = [[0]] * 10, ["well"] * 8 + ["ill"] * 2
    costs = [[0, 50], [1, 0]]  # the classes are "ill" and "well"
    clf = OptimalTreeClassifier(cost_matrix=costs).fit(X, y)
    assert clf.predict([[0]]).tolist() == ["ill"]
    assert_allclose(clf.tree_.value[0], [[0.2, 0.8]])
    assert (clf.objective_, clf.n_errors_, clf.status_) == (8.0, 8, "optimal")
    assert clf.tree_.prediction.tolist() == [0]
    assert export_text(clf) == "ill (10 rows, 20%)"


def test_ties_of_predictions_go_to_the_first_label():
    clf = OptimalTreeClassifier(cost_matrix=np.zeros((2, 2))).fit([[0], [1]], ["a", "b"])
    assert clf.predict([[0], [1]]).tolist() == ["a", "a"]
    assert (clf.objective_, clf.lower_bound_, clf.status_) == (0.0, 0.0, "optimal")
    assert (clf.get_n_leaves(), clf.n_errors_) == (1, 1)


def test_a_label_that_costs_the_same_everywhere():
    costs = [[7, 7], [7, 7]]
    clf = OptimalTreeClassifier(cost_matrix=costs, min_samples_leaf=2).fit([[0], [1]], [0, 1])
    assert (clf.objective_, clf.lower_bound_, clf.status_) == (14.0, 14.0, "optimal")


def test_one_label():
    clf = OptimalTreeClassifier(cost_matrix=[[3]]).fit([[0], [1]], [4, 4])
    assert (clf.objective_, clf.status_) == (6.0, "optimal")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("leaf_size", [1, 4])
def test_never_worse_than_greedy(seed, leaf_size):
    X, y, rng = noisy_problem(seed, 3, rows=60, features=8)
    costs = costs_of("integer", 3, rng)
    given = {"max_depth": 4, "min_samples_leaf": leaf_size}
    clf = OptimalTreeClassifier(**given, cost_matrix=costs, time_limit=0).fit(X, y)
    assert clf.status_ in ("time_limit", "optimal")
    for criterion in ("entropy", "gini"):
        tree = oracle.greedy(X, y, None, 3, 4, leaf_size, criterion)
        leaves = [y[leaf] for leaf in leaves_of(tree, X)]
        paid = sum(costs[leaf].sum(axis=0).min() for leaf in leaves)
        assert clf.objective_ <= paid + 1e-9
    assert clf.lower_bound_ <= clf.objective_


def leaves_of(tree, X):
    return [leaf for leaf in enumeration.leaves_of(tree, X) if leaf]


def test_never_worse_than_the_tree_it_starts_from():
    X, y, rng = noisy_problem(4, 3, rows=200, features=9)
    costs = costs_of("integer", 3, rng)
    best = OptimalTreeClassifier(max_depth=4, cost_matrix=costs).fit(X, y)
    again = OptimalTreeClassifier(max_depth=4, cost_matrix=costs, init=best, time_limit=0)
    assert again.fit(X, y).objective_ == best.objective_


@pytest.mark.parametrize("gap", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("kind", ["ordinal", "diagonal", "integer"])
def test_the_gap_is_computed_from_the_real_costs(gap, kind):
    """The search works on costs that differ from the real ones by a constant."""
    X, y, rng = noisy_problem(5, 4, rows=150, features=9)
    costs = costs_of(kind, 4, rng)
    clf = OptimalTreeClassifier(max_depth=4, cost_matrix=costs, gap_limit=gap).fit(X, y)
    assert clf.gap_ <= gap
    assert clf.status_ in ("gap_reached", "optimal")
    assert clf.gap_ == pytest.approx((clf.objective_ - clf.lower_bound_) / clf.objective_)


def test_improvements_are_in_real_costs():
    X, y, _ = noisy_problem(6, 4, rows=150, features=9)
    costs = costs_of("ordinal", 4, None)
    told = []
    clf = OptimalTreeClassifier(max_depth=3, cost_matrix=costs, callback=told.append).fit(X, y)
    assert told[-1].objective == clf.objective_
    for incumbent in told:
        predicted = incumbent.tree.prediction[incumbent.tree.apply(X)]
        assert incumbent.objective == costs[y, predicted].sum()
        assert incumbent.lower_bound <= clf.objective_


def test_virtual_rows_are_as_few_as_they_can_be():
    rows = virtual_rows(np.ones(3), 1.0 - np.eye(3), counted=True)
    assert (rows.codes.tolist(), rows.copies, rows.offset) == ([0, 1, 2], 1, 0.0)
    ordinal = costs_of("ordinal", 3, None).astype(float)
    rows = virtual_rows(np.ones(3), ordinal, counted=False)
    assert_array_equal(rows.row, [0, 0, 1, 2, 2])
    assert_array_equal(rows.codes, [0, 1, 1, 1, 2])
    assert_array_equal(rows.weight, [2, 1, 1, 1, 2])
    rows = virtual_rows(np.ones(3), ordinal, counted=True)
    assert_array_equal(rows.row, [0, 0, 1, 1, 2, 2])
    assert_array_equal(rows.weight, [2, 1, 0.5, 0.5, 1, 2])
    assert rows.copies == 2


ALLOWED = "cost_matrix must be None or a square table of finite numbers of at least 0, got "


@pytest.mark.parametrize(
    "costs",
    [
        [[0, -1], [1, 0]],
        [[0, np.inf], [1, 0]],
        [[0, np.nan], [1, 0]],
        [[0, 1, 2], [1, 0, 2]],
        [[0, 1], [1]],
        [0, 1],
        5,
        "1",
        [["0", "1"], ["1", "0"]],
        [[0, 1j], [1, 0]],
    ],
)
def test_cost_matrices_that_are_not_allowed(costs):
    with pytest.raises(ValueError, match=f"^{re.escape(ALLOWED)}"):
        OptimalTreeClassifier(cost_matrix=costs).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=f"^{re.escape(ALLOWED)}"):
        Search([[0], [1]], [0, 1], cost_matrix=costs)


def test_a_cost_matrix_for_other_labels():
    message = (
        "cost_matrix must have a row and a column for each of the 2 labels ['no', 'yes'], got the "
        "shape (3, 3)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalTreeClassifier(cost_matrix=np.ones((3, 3))).fit([[0], [1]], ["no", "yes"])


def test_costs_that_no_double_can_add_up():
    with pytest.raises(ValueError, match="sample weights, times the costs, must be between"):
        OptimalTreeClassifier(cost_matrix=[[0, 1e300], [1e300, 0]]).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("make", [np.asarray, lambda costs: costs, pd.DataFrame])
def test_a_search_is_saved_with_its_costs(make, tmp_path):
    X, y, _ = noisy_problem(7, 3, rows=80, features=6)
    costs = make([[0, 1, 2.5], [1, 0, 1], [4, 1, 0]])
    search = Search(X, y, max_depth=4, cost_matrix=costs)
    search.step()
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", X, y)
    assert loaded.run().objective == search.run().objective
    assert loaded.result().objective == float(
        oracle.best_by_costs(X, y, None, np.asarray(costs), 4)
    )


def test_a_warm_start_continues_with_equal_costs_only():
    X, y, _ = noisy_problem(8, 3, rows=80, features=6)
    costs = np.array([[0, 1, 2], [1, 0, 1], [4, 1, 0]])
    clf = OptimalTreeClassifier(max_depth=4, cost_matrix=costs, warm_start=True).fit(X, y)
    first = clf.objective_
    nodes = clf.statistics_["nodes"]
    assert clf.set_params(cost_matrix=costs.tolist()).fit(X, y).statistics_["nodes"] == nodes
    assert clf.set_params(cost_matrix=2 * costs).fit(X, y).objective_ == 2 * first


def test_pickles_predict_the_least_cost():
    X, y, rng = noisy_problem(9, 3)
    clf = OptimalTreeClassifier(cost_matrix=costs_of("integer", 3, rng)).fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(clf)).predict(X), clf.predict(X))


@unfinished
@pytest.mark.parametrize(
    "given",
    [
        {"n_jobs": 2},
        {"memory_limit": "1 kB"},
        {"rule": OwnDiscrepancy(), "exact_levels": 1},
        {"rule": None, "exact_levels": 0},
        {"heuristic": "gini", "rule": "top-k"},
    ],
    ids=["n_jobs", "memory_limit", "own rule", "no rule", "gini"],
)
@pytest.mark.parametrize("leaf_size", [1, 3])
def test_all_ways_to_search(given, leaf_size):
    X, y, _ = noisy_problem(10, 3, rows=90, features=7)
    costs = [[0, 1, 2.5], [1, 0, 1], [4, 1, 0]]
    problem_of = {"max_depth": 4, "min_samples_leaf": leaf_size, "cost_matrix": costs}
    best = OptimalTreeClassifier(**problem_of).fit(X, y)
    clf = OptimalTreeClassifier(**problem_of, **given).fit(X, y)
    assert clf.lower_bound_ <= best.objective_ <= clf.objective_
    if "memory_limit" in given:
        assert clf.status_ == "memory_limit"
    else:
        assert (clf.status_, clf.objective_) == ("optimal", best.objective_)


@unfinished
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nodes", [1, 5, 20])
def test_bounds_hold_during_the_search(kind, nodes):
    X, y, rng = noisy_problem(11, 4, rows=200, features=10)
    costs = costs_of(kind, 4, rng)
    given = {"max_depth": 5, "cost_matrix": costs, "leaf_penalty": 0.003}
    weight = rng.integers(1, 30, len(y)) / 7
    best = OptimalTreeClassifier(**given).fit(X, y, weight)
    hasty = OptimalTreeClassifier(**given, node_limit=nodes).fit(X, y, weight)
    assert hasty.lower_bound_ <= best.objective_ <= hasty.objective_
    assert best.status_ == "optimal"


def test_a_class_without_weight_may_have_more_different_costs():
    """With leaf sizes, every row gets as many virtual rows; rows without weight get none."""
    X, y = np.array([[0], [1], [2], [3], [4], [5]]), np.array([0, 1, 2, 2, 0, 1])
    costs = [[0, 0, 3], [0, 0, 5], [2, 2, 0]]
    weight = (y == 2).astype(float)
    clf = OptimalTreeClassifier(max_depth=1, min_samples_leaf=2, cost_matrix=costs)
    assert clf.fit(X, y, weight).objective_ == 0
    check(clf, X, y, weight, costs)

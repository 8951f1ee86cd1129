"""The oracle itself, compared with examples by hand and with an enumeration of all trees."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from tests.oracle import (
    best,
    best_by_enumeration,
    best_cost,
    best_of_table,
    best_within,
    cost_of,
    errors_by_leaves,
    every_tree,
    front_of_rows,
    front_of_table,
    greedy,
    greedy_objective,
    objective_of,
    smallest_by_enumeration,
)
from tests.oracle.enumeration import leaves_of
from tests.property.problems import random_problem

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_xor_needs_two_levels():
    labels = [0, 1, 1, 0]
    assert [best(XOR, labels, None, 2, depth) for depth in range(4)] == [2, 2, 0, 0]
    assert best(XOR, labels, [5, 1, 1, 1], 2, 1) == 2
    assert best(XOR, labels, [5, 1, 3, 1], 2, 0) == 4


def test_rows_of_weight_zero_do_not_count():
    rows, labels = [[0], [1], [1]], [0, 1, 1]
    assert best(rows, labels, None, 2, 1, min_samples_leaf=1) == 0
    assert best(rows, labels, None, 2, 1, min_samples_leaf=2) == 1
    assert best([*rows, [0]], [*labels, 0], [1, 1, 1, 0], 2, 1, min_samples_leaf=2) == 1
    assert best([*rows, [0]], [*labels, 0], [1, 1, 1, 0], 2, 1, leaf_penalty=0.25) == 0.75


def test_a_penalty_is_paid_for_every_leaf_after_the_first():
    labels = [0, 1, 1, 0]
    assert best(XOR, labels, None, 2, 2, leaf_penalty=Fraction(1, 10)) == Fraction(12, 10)
    assert best(XOR, labels, None, 2, 2, leaf_penalty=Fraction(1, 4)) == 2
    assert best_cost(XOR, labels, [10] * 4, 2, 2, penalty=4) == 12


def test_fewer_rows_than_a_leaf_needs_is_still_a_leaf():
    assert best([[0], [1]], [0, 1], None, 2, 3, min_samples_leaf=5) == 1


@pytest.mark.parametrize(
    ("n_features", "depth", "count"), [(1, 1, 2), (3, 1, 4), (3, 2, 49), (2, 3, 723)]
)
def test_every_tree_is_written_out(n_features, depth, count):
    assert len(set(every_tree(n_features, depth))) == count


@pytest.mark.parametrize("seed", range(150))
def test_recursion_agrees_with_enumeration(seed):
    rng = np.random.default_rng([1, seed])
    depth, widest = [(0, 9), (1, 9), (2, 5), (2, 7), (3, 2)][seed % 5]
    problem = random_problem(rng, depth=depth, rows=(1, 14), features=(1, widest))
    assert best(*problem.question) == best_by_enumeration(*problem.question)


@pytest.mark.parametrize("seed", range(100))
def test_limits_of_leaves_agree_with_enumeration(seed):
    """The optimum, and the fewest leaves, of every limit of leaves."""
    rng = np.random.default_rng([3, seed])
    depth, widest = [(0, 5), (1, 5), (2, 4), (3, 2)][seed % 4]
    problem = random_problem(rng, depth=depth, rows=(1, 14), features=(1, widest))
    price = Fraction(int(rng.choice([0, 0, 1, 5])), 100)
    question = problem.question[:6]
    front = front_of_rows(*question[:5], 2**depth, question[5])
    total = sum(map(Fraction, problem.weight_list))
    for most in range(1, 2**depth + 1):
        expected = smallest_by_enumeration(*question, price, most)
        assert best_within(front, most, price * total) == expected
    columns = [("categories", column) for column in zip(*problem.rows, strict=True)]
    costs = 1 - np.eye(problem.n_classes, dtype=int)
    limits = {"max_depth": depth, "min_samples_leaf": problem.min_samples_leaf}
    table = (columns, problem.y.tolist(), problem.weight_list, costs.tolist())
    again, penalty = front_of_table(*table, most=2**depth, leaf_penalty=price, **limits)
    assert (again, penalty) == (front, price * total)
    for most in (1, 2, 5):
        limited, _ = best_of_table(*table, max_leaf_nodes=most, leaf_penalty=price, **limits)
        assert limited == best_within(front, most, price * total)[0]


@pytest.mark.parametrize("seed", range(40))
def test_any_depth_is_as_deep_as_there_are_columns(seed):
    rng = np.random.default_rng([4, seed])
    problem = random_problem(rng, rows=(1, 20), features=(1, 5))
    question = problem.question[:4]
    deepest = front_of_rows(*question, problem.X.shape[1], 40, problem.min_samples_leaf)
    assert front_of_rows(*question, None, 40, problem.min_samples_leaf) == deepest
    errors = errors_by_leaves(
        *question[:3],
        (1 - np.eye(problem.n_classes, dtype=int)).tolist(),
        problem.X.shape[1],
        problem.min_samples_leaf,
    )
    for most in range(1, 12):
        least = min(error for leaves, error in errors.items() if leaves <= most)
        assert best_within(deepest, most)[0] == least


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("seed", range(40))
def test_the_greedy_tree_is_a_tree_of_the_problem(seed, criterion):
    problem = random_problem(np.random.default_rng([2, seed]), rows=(1, 30), features=(1, 8))
    tree = greedy(*problem.question[:6], criterion=criterion)
    if tree is not None:
        rows = [row for row, w in zip(problem.rows, problem.weight_list, strict=True) if w > 0]
        assert min(map(len, leaves_of(tree, rows))) >= problem.min_samples_leaf
    assert greedy_objective(*problem.question, criterion=criterion) >= best(*problem.question)


def test_greedy_takes_the_first_of_equal_features_and_no_gain_of_zero():
    assert greedy(XOR, [0, 1, 1, 0], None, 2, 2) is None
    assert greedy([[0, 1, 0], [1, 0, 1]] * 2, [0, 1] * 2, None, 2, 3) == (0, None, None)


def test_the_walk_of_all_rows():
    tree = SimpleNamespace(
        children_left=[1, -1, 3, -1, -1],
        children_right=[2, -1, 4, -1, -1],
        feature=[1, -2, 0, -2, -2],
        threshold=[0.5, -2.0, 0.5, -2.0, -2.0],
        value=[[[0.5, 0.5]], [[0.6, 0.4]], [[0.5, 0.5]], [[0.0, 1.0]], [[1.0, 0.0]]],
    )
    walk = objective_of(tree, XOR, [0, 1, 1, 0], [1.5, 2, 0.25, 0], leaf_penalty=0.5)
    assert walk.objective == Fraction(1, 4) + Fraction(1, 2) * Fraction(15, 4) * 2
    assert (walk.errors, walk.leaves, walk.depth, walk.smallest_leaf) == (1, 3, 2, 0)
    assert walk.rows_of == {0: 3, 1: 2, 2: 1, 3: 1}


def test_the_cost_of_the_cores_arrays():
    feature, left, right = [0, -1, 1, -1, -1], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1]
    assert cost_of(feature, left, right, XOR, [0, 1, 1, 0], [1, 2, 3, 4], penalty=10) == 21

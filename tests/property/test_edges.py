"""The smallest problems, and changes of a problem that must not change the objective."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import best
from tests.property.checks import check_all, every_setting, run
from tests.property.problems import Problem, problems

ONE = np.ones((1, 1), np.uint8)
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8)


def edge(X, y, weight=None, n_classes=2, depth=2, **rest):
    weight = None if weight is None else np.array(weight, dtype=float)
    X = np.array(X, dtype=np.uint8)
    return Problem(X, np.array(y, np.int32), weight, n_classes, depth, **rest)


EDGES = {
    "one row": edge(ONE, [1]),
    "one row of no depth": edge(ONE, [0], depth=0),
    "one row, heavy": edge(ONE, [0], [2.0**50]),
    "one feature": edge([[0], [1], [1]], [0, 1, 0]),
    "two features, xor": edge(XOR, [0, 1, 1, 0]),
    "xor with a penalty that just pays": edge(XOR, [0, 1, 1, 0], leaf_penalty=0.16),
    "xor with a penalty that just does not": edge(XOR, [0, 1, 1, 0], leaf_penalty=0.17),
    "xor with a penalty that ties": edge(XOR, [0, 1, 1, 0], leaf_penalty=1 / 6),
    "one class present": edge(XOR, [1, 1, 1, 1]),
    "the last of five classes": edge(XOR, [4, 4, 4, 4], n_classes=5),
    "a class lost with its weight": edge(XOR, [0, 1, 2, 0], [1, 1, 0, 1], n_classes=3),
    "one row left of four": edge(XOR, [0, 1, 1, 0], [0, 0, 3, 0]),
    "all columns constant": edge(np.ones((4, 3)), [0, 1, 1, 0]),
    "all rows equal": edge(np.tile([0, 1, 0], (6, 1)), [0, 1, 1, 0, 2, 1], n_classes=3),
    "all rows cancel": edge(np.repeat(XOR, 2, axis=0), [0, 1] * 4, depth=3),
    "only complementary columns": edge([[0, 1]] * 3 + [[1, 0]] * 3, [0, 0, 1, 1, 1, 0]),
    "fewer rows than a leaf": edge(XOR, [0, 1, 1, 0], min_samples_leaf=5),
    "exactly two leaves of rows": edge(np.repeat(XOR, 2, axis=0), [0, 0, 1, 1, 1, 1, 0, 0],
                                       min_samples_leaf=4),
    "leaf size over merged rows": edge(np.repeat(XOR, 3, axis=0), [0, 1, 1] * 3 + [0] * 3,
                                       min_samples_leaf=3, depth=3),
    "similarity fails with leaves of two": edge([[0], [0], [1], [1]], [0, 0, 1, 1],
                                                min_samples_leaf=2),
    "weights far apart": edge(XOR, [0, 1, 1, 0], [1e-6, 1e6, 1.0, 3.0]),
    "penalty beyond all errors": edge(XOR, [0, 1, 1, 1], leaf_penalty=5.0),
    "depth 20": edge(np.eye(6), [0, 1] * 3, depth=20),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_edge(name):
    problem = EDGES[name]
    optimum = best(*problem.question)
    for setting in every_setting():
        check_all(problem, run(problem, **setting), optimum, **setting)


@given(problems(max_rows=40, max_features=8), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(problem, random):
    """Permuted rows, columns or classes and flipped columns do not change the objective."""
    n, m = problem.X.shape
    rows, columns = random.sample(range(n), n), random.sample(range(m), m)
    classes = np.array(random.sample(range(problem.n_classes), problem.n_classes), np.int32)
    flips = np.array([random.randrange(2) for _ in range(m)], np.uint8)
    other = problem.but(
        X=np.ascontiguousarray((problem.X ^ flips)[rows][:, columns]),
        y=classes[problem.y[rows]],
        weight=None if problem.weight is None else problem.weight[rows],
    )
    first, second = run(problem), run(other)
    assert abs(first.objective - second.objective) <= 2 * first.rounding + 1e-10 * problem.total


@given(problems(max_rows=20), st.data())
def test_an_integer_weight_means_repeated_rows(problem, data):
    """If leaves may have one row, an integer weight has the effect of repeating the row."""
    n = len(problem.y)
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    weighted = problem.but(weight=np.array(times, float), min_samples_leaf=1)
    rows = np.repeat(np.arange(n), times)
    repeated = weighted.but(X=problem.X[rows], y=problem.y[rows], weight=None)
    tolerance = 1e-10 * weighted.total
    assert abs(run(weighted).objective - run(repeated).objective) <= tolerance


@given(problems(max_rows=30, max_depth=3))
def test_a_relaxed_problem_is_never_worse(problem):
    """One more level, or one row less per leaf, cannot raise the objective."""
    result = run(problem)
    allowed = 2 * result.rounding + 1e-10 * problem.total
    assert run(problem.but(depth=problem.depth + 1)).objective <= result.objective + allowed
    smaller = problem.but(min_samples_leaf=max(1, problem.min_samples_leaf - 1))
    assert run(smaller).objective <= result.objective + allowed

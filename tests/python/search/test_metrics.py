"""Measures of a search over time, compared with cases computed by hand."""

from math import inf, nan

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier
from beamtree.datasets import tic_tac_toe
from beamtree.metrics import gap_integral, primal_gap, primal_integral


@pytest.mark.parametrize(
    ("objective", "best", "gap"),
    [
        (6, 6, 0.0),
        (0, 0, 0.0),
        (8, 6, 0.25),  # 2 / 8
        (6, 8, 0.25),  # `best` is not the best value: still 2 / 8
        (3, 0, 1.0),  # 3 / 3
        (None, 6, 1.0),
        (inf, 6, 1.0),
        (6, inf, 1.0),
        (inf, inf, 1.0),
    ],
)
def test_primal_gap(objective, best, gap):
    assert primal_gap(objective, best) == gap


def test_primal_gap_of_many():
    gaps = primal_gap([10, 8, 5, 5, inf], 5)
    assert gaps.tolist() == [0.5, 0.375, 0.0, 0.0, 1.0]
    assert isinstance(primal_gap(10, 5), float)


# Seconds, objective and lower bound. If the best objective is 6, the primal gaps are 1 for 1 s,
# 1/4 for 2 s, and 0 from 3 s on. The gaps are 1 for 1 s, (8 - 2) / 8 = 3/4 for 2 s,
# (6 - 3) / 6 = 1/2 for 2 s, and 0 from 5 s on.
ROWS = [(1.0, 8.0, 2.0), (3.0, 6.0, 3.0), (5.0, 6.0, 6.0)]


@pytest.mark.parametrize(
    ("until", "primal", "gap"),
    [
        (0.0, 0.0, 0.0),
        (0.5, 0.5, 0.5),
        (1.0, 1.0, 1.0),
        (2.0, 1.25, 1.75),
        (3.0, 1.5, 2.5),
        (4.0, 1.5, 3.0),
        (10.0, 1.5, 3.5),
    ],
)
def test_integrals(until, primal, gap):
    assert primal_integral(ROWS, 6, until) == pytest.approx(primal)
    assert gap_integral(ROWS, until) == pytest.approx(gap)


def test_integrals_up_to_many_times():
    assert primal_integral(ROWS, 6, [1.0, 2.0, 10.0]).tolist() == [1.0, 1.25, 1.5]
    assert gap_integral(ROWS, [1.0, 2.0, 10.0]).tolist() == [1.0, 1.75, 3.5]


def test_without_a_tree_the_gap_is_one():
    assert primal_integral([], 6, 7.0) == 7.0
    assert gap_integral([], 7.0) == 7.0
    assert primal_integral(ROWS, inf, 7.0) == 7.0
    assert gap_integral([(1.0, inf, 0.0), (2.0, 6.0, 6.0)], 7.0) == 2.0


def test_a_tree_at_once_and_two_at_one_moment():
    # The best tree comes at 0 s: the integral is 0. Of two rows at 2 s the later one counts.
    assert primal_integral([(0.0, 6.0)], 6, 10.0) == 0.0
    assert primal_integral([(2.0, 12.0), (2.0, 8.0)], 6, 4.0) == pytest.approx(2.0 + 2 * 0.25)


def test_the_gap_is_zero_where_both_are_zero():
    # 1 for 1 s, (4 - 0) / 4 = 1 for 1 s, then 0.
    assert gap_integral([(1.0, 4.0, 0.0), (2.0, 0.0, 0.0)], 9.0) == 2.0


def test_traces_of_classifiers():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    columns = [clf.trace_[name] for name in ("seconds", "objective", "lower_bound")]
    rows = np.column_stack(columns)
    for trace in (clf, clf.trace_):
        assert primal_integral(trace, 216, 5.0) == primal_integral(rows, 216, 5.0)
        assert gap_integral(trace, 5.0) == gap_integral(rows, 5.0)
    assert primal_integral(clf, 216, 5.0) <= gap_integral(clf, 5.0) <= 5.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: primal_gap(-1, 6), "objective must be numbers of at least 0, got -1.0"),
        (lambda: primal_gap([1, nan], 6), "objective must be numbers of at least 0, got nan"),
        (lambda: primal_gap(1, nan), "best must be a number of at least 0, got nan"),
        (lambda: primal_gap(1, [1, 2]), r"best must be a number .* got shape \(2,\)"),
        (lambda: primal_gap([[1]], 1), r"objective must be numbers .* got shape \(1, 1\)"),
        (lambda: primal_integral(ROWS, 6, -1), "until must be finite numbers of at least 0"),
        (lambda: primal_integral(ROWS, 6, inf), "until must be finite numbers .* got inf"),
        (lambda: primal_integral([1, 2, 3], 6, 1), r"trace must have rows of 2 or 3 numbers, got"),
        (lambda: gap_integral([(1, 2)], 1), r"trace must have rows of 3 numbers, got the shape"),
        (lambda: primal_integral([(-1, 2)], 6, 1), "seconds of the trace must be numbers"),
        (lambda: primal_integral([(2, 2), (1, 1)], 6, 1), "seconds of the trace must not decrease"),
        (lambda: gap_integral([(1, 2, None)], 1), "lower_bound of the trace must be .* got nan"),
        (lambda: gap_integral([(1, 2, 3)], 1), "lower_bound must be at most .* got 3 above 2"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()

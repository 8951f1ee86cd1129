"""Alternatives: the bounds that a search knows for every possible first test."""

import pickle

import numpy as np
import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier, Search, export_text
from beamtree.datasets import tic_tac_toe
from tests.oracle import best_cost
from tests.unfinished import unfinished


def best_below(X, y, weight, column, threshold, depth):
    """Return the objective of the best tree with this first test, by plain recursion."""
    total = 0
    for side in (X[:, column] <= threshold, X[:, column] > threshold):
        rows, labels = X[side], y[side]
        cut = [rows > t for t in (0.5, 1.5)]
        total += best_cost(
            np.hstack(cut).astype(int).tolist(),
            labels.tolist(),
            weight[side].tolist(),
            2,
            depth - 1,
        )
    return total


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_bounds_enclose_the_best_below_each_test(depth, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (40, 3))
    y = (X.sum(axis=1) + rng.integers(0, 3, 40) > 4).astype(int)
    weight = rng.integers(1, 4, 40)
    clf = OptimalTreeClassifier(max_depth=depth).fit(X, y, weight)
    table = clf.alternatives_.table
    # Each column has two tests, of which at least one is listed.
    assert set(table["column"]) == {0, 1, 2}
    assert len(np.unique(table[["column", "threshold"]])) == len(table)
    for row in table:
        best = best_below(X, y, weight, row["column"], row["threshold"], depth)
        assert row["lower_bound"] <= best <= row["objective"]
        assert row["lower_bound"] >= clf.lower_bound_
        if depth <= 2 and len(table) == 6:
            assert row["lower_bound"] == best == row["objective"]
    assert table["objective"][0] == clf.objective_
    assert np.all(np.diff(table["objective"]) >= 0)


def test_a_search_without_time_has_valid_alternatives():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=4, time_limit=0).fit(X, y)
    assert len(clf.alternatives_) == 27
    assert clf.alternatives_[0].objective == clf.objective_
    assert all(one.lower_bound <= one.objective for one in clf.alternatives_)


def test_a_single_leaf_has_no_alternatives():
    clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], [0, 1])
    assert len(clf.alternatives_) == 0
    assert repr(clf.alternatives_) == "test  objective  lower_bound"


def test_words_frames_and_copies():
    X = [["red", 1.0], ["blue", 2.0], ["red", 3.0], ["green", 4.0]]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "b", "a", "b"])
    best = clf.alternatives_[0]
    assert best == ("x0 == red?", 0.0, 0.0)
    frame = clf.alternatives_.to_frame()
    assert list(frame["test"]) == [one.test for one in clf.alternatives_]
    assert len(clf.alternatives_[:2]) == 2
    assert list(pickle.loads(pickle.dumps(clf)).alternatives_) == list(clf.alternatives_)


def test_alternatives_ask_the_questions_of_the_tree():
    X = pd.DataFrame({"is_member": [0, 0, 1, 1], "age": [20, 30, 30, 41]})
    clf = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "a", "b", "b"])
    assert export_text(clf).splitlines()[0] == "is_member?"
    assert repr(clf.alternatives_[:2]) == (
        "test        objective  lower_bound\n"
        "is_member?          0            0\n"
        "age <= 25?          1            1"
    )


def test_alternatives_of_a_search():
    X, y, _, _ = tic_tac_toe()
    search = Search(X, y, max_depth=3)
    assert search.alternatives(0).table["objective"].min() > 216
    search.run()
    corners, other = search.alternatives()[:4], search.alternatives()[4]
    assert [one.objective for one in corners] == [216.0] * 4
    assert other.objective > 216
    with pytest.raises(ValueError, match="time_limit must be"):
        search.alternatives(-1)


@unfinished
def test_no_alternative_is_shown_as_better_than_the_tree():
    rng = np.random.default_rng(3)
    for _ in range(20):
        X, y, weight = rng.integers(0, 2, (60, 5)), rng.integers(0, 2, 60), rng.random(60)
        clf = OptimalTreeClassifier(max_depth=2).fit(X, y, weight)
        assert clf.alternatives_[0].objective == clf.objective_
        assert min(one.lower_bound for one in clf.alternatives_) >= clf.lower_bound_
        early = OptimalTreeClassifier(max_depth=2, node_limit=1).fit(X, y, weight)
        assert early.alternatives_[0].objective >= early.objective_

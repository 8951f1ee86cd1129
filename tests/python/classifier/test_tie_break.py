"""Which of several best trees is returned, and what is proved about the number of leaves."""

from time import perf_counter

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree.datasets import load_binarized, monks

# The label is the first column. A tree that begins with another column needs more leaves.
X = np.array([[k >> j & 1 for j in range(3)] for k in range(8)])
FIRST = X[:, 0]


@pytest.mark.parametrize("tie_break", ["any", "small", "smallest"])
def test_every_value_gives_a_best_tree(tie_break):
    boards, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=3, tie_break=tie_break).fit(boards, y)
    assert (clf.status_, clf.n_errors_) == ("optimal", 48)
    assert 1 <= clf.n_leaves_bound_ <= clf.get_n_leaves()
    if tie_break == "smallest":
        assert clf.n_leaves_bound_ == clf.get_n_leaves() == 7


def test_the_smallest_tree_is_found():
    clf = OptimalTreeClassifier(max_depth=3, tie_break="smallest").fit(X, FIRST)
    assert (clf.n_errors_, clf.get_n_leaves(), clf.n_leaves_bound_) == (0, 2, 2)


@pytest.mark.parametrize("tie_break", ["small", "smallest"])
def test_a_test_that_separates_only_cancelled_rows(tie_break):
    """Equal rows with opposite labels are not searched, but a tree may have a test for them."""
    rows = "1011 1001 0001 0000 1001 0011 0010 0011 0011 1011 1010 1001 0001 1001 0110 0011"
    boards = np.array([[int(cell) for cell in row] for row in rows.split()])
    labels = [int(label) for label in "0111010011100100"]
    clf = OptimalTreeClassifier(max_depth=4, tie_break=tie_break).fit(boards, labels)
    assert (clf.status_, clf.n_errors_) == ("optimal", 6)


def test_a_single_leaf_needs_no_proof():
    clf = OptimalTreeClassifier(tie_break="any").fit(X, np.zeros(8))
    assert (clf.get_n_leaves(), clf.n_leaves_bound_) == (1, 1)


def test_nothing_is_claimed_of_rounded_weights():
    """The best trees of the rounded weights need not be those of the real ones."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 5)), rng.integers(0, 2, 60)
    search = Search(X, y, rng.random(60), max_depth=2, tie_break="smallest")
    result = search.run()
    assert result.rounding > 0
    assert result.n_leaves_bound == search.n_leaves_bound == 1


def test_little_more_work_gives_a_smaller_tree():
    data = load_binarized("breast_cancer")
    leaves = {}
    for tie_break in ("any", "small"):
        clf = OptimalTreeClassifier(max_depth=5, tie_break=tie_break).fit(data.X, data.y)
        assert clf.status_ == "optimal"
        leaves[tie_break] = clf.get_n_leaves()
    assert leaves["small"] <= leaves["any"]


def test_a_search_goes_on_after_the_proof(tmp_path):
    data = load_binarized("breast_cancer")
    search = Search(data.X, data.y, max_depth=4, tie_break="smallest")
    for incumbent in search:
        if incumbent.gap == 0.0:
            break
    assert (search.status, search.done) == ("optimal", False)
    assert search.n_leaves_bound < incumbent.tree.n_leaves
    search.save(tmp_path / "search")
    results = [search.run(), Search.load(tmp_path / "search", data.X, data.y).run()]
    for result in results:
        assert (result.status, result.n_errors) == ("optimal", 7)
        assert result.tree.n_leaves == result.n_leaves_bound == 15
    assert search.done


def test_limits_hold_after_the_proof():
    data = load_binarized("breast_cancer")
    clf = OptimalTreeClassifier(max_depth=6, tie_break="smallest", time_limit=0.5)
    begin = perf_counter()
    clf.fit(data.X, data.y)
    assert perf_counter() - begin < 4.0
    assert (clf.status_, clf.proof_) == ("optimal", "Proved optimal: 0 errors")
    assert clf.n_leaves_bound_ < clf.get_n_leaves()

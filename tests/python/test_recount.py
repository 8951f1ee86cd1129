"""The clean tree: splits that decide nothing are gone, and its objective is recounted."""

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, _core
from beamtree._recount import collapsed, recount


def arrays(*columns):
    return [np.array(column, dtype=np.int32) for column in columns]


#         0
#      1     2
#    3  4   5  6
FULL = arrays([0, 1, 2, -1, -1, -1, -1], [1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1])


def class_weights(leaves):
    """Weights of all nodes of the full tree, from those of its leaves."""
    three, four, five, six = (np.array(leaf, dtype=float) for leaf in leaves)
    left, right = three + four, five + six
    return np.array([left + right, left, right, three, four, five, six])


@pytest.mark.parametrize(
    ("leaves", "inner", "left_over"),
    [
        ([[2, 1], [1, 2], [2, 1], [1, 2]], [0, 1, 2], [3, 4, 5, 6]),
        ([[2, 1], [3, 1], [2, 1], [1, 2]], [0, 2], [1, 5, 6]),
        ([[2, 1], [1, 2], [0, 1], [1, 2]], [0, 1], [2, 3, 4]),
        ([[2, 1], [2, 1], [0, 1], [1, 2]], [0], [1, 2]),
        ([[2, 1], [2, 1], [4, 1], [2, 1]], [], [0]),
        ([[1, 1], [1, 1], [1, 1], [1, 1]], [], [0]),  # a tie goes to the first class
    ],
)
def test_collapse(leaves, inner, left_over):
    feature, leaf = collapsed(*FULL, class_weights(leaves))
    assert np.flatnonzero(feature >= 0).tolist() == inner
    assert np.flatnonzero(leaf).tolist() == left_over
    assert FULL[0].tolist() == [0, 1, 2, -1, -1, -1, -1]  # the search's own arrays stay


def test_a_single_leaf_stays_one():
    feature, leaf = collapsed(*arrays([-1], [-1], [-1]), np.array([[1.0, 2.0]]))
    assert feature.tolist() == [-1]
    assert leaf.tolist() == [True]


class Outcome:
    feature, left, right = FULL


def test_the_objective_is_that_of_the_clean_tree():
    X = np.array([[a, b, b] for a in (0, 1) for b in (0, 1)], np.uint8)
    y = np.array([0, 0, 0, 1], np.int32)
    weight = np.array([1.0, 0.5, 0.25, 2.0])
    found = recount(X, y, weight, 2, Outcome, leaf_penalty=0.1)
    assert found.tree.n_leaves == 3
    assert found.tree.feature.tolist() == [0, -2, 2, -2, -2]
    assert found.objective == pytest.approx(0.1 * 3.75 * 2)
    assert found.n_errors == 0


def test_weights_that_only_rounding_tells_apart():
    """Rounded to 15 bits, the light rows of both sides weigh 1 and split the leaf; really they
    do not decide it."""
    X = np.array([[0], [0], [1], [1], [1]], np.uint8)
    y = np.array([0, 0, 0, 1, 1], np.int32)
    weight = np.array([1.0, 1.0 / 3, 1.7e-6, 0.5e-6, 0.6e-6])
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y, weight)
    assert clf.get_n_leaves() == 1
    assert clf.objective_ == pytest.approx(1.1e-6, rel=1e-9)
    assert clf.n_errors_ == 2
    assert clf.rounding_ > 0
    assert clf.trace_["objective"][-1] == clf.objective_
    assert clf.trace_["lower_bound"][-1] == clf.lower_bound_


@pytest.mark.parametrize("penalty", [0.0, 0.01])
def test_no_split_has_leaves_that_predict_the_same(penalty):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (60, 6))
        y = rng.integers(0, 2, 60)
        clf = OptimalTreeClassifier(max_depth=4, leaf_penalty=penalty, time_limit=seed % 2)
        tree = clf.fit(X, y, rng.random(60) + 0.1).tree_
        label = tree.value[:, 0].argmax(axis=1)
        for node in np.flatnonzero(tree.feature >= 0):
            children = tree.children_left[node], tree.children_right[node]
            if all(tree.feature[child] < 0 for child in children):
                assert label[children[0]] != label[children[1]]
        assert clf.trace_["objective"][-1] == clf.objective_


def test_recount_of_the_core_agrees():
    X = np.array([[a, b, b] for a in (0, 1) for b in (0, 1)], np.uint8)
    y = np.array([0, 0, 0, 1], np.int32)
    value, rows = _core.recount(X, y, np.ones(4), 2, *FULL)
    assert value.tolist() == [[3, 1], [2, 0], [1, 1], [1, 0], [1, 0], [1, 0], [0, 1]]
    assert rows.tolist() == [4, 2, 2, 1, 1, 1, 1]

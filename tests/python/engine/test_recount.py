"""The final tree has no splits without effect, and its objective is recounted from the rows."""

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, _core
from beamtree._engine.recount import collapsed, recount
from beamtree.tree import Tree


def arrays(*columns):
    return [np.array(column, dtype=np.int32) for column in columns]


#         0
#      1     2
#    3  4   5  6
FULL = arrays([0, 1, 2, -1, -1, -1, -1], [1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1])


def class_weights(leaves):
    """Return the class weights of all nodes of the full tree, given those of its leaves."""
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
    feature, leaf = collapsed(*FULL, class_weights(leaves).argmax(axis=1))
    assert np.flatnonzero(feature >= 0).tolist() == inner
    assert np.flatnonzero(leaf).tolist() == left_over
    assert FULL[0].tolist() == [0, 1, 2, -1, -1, -1, -1]  # the arrays of the search are not changed


def test_a_single_leaf_stays_a_leaf():
    feature, leaf = collapsed(*arrays([-1], [-1], [-1]), np.array([1]))
    assert feature.tolist() == [-1]
    assert leaf.tolist() == [True]


def test_a_large_tree_collapses_level_by_level():
    """In a full tree of depth 16, only the splits above the last leaf have an effect."""
    count = 2**17 - 1
    node = np.arange(count, dtype=np.int32)
    inner = node < count // 2
    children = [np.where(inner, 2 * node + side, -1).astype(np.int32) for side in (1, 2)]
    feature = np.where(inner, 0, -1).astype(np.int32)
    weight = np.tile([2.0, 1.0], (count, 1))
    weight[-2:] = [[2.0, 1.0], [1.0, 2.0]]
    tests, leaf = collapsed(feature, *children, weight.argmax(axis=1))
    tree = Tree.from_search(tests, *children, weight, np.ones(count, np.int64), 1)
    assert (tree.max_depth, tree.n_leaves, leaf.sum()) == (16, 17, 17)
    assert tree.children_left[:4].tolist() == [1, -1, 3, -1]
    assert tree.children_right[:4].tolist() == [2, -1, 4, -1]


@pytest.mark.parametrize("seed", range(5))
def test_nodes_are_numbered_depth_first(seed):
    rng = np.random.default_rng(seed)
    feature, left, right = [-1], [-1], [-1]
    for test in range(int(rng.integers(0, 40))):
        node = int(rng.choice(np.flatnonzero(np.array(feature) < 0)))
        feature[node], left[node], right[node] = test, len(feature) + 1, len(feature)
        for column in (feature, left, right):
            column.extend([-1, -1])
    count = len(feature)
    weights = np.ones((count, 2)), np.arange(count)
    tree = Tree.from_search(*arrays(feature, left, right), *weights, 40)

    def walk(node, depth):
        yield node, depth
        if feature[node] >= 0:
            yield from walk(left[node], depth + 1)
            yield from walk(right[node], depth + 1)

    order, depths = zip(*walk(0, 0), strict=True)
    assert tree.n_node_samples.tolist() == list(order)
    assert tree.max_depth == max(depths)
    X = rng.integers(0, 2, (20, 40))
    path = tree.decision_path(X)
    assert (path[np.arange(20), tree.apply(X)] == 1).all()
    assert (np.array(depths)[tree.apply(X)] + 1 == path.sum(axis=1).A1).all()


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
    """Rounded to 15 bits, all light rows weigh 1, and the split has an effect.

    With the real weights it has none, so that the tree is a leaf.
    """
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

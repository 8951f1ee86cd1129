"""The arrays of a tree, compared with scikit-learn's."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree as SklearnTree

from beamtree import OptimalTreeClassifier, Tree
from beamtree.datasets import load_binarized, tic_tac_toe

ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
)


@pytest.fixture
def quadrants():
    """Return noisy rows of four classes, one per leaf of the greedy tree, which is optimal."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (400, 5), dtype=np.uint8)
    y = 2 * X[:, 3] + np.where(X[:, 3] == 1, X[:, 0], X[:, 4])
    noisy = rng.random(400) < 0.05
    y[noisy] = rng.integers(0, 4, noisy.sum())
    return X, y, rng.random(400) + 0.5


@pytest.fixture(scope="module")
def wine():
    data = load_binarized("wine")
    return data.X, OptimalTreeClassifier(max_depth=3).fit(data.X, data.y).tree_


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_tree_that_scikit_learn_builds(quadrants, weighted):
    X, y, weight = quadrants
    sample_weight = weight if weighted else None
    ours = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight).tree_
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight).tree_
    for name in ARRAYS:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.dtype == other.dtype, name
        np.testing.assert_allclose(mine, other, rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(ours.value, theirs.value, rtol=1e-10)
    for name in ("node_count", "n_leaves", "max_depth", "n_features", "n_outputs"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert_array_equal(ours.n_classes, theirs.n_classes)


def test_scikit_learn_reads_the_arrays(wine):
    X, tree = wine
    twin = as_sklearn(tree)
    X32 = X.astype(np.float32)
    assert_array_equal(tree.apply(X), twin.apply(X32))
    assert_array_equal(tree.predict(X), twin.predict(X32))
    assert_array_equal(tree.decision_path(X).toarray(), twin.decision_path(X32).toarray())


def as_sklearn(tree):
    twin = SklearnTree(tree.n_features, tree.n_classes, tree.n_outputs)
    state = twin.__getstate__()
    nodes = np.zeros(tree.node_count, dtype=state["nodes"].dtype)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    for name in ARRAYS[2:]:
        nodes[name] = getattr(tree, name)
    state.update(
        max_depth=tree.max_depth, node_count=tree.node_count, nodes=nodes, values=tree.value
    )
    twin.__setstate__(state)
    return twin


def test_decision_path_ends_in_the_leaf(wine):
    X, tree = wine
    path = tree.decision_path(X)
    leaf = tree.apply(X)
    assert path.shape == (len(X), tree.node_count)
    for row in range(len(X)):
        nodes = path.indices[path.indptr[row] : path.indptr[row + 1]]
        assert nodes[0] == 0
        assert nodes[-1] == leaf[row]
        for parent, child in pairwise(nodes):
            bit = X[row, tree.feature[parent]]
            assert child == (tree.children_right if bit else tree.children_left)[parent]


def test_samples_and_values_are_those_of_the_rows(wine):
    X, tree = wine
    passed = np.asarray(tree.decision_path(X).sum(axis=0)).ravel()
    assert_array_equal(passed, tree.n_node_samples)
    np.testing.assert_allclose(tree.value.sum(axis=2), 1.0)


def test_nodes_in_any_order_become_depth_first():
    # The root splits on feature 1; its left child is node 3, its right child is node 1.
    tree = Tree.from_search(
        feature=np.array([1, -1, -1, 0, -1], dtype=np.int32),
        left=np.array([3, -1, -1, 4, -1], dtype=np.int32),
        right=np.array([1, -1, -1, 2, -1], dtype=np.int32),
        class_weight=np.array([[3.0, 3], [0, 2], [1, 1], [3, 1], [2, 0]]),
        samples=np.array([6, 2, 2, 4, 2]),
        n_features=2,
    )
    assert tree.feature.tolist() == [1, 0, -2, -2, -2]
    assert tree.children_left.tolist() == [1, 2, -1, -1, -1]
    assert tree.children_right.tolist() == [4, 3, -1, -1, -1]
    assert tree.n_node_samples.tolist() == [6, 4, 2, 2, 2]
    assert tree.value[:, 0, 0].tolist() == [0.5, 0.75, 1.0, 0.5, 0.0]
    assert (tree.max_depth, tree.n_leaves) == (2, 3)
    assert tree.apply(np.array([[0, 0], [1, 0], [0, 1], [1, 1]])).tolist() == [2, 3, 4, 4]


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32])
def test_apply_takes_any_type(dtype):
    X, y, _, _ = tic_tac_toe()
    tree = OptimalTreeClassifier(max_depth=2).fit(X, y).tree_
    assert_array_equal(tree.apply(X.astype(dtype)), tree.apply(X))


def test_a_single_leaf():
    tree = OptimalTreeClassifier(max_depth=0).fit([[0], [1], [1]], [2, 1, 2]).tree_
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (1, 1, 0)
    assert tree.apply(np.array([[0], [1]])).tolist() == [0, 0]
    assert tree.decision_path(np.array([[0], [1]])).toarray().tolist() == [[1], [1]]

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
    clf = OptimalTreeClassifier(max_depth=3, leaf_smoothing=None)
    return data.X, clf.fit(data.X, data.y).tree_


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


def stump(threshold, **arrays):
    """Return a tree that splits the first of two columns; `arrays` holds values of the root."""
    given = {}
    for name, value in arrays.items():
        given[name] = np.full(3, None, dtype=object)
        given[name][0] = value
    if "missing_go_to_left" in arrays:
        given["missing_go_to_left"] = np.array([arrays["missing_go_to_left"], 0, 0], dtype=np.uint8)
    return Tree(
        children_left=np.array([1, -1, -1]),
        children_right=np.array([2, -1, -1]),
        feature=np.array([0, -2, -2]),
        threshold=np.array([threshold, -2.0, -2.0]),
        impurity=np.array([0.5, 0.0, 0.0]),
        n_node_samples=np.array([2, 1, 1]),
        weighted_n_node_samples=np.array([2.0, 1.0, 1.0]),
        value=np.array([[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]]),
        max_depth=1,
        n_features=2,
        **given,
    )


@pytest.mark.parametrize(("go_left", "leaf"), [(1, 1), (0, 2)])
def test_missing_values_go_where_the_node_says(go_left, leaf):
    tree = stump(2.5, missing_go_to_left=go_left)
    numbers = np.array([1.0, np.nan, 4.0])
    assert tree.apply(np.stack([numbers, numbers], axis=1)).tolist() == [1, leaf, 2]
    assert tree.apply([numbers, numbers]).tolist() == [1, leaf, 2]
    integers = np.ma.array([1, 0, 4], mask=[False, True, False])
    assert tree.apply([integers, integers]).tolist() == [1, leaf, 2]
    assert tree.predict([integers, integers])[:, 0].tolist() == [1.0, 2.0 - leaf, 0.0]
    assert tree.decision_path([numbers, numbers]).shape == (3, 3)


def test_known_values_are_separated_from_missing_ones():
    tree = stump(np.inf)
    assert tree.apply([np.array([1e300, np.nan, -np.inf])] * 2).tolist() == [1, 2, 1]
    assert tree.apply([np.ma.array([1, 2], mask=[True, False])] * 2).tolist() == [2, 1]


@pytest.mark.parametrize("go_left", [0, 1])
def test_integers_are_compared_as_integers(go_left):
    low = 10**17 + 5
    tree = stump(float(low), exact_threshold=low, missing_go_to_left=go_left)
    values = np.array([low - 1, low, low + 1], dtype=np.int64)
    assert float(low) == float(low + 1)
    assert tree.apply([values, values]).tolist() == [1, 1, 2]
    assert tree.apply(np.stack([values, values], axis=1)).tolist() == [1, 1, 2]
    assert stump(2.0**63, exact_threshold=2**63).apply([values, values]).tolist() == [1, 1, 1]
    small = np.array([-128, 127], dtype=np.int8)
    assert stump(300.5, exact_threshold=300).apply([small, small]).tolist() == [1, 1]
    assert stump(-300.5, exact_threshold=-301).apply([small, small]).tolist() == [2, 2]
    large = np.array([2**63, 2**63 + 1], dtype=np.uint64)
    assert stump(2.0**63, exact_threshold=2**63).apply([large, large]).tolist() == [1, 2]
    assert stump(-1.0, exact_threshold=-1).apply([large, large]).tolist() == [2, 2]


def test_neighbouring_doubles_are_separated():
    low = 0.1
    high = float(np.nextafter(low, 1.0))
    assert stump(low).apply([np.array([low, high])] * 2).tolist() == [1, 2]


def test_categories():
    """Categories in the set go left, unknown ones go right, and missing values go either way."""
    codes = [np.array([0.0, 1.0, 2.0, -1.0, np.nan])] * 2
    assert stump(np.nan, categories=(1,)).apply(codes).tolist() == [2, 1, 2, 2, 2]
    assert stump(np.nan, categories=(0, 2)).apply(codes).tolist() == [1, 2, 1, 2, 2]
    tree = stump(np.nan, categories=(0, 2), missing_go_to_left=1)
    assert tree.apply(codes).tolist() == [1, 2, 1, 2, 1]


def test_no_rows():
    assert stump(2.5).apply(np.empty((0, 2))).tolist() == []

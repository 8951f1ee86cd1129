"""Initial trees: cut to the limits, used if they are better, and refused with a reason."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
)

from beamtree import OptimalTreeClassifier, Search
from beamtree._resume.initial_tree import added_tests, init_arrays
from beamtree._table.table import open_table
from beamtree._table.training_data import training_data
from beamtree.datasets import tic_tac_toe
from tests.python.export.shown_trees import objects
from tests.unfinished import unfinished


@pytest.fixture(scope="module")
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


@pytest.fixture(scope="module")
def best(boards):
    return OptimalTreeClassifier(max_depth=5).fit(*boards)


def arrays_of(tree, X, depth, max_thresholds=32):
    """Return the tree as arrays of the core over the tests of X, and the training data."""
    table = open_table(X)
    added = added_tests(tree, table, depth)
    data = training_data(table, np.arange(len(table)) % 2, None, max_thresholds, added)
    return *init_arrays(tree, data, depth), data


def at_once(boards, **parameters):
    """Return a classifier with the first tree of a search."""
    return OptimalTreeClassifier(time_limit=0, **{"max_depth": 5, **parameters}).fit(*boards)


def test_every_kind_of_object_with_a_tree(boards, best):
    X, y = boards
    search = Search(X, y, max_depth=5)
    kinds = [best, best.tree_, FrozenEstimator(best), search.run(), search.incumbent]
    for init in kinds:
        clf = at_once(boards, init=init)
        assert clf.objective_ == 63
        assert len(clf.trace_) == 1
        assert Search(X, y, max_depth=5, init=init).step(0).objective == 63


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("depth", [1, 3, 5, None])
def test_trees_of_sklearn(boards, kind, depth):
    X, y = boards
    tree = kind(max_depth=depth, random_state=3).fit(X, y)
    clf = at_once(boards, max_depth=tree.get_depth(), init=tree)
    assert clf.n_errors_ <= (tree.predict(X) != y).sum()
    frozen = at_once(boards, max_depth=tree.get_depth(), init=FrozenEstimator(tree))
    assert frozen.objective_ == clf.objective_


@pytest.mark.parametrize("seed", range(5))
def test_the_result_is_never_worse_than_the_cut_tree(boards, seed):
    X, y = boards
    rng = np.random.default_rng(seed)
    tree = DecisionTreeClassifier(max_features=3, random_state=seed).fit(X, rng.integers(0, 2, 958))
    depth, leaf = int(rng.integers(1, 5)), int(rng.integers(1, 40))
    feature, left, right, _ = arrays_of(tree, X, depth)
    # The function below counts the errors of the tree without splits that give too small leaves.
    clf = at_once(boards, max_depth=depth, min_samples_leaf=leaf, init=tree)

    def errors(node, rows):
        alone = min(y[rows].sum(), len(rows) - y[rows].sum())
        if feature[node] < 0:
            return alone
        one = X[rows, feature[node]] == 1
        if min(one.sum(), (~one).sum()) < leaf:
            return alone
        return min(alone, errors(left[node], rows[~one]) + errors(right[node], rows[one]))

    assert clf.objective_ <= errors(0, np.arange(958))


def test_thresholds_outside_of_0_and_1_are_followed():
    rng = np.random.default_rng(0)
    numbers = rng.uniform(-1, 2, (300, 4))
    labels = (numbers[:, :3] > 0.5) @ [1, 2, 4] + 8 * (numbers[:, 3] > 1.5)
    labels += 16 * (numbers[:, 3] < -0.5)
    tree = DecisionTreeClassifier(random_state=0).fit(numbers, labels)
    assert (tree.tree_.threshold < 0).any()
    assert (tree.tree_.threshold >= 1).any()
    X = rng.integers(0, 2, (300, 4))
    feature, left, right, _ = arrays_of(tree, X, 20)

    def walk(row):
        node = 0
        while feature[node] >= 0:
            node = (right if row[feature[node]] else left)[node]
        return node

    # Rows that share a leaf in one tree share a leaf in the other.
    theirs, ours = tree.apply(X), [walk(row) for row in X]
    assert len(set(zip(theirs, ours, strict=True))) == len(set(theirs)) == len(set(ours))
    assert len(set(ours)) > 4
    assert (left[feature >= 0] > np.flatnonzero(feature >= 0)).all()


def test_a_deep_chain_is_cut():
    X = np.tri(400, 399, -1, dtype=np.uint8)
    tree = DecisionTreeClassifier(random_state=0).fit(X, np.arange(400) % 2)
    feature, _, _, _ = arrays_of(tree, X, 3)
    assert 3 < len(feature) <= 15


@unfinished
def test_a_good_start_stays_the_best(boards, best):
    clf = OptimalTreeClassifier(max_depth=5, init=best, node_limit=1).fit(*boards)
    assert clf.objective_ == 63
    proved = OptimalTreeClassifier(max_depth=5, init=best).fit(*boards)
    assert (proved.status_, proved.objective_) == ("optimal", 63)


NOT_A_TREE = (
    "init must be None, a fitted DecisionTreeClassifier, ExtraTreeClassifier or "
    "OptimalTreeClassifier, or a Tree, Incumbent or Result, got "
)


def refused(init, message, X="not looked at", y=None):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        OptimalTreeClassifier(init=init).fit(X, y)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        Search(X, y, init=init)


def test_other_objects_are_refused(boards):
    refused("cart", NOT_A_TREE + "'cart'")
    refused(DecisionTreeClassifier, NOT_A_TREE)
    refused(RandomForestClassifier(2).fit(*boards), NOT_A_TREE + "RandomForestClassifier")


def test_regressors_are_refused(boards):
    tree = DecisionTreeRegressor(max_depth=2).fit(*boards)
    refused(tree, "init must be a classifier, got a DecisionTreeRegressor")


def test_several_outputs_are_refused(boards):
    X, y = boards
    tree = DecisionTreeClassifier(max_depth=2).fit(X, np.stack([y, 1 - y], axis=1))
    refused(tree, "init must predict one output, and this DecisionTreeClassifier predicts 2")


def test_unfitted_trees_are_refused(boards, best):
    refused(DecisionTreeClassifier(), "init must be fitted, and this DecisionTreeClassifier is not")
    refused(OptimalTreeClassifier(), "init must be fitted, and this OptimalTreeClassifier is not")
    clf = clone(OptimalTreeClassifier(init=best))
    with pytest.raises(ValueError, match=r"FrozenEstimator"):
        clf.fit(*boards)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"children_left": [0, -1, -1]}, "the left child of its node 0 is 0, of 3 nodes"),
        ({"children_right": [3, -1, -1]}, "the right child of its node 0 is 3, of 3 nodes"),
        ({"children_right": [-1, -1, -1]}, "the right child of its node 0 is -1, of 3 nodes"),
        ({"children_right": [1, -1, -1]}, "its node 1 has 2 parents"),
        (
            {"children_left": [1, 1, -1], "children_right": [2, 2, -1], "feature": [0, 1, -2]},
            "its node 1 has 2 parents",
        ),
        ({"feature": [-1, -2, -2]}, "its node 0 tests the feature -1, of 2"),
        ({"feature": [2, -2, -2]}, "its node 0 tests the feature 2, of 2"),
        ({"feature": [0, -2]}, "its arrays have the shapes [(3,), (3,), (2,), (3,), (3,),"),
        ({"feature": [0.5, -2, -2]}, "its arrays have the types"),
        ({"missing_go_to_left": [0.5, 0, 0]}, "its arrays have the types"),
        ({"categories": [1, None, None]}, "the categories of its node 0 must be a sorted tuple"),
        ({"categories": [(), None, None]}, "the categories of its node 0 must be a sorted tuple"),
        ({"categories": [(2, 1), None, None]}, "the categories of its node 0 must be a sorted"),
        ({"categories": [(-1, 1), None, None]}, "the categories of its node 0 must be a sorted"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(change, message):
    tree = OptimalTreeClassifier(max_depth=1).fit([[0, 0], [1, 1]], [0, 1]).tree_
    assert tree.children_left.tolist() == [1, -1, -1]
    if "categories" in change:
        changed = replace(tree, categories=objects(change["categories"]))
    else:
        changed = replace(tree, **{name: np.array(values) for name, values in change.items()})
    refused(changed, f"init is not a valid tree: {message}")


def test_clones_keep_trees_and_frozen_estimators(boards, best):
    for init in (best.tree_, FrozenEstimator(best)):
        search = GridSearchCV(OptimalTreeClassifier(init=init), {"max_depth": [3, 5]}, cv=3)
        assert search.fit(*boards).best_estimator_.objective_ <= 220


def test_other_features_are_refused(boards, best):
    X, y = boards
    refused(best, "init must have as many features as X, 26, and it has 27", X[:, 1:], y)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(27)])
    tree = DecisionTreeClassifier(max_depth=3).fit(frame, y)
    assert (
        at_once((frame, y), max_depth=3, init=tree).objective_ <= (tree.predict(frame) != y).sum()
    )
    message = "init must have the features of X in the same order, and its column 0 is 'f0', that"
    refused(tree, message, frame[frame.columns[::-1]], y)
    at_once((X, y), max_depth=3, init=tree)  # without names, only the number of columns is compared


def test_tests_that_are_not_searched_are_added():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0.02) ^ (X[:, 1] < -0.03)  # greedy trees do not find it
    tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    alone = OptimalTreeClassifier(max_depth=2, max_thresholds=2).fit(X, y)
    clf = OptimalTreeClassifier(max_depth=2, max_thresholds=2, init=tree).fit(X, y)
    assert clf.n_errors_ == tree.n_errors_ == 0 < alone.n_errors_
    assert clf.search_space_.n_tests > alone.search_space_.n_tests
    # A tree that was found with more tests is kept by a search with fewer.
    again = OptimalTreeClassifier(max_depth=3, max_thresholds=2, init=clf, time_limit=0).fit(X, y)
    assert again.n_errors_ <= clf.n_errors_


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_sklearn_split_the_rows_in_the_same_way(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(200, 4)), 1 + seed)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 200)
    tree = DecisionTreeClassifier(max_depth=4, random_state=seed).fit(X[:150], y[:150])
    feature, left, right, data = arrays_of(tree, X, 20, max_thresholds=1)

    def walk(row):
        node = 0
        while feature[node] >= 0:
            node = (right if row[feature[node]] else left)[node]
        return node

    theirs, ours = tree.apply(X), [walk(row) for row in data.X.fails()]
    assert len(set(zip(theirs, ours, strict=True))) == len(set(theirs)) == len(set(ours))


def test_missing_values_that_go_alone():
    X = np.array([[1.0], [2.0], [np.nan], [3.0], [np.nan]])
    y = [0, 0, 1, 0, 1]
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert at_once((X, y), max_depth=1, init=tree).n_errors_ == 0
    feature, _, _, data = arrays_of(tree, X, 1)
    assert data.orders.tests(feature[:1]).asks_if_missing[0]


FRAME = pd.DataFrame(
    {
        "n": [1.0, 2, 3, 4, np.nan, 4, 3, 2],
        "colour": list("abcaddbc"),
        "yes": list("ynynynyn"),
        "one": ["x", "x", None, "x", "x", None, "x", "x"],
    }
)


@pytest.mark.parametrize("kind", [lambda clf: clf, FrozenEstimator])
def test_categories_are_found_by_name(kind):
    y = np.array([0, 1, 1, 0, 0, 1, 0, 1])
    first = OptimalTreeClassifier(max_depth=3, tie_break="any").fit(FRAME, y)
    assert first.n_errors_ == 0
    assert any(one is not None for one in first.tree_.categories)
    # Here the categories have other codes, and only the most frequent one is searched.
    other = pd.concat([FRAME, FRAME.assign(colour="A")], ignore_index=True)
    labels = np.concatenate([y, first.predict(FRAME.assign(colour="A"))])
    clf = OptimalTreeClassifier(max_depth=3, max_thresholds=1, init=kind(first), time_limit=0)
    assert clf.fit(other, labels).n_errors_ == 0
    result = Search(FRAME, y, max_depth=3, tie_break="any").run()
    assert Search(other, labels, max_depth=3, init=result).run(0).objective == 0.0


def test_a_tree_alone_does_not_name_its_categories():
    y = [0, 1, 1, 0, 0, 1, 0, 1]
    tree = OptimalTreeClassifier(max_depth=3, tie_break="any").fit(FRAME, y).tree_
    refused(tree, "init must be a classifier, an Incumbent or a Result if", FRAME, y)


def test_other_kinds_of_columns_are_refused():
    y = [0, 1, 1, 0, 0, 1, 0, 1]
    text = OptimalTreeClassifier(max_depth=1).fit(FRAME[["colour"]], y)
    numbers = pd.DataFrame({"colour": range(8)})
    refused(text, "init is not a valid tree: its node 0 tests", numbers, y)
    number = OptimalTreeClassifier(max_depth=1).fit(numbers, y)
    refused(number, "init is not a valid tree: its node 0 tests", FRAME[["colour"]], y)

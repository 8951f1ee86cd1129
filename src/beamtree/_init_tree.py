"""Trees to start a search from: those of scikit-learn and our own, as arrays of the core."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from beamtree._learn import Added
from beamtree._predictor import TreePredictor
from beamtree._validation import Allowed, TrainingData
from beamtree.result import Incumbent, Result
from beamtree.tree import Tree, levels

Names = Sequence[str] | None

_WORDS = (
    "None, a fitted DecisionTreeClassifier, ExtraTreeClassifier or OptimalTreeClassifier, or a "
    "Tree, Incumbent or Result"
)


class TreeArrays(NamedTuple):
    """A tree as the core takes it: children stand after their parents, -1 marks leaves."""

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]


def _bare(init: Any) -> Any:
    """Return the estimator in a FrozenEstimator, which is how a fitted one survives clones."""
    return init.estimator if type(init).__name__ == "FrozenEstimator" else init


def _is_tree_of_sklearn(value: Any) -> bool:
    # Whoever has one has imported the module, which takes long.
    module = sys.modules.get("sklearn.tree")
    return module is not None and isinstance(value, module.BaseDecisionTree)


INIT = Allowed(
    _WORDS,
    lambda value: (
        value is None
        or isinstance(value, Tree | Incumbent | Result)
        or isinstance(_bare(value), TreePredictor)
        or _is_tree_of_sklearn(_bare(value))
    ),
)


def check_init(init: Any) -> None:
    """Raise a ValueError unless a search can start from this.

    Parameters
    ----------
    init : object
        The parameter.
    """
    INIT.check("init", init)
    init = _bare(init)
    if init is None:
        return
    if isinstance(init, Tree | Incumbent | Result):
        _check_whole(_tree_of(init))
        return
    name = type(init).__name__
    if not is_classifier(init):
        msg = f"init must be a classifier, got a {name}, whose leaves are not classes"
        raise ValueError(msg)
    try:
        check_is_fitted(init, "tree_")
    except Exception as error:  # of scikit-learn's own kind
        msg = (
            f"init must be fitted, and this {name} is not; clones are not, so where estimators "
            "are cloned give its tree_, or sklearn.frozen.FrozenEstimator of it"
        )
        raise ValueError(msg) from error
    if init.tree_.n_outputs != 1:
        msg = f"init must predict one output, and this {name} predicts {init.tree_.n_outputs}"
        raise ValueError(msg)


def _check_whole(tree: Tree) -> None:
    """Raise a ValueError unless the arrays are those of a tree: anybody can make a `Tree`."""
    integers = (tree.children_left, tree.children_right, tree.feature)
    arrays = [np.asarray(array) for array in (*integers, tree.threshold, tree.category)]
    left, right, feature, threshold, category = arrays
    nodes = len(left) if left.ndim == 1 else 0
    if nodes == 0 or any(array.shape != (nodes,) for array in arrays):
        shapes = [array.shape for array in arrays]
        _refuse(f"its arrays have the shapes {shapes}, not one entry a node")
    kind = [array.dtype.kind for array in (left, right, feature, category)]
    if not set(kind) <= {"i", "u"} or threshold.dtype.kind != "f":
        kinds = [str(array.dtype) for array in arrays]
        _refuse(f"its arrays have the types {kinds}, not integers and thresholds of float")
    inner = (left >= 0) | (right >= 0)
    for side, child in (("left", left), ("right", right)):
        bad = inner & ((child <= 0) | (child >= nodes))
        if bad.any():
            at = int(bad.argmax())
            _refuse(f"the {side} child of its node {at} is {child[at]}, of {nodes} nodes")
    bad = inner & ((feature < 0) | (feature >= tree.n_features))
    if bad.any():
        at = int(bad.argmax())
        _refuse(f"its node {at} tests the feature {feature[at]}, of {tree.n_features}")
    # With one parent each, and none for the root, nodes cannot lead back to themselves.
    children = np.concatenate([left[inner], right[inner]]).astype(np.intp)
    parents = np.bincount(children, minlength=nodes)
    if (parents > 1).any():
        at = int((parents > 1).argmax())
        _refuse(f"its node {at} has {parents[at]} parents")


def _refuse(reason: str) -> NoReturn:
    msg = f"init must be a tree, and this is none: {reason}"
    raise ValueError(msg)


def added_tests(init: Any, n_columns: int, names: Names, max_depth: int) -> dict[int, Added]:
    """Return the tests of the tree to start from, which a search must have to hold it.

    Parameters
    ----------
    init : estimator, Tree, Incumbent, Result or None
        What `check_init` has passed.
    n_columns : int
        Number of columns of X.
    names : sequence of str or None
        Names of the columns, if they have any.
    max_depth : int
        Depth at which nodes become leaves.

    Returns
    -------
    dict
        By column, the tests of the nodes above that depth.
    """
    if init is None:
        return {}
    tree = _tree_of(init)
    _check_columns(init, tree, n_columns, names)
    tests = (tree.feature, tree.children_left, tree.children_right)
    nodes = np.concatenate(levels(*tests)[:max_depth] or [np.empty(0, dtype=np.intp)])
    added: dict[int, Added] = {}
    for node in nodes[tree.feature[nodes] >= 0].tolist():
        column = added.setdefault(int(tree.feature[node]), Added())
        if _category_of(tree, node) >= 0:
            column.values.append(_value_of(init, tree, node))
        else:
            column.thresholds.append(float(tree.threshold[node]))
    return added


def init_arrays(init: Any, data: TrainingData, max_depth: int) -> TreeArrays:
    """Return the tree to start from, over the tests of a search, cut to a depth.

    A test that sends all rows the same way is followed. A test that is none of the search's, which
    can only be below the depth at first, makes a leaf.

    Parameters
    ----------
    init : estimator, Tree, Incumbent or Result
        What `check_init` has passed.
    data : TrainingData
        Rows whose tests have those of `added_tests`.
    max_depth : int
        Depth at which nodes become leaves.

    Returns
    -------
    TreeArrays
        The tree.
    """
    tree = _tree_of(init)
    _check_columns(init, tree, len(data.columns.names), data.names)
    return _cut(tree, max_depth, _Finder(init, tree, data))


def _check_columns(init: Any, tree: Any, n_columns: int, names: Names) -> None:
    theirs = getattr(_bare(init), "feature_names_in_", None)
    if tree.n_features != n_columns:
        msg = f"init must have as many features as X, {n_columns}, and it has {tree.n_features}"
        raise ValueError(msg)
    if theirs is not None and names is not None and list(theirs) != list(names):
        at = next(i for i in range(n_columns) if theirs[i] != names[i])
        msg = (
            f"init must have the features of X in the same order, and its column {at} is "
            f"{theirs[at]!r}, that of X {names[at]!r}"
        )
        raise ValueError(msg)


def init_key(init: Any) -> tuple[Any, ...] | None:
    """Return what two trees to start from have in common if they are equal.

    Parameters
    ----------
    init : object
        What `check_init` has passed.

    Returns
    -------
    tuple or None
        The tests, and where they lead.
    """
    if init is None:
        return None
    tree = _tree_of(init)
    arrays = (tree.feature, tree.threshold, tree.children_left, tree.children_right)
    tested = [node for node in range(len(tree.feature)) if _category_of(tree, node) >= 0]
    categories = [(node, _value_of(init, tree, node)) for node in tested]
    return (*(array.tobytes() for array in arrays), *categories)


def _tree_of(init: Any) -> Any:
    init = _bare(init)
    if isinstance(init, Incumbent | Result):
        return init.tree
    return init if isinstance(init, Tree) else init.tree_


def _category_of(tree: Any, node: int) -> int:
    return int(tree.category[node]) if isinstance(tree, Tree) else -1


def _value_of(init: Any, tree: Tree, node: int) -> Any:
    """Return the category that a node tests."""
    init = _bare(init)
    columns = init.columns if isinstance(init, Incumbent | Result) else None
    columns = getattr(init, "columns_", columns)
    if columns is None:
        msg = (
            "init must be a classifier, an Incumbent or a Result where it tests categories: a Tree "
            "alone does not say which they are"
        )
        raise ValueError(msg)
    column, category = int(tree.feature[node]), int(tree.category[node])
    known = columns.categories[column]
    if known is None or category >= len(known):
        _refuse(f"its node {node} tests the category {category}, which its columns lack")
    return known[category]


class _Finder:
    """Finds the tests of a search that nodes of a tree stand for.

    Parameters
    ----------
    init : object
        Where the tree is from.
    tree : Tree or sklearn.tree.Tree
        The tree.
    data : TrainingData
        The tests.
    """

    def __init__(self, init: Any, tree: Any, data: TrainingData) -> None:
        self._init, self._tree, self._data = init, tree, data
        tests = data.tests
        kinds = np.where(tests.category >= 0, tests.category, tests.threshold).tolist()
        named = zip(tests.column.tolist(), (tests.category >= 0).tolist(), kinds, strict=True)
        self._number = {test: number for number, test in enumerate(named)}

    def find(self, node: int) -> tuple[int | None, int, int]:
        """Return the test of a node, and its children where that holds and where it does not.

        Returns
        -------
        test : int or None
            -1 where all rows go to the first child; None if there is no such test.
        first, second : int
            The children.
        """
        tree, column = self._tree, int(self._tree.feature[node])
        yes, no = int(tree.children_left[node]), int(tree.children_right[node])
        known = self._data.columns.categories[column]
        if _category_of(tree, node) >= 0:
            if known is None:
                self._refuse_kind(node, column, "categories", "numbers")
            return self._of_category(column, known, _value_of(self._init, tree, node), yes, no)
        threshold = float(tree.threshold[node])
        if known is not None and threshold < inf:
            self._refuse_kind(node, column, "numbers", "categories")
        place = self._place(column, threshold)
        if place is None:
            return None, yes, no
        if abs(place) < inf:
            return self._number.get((column, False, place)), yes, no
        # All known values go one way, and missing ones that or the other.
        sides = (yes, no) if place > 0.0 else (no, yes)
        missing = yes if _sends_missing_left(tree, node) else no
        test = self._number.get((column, False, inf))
        return (-1 if test is None or missing == sides[0] else test), *sides

    def _of_category(
        self, column: int, known: NDArray[Any], value: Any, yes: int, no: int
    ) -> tuple[int | None, int, int]:
        listed = known.tolist()
        if value not in listed:
            return -1, no, yes
        position = listed.index(value)
        test = self._number.get((column, True, position))
        if test is not None:
            return test, yes, no
        if len(listed) == 2:  # the test of the other category is the opposite
            return self._number.get((column, True, 1 - position)), no, yes
        return self._number.get((column, False, inf), -1), yes, no

    def _place(self, column: int, threshold: float) -> float | None:
        """Return the threshold that stands for one, plus or minus infinity outside all values."""
        if self._data.columns.categories[column] is not None:
            return inf
        if self._data.places is None:  # zeros and ones
            return 0.5 if 0.0 <= threshold < 1.0 else inf if threshold >= 1.0 else -inf
        return self._data.places.get((column, threshold))

    def _refuse_kind(self, node: int, column: int, theirs: str, ours: str) -> NoReturn:
        name = self._data.columns.names[column]
        _refuse(f"its node {node} tests column {name!r} for {theirs}, and X has {ours} there")


def _sends_missing_left(tree: Any, node: int) -> bool:
    # Trees of scikit-learn say so for every node; of ours missing values go right.
    left = getattr(tree, "missing_go_to_left", None)
    return left is not None and bool(left[node])


def _cut(tree: Any, max_depth: int, finder: _Finder) -> TreeArrays:
    left = tree.children_left.tolist()
    # Rows of [test, left, right], in depth-first order.
    nodes: list[list[int]] = []
    stack = [(0, 0, -1, 0)]  # node, depth, parent, side
    while stack:
        node, depth, parent, side = stack.pop()
        test, yes, no = None, -1, -1
        while left[node] >= 0:
            test, yes, no = finder.find(node)
            if test != -1:
                break
            node = yes
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        if left[node] >= 0 and test is not None and depth < max_depth:
            stack.append((no, depth + 1, len(nodes), 2))
            stack.append((yes, depth + 1, len(nodes), 1))
            nodes.append([test, -1, -1])
        else:
            nodes.append([-1, -1, -1])
    columns = np.array(nodes, dtype=np.int32).T
    return TreeArrays(*(np.ascontiguousarray(column) for column in columns))

"""Trees to start a search from: those of scikit-learn and our own, as arrays of the core."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from beamtree._predictor import TreePredictor
from beamtree._validation import Allowed
from beamtree.result import Incumbent, Result
from beamtree.tree import Tree

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
    arrays = [np.asarray(array) for array in (*integers, tree.threshold)]
    left, right, feature, threshold = arrays
    nodes = len(left) if left.ndim == 1 else 0
    if nodes == 0 or any(array.shape != (nodes,) for array in arrays):
        shapes = [array.shape for array in arrays]
        _refuse(f"its arrays have the shapes {shapes}, not one entry a node")
    if any(array.dtype.kind not in "iu" for array in arrays[:3]) or threshold.dtype.kind != "f":
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


def init_arrays(
    init: Any, n_features: int, names: Sequence[str] | None, max_depth: int
) -> TreeArrays:
    """Return the tree to start from, cut to a depth.

    A test whose threshold lies in [0, 1) is a test of a column of zeros and ones. Any other sends
    all rows the same way, and is followed.

    Parameters
    ----------
    init : estimator, Tree, Incumbent or Result
        What `check_init` has passed.
    n_features : int
        Number of columns of X.
    names : sequence of str or None
        Names of the columns, if they have any.
    max_depth : int
        Depth at which nodes become leaves.

    Returns
    -------
    TreeArrays
        The tree.
    """
    theirs = getattr(_bare(init), "feature_names_in_", None)
    tree = _tree_of(init)
    if tree.n_features != n_features:
        msg = f"init must have as many features as X, {n_features}, and it has {tree.n_features}"
        raise ValueError(msg)
    if theirs is not None and names is not None and list(theirs) != list(names):
        at = next(i for i in range(n_features) if theirs[i] != names[i])
        msg = (
            f"init must have the features of X in the same order, and its column {at} is "
            f"{theirs[at]!r}, that of X {names[at]!r}"
        )
        raise ValueError(msg)
    return _cut(tree, max_depth)


def init_key(init: Any) -> tuple[bytes, ...] | None:
    """Return what two trees to start from have in common if they are equal.

    Parameters
    ----------
    init : object
        What `check_init` has passed.

    Returns
    -------
    tuple of bytes or None
        The tests, and where they lead.
    """
    if init is None:
        return None
    tree = _tree_of(init)
    arrays = (tree.feature, tree.threshold, tree.children_left, tree.children_right)
    return tuple(array.tobytes() for array in arrays)


def _tree_of(init: Any) -> Any:
    init = _bare(init)
    if isinstance(init, Incumbent | Result):
        return init.tree
    return init if isinstance(init, Tree) else init.tree_


def _cut(tree: Any, max_depth: int) -> TreeArrays:
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    tested, threshold = tree.feature.tolist(), tree.threshold.tolist()

    def follow(node: int) -> int:
        while left[node] >= 0 and not 0.0 <= threshold[node] < 1.0:
            node = left[node] if threshold[node] >= 1.0 else right[node]
        return node

    # Rows of [feature, left, right], in depth-first order.
    nodes: list[list[int]] = []
    stack = [(0, 0, -1, 0)]  # node, depth, parent, side
    while stack:
        node, depth, parent, side = stack.pop()
        node = follow(node)
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        if left[node] >= 0 and depth < max_depth:
            stack.append((right[node], depth + 1, len(nodes), 2))
            stack.append((left[node], depth + 1, len(nodes), 1))
            nodes.append([tested[node], -1, -1])
        else:
            nodes.append([-1, -1, -1])
    columns = np.array(nodes, dtype=np.int32).T
    return TreeArrays(*(np.ascontiguousarray(column) for column in columns))

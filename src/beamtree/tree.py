"""Decision trees as flat arrays, in the layout of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from beamtree._util.html import html_table

NO_CHILD = -1
NO_FEATURE = -2
# The largest number of nodes that a notebook shows.
NODES_SHOWN = 20
# A float64 holds every integer up to this number.
INTEGERS = 2**53
# A drop of the error by less than this share of it is due to rounding.
NO_DROP = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A binary decision tree, as arrays with one entry per node.

    Nodes are numbered depth first, left before right; node 0 is the root. A row goes left if its
    value is at most the threshold, or if it is one of the categories. A missing value goes to the
    side that `missing_go_to_left` names. A threshold of infinity, where missing values go right,
    separates known values from missing ones. The parameters up to `n_features` and
    `missing_go_to_left` have the names, the types and the meaning of those in
    ``sklearn.tree.DecisionTreeClassifier.tree_`` and of ``DecisionTreeRegressor.tree_``.

    Parameters
    ----------
    children_left, children_right : ndarray of intp, shape (node_count,)
        Children of the node; -1 for a leaf.
    feature : ndarray of intp, shape (node_count,)
        Column of X that the node tests; -2 for a leaf.
    threshold : ndarray of float64, shape (node_count,)
        Threshold of the test; -2.0 for a leaf, NaN for a test of categories.
    impurity : ndarray of float64, shape (node_count,)
        Gini impurity of the node.
    n_node_samples : ndarray of int64, shape (node_count,)
        Number of training rows that reach the node.
    weighted_n_node_samples : ndarray of float64, shape (node_count,)
        Weight of the training rows that reach the node.
    value : ndarray of float64, shape (node_count, 1, n_classes)
        Share of each class in the weight of the node.
    max_depth : int
        Depth of the deepest leaf.
    n_features : int
        Number of columns of X.
    categories : ndarray of object, shape (node_count,), optional
        The categories that go left, as a sorted tuple of their positions among the categories of
        the column; None for a threshold and for a leaf. A category that is not among them goes
        right, and so does an unknown one. By default no node tests categories.
    prediction : ndarray of intp, shape (node_count,), optional
        Position of the class that the node predicts, which is the class of the lowest cost. By
        default it is the class of the largest share, and the first of those that tie.
    missing_go_to_left : ndarray of uint8, shape (node_count,), optional
        1 if a missing value goes left. By default missing values go right at every node.
    exact_threshold : ndarray of object, shape (node_count,), optional
        A Python int if the column had integers in `fit`, and None otherwise. An integer goes left
        if it is at most this number. It is the number halfway between `value_below` and
        `value_above`, rounded down to an integer, whereas `threshold` may be too coarse for
        integers of 2**53 or more. Between dates or times, which are integers, too, it is near a
        round one. By default there are none.
    value_below, value_above : ndarray of object, shape (node_count,), optional
        The two values of the column between which the threshold is: the largest value among all
        training rows that is at most the threshold, and the smallest that is above it. Each is a
        Python int or float, or None if it is unknown, or if the node tests something other than a
        finite threshold. With them, an export to a system that rounds numbers can choose another
        threshold between the same two values. By default they are unknown.
    probability : ndarray of float64, shape (node_count, n_classes), optional
        Probability of each class at the node, which `predict` returns for leaves. By default it is
        the share in `value`; a classifier with `leaf_smoothing` smoothes it.
    error : ndarray of float64, shape (node_count,), optional
        Weight of the rows that the node would misclassify if it were a leaf, or the cost of these
        mistakes. By default it is the weight outside the class of the largest share.
    predicts_numbers : bool, default=False
        Whether the tree predicts numbers instead of classes. Then `value` and `probability` have
        the mean of the numbers at the node, `impurity` is their variance, `error` their squared
        error, and `prediction` has no meaning. If there is a `cost`, `value` has what the node
        predicts under the user's own objective, and `error` is that cost if all costs are finite.
    reward : ndarray of float64, shape (node_count, n_actions), optional
        The mean reward of each action for the rows of the node, if the tree is a policy. Then the
        actions are the classes: `value` has the share of each action in the weight of the rows for
        which it is the best one, and the first of those that are equally good; `error` is the
        regret of the node; and `probability` is 1 for the action that the node takes.
    cost : ndarray of float64, shape (node_count,), optional
        What the node would cost as a leaf, if the tree minimises an objective of the user's own.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import parity
    >>> X, y, _, _ = parity(2, 1)
    >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y).tree_
    >>> tree.node_count, tree.n_leaves, tree.max_depth
    (7, 4, 2)
    >>> tree.apply(X)
    array([2, 2, 3, 3, 5, 5, 6, 6])
    """

    children_left: NDArray[np.intp]
    children_right: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    impurity: NDArray[np.float64]
    n_node_samples: NDArray[np.int64]
    weighted_n_node_samples: NDArray[np.float64]
    value: NDArray[np.float64]
    max_depth: int
    n_features: int
    n_outputs: int = 1
    categories: NDArray[np.object_] = None  # type: ignore[assignment]
    prediction: NDArray[np.intp] = None  # type: ignore[assignment]
    missing_go_to_left: NDArray[np.uint8] = None  # type: ignore[assignment]
    exact_threshold: NDArray[np.object_] = None  # type: ignore[assignment]
    value_below: NDArray[np.object_] = None  # type: ignore[assignment]
    value_above: NDArray[np.object_] = None  # type: ignore[assignment]
    probability: NDArray[np.float64] = None  # type: ignore[assignment]
    error: NDArray[np.float64] = None  # type: ignore[assignment]
    predicts_numbers: bool = False
    reward: NDArray[np.float64] | None = None
    cost: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Fill in the arrays that were not given."""
        nodes, share = len(self.feature), self.value[:, 0, :]
        taken = share if self.reward is None else np.eye(share.shape[1])[self.prediction]
        unknown = np.full(nodes, None, dtype=object)
        defaults = {
            "categories": unknown,
            "prediction": share.argmax(axis=1),
            "missing_go_to_left": np.zeros(nodes, dtype=np.uint8),
            "exact_threshold": unknown,
            "value_below": unknown,
            "value_above": unknown,
            "probability": taken,
            "error": self._default_error(),
        }
        for name, default in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, default)

    def _default_error(self) -> NDArray[np.float64]:
        if self.cost is not None and np.isfinite(self.cost).all():
            return self.cost
        off = self.impurity if self.predicts_numbers else 1.0 - self.value[:, 0, :].max(axis=1)
        error: NDArray[np.float64] = off * self.weighted_n_node_samples
        return error

    def __repr__(self) -> str:
        """Return the size of the tree; the arrays are too long to show."""
        return f"Tree(node_count={self.node_count}, max_depth={self.max_depth})"

    def _repr_html_(self) -> str:
        """Return the size of the tree, and its first nodes as a table."""
        predicted = "mean" if self.predicts_numbers else "class"
        head = ["node", "left", "right", "column", "threshold", "rows", predicted]
        title = f"{self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}"
        if self.node_count > NODES_SHOWN:
            title += f"; the first {NODES_SHOWN} nodes"
        return html_table(title, head, map(self._cells, range(min(self.node_count, NODES_SHOWN))))

    def _cells(self, node: int) -> list[str]:
        """Return what the table says about a node."""
        inner = self.feature[node] >= 0
        test = "category" if np.isnan(self.threshold[node]) else f"{self.exact_number(node):.6g}"
        known = [self.children_left[node], self.children_right[node], self.feature[node], test]
        mean = f"{self.value[node, 0, 0]:.6g}"
        return [
            str(node),
            *(str(one) if inner else "" for one in known),
            str(self.n_node_samples[node]),
            mean if self.predicts_numbers else str(self.prediction[node]),
        ]

    @classmethod
    def from_search(
        cls,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        class_weight: NDArray[np.float64],
        samples: NDArray[np.int64],
        n_features: int,
        label: NDArray[np.intp] | None = None,
        error: NDArray[np.float64] | None = None,
        reward: NDArray[np.float64] | None = None,
    ) -> Self:
        """Return a tree from the arrays of the search.

        Parameters
        ----------
        feature, left, right : ndarray of int32, shape (node_count,)
            Tested feature, which is -1 for a leaf, and the children for its values 0 and 1. The
            root comes first, the other nodes in any order.
        class_weight : ndarray of float64, shape (node_count, n_classes)
            Weight of each class at the node.
        samples : ndarray of int64, shape (node_count,)
            Number of rows at the node.
        n_features : int
            Number of columns of X.
        label : ndarray of intp, shape (node_count,), optional
            The class that each node predicts; by default the class of the largest weight, and the
            first of those that tie.
        error : ndarray of float64, shape (node_count,), optional
            The error of each node, as in `Tree`.
        reward : ndarray of float64, shape (node_count, n_classes), optional
            The total reward of each action at the node, if the tree is a policy.

        Returns
        -------
        Tree
            The tree, with its nodes in depth-first order.
        """
        weight = class_weight.sum(axis=1)
        share = class_weight / weight[:, np.newaxis]
        impurity = 1.0 - (share**2).sum(axis=1)
        per_node = (weight, share, impurity, samples)
        return cls._of_nodes(
            feature,
            left,
            right,
            *per_node,
            n_features,
            label=label,
            error=error,
            reward=None if reward is None else reward / weight[:, np.newaxis],
        )

    @classmethod
    def of_numbers(
        cls,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        weight: NDArray[np.float64],
        mean: NDArray[np.float64],
        variance: NDArray[np.float64],
        samples: NDArray[np.int64],
        n_features: int,
        cost: NDArray[np.float64] | None = None,
    ) -> Self:
        """Return a tree that predicts numbers from the arrays of the search.

        Parameters
        ----------
        feature, left, right, samples, n_features
            As in `from_search`.
        weight, mean, variance : ndarray of float64, shape (node_count,)
            Weight of the rows at the node, and the mean and the variance of their numbers. The
            predictions take the place of the means if there are costs.
        cost : ndarray of float64, shape (node_count,), optional
            What each node would cost as a leaf, under an objective of the user's own.

        Returns
        -------
        Tree
            The tree, with its nodes in depth-first order.
        """
        per_node = (weight, mean[:, np.newaxis], variance, samples)
        return cls._of_nodes(
            feature, left, right, *per_node, n_features, cost=cost, predicts_numbers=True
        )

    @classmethod
    def _of_nodes(
        cls,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        weight: NDArray[np.float64],
        value: NDArray[np.float64],
        impurity: NDArray[np.float64],
        samples: NDArray[np.int64],
        n_features: int,
        *,
        label: NDArray[np.intp] | None = None,
        error: NDArray[np.float64] | None = None,
        reward: NDArray[np.float64] | None = None,
        cost: NDArray[np.float64] | None = None,
        predicts_numbers: bool = False,
    ) -> Self:
        """Return a tree whose nodes come in depth-first order."""
        order, depth = _preorder(feature, left, right)
        number = np.empty(len(feature), dtype=np.intp)
        number[order] = np.arange(len(order))
        inner = feature[order] >= 0
        return cls(
            children_left=np.where(inner, number[left[order]], NO_CHILD),
            children_right=np.where(inner, number[right[order]], NO_CHILD),
            feature=np.where(inner, feature[order], NO_FEATURE).astype(np.intp),
            threshold=np.where(inner, 0.5, float(NO_FEATURE)),
            impurity=impurity[order],
            n_node_samples=samples[order],
            weighted_n_node_samples=weight[order],
            value=value[order][:, np.newaxis, :],
            max_depth=depth,
            n_features=n_features,
            prediction=None if label is None else label[order],  # type: ignore[arg-type]
            error=None if error is None else error[order],  # type: ignore[arg-type]
            predicts_numbers=predicts_numbers,
            reward=None if reward is None else reward[order],
            cost=None if cost is None else cost[order],
        )

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return (self.node_count + 1) // 2

    @property
    def n_classes(self) -> NDArray[np.intp]:
        """Number of classes of each output; there is one output."""
        return np.array([self.value.shape[2]], dtype=np.intp)

    def exact_number(self, node: int) -> float | int:
        """Return the number that a node compares with: a value goes left if it is at most that.

        Parameters
        ----------
        node : int
            A node that does not test categories.

        Returns
        -------
        float or int
            The exact threshold if it is an integer beyond 2**53; otherwise the threshold, which
            separates integers and other numbers in the same way as `apply`.
        """
        return exact_number(float(self.threshold[node]), self.exact_threshold[node])

    def apply(self, X: NDArray[Any] | Sequence[NDArray[Any]]) -> NDArray[np.intp]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), or sequence of n_features arrays
            The rows, as `Columns.encode` returns them: a matrix, or one array of n_rows values per
            column. An array of integers is compared with `exact_threshold` where there is one, and
            all others with `threshold`. A missing value is NaN, or a masked element of a
            ``numpy.ma.MaskedArray``, which may hold integers. A category is its position, or -1 if
            it is unknown.

        Returns
        -------
        ndarray of intp, shape (n_rows,)
            The number of the leaf, as a node of this tree.
        """
        columns = X.T if isinstance(X, np.ndarray) else X
        every = np.arange(len(X) if isinstance(X, np.ndarray) else len(X[0]))
        leaf = np.zeros(len(every), dtype=np.intp)
        stack = [(0, every)]
        while stack:
            node, rows = stack.pop()
            if self.feature[node] < 0:
                leaf[rows] = node
                continue
            column = columns[self.feature[node]]
            left = self._goes_left(node, column if len(rows) == len(every) else column[rows])
            for child, some in (
                (self.children_left, rows[left]),
                (self.children_right, rows[~left]),
            ):
                if len(some):
                    stack.append((int(child[node]), some))
        return leaf

    def _goes_left(self, node: int, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which values of its column the test of a node sends to the left."""
        known = np.asarray(values)  # without the mask, if there is one
        exact = self.exact_threshold[node]
        left: NDArray[np.bool_]
        if self.categories[node] is not None:
            left = np.isin(known, self.categories[node])
        elif exact is not None and known.dtype.kind in "iu":
            left = known <= exact
        else:
            left = known <= self.threshold[node]
        if self.missing_go_to_left[node] and known.dtype.kind == "f":
            left |= np.isnan(known)
        if isinstance(values, np.ma.MaskedArray):
            left[np.ma.getmaskarray(values)] = bool(self.missing_go_to_left[node])
        return left

    def predict(self, X: NDArray[Any] | Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the probabilities of the classes, or the mean, in the leaf that each row reaches.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), or sequence of n_features arrays
            The rows, as in `apply`.

        Returns
        -------
        ndarray of float64, shape (n_rows, n_classes)
            The `probability` of each class in the leaf; the mean if the tree predicts numbers.
        """
        return self.probability.take(self.apply(X), axis=0)

    def compute_feature_importances(self) -> NDArray[np.float64]:
        """Return how much of the drop of the error each column accounts for.

        Returns
        -------
        ndarray of float64, shape (n_features,)
            For each column, the sum over the nodes that test it of the error of the node minus the
            errors of its children, as a share of the sum over all nodes. All are 0 if no split
            lowers the error.

        Examples
        --------
        >>> from beamtree import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> OptimalTreeClassifier(max_depth=2).fit(X, y).tree_.compute_feature_importances()
        array([0., 1.])
        """
        inner = np.flatnonzero(self.feature >= 0)
        below = self.error[self.children_left[inner]] + self.error[self.children_right[inner]]
        drop = self.error[inner] - below
        drop[drop < NO_DROP * self.error[0]] = 0.0
        by_column = np.bincount(self.feature[inner], drop, self.n_features).astype(np.float64)
        total = by_column.sum()
        return by_column / total if total > 0.0 else by_column

    def decision_path(self, X: NDArray[Any] | Sequence[NDArray[Any]]) -> scipy.sparse.csr_matrix:
        """Return the nodes that each row passes through.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), or sequence of n_features arrays
            The rows, as in `apply`.

        Returns
        -------
        csr_matrix of shape (n_rows, node_count)
            1 if the row passes through the node.
        """
        # ancestors[v] is the path from the root to v, padded with -1.
        ancestors = np.full((self.node_count, self.max_depth + 1), -1, dtype=np.intp)
        length = np.ones(self.node_count, dtype=np.intp)
        ancestors[0, 0] = 0
        tests = (self.feature, self.children_left, self.children_right)
        for depth, level in enumerate(levels(*tests)[:-1], 1):
            parent = level[self.feature[level] >= 0]
            for child in (self.children_left[parent], self.children_right[parent]):
                ancestors[child] = ancestors[parent]
                ancestors[child, depth] = child
                length[child] = depth + 1
        leaf = self.apply(X)
        paths = ancestors[leaf]
        nodes = paths[paths >= 0]
        ends = np.concatenate([[0], np.cumsum(length[leaf])])
        ones = np.ones(len(nodes), dtype=np.int64)
        return scipy.sparse.csr_matrix((ones, nodes, ends), shape=(len(leaf), self.node_count))


def exact_number(threshold: float, exact_threshold: int | None) -> float | int:
    """Return the number that a test compares with, given its two thresholds.

    Parameters
    ----------
    threshold, exact_threshold
        As in `Tree`.

    Returns
    -------
    float or int
        The exact threshold if it is an integer beyond 2**53, otherwise the threshold.

    Examples
    --------
    >>> from beamtree.tree import exact_number
    >>> exact_number(34.5, None), exact_number(34.5, 34), exact_number(1e17, 10**17 + 5)
    (34.5, 34.5, 100000000000000005)
    """
    if exact_threshold is not None and abs(exact_threshold) > INTEGERS:
        return exact_threshold
    return threshold


def levels(
    feature: NDArray[Any], left: NDArray[Any], right: NDArray[Any]
) -> list[NDArray[np.intp]]:
    """Return the nodes that can be reached from the root, level by level.

    Parameters
    ----------
    feature, left, right : ndarray of integers, shape (node_count,)
        Tested feature, which is negative for a leaf, and the children.

    Returns
    -------
    list of ndarray of intp
        The nodes of each level, from the root down.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.tree import levels
    >>> levels(np.array([3, -1, -1]), np.array([2, -1, -1]), np.array([1, -1, -1]))
    [array([0]), array([2, 1])]
    """
    found = []
    level = np.zeros(1, dtype=np.intp)
    while len(level):
        found.append(level)
        inner = level[feature[level] >= 0]
        level = np.concatenate([left[inner], right[inner]]).astype(np.intp)
    return found


def _preorder(
    feature: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32]
) -> tuple[NDArray[np.intp], int]:
    """Return the nodes in depth-first order, and the depth of the tree."""
    found = levels(feature, left, right)
    inner = [level[feature[level] >= 0] for level in found]
    size = np.ones(len(feature), dtype=np.intp)  # number of nodes of each subtree
    for node in reversed(inner):
        size[node] += size[left[node]] + size[right[node]]
    number = np.zeros(len(feature), dtype=np.intp)
    for node in inner:
        number[left[node]] = number[node] + 1
        number[right[node]] = number[node] + 1 + size[left[node]]
    order = np.empty(size[0], dtype=np.intp)
    reached = np.concatenate(found)
    order[number[reached]] = reached
    return order, len(found) - 1

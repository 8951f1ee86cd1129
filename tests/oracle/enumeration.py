"""The optimum by listing every tree, with which the oracle itself is compared.

A tree is None (a leaf) or ``(feature, left, right)``; rows whose feature is 0 go left. If there are
t trees of depth d - 1, there are ``1 + m * t**2`` of depth d with m features, so that this works
for depth 2, and for depth 3 with two or three features.
"""

from fractions import Fraction
from math import inf

from .exact import positive_rows


def every_tree(n_features, depth):
    """Yield every tree of at most this depth, including those with empty leaves."""
    yield None
    if depth > 0:
        for feature in range(n_features):
            for left in every_tree(n_features, depth - 1):
                for right in every_tree(n_features, depth - 1):
                    yield (feature, left, right)


def best_by_enumeration(
    rows, labels, weights, n_classes, depth, min_samples_leaf=1, leaf_penalty=0
):
    """Return the smallest objective of any tree, as `oracle.best` does, by comparing all trees."""
    problem = (rows, labels, weights, n_classes, depth, min_samples_leaf, leaf_penalty)
    return smallest_by_enumeration(*problem)[0]


def smallest_by_enumeration(
    rows,
    labels,
    weights,
    n_classes,
    depth,
    min_samples_leaf=1,
    leaf_penalty=0,
    max_leaf_nodes=inf,
):
    """Return the smallest objective within a limit of leaves, and the fewest leaves with it."""
    rows, labels, weights = positive_rows(rows, labels, weights)
    weights = [Fraction(weight) for weight in weights]
    penalty = Fraction(leaf_penalty) * sum(weights)
    found = []
    for tree in every_tree(len(rows[0]), depth):
        leaves = leaves_of(tree, rows)
        fits = tree is None or min(len(leaf) for leaf in leaves) >= min_samples_leaf
        if fits and len(leaves) <= max_leaf_nodes:
            errors = sum(leaf_error(leaf, labels, weights, n_classes) for leaf in leaves)
            found.append((errors + penalty * (len(leaves) - 1), len(leaves)))
    return min(found)


def leaves_of(tree, rows):
    """Return the indices of the rows of every leaf, also of empty leaves."""
    paths = {path: [] for path in paths_of(tree)}
    for index, row in enumerate(rows):
        node, path = tree, ""
        while node is not None:
            feature, left, right = node
            node, path = (right, path + "1") if row[feature] else (left, path + "0")
        paths[path].append(index)
    return list(paths.values())


def paths_of(tree, path=""):
    """Return the path to every leaf, as a string of 0 (left) and 1 (right)."""
    if tree is None:
        return [path]
    return paths_of(tree[1], path + "0") + paths_of(tree[2], path + "1")


def leaf_error(leaf, labels, weights, n_classes):
    """Return the weight that the best class of a leaf misclassifies."""
    return min(
        sum((weights[i] for i in leaf if labels[i] != k), Fraction(0)) for k in range(n_classes)
    )

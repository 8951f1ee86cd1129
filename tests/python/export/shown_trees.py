"""Trees with every kind of test, made without a search, for the tests of the exports."""

import numpy as np

from beamtree import OptimalTreeClassifier, SearchSpace, Tree
from beamtree._table.columns import Columns
from beamtree.alternatives import ALTERNATIVE_DTYPE, Alternatives
from beamtree.result import TRACE_DTYPE

COLOURS = np.array(["blue", 'it\'s "red" \\ 1', "ünï\ncode"])


def grown(columns, tree, classes, *, named=False):
    """Return a classifier that is fitted with the given tree."""
    clf = OptimalTreeClassifier(max_depth=max(tree.max_depth, 1))
    clf.columns_ = columns
    clf.tree_ = tree
    clf.classes_ = np.array(classes)
    clf.n_classes_ = len(classes)
    clf.n_features_in_ = len(columns.names)
    if named:
        clf.feature_names_in_ = np.array(columns.names, dtype=object)
    clf.status_, clf.objective_, clf.lower_bound_ = "optimal", 3.0, 3.0
    clf.gap_, clf.n_errors_, clf.rounding_ = 0.0, 3, 0.0
    searched = tuple(range(len(columns.names)))
    clf.search_space_ = SearchSpace(columns.names, searched, tuple(2 * n for n in searched))
    clf.trace_ = np.array([(0.1, 0, 5.0, 0.0, 0, 0.0), (0.25, 7, 3, 3, 1, np.inf)], TRACE_DTYPE)
    clf.statistics_ = {"nodes": 7, "preparation_seconds": 0.05}
    clf.alternatives_ = Alternatives(np.array(first_tests(columns), ALTERNATIVE_DTYPE), columns)
    return clf


def first_tests(columns):
    """Return alternatives with one test per column."""
    return [
        (j, 2.5, -1, 3.0 + j, 1.0) if known is None else (j, np.nan, 0, 3.0 + j, 3.0 + j)
        for j, known in enumerate(columns.categories)
    ] + [(0, np.inf, -1, 20.0, 10.0)]


def mixed_columns():
    """Return columns of every kind, two of them with names that are hard to write."""
    names = ("petal width", 'say "a" \\ b\'s', "count", "colour", "grade", "rain")
    categories = (None, None, None, COLOURS, np.array([1, 5, 7]), None)
    integral = np.array([False, False, True, False, False, True])
    binary = np.array([False, False, False, False, False, True])
    return Columns(names, categories, integral, binary)


def number_columns(n_columns=4):
    no = np.zeros(n_columns, dtype=bool)
    return Columns(tuple(f"x{j}" for j in range(n_columns)), (None,) * n_columns, no, no)


def random_tree(rng, columns, depth, n_classes=3):
    """Return a tree with random tests and the counts of random rows."""
    nodes = []

    def grow(weights, depth):
        node = {"feature": -2, "threshold": -2.0, "category": -1, "left": -1, "right": -1}
        node["weights"] = weights
        number = len(nodes)
        nodes.append(node)
        if depth > 0 and weights.sum() >= 2 and (number == 0 or rng.random() < 0.9):
            node.update(random_test(rng, columns))
            part = np.array([rng.integers(0, weight + 1) for weight in weights])
            if 0 < part.sum() < weights.sum():
                node["left"] = grow(part, depth - 1)
                node["right"] = grow(weights - part, depth - 1)
            else:
                node.update(feature=-2, threshold=-2.0, category=-1)
        return number

    grow(rng.integers(20, 200, n_classes), depth)
    return tree_of(nodes, len(columns.names))


def random_test(rng, columns):
    column = int(rng.integers(len(columns.names)))
    categories = columns.categories[column]
    if rng.random() < 0.2 and not columns.binary[column]:
        return {"feature": column, "threshold": np.inf}
    if categories is not None:
        category = int(rng.integers(len(categories)))
        return {"feature": column, "threshold": np.nan, "category": category}
    if columns.binary[column]:
        return {"feature": column, "threshold": 0.5}
    if columns.integral[column]:
        return {"feature": column, "threshold": float(rng.integers(-3, 12)) + 0.5}
    return {"feature": column, "threshold": float(np.float32(rng.normal()))}


def tree_of(nodes, n_features):
    """Return the tree of nested dicts with feature, threshold, category, left, right, weights."""
    weights = np.array([node["weights"] for node in nodes], dtype=float)
    total = weights.sum(axis=1)
    share = weights / total[:, np.newaxis]
    left = np.array([node["left"] for node in nodes], dtype=np.intp)
    right = np.array([node["right"] for node in nodes], dtype=np.intp)
    depth = np.zeros(len(nodes), dtype=int)
    for node in np.flatnonzero(left >= 0):
        depth[[left[node], right[node]]] = depth[node] + 1
    return Tree(
        children_left=left,
        children_right=right,
        feature=np.array([node["feature"] for node in nodes], dtype=np.intp),
        threshold=np.array([node["threshold"] for node in nodes], dtype=float),
        impurity=1.0 - (share**2).sum(axis=1),
        n_node_samples=total.astype(np.int64),
        weighted_n_node_samples=total,
        value=share[:, np.newaxis, :],
        max_depth=int(depth.max()),
        n_features=n_features,
        category=np.array([node.get("category", -1) for node in nodes], dtype=np.intp),
    )


def random_rows(rng, tree, columns, n_rows, *, unseen=True):
    """Return rows of objects: missing values, unseen categories, numbers near thresholds."""
    table = [
        random_column(rng, tree, columns, column, n_rows, unseen=unseen)
        for column in range(len(columns.names))
    ]
    return [list(row) for row in zip(*table, strict=True)]


def random_column(rng, tree, columns, column, n_rows, *, unseen):
    categories = columns.categories[column]
    if categories is not None:
        others = ["?", "Blue"] if categories.dtype.kind == "U" else [-1, 99]
        values = [*categories.tolist(), *(others if unseen else [])]
    elif columns.binary[column]:
        return rng.integers(0, 2, n_rows).tolist()
    elif columns.integral[column]:
        values = list(range(-4, 14))
    else:
        edges = tree.threshold[(tree.feature == column) & np.isfinite(tree.threshold)]
        values = [*rng.normal(size=40).tolist(), *near(edges)]
    picked = rng.integers(0, len(values), n_rows)
    missing = rng.random(n_rows) < 0.15
    return [None if lost else values[i] for lost, i in zip(missing, picked, strict=True)]


def near(edges):
    """Return doubles near thresholds, and near the middle between each and the next float32."""
    found = []
    for edge in edges.astype(np.float32):
        after = np.nextafter(edge, np.float32(np.inf))
        for value in (float(edge), float(after), (float(edge) + float(after)) / 2):
            found += [
                value,
                float(np.nextafter(value, np.inf)),
                float(np.nextafter(value, -np.inf)),
            ]
    return found


def mixed_tree(seed, depth=5):
    """Return a classifier with a tree of all kinds of tests, and rows for it."""
    rng = np.random.default_rng(seed)
    columns = mixed_columns()
    tree = random_tree(rng, columns, depth)
    clf = grown(columns, tree, ["a", "it's b", 'say "c"'])
    return clf, random_rows(rng, tree, columns, 10_000)


def number_tree(seed, depth=5):
    """Return a classifier with a tree of thresholds and missing values, and rows for it."""
    rng = np.random.default_rng(seed)
    columns = number_columns()
    tree = random_tree(rng, columns, depth)
    return grown(columns, tree, [3, 5, 9], named=False), random_rows(rng, tree, columns, 10_000)

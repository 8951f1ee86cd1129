"""Trees with every kind of test, made without a search, for the tests of the exports."""

from itertools import pairwise

import numpy as np

from beamtree import OptimalTreeClassifier, SearchSpace, Tree
from beamtree._table.columns import Columns
from beamtree.alternatives import ALTERNATIVE_DTYPE, Alternatives
from beamtree.result import TRACE_DTYPE

COLOURS = np.array(["blue", 'it\'s "red" \\ 1', "ünï\ncode"])
SIZES = np.array(["small", "medium", "large", "huge"])
OBJECTS = ("categories", "exact_threshold", "value_below", "value_above")
LEAF = {"feature": -2, "threshold": -2.0, "missing_go_to_left": 0} | dict.fromkeys(OBJECTS)
# The training values of some columns of numbers; the others have values of a normal distribution.
VALUES = {
    "count": list(range(-4, 14)),
    "rain": [0, 1],
    "day": list(range(20240101, 20240132)),
    "account": [sign * (10**17 + i) for sign in (-1, 1) for i in range(20)],
    "close": [-1e308, -0.1, 0.0, 5e-324, 1e-323, 0.1, float(np.nextafter(0.1, 1)), 0.3, 1e308],
}


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
    clf.proof_ = "Proved optimal: 3 errors"
    clf.gap_, clf.n_errors_, clf.rounding_ = 0.0, 3, 0.0
    clf.n_leaves_bound_ = 2
    searched = tuple(range(len(columns.names)))
    clf.search_space_ = SearchSpace(columns.names, searched, tuple(2 * n for n in searched))
    clf.trace_ = np.array([(0.1, 0, 5.0, 0.0, 0, 0.0), (0.25, 7, 3, 3, 1, np.inf)], TRACE_DTYPE)
    clf.statistics_ = {"nodes": 7, "preparation_seconds": 0.05}
    clf.alternatives_ = Alternatives(first_tests(columns), columns)
    return clf


def first_tests(columns):
    """Return alternatives with one test per column, and one for missing values."""
    tests = [
        {
            "column": j,
            **split(2.5, 3.0),
            "missing_go_to_left": int(columns.has_missing[j]),
            "lower_bound": 1.0,
        }
        if known is None
        else {
            "column": j,
            "threshold": np.nan,
            "categories": tuple(range(1 + j % 2)),
            "missing_go_to_left": j % 2,
            "lower_bound": 3.0 + j,
        }
        for j, known in enumerate(columns.categories)
    ]
    tests.append({"column": 0, "threshold": np.inf, "lower_bound": 1.0})
    table = np.zeros(len(tests), dtype=ALTERNATIVE_DTYPE)
    for k, test in enumerate(tests):
        for name in ALTERNATIVE_DTYPE.names:
            unknown = (
                3.0 + k if name == "objective" else 0 if name == "missing_go_to_left" else None
            )
            table[name][k] = test.get(name, unknown)
    return table


def mixed_columns():
    """Return columns of every kind, two of them with names that are hard to write."""
    names = ("petal width", 'say "a" \\ b\'s', "count", "colour", "grade", "rain", "size")
    categories = (None, None, None, COLOURS, np.array([1, 5, 7]), None, SIZES)
    integral = np.array([False, False, True, False, False, True, False])
    binary = np.array([False, False, False, False, False, True, False])
    ordered = np.array([False, False, False, False, False, False, True])
    return Columns(
        names, categories, integral, binary, ordered=ordered, has_missing=np.logical_not(binary)
    )


def exact_columns():
    """Return columns whose values cannot all be distinguished as float32 numbers."""
    names = ("close", "day", "account")
    no = np.zeros(len(names), dtype=bool)
    whole, wide = np.array([False, True, True]), np.array([False, False, True])
    return Columns(names, (None,) * len(names), whole, no, wide, has_missing=np.logical_not(no))


def number_columns(n_columns=4):
    no = np.zeros(n_columns, dtype=bool)
    names = tuple(f"x{j}" for j in range(n_columns))
    return Columns(names, (None,) * n_columns, no, no, has_missing=np.logical_not(no))


def random_tree(rng, columns, depth, n_classes=3):
    """Return a tree with random tests and the counts of random rows."""
    nodes = []

    def grow(weights, depth):
        node = {**LEAF, "left": -1, "right": -1, "weights": weights}
        number = len(nodes)
        nodes.append(node)
        if depth > 0 and weights.sum() >= 2 and (number == 0 or rng.random() < 0.9):
            node.update(random_test(rng, columns))
            part = np.array([rng.integers(0, weight + 1) for weight in weights])
            if 0 < part.sum() < weights.sum():
                node["left"] = grow(part, depth - 1)
                node["right"] = grow(weights - part, depth - 1)
            else:
                node.update(LEAF)
        return number

    grow(rng.integers(20, 200, n_classes), depth)
    return tree_of(nodes, len(columns.names))


def training_values(columns, column):
    """Return the sorted training values of a column of numbers, as objects of Python."""
    normal = np.random.default_rng(column).normal(size=40).tolist()
    return sorted(VALUES.get(columns.names[column], normal))


def random_test(rng, columns):
    column = int(rng.integers(len(columns.names)))
    categories = columns.categories[column]
    if rng.random() < 0.2 and not columns.binary[column]:
        return {"feature": column, "threshold": np.inf}
    if categories is not None:
        some = sorted(rng.permutation(len(categories))[: rng.integers(1, len(categories))].tolist())
        if columns.ordered[column]:
            some = range(len(some))
        test = {"feature": column, "threshold": np.nan, "categories": tuple(some)}
        return test | {"missing_go_to_left": int(rng.integers(2))}
    values = training_values(columns, column)
    cut = int(rng.integers(len(values) - 1))
    missing_left = 0 if columns.binary[column] else int(rng.integers(2))
    return {"feature": column, **split(*values[cut : cut + 2]), "missing_go_to_left": missing_left}


def split(below, above):
    """Return the split halfway between two values."""
    middle = below / 2 + above / 2
    return {
        "threshold": float(below) if middle >= above else middle,
        "exact_threshold": (below + above) // 2 if isinstance(below, int) else None,
        "value_below": below,
        "value_above": above,
    }


def tree_of(nodes, n_features):
    """Return the tree of nested dicts with feature, threshold, categories, left, right, weights."""
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
        missing_go_to_left=np.array(
            [node.get("missing_go_to_left", 0) for node in nodes], dtype=np.uint8
        ),
        **{name: objects([node.get(name) for node in nodes]) for name in OBJECTS},
    )


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def random_rows(rng, columns, n_rows, *, unseen=True):
    """Return rows of training values, and unseen values if wanted; some values are missing."""
    table = [
        random_column(rng, columns, column, n_rows, unseen=unseen)
        for column in range(len(columns.names))
    ]
    return [list(row) for row in zip(*table, strict=True)]


def random_column(rng, columns, column, n_rows, *, unseen):
    categories = columns.categories[column]
    if columns.binary[column]:
        return rng.integers(0, 2, n_rows).tolist()
    if categories is not None:
        values, others = categories.tolist(), ["?", "Blue"]
        others = others if categories.dtype.kind == "U" else [-1, 99]
    else:
        values = training_values(columns, column)
        others = [(low + high) // 2 for low, high in pairwise(values)]
        if isinstance(values[0], float):
            middles = [split(low, high)["threshold"] for low, high in pairwise(values)]
            others = [float(np.nextafter(one, way)) for one in middles for way in (-np.inf, np.inf)]
            others += middles
    values = [*values, *(others if unseen else [])]
    picked = rng.integers(0, len(values), n_rows)
    missing = rng.random(n_rows) < 0.15
    return [None if lost else values[i] for lost, i in zip(missing, picked, strict=True)]


def encoded(columns, rows):
    """Return rows in the form for `Tree.apply`: one array per column."""
    return [
        encoded_column(values, known)
        for values, known in zip(zip(*rows, strict=True), columns.categories, strict=True)
    ]


def encoded_column(values, categories):
    missing = [value is None for value in values]
    if categories is not None:
        known = categories.tolist()
        codes = [known.index(value) if value in known else -1 for value in values]
        return np.where(missing, np.nan, codes)
    if any(isinstance(value, float) for value in values):
        return np.array(values, dtype=float)
    whole = [0 if value is None else value for value in values]
    return np.ma.array(whole, mask=missing, dtype=np.int64)


def predicted(clf, rows):
    """Return the labels that the tree of a classifier predicts."""
    leaf = clf.tree_.apply(encoded(clf.columns_, rows))
    return clf.classes_[clf.tree_.prediction[leaf]]


def shares(clf, rows):
    """Return the probabilities that the tree of a classifier predicts."""
    return clf.tree_.predict(encoded(clf.columns_, rows))


def mixed_tree(seed, depth=5):
    """Return a classifier with a tree of all kinds of tests, and rows for it."""
    rng = np.random.default_rng(seed)
    columns = mixed_columns()
    clf = grown(columns, random_tree(rng, columns, depth), ["a", "it's b", 'say "c"'])
    return clf, random_rows(rng, columns, 10_000)


def number_tree(seed, depth=5):
    """Return a classifier with a tree of thresholds and missing values, and rows for it."""
    rng = np.random.default_rng(seed)
    columns = number_columns()
    clf = grown(columns, random_tree(rng, columns, depth), [3, 5, 9])
    return clf, random_rows(rng, columns, 10_000, unseen=False)


def exact_tree(seed, depth=6):
    """Return a classifier that compares large integers and neighbouring doubles, and its rows."""
    rng = np.random.default_rng(seed)
    columns = exact_columns()
    clf = grown(columns, random_tree(rng, columns, depth), ["a", "b", "c"])
    return clf, random_rows(rng, columns, 10_000)

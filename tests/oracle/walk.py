"""The cost of a tree, counted by walking every row through it."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from .exact import as_integers, positive_rows


@dataclass(frozen=True)
class Walk:
    """The result of walking all rows through a tree."""

    objective: Fraction
    errors: int
    """Number of misclassified rows of positive weight."""
    leaves: int
    depth: int
    smallest_leaf: int
    """Number of rows in the smallest leaf."""
    rows_of: dict
    """From each node to the number of rows of positive weight that pass through it."""


def objective_of(tree, rows, labels, weights, leaf_penalty=0):
    """Walk every row through a tree in scikit-learn's layout.

    Parameters
    ----------
    tree : object
        Has ``children_left``, ``children_right``, ``feature``, ``threshold`` and ``value`` of shape
        (nodes, 1, classes). A row goes left if its feature is at most the threshold, and a leaf
        predicts the class of its largest value.
    rows, labels, weights, leaf_penalty
        As in `oracle.best`.
    """
    rows, labels, weights = positive_rows(rows, labels, weights)
    integers, denominator = as_integers(weights)
    left, right = list(tree.children_left), list(tree.children_right)
    feature, threshold = list(tree.feature), list(tree.threshold)
    predicted = [list(values[0]).index(max(values[0])) for values in tree.value]

    passed, wrong, errors = Counter(), 0, 0
    for row, label, weight in zip(rows, labels, integers, strict=True):
        node = 0
        passed[node] += 1
        while left[node] != -1:
            node = left[node] if row[feature[node]] <= threshold[node] else right[node]
            passed[node] += 1
        if predicted[node] != label:
            errors += 1
            wrong += weight

    leaves, depth = shape_of(left, right)
    penalty = Fraction(leaf_penalty) * sum(integers) * (len(leaves) - 1)
    return Walk(
        objective=(wrong + penalty) / denominator,
        errors=errors,
        leaves=len(leaves),
        depth=depth,
        smallest_leaf=min(passed[leaf] for leaf in leaves),
        rows_of=dict(passed),
    )


def shape_of(left, right, node=0):
    """Return the leaves below a node, and the depth of the deepest one."""
    if left[node] == -1:
        return [node], 0
    leaves, depth = shape_of(left, right, left[node])
    more, other = shape_of(left, right, right[node])
    return leaves + more, 1 + max(depth, other)


def cost_of(feature, left, right, rows, labels, weights, penalty=0):
    """Return the cost of a tree in the arrays of the core, in the integers of the caller.

    A leaf has feature -1 and predicts its class of the largest weight. Rows whose feature is 0 go
    left.
    """
    at_leaf = {}
    for row, label, weight in zip(rows, labels, weights, strict=True):
        node = 0
        while feature[node] != -1:
            node = right[node] if row[feature[node]] else left[node]
        at_leaf.setdefault(node, Counter())[label] += weight
    wrong = sum(sum(classes.values()) - max(classes.values()) for classes in at_leaf.values())
    leaves = sum(1 for f in feature if f == -1)
    return wrong + penalty * (leaves - 1)

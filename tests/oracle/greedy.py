"""The greedy tree: no search may be worse.

Every node takes the feature of the largest gain, the first of equal ones. A node is split only if
the gain is positive and both sides have ``min_samples_leaf`` rows.
"""

from fractions import Fraction
from math import log2

from .enumeration import leaf_error, leaves_of
from .exact import as_integers, positive_rows

# Gains by logarithm that differ by less, relative to the weight, are equal: the order of the counts
# in a sum changes the last bits.
TIE = 1e-9


def greedy(rows, labels, weights, n_classes, depth, min_samples_leaf=1, criterion="entropy"):
    """Return the greedy tree as None or ``(feature, left, right)``.

    Parameters
    ----------
    criterion : "entropy" or "gini"
        Gini is computed in exact fractions.
    """
    impurity, tie = {"entropy": (entropy, TIE), "gini": (gini, 0)}[criterion]
    rows, labels, weights = positive_rows(rows, labels, weights)
    weights, _ = as_integers(weights)

    def mass(members):
        by_class = [0] * n_classes
        for i in members:
            by_class[labels[i]] += weights[i]
        return impurity(by_class)

    def grow(members, depth):
        if depth == 0:
            return None
        before, chosen, largest = mass(members), None, 0
        slack = tie * sum(weights[i] for i in members)
        for feature in range(len(rows[0])):
            zeros = [i for i in members if not rows[i][feature]]
            ones = [i for i in members if rows[i][feature]]
            if min(len(zeros), len(ones)) < min_samples_leaf:
                continue
            gain = before - mass(zeros) - mass(ones)
            if gain > largest + slack:
                chosen, largest = (feature, zeros, ones), gain
        if chosen is None:
            return None
        feature, zeros, ones = chosen
        return (feature, grow(zeros, depth - 1), grow(ones, depth - 1))

    return grow(range(len(rows)), depth)


def entropy(by_class):
    """Return the entropy in bits, times the weight."""
    total = sum(by_class)
    return sum(-weight * log2(weight / total) for weight in by_class if weight)


def gini(by_class):
    """Return the Gini impurity, times the weight."""
    total = sum(by_class)
    return total - Fraction(sum(weight * weight for weight in by_class), total)


def greedy_objective(
    rows, labels, weights, n_classes, depth, min_samples_leaf=1, leaf_penalty=0, criterion="entropy"
):
    """Return the objective of the greedy tree as a fraction."""
    tree = greedy(rows, labels, weights, n_classes, depth, min_samples_leaf, criterion)
    rows, labels, weights = positive_rows(rows, labels, weights)
    weights = [Fraction(weight) for weight in weights]
    leaves = leaves_of(tree, rows)
    errors = sum(leaf_error(leaf, labels, weights, n_classes) for leaf in leaves)
    return errors + Fraction(leaf_penalty) * sum(weights) * (len(leaves) - 1)

"""The optimum by plain recursion over all features and both sides."""

from fractions import Fraction
from functools import cache

from .exact import as_integers, positive_rows


def best(rows, labels, weights, n_classes, depth, min_samples_leaf=1, leaf_penalty=0):
    """Return the smallest objective of any tree, exactly.

    Parameters
    ----------
    rows : sequence of sequences of 0 and 1
    labels : sequence of int
        Codes from 0 to ``n_classes - 1``.
    weights : sequence of numbers or None
        Integers, floats or fractions of at least 0. Rows of weight zero are dropped first. If None,
        every row weighs one.
    n_classes, depth, min_samples_leaf : int
    leaf_penalty : number
        Cost of every leaf after the first, as a share of the total weight.

    Returns
    -------
    Fraction
        Weight of the misclassified rows + leaf_penalty * total weight * (leaves - 1).
    """
    rows, labels, weights = positive_rows(rows, labels, weights)
    (*integers, penalty), denominator = as_integers([*weights, leaf_penalty])
    # The penalty is penalty / denominator times the total weight sum / denominator. Multiplied by
    # the square of the denominator, all costs are integers.
    scaled = [weight * denominator for weight in integers]
    cost = best_cost(
        rows, labels, scaled, n_classes, depth, min_samples_leaf, penalty * sum(integers)
    )
    return Fraction(cost, denominator * denominator)


def best_cost(rows, labels, weights, n_classes, depth, min_samples_leaf=1, penalty=0):
    """Return the smallest cost of any tree, in the numbers of the caller.

    In contrast to `best`, no rows are dropped and nothing is scaled, and `penalty` is the absolute
    cost of every leaf after the first.
    """
    bits = [1 << i for i in range(len(rows))]
    columns = [
        sum(bit for bit, row in zip(bits, rows, strict=True) if row[feature])
        for feature in range(len(rows[0]))
    ]
    classes = [
        sum(bit for bit, label in zip(bits, labels, strict=True) if label == k)
        for k in range(n_classes)
    ]

    def weight_of(cover):
        return sum(weight for bit, weight in zip(bits, weights, strict=True) if cover & bit)

    @cache
    def leaf(cover):
        by_class = [weight_of(cover & members) for members in classes]
        return sum(by_class) - max(by_class)

    @cache
    def solve(cover, depth):
        cost = leaf(cover)
        if depth == 0 or cost == 0:
            return cost
        for column in columns:
            zeros, ones = cover & ~column, cover & column
            if min(zeros.bit_count(), ones.bit_count()) >= min_samples_leaf:
                cost = min(cost, solve(zeros, depth - 1) + solve(ones, depth - 1) + penalty)
        return cost

    return solve(sum(bits), depth)

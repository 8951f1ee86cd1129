"""The optimum under a cost matrix, and the cost of predictions."""

from fractions import Fraction
from functools import cache

from .exact import plain, positive_rows


def best_by_costs(rows, labels, weights, costs, depth, min_samples_leaf=1, leaf_penalty=0):
    """Return the smallest objective of any tree under a cost matrix, by plain recursion.

    Parameters
    ----------
    costs : sequence of sequences of numbers
        ``costs[j][k]`` is the cost of predicting class k for a row of class j.
    rows, labels, weights, depth, min_samples_leaf, leaf_penalty
        As in `oracle.best`.
    """
    rows, labels, weights = positive_rows(rows, labels, weights)
    weights = [Fraction(weight) for weight in weights]
    table = exact_table(costs)
    penalty = Fraction(plain(leaf_penalty)) * sum(weights)

    @cache
    def leaf(members):
        return min(
            sum((weights[i] * table[labels[i]][k] for i in members), Fraction(0))
            for k in range(len(table))
        )

    @cache
    def solve(members, depth):
        cost = leaf(members)
        if depth > 0:
            for feature in range(len(rows[0])):
                zeros = tuple(i for i in members if not rows[i][feature])
                ones = tuple(i for i in members if rows[i][feature])
                if min(len(zeros), len(ones)) >= min_samples_leaf:
                    cost = min(cost, solve(zeros, depth - 1) + solve(ones, depth - 1) + penalty)
        return cost

    return solve(tuple(range(len(rows))), depth)


def cost_of_predictions(predicted, labels, weights, costs):
    """Return the cost of predicted codes."""
    table = exact_table(costs)
    weights = [1] * len(labels) if weights is None else weights
    return sum(
        Fraction(plain(weight)) * table[label][guess]
        for guess, label, weight in zip(predicted, labels, weights, strict=True)
    )


def exact_table(costs):
    """Return the costs as fractions."""
    return [[Fraction(plain(cost)) for cost in line] for line in costs]

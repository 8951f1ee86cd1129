"""The least error for every number of leaves, and the convex hull of these points."""

from fractions import Fraction
from functools import cache

from .costs import exact_table
from .exact import positive_rows


def errors_by_leaves(rows, labels, weights, costs, depth, min_samples_leaf=1):
    """Return the least error for every number of leaves, by plain recursion.

    Returns
    -------
    dict
        From the number of leaves to the error, for every number of leaves that a tree can have.
    """
    rows, labels, weights = positive_rows(rows, labels, weights)
    weights = [Fraction(weight) for weight in weights]
    table = exact_table(costs)

    @cache
    def solve(members, depth):
        best = {
            1: min(
                sum((weights[i] * table[labels[i]][k] for i in members), Fraction(0))
                for k in range(len(table))
            )
        }
        if depth == 0:
            return best
        for feature in range(len(rows[0])):
            zeros = tuple(i for i in members if not rows[i][feature])
            ones = tuple(i for i in members if rows[i][feature])
            if min(len(zeros), len(ones)) < min_samples_leaf:
                continue
            for few, error in solve(zeros, depth - 1).items():
                for more, other in solve(ones, depth - 1).items():
                    leaves = few + more
                    if leaves not in best or error + other < best[leaves]:
                        best[leaves] = error + other
        return best

    return solve(tuple(range(len(rows))), depth)


def hull_by_leaves(errors):
    """Return the pairs (leaves, error) that are the only best ones for some penalty above 0."""
    hull = []
    for leaves, error in sorted(errors.items()):
        # The pair is the best for penalties between `low`, where a larger tree is as good, and
        # `high`, where a smaller tree is.
        low = max(
            [(error - e) / Fraction(n - leaves) for n, e in errors.items() if n > leaves] + [0]
        )
        high = min(
            [(e - error) / Fraction(leaves - n) for n, e in errors.items() if n < leaves]
            + [float("inf")]
        )
        if low < high:
            hull.append((leaves, error))
    return hull

"""The least error for every number of leaves, and the convex hull of both."""

from fractions import Fraction
from functools import cache

from .costs import exact_table
from .exact import positive_rows


def errors_by_leaves(rows, labels, weights, costs, depth, min_samples_leaf=1):
    """The least error of any tree with exactly so many leaves, by plain recursion.

    Returns
    -------
    dict
        Leaves to errors, for every number that some tree has.
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
    """Those (leaves, error) that are the only best at some price above 0, by comparing all."""
    hull = []
    for leaves, error in sorted(errors.items()):
        # Best for prices between `low`, where larger trees catch up, and `high`.
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

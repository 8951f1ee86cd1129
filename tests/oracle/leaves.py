"""The least error for every number of leaves, the fewest leaves, and the convex hull."""

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


def front_over_splits(splits, row_costs, depth, most, may_be_leaf):
    """Return the least cost of mistakes for every number of leaves that lowers it.

    Sets of rows are integers whose bits are the rows.

    Parameters
    ----------
    splits : sequence of int
        One side of every split, as `every_split` returns them.
    row_costs : sequence of sequences of numbers
        For each row the cost of each prediction, at least 0.
    depth : int or None
        Largest depth; None for any depth.
    most : int
        Largest number of leaves.
    may_be_leaf : callable
        Whether a leaf may have a set of rows, unless it is the only leaf.

    Returns
    -------
    dict
        From numbers of leaves, of at most `most`, to costs, which fall. A number that is missing
        has the cost of the next smaller one.
    """
    n_classes = len(row_costs[0])

    @cache
    def leaf(cover):
        sums = [0] * n_classes
        while cover:
            row = cover.bit_length() - 1
            cover ^= 1 << row
            sums = [total + cost for total, cost in zip(sums, row_costs[row], strict=True)]
        return min(sums)

    @cache
    def solve(cover, depth, most):
        least = {1: leaf(cover)}
        if most == 1 or depth == 0 or least[1] == 0:
            return least
        below = None if depth is None else depth - 1
        for one in {cover & split for split in splits}:
            other = cover ^ one
            if not one or not other or not may_be_leaf(one) or not may_be_leaf(other):
                continue
            for few, error in solve(one, below, most - 1).items():
                for more, rest in solve(other, below, most - 1).items():
                    leaves = few + more
                    if leaves <= most and (leaves not in least or error + rest < least[leaves]):
                        least[leaves] = error + rest
        return _falling(least)

    return solve((1 << len(row_costs)) - 1, depth, most)


def _falling(costs):
    """Return the entries whose cost is below that of all smaller numbers of leaves."""
    falling = {}
    for leaves in sorted(costs):
        if not falling or costs[leaves] < min(falling.values()):
            falling[leaves] = costs[leaves]
    return falling


def front_of_rows(rows, labels, weights, n_classes, depth, most, min_samples_leaf=1):
    """Return the least error for every number of leaves that lowers it, over zeros and ones.

    Parameters
    ----------
    rows, labels, weights, n_classes, min_samples_leaf
        As in `oracle.best`.
    depth : int or None
        Largest depth; None for any depth.
    most : int
        Largest number of leaves.
    """
    rows, labels, weights = positive_rows(rows, labels, weights)
    weights = [Fraction(weight) for weight in weights]
    columns = [
        sum(1 << i for i, row in enumerate(rows) if row[feature]) for feature in range(len(rows[0]))
    ]
    costs = [
        [weight * (k != label) for k in range(n_classes)]
        for weight, label in zip(weights, labels, strict=True)
    ]
    # On a path, no column of zeros and ones is of use twice.
    depth = None if depth is None or depth >= len(rows[0]) else depth
    return front_over_splits(
        columns, costs, depth, most, lambda cover: cover.bit_count() >= min_samples_leaf
    )


def best_within(front, max_leaf_nodes, penalty=0):
    """Return the least cost of a tree within a limit of leaves, and the fewest leaves with it.

    Parameters
    ----------
    front : dict
        As `front_of_rows` returns it, for at least this number of leaves.
    max_leaf_nodes : int
        Largest number of leaves.
    penalty : number
        Cost of every leaf after the first.
    """
    return min(
        (error + penalty * (leaves - 1), leaves)
        for leaves, error in front.items()
        if leaves <= max_leaf_nodes
    )


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

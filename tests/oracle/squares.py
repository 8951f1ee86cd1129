"""The least squared error, or cost, over a table of raw values, by enumeration.

Squared errors are rational numbers. The columns are those of raw_tables.py. A set of rows is an
integer whose bits are the rows.
"""

from fractions import Fraction
from functools import cache
from math import ceil, fsum, inf

from .exact import plain
from .raw_tables import every_split


def mean_groups(values, y, weights):
    """Return the nested sets of categories along the mean of their numbers.

    Parameters
    ----------
    values : list
        The categories of a column, None if missing.
    y, weights : list of numbers
        The numbers and the weights of the rows; those of weight zero do not count.

    Returns
    -------
    list of set
        The sets. Those that are single categories, or all but one, are left out.
    """
    rows = [i for i, weight in enumerate(weights) if weight > 0 and values[i] is not None]
    known = sorted({values[i] for i in rows})
    mean = {}
    for category in known:
        inside = [i for i in rows if values[i] == category]
        total = fsum(float(weights[i]) * float(y[i]) for i in inside)
        mean[category] = total / fsum(float(weights[i]) for i in inside)
    order = sorted(known, key=lambda category: -mean[category])
    return [set(order[:size]) for size in range(2, len(known) - 1)]


def squares_of(y, weights):
    """Return the weighted squared error of a leaf, as a fraction."""
    y = [Fraction(plain(number)) for number in y]
    weights = [Fraction(plain(weight)) for weight in weights]
    total = sum(weights)
    if not total:
        return Fraction(0)
    mean = sum(w * number for w, number in zip(weights, y, strict=True)) / total
    return sum(w * (number - mean) ** 2 for w, number in zip(weights, y, strict=True))


def least_squares(columns, y, weights, **limits):
    """Return the smallest objective of any tree over a table, which adds up squared errors.

    Parameters
    ----------
    columns : sequence of tuple
        The columns, as in raw_tables.py.
    y, weights : sequence of numbers
        The numbers to predict, and the weights; rows of weight zero do not count.
    **limits
        As in `least_cost`.

    Returns
    -------
    Fraction
        The smallest objective.
    """

    def squares(rows):
        return squares_of([y[i] for i in rows], [weights[i] for i in rows])

    return least_cost(columns, weights, squares, **limits)


def least_cost(
    columns,
    weights,
    leaf_cost,
    *,
    max_depth,
    max_leaf_nodes=None,
    min_samples_leaf=1,
    min_weight_fraction_leaf=0,
    leaf_penalty=0,
):
    """Return the smallest objective of any tree over a table, for any costs of leaves.

    Parameters
    ----------
    columns : sequence of tuple
        The columns, as in raw_tables.py.
    weights : sequence of numbers
        The weights; rows of weight zero do not count.
    leaf_cost : callable
        What a leaf with a list of rows costs.
    max_depth, max_leaf_nodes, min_samples_leaf, min_weight_fraction_leaf, leaf_penalty
        As in `OptimalTreeRegressor`; `max_depth` may be None.

    Returns
    -------
    number
        The smallest objective, of the type of the costs.
    """
    rows = [i for i, weight in enumerate(weights) if weight > 0]
    splits = every_split(columns, rows)
    weights = [Fraction(plain(weights[i])) for i in rows]
    single = leaf_cost(rows)
    # A product of a fraction and a float would be rounded.
    penalty = (Fraction if isinstance(single, Fraction) else float)(plain(leaf_penalty)) * single
    least = min_samples_leaf
    if least < 1:
        least = ceil(Fraction(repr(float(least))) * len(rows))
    least_weight = Fraction(repr(float(min_weight_fraction_leaf))) * sum(weights)

    def members(cover):
        return [i for i in range(len(rows)) if cover >> i & 1]

    @cache
    def leaf(cover):
        return leaf_cost([rows[i] for i in members(cover)])

    @cache
    def may_be_leaf(cover):
        inside = members(cover)
        return len(inside) >= least and sum(weights[i] for i in inside) >= least_weight

    @cache
    def solve(cover, depth, leaves):
        cost = leaf(cover)
        if depth == 0 or leaves == 1 or cost <= penalty:
            return cost
        for one in {cover & split for split in splits}:
            other = cover ^ one
            if not (one and other and may_be_leaf(one) and may_be_leaf(other)):
                continue
            for first in [None] if leaves is None else range(1, leaves):
                rest = None if leaves is None else leaves - first
                found = penalty + solve(one, depth - 1, first)
                if found < cost:
                    cost = min(cost, found + solve(other, depth - 1, rest))
        return cost

    depth = inf if max_depth is None else max_depth
    return solve((1 << len(rows)) - 1, depth, max_leaf_nodes)

"""The optimum over a table of raw values: all thresholds, and both sides for missing values.

A column is a tuple ``(kind, values)``: the kind is "numbers" or "categories", and the values are
Python objects, None if missing. Python compares integers and floats exactly. Categories may have a
third element, a list of sets of categories that are tested besides the single ones. A set of rows
is an integer whose bits are the rows.
"""

from fractions import Fraction
from functools import cache
from math import ceil, inf, lcm

from .exact import plain
from .leaves import best_within, front_over_splits


def every_split(columns, rows):
    """Return every set of rows that one test can separate from the others, each once.

    Parameters
    ----------
    columns : sequence of tuple
        The columns of the table.
    rows : sequence of int
        The rows that count; bit i of a set is row ``rows[i]``.

    Returns
    -------
    list of int
        The sets. Of the two sides of a split, it is the one without the first row.
    """
    everything = (1 << len(rows)) - 1
    found = {}
    for kind, values, *groups in columns:
        for side in _sides(kind, [values[i] for i in rows], *groups):
            found[side ^ everything if side & 1 else side] = None
    found.pop(0, None)
    return list(found)


def class_groups(values, labels, weights):
    """Return the nested sets of categories along their share of each class.

    Parameters
    ----------
    values : list
        The categories of a column, None if missing.
    labels : list of int
        The classes of the rows.
    weights : list of numbers
        The weights of the rows; those of weight zero do not count.

    Returns
    -------
    list of set
        The sets. Those that are single categories, or all but one, are left out.
    """
    rows = [i for i, weight in enumerate(weights) if weight > 0]
    known = sorted({values[i] for i in rows if values[i] is not None})
    classes = sorted({labels[i] for i in rows})
    sets = []
    for label in classes[1:] if len(classes) == 2 else classes:
        share = {}
        for category in known:
            inside = [i for i in rows if values[i] is not None and values[i] == category]
            total = sum(Fraction(weights[i]) for i in inside)
            part = sum(Fraction(weights[i]) for i in inside if labels[i] == label)
            share[category] = float(part) / float(total)
        order = sorted(known, key=lambda category, share=share: -share[category])
        sets += [set(order[:size]) for size in range(2, len(known) - 1)]
    return sets


def _sides(kind, values, groups=()):
    """Yield one side of each test of a column."""
    known = {value for value in values if value is not None}
    missing = _rows_where(values, lambda value: value is None)
    yield missing
    if kind == "categories":
        for group in [*({category} for category in known), *groups]:
            inside = _rows_where(values, lambda value, g=group: value is not None and value in g)
            yield inside
            yield inside | missing
        return
    for threshold in known:
        below = _rows_where(values, lambda value, t=threshold: value is not None and value <= t)
        yield below
        yield below | missing


def _rows_where(values, is_inside):
    return sum(1 << i for i, value in enumerate(values) if is_inside(value))


def best_over_splits(splits, row_costs, depth, may_be_leaf, penalty):
    """Return the cost of the best tree, and of the best tree for each first split.

    Parameters
    ----------
    splits : sequence of int
        The splits, as `every_split` returns them.
    row_costs : sequence of sequences of int
        For each row the cost of each prediction, at least 0.
    depth : int
        Largest depth.
    may_be_leaf : callable
        Whether a leaf may have a set of rows.
    penalty : int
        Cost of every leaf after the first.

    Returns
    -------
    best : int
        The cost of the best tree.
    by_split : dict
        From each split that may be first to the least cost of a tree that begins with it.
    """
    n_classes = len(row_costs[0])
    may_be_leaf = cache(may_be_leaf)

    @cache
    def leaf(cover):
        sums = [0] * n_classes
        while cover:
            row = cover.bit_length() - 1
            cover ^= 1 << row
            sums = [total + cost for total, cost in zip(sums, row_costs[row], strict=True)]
        return min(sums)

    @cache
    def solve(cover, depth):
        cost = leaf(cover)
        if depth == 0 or cost <= penalty:
            return cost
        for one in {cover & split for split in splits}:
            other = cover ^ one
            if one and other and may_be_leaf(one) and may_be_leaf(other):
                first = solve(one, depth - 1) + penalty
                if first < cost:
                    cost = min(cost, first + solve(other, depth - 1))
        return cost

    everything = (1 << len(row_costs)) - 1
    by_split = {
        one: solve(one, depth - 1) + solve(everything ^ one, depth - 1) + penalty
        for one in splits
        if depth > 0 and may_be_leaf(one) and may_be_leaf(everything ^ one)
    }
    return min([leaf(everything), *by_split.values()]), by_split


def best_of_table(columns, labels, weights, costs, *, max_depth, max_leaf_nodes=None, **limits):
    """Return the smallest objective of any tree over a table, and that for each first split.

    Parameters
    ----------
    columns : sequence of tuple
        The columns.
    labels : sequence of int
        Codes of the classes.
    weights : sequence of numbers
        Weights; rows of weight zero do not count.
    costs : sequence of sequences of numbers
        ``costs[j][k]`` is the cost of predicting class k for a row of class j.
    max_depth, max_leaf_nodes : int or None
        As in `OptimalTreeClassifier`. With a limit of leaves, or any depth, there is no objective
        for each first split.
    **limits
        `min_samples_leaf`, `min_weight_fraction_leaf` and `leaf_penalty`, as in
        `OptimalTreeClassifier`. Shares are the decimal numbers that Python prints.

    Returns
    -------
    best : Fraction
        The smallest objective.
    by_split : dict
        From the sets of rows of `every_split` to the smallest objective of a tree that begins with
        that split.
    """
    splits, row_costs, may_be_leaf, penalty, unit = _in_integers(
        columns, labels, weights, costs, **limits
    )
    if max_leaf_nodes is not None or max_depth is None:
        most = len(row_costs) if max_leaf_nodes is None else max_leaf_nodes
        front = front_over_splits(splits, row_costs, max_depth, most, may_be_leaf)
        return Fraction(best_within(front, most, penalty)[0], unit), {}
    best, by_split = best_over_splits(splits, row_costs, max_depth, may_be_leaf, penalty)
    by_split = {split: Fraction(cost, unit) for split, cost in by_split.items()}
    return Fraction(best, unit), by_split


def front_of_table(columns, labels, weights, costs, *, max_depth, most, **limits):
    """Return the least error for every number of leaves that lowers it, and the price of a leaf.

    Parameters
    ----------
    columns, labels, weights, costs, max_depth, **limits
        As in `best_of_table`.
    most : int
        Largest number of leaves.

    Returns
    -------
    front : dict
        From numbers of leaves to costs of mistakes, as `best_within` takes it.
    penalty : Fraction
        Cost of every leaf after the first.
    """
    splits, row_costs, may_be_leaf, penalty, unit = _in_integers(
        columns, labels, weights, costs, **limits
    )
    front = front_over_splits(splits, row_costs, max_depth, most, may_be_leaf)
    front = {leaves: Fraction(cost, unit) for leaves, cost in front.items()}
    return front, Fraction(penalty, unit)


def _in_integers(
    columns,
    labels,
    weights,
    costs,
    *,
    min_samples_leaf=1,
    min_weight_fraction_leaf=0,
    leaf_penalty=0,
):
    """Return splits, costs of rows, which leaves are allowed, the penalty, and the unit."""
    rows = [i for i, weight in enumerate(weights) if weight > 0]
    weight = [Fraction(plain(weights[i])) for i in rows]
    total = sum(weight)
    table = [[Fraction(plain(cost)) for cost in line] for line in costs]
    row_costs = [[w * c for c in table[labels[i]]] for i, w in zip(rows, weight, strict=True)]
    penalty = Fraction(plain(leaf_penalty)) * total
    numbers = [penalty, *(cost for line in row_costs for cost in line)]
    unit = lcm(*(number.denominator for number in numbers))
    least = min_samples_leaf
    if least < 1:
        least = ceil(Fraction(repr(float(least))) * len(rows))
    least_weight = Fraction(repr(float(min_weight_fraction_leaf))) * total

    def may_be_leaf(cover):
        if cover.bit_count() < least:
            return False
        if not least_weight:
            return True
        return sum(w for i, w in enumerate(weight) if cover >> i & 1) >= least_weight

    return (
        every_split(columns, rows),
        [[int(cost * unit) for cost in line] for line in row_costs],
        may_be_leaf,
        int(penalty * unit),
        unit,
    )


def goes_left(test, categories, value):
    """Return whether a test sends a value to the left.

    Parameters
    ----------
    test : object
        Has ``categories``, ``threshold``, ``exact_threshold`` and ``missing_go_to_left`` of a node.
    categories : sequence or None
        The categories of the column.
    value : object
        The value; None if it is missing.
    """
    if value is None:
        return bool(test.missing_go_to_left)
    if test.categories is not None:
        return value in [categories[position] for position in test.categories]
    if test.threshold == inf:  # the test whether a value is missing, of any kind
        return True
    return value <= (test.threshold if test.exact_threshold is None else test.exact_threshold)

"""Learning the tests of a column of categories, with and without an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.category_groups import class_shares, means, nested_groups
from beamtree._table.columns import category_codes
from beamtree._table.learned_column import LearnedColumn, RankedColumn
from beamtree._table.orders import MISSING, Groups, positions_of, rank_in_groups
from beamtree._table.thresholds import quantile_cuts
from beamtree._table.values import CategoryColumn
from beamtree._util.scalars import python_scalar

# A column has at most this many categories if `max_thresholds` is None. A column with more of them
# is usually a number or a name that identifies the row, and each category takes memory.
MOST_CATEGORIES = 128

# The tests of single categories are all subsets of up to this many categories.
LOSSLESS = 3

# Larger numbers of possible tests are counted as 2 to this power, which a float64 can hold.
MOST_DOUBLINGS = 1000


def learn_categories(
    column: CategoryColumn,
    weight: NDArray[np.float64] | None,
    labels: NDArray[Any] | None,
    most: int | None,
    added: Sequence[tuple[Any, ...]],
    where: str,
) -> LearnedColumn:
    """Choose the categories of a column that are tested, alone and in groups.

    Parameters
    ----------
    column : CategoryColumn
        The column, with the rows of positive weight. Its categories have no order.
    weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows.
    labels : ndarray of int32 or float64, shape (n_rows,), or None
        Numbers of the classes of the rows, or the numbers to predict. Without them, there are no
        groups.
    most : int or None
        Largest number of categories that are tested; None for `MOST_CATEGORIES`.
    added : sequence of tuples
        Sets of categories that are tested in any case.
    where : str
        Name of the column, for errors.

    Returns
    -------
    LearnedColumn
        The orders. In a column with missing values, every test exists with missing values on
        either side, as far as it is a different test.
    """
    has_missing = bool((column.codes < 0).any())
    count = len(column.values)
    place = {value: code for code, value in enumerate(column.values)}
    sets = [{place[value] for value in values if value in place} for values in added]
    tested = np.arange(count)
    most = MOST_CATEGORIES if most is None else most
    if _n_single_tests(count, has_missing=has_missing) > most:
        tested = _heaviest(column, weight, most, sets)
    kept = sorted({*tested.tolist()}.union(*sets))
    categories = np.empty(len(kept), dtype=object)
    categories[:] = [python_scalar(column.values[code]) for code in kept]
    positions = positions_of(category_codes(column, categories, where))

    is_whole = len(kept) == count
    alone = np.searchsorted(kept, tested)
    groups: list[Groups] = [((one,),) for one in alone.tolist()]
    if is_whole:
        groups = groups[count - _n_single_tests(count, has_missing=has_missing) :]
    if labels is not None and len(tested) > LOSSLESS:
        rows = np.isin(positions, alone)
        along = means if labels.dtype.kind == "f" else class_shares
        shares = along(
            np.searchsorted(alone, positions[rows]),
            labels[rows],
            None if weight is None else weight[rows],
            len(alone),
        )
        groups += nested_groups(shares, alone, is_whole=len(tested) == count)
    wanted = [frozenset(np.searchsorted(kept, sorted(one)).tolist()) for one in sets]
    groups += _other_sets(wanted, groups, len(kept) if is_whole else None)

    orders = [_ranked(positions, one) for one in groups]
    if has_missing and count:
        orders.append(_ranked(positions, (), asks_if_missing=True))
        if not is_whole or count > 2:  # with two categories, the test of the other is the opposite
            orders += [_ranked(positions, one, missing_first=True) for one in groups]
    return LearnedColumn(
        orders,
        _n_subsets(count + has_missing),
        np.unique(positions),
        categories=categories,
        has_missing=has_missing,
        n_categories=count,
        n_tested=len(tested),
    )


def learn_ordered_categories(
    column: CategoryColumn,
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: Sequence[tuple[Any, ...]],
) -> LearnedColumn:
    """Choose the thresholds of a column of categories that have an order.

    Parameters
    ----------
    column : CategoryColumn
        The column, with the rows of positive weight. Its categories are in their order, and need
        not occur.
    weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows.
    most : int or None
        Largest number of thresholds; None for all.
    added : sequence of tuples
        Sets of categories that are tested in any case, if they are those up to a threshold.

    Returns
    -------
    LearnedColumn
        The orders. A threshold between two categories that occur is in the middle of those between
        them that do not.
    """
    known = column.codes >= 0
    has_missing = not known.all()
    occurring, rank = np.unique(column.codes[known], return_inverse=True)
    count = len(occurring)
    possible = max(count - 1, 0)
    cuts = np.arange(possible)  # cut c is between the occurring categories c and c + 1
    if most is not None and possible > most:
        known_weight = None if weight is None else weight[known]
        cuts = quantile_cuts(np.bincount(rank, known_weight, count).astype(np.float64), most)
        below = [_n_first([column.values[code] in one for code in occurring]) for one in added]
        inner = [number - 1 for number in below if 0 < number < count]
        cuts = np.union1d(cuts, np.array(inner, dtype=np.intp)).astype(np.intp)
    ends = (occurring[cuts] + occurring[cuts + 1]) // 2 + 1 if len(cuts) else cuts
    starts = [0, *ends.tolist()]
    groups = tuple(tuple(range(a, b)) for a, b in pairwise(starts))
    positions = np.where(known, column.codes, MISSING)
    orders = []
    if has_missing and count:
        orders.append(_ranked(positions, groups, asks_if_missing=True))
        if groups:
            orders.append(_ranked(positions, groups, missing_first=True))
    elif groups:
        orders.append(_ranked(positions, groups))
    categories = np.empty(len(column.values), dtype=object)
    categories[:] = [python_scalar(value) for value in column.values]
    return LearnedColumn(
        orders,
        2 * possible + 1 if has_missing and count else possible,
        np.unique(positions),
        categories=categories,
        ordered=True,
        has_missing=has_missing,
    )


def _ranked(
    positions: NDArray[np.intp],
    groups: Groups,
    *,
    missing_first: bool = False,
    asks_if_missing: bool = False,
) -> RankedColumn:
    """Return an order of categories, and the ranks of the rows in it."""
    missing = 0 if missing_first else len(groups) + asks_if_missing
    return RankedColumn(
        rank_in_groups(positions, groups, missing),
        groups=groups,
        missing_first=missing_first,
        asks_if_missing=asks_if_missing,
    )


def _n_single_tests(count: int, *, has_missing: bool) -> int:
    """Return how many categories need a test of their own, if all of them are kept.

    The first category needs none if the test of the only other one, or the test whether the value
    is missing, is the same.
    """
    return count - 1 if count == 1 or (count == 2 and not has_missing) else count


def _n_subsets(kinds: int) -> int:
    """Return in how many ways different values can be divided into two sides."""
    return (1 << min(max(kinds - 1, 0), MOST_DOUBLINGS)) - 1


def _heaviest(
    column: CategoryColumn, weight: NDArray[np.float64] | None, most: int, sets: list[set[int]]
) -> NDArray[np.intp]:
    """Return the categories of the largest weight, and those that are wanted alone."""
    known = column.codes >= 0
    by_category = np.bincount(
        column.codes[known], None if weight is None else weight[known], len(column.values)
    )
    heaviest = np.argsort(-by_category, kind="stable")[:most]
    wanted = [code for one in sets if len(one) == 1 for code in one]
    return np.union1d(heaviest, np.array(wanted, dtype=np.intp)).astype(np.intp)


def _other_sets(
    wanted: list[frozenset[int]], groups: list[Groups], count: int | None
) -> Iterator[Groups]:
    """Yield orders for the wanted sets that no order tests yet.

    If `count` is a number, all rows have one of that many categories, so that the complement of a
    set is the same test.
    """
    seen = {frozenset(one) for order in groups for one in _nested_sets(order)}
    seen.add(frozenset())
    every = frozenset(range(count or 0))
    for one in wanted:
        if one not in seen and (count is None or every - one not in seen):
            yield (tuple(sorted(one)),)
            seen.add(one)


def _nested_sets(groups: Groups) -> Iterator[list[int]]:
    inside: list[int] = []
    for group in groups:
        inside += group
        yield inside


def _n_first(are_inside: list[bool]) -> int:
    """Return how many elements at the start are true; 0 if later ones are true, too."""
    return sum(are_inside) if are_inside == sorted(are_inside, reverse=True) else 0

"""Learning the columns of a table, and the orders whose cuts are the tests of a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns, category_codes, column_names
from beamtree._table.orders import Orders
from beamtree._table.ranks import RankedRows, rank_values
from beamtree._table.row_weights import positive_rows
from beamtree._table.table import Table
from beamtree._table.thresholds import count_at_most, quantile_cuts
from beamtree._table.values import CategoryColumn, Column, Numbers
from beamtree._util.scalars import python_scalar
from beamtree.tree import INTEGERS

NO_VALUES = np.empty(0)

# A column has at most this many categories if `max_thresholds` is None. A column with more of them
# is usually a number or a name that identifies the row, and each category takes memory.
MOST_CATEGORIES = 128


@dataclass(frozen=True)
class AddedTests:
    """Tests of a column that are added to those that are learned.

    Parameters
    ----------
    thresholds : list of tuple
        Thresholds, each for floats and for integers as in `count_at_most`. Any other threshold
        between the same two values may replace them.
    values : list
        Categories.
    """

    thresholds: list[tuple[float, int | None]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


class LearnedTests(NamedTuple):
    """The columns of a table and their tests, with the rows of positive weight.

    Parameters
    ----------
    columns : Columns
        The columns.
    orders : Orders
        The orders, whose cuts are the tests.
    possible : ndarray of intp, shape (n_columns,)
        Number of tests that each column would have without a limit.
    ranges : tuple
        For each column of numbers an array of its smallest and its largest value, which is empty if
        all values are missing; None for each column of categories.
    rows : RankedRows, or ndarray of uint8, shape (n_kept_rows, n_orders)
        The rows of positive weight, ranked in the orders. If every order has one cut, these are
        zeros and ones, C-contiguous, which take less memory.
    weight : ndarray of float64, shape (n_kept_rows,), or None
        Their weights.
    kept : ndarray of bool, shape (n_rows,), or None
        Which rows of the table have a positive weight; None if all of them have.
    """

    columns: Columns
    orders: Orders
    possible: NDArray[np.intp]
    ranges: tuple[Numbers | None, ...]
    rows: RankedRows | NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    kept: NDArray[np.bool_] | None

    def keep(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the elements that belong to rows of positive weight, given one per row."""
        return values if self.kept is None else values[self.kept]

    def per_column(self) -> NDArray[np.intp]:
        """Return the number of tests of each column."""
        counts = np.bincount(self.orders.column, self.orders.cuts, len(self.possible))
        return counts.astype(np.intp)


def learn_tests(
    table: Table,
    weight: NDArray[np.float64] | None,
    max_thresholds: int | None,
    added: dict[int, AddedTests] | None = None,
    only: Sequence[NDArray[np.float64]] | None = None,
) -> LearnedTests:
    """Learn the columns of a table and the tests of each column.

    Parameters
    ----------
    table : Table
        The table.
    weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows. Rows of weight zero are dropped.
    max_thresholds : int or None
        Largest number of thresholds, or of categories, that are learned for a column; None for all
        thresholds and `MOST_CATEGORIES` categories.
    added : dict, optional
        By column, tests to add to those that are learned.
    only : sequence of ndarray, optional
        For every column the only thresholds to choose from, the best first. By default these are
        the thresholds between all neighbouring values, or quantiles if there are too many.

    Returns
    -------
    LearnedTests
        The columns, the orders and the ranked rows.
    """
    kept = positive_rows(weight)
    if weight is not None and kept is not None:
        weight = weight[kept]
    columns = []
    for j in range(table.shape[1]):
        extra = AddedTests() if added is None else added.get(j, AddedTests())
        column = _kept_rows(table.column(j), kept)
        if isinstance(column, CategoryColumn):
            where = table.where(j)
            columns.append(_learn_categories(column, weight, max_thresholds, extra.values, where))
            continue
        candidates = None if only is None else only[j]
        columns.append(
            _learn_thresholds(column, weight, max_thresholds, extra.thresholds, candidates)
        )
    n_rows = len(table) if kept is None else int(kept.sum())
    orders = _joined([column.orders for column in columns])
    return LearnedTests(
        Columns(
            column_names(table.names, len(columns)),
            tuple(column.categories for column in columns),
            np.array([column.integral for column in columns]),
            np.array([column.binary for column in columns]),
            np.array([column.wide for column in columns]),
        ),
        orders,
        np.array([column.possible for column in columns], dtype=np.intp),
        tuple(column.range for column in columns),
        _ranked([column.orders for column in columns], orders, n_rows),
        weight,
        kept,
    )


class _RankedColumn(NamedTuple):
    """An order and the ranks of the rows in it; the other parameters are those of `Orders`."""

    rank: NDArray[np.uint32] | NDArray[np.bool_]
    low: Numbers = NO_VALUES
    high: Numbers = NO_VALUES
    category: int = -1
    missing_first: bool = False
    asks_if_missing: bool = False


def _joined(by_column: list[list[_RankedColumn]]) -> Orders:
    every = [order for orders in by_column for order in orders]
    return Orders(
        np.repeat(np.arange(len(by_column)), [len(orders) for orders in by_column]),
        np.array([order.category for order in every], dtype=np.intp),
        np.array([order.missing_first for order in every], dtype=np.bool_),
        np.array([order.asks_if_missing for order in every], dtype=np.bool_),
        [order.low for order in every],
        [order.high for order in every],
    )


def _ranked(
    by_column: list[list[_RankedColumn]], orders: Orders, n_rows: int
) -> RankedRows | NDArray[np.uint8]:
    if len(orders) and (orders.cuts == 1).all():
        return np.ascontiguousarray(_stacked(by_column, len(orders), n_rows, np.uint8).T)
    return RankedRows(_stacked(by_column, len(orders), n_rows, np.uint32), orders.cuts)


def _stacked(
    by_column: list[list[_RankedColumn]], n_orders: int, n_rows: int, kind: type
) -> NDArray[Any]:
    """Return the ranks of all orders as one array, and free each one as soon as it is copied."""
    rank: NDArray[Any] = np.empty((n_orders, n_rows), dtype=kind)
    number = 0
    for orders in by_column:
        orders.reverse()
        while orders:
            rank[number] = orders.pop().rank
            number += 1
    return rank


def _kept_rows(column: Column, kept: NDArray[np.bool_] | None) -> Column:
    """Return a column without dropped rows, and without categories that no row has any more."""
    if kept is None:
        return column
    if not isinstance(column, CategoryColumn):
        return column[kept]
    codes = column.codes[kept]
    used = np.bincount(codes[codes >= 0], minlength=len(column.values)) > 0
    new_code = np.append(np.cumsum(used) - 1, -1)
    values = [value for value, is_used in zip(column.values, used, strict=True) if is_used]
    return CategoryColumn(new_code[codes], values)


class _LearnedColumn(NamedTuple):
    """What is learned from one column; the parameters are those of `Columns` and `LearnedTests`."""

    orders: list[_RankedColumn]
    possible: int
    range: Numbers | None = None
    categories: NDArray[Any] | None = None
    integral: bool = False
    binary: bool = False
    wide: bool = False


def _learn_thresholds(
    numbers: Numbers,
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: list[tuple[float, int | None]],
    only: NDArray[np.float64] | None,
) -> _LearnedColumn:
    """Choose the thresholds of a column of numbers, and rank its values between them."""
    values, rank = rank_values(numbers)
    count = len(values)
    has_missing = bool(rank.max(initial=0) == count)
    possible = max(count - 1, 0)
    cuts = None  # the positions of the chosen cuts; cut c is between the values c and c + 1
    if only is not None:
        cuts = _best_cuts(values, only, most)
    elif most is not None and possible > most:
        value_weight = np.bincount(rank, weight, count)[:count].astype(np.float64)
        cuts = quantile_cuts(value_weight, most)
    if cuts is not None:
        at = [count_at_most(values, *threshold) for threshold in added]
        inner = [place - 1 for place in at if 0 < place < count]
        cuts = np.union1d(cuts, np.array(inner, dtype=np.intp))
        low, high = values[cuts], values[cuts + 1]
        # For each value, and for missing ones, the number of cuts below.
        below = np.append(np.searchsorted(cuts, np.arange(count)), len(cuts) + 1)
        rank = below.astype(np.uint32)[rank]
    else:
        low, high = values[:-1], values[1:]
    orders = []
    if has_missing and count:
        orders.append(_RankedColumn(rank, low, high, asks_if_missing=True))
        if len(low):
            first = np.where(rank > len(low), np.uint32(0), rank)
            orders.append(_RankedColumn(first, low, high, missing_first=True))
    elif len(low):
        orders.append(_RankedColumn(rank, low, high))
    integral = values.dtype.kind != "f"
    return _LearnedColumn(
        orders,
        2 * possible + 1 if has_missing and count else possible,
        values[[0, -1]] if count else values,
        integral=integral,
        binary=not has_missing and all(value in (0, 1) for value in values[:3].tolist()),
        wide=integral and bool(count) and max(-int(values[0]), int(values[-1])) > INTEGERS,
    )


def _best_cuts(values: Numbers, ordered: NDArray[np.float64], most: int | None) -> NDArray[np.intp]:
    """Return the first different cuts of thresholds that are ordered from the best to the worst."""
    at = np.searchsorted(values.astype(np.float64), ordered, side="right")
    at = at[(at > 0) & (at < len(values))] - 1
    _, first = np.unique(at, return_index=True)
    return np.sort(at[np.sort(first)[:most]])


def _learn_categories(
    column: CategoryColumn,
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: Iterable[Any],
    where: str,
) -> _LearnedColumn:
    """Choose the categories of a column that are kept, and which of them are tested."""
    known = column.codes >= 0
    has_missing = not known.all()
    count = len(column.values)
    # The first category needs no test if the other category, or whether the value is missing,
    # determines it.
    one_less = count == 1 or (count == 2 and not has_missing)
    possible = count - 1 if one_less else count
    kept = np.arange(count)
    most = MOST_CATEGORIES if most is None else most
    if possible > most:
        known_weight = None if weight is None else weight[known]
        category_weight = np.bincount(column.codes[known], weights=known_weight, minlength=count)
        heaviest = np.argsort(-category_weight, kind="stable")[:most]
        position = {value: code for code, value in enumerate(column.values)}
        wanted = [position[value] for value in added if value in position]
        kept = np.union1d(heaviest, np.array(wanted, dtype=np.intp))
    categories = np.empty(len(kept), dtype=object)
    categories[:] = [python_scalar(column.values[code]) for code in kept.tolist()]
    codes = category_codes(column, categories, where)
    orders = [
        _RankedColumn(codes != category, category=category)
        for category in range(int(one_less), len(kept))
    ]
    tests_missing = has_missing and count > 0
    if tests_missing:
        orders.append(_RankedColumn(~known, asks_if_missing=True))
    return _LearnedColumn(orders, possible + tests_missing, categories=categories)

"""Learning the columns of a table, and the orders whose cuts are the tests of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns, column_names
from beamtree._table.learn_categories import learn_categories, learn_ordered_categories
from beamtree._table.learned_column import LearnedColumn, RankedColumn
from beamtree._table.orders import Orders
from beamtree._table.ranks import RankedRows, rank_values
from beamtree._table.row_weights import positive_rows
from beamtree._table.table import Table
from beamtree._table.thresholds import count_at_most, quantile_cuts
from beamtree._table.times import TimeColumn
from beamtree._table.values import CategoryColumn, Column, Numbers, rows_of_column
from beamtree.search_space import SearchSpace
from beamtree.tree import INTEGERS


@dataclass(frozen=True)
class AddedTests:
    """Tests of a column that are added to those that are learned.

    Parameters
    ----------
    thresholds : list of tuple
        Thresholds, each for floats and for integers as in `count_at_most`. Any other threshold
        between the same two values may replace them.
    sets : list of tuple
        Sets of categories; a set of one is the test of a single category.
    """

    thresholds: list[tuple[float, int | None]] = field(default_factory=list)
    sets: list[tuple[Any, ...]] = field(default_factory=list)


class LearnedTests(NamedTuple):
    """The columns of a table and their tests, with the rows of positive weight.

    Parameters
    ----------
    columns : Columns
        The columns.
    orders : Orders
        The orders, whose cuts are the tests.
    space : SearchSpace
        The number of tests of each column, and of those that it could have.
    ranges : tuple of ndarray
        For each column of numbers or times its smallest and its largest value, or nothing if all
        values are missing. For each column of categories the different positions that its rows
        have, as `positions_of` returns them.
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
    space: SearchSpace
    ranges: tuple[Numbers, ...]
    rows: RankedRows | NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    kept: NDArray[np.bool_] | None

    def keep(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the elements that belong to rows of positive weight, given one per row."""
        return values if self.kept is None else values[self.kept]


def learn_tests(
    table: Table,
    weight: NDArray[np.float64] | None,
    max_thresholds: int | None,
    labels: NDArray[Any] | None,
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
    labels : ndarray of int32 or float64, shape (n_rows,), or None
        Numbers of the classes of the rows, or the numbers to predict, along which categories are
        grouped; None for no groups.
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
    if labels is not None and kept is not None:
        labels = labels[kept]
    columns = []
    for j in range(table.shape[1]):
        extra = AddedTests() if added is None else added.get(j, AddedTests())
        column = table.column(j) if kept is None else rows_of_column(table.column(j), kept)
        candidates = None if only is None else only[j]
        columns.append(
            learn_column(
                column, weight, labels, max_thresholds, extra, table.where(j), only=candidates
            )
        )
    n_rows = len(table) if kept is None else int(kept.sum())
    described, orders, space, ranges = describe(columns, table.shown_names)
    return LearnedTests(
        described,
        orders,
        space,
        ranges,
        _ranked([column.orders for column in columns], orders, n_rows),
        weight,
        kept,
    )


def learn_column(
    column: Column,
    weight: NDArray[np.float64] | None,
    labels: NDArray[Any] | None,
    max_thresholds: int | None,
    extra: AddedTests,
    where: str,
    *,
    only: NDArray[np.float64] | None = None,
) -> LearnedColumn:
    """Learn the tests of one column, and rank its values.

    Parameters
    ----------
    column : ndarray, CategoryColumn or TimeColumn
        The column, with the rows of positive weight.
    weight, labels, max_thresholds
        As in `learn_tests`, for these rows.
    extra : AddedTests
        Tests to add to those that are learned.
    where : str
        Name of the column, for errors.
    only : ndarray, optional
        The only thresholds to choose from, the best first.

    Returns
    -------
    LearnedColumn
        Its orders, with the ranks of the rows.
    """
    if not isinstance(column, CategoryColumn):
        return _learn_thresholds(column, weight, max_thresholds, extra.thresholds, only)
    if column.ordered:
        return learn_ordered_categories(column, weight, max_thresholds, extra.sets)
    return learn_categories(column, weight, labels, max_thresholds, extra.sets, where)


def describe(
    columns: Sequence[LearnedColumn], shown_names: tuple[str, ...] | None
) -> tuple[Columns, Orders, SearchSpace, tuple[Numbers, ...]]:
    """Return what was learned of all columns of a table together.

    Parameters
    ----------
    columns : sequence of LearnedColumn
        What was learned of each column.
    shown_names : tuple of str or None
        Names of the columns in words.

    Returns
    -------
    columns, orders, space, ranges
        As in `LearnedTests`.
    """
    names = column_names(shown_names, len(columns))
    orders = _joined([column.orders for column in columns])
    return (
        Columns(
            names,
            tuple(column.categories for column in columns),
            np.array([column.integral for column in columns]),
            np.array([column.binary for column in columns]),
            np.array([column.wide for column in columns]),
            np.array([column.ordered for column in columns]),
            tuple(column.time for column in columns),
            np.array([column.has_missing for column in columns]),
        ),
        orders,
        SearchSpace(
            names,
            tuple(np.bincount(orders.column, orders.cuts, len(columns)).astype(int).tolist()),
            tuple(column.possible for column in columns),
            tuple(column.n_tested for column in columns),
            tuple(column.n_categories for column in columns),
        ),
        tuple(column.range for column in columns),
    )


def _joined(by_column: list[list[RankedColumn]]) -> Orders:
    every = [order for orders in by_column for order in orders]
    return Orders(
        np.repeat(np.arange(len(by_column)), [len(orders) for orders in by_column]),
        [order.groups for order in every],
        np.array([order.missing_first for order in every], dtype=np.bool_),
        np.array([order.asks_if_missing for order in every], dtype=np.bool_),
        [order.low for order in every],
        [order.high for order in every],
        [order.time for order in every],
    )


def _ranked(
    by_column: list[list[RankedColumn]], orders: Orders, n_rows: int
) -> RankedRows | NDArray[np.uint8]:
    if len(orders) and (orders.cuts == 1).all():
        return np.ascontiguousarray(_stacked(by_column, len(orders), n_rows, np.uint8).T)
    return RankedRows(_stacked(by_column, len(orders), n_rows, np.uint32), orders.cuts)


def _stacked(
    by_column: list[list[RankedColumn]], n_orders: int, n_rows: int, kind: type
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


def _learn_thresholds(
    column: Numbers | TimeColumn,
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: list[tuple[float, int | None]],
    only: NDArray[np.float64] | None,
) -> LearnedColumn:
    """Choose the thresholds of a column of numbers or times, and rank its values between them."""
    numbers, time = (
        (column.numbers, column.kind) if isinstance(column, TimeColumn) else (column, None)
    )
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
        orders.append(RankedColumn(rank, low, high, asks_if_missing=True, time=time))
        if len(low):
            first = np.where(rank > len(low), np.uint32(0), rank)
            orders.append(RankedColumn(first, low, high, missing_first=True, time=time))
    elif len(low):
        orders.append(RankedColumn(rank, low, high, time=time))
    integral = values.dtype.kind != "f"
    return LearnedColumn(
        orders,
        2 * possible + 1 if has_missing and count else possible,
        values[[0, -1]] if count else values,
        integral=integral,
        binary=time is None
        and not has_missing
        and all(value in (0, 1) for value in values[:3].tolist()),
        wide=integral and bool(count) and max(-int(values[0]), int(values[-1])) > INTEGERS,
        time=time,
        has_missing=has_missing,
    )


def _best_cuts(values: Numbers, ordered: NDArray[np.float64], most: int | None) -> NDArray[np.intp]:
    """Return the first different cuts of thresholds that are ordered from the best to the worst."""
    at = np.searchsorted(values.astype(np.float64), ordered, side="right")
    at = at[(at > 0) & (at < len(values))] - 1
    _, first = np.unique(at, return_index=True)
    return np.sort(at[np.sort(first)[:most]])

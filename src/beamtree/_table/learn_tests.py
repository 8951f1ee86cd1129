"""From a table to the tests of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns, are_integral, category_codes, column_names
from beamtree._table.row_weights import positive_rows
from beamtree._table.split_tests import SplitTests
from beamtree._table.table import Table, float32_matrix
from beamtree._table.thresholds import midpoints, quantile_cuts
from beamtree._table.values import CategoryColumn
from beamtree._util.scalars import python_scalar

NONE = np.empty(0, dtype=np.float32)
NO_CATEGORY = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class AddedTests:
    """Tests of a column that somebody asks for, beside those that are learned.

    Parameters
    ----------
    thresholds : list of float
        Thresholds, of which any in the same place between two values will do.
    values : list
        Categories.
    """

    thresholds: list[float] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


class LearnedTests(NamedTuple):
    """What was learned from a table, and the table in numbers."""

    columns: Columns
    tests: SplitTests
    possible: NDArray[np.intp]
    """For every column the number of tests that there are, whether searched or not."""
    encoded: NDArray[np.float32]
    places: dict[int, NDArray[np.float64]]
    """Where thresholds were added: each as it is among the tests, or minus or plus infinity."""


def learn_tests(
    table: Table,
    weight: NDArray[np.float64] | None,
    max_thresholds: int | None,
    added: dict[int, AddedTests] | None = None,
    only: Sequence[NDArray[np.float64]] | None = None,
) -> LearnedTests:
    """Learn what the columns of a table are, and how they are tested.

    Parameters
    ----------
    table : Table
        The table.
    weight : ndarray of float64, shape (n_rows,), or None
        Weights of the rows; those of weight zero are dropped.
    max_thresholds : int or None
        Largest number of thresholds, or of categories, that are learned for a column; None for
        all.
    added : dict, optional
        By column, tests that are wanted as well.
    only : sequence of ndarray, optional
        For every column the thresholds that are wanted, the best first, in place of those between
        all values or of quantiles.

    Returns
    -------
    LearnedTests
        Columns, tests and the rows.
    """
    kept = positive_rows(weight)
    if weight is not None and kept is not None:
        weight = weight[kept]
    encoded = _encoded(table, kept)
    added = added or {}
    columns = [
        _column(table, j, encoded, kept, weight, max_thresholds, added.get(j), only)
        for j in range(table.shape[1])
    ]
    tests = SplitTests.join([column.thresholds for column in columns], [c.tested for c in columns])
    described = Columns(
        column_names(table.names, len(columns)),
        tuple(column.categories for column in columns),
        np.array([column.integral for column in columns]),
        np.array([column.binary for column in columns]),
    )
    places = {j: column.places for j, column in enumerate(columns) if len(column.places)}
    possible = np.array([column.possible for column in columns], dtype=np.intp)
    return LearnedTests(described, tests, possible, encoded, places)


def _encoded(table: Table, kept: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """Return the numbers of a table of numbers, or room for them."""
    if table.numbers is not None:
        matrix = float32_matrix(table)
        return matrix if kept is None else matrix[kept]
    n_rows = len(table) if kept is None else int(kept.sum())
    return np.empty((n_rows, table.shape[1]), dtype=np.float32, order="F")


class _Column(NamedTuple):
    """A column: its thresholds, and categories, of which some are tested."""

    thresholds: NDArray[np.float32]
    possible: int
    integral: bool = False
    binary: bool = False
    categories: NDArray[Any] | None = None
    tested: NDArray[np.intp] = NO_CATEGORY
    places: NDArray[np.float64] = NONE.astype(np.float64)


def _column(
    table: Table,
    j: int,
    encoded: NDArray[np.float32],
    kept: NDArray[np.bool_] | None,
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: AddedTests | None,
    only: Sequence[NDArray[np.float64]] | None,
) -> _Column:
    """Learn a column, and leave it in the matrix."""
    added = added or AddedTests()
    if table.numbers is None:
        column = table.column(j)
        if isinstance(column, CategoryColumn):
            if kept is not None:
                column = _used(CategoryColumn(column.codes[kept], column.values))
            learned = _categories(column, weight, most, added.values)
            assert learned.categories is not None
            encoded[:, j] = category_codes(column, learned.categories, table.where(j))
            return learned
        encoded[:, j] = column if kept is None else column[kept]
    wanted = None if only is None else only[j]
    return _numbers(encoded[:, j], weight, most, np.array(added.thresholds), wanted)


def _used(column: CategoryColumn) -> CategoryColumn:
    """Leave out categories that no row has any more."""
    used = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values)) > 0
    place = np.append(np.cumsum(used) - 1, -1)
    values = [value for value, one in zip(column.values, used, strict=True) if one]
    return CategoryColumn(place[column.codes], values)


def _numbers(
    x: NDArray[np.float32],
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: NDArray[np.float64],
    only: NDArray[np.float64] | None,
) -> _Column:
    missing = np.isnan(x)
    has_missing = bool(missing.any())
    known = x[~missing] if has_missing else x
    values, count = np.unique(known, return_counts=True)
    possible = max(len(values) - 1, 0)
    if only is not None:
        cuts = _ordered_cuts(values, only, most)
    elif most is None or possible <= most:
        cuts = np.arange(possible)
    else:
        heavy = count.astype(np.float64)
        if weight is not None:
            inside = weight[~missing] if has_missing else weight
            starts = np.cumsum(count) - count
            heavy = np.add.reduceat(inside[np.argsort(known)], starts)
        cuts = quantile_cuts(heavy, most)
    middle = midpoints(values)
    at = np.searchsorted(values.astype(np.float64), added, side="right")
    inner = (at > 0) & (at < len(values))
    cuts = np.union1d(cuts, at[inner] - 1)
    places = np.where(at == 0, -np.inf, np.inf)
    places[inner] = middle[at[inner] - 1]
    asks = has_missing and len(values) > 0
    thresholds = np.append(middle[cuts], np.float32(np.inf)) if asks else middle[cuts]
    binary = not has_missing and bool(np.isin(values, (0, 1)).all())
    return _Column(thresholds, possible + asks, are_integral(values), binary, places=places)


def _ordered_cuts(
    values: NDArray[np.float32], wanted: NDArray[np.float64], most: int | None
) -> NDArray[np.intp]:
    """Return the first cuts at which wanted thresholds are."""
    at = np.searchsorted(values.astype(np.float64), wanted, side="right")
    at = at[(at > 0) & (at < len(values))] - 1
    _, first = np.unique(at, return_index=True)
    return np.sort(at[np.sort(first)[:most]])


def _categories(
    column: CategoryColumn,
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: Iterable[Any],
) -> _Column:
    """Choose the categories that are kept, and those of them that are tested."""
    known = column.codes >= 0
    has_missing = not known.all()
    count = len(column.values)
    # Of two categories one test tells all. With one category, whether it is missing does.
    alone = count == 1 or (count == 2 and not has_missing)
    needed = count - 1 if alone else count
    kept = np.arange(count)
    if most is not None and needed > most:
        inside = None if weight is None else weight[known]
        heavy = np.bincount(column.codes[known], weights=inside, minlength=count)
        chosen = np.argsort(-heavy, kind="stable")[:most]
        position = {value: code for code, value in enumerate(column.values)}
        wanted = [position[value] for value in added if value in position]
        kept = np.union1d(chosen, np.array(wanted, dtype=np.intp))
    categories = np.empty(len(kept), dtype=object)
    categories[:] = [python_scalar(column.values[code]) for code in kept.tolist()]
    tested = np.arange(len(kept))[1:] if alone else np.arange(len(kept))
    asks = has_missing and count > 0
    thresholds = np.array([np.inf], dtype=np.float32) if asks else NONE
    return _Column(thresholds, needed + asks, categories=categories, tested=tested)

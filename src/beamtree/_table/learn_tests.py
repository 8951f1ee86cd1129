"""Learning the columns of a table, and the tests that split them."""

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
from beamtree._table.values import CategoryColumn, Column
from beamtree._util.scalars import python_scalar

NO_THRESHOLDS = np.empty(0, dtype=np.float32)
NO_CATEGORIES = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class AddedTests:
    """Tests of a column that are added to those that are learned.

    Parameters
    ----------
    thresholds : list of float
        Thresholds. Any other threshold between the same two values may replace them.
    values : list
        Categories.
    """

    thresholds: list[float] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


class LearnedTests(NamedTuple):
    """The columns of a table and their tests, with the rows of positive weight.

    Parameters
    ----------
    columns : Columns
        The columns.
    tests : SplitTests
        The tests.
    possible : ndarray of intp, shape (n_columns,)
        Number of tests that each column would have without a limit.
    encoded : ndarray of float32, shape (n_kept_rows, n_columns)
        The rows of positive weight, as `Columns.encode` returns them.
    weight : ndarray of float64, shape (n_kept_rows,), or None
        Their weights.
    kept : ndarray of bool, shape (n_rows,), or None
        Which rows of the table have a positive weight; None if all of them have.
    equivalents : dict
        For every column with added thresholds, the threshold among the tests that replaces each of
        them. It is minus or plus infinity if the added threshold is below or above all values.
    """

    columns: Columns
    tests: SplitTests
    possible: NDArray[np.intp]
    encoded: NDArray[np.float32]
    weight: NDArray[np.float64] | None
    kept: NDArray[np.bool_] | None
    equivalents: dict[int, NDArray[np.float64]]

    def keep(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the elements that belong to rows of positive weight, given one per row."""
        return values if self.kept is None else values[self.kept]


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
        Largest number of thresholds, or of categories, that are learned for a column; None for no
        limit.
    added : dict, optional
        By column, tests to add to those that are learned.
    only : sequence of ndarray, optional
        For every column the only thresholds to choose from, the best first. By default these are
        the thresholds between all neighbouring values, or quantiles if there are too many.

    Returns
    -------
    LearnedTests
        The columns, the tests and the encoded rows.
    """
    kept = positive_rows(weight)
    if weight is not None and kept is not None:
        weight = weight[kept]
    encoded = _encoded_numbers(table, kept)
    columns = []
    for j in range(table.shape[1]):
        extra = AddedTests() if added is None else added.get(j, AddedTests())
        if table.numbers is None:
            column = _kept_rows(table.column(j), kept)
            if isinstance(column, CategoryColumn):
                learned = _learn_categories(column, weight, max_thresholds, extra.values)
                assert learned.categories is not None
                encoded[:, j] = category_codes(column, learned.categories, table.where(j))
                columns.append(learned)
                continue
            encoded[:, j] = column
        candidates = None if only is None else only[j]
        thresholds = np.array(extra.thresholds)
        columns.append(
            _learn_thresholds(encoded[:, j], weight, max_thresholds, thresholds, candidates)
        )
    return LearnedTests(
        Columns(
            column_names(table.names, len(columns)),
            tuple(column.categories for column in columns),
            np.array([column.integral for column in columns]),
            np.array([column.binary for column in columns]),
        ),
        SplitTests.join([column.thresholds for column in columns], [c.tested for c in columns]),
        np.array([column.possible for column in columns], dtype=np.intp),
        encoded,
        weight,
        kept,
        {j: column.equivalents for j, column in enumerate(columns) if len(column.equivalents)},
    )


def _encoded_numbers(table: Table, kept: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """Return the matrix of a table of numbers, or an empty matrix of the right size."""
    if table.numbers is not None:
        matrix = float32_matrix(table)
        return matrix if kept is None else matrix[kept]
    n_rows = len(table) if kept is None else int(kept.sum())
    return np.empty((n_rows, table.shape[1]), dtype=np.float32, order="F")


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
    """The tests of one column: its thresholds, and which of its categories are tested."""

    thresholds: NDArray[np.float32]
    possible: int
    integral: bool = False
    binary: bool = False
    categories: NDArray[Any] | None = None
    tested: NDArray[np.intp] = NO_CATEGORIES
    equivalents: NDArray[np.float64] = NO_THRESHOLDS.astype(np.float64)


def _learn_thresholds(
    x: NDArray[np.float32],
    weight: NDArray[np.float64] | None,
    most: int | None,
    added: NDArray[np.float64],
    only: NDArray[np.float64] | None,
) -> _LearnedColumn:
    """Choose the thresholds of a column of numbers."""
    missing = np.isnan(x)
    has_missing = bool(missing.any())
    known = x[~missing] if has_missing else x
    values, count = np.unique(known, return_counts=True)
    possible = max(len(values) - 1, 0)
    if only is not None:
        cuts = _best_cuts(values, only, most)
    elif most is None or possible <= most:
        cuts = np.arange(possible)
    else:
        value_weight = count.astype(np.float64)
        if weight is not None:
            known_weight = weight[~missing] if has_missing else weight
            starts = np.cumsum(count) - count
            value_weight = np.add.reduceat(known_weight[np.argsort(known)], starts)
        cuts = quantile_cuts(value_weight, most)
    middle = midpoints(values)
    # at[k] is the number of values that are at most the added threshold k.
    at = np.searchsorted(values.astype(np.float64), added, side="right")
    inner = (at > 0) & (at < len(values))
    cuts = np.union1d(cuts, at[inner] - 1)
    equivalents = np.where(at == 0, -np.inf, np.inf)
    equivalents[inner] = middle[at[inner] - 1]
    tests_missing = has_missing and len(values) > 0
    thresholds = np.append(middle[cuts], np.float32(np.inf)) if tests_missing else middle[cuts]
    binary = not has_missing and bool(np.isin(values, (0, 1)).all())
    return _LearnedColumn(
        thresholds,
        possible + tests_missing,
        are_integral(values),
        binary,
        equivalents=equivalents,
    )


def _best_cuts(
    values: NDArray[np.float32], ordered: NDArray[np.float64], most: int | None
) -> NDArray[np.intp]:
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
    if most is not None and possible > most:
        known_weight = None if weight is None else weight[known]
        category_weight = np.bincount(column.codes[known], weights=known_weight, minlength=count)
        heaviest = np.argsort(-category_weight, kind="stable")[:most]
        position = {value: code for code, value in enumerate(column.values)}
        wanted = [position[value] for value in added if value in position]
        kept = np.union1d(heaviest, np.array(wanted, dtype=np.intp))
    categories = np.empty(len(kept), dtype=object)
    categories[:] = [python_scalar(column.values[code]) for code in kept.tolist()]
    tested = np.arange(len(kept))[1:] if one_less else np.arange(len(kept))
    tests_missing = has_missing and count > 0
    thresholds = np.array([np.inf], dtype=np.float32) if tests_missing else NO_THRESHOLDS
    return _LearnedColumn(
        thresholds, possible + tests_missing, categories=categories, tested=tested
    )

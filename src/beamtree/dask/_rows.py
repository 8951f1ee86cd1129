"""The rows of a collection as ranks: made where the partition is, merged, and sent here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.native import holds_bits
from beamtree._table.columns import Columns
from beamtree._table.learn_tests import AddedTests, describe
from beamtree._table.learned_column import LearnedColumn
from beamtree._table.orders import Groups, Orders, positions_of, rank_in_groups
from beamtree._table.ranks import RankedRows
from beamtree._table.training_data import NO_CODES, TrainingData, binary_training_data
from beamtree._table.values import Numbers, known_rows
from beamtree.dask._collections import Chunk
from beamtree.dask._columns import CollectionColumns, Targets, chunk_weight
from beamtree.dask._distinct import RowLayout, distinct_records, merge_records


class ExactRank(NamedTuple):
    """How the values of training rows are ranked in one order.

    Parameters
    ----------
    column : int
        The column of the order.
    groups : tuple or None
        The groups of an order of categories, as in `Orders`.
    high : ndarray
        The values above the cuts of an order of numbers, increasing.
    missing : int
        The rank of missing values.
    """

    column: int
    groups: Groups | None
    high: Numbers
    missing: int

    def rank(self, values: NDArray[Any]) -> NDArray[np.integer[Any]]:
        """Return the ranks of an encoded column, all of whose values were learned."""
        if self.groups is not None:
            return rank_in_groups(positions_of(values), self.groups, self.missing)
        plain = np.ma.getdata(values)
        if plain.dtype.kind in "iu" and self.high.dtype.kind in "iu":
            plain = plain.astype(self.high.dtype, copy=False)
        rank = np.searchsorted(self.high, plain, side="right")
        known = known_rows(values)
        if known is not None:
            rank[~known] = self.missing
        return rank


def exact_ranks(orders: Orders) -> list[ExactRank]:
    """Return how values are ranked in each order.

    Parameters
    ----------
    orders : Orders
        The orders.

    Returns
    -------
    list of ExactRank
        One for each order.
    """
    return [
        ExactRank(
            int(orders.column[k]),
            orders.groups[k],
            orders.high[k],
            0 if orders.missing_first[k] else int(orders.cuts[k]),
        )
        for k in range(len(orders))
    ]


class RankedChunks(NamedTuple):
    """The task that ranks the rows of a partition, and merges equal rows.

    Parameters
    ----------
    columns : Columns
        The columns.
    ranks : list of ExactRank
        How they are ranked.
    layout : RowLayout
        How ranks, classes, numbers and weights are packed.
    targets : Targets
        What is predicted.
    """

    columns: Columns
    ranks: list[ExactRank]
    layout: RowLayout
    targets: Targets

    def __call__(self, chunk: Chunk) -> Any:
        """Return the distinct rows of positive weight, or None if no row has one."""
        weight, X, y = chunk_weight(chunk), chunk.X, chunk.y
        if weight is not None and not weight.all():
            kept = weight > 0.0
            if not kept.any():
                return None
            weight, X, y = weight[kept], X[kept], y[kept]
        encoded = self.columns.encode(X)
        integers: list[NDArray[Any]] = [one.rank(encoded[one.column]) for one in self.ranks]
        target = self.targets.codes(y)
        floats = [] if weight is None else [weight]
        if self.targets.numbers:
            floats.insert(0, target)
        else:
            integers.append(target)
        return distinct_records(self.layout.pack(integers, floats))


def _ranked(chunk: Chunk, shared: RankedChunks) -> Any:
    return shared(chunk)


def gather_rows(
    columns: CollectionColumns,
    learned: Sequence[LearnedColumn],
    added: dict[int, AddedTests],
    *,
    may_count: bool,
) -> TrainingData:
    """Rank the rows of collections, and collect those that are different.

    Parameters
    ----------
    columns : CollectionColumns
        The columns of the collections.
    learned : sequence of LearnedColumn
        Their tests.
    added : dict
        By column, the tests that were added.
    may_count : bool
        Whether a row may stand for several equal rows, if a search holds rows as bits.

    Returns
    -------
    TrainingData
        The rows of positive weight, sorted by their ranks, their labels and their weights.
    """
    table, targets = columns.table, columns.targets
    described, orders, space, ranges = describe(learned, table.shown_names)
    if columns.are_binary:
        described = Columns.all_binary(table.shown_names, columns.n_columns)
        orders = Orders.all_binary(columns.n_columns)
    cuts = orders.cuts
    classes = [] if targets.numbers else [max(len(targets.classes) - 1, 0)]
    layout = RowLayout([*cuts.tolist(), *classes], targets.numbers + targets.weighted)
    task = RankedChunks(described, exact_ranks(orders), layout, targets)
    row, count = columns.rows.reduce(_ranked, merge_records, shared=task)
    counted = may_count and not targets.numbers and search_holds_bits(cuts)
    if not counted:
        row, count = np.repeat(row, count), np.ones(int(count.sum()), dtype=np.int64)
    weight = layout.float(row, int(targets.numbers)) if targets.weighted else None
    numbers = layout.float(row, 0) if targets.numbers else None
    codes = NO_CODES
    if not targets.numbers:
        codes = layout.integer(row, len(orders)).astype(np.int32)
    more: dict[str, Any] = {
        "names": table.names,
        "numbers": numbers,
        "count": count if counted and not (count == 1).all() else None,
    }
    X = _matrix(row, layout, cuts)
    if columns.are_binary:
        assert isinstance(X, np.ndarray)
        data = binary_training_data(X, codes, weight, targets.classes, table.shown_names)
        return replace(data, **more)
    return TrainingData(
        X=X,
        codes=codes,
        sample_weight=weight,
        classes=targets.classes,
        columns=described,
        orders=orders,
        ranges=ranges,
        space=space,
        added=added,
        is_shared=False,
        **more,
    )


def search_holds_bits(cuts: NDArray[np.int32]) -> bool:
    """Return whether a search will hold rows as columns of bits.

    Parameters
    ----------
    cuts : ndarray of int32, shape (n_orders,)
        The number of cuts of each order.

    Returns
    -------
    bool
        Whether it does, if labels are predicted.
    """
    return holds_bits(RankedRows(np.empty((len(cuts), 0), dtype=np.uint32), cuts), {})


def _matrix(
    row: NDArray[np.bytes_], layout: RowLayout, cuts: NDArray[np.int32]
) -> RankedRows | NDArray[np.uint8]:
    """Return the ranks of records, as zeros and ones if every order has one cut."""
    if len(cuts) and (cuts == 1).all():
        table = np.empty((len(row), len(cuts)), dtype=np.uint8)
        for k in range(len(cuts)):
            table[:, k] = layout.integer(row, k)
        return table
    rank = np.empty((len(cuts), len(row)), dtype=np.uint32)
    for k in range(len(cuts)):
        rank[k] = layout.integer(row, k)
    return RankedRows(rank, cuts)

"""The rows of a collection as ranks: made where the partition is, merged, and sent here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        """Return the distinct rows of positive weight, or None if there is none."""
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
    nothing = RankedRows(np.empty((len(orders), 0), dtype=np.uint32), cuts)
    counted = may_count and not targets.numbers and holds_bits(nothing, {})
    times = None if counted or (count == 1).all() else count

    def every(values: NDArray[Any]) -> NDArray[Any]:
        return values if times is None else np.repeat(values, times)

    def ranks() -> Iterator[NDArray[Any]]:
        return (every(layout.integer(row, k)) for k in range(len(orders)))

    n_rows = len(row) if times is None else int(count.sum())
    floats = [every(layout.float(row, k)) for k in range(targets.numbers + targets.weighted)]
    weight = floats.pop() if targets.weighted else None
    numbers = floats.pop() if targets.numbers else None
    codes = NO_CODES
    if not targets.numbers:
        codes = every(layout.integer(row, len(orders))).astype(np.int32)
    X: RankedRows | NDArray[np.uint8]
    if len(orders) and (cuts == 1).all():
        X = np.empty((n_rows, len(orders)), dtype=np.uint8)
        for k, rank in enumerate(ranks()):
            X[:, k] = rank
    else:
        every_rank = np.empty((len(orders), n_rows), dtype=np.uint32)
        for k, rank in enumerate(ranks()):
            every_rank[k] = rank
        X = RankedRows(every_rank, cuts)
    more: dict[str, Any] = {
        "names": table.names,
        "numbers": numbers,
        "count": count if counted and not (count == 1).all() else None,
    }
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

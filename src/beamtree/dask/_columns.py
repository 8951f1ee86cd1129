"""What the columns of a collection have: their tests are learned in passes over the partitions.

A pass merges the distinct cells of some columns. With their counts as weights, they are read and
learned as a column in memory is, so that the tests are those of a fit on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from beamtree._table.features import open_features
from beamtree._table.labels import checked_labels, encode_labels, first_missing_label
from beamtree._table.learn_tests import AddedTests, learn_column
from beamtree._table.learned_column import LearnedColumn
from beamtree._table.table import Table, open_table
from beamtree._table.targets import checked_numbers
from beamtree._table.training_data import NO_CLASSES, zeros_and_ones
from beamtree._table.values import Column, rows_of_column
from beamtree.dask._collections import Chunk, Collections
from beamtree.dask._distinct import Cells, distinct_cells, merge_cells

# A pass reads as many columns at once as have together about this many cells, so that the distinct
# ones fit into memory even if all of them are different.
CELLS_OF_A_PASS = 1 << 22
# The number of labels of one class after which their number does not matter to the checks.
ENOUGH = 3
NO_RANKS = np.empty(0, dtype=np.uint32)


class Targets(NamedTuple):
    """What is to be predicted.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted; empty if there are numbers.
    n_rows : ndarray of int64, shape (n_classes,)
        Number of rows of each label.
    numbers : bool
        Whether there are numbers instead.
    weighted : bool
        Whether rows have weights.
    owner : str
        Name of the estimator, for errors.
    """

    classes: NDArray[Any]
    n_rows: NDArray[np.int64]
    numbers: bool
    weighted: bool
    owner: str

    def codes(self, y: Any) -> NDArray[Any]:
        """Return the classes of the rows of a partition, or their numbers."""
        if self.numbers:
            return checked_numbers(y, len(y), self.owner) + 0.0
        return np.searchsorted(self.classes, np.asarray(y)).astype(np.int32)


def chunk_weight(chunk: Chunk) -> NDArray[np.float64] | None:
    """Return the weights of the rows of a partition, after checking them.

    Parameters
    ----------
    chunk : Chunk
        The rows.

    Returns
    -------
    ndarray of float64, shape (n_rows,), or None
        The weights, at least 0; None if no weights were given.
    """
    if chunk.weight is None:
        return None
    # With one more weight, because other partitions may have the rows of positive weight.
    given = np.append(np.broadcast_to(np.asarray(chunk.weight), len(chunk.X)), 1)
    weight: NDArray[np.float64] = _check_sample_weight(
        given, np.empty(len(given)), dtype=np.float64, ensure_non_negative=True
    )
    return weight[:-1] + 0.0


class CollectionColumns:
    """The columns of a collection, and what its rows predict.

    Parameters
    ----------
    rows : Collections
        The collections.
    owner : estimator
        The estimator, which gets the attributes ``n_features_in_`` and ``feature_names_in_``.
    numbers : bool
        Whether numbers are predicted instead of labels.
    weighted : bool
        Whether rows have weights.

    Attributes
    ----------
    targets : Targets
        What is to be predicted.
    n_rows : int
        Number of rows, also those of weight zero.
    are_binary : bool
        Whether the table has only zeros and ones; known after the first pass.
    """

    def __init__(self, rows: Collections, owner: Any, *, numbers: bool, weighted: bool) -> None:
        self.rows = rows
        self._example = open_features(rows.example, owner, reset=True)
        self.n_columns = self._example.shape[1]
        name = type(owner).__name__
        self.targets, self.n_rows = _read_targets(rows, name, numbers=numbers, weighted=weighted)
        self.are_binary = self._example.numbers is not None
        self._first: dict[int, Column] = {}
        self._learned: dict[tuple[int, int | None], LearnedColumn] = {}

    @property
    def table(self) -> Table:
        """A table with the names and the types of the columns, of which only a row is in memory."""
        shape = (self.n_rows, self.n_columns)
        example = self._example
        return Table(
            shape, example.names, lambda j, _: self._first[j], shown_names=example.shown_names
        )

    def learn(self, most: int | None, added: dict[int, AddedTests]) -> list[LearnedColumn]:
        """Learn the tests of all columns, in as few passes as possible.

        Parameters
        ----------
        most : int or None
            Largest number of thresholds or of categories of a column; None for all.
        added : dict
            By column, tests to add to those that are learned.

        Returns
        -------
        list of LearnedColumn
            The tests of each column, without ranks of rows.
        """
        new = {
            j: AddedTests() for j in range(self.n_columns) if (j, most) not in self._learned
        } | added
        found = {}

        def learn_one(j: int, column: Column, cells: Cells) -> None:
            kept, weight, labels = self._parts(j, cells)
            learned = learn_column(
                rows_of_column(column, kept), weight, labels, most, new[j], self._example.where(j)
            )
            found[j] = _without_ranks(learned)
            if j not in added:
                self._learned[j, most] = found[j]

        self.visit(sorted(new), learn_one)
        return [found[j] if j in found else self._learned[j, most] for j in range(self.n_columns)]

    def visit(
        self,
        columns: Sequence[int],
        visitor: Callable[[int, Column, Cells], object],
        *,
        with_classes: bool = False,
        leaf_of: Any = None,
    ) -> None:
        """Pass over the partitions, and show the distinct cells of columns one by one.

        Parameters
        ----------
        columns : sequence of int
            The columns.
        visitor : callable
            Is called with the number of a column, the column as it is read from its distinct
            cells, and these.
        with_classes : bool, default=False
            Whether the classes are keys of the cells of all columns, and not only of those that
            may be categories.
        leaf_of : object, default=None
            Has a method that takes a chunk and returns an integer for each row, which is a key of
            the cells, too, and ``columns``, which it needs.
        """
        at_once = max(CELLS_OF_A_PASS // self.n_rows, 1)
        for start in range(0, len(columns), at_once):
            some = list(columns[start : start + at_once])
            keyed = [with_classes or self._may_be_categories(j) for j in some]
            tested = [] if leaf_of is None else leaf_of.columns
            needed = list(dict.fromkeys([*some, *tested]))
            places = [needed.index(j) for j in tested]
            names = [self._example.where(j) for j in some]
            task = _DistinctColumns(self.targets, names, keyed, leaf_of, places)
            parts = self.rows.reduce(task, _merge_columns, needed)
            for j in some:
                cells = parts.pop(0)
                opened = open_table(_one_column(cells.value, self.rows.example))
                column = opened.column(0, self._example.where(j))
                if j not in self._first:
                    self._first[j] = rows_of_column(column, np.arange(1))
                    numbers = opened.numbers
                    if numbers is None or zeros_and_ones(numbers) is None:
                        self.are_binary = False
                visitor(j, column, cells)

    def _may_be_categories(self, j: int) -> bool:
        example = self.rows.example
        dtype = example.dtype if isinstance(example, np.ndarray) else example.dtypes.iloc[j]
        return not isinstance(dtype, np.dtype) or dtype.kind not in "biufMm"

    def _parts(
        self, j: int, cells: Cells
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None, NDArray[Any] | None]:
        """Return which cells have a positive weight, their weights, and their labels."""
        labels = cells.keys[0] if self._may_be_categories(j) else None
        weight = cells.keys[-1] if self.targets.weighted else None
        kept = np.arange(len(cells.n_rows)) if weight is None else np.flatnonzero(weight > 0.0)
        count = cells.n_rows[kept]
        if weight is not None and not (weight == np.rint(weight)).all():
            kept = np.repeat(kept, count)  # sums of their products would be rounded differently
            weight = weight[kept]
        elif labels is not None and self.targets.numbers:
            kept = np.repeat(kept, count)
            weight = None if weight is None else weight[kept]
        else:
            weight = count.astype(np.float64) if weight is None else weight[kept] * count
        return kept, weight, None if labels is None else labels[kept]


def _read_targets(
    rows: Collections, owner: str, *, numbers: bool, weighted: bool
) -> tuple[Targets, int]:
    """Return what is to be predicted, and the number of rows."""
    labels = rows.reduce(_DistinctLabels(owner, numbers=numbers), _merge_labels, columns=[0])
    if labels is None:
        msg = "X must have at least one row, got partitions without any"
        raise ValueError(msg)
    if weighted and labels.heaviest == 0.0:
        msg = "sample_weight must have a positive value, got zeros only"
        raise ValueError(msg)
    cells = labels.cells
    if numbers:
        nothing = np.empty(0, dtype=np.int64)
        return Targets(NO_CLASSES, nothing, numbers, weighted, owner), labels.n_rows
    few = np.repeat(cells.value, np.minimum(cells.n_rows, ENOUGH))
    classes, codes = encode_labels(checked_labels(few, len(few), owner))
    counts = np.zeros(len(classes), dtype=np.int64)
    firsts = np.cumsum(np.minimum(cells.n_rows, ENOUGH)) - 1
    np.add.at(counts, codes[firsts], cells.n_rows)
    return Targets(classes, counts, numbers, weighted, owner), labels.n_rows


class _Labels(NamedTuple):
    cells: Cells
    n_rows: int
    heaviest: float


class _DistinctLabels:
    """The task that finds the labels of a partition, and checks labels, numbers and weights."""

    def __init__(self, owner: str, *, numbers: bool) -> None:
        self._owner, self._numbers = owner, numbers

    def __call__(self, chunk: Chunk, shared: None) -> _Labels:  # noqa: ARG002
        weight = chunk_weight(chunk)
        heaviest = 1.0 if weight is None else float(weight.max())
        if self._numbers:
            checked_numbers(chunk.y, len(chunk.y), self._owner)
            values: NDArray[Any] = np.zeros(len(chunk.y))
        else:
            missing = first_missing_label(chunk.y)
            if missing is not None:
                msg = (
                    f"y must have a label in every row, and the label of row {missing} of a "
                    f"partition is missing"
                )
                raise ValueError(msg)
            values = np.asarray(chunk.y)
        return _Labels(distinct_cells(values, ()), len(chunk.y), heaviest)


def _merge_labels(parts: Sequence[_Labels]) -> _Labels:
    return _Labels(
        merge_cells([part.cells for part in parts]),
        sum(part.n_rows for part in parts),
        max(part.heaviest for part in parts),
    )


class _DistinctColumns:
    """The task that finds the distinct cells of the first columns of a partition.

    If there is a `leaf_of`, the columns that it needs are at the given places.
    """

    def __init__(
        self,
        targets: Targets,
        names: list[str],
        keyed: list[bool],
        leaf_of: Any,
        places: list[int],
    ) -> None:
        self._targets, self._names, self._keyed = targets, names, keyed
        self._leaf_of, self._places = leaf_of, places

    def __call__(self, chunk: Chunk, shared: None) -> list[Cells]:  # noqa: ARG002
        codes = self._targets.codes(chunk.y)
        weight = chunk_weight(chunk)
        weights = () if weight is None else (weight,)
        leaves: tuple[NDArray[Any], ...] = ()
        if self._leaf_of is not None:
            leaves = (self._leaf_of.leaves(_some_columns(chunk.X, self._places)),)
        found = []
        for i, (name, keyed) in enumerate(zip(self._names, self._keyed, strict=True)):
            keys = ((codes,) if keyed else ()) + leaves + weights
            found.append(_cells_of(_raw_column(chunk.X, i), keys, name))
        return found


def _cells_of(value: Any, keys: tuple[NDArray[Any], ...], where: str) -> Cells:
    try:
        return distinct_cells(value, keys)
    except TypeError:  # a value without a hash; the reader of tables says which one
        open_table(_one_column(value, value)).column(0, where)
        raise


def _merge_columns(parts: Sequence[list[Cells]]) -> list[Cells]:
    return [merge_cells(cells) for cells in zip(*parts, strict=True)]


def _raw_column(X: Any, i: int) -> Any:
    if isinstance(X, np.ndarray):
        if isinstance(X, np.ma.MaskedArray):
            msg = "X must be an Array without masks, got masked arrays: fill them with NaN"
            raise ValueError(msg)
        return np.ascontiguousarray(X[:, i])
    series = X.iloc[:, i]
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series


def _some_columns(X: Any, places: list[int]) -> Any:
    return X[:, places] if isinstance(X, np.ndarray) else X.iloc[:, places]


def _one_column(value: Any, example: Any) -> Any:
    """Return a table of one column, of the library of the example."""
    if isinstance(example, np.ndarray):
        return value[:, np.newaxis]
    import pandas as pd

    return pd.DataFrame({0: value})


def _without_ranks(learned: LearnedColumn) -> LearnedColumn:
    return learned._replace(orders=[order._replace(rank=NO_RANKS) for order in learned.orders])

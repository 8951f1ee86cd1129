"""The problem of a certificate, and its statement in the header of the file."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._certificate.claims import CertifiedProblem
from beamtree._engine.class_weight import factors_of
from beamtree._engine.engine import Engine
from beamtree._engine.regression import as_ranks
from beamtree._table.columns import Columns
from beamtree._table.orders import Groups, positions_of, rank_in_groups
from beamtree._table.row_weights import checked_weight
from beamtree._table.times import NOUNS
from beamtree._table.training_data import TrainingData
from beamtree._table.values import known_rows

FORMAT = "beamtree certificate, version 1"
# Cells that stand for missing values in files that other programs write.
MISSING = ("", "nan", "NaN", "NaT", "None", "<NA>")
# The checker adds up costs as doubles.
MOST_COST = 2**53


class TableNames(NamedTuple):
    """What a file with the table calls that which is not in the columns of X.

    Parameters
    ----------
    target : str, default="y"
        The column of what is predicted.
    weight : str, default="weight"
        The column of the sample weights, if there are some.
    missing : sequence of str, optional
        The cells that stand for missing values.
    """

    target: str = "y"
    weight: str = "weight"
    missing: Sequence[str] = MISSING


def table_names(
    y: Any,
    sample_weight: Any,
    target: str | None = None,
    weight: str | None = None,
    missing: Sequence[str] | None = None,
) -> TableNames:
    """Return the names that are given, and otherwise those that the data have.

    Parameters
    ----------
    y, sample_weight : array-like
        The data; a Series of pandas or polars may have a name.
    target, weight, missing
        The fields of `TableNames`, or None.

    Returns
    -------
    TableNames
        The names.
    """
    return TableNames(
        target or _name_of(y, TableNames().target),
        weight or _name_of(sample_weight, TableNames().weight),
        MISSING if missing is None else tuple(missing),
    )


def _name_of(values: Any, default: str) -> str:
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else default


class RawRows(NamedTuple):
    """The rows as the user gave them.

    Parameters
    ----------
    columns : sequence of ndarray
        The columns of X, as `Columns.encode` returns them.
    weight : ndarray of float64, shape (n_rows,), or None
        The sample weights.
    """

    columns: Sequence[NDArray[Any]]
    weight: NDArray[np.float64] | None

    @classmethod
    def of(cls, columns: Columns, X: Any, sample_weight: Any) -> Self:
        """Return the rows of a table.

        Parameters
        ----------
        columns : Columns
            Its columns.
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            The table.
        sample_weight : array-like of shape (n_rows,), number or None
            The sample weights, which have been checked.

        Returns
        -------
        RawRows
            The rows.
        """
        encoded = columns.encode(X)
        return cls(encoded, checked_weight(sample_weight, len(encoded[0])))


class _Line(NamedTuple):
    """One line of ranks, as the checker numbers them.

    Parameters
    ----------
    rank : ndarray of int32, shape (n_rows,)
        The ranks without gaps.
    tests : ndarray of int64, shape (n_ranks,)
        The test of the search that holds up to each rank. That of the last rank always holds.
    """

    rank: NDArray[np.int32]
    tests: NDArray[np.int64]


class Statement:
    """The problem of a search, as a certificate states it.

    Parameters
    ----------
    engine : Engine
        The search.
    data : TrainingData
        Its rows.
    raw : RawRows
        The same rows as the user gave them, and those of weight zero.

    Attributes
    ----------
    problem : CertifiedProblem
        The problem, for the claims.
    """

    problem: CertifiedProblem

    def __init__(self, engine: Engine, data: TrainingData, raw: RawRows) -> None:
        self._engine, self._data, self._raw = engine, data, raw
        self._stated = engine.state()
        self._columns = [
            j for j in range(len(data.columns.names)) if (data.orders.column == j).any()
        ] or [0]
        kept = slice(None) if raw.weight is None else np.flatnonzero(raw.weight > 0)
        self._encoded = {j: raw.columns[j][kept] for j in self._columns}
        count = len(self._encoded[self._columns[0]])
        self._weights = np.ones(count) if raw.weight is None else raw.weight[kept]
        rank = as_ranks(self._stated.X).rank
        self._lines = [line for j in self._columns for line in self._lines_of(j, rank)]
        self.problem = self._problem()

    def _lines_of(self, j: int, rank: NDArray[np.uint32]) -> list[_Line]:
        """Return the ranks of a column, in all orders that the checker makes of it."""
        orders = self._data.orders
        lines = []
        for order in np.flatnonzero(orders.column == j).tolist():
            seen = np.zeros(int(orders.cuts[order]) + 1, dtype=np.bool_)
            seen[rank[order]] = True
            place = (np.cumsum(seen, dtype=np.int32) - 1)[rank[order]]
            lines.append(_Line(place, int(orders.first[order]) + np.flatnonzero(seen)))
        if self._data.columns.categories[j] is None:
            known = known_rows(self._encoded[j])
            wanted = 1 if known is None or known.all() else 2
        else:
            wanted = max(len(lines), 1)
        constant = _Line(np.zeros(rank.shape[1], dtype=np.int32), np.zeros(1, dtype=np.int64))
        return [*lines, *[constant] * (wanted - len(lines))]

    def _problem(self) -> CertifiedProblem:
        stated = self._stated
        ranks = np.array([line.rank for line in self._lines])
        # Rows are grouped by hashes. If two were equal by chance, the checker would say so.
        random = np.random.default_rng(0).integers(0, 2**63, len(ranks), dtype=np.uint64)
        keys = np.zeros(ranks.shape[1], dtype=np.uint64)
        for line, factor in zip(ranks, random, strict=True):
            keys += line.astype(np.uint64) * factor
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        n_groups, problem, weight = len(first), stated.problem, stated.problem.weight
        counts = stated.row_count
        if counts is None:
            counts = np.ones(len(weight), dtype=np.int64)

        def added(values: NDArray[Any]) -> NDArray[np.int64]:
            found = np.zeros(n_groups, dtype=np.int64)
            np.add.at(found, group, values)
            return found

        if stated.n_classes:
            right = np.array(
                [added(np.where(stated.y == k, weight, 0)) for k in range(stated.n_classes)]
            )
            sums = problem.unit * (right.sum(axis=0) - right)
            cancelled = problem.unit * (stated.n_classes - 1) * right.min(axis=0)
            known = right.max(axis=0) > right.min(axis=0)
            square_factor = None
        else:
            square_factor = 2.0 ** stated.options["square_exponent"]
            scaled = stated.y * square_factor
            square = np.rint(scaled * scaled / weight).astype(np.int64) + int(square_factor < 1)
            sums = np.array([added(weight), added(stated.y), added(square)])
            scaled = sums[1] * square_factor
            whole = np.ceil(scaled * scaled / sums[0]).astype(np.int64)
            cancelled = sums[2] - np.minimum(whole, sums[2])
            known = np.ones(n_groups, dtype=np.bool_)
        total = int(np.abs(sums).sum(axis=1).max()) + 8 * problem.penalty
        if total >= MOST_COST:
            msg = (
                "a certificate needs sample weights that are multiples of a common unit if there "
                "is a leaf_penalty, because others become too large when they are made integers"
            )
            raise ValueError(msg)
        # A search of sorted columns cancels nothing, and neither does one with large leaves.
        offset = int(self._engine.outcome.statistics["offset"])
        if offset == 0:
            cancelled = np.zeros(n_groups, dtype=np.int64)
            known = np.ones(n_groups, dtype=np.bool_)
        assert int(cancelled.sum()) == offset
        return CertifiedProblem(
            ranks=ranks[:, first],
            tests=np.concatenate([line.tests for line in self._lines]),
            sums=sums,
            size=added(weight if stated.by_weight else counts),
            cancelled=cancelled,
            known=known,
            penalty=problem.penalty,
            least=stated.least,
            factor=square_factor,
        )

    def header(self, names: TableNames) -> dict[str, Any]:
        """Return the header of the certificate.

        Parameters
        ----------
        names : TableNames
            What a file with the table calls its columns.

        Returns
        -------
        dict
            What docs/certificates.md describes.
        """
        stated, problem = self._stated, self._stated.problem
        extra = [names.target, *([] if self._raw.weight is None else [names.weight])]
        every = [*self._data.columns.names, *extra]
        for name in extra:
            if every.count(name) > 1:
                msg = (
                    f"a certificate needs different names for the columns of X, the target and the "
                    f"weights, and {name!r} is there twice: give `target` or `weight` to "
                    f"Search.certificate"
                )
                raise ValueError(msg)
        settings = self._engine.settings
        depth = settings.depth_limit
        header: dict[str, Any] = {
            "format": FORMAT,
            "target": names.target,
            "weight": None if self._raw.weight is None else names.weight,
            "missing": self._missing(names.missing),
        }
        if stated.n_classes:
            data = self._data
            factors = factors_of(
                settings.class_weight, data.codes, data.classes, data.sample_weight
            )
            texts = [str(label) for label in data.classes.tolist()]
            header |= {
                "labels": dict(zip(texts, factors.tolist(), strict=True)),
                "scale": problem.scale,
                "unit": problem.unit,
                "cost_of_one": problem.unit * problem.scale,
            }
            target = self._of_rows(data.codes)
            exact = factors[target] * self._weights * problem.scale
        else:
            scaling = stated.scaling
            assert scaling is not None
            shift = 2.0**scaling.digits  # doubles multiply by it exactly
            header |= {
                "numbers": [scaling.factor * shift, scaling.centre * shift, scaling.exponent],
                "scale": scaling.weight_scale,
                "cost_of_one": problem.scale,
            }
            assert self._data.numbers is not None
            target = self._of_rows(self._data.numbers)
            exact = self._weights * scaling.weight_scale
        header |= {
            "whole": _is_whole(exact[exact > 0], problem.weight),
            "penalty": problem.penalty,
            "least": stated.least,
            "weighs": stated.by_weight,
            "depth": depth,
            "columns": [self._column(j) for j in self._columns],
            "tree": self._tree(),
            "sha256": self._digest(target),
        }
        return header

    def _of_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the elements of the rows with a weight; a table of zeros and ones has all rows."""
        weight = self._data.sample_weight
        return values if weight is None else values[weight > 0]

    def _missing(self, cells: Sequence[str]) -> list[str]:
        """Return the cells that stand for missing values, which no category may be."""
        known = [self._data.columns.categories[j] for j in self._columns]
        texts = {str(text) for each in known if each is not None for text in each.tolist()}
        if "" in texts:
            msg = "a certificate needs categories other than the empty text, which means missing"
            raise ValueError(msg)
        return [cell for cell in cells if cell not in texts]

    def _column(self, j: int) -> dict[str, Any]:
        """Return how the checker finds the tests of a column."""
        columns, orders = self._data.columns, self._data.orders
        column: dict[str, Any] = {"name": columns.names[j]}
        own = np.flatnonzero(orders.column == j).tolist()
        categories = columns.categories[j]
        if categories is not None:
            texts = [str(text) for text in categories.tolist()]
            column["orders"] = [
                _ranks_of_texts(texts, orders.groups[order] or (), orders.missing_rank(order))
                for order in own
            ] or [[{}, 0]]
            return column
        if (time := columns.times[j]) is not None:
            if time.kind != "datetime":
                msg = (
                    f"a certificate cannot state columns of {NOUNS[time.kind]}, as "
                    f"{columns.names[j]!r} is: make them numbers"
                )
                raise ValueError(msg)
            column["unit"] = time.unit
        if orders.is_binary:
            return column
        values = self._encoded[j]
        known = known_rows(values)
        distinct = np.unique(np.ma.getdata(values)[slice(None) if known is None else known])
        low = orders.low[own[0]] if own else distinct[:0]
        if len(low) != max(len(distinct) - 1, 0):
            column["thresholds"] = low.tolist()
        return column

    def _tree(self) -> Any:
        """Return the tree in nested lists: a test and the two sides, or a label."""
        outcome, found = self._engine.outcome, self._engine.found().tree
        number_of = np.full(max(self._data.orders.n_tests, 1), -1, dtype=np.int64)
        start = 0
        for line in self._lines:
            for number, (test, after) in enumerate(pairwise(line.tests.tolist())):
                number_of[test:after] = start + number
            start += len(line.tests)

        def nested(node: int) -> Any:
            test = int(outcome.feature[node])
            if test < 0:
                return int(found.prediction[node]) if self._stated.n_classes else None
            sides = outcome.left[node], outcome.right[node]
            return [int(number_of[test]), *(nested(int(side)) for side in sides)]

        return nested(0)

    def _digest(self, target: NDArray[Any]) -> str:
        """Return the hash of all columns, the target and the weights, as doubles.

        A column of categories is hashed as its ranks in all its orders.
        """
        hashed = sha256()
        orders = self._data.orders
        for j in self._columns:
            values = self._encoded[j]
            if self._data.columns.categories[j] is None:
                known = known_rows(values)
                numbers = np.ma.getdata(values).astype("<f8") + 0.0
                numbers = numbers if known is None else np.where(known, numbers, np.nan)
                hashed.update(numbers.tobytes())
                continue
            positions = positions_of(values)
            own = np.flatnonzero(orders.column == j).tolist()
            if not own:
                hashed.update(np.zeros(len(positions), dtype="<f8").tobytes())
            for order in own:
                groups, missing = orders.groups[order] or (), orders.missing_rank(order)
                hashed.update(rank_in_groups(positions, groups, missing).astype("<f8").tobytes())
        for array in (target, self._weights):
            hashed.update((np.asarray(array, dtype="<f8") + 0.0).tobytes())
        return hashed.hexdigest()


def _ranks_of_texts(texts: list[str], groups: Groups, missing: int) -> list[Any]:
    """Return the ranks of the texts in groups and of missing values, and that of other texts."""
    ranks = {texts[place]: rank for rank, group in enumerate(groups) for place in group}
    return [ranks | {"": missing}, len(groups)]


def _is_whole(exact: NDArray[np.float64], weight: NDArray[np.int64]) -> bool:
    """Return whether weights were rounded to the nearest integers, and not rounded down."""
    if np.array_equal(np.maximum(np.rint(exact), 1.0), weight):
        return True
    if np.array_equal(np.floor(exact), weight):
        return False
    msg = (
        "a certificate needs sample weights whose ratios are below 2**30, because smaller ones are "
        "rounded to zero"
    )
    raise ValueError(msg)

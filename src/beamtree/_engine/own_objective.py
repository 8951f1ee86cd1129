"""Numbers as what a tree predicts, under an objective that is written in Python.

The statistics of the rows are scaled to integers, so that their sums are exact. The costs of leaves
are functions of these sums. They are scaled and rounded to integers, too, because the core adds and
compares integers. So the cost of a leaf is one integer, however the search comes upon the leaf, and
by how much the objective of a tree can differ from its integers is known.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, frexp, fsum, inf, isfinite, ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_squares import mean_and_squares
from beamtree._engine.integer_weights import IntegerProblem
from beamtree._engine.native import rows_of_leaf
from beamtree._engine.proof import cost_words
from beamtree._engine.recount import Recounted
from beamtree._engine.regression import as_ranks, leaves_of
from beamtree._engine.settings import Settings
from beamtree._engine.task import NativeProblem
from beamtree._table.ranks import RankedRows, n_tests
from beamtree._table.row_weights import positive_rows
from beamtree._table.training_data import TrainingData
from beamtree.objectives import Objective
from beamtree.tree import Tree

# The core adds up the statistics as integers of 64 bits, and sums must be below 2**62.
SUM_BITS = 61
# The cost of a single leaf has about this many bits. More would show the rounding errors of the
# doubles with which the user computes costs.
COST_BITS = 36
# A larger cost is cut to this one. No tree with such a leaf is as good as the single leaf.
MOST_COST = 2**50
# A power of two that a double can hold.
MOST_EXPONENT = 1000
MOST_STATISTICS = 16
# So many sets of rows are priced with and without rounding, to find out what it changes. They have
# at most this many rows.
PRICED_SETS, MOST_PRICED = 64, 4096
# If it changes more than this share of a cost, the objective is refused.
MOST_CHANGE = 1e-6
EXACT_SQUARE = 2.0**26


class Statistics(NamedTuple):
    """The statistics of rows as integers.

    Parameters
    ----------
    integers : ndarray of int64, shape (n_rows, n_statistics)
        The statistics, each times a power of two, and rounded.
    exponents : ndarray of int64, shape (n_statistics, 1)
        The powers of two.
    given : ndarray of float64, shape (n_rows, n_statistics)
        The statistics as the user gave them.
    """

    integers: NDArray[np.int64]
    exponents: NDArray[np.int64]
    given: NDArray[np.float64]

    def real(self, sums: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return sums of shape (n_statistics, n_leaves) as the user sees them, one line per leaf.

        The values of each statistic stay contiguous, because NumPy may round differently in arrays
        with gaps.
        """
        real: NDArray[np.float64] = np.ldexp(sums.astype(np.float64), -self.exponents).T
        return real


def integer_statistics(
    objective: Objective, y: NDArray[np.float64], weight: NDArray[np.float64]
) -> Statistics:
    """Return the statistics of rows as integers.

    Parameters
    ----------
    objective : Objective
        The objective.
    y, weight : ndarray of float64, shape (n_rows,)
        The numbers to predict, and the positive weights of the rows.

    Returns
    -------
    Statistics
        The integers.

    Raises
    ------
    ValueError
        If the objective returns something else than finite numbers in the right shape.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.own_objective import integer_statistics
    >>> from beamtree.objectives import PoissonDeviance
    >>> statistics = integer_statistics(PoissonDeviance(), np.array([0.0, 1.0]), np.ones(2))
    >>> statistics.real(statistics.integers.T)
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    where = f"{type(objective).__name__}.statistics"
    table = _numbers(objective.statistics(_read_only(y), _read_only(weight)), where)
    if table.ndim != 2 or len(table) != len(y) or not 1 <= table.shape[1] <= MOST_STATISTICS:
        msg = (
            f"{where} must return an array of shape ({len(y)}, k) with k from 1 to "
            f"{MOST_STATISTICS}, got the shape {table.shape}"
        )
        raise ValueError(msg)
    if not np.isfinite(table).all():
        row, k = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
        msg = f"{where} must return finite numbers, got {table[row, k]:g} in row {row}, column {k}"
        raise ValueError(msg)
    with np.errstate(over="ignore"):
        totals = np.abs(table).sum(axis=0).tolist()
    if not all(map(isfinite, totals)):
        msg = f"{where} must return numbers whose sums are finite: scale them"
        raise ValueError(msg)
    exponents = np.array([SUM_BITS - 1 - frexp(total)[1] if total > 0 else 0 for total in totals])
    integers = np.rint(np.ldexp(table, exponents)).astype(np.int64)
    lost = ~integers.any(axis=1) & table.any(axis=1)
    if lost.any():
        row = int(lost.argmax())
        msg = (
            f"{where} must return numbers of similar sizes, and those of row {row}, "
            f"{table[row].tolist()}, are too small beside the sums over all rows, {totals}"
        )
        raise ValueError(msg)
    return Statistics(np.ascontiguousarray(integers), exponents[:, np.newaxis], table)


class LeafPrices:
    """What leaves cost, in integers, as the core asks for it.

    Parameters
    ----------
    objective : Objective
        The objective.
    statistics : Statistics
        The statistics of all rows, which say what the integers mean.

    Attributes
    ----------
    single : float
        What a single leaf with all rows costs.
    exponent : int
        The power of two by which costs are multiplied before they are rounded.
    """

    def __init__(self, objective: Objective, statistics: Statistics) -> None:
        self._objective, self._statistics = objective, statistics
        whole = statistics.integers.sum(axis=0)[:, np.newaxis]
        self.single = float(self.real(whole)[0])
        self.exponent = 0
        if 0.0 < self.single < inf:
            self.exponent = min(COST_BITS - frexp(self.single)[1], MOST_EXPONENT)

    def __call__(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the costs of leaves, given their sums in the shape (n_statistics, n_leaves)."""
        scaled = np.ldexp(self.real(sums), self.exponent)
        return np.rint(np.minimum(scaled, MOST_COST)).astype(np.int64)

    def real(self, sums: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the costs of leaves as the user computes them, after checking them."""
        return self.checked(self._statistics.real(sums))

    def checked(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the costs of leaves, given sums of the statistics as the user gave them."""
        where = f"{type(self._objective).__name__}.leaf_costs"
        costs = _numbers(self._objective.leaf_costs(sums), where)
        count = len(sums)
        if costs.shape != (count,):
            msg = f"{where} must return an array of shape ({count},), got the shape {costs.shape}"
            raise ValueError(msg)
        if not (costs >= 0.0).all():
            at = int((~(costs >= 0.0)).argmax())
            msg = (
                f"{where} must return numbers of at least 0, got {costs[at]:g} for a leaf with the "
                f"sums {sums[at].tolist()}; if that is a rounding error, use np.maximum(costs, 0)"
            )
            raise ValueError(msg)
        return costs


class OwnObjective:
    """The task of predicting numbers under an objective of the user's own; see `Task` in task.py.

    Parameters
    ----------
    X : RankedRows
        The rows, all of positive weight.
    y, weight : ndarray of float64, shape (n_rows,)
        The numbers to predict, and the weights of the rows.
    objective : Objective
        The objective.
    leaf_penalty : float
        Cost of every leaf after the first, as a share of the cost of a single leaf.
    """

    names_rounding = False
    groups_by = "mean"

    def __init__(
        self,
        X: RankedRows,
        y: NDArray[np.float64],
        weight: NDArray[np.float64],
        objective: Objective,
        leaf_penalty: float,
    ) -> None:
        self._X, self._y, self._weight = X, y, weight
        self.objective, self._leaf_penalty = objective, float(leaf_penalty)
        self.n_rows = len(y)
        self.change = 0.0
        self.statistics = integer_statistics(objective, y, weight)
        self.prices = LeafPrices(objective, self.statistics)

    @classmethod
    def of(cls, data: TrainingData, settings: Settings) -> OwnObjective:
        """Return the task of a search, after checking the objective if the user wants that.

        Parameters
        ----------
        data : TrainingData
            The rows, with the numbers to predict.
        settings : Settings
            The settings of the search, whose criterion is the objective.
        """
        assert data.numbers is not None
        X, y, weight = data.X, data.numbers, data.sample_weight
        kept = None if weight is None else positive_rows(weight)
        if kept is not None and weight is not None:
            X, y, weight = X[kept], y[kept], weight[kept]
        if weight is None:
            weight = np.ones(len(y))
        objective: Any = settings.criterion
        if objective.check:
            from beamtree._engine.check_objective import check_objective

            check_objective(as_ranks(X), y, weight, objective)
        task = cls(as_ranks(X), y, weight, objective, float(settings.leaf_penalty))
        if task.prices.single == inf:
            name = type(objective).__name__
            msg = f"{name}.leaf_costs must return a finite cost for the leaf with all rows, got inf"
            raise ValueError(msg)
        if task.prices.single > 0.0:  # otherwise nothing is better than the single leaf
            task.change = task.measured_change()
        return task

    def measured_change(self) -> float:
        """Return by how much the cost of a leaf changed, at most, because numbers were rounded.

        The costs of some sets of rows are computed from the statistics as they were given, as
        integers, and with sums that differ in their last binary digit. Half of the sets are random,
        and half are neighbours in the order of y, as the rows of good leaves are. This is an
        estimate: nothing is known of the function of the user.

        Raises
        ------
        ValueError
            If it is so much that the result would mean nothing.
        """
        random, order = np.random.default_rng(0), np.argsort(self._y, kind="stable")
        most = min(self.n_rows, MOST_PRICED)
        sizes = np.exp(random.uniform(0.0, np.log(most), PRICED_SETS)).astype(np.int64)
        # If all numbers are equal, the costs themselves may be nothing but rounding errors.
        varies = float(self._y.min()) < float(self._y.max())
        change = 0.0
        for number, size in enumerate(sizes.tolist()):
            start = int(random.integers(0, self.n_rows - size + 1))
            near = order[start : start + size]
            rows = near if number % 2 else random.choice(self.n_rows, size, replace=False)
            costs = self.prices.checked(self._similar_sums(rows))
            costs = costs[np.isfinite(costs)]  # a leaf may be just about forbidden
            if not len(costs):
                continue
            low, high = float(costs.min()), float(costs.max())
            change = max(change, high - low)
            if varies and high - low > MOST_CHANGE * max(self.prices.single, high):
                name = type(self.objective).__name__
                msg = (
                    f"{name} must have statistics whose sums keep enough digits, and the cost of a "
                    f"leaf of {size} rows is {low:.15g} or {high:.15g}, depending on how its sums "
                    f"are rounded: scale y, or subtract its mean"
                )
                raise ValueError(msg)
        return change

    def _similar_sums(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the sums over rows that the search sees, and some that differ by rounding."""
        table, given = self.statistics.integers[rows], self.statistics.given[rows]
        seen = self.statistics.real(table.sum(axis=0)[:, np.newaxis])
        similar = [seen, np.array([[fsum(column) for column in given.T.tolist()]])]
        for k in range(given.shape[1]):
            if abs(seen[0, k]) < EXACT_SQUARE and seen[0, k] == np.rint(seen[0, k]):
                continue  # a number of rows, for example, is exact, and so is its square
            for end in (-inf, inf):
                other = seen.copy()
                other[0, k] = np.nextafter(seen[0, k], end)
                similar.append(other)
        return np.asfortranarray(np.concatenate(similar))

    def state(
        self,
        settings: Settings,
        most_leaves: int,
        switches: dict[str, Any],  # noqa: ARG002  (numbers are scaled alike for all forms)
    ) -> NativeProblem:
        """State the problem in integers."""
        scale = ldexp(1.0, self.prices.exponent)
        price = min(self._leaf_penalty, 1.0) * self.prices.single * scale
        penalty = max(round(price), 1) if self._leaf_penalty > 0 else 0
        every = self.n_rows if settings.max_depth is None else 2**settings.max_depth
        most = min(every, self.n_rows, most_leaves or every)
        if self._leaf_penalty > 0:  # a tree with more leaves costs more than a single leaf
            most = min(most, 1 + floor(1.0 / min(self._leaf_penalty, 1.0)))
        # Every leaf is rounded by one half, and the doubles of the user may be rounded differently
        # when the search comes upon the leaf again: see `tolerance` in own_objective.hpp.
        doubt = (3 * most + abs(penalty - price) * (most - 1)) / scale
        # A bound that is carried to other rows is wrong by what rounding changes on either set of
        # rows. That may happen at each level.
        levels = most if settings.max_depth is None else settings.max_depth
        doubt += 2 * (min(levels, most) + 1) * most * self.change
        if self.prices.single == 0.0:
            doubt = 0.0  # nothing costs less than the single leaf
        removal = self.removal_costs()
        weight = np.ones(self.n_rows, dtype=np.int64)
        if removal is not None:
            scaled = np.ceil(np.ldexp(removal, self.prices.exponent))
            weight = np.minimum(scaled, MOST_COST).astype(np.int64) + 1
            if float(weight.sum(dtype=np.float64)) >= 2.0**SUM_BITS:  # too large to be a bound
                removal, weight = None, np.ones(self.n_rows, dtype=np.int64)
        problem = IntegerProblem(
            weight,
            1,
            penalty,
            scale,
            rounding=2.0 * doubt,
            excess=doubt,
            total=Fraction(self.prices.single) * Fraction(scale),
        )
        options = {
            "threads": 1,  # the function of the user is called by one thread at a time
            "costs_grow": bool(self.objective.superset_bound),
            "costs_bounded": removal is not None,
        }
        least = rows_of_leaf(settings.min_samples_leaf, self.n_rows)
        return NativeProblem(
            self._X,
            self.statistics.integers,
            0,
            problem,
            least,
            by_weight=False,
            options=options,
            prices=self.prices,
        )

    def removal_costs(self) -> NDArray[np.float64] | None:
        """Return what the objective says about rows that are removed, after checking it."""
        where = f"{type(self.objective).__name__}.removal_costs"
        said = self.objective.removal_costs(_read_only(self._y), _read_only(self._weight))
        if said is None:
            return None
        costs = _numbers(said, where)
        if costs.shape != (self.n_rows,):
            msg = f"{where} must return an array of shape ({self.n_rows},), got {costs.shape}"
            raise ValueError(msg)
        allowed = (costs >= 0.0) & (costs < inf)
        if not allowed.all():
            at = int((~allowed).argmax())
            msg = f"{where} must return finite numbers of at least 0, got {costs[at]:g}"
            raise ValueError(msg)
        return costs

    def recount(self, outcome: _core.Outcome, problem: IntegerProblem) -> Recounted:  # noqa: ARG002
        """Return the tree of an outcome, recounted from the rows."""
        feature, left, right = outcome.feature, outcome.left, outcome.right
        count, table = len(feature), self.statistics.integers
        sums = np.zeros((table.shape[1], count), dtype=np.int64)
        samples, is_leaf = np.zeros(count, dtype=np.int64), feature < 0
        rows_at: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * count
        for leaf, rows in leaves_of(self._X, feature, left, right):
            rows_at[leaf] = rows
        for node in range(count)[::-1]:  # children come after their parents
            if not is_leaf[node]:
                rows_at[node] = np.concatenate([rows_at[left[node]], rows_at[right[node]]])
            samples[node] = len(rows_at[node])
            sums[:, node] = table[rows_at[node]].sum(axis=0)
        costs = self.prices.real(sums)
        spread = [mean_and_squares(self._y[rows], self._weight[rows])[1] for rows in rows_at]
        weight = np.array([self._weight[rows].sum() for rows in rows_at])
        tree = Tree.of_numbers(
            feature,
            left,
            right,
            weight,
            self._predictions(sums),
            np.array(spread) / weight,
            samples,
            n_tests(self._X),
            cost=costs,
        )
        error = float(costs[is_leaf].sum())
        penalty = self._leaf_penalty * self.prices.single if tree.n_leaves > 1 else 0.0
        return Recounted(
            tree=tree,
            objective=error + penalty * (tree.n_leaves - 1),
            error=error,
            n_errors=None,
        )

    def _predictions(self, sums: NDArray[np.int64]) -> NDArray[np.float64]:
        where = f"{type(self.objective).__name__}.predictions"
        values = _numbers(self.objective.predictions(self.statistics.real(sums)), where)
        if values.shape != (sums.shape[1],) or not np.isfinite(values).all():
            msg = (
                f"{where} must return {sums.shape[1]} finite numbers, one per node, got "
                f"{values.tolist()!r}"
            )
            raise ValueError(msg)
        return values

    def words(self, found: Recounted, lower_bound: float) -> str:
        """Return the objective in words."""
        name = self.objective.name if self._leaf_penalty == 0.0 else "objective"
        return cost_words(name, found.objective, lower_bound)


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a view of an array that a function of the user cannot change."""
    view = array.view()
    view.setflags(write=False)
    return view


def _numbers(value: Any, where: str) -> NDArray[np.float64]:
    """Return what a function of the user returned as an array of doubles."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{where} must return an array of numbers, got {value!r}"
        raise ValueError(msg) from error

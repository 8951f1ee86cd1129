"""Numbers as what a tree predicts: the weighted squared error is minimised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_squares import integer_squares, mean_and_squares
from beamtree._engine.integer_weights import MAX_EXACT_RATIO, IntegerProblem
from beamtree._engine.native import (
    MAX_LEAF_WEIGHT_RATIO,
    check_leaf_weight,
    rows_of_leaf,
    weight_of_leaf,
)
from beamtree._engine.proof import squares_words
from beamtree._engine.recount import Recounted
from beamtree._engine.settings import Settings
from beamtree._engine.task import NativeProblem
from beamtree._table.ranks import RankedRows, n_tests
from beamtree._table.row_weights import positive_rows
from beamtree._table.training_data import TrainingData
from beamtree._util.validation import Allowed
from beamtree.heuristics import GainRatio, Gini, InformationGain
from beamtree.tree import Tree

# These heuristics measure how pure the classes of a node are.
_OF_CLASSES = (InformationGain, GainRatio, Gini)
HEURISTIC = Allowed(
    "'auto', 'lookahead', 'error', 'given', or such an object of beamtree.heuristics, because the "
    "others measure classes",
    lambda value: (
        not isinstance(value, _OF_CLASSES) and value not in [each.name for each in _OF_CLASSES]
    ),
)


def check_regression(settings: Settings) -> None:
    """Raise a ValueError if there is a setting that is about classes.

    Parameters
    ----------
    settings : Settings
        The settings of a search for a tree that predicts numbers.
    """
    HEURISTIC.check("heuristic", settings.heuristic)
    if settings.criterion != "squared_error" and settings.min_weight_fraction_leaf > 0:
        share = settings.min_weight_fraction_leaf
        msg = (
            f"min_weight_fraction_leaf must be 0 for an objective of your own, got {share!r}: use "
            f"min_samples_leaf"
        )
        raise ValueError(msg)
    for name in ("class_weight", "cost_matrix"):
        if (value := getattr(settings, name)) is not None:
            msg = f"{name} must be None for a tree that predicts numbers, got {value!r}"
            raise ValueError(msg)


class Regression:
    """The task of predicting numbers; see `Task` in task.py.

    Parameters
    ----------
    data : TrainingData
        The rows, with the numbers to predict.
    settings : Settings
        The settings of the search.
    """

    names_rounding = False
    groups_by = "mean"

    def __init__(self, data: TrainingData, settings: Settings) -> None:
        assert data.numbers is not None
        self._leaf_penalty = float(settings.leaf_penalty)
        X, y, weight = data.X, data.numbers, data.sample_weight
        kept = None if weight is None else positive_rows(weight)
        if kept is not None and weight is not None:
            X, y, weight = X[kept], y[kept], weight[kept]
        self._X = as_ranks(X)
        self._y = y
        self._weight = np.ones(len(y)) if weight is None else weight
        self.n_rows = len(y)
        with np.errstate(all="ignore"):  # numbers that are too large are refused by `state`
            self._single = mean_and_squares(y, self._weight)[1]

    def state(
        self,
        settings: Settings,
        most_leaves: int,
        switches: dict[str, Any],  # noqa: ARG002  (numbers are scaled alike for all forms)
    ) -> NativeProblem:
        """State the problem in integers."""
        by_weight = bool(settings.min_weight_fraction_leaf > 0)
        squares = integer_squares(
            self._y,
            self._weight,
            settings.leaf_penalty,
            max_depth=settings.max_depth,
            max_leaf_nodes=most_leaves or None,
            exact_ratio=MAX_LEAF_WEIGHT_RATIO if by_weight else MAX_EXACT_RATIO,
        )
        least = rows_of_leaf(settings.min_samples_leaf, self.n_rows)
        if by_weight:
            check_leaf_weight(settings.min_weight_fraction_leaf, exact=squares.exact_weights)
            total = int(squares.problem.weight.sum())
            least = weight_of_leaf(settings.min_weight_fraction_leaf, total)
        options = {"square_exponent": squares.scaling.exponent}
        return NativeProblem(
            self._X,
            squares.value,
            0,
            squares.problem,
            least,
            by_weight,
            options,
            scaling=squares.scaling,
        )

    def recount(self, outcome: _core.Outcome, problem: IntegerProblem) -> Recounted:  # noqa: ARG002
        """Return the tree of an outcome, recounted from the rows with their real weights."""
        feature, left, right = outcome.feature, outcome.left, outcome.right
        count, is_leaf = len(feature), feature < 0
        # Lists, because single entries of arrays are slow.
        samples = [0] * count
        weight, mean, squares = [0.0] * count, [0.0] * count, [0.0] * count
        for leaf, rows in leaves_of(self._X, feature, left, right):
            samples[leaf] = len(rows)
            weight[leaf] = float(self._weight[rows].sum())
            mean[leaf], squares[leaf] = mean_and_squares(self._y[rows], self._weight[rows])
        error = float(np.array(squares)[is_leaf].sum())
        inner = np.flatnonzero(~is_leaf)[::-1]  # children come after their parents
        for node, one, other in zip(
            inner.tolist(), left[inner].tolist(), right[inner].tolist(), strict=True
        ):
            apart = mean[other] - mean[one]
            samples[node], weight[node] = samples[one] + samples[other], weight[one] + weight[other]
            share = weight[other] / weight[node]
            mean[node] = mean[one] + share * apart
            squares[node] = squares[one] + squares[other] + weight[one] * share * apart**2
        weights = np.array(weight)
        tree = Tree.of_numbers(
            feature,
            left,
            right,
            weights,
            np.array(mean),
            np.array(squares) / weights,
            np.array(samples, dtype=np.int64),
            n_tests(self._X),
        )
        penalty = self._leaf_penalty * self._single if tree.n_leaves > 1 else 0.0
        return Recounted(
            tree=tree,
            objective=error + penalty * (tree.n_leaves - 1),
            error=error,
            n_errors=None,
        )

    def words(self, found: Recounted, lower_bound: float) -> str:
        """Return the squared error, or the objective, in words, and the share that is explained."""
        explained = 1.0 - found.error / self._single if self._single > 0.0 else 1.0
        name = "squared error" if self._leaf_penalty == 0.0 else "objective"
        return squares_words(name, found.objective, lower_bound, explained)


def as_ranks(X: RankedRows | NDArray[np.uint8]) -> RankedRows:
    """Return rows as ranks: the zeros and ones of a column are its two ranks.

    Parameters
    ----------
    X : RankedRows or ndarray of uint8
        The rows.

    Returns
    -------
    RankedRows
        The same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.regression import as_ranks
    >>> as_ranks(np.array([[0, 1], [1, 1]], dtype=np.uint8)).rank
    array([[0, 1],
           [1, 1]], dtype=uint32)
    """
    if not isinstance(X, np.ndarray):
        return X
    rank = np.ascontiguousarray(X.T, dtype=np.uint32)
    return RankedRows(rank, np.ones(X.shape[1], dtype=np.int32))


def leaves_of(
    X: RankedRows, feature: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32]
) -> list[tuple[int, NDArray[np.intp]]]:
    """Return the leaves of a tree over tests, each with the numbers of its rows.

    Parameters
    ----------
    X : RankedRows
        The rows.
    feature, left, right : ndarray of int32, shape (n_nodes,)
        The tree, as in `Outcome`.

    Returns
    -------
    list of tuple
        The node and the rows of each leaf.
    """
    ends = np.cumsum(X.cuts, dtype=np.int64)
    found = []
    stack = [(0, np.arange(len(X)))]
    while stack:
        node, rows = stack.pop()
        test = int(feature[node])
        if test < 0:
            found.append((node, rows))
            continue
        order = int(np.searchsorted(ends, test, side="right"))
        goes_right = X.rank[order][rows] > test - (ends[order] - X.cuts[order])
        stack += [(int(right[node]), rows[goes_right]), (int(left[node]), rows[~goes_right])]
    return found

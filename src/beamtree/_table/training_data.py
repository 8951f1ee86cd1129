"""The rows of a search: the ranks of their values, what is to be predicted, and the weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.features import open_features
from beamtree._table.labels import checked_labels, encode_labels
from beamtree._table.learn_tests import AddedTests, learn_tests
from beamtree._table.orders import Orders
from beamtree._table.ranks import RankedRows
from beamtree._table.row_costs import checked_costs, checked_rewards
from beamtree._table.row_weights import checked_weight, positive_rows
from beamtree._table.table import Table, open_table
from beamtree._table.targets import checked_numbers
from beamtree._table.values import BLOCK, Numbers
from beamtree.search_space import SearchSpace

# What the leaves of a tree are.
Predicted = Literal["labels", "numbers", "actions"]
# What the methods that return a fitted estimator of such a tree are called.
ESTIMATORS: dict[Predicted, str] = {
    "labels": "classifier",
    "numbers": "regressor",
    "actions": "policy_tree",
}


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The rows of a search.

    Parameters
    ----------
    X : RankedRows, or ndarray of uint8, shape (n_rows, n_orders)
        The ranks of the rows. If every order has one cut, these are zeros and ones, C-contiguous;
        for a table of zeros and ones, this is the table itself.
    codes : ndarray of int32, shape (n_rows,)
        Positions of the labels in `classes`; empty if there are `numbers`.
    sample_weight : ndarray of float64, shape (n_rows,), or None
        Weights of at least 0, which are not all 0; None for weights of 1.
    classes : ndarray of shape (n_classes,)
        The labels, sorted; empty if there are `numbers`.
    columns : Columns
        The columns of the table.
    orders : Orders
        The orders in which the rows are ranked; their cuts are the tests of the search.
    ranges : tuple
        What is known of the values of each column, as in `LearnedTests`.
    space : SearchSpace
        The number of tests of every column of the table.
    names : tuple of str or None
        Names of the columns of the table, if all of them had names that are strings.
    added : dict
        By column of the table, tests that were added to those that are learned.
    is_shared : bool
        Whether `X` shares its memory with the array of the user.
    costs : ndarray of float64, shape (n_rows, n_classes), or None
        What each row of weight 1 costs, for each prediction, if rows have costs of their own.
    rewards : ndarray of float64, shape (n_rows, n_classes), or None
        The reward of each row of weight 1, for each action, if the tree is to be a policy. The
        classes are the actions then, and the label of a row is its best one.
    greedy : object or None
        The greedy tree over all thresholds, if the search has only some of them. Its tests are
        among those of the search.
    numbers : ndarray of float64, shape (n_rows,), or None
        The numbers to predict, if these are no classes.
    count : ndarray of int64, shape (n_rows,), or None
        For how many equal rows each row stands, all of which have its label and its weight; None
        for one. Only rows with labels may stand for several, if they have no costs and a search
        holds them as columns of bits.
    """

    X: RankedRows | NDArray[np.uint8]
    codes: NDArray[np.int32]
    sample_weight: NDArray[np.float64] | None
    classes: NDArray[Any]
    columns: Columns
    orders: Orders
    ranges: tuple[Numbers, ...]
    space: SearchSpace
    names: tuple[str, ...] | None
    added: dict[int, AddedTests]
    is_shared: bool
    costs: NDArray[np.float64] | None = None
    rewards: NDArray[np.float64] | None = None
    greedy: Any = None
    numbers: NDArray[np.float64] | None = None
    count: NDArray[np.int64] | None = None

    @property
    def predicted(self) -> Predicted:
        """What the leaves of the tree are to be."""
        if self.numbers is not None:
            return "numbers"
        return "labels" if self.rewards is None else "actions"


# The labels of rows that have numbers instead.
NO_CODES, NO_CLASSES = np.empty(0, dtype=np.int32), np.empty(0)


def read_rows(X: Any, y: Any, owner: Any, *, numbers: bool = False) -> tuple[Table, NDArray[Any]]:
    """Open a table, and check its labels, or the numbers to predict.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array-like of shape (n_rows,)
        Labels of any kind, or numbers.
    owner : estimator or str
        The estimator that reads the table, or its name, for errors. An estimator also gets the
        attributes ``n_features_in_`` and ``feature_names_in_``.
    numbers : bool, default=False
        Whether `y` has numbers to predict instead of labels.

    Returns
    -------
    table : Table
        The table; no column has been read yet.
    y : ndarray of shape (n_rows,)
        One label or one number per row.
    """
    table = _opened(X, owner)
    checked = checked_numbers if numbers else checked_labels
    return table, checked(y, len(table), owner)


def read_rewards(
    X: Any, rewards: Any, actions: Any, owner: Any
) -> tuple[Table, NDArray[np.float64], NDArray[Any]]:
    """Open a table, and check the rewards of its rows.

    Parameters
    ----------
    X, owner
        As in `read_rows`.
    rewards, actions
        As in `checked_rewards`.

    Returns
    -------
    table : Table
        The table; no column has been read yet.
    rewards : ndarray of float64, shape (n_rows, n_actions)
        The rewards.
    actions : ndarray of shape (n_actions,)
        The names, or numbers, of the actions.
    """
    table = _opened(X, owner)
    return table, *checked_rewards(rewards, actions, len(table), owner)


def _opened(X: Any, owner: Any) -> Table:
    is_name = isinstance(owner, str)
    return open_table(X, owner) if is_name else open_features(X, owner, reset=True)


def training_data(
    table: Table,
    y: NDArray[Any],
    sample_weight: Any,
    max_thresholds: int | None,
    added: dict[int, AddedTests],
    costs: Any = None,
    *,
    numbers: bool = False,
) -> TrainingData:
    """Learn the tests of a table, and rank its rows.

    Parameters
    ----------
    table : Table
        The table.
    y : ndarray of shape (n_rows,)
        Labels or numbers, as `read_rows` returns them.
    sample_weight : array-like of shape (n_rows,), number or None
        Weights of the rows.
    max_thresholds : int or None
        As in `OptimalTreeClassifier`.
    added : dict
        By column, tests that are added to those that are learned.
    costs : array-like of shape (n_rows, n_classes) or None, default=None
        What each row costs, for each prediction.
    numbers : bool, default=False
        Whether `y` has numbers to predict instead of labels.

    Returns
    -------
    TrainingData
        The rows of positive weight. For a table of zeros and ones, all rows.
    """
    if numbers:
        return _ranked(table, NO_CODES, sample_weight, NO_CLASSES, max_thresholds, added, y)
    classes, codes = encode_labels(y)
    row_costs = checked_costs(costs, len(table), classes)
    data = _ranked(table, codes, sample_weight, classes, max_thresholds, added)
    return data if row_costs is None else replace(data, costs=_kept(row_costs, data, sample_weight))


def policy_data(
    table: Table,
    rewards: NDArray[np.float64],
    actions: NDArray[Any],
    sample_weight: Any,
    max_thresholds: int | None,
    added: dict[int, AddedTests],
) -> TrainingData:
    """Learn the tests of a table for a policy, and rank its rows.

    Parameters
    ----------
    table, sample_weight, max_thresholds, added
        As in `training_data`.
    rewards : ndarray of float64, shape (n_rows, n_actions)
        The reward of each action.
    actions : ndarray of shape (n_actions,)
        The names of the actions.

    Returns
    -------
    TrainingData
        The rows, as `training_data` returns them.
    """
    best = rewards.argmax(axis=1).astype(np.int32)
    data = _ranked(table, best, sample_weight, actions, max_thresholds, added)
    return replace(data, rewards=_kept(rewards, data, sample_weight))


def _kept(
    values: NDArray[np.float64], data: TrainingData, sample_weight: Any
) -> NDArray[np.float64]:
    """Return the lines of the rows that were kept."""
    if len(values) == len(data.X):
        return values
    kept = positive_rows(checked_weight(sample_weight, len(values)))
    assert kept is not None  # rows are dropped only if their weight is zero
    return values[kept]


def _ranked(
    table: Table,
    codes: NDArray[np.int32],
    sample_weight: Any,
    classes: NDArray[Any],
    max_thresholds: int | None,
    added: dict[int, AddedTests],
    numbers: NDArray[np.float64] | None = None,
) -> TrainingData:
    weight = checked_weight(sample_weight, len(table))
    binary = None if table.numbers is None else zeros_and_ones(table.numbers)
    if binary is not None:
        shared = isinstance(table.numbers, np.ndarray) and np.may_share_memory(
            binary, table.numbers
        )
        rows = binary_training_data(
            binary, codes, weight, classes, table.shown_names, is_shared=shared
        )
        return replace(rows, names=table.names, numbers=numbers)
    learned = learn_tests(
        table, weight, max_thresholds, codes if numbers is None else numbers, added
    )
    return TrainingData(
        X=learned.rows,
        codes=learned.keep(codes) if numbers is None else codes,
        sample_weight=learned.weight,
        classes=classes,
        columns=learned.columns,
        orders=learned.orders,
        ranges=learned.ranges,
        space=learned.space,
        names=table.names,
        added=added,
        is_shared=False,
        numbers=None if numbers is None else learned.keep(numbers),
    )


def binary_training_data(
    X: NDArray[np.uint8],
    codes: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    classes: NDArray[Any],
    names: tuple[str, ...] | None = None,
    *,
    is_shared: bool = False,
) -> TrainingData:
    """Return rows of zeros and ones as they are: every column has one test.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_columns)
        Zeros and ones, C-contiguous.
    codes, weight, classes, names, is_shared
        As in `TrainingData`.

    Returns
    -------
    TrainingData
        All rows, including those of weight zero.
    """
    n_columns = X.shape[1]
    columns = Columns.all_binary(names, n_columns)
    ones = (1,) * n_columns
    return TrainingData(
        X=X,
        codes=codes,
        sample_weight=weight,
        classes=classes,
        columns=columns,
        orders=Orders.all_binary(n_columns),
        ranges=(np.array([0.0, 1.0]),) * n_columns,
        space=SearchSpace(columns.names, ones, ones),
        names=names,
        added={},
        is_shared=is_shared,
    )


def zeros_and_ones(X: Any) -> NDArray[np.uint8] | None:
    """Return a table of zeros and ones of any type as a C-contiguous array of bytes.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
        Booleans, integers or floats.

    Returns
    -------
    ndarray of uint8, shape (n_rows, n_columns), or None
        The values of `X`; not a copy if `X` is C-contiguous and has bytes or booleans. None if
        there are values other than 0 and 1.
    """
    if scipy.sparse.issparse(X):
        dense = ((X.data == 0) | (X.data == 1)).all() and X.has_canonical_format
        return zeros_and_ones(X.toarray()) if dense else None
    if X.dtype == np.bool_:
        return np.ascontiguousarray(X).view(np.uint8)
    if X.dtype == np.uint8:
        return np.ascontiguousarray(X) if X.max() <= 1 else None
    binary = np.empty(X.shape, dtype=np.uint8)
    for start in range(0, len(X), BLOCK):
        block = X[start : start + BLOCK]
        ones = block == 1
        if not (ones | (block == 0)).all():
            return None
        binary[start : start + BLOCK] = ones
    return binary

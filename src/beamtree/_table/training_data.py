"""The rows of a search: the ranks of their values, what is to be predicted, and the weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.features import open_features
from beamtree._table.labels import checked_labels, encode_labels
from beamtree._table.learn_tests import AddedTests, learn_tests
from beamtree._table.orders import Orders
from beamtree._table.ranks import RankedRows
from beamtree._table.row_weights import checked_weight
from beamtree._table.table import Table, open_table
from beamtree._table.targets import checked_numbers
from beamtree._table.values import BLOCK, Numbers
from beamtree.search_space import SearchSpace


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
    greedy : object or None
        The greedy tree over all thresholds, if the search has only some of them. Its tests are
        among those of the search.
    numbers : ndarray of float64, shape (n_rows,), or None
        The numbers to predict, if these are no classes.
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
    greedy: Any = None
    numbers: NDArray[np.float64] | None = None


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
    is_name = isinstance(owner, str)
    table = open_table(X, owner) if is_name else open_features(X, owner, reset=True)
    checked = checked_numbers if numbers else checked_labels
    return table, checked(y, len(table), owner)


def training_data(
    table: Table,
    y: NDArray[Any],
    sample_weight: Any,
    max_thresholds: int | None,
    added: dict[int, AddedTests],
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
    numbers : bool, default=False
        Whether `y` has numbers to predict instead of labels.

    Returns
    -------
    TrainingData
        The rows of positive weight. For a table of zeros and ones, all rows.
    """
    weight = checked_weight(sample_weight, len(table))
    classes, codes = (NO_CLASSES, NO_CODES) if numbers else encode_labels(y)
    binary = None if table.numbers is None else zeros_and_ones(table.numbers)
    if binary is not None:
        shared = isinstance(table.numbers, np.ndarray) and np.may_share_memory(
            binary, table.numbers
        )
        rows = binary_training_data(
            binary, codes, weight, classes, table.shown_names, is_shared=shared
        )
        return replace(rows, names=table.names, numbers=y if numbers else None)
    learned = learn_tests(table, weight, max_thresholds, y if numbers else codes, added)
    return TrainingData(
        X=learned.rows,
        codes=codes if numbers else learned.keep(codes),
        sample_weight=learned.weight,
        classes=classes,
        columns=learned.columns,
        orders=learned.orders,
        ranges=learned.ranges,
        space=learned.space,
        names=table.names,
        added=added,
        is_shared=False,
        numbers=learned.keep(y) if numbers else None,
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

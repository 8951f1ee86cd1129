"""Rows as the engine takes them, from a table, labels and weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length, validate_data

from beamtree._table.columns import Columns
from beamtree._table.learn_tests import AddedTests, learn_tests
from beamtree._table.row_weights import checked_weight, positive_rows
from beamtree._table.split_tests import SplitTests
from beamtree._table.table import Table, open_table
from beamtree._table.values import BLOCK
from beamtree.search_space import SearchSpace

# Widest range of integer labels for which a table of codes is made.
TABLE = 1 << 16


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows as the engine takes them.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_tests)
        1 where a test does not hold, C-contiguous. A table of zeros and ones is that itself.
    codes : ndarray of int32, shape (n_rows,)
        Positions of the labels in `classes`.
    sample_weight : ndarray of float64, shape (n_rows,), or None
        Weights, at least 0 and not all 0; None for weights of 1.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    columns : Columns
        The columns of the table.
    tests : SplitTests
        What the columns of `X` stand for.
    space : SearchSpace
        The tests, counted.
    names : tuple of str or None
        Names of the columns of the table, if it had any.
    added : dict
        By column, tests that were added to those that are learned.
    places : dict or None
        For a column and a threshold that was added, the threshold that stands for it: minus or
        plus infinity if it lies below or above all values. None for a table of zeros and ones.
    is_shared : bool
        Whether `X` is memory of the user's own.
    """

    X: NDArray[np.uint8]
    codes: NDArray[np.int32]
    sample_weight: NDArray[np.float64] | None
    classes: NDArray[Any]
    columns: Columns
    tests: SplitTests
    space: SearchSpace
    names: tuple[str, ...] | None
    added: dict[int, AddedTests]
    places: dict[tuple[int, float], float] | None
    is_shared: bool


def read_rows(X: Any, y: Any, owner: Any) -> tuple[Table, NDArray[Any]]:
    """Open a table, and check its labels.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array-like of shape (n_rows,)
        Labels of any kind.
    owner : estimator or str
        Who reads it, for errors. An estimator also gets the attributes ``n_features_in_`` and
        ``feature_names_in_``.

    Returns
    -------
    table : Table
        The table, of which no column has been read yet.
    labels : ndarray of shape (n_rows,)
        One label per row.
    """
    table = open_table(X, owner)
    if not isinstance(owner, str):
        validate_data(owner, X, y, skip_check_array=True)
    return table, checked_labels(y, len(table), owner)


def checked_labels(y: Any, n_rows: int, estimator: Any) -> NDArray[Any]:
    """Return labels that are checked, one a row.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels of any kind.
    n_rows : int
        Number of rows.
    estimator : estimator or str
        Who asks, for errors.

    Returns
    -------
    ndarray of shape (n_rows,)
        The labels.
    """
    if y is None:
        name = estimator if isinstance(estimator, str) else type(estimator).__name__
        msg = f"{name} requires y to be passed, but the target y is None"
        raise ValueError(msg)
    missing = first_missing_label(y)
    if missing is not None:
        msg = f"y must have a label in every row, and row {missing} has none"
        raise ValueError(msg)
    labels: NDArray[Any] = _check_y(y, estimator=estimator)
    check_consistent_length(np.empty(n_rows), labels)
    check_classification_targets(labels)
    return labels


def first_missing_label(y: Any) -> int | None:
    """Return the first row without a label, where scikit-learn would not name it.

    Parameters
    ----------
    y : array-like
        Labels of any kind.

    Returns
    -------
    int or None
        Its number, if there is one.
    """
    if hasattr(y, "isna"):
        missing = np.asarray(y.isna(), dtype=np.bool_)
    else:
        labels = np.asarray(y)
        if labels.dtype != object or labels.ndim != 1:
            return None
        nothing = (value is None or (isinstance(value, float) and isnan(value)) for value in labels)
        missing = np.fromiter(nothing, dtype=np.bool_, count=len(labels))
    return int(missing.argmax()) if missing.ndim == 1 and missing.any() else None


def training_data(
    table: Table,
    y: NDArray[Any],
    sample_weight: Any,
    max_thresholds: int | None,
    added: dict[int, AddedTests],
) -> TrainingData:
    """Check and encode rows.

    Parameters
    ----------
    table : Table
        The rows.
    y : ndarray of shape (n_rows,)
        What `checked_labels` returns.
    sample_weight : array-like of shape (n_rows,), number or None
        Weights of the rows.
    max_thresholds : int or None
        As in `OptimalTreeClassifier`.
    added : dict
        By column, tests that are wanted beside those that are learned.

    Returns
    -------
    TrainingData
        The same rows, encoded. Of a table of zeros and ones all are kept, of others those of a
        positive weight.
    """
    weight = checked_weight(sample_weight, len(table))
    classes, codes = encode_labels(y)
    binary = None if table.numbers is None else zeros_and_ones(table.numbers)
    if binary is not None:
        shared = isinstance(table.numbers, np.ndarray) and np.may_share_memory(
            binary, table.numbers
        )
        return binary_training_data(binary, codes, weight, classes, table.names, is_shared=shared)
    learned = learn_tests(table, weight, max_thresholds, added)
    kept = positive_rows(weight)
    if weight is not None and kept is not None:
        codes, weight = codes[kept], weight[kept]
    return TrainingData(
        learned.tests.fails(learned.encoded),
        codes,
        weight,
        classes,
        learned.columns,
        learned.tests,
        SearchSpace(
            learned.columns.names,
            tuple(np.bincount(learned.tests.column, minlength=table.shape[1]).tolist()),
            tuple(learned.possible.tolist()),
        ),
        table.names,
        added,
        {
            (j, threshold): place
            for j, places in learned.places.items()
            for threshold, place in zip(added[j].thresholds, places.tolist(), strict=True)
        },
        is_shared=False,
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
    """Return rows of zeros and ones as they are: each column is its own test.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_columns)
        Zeros and ones, C-contiguous.
    codes, weight, classes, names, is_shared
        As in `TrainingData`.

    Returns
    -------
    TrainingData
        All rows, those of weight zero too.
    """
    n_columns = X.shape[1]
    columns = Columns.all_binary(names, n_columns)
    ones = (1,) * n_columns
    return TrainingData(
        X,
        codes,
        weight,
        classes,
        columns,
        SplitTests.all_binary(n_columns),
        SearchSpace(columns.names, ones, ones),
        names,
        {},
        None,
        is_shared=is_shared,
    )


def zeros_and_ones(X: Any) -> NDArray[np.uint8] | None:
    """Return zeros and ones of any type as a C-contiguous array of bytes.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
        Booleans, integers or floats.

    Returns
    -------
    ndarray of uint8, shape (n_rows, n_columns), or None
        The same values; the same memory where `X` already is such an array, or a boolean one. None
        if there are others than 0 and 1.
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


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted distinct labels, and the position of each row's label among them.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels of one sortable type.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The distinct labels.
    codes : ndarray of int32, shape (n_rows,)
        ``classes[codes]`` equals `y`.
    """
    if y.dtype.kind in "iu":
        low = y.min()
        if int(y.max()) - int(low) < TABLE:
            # The usual labels are a few small integers: count them instead of sorting rows.
            offsets = y.astype(np.int64) - low.astype(np.int64)
            present = np.bincount(offsets) > 0
            classes = (np.flatnonzero(present) + low.astype(np.int64)).astype(y.dtype)
            codes = (np.cumsum(present) - 1).astype(np.int32)
            return classes, codes[offsets]
    classes, inverse = np.unique(y, return_inverse=True)
    return classes, inverse.astype(np.int32)

"""Tables as zeros and ones: the answers to tests of their columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from beamtree._table.boosted_thresholds import guessed_thresholds
from beamtree._table.columns import Columns
from beamtree._table.learn_tests import learn_tests
from beamtree._table.row_weights import checked_weight, positive_rows
from beamtree._table.split_tests import SplitTests
from beamtree._table.table import open_table
from beamtree._util.validation import Allowed, integer, or_none, takes_any_table

__all__ = ["Binarizer"]

MAX_THRESHOLDS = or_none(integer(1))
STRATEGY = Allowed(
    "'quantile' or 'guess'",
    lambda value: isinstance(value, str) and value in ("quantile", "guess"),
)


class Binarizer(TransformerMixin, BaseEstimator):
    """Turn a table into zeros and ones, the answers to tests of its columns.

    The tests are those that `OptimalTreeClassifier` searches: ``x <= t`` for columns of numbers,
    ``x == c`` for columns of categories, and whether a value is missing for columns in which
    some are. Numbers are compared as float32, as scikit-learn's trees do. A column of two
    categories has one test, a constant column none.

    Parameters
    ----------
    max_thresholds : int or None, default=32
        Largest number of thresholds, or of categories, of a column. A column of at most that many
        has them all: a threshold between every two neighbouring values, a test for every category.
        Others have those that `strategy` chooses, or the most frequent categories. None takes all.
    strategy : {"quantile", "guess"}, default="quantile"
        Which thresholds a column of many values gets: ``"quantile"`` divides its weight into equal
        parts. ``"guess"`` takes the thresholds that gradient boosting uses, those of the largest
        gain; it needs labels, and chooses for every column of numbers, also one of few values.

    Attributes
    ----------
    columns_ : Columns
        What the columns are.
    tests_ : SplitTests
        The tests, in the order of the columns of the output.
    lossless_ : bool
        Whether the tests are all that there are.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they had names that are all strings.

    Examples
    --------
    >>> from beamtree import Binarizer
    >>> X = [[20, "red"], [30, "blue"], [None, "red"], [30, "green"]]
    >>> binarizer = Binarizer().fit(X)
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 25', 'x0 is missing', 'x1 == blue', 'x1 == green', 'x1 == red']
    >>> binarizer.transform(X)
    array([[1, 0, 0, 0, 1],
           [0, 0, 1, 0, 0],
           [0, 1, 0, 0, 1],
           [0, 0, 0, 1, 0]], dtype=uint8)
    >>> binarizer.lossless_
    True
    """

    columns_: Columns
    tests_: SplitTests
    lossless_: bool
    n_features_in_: int

    def __init__(self, max_thresholds: int | None = 32, strategy: str = "quantile") -> None:
        self.max_thresholds = max_thresholds
        self.strategy = strategy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tests of a table.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            Numbers, booleans, text or categories, some of which may be missing.
        y : array-like of shape (n_rows,), default=None
            Labels, which only ``strategy="guess"`` looks at.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, at least 0 and not all 0. Rows of weight zero are dropped.

        Returns
        -------
        Binarizer
            The transformer itself.
        """
        MAX_THRESHOLDS.check("max_thresholds", self.max_thresholds)
        STRATEGY.check("strategy", self.strategy)
        table = open_table(X, self)
        validate_data(self, X, skip_check_array=True)
        weight = checked_weight(sample_weight, len(table))
        learned = learn_tests(table, weight, self.max_thresholds)
        if self.strategy == "guess":
            labels, inside = self._labels(y, len(table)), weight
            kept = positive_rows(weight)
            if weight is not None and kept is not None:
                labels, inside = labels[kept], weight[kept]
            guesses = guessed_thresholds(learned.encoded, labels, inside)
            learned = learn_tests(table, weight, self.max_thresholds, only=guesses)
        self.columns_, self.tests_ = learned.columns, learned.tests
        self.lossless_ = len(learned.tests) == int(learned.possible.sum())
        return self

    def _labels(self, y: Any, n_rows: int) -> NDArray[Any]:
        if y is None:
            msg = "strategy='guess' requires y to be passed, but the target y is None"
            raise ValueError(msg)
        labels: NDArray[Any] = _check_y(y, estimator=self)
        check_classification_targets(labels)
        check_consistent_length(labels, np.empty(n_rows))
        return labels

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Answer the tests.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            A table with the columns of `fit`. A category that `fit` did not see is none of those
            that are tested.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_tests)
            1 where the answer is yes.
        """
        check_is_fitted(self)
        table = open_table(X, self)
        validate_data(self, X, skip_check_array=True, reset=False)
        fails = self.tests_.fails(self.columns_.encode(table))
        # A test of "is missing" holds where the value is known; its question is the opposite.
        fails ^= ~self.tests_.asks_if_missing.view(np.uint8) & 1
        return fails

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the tests in words.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns; by default those that `fit` saw, or ``x0``, ``x1``, ...

        Returns
        -------
        ndarray of str objects, shape (n_tests,)
            For example ``"age <= 34.5"``, ``"colour == red"``, ``"age is missing"``.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        columns = replace(self.columns_, names=tuple(names))
        return np.array(self.tests_.words(columns), dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that it takes any table, and gives integers."""
        tags = takes_any_table(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags

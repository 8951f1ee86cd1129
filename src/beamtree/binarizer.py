"""A transformer that turns a table into zeros and ones, the results of its split tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from beamtree._engine.settings import SETTINGS
from beamtree._table.boosted_thresholds import guessed_thresholds
from beamtree._table.columns import Columns
from beamtree._table.features import accept_any_table, open_features
from beamtree._table.labels import checked_labels, encode_labels
from beamtree._table.learn_tests import learn_tests
from beamtree._table.row_weights import checked_weight
from beamtree._table.split_tests import SplitTests
from beamtree._util.validation import Allowed

__all__ = ["Binarizer"]

MAX_THRESHOLDS = SETTINGS["max_thresholds"].allowed
STRATEGY = Allowed(
    "'quantile' or 'guess'",
    lambda value: isinstance(value, str) and value in ("quantile", "guess"),
)


class Binarizer(TransformerMixin, BaseEstimator):
    """Turn a table into zeros and ones, the results of tests of its columns.

    The tests are those from which `OptimalTreeClassifier` with the same `max_thresholds` chooses:
    ``x <= t`` for columns of numbers, dates and ordered categories, ``x == c`` and ``x in (...)``
    for other categories, and whether a value is missing for columns with missing values. In such a
    column, a test exists twice: missing values fail the first, and pass the second, for example
    ``x <= t or missing``. A column of two categories has one test, and a constant column has no
    test.

    The tests ``x in (...)`` are groups of categories along their share of a class, so they need
    labels. Without `y`, or with a `y` that has other targets than classes, only the tests of single
    categories are there, and `lossless_` is false if a column has more than three of them.

    Parameters
    ----------
    max_thresholds : int or None, default=32
        Largest number of thresholds, or of categories, of a column. A column with at most this many
        possible tests has all of them: one threshold between every two neighbouring values, one
        test per category. Other columns have the thresholds that `strategy` chooses, or the most
        frequent categories. None means all thresholds, and at most 128 categories. If numbers are
        missing, each threshold has two tests.
    strategy : {"quantile", "guess"}, default="quantile"
        How thresholds are chosen. ``"quantile"`` divides the weight of a column with many values
        into equal parts. ``"guess"`` uses the thresholds with the largest gain in a model of
        gradient boosting; it needs labels, and chooses the thresholds of all columns of numbers,
        also of those with few values.

    Attributes
    ----------
    columns_ : Columns
        Names and categories of the columns of X.
    tests_ : SplitTests
        The tests, in the order of the columns of the output.
    lossless_ : bool
        Whether every column has all its possible tests.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them have names that are strings.

    Examples
    --------
    >>> from beamtree import Binarizer
    >>> X = [[20, "red"], [30, "blue"], [None, "red"], [30, "green"]]
    >>> binarizer = Binarizer().fit(X)
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 25', 'x0 is missing', 'x0 <= 25 or missing', 'x1 == blue', 'x1 == green', 'x1 == red']
    >>> binarizer.transform(X)
    array([[1, 0, 1, 0, 0, 1],
           [0, 0, 0, 1, 0, 0],
           [0, 1, 1, 0, 0, 1],
           [0, 0, 0, 0, 1, 0]], dtype=uint8)
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
            Numbers, booleans, text, categories or dates. Values may be missing.
        y : array-like of shape (n_rows,), default=None
            Labels, by which categories are grouped; ``strategy="guess"`` needs them, too.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, which are at least 0 and not all 0. Rows of weight zero are
            dropped.

        Returns
        -------
        Binarizer
            The transformer itself.
        """
        MAX_THRESHOLDS.check("max_thresholds", self.max_thresholds)
        STRATEGY.check("strategy", self.strategy)
        table = open_features(X, self, reset=True)
        weight = checked_weight(sample_weight, len(table))
        labels = None if y is None else _class_numbers(y, len(table), self)
        learned = learn_tests(table, weight, self.max_thresholds, labels)
        if self.strategy == "guess":
            classes = learned.keep(self._labels(y, len(table)))
            encoded = [learned.keep(column) for column in learned.columns.encode(table)]
            guesses = guessed_thresholds(encoded, classes, learned.weight)
            learned = learn_tests(table, weight, self.max_thresholds, labels, only=guesses)
        self.columns_, self._orders = learned.columns, learned.orders
        self.tests_ = learned.orders.tests(np.arange(learned.orders.n_tests))
        self.lossless_ = learned.space.lossless
        return self

    def _labels(self, y: Any, n_rows: int) -> NDArray[Any]:
        if y is None:
            msg = "strategy='guess' requires y to be passed, but the target y is None"
            raise ValueError(msg)
        return checked_labels(y, n_rows, self)

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Evaluate the tests.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            A table with the columns of `fit`. A category that `fit` did not see fails every test
            of a category.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_tests)
            1 if the test, as `get_feature_names_out` words it, is true for the row.
        """
        check_is_fitted(self)
        table = open_features(X, self, reset=False)
        fails = self._orders.rank(self.columns_.encode(table)).fails()
        # The test for missing values holds if the value is known, but its words say the opposite.
        fails ^= ~self.tests_.asks_if_missing.view(np.uint8) & 1
        return fails

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the tests in words.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of X; by default those that `fit` saw, or ``x0``, ``x1``, ...

        Returns
        -------
        ndarray of str objects, shape (n_tests,)
            For example ``"age <= 34.5"``, ``"colour == red"``, ``"age is missing"``.
        """
        check_is_fitted(self)
        columns = self.columns_
        if input_features is not None:
            names = _check_feature_names_in(self, input_features)
            columns = replace(columns, names=tuple(names))
        return np.array(self.tests_.words(columns), dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Return tags that say that any table is accepted and that the output has integers."""
        tags = accept_any_table(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags


def _class_numbers(y: Any, n_rows: int, estimator: Any) -> NDArray[np.int32] | None:
    """Return the numbers of the classes of rows; None if `y` has other targets than classes."""
    if type_of_target(y) not in ("binary", "multiclass"):
        return None
    return encode_labels(checked_labels(y, n_rows, estimator))[1]

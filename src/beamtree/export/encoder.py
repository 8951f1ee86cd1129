"""A transformer that turns tests of categories into columns of zeros and ones."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from beamtree._table.columns import Columns
from beamtree._table.features import accept_any_table, open_features
from beamtree._table.wording import words_of_test


class CategoryTest(NamedTuple):
    """A test of a column of categories.

    Parameters
    ----------
    column : int
        Position of the column.
    categories : tuple of int or None
        Positions of the categories that pass the test; None for the test that asks whether the
        value is missing.
    missing_passes : bool
        Whether a missing value passes the test.

    Examples
    --------
    >>> from beamtree.export.encoder import CategoryTest
    >>> CategoryTest(0, (1, 2), missing_passes=False).categories
    (1, 2)
    """

    column: int
    categories: tuple[int, ...] | None
    missing_passes: bool


class TreeEncoder(TransformerMixin, BaseEstimator):
    """Transformer that turns a table with categories into the numbers that a tree tests.

    Columns of numbers come first, as they are, with NaN for missing values. Then there is one
    column for each test of categories: 1 where the test holds and 0 where it fails. A category that
    `fit` of the tree did not see fails every test. A missing value passes the tests that say so, so
    that these columns have no NaN. `to_sklearn` makes the encoder of a tree; it learns nothing from
    the table that is given to `fit` except the names of its columns.

    Parameters
    ----------
    columns : Columns
        The columns of the table, as in `OptimalTreeClassifier.columns_`.
    tests : tuple of CategoryTest
        The tests of categories.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns. They exist if the table had names that are all strings.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> X = [["red", 3.0], ["blue", 1.5], ["green", 2.0], ["red", 1.0]]
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "b", "b", "a"])
    >>> encoder = clf.to_sklearn()[0]
    >>> encoder.get_feature_names_out().tolist()
    ['x1', 'x0 == red']
    >>> encoder.transform([["red", 7.0], ["black", None]])
    array([[ 7.,  1.],
           [nan,  0.]])
    """

    def __init__(self, columns: Columns, tests: tuple[CategoryTest, ...]) -> None:
        self.columns = columns
        self.tests = tests

    def __sklearn_tags__(self) -> Any:
        """Return tags that say that the transformer accepts any table."""
        return accept_any_table(super().__sklearn_tags__())

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Remember the names of the columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of the tree.
        y : object, default=None
            Not used.

        Returns
        -------
        TreeEncoder
            The transformer itself.
        """
        open_features(X, self, reset=True)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the columns of numbers, and whether the tests of categories hold.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of the tree.

        Returns
        -------
        ndarray of float64, shape (n_rows, n_columns_out)
            The numbers.
        """
        check_is_fitted(self, "n_features_in_")
        encoded = self.columns.encode(open_features(X, self, reset=False))
        numbers = [np.ma.filled(encoded[j].astype(np.float64), np.nan) for j in self._numbers]
        tests = [_holds(test, encoded[test.column]) for test in self.tests]
        return np.column_stack([*numbers, *tests])

    def get_feature_names_out(
        self,
        input_features: Any = None,  # noqa: ARG002
    ) -> NDArray[np.object_]:
        """Return the names of the columns of numbers, and the tests in words.

        Parameters
        ----------
        input_features : object, default=None
            Not used; the names are those that the tree knows.

        Returns
        -------
        ndarray of object, shape (n_columns_out,)
            For example ``age``, ``colour == red``, ``colour in (blue, red) or missing``,
            ``size <= medium``, ``colour is missing``.
        """
        tests = [
            words_of_test(
                self.columns,
                test.column,
                np.inf if test.categories is None else np.nan,
                test.categories,
                missing_go_to_left=test.missing_passes,
            ).holds
            for test in self.tests
        ]
        return np.array([*(self.columns.names[j] for j in self._numbers), *tests], dtype=object)

    @property
    def _numbers(self) -> list[int]:
        return [j for j, known in enumerate(self.columns.categories) if known is None]


def _holds(test: CategoryTest, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    missing = np.isnan(positions)
    holds = np.isin(positions, test.categories or ())
    holds[missing] = test.missing_passes
    return holds.astype(np.float64)

"""The predictions of an estimator with a fitted tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from beamtree._table.columns import Columns
from beamtree._table.features import accept_any_table, open_features
from beamtree.tree import Tree

# Attributes that scikit-learn sets when it checks the data, before the search begins.
SEEN = ("n_features_in_", "feature_names_in_")


@contextmanager
def restore_features_on_failure(estimator: TreePredictorMixin) -> Iterator[None]:
    """Restore the features that an earlier fit saw if a fit fails before it has a tree.

    Parameters
    ----------
    estimator : TreePredictorMixin
        The estimator that is fitted inside the ``with`` statement.
    """
    attributes = vars(estimator)
    before = {name: attributes[name] for name in (*SEEN, "tree_") if name in attributes}
    try:
        yield
    except BaseException:
        if attributes.get("tree_") is before.get("tree_"):
            for name in SEEN:
                attributes.pop(name, None)
            attributes.update(before)
        raise


class TreePredictorMixin:
    """Mixin of an estimator that has `columns_` and `tree_`, with what is alike for all trees."""

    columns_: Columns
    tree_: Tree

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a tree; a failed fit may leave other attributes."""
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        """Return tags that say that the estimator accepts any table."""
        return accept_any_table(super().__sklearn_tags__())  # type: ignore[misc]

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the number of the leaf that each row reaches.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The leaf of each row, as a node of `tree_`.
        """
        rows = self._check_rows(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return the nodes that each row passes through.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 if the row passes through the node of `tree_`.
        """
        rows = self._check_rows(X)
        return self.tree_.decision_path(rows)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much of the drop of the training error each column accounts for.

        The training error is the misclassified weight, or its cost, or the squared error of a
        regressor, or the regret of a policy. A split lowers it from what a leaf in its place would
        have to what two leaves below would have; this drop belongs to the tested column. The leaf
        penalty does not count. The array has one number per column of X, and adds up to 1, or has
        only zeros if no split lowers the error, as in a single leaf. A split that is needed may
        drop nothing: in ``x0 xor x1`` the first split lowers no error, and its column has the
        importance 0.
        """
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def get_depth(self) -> int:
        """Return the depth of the tree, which may be less than `max_depth`.

        Returns
        -------
        int
            The depth of the deepest leaf.
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Returns
        -------
        int
            The number of leaves.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _check_rows(self, X: Any) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        check_is_fitted(self)
        return self.columns_.tree_input(open_features(X, self, reset=False))


class ClassPredictorMixin(TreePredictorMixin):
    """Mixin with the predictions of a classifier, which also has `classes_`."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The label of the largest weight in the leaf of each row, or of the lowest cost if there
            are costs; the first of those that tie.
        """
        leaf = self.apply(X)
        label: NDArray[Any] = self.classes_[self.tree_.prediction]
        return label[leaf]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probabilities of the labels.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes_)
            Share of each label in the weight of the training rows in the same leaf, smoothed as
            `leaf_smoothing` says. The largest one is that of the label that `predict` returns,
            unless there are costs.
        """
        rows = self._check_rows(X)
        return self.tree_.predict(rows)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the labels' probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes_)
            Logarithm of `predict_proba`, which is minus infinity for a probability of 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class NumberPredictorMixin(TreePredictorMixin):
    """Mixin with the predictions of a regressor."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the numbers of rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            A table with the columns of `fit`. A category that `fit` did not see fails every test of
            categories. A missing value goes to the side that the node names, which is the right one
            if the column had no missing values in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The weighted mean of the training rows in the leaf of each row.
        """
        leaf = self.apply(X)
        return self.tree_.value[:, 0, 0][leaf]

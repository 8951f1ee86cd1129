"""What a classifier with a fitted tree can do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from beamtree._table.columns import Columns
from beamtree._table.table import open_table
from beamtree._util.validation import takes_any_table
from beamtree.tree import Tree

# What scikit-learn's checks of the data set, before anything else is fitted.
SEEN = ("n_features_in_", "feature_names_in_")


@contextmanager
def unless_refused(classifier: TreePredictor) -> Iterator[None]:
    """Leave the features that an earlier fit saw, if a fit ends before it has a tree.

    Parameters
    ----------
    classifier : TreePredictor
        The classifier that is fitted meanwhile.
    """
    attributes = vars(classifier)
    before = {name: attributes[name] for name in (*SEEN, "tree_") if name in attributes}
    try:
        yield
    except BaseException:
        if attributes.get("tree_") is before.get("tree_"):
            for name in SEEN:
                attributes.pop(name, None)
            attributes.update(before)
        raise


class TreePredictor:
    """Predictions of a classifier that has `classes_`, `columns_` and `tree_`."""

    classes_: NDArray[Any]
    columns_: Columns
    tree_: Tree

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a tree: what a refused fit leaves behind is none."""
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that it takes any table."""
        return takes_any_table(super().__sklearn_tags__())  # type: ignore[misc]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The columns of `fit`. A category that `fit` did not see is none of those that are
            tested; a missing value goes right.

        Returns
        -------
        ndarray of shape (n_rows,)
            The label of the largest weight in each row's leaf, or of the least cost if there is a
            cost matrix; the first of those that tie.
        """
        leaf = self.apply(X)
        label: NDArray[Any] = self.classes_[self.tree_.prediction]
        return label[leaf]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probabilities of the labels.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The columns of `fit`. A category that `fit` did not see is none of those that are
            tested; a missing value goes right.

        Returns
        -------
        ndarray of shape (n_rows, n_classes_)
            Share of each label in the training weight of the row's leaf.
        """
        rows = self._check_rows(X)
        return self.tree_.predict(rows)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the labels' probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The columns of `fit`. A category that `fit` did not see is none of those that are
            tested; a missing value goes right.

        Returns
        -------
        ndarray of shape (n_rows, n_classes_)
            Logarithm of `predict_proba`; minus infinity where that is 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the number of the leaf that each row reaches.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The columns of `fit`. A category that `fit` did not see is none of those that are
            tested; a missing value goes right.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers of nodes of `tree_`.
        """
        rows = self._check_rows(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The columns of `fit`. A category that `fit` did not see is none of those that are
            tested; a missing value goes right.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node of `tree_`.
        """
        rows = self._check_rows(X)
        return self.tree_.decision_path(rows)

    def get_depth(self) -> int:
        """Return the depth of the tree, which may be less than `max_depth`.

        Returns
        -------
        int
            Depth of the deepest leaf.
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Returns
        -------
        int
            Number of leaves.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _check_rows(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        table = open_table(X, self)
        validate_data(self, X, skip_check_array=True, reset=False)
        return self.columns_.rows(table)

"""The features of scikit-learn's estimators that accept any table."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from beamtree._table.table import Table, open_table


def open_features(X: Any, estimator: Any, *, reset: bool) -> Table:
    """Open the table of an estimator, and set or check the number and names of its features.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    estimator : estimator
        The estimator.
    reset : bool
        Whether to set ``n_features_in_`` and ``feature_names_in_``, as `fit` does. If not, the
        table must agree with them.

    Returns
    -------
    Table
        The table; no column has been read yet.
    """
    table = open_table(X, estimator)
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    return table


def accept_any_table(tags: Any) -> Any:
    """Set the tags that say that an estimator accepts any table.

    Parameters
    ----------
    tags : Tags
        The tags that scikit-learn's base classes return.

    Returns
    -------
    Tags
        The same object.
    """
    for name in ("allow_nan", "categorical", "sparse", "string"):
        setattr(tags.input_tags, name, True)
    return tags

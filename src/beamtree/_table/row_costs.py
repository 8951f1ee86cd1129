"""Checking the costs of rows, and the rewards of actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from beamtree._util.validation import Allowed

# The parameter `actions`.
ACTIONS = Allowed(
    "None or a sequence of different texts, numbers or booleans",
    lambda value: (
        value is None
        or (
            isinstance(value, Sequence | np.ndarray)
            and not isinstance(value, str)
            and all(isinstance(name, str | int | float | bool | np.generic) for name in value)
        )
    ),
)
# Sums of larger rewards may be too large for a float64.
LARGEST = 1e200


def checked_costs(
    sample_costs: Any, n_rows: int, classes: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Return the costs of rows as an array, after checking them.

    Parameters
    ----------
    sample_costs : array-like of shape (n_rows, n_classes) or None
        For each row, the cost of predicting each label.
    n_rows : int
        Number of rows.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.

    Returns
    -------
    ndarray of float64, shape (n_rows, n_classes), or None
        The costs.

    Raises
    ------
    ValueError
        If there is not one finite cost of at least 0 for each row and label.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.row_costs import checked_costs
    >>> checked_costs([[0, 2], [1, 0], [5, 0]], 3, np.array(["dry", "wet"]))
    array([[0., 2.],
           [1., 0.],
           [5., 0.]])
    """
    if sample_costs is None:
        return None
    table = _table("sample_costs", sample_costs, n_rows)
    if table.shape[1] != len(classes):
        msg = (
            f"sample_costs must have a column for each of the {len(classes)} labels "
            f"{classes.tolist()}, got the shape {table.shape}"
        )
        raise ValueError(msg)
    if (table < 0.0).any():
        row, column = np.argwhere(table < 0.0)[0].tolist()
        msg = (
            f"sample_costs must be at least 0, got {table[row, column]} for label "
            f"{classes[column]} of row {row}"
        )
        raise ValueError(msg)
    return table


def checked_rewards(
    rewards: Any, actions: Sequence[Any] | None, n_rows: int, estimator: Any
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the rewards of actions, and the names of the actions, after checking them.

    Parameters
    ----------
    rewards : array-like or data frame of shape (n_rows, n_actions)
        For each row, the reward of each action.
    actions : sequence or None
        The names of the actions; None for the columns of a data frame or the numbers from 0.
    n_rows : int
        Number of rows.
    estimator : estimator or str
        The estimator that needs the rewards, or its name, for errors.

    Returns
    -------
    rewards : ndarray of float64, shape (n_rows, n_actions)
        The rewards.
    actions : ndarray of shape (n_actions,)
        The names, or numbers.

    Raises
    ------
    ValueError
        If there is not one finite reward for each row and action, or if a data frame has the
        actions in another order.

    Examples
    --------
    >>> from beamtree._table.row_costs import checked_rewards
    >>> checked_rewards([[0, -2], [1, 0.5]], ["none", "treat"], 2, None)
    (array([[ 0. , -2. ],
           [ 1. ,  0.5]]), array(['none', 'treat'], dtype='<U5'))
    """
    if rewards is None:
        # The error of scikit-learn for a missing y.
        name = estimator if isinstance(estimator, str) else type(estimator).__name__
        msg = f"{name} requires y to be passed, but the target y is None"
        raise ValueError(msg)
    table = _table("rewards", rewards, n_rows)
    if (largest := float(np.abs(table).max())) > LARGEST:
        msg = f"rewards must be from -{LARGEST:g} to {LARGEST:g}, got {largest!r}: scale them"
        raise ValueError(msg)
    columns = getattr(rewards, "columns", None)
    columns = None if columns is None else list(columns)
    if actions is None:
        return table, _names(columns or range(table.shape[1]), table.shape[1])
    names = _names(actions, table.shape[1])
    if columns is not None and columns != names.tolist() and set(columns) == set(names.tolist()):
        msg = f"rewards must have the columns in the order {names.tolist()}, got {columns}"
        raise ValueError(msg)
    return table, names


def names_of_actions(actions: NDArray[Any]) -> list[Any] | None:
    """Return the value of the parameter `actions` that gives these names.

    Parameters
    ----------
    actions : ndarray of shape (n_actions,)
        The names, or numbers, of the actions.

    Returns
    -------
    list or None
        The names; None if they are the numbers from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.row_costs import names_of_actions
    >>> names_of_actions(np.array(["none", "treat"])), names_of_actions(np.array([0, 1]))
    (['none', 'treat'], None)
    """
    names: list[Any] = actions.tolist()
    return None if names == list(range(len(names))) else names


def _table(name: str, value: Any, n_rows: int) -> NDArray[np.float64]:
    """Return a table of finite numbers, one line per row."""
    try:
        table = np.asarray(value)
        if table.dtype.kind not in "biuf":
            table = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} must have finite numbers only: {error}"
        raise ValueError(msg) from error
    if table.ndim != 2 or table.shape[1] == 0:
        what = "label" if name == "sample_costs" else "action"
        msg = (
            f"{name} must be a table with one line per row and one column per {what}, got an "
            f"array of shape {table.shape}"
        )
        raise ValueError(msg)
    check_consistent_length(np.empty(n_rows), table)
    table = table.astype(np.float64)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0].tolist()
        msg = (
            f"{name} must have finite numbers only, got {table[row, column]} (infinity or NaN) in "
            f"row {row}, column {column}"
        )
        raise ValueError(msg)
    return table


def _names(value: Any, n_actions: int) -> NDArray[Any]:
    """Return the names of the actions as an array."""
    names = list(value)
    if len(names) != n_actions:
        msg = (
            f"rewards must have a column for each action: there are {n_actions} columns, and the "
            f"actions are {names!r}"
        )
        raise ValueError(msg)
    if len(set(names)) < n_actions:
        msg = f"actions must have different names, got {names!r}"
        raise ValueError(msg)
    known = np.array(names)
    return known if known.ndim == 1 and known.tolist() == names else np.array(names, dtype=object)

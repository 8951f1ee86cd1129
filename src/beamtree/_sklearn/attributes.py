"""The attributes of a fitted estimator that follow from the result of a search."""

from __future__ import annotations

from typing import Any

from beamtree._sklearn.leaf_smoothing import smoothed
from beamtree._table.training_data import TrainingData
from beamtree.result import Result


def fitted_attributes(
    result: Result, data: TrainingData, leaf_smoothing: float | str | None
) -> dict[str, Any]:
    """Return the attributes of an estimator that is fitted with the tree of a search.

    Parameters
    ----------
    result : Result
        The best tree, and what is proved about it.
    data : TrainingData
        The rows of the search.
    leaf_smoothing : float, "laplace" or None
        As in `OptimalTreeClassifier`; None for a tree that predicts numbers, or is a policy.

    Returns
    -------
    dict
        Values by name: all attributes except ``alternatives_`` and those that scikit-learn sets.
    """
    attributes = {
        "columns_": data.columns,
        "search_space_": data.space,
        "status_": result.status,
        "proof_": result.proof,
        "objective_": result.objective,
        "lower_bound_": result.lower_bound,
        "gap_": result.gap,
        "n_leaves_bound_": result.n_leaves_bound,
        "rounding_": result.rounding,
        "trace_": result.trace,
        "tree_": smoothed(result.tree, leaf_smoothing),
        "statistics_": result.statistics,
    }
    if data.numbers is not None:
        return attributes
    if data.rewards is not None:
        tree = result.tree
        rewards = {
            "actions_": data.classes,
            "n_actions_": len(data.classes),
            "reward_": result.reward,
            "reward_bound_": result.reward_bound,
            "regret_": float(tree.error[tree.feature < 0].sum()),
        }
        return rewards | attributes
    classes = {
        "classes_": data.classes,
        "n_classes_": len(data.classes),
        "n_errors_": result.n_errors,
    }
    return classes | attributes

"""What the exports need of a fitted estimator, whatever its class is.

The estimators are built on the exports, so the exports cannot import them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from beamtree._table.columns import Columns
from beamtree.alternatives import Alternatives
from beamtree.search_space import SearchSpace
from beamtree.tree import Tree


class EstimatorLike(Protocol):
    """An estimator with a tree, or one whose ``best_estimator_`` has the tree.

    `fitted_estimator` checks that there is one.
    """


class FittedEstimator(Protocol):
    """What the exports read of a fitted estimator.

    An `OptimalTreeClassifier` also has ``classes_`` and ``n_errors_``, and an `OptimalPolicyTree`
    has ``actions_`` and rewards.
    """

    columns_: Columns
    tree_: Tree
    search_space_: SearchSpace
    status_: str
    proof_: str
    objective_: float
    lower_bound_: float
    n_leaves_bound_: int
    rounding_: float
    trace_: NDArray[np.void]
    statistics_: dict[str, Any]
    alternatives_: Alternatives


def fitted_estimator(classifier: EstimatorLike) -> FittedEstimator:
    """Return the fitted estimator that has the tree.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The estimator, or any estimator whose ``best_estimator_`` is one.

    Returns
    -------
    OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The estimator itself, or its ``best_estimator_``.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If it has no tree of this package.
    """
    check_is_fitted(classifier)
    found: Any = getattr(classifier, "best_estimator_", classifier)
    if not isinstance(getattr(found, "tree_", None), Tree):
        what = f"{type(classifier).__name__}"
        if getattr(classifier, "refit", True) is False:
            what += " without a best_estimator_, because refit=False"
        msg = f"classifier must have a tree of beamtree, got {what}"
        raise ValueError(msg)
    fitted: FittedEstimator = found
    return fitted


def end_of_search(fitted: FittedEstimator) -> float:
    """Return the time at which the search ended, on the clock of ``trace_``.

    Models that were saved before there was such a number, and trees of a path, have only the time
    of the last improvement.
    """
    last = float(fitted.trace_["seconds"][-1])
    return max(last, float(fitted.statistics_.get("seconds", last)))

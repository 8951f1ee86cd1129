"""The choice of a tree's size by cross validation, before the search over all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.class_weight import weigh_classes
from beamtree._table.labels import encode_labels
from beamtree._table.table import Table
from beamtree._table.training_data import Predicted
from beamtree.cancel import CancelToken
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection import (
    OptimalPolicyTreeCV,
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
    leaf_path,
    penalty_path,
)
from beamtree.model_selection.leaves import ALLOWED as PATH_PARAMETERS
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor

# Shares of the time that the path over all rows and the folds may take; the rest is for the search.
PATH_SHARE, FOLDS_SHARE = 0.25, 0.5
# The score of each kind of tree, and how it is called.
SCORES: dict[Predicted, str] = {"labels": "accuracy", "numbers": "r2", "actions": "reward"}
SHOWN = {"accuracy": "accuracy", "r2": "R²", "reward": "mean reward"}


@dataclass(frozen=True)
class Sizes:
    """The sizes that were tried.

    Parameters
    ----------
    folds : int
        Number of folds.
    setting : {"leaf_penalty", "max_leaf_nodes"}
        The setting that was tried.
    rows : list of dict
        For each value that was tried: the ``value``, the mean number of ``leaves`` on the folds,
        the mean ``accuracy``, ``r2`` if numbers are predicted, or ``reward`` if actions are chosen,
        and its standard deviation over the folds, ``deviation``.
    best : int
        Position of the chosen value.
    """

    folds: int
    setting: str
    rows: list[dict[str, float]]
    best: int

    @property
    def value(self) -> float:
        """The value that was chosen."""
        return self.rows[self.best]["value"]

    def __str__(self) -> str:
        """Return a table, in which the chosen line has a star."""
        name = "penalty" if self.setting == "leaf_penalty" else "at most"
        score = next(one for one in SHOWN if one in self.rows[0])
        form = ".6g" if score == "reward" else ".4f"
        lines = [
            f"Cross validation with {self.folds} folds; the size with the star is taken",
            f"  {name:>10}  {'leaves':>6}  {SHOWN[score]}",
        ]
        lines += [
            f"{'*' if k == self.best else ' '} {row['value']:10.6g}  {row['leaves']:6.1f}  "
            f"{row[score]:{form}} +- {row['deviation']:{form}}"
            for k, row in enumerate(self.rows)
        ]
        return "\n".join(lines)


def choose_size(
    X: Table,
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    settings: dict[str, Any],
    folds: int,
    seconds: float | None,
    cancel: CancelToken,
    predicted: Predicted,
) -> Sizes:
    """Choose a leaf penalty, or a number of leaves if that is limited, by cross validation.

    Parameters
    ----------
    X : Table
        The rows.
    y : ndarray of str or float64, shape (n_rows,) or (n_rows, n_actions)
        The labels, the numbers to predict, or the rewards.
    weight : ndarray of float64, shape (n_rows,), or None
        The weights of the rows.
    settings : dict
        The settings of the search. If ``max_leaf_nodes`` is a number, it is the largest one that is
        tried, and otherwise penalties are tried.
    folds : int
        Number of folds.
    seconds : float or None
        How long the search and the cross validation may take together; None for no limit.
    cancel : CancelToken
        Token that ends all searches; the sizes then mean nothing.
    predicted : {"labels", "numbers", "actions"}
        What the leaves are.

    Returns
    -------
    Sizes
        The sizes that were tried, and the best one: the smallest of those with the best score.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    given = {name: value for name, value in settings.items() if name != "time_limit"}
    given["cancel"] = cancel
    class_weight = given.pop("class_weight")
    if predicted == "labels":
        # Mistakes weigh on the folds what they weigh in the search.
        classes, codes = encode_labels(y)
        weight = weigh_classes(class_weight, codes, classes, weight)
    limit, depth = given.pop("max_leaf_nodes"), given.pop("max_depth")
    penalty = given.pop("leaf_penalty")
    rest = {name: value for name, value in given.items() if name in PATH_PARAMETERS}
    rest |= {"max_depth": depth, "time_limit": _part(seconds, PATH_SHARE)}
    rest |= {"regression": predicted == "numbers", "policy": predicted == "actions"}
    penalties, numbers = [penalty], None
    if limit is None:
        path = penalty_path(X, y, sample_weight=weight, **rest)
        penalties = sorted({float(one) for one in path.table["leaf_penalty"]})
    else:
        found = leaf_path(X, y, sample_weight=weight, max_leaf_nodes=limit, **rest)
        numbers = sorted({tree.n_leaves for tree in found.trees})
    # Shuffled, since files are often sorted.
    shuffled: dict[str, Any] = {"shuffle": True, "random_state": 0}
    kinds: dict[Predicted, tuple[Any, Any, Any]] = {
        "labels": (OptimalTreeClassifierCV, OptimalTreeClassifier, StratifiedKFold),
        "numbers": (OptimalTreeRegressorCV, OptimalTreeRegressor, KFold),
        "actions": (OptimalPolicyTreeCV, OptimalPolicyTree, KFold),
    }
    cross_validated, kind, splitter = kinds[predicted]
    chooser = cross_validated(
        kind(**given),
        max_depths=[depth],
        leaf_penalties=penalties,
        max_leaf_nodes=numbers,
        cv=splitter(folds, **shuffled),
        refit=False,
        time_limit=_part(seconds, FOLDS_SHARE / folds),
    ).fit(X, y, weight)
    table, setting = chooser.cv_results_, "leaf_penalty" if limit is None else "max_leaf_nodes"
    tried = [
        {
            "value": params[setting],
            "leaves": float(table["mean_n_leaves"][k]),
            SCORES[predicted]: float(table["mean_test_score"][k]),
            "deviation": float(table["std_test_score"][k]),
        }
        for k, params in enumerate(table["params"])
    ]
    return Sizes(folds, setting, tried, int(chooser.best_index_))


def _part(seconds: float | None, share: float) -> float | None:
    return None if seconds is None else share * max(seconds, 0.0)

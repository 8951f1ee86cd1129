"""Choose the size of a tree, by cross validation or from the trees of all sizes."""

from beamtree.model_selection.cross_validation import (
    OptimalPolicyTreeCV,
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
)
from beamtree.model_selection.leaves import LeafPath, leaf_path
from beamtree.model_selection.path import PenaltyPath, penalty_path

__all__ = [
    "LeafPath",
    "OptimalPolicyTreeCV",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressorCV",
    "PenaltyPath",
    "leaf_path",
    "penalty_path",
]

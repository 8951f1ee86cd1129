"""Choose the size of a tree, by cross validation or from the trees of all leaf penalties."""

from beamtree.model_selection.cross_validation import OptimalTreeClassifierCV
from beamtree.model_selection.path import PenaltyPath, penalty_path

__all__ = ["OptimalTreeClassifierCV", "PenaltyPath", "penalty_path"]

"""How large a tree should be: cross validation, and all trees that a leaf penalty can give."""

from beamtree.model_selection.cross_validation import OptimalTreeClassifierCV
from beamtree.model_selection.path import PenaltyPath, penalty_path

__all__ = ["OptimalTreeClassifierCV", "PenaltyPath", "penalty_path"]

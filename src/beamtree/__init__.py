"""Decision trees that are provably the best of their depth."""

from importlib.metadata import version

from beamtree.cancel import CancelToken
from beamtree.checkpoint import CheckpointError
from beamtree.estimator import OptimalTreeClassifier
from beamtree.export import export_text
from beamtree.result import Incumbent, Result
from beamtree.search import Search
from beamtree.tree import Tree

__version__ = version("beamtree")

__all__ = [
    "CancelToken",
    "CheckpointError",
    "Incumbent",
    "OptimalTreeClassifier",
    "Result",
    "Search",
    "Tree",
    "__version__",
    "export_text",
]

"""Decision trees that are provably the best of their depth."""

from importlib.metadata import version

from beamtree.estimator import OptimalTreeClassifier
from beamtree.export import export_text
from beamtree.tree import Tree

__version__ = version("beamtree")

__all__ = ["OptimalTreeClassifier", "Tree", "__version__", "export_text"]

"""Decision trees that are provably the best of their size."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beamtree._resume.checkpoint_file import CheckpointError
    from beamtree.alternatives import Alternative, Alternatives
    from beamtree.binarizer import Binarizer
    from beamtree.cancel import CancelToken
    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.display import AnytimeDisplay
    from beamtree.export import export_graphviz, export_text
    from beamtree.model_selection import (
        LeafPath,
        OptimalPolicyTreeCV,
        OptimalTreeClassifierCV,
        OptimalTreeRegressorCV,
        PenaltyPath,
        leaf_path,
        penalty_path,
    )
    from beamtree.policy import OptimalPolicyTree
    from beamtree.regressor import OptimalTreeRegressor
    from beamtree.result import Incumbent, Result
    from beamtree.search import Search
    from beamtree.search_space import SearchSpace
    from beamtree.tree import Tree

    __version__: str

__all__ = [
    "Alternative",
    "Alternatives",
    "AnytimeDisplay",
    "Binarizer",
    "CancelToken",
    "CheckpointError",
    "Incumbent",
    "LeafPath",
    "OptimalPolicyTree",
    "OptimalPolicyTreeCV",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "PenaltyPath",
    "Result",
    "Search",
    "SearchSpace",
    "Tree",
    "__version__",
    "export_graphviz",
    "export_text",
    "leaf_path",
    "penalty_path",
]

# The module of each public name. Modules are imported on first use: importing scikit-learn takes a
# second, during which the command line could not handle signals yet.
_HOMES = {
    "Alternative": "alternatives",
    "Alternatives": "alternatives",
    "AnytimeDisplay": "display",
    "Binarizer": "binarizer",
    "CancelToken": "cancel",
    "CheckpointError": "_resume.checkpoint_file",
    "Incumbent": "result",
    "LeafPath": "model_selection",
    "OptimalPolicyTree": "policy",
    "OptimalPolicyTreeCV": "model_selection",
    "OptimalTreeClassifier": "classifier",
    "OptimalTreeClassifierCV": "model_selection",
    "OptimalTreeRegressor": "regressor",
    "OptimalTreeRegressorCV": "model_selection",
    "PenaltyPath": "model_selection",
    "Result": "result",
    "Search": "search",
    "SearchSpace": "search_space",
    "Tree": "tree",
    "export_graphviz": "export",
    "export_text": "export",
    "leaf_path": "model_selection",
    "penalty_path": "model_selection",
}
_MODULES = {home for home in _HOMES.values() if not home.startswith("_")} | {
    "dask",
    "datasets",
    "heuristics",
    "metrics",
    "objectives",
    "rules",
    "schedules",
    "study",
}


def __getattr__(name: str) -> Any:
    """Import a public name or a public module on first use."""
    if name == "__version__":
        from importlib.metadata import version

        return version("beamtree")
    if name in _MODULES:
        return import_module(f"beamtree.{name}")
    if name not in _HOMES:
        msg = f"module 'beamtree' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"beamtree.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, whether they have been imported or not."""
    return sorted({*globals(), *__all__, *_MODULES})

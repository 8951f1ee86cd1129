"""Trees in other forms, one a file."""

from beamtree.export.graphviz import export_graphviz
from beamtree.export.json import from_json, to_json
from beamtree.export.onnx import to_onnx
from beamtree.export.plot import plot_tree
from beamtree.export.python import to_python
from beamtree.export.rules import leaf_rules
from beamtree.export.sklearn import to_sklearn
from beamtree.export.sql import to_sql
from beamtree.export.text import export_text

__all__ = [
    "export_graphviz",
    "export_text",
    "from_json",
    "leaf_rules",
    "plot_tree",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sklearn",
    "to_sql",
]

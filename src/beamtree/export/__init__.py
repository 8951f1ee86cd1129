"""Fitted trees in other forms: text, pictures, code, and the formats of other programs.

Each public module writes one format. All of them begin in the same way: `_fitted` finds the fitted
classifier, and `_model` gathers its tree with the names of its columns and classes. `_words` turns
tests into questions for the formats that people read. `_float32_thresholds` chooses thresholds for
the systems that compare float32 numbers, and `encoder` turns categories into numbers for
scikit-learn. `plot` and `svg` draw what `_drawing` arranges with `_short_names` and `_layout`, in
the colours of `_colours`; `_box` is what notebooks show.
`html` makes a page from `page.html.j2`, `page.css` and `page.js`, with the picture of `_course`.
`json` writes a tree and `_json_reader` reads it, with the checks of `_json_values`.
"""

from beamtree.export.encoder import TreeEncoder
from beamtree.export.graphviz import export_graphviz
from beamtree.export.html import to_html
from beamtree.export.json import from_json, to_json
from beamtree.export.onnx import to_onnx
from beamtree.export.plot import plot_tree
from beamtree.export.python import to_python
from beamtree.export.rules import leaf_rules
from beamtree.export.sklearn import to_sklearn
from beamtree.export.sql import to_sql
from beamtree.export.svg import export_svg
from beamtree.export.text import export_text

__all__ = [
    "TreeEncoder",
    "export_graphviz",
    "export_svg",
    "export_text",
    "from_json",
    "leaf_rules",
    "plot_tree",
    "to_html",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sklearn",
    "to_sql",
]

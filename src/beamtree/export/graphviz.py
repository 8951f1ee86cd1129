"""A tree as a graph in dot, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Sequence

from beamtree.export._colours import as_hex, node_colours
from beamtree.export._fitted import EstimatorLike
from beamtree.export._model import Model
from beamtree.export._words import count_words, question_of, rows_words


def export_graphviz(
    classifier: EstimatorLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    r"""Return the tree of a fitted estimator in dot, the language of Graphviz.

    Graphviz itself need not be installed.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator.
    feature_names : sequence of str, optional
        Names of the columns; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels. A regressor has
        none.

    Returns
    -------
    str
        A graph, with a newline at the end.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier, export_graphviz
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> print(export_graphviz(clf, feature_names=["rain"]), end="")
    digraph tree {
      ordering=out;
      node [shape=box, style="rounded,filled", fontname="sans-serif", color="#555555"];
      edge [fontname="sans-serif", color="#555555"];
      0 [label="rain?\n2 rows", fillcolor="#f0f7fa"];
      0 -> 2 [label="yes"];
      0 -> 1 [label="no"];
      1 [label="dry\n1 row, 100%", fillcolor="#66aad1"];
      2 [label="wet\n1 row, 100%", fillcolor="#f0c566"];
    }
    """
    model = Model.of(classifier, feature_names, class_names)
    lines = [
        "digraph tree {",
        "  ordering=out;",
        '  node [shape=box, style="rounded,filled", fontname="sans-serif", color="#555555"];',
        '  edge [fontname="sans-serif", color="#555555"];',
    ]
    colours = node_colours(model)
    for node in range(model.tree.node_count):
        lines += _node(model, node, as_hex(colours[node]))
    return "\n".join([*lines, "}"]) + "\n"


def _node(model: Model, node: int, colour: str) -> list[str]:
    inner = model.tree.feature[node] >= 0
    question = question_of(model, node) if inner else None
    title = question.words if question else model.predicted(node)
    note = count_words(model, node) if question else rows_words(model, node)
    label = f"{_escaped(title)}\\n{note}"
    lines = [f'  {node} [label="{label}", fillcolor="{colour}"];']
    if question:
        lines += [f'  {node} -> {child} [label="{words}"];' for words, child in question.answers]
    return lines


def _escaped(text: str) -> str:
    """Escape backslashes, quotes and line breaks, and drop NUL, which dot cannot hold."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\0", "")

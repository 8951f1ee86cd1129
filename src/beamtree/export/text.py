"""A tree as indented text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from beamtree._table.columns import Columns
from beamtree.export._fitted import EstimatorLike
from beamtree.export._model import Model
from beamtree.export._words import question_of, rows_words
from beamtree.tree import Tree

# The largest number of lines of its tree that a classifier shows.
LINES = 40


def export_text(
    classifier: EstimatorLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Return the tree of a fitted estimator as text.

    Every question is followed by the subtree for yes, and then by the subtree for no. For a column
    of zeros and ones, the question is whether the value is 1. A leaf shows its class, its number of
    training rows, and the share of the class in their weight; that of a regressor shows its number,
    and ± the standard deviation of the training rows. Where the column had missing values
    in `fit`, the text says where they go: ``age is missing?``, ``age <= 34.5 or missing?``, or
    ``no or missing:``. In other columns, a missing value that comes later answers no, and counts as
    1 in a column that had only zeros and ones.

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
        The lines, without a newline at the end.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier, export_text
    >>> clf = OptimalTreeClassifier(max_depth=2)
    >>> clf = clf.fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "differ", "differ", "same"])
    >>> print(export_text(clf, feature_names=["left", "right"]))
    left?
      yes: right?
        yes: same (1 row, 100%)
        no: differ (1 row, 100%)
      no: right?
        yes: differ (1 row, 100%)
        no: same (1 row, 100%)
    """
    return "\n".join(_lines(Model.of(classifier, feature_names, class_names)))


def tree_text(tree: Tree, columns: Columns | Sequence[str], class_names: Sequence[Any]) -> str:
    """Return a tree, without a classifier, as `export_text` does.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : Columns or sequence of str
        The columns, or the names of columns of zeros and ones.
    class_names : sequence
        Names of all classes.

    Returns
    -------
    str
        The lines, without a newline at the end.

    Examples
    --------
    >>> from beamtree import Search
    >>> from beamtree.export.text import tree_text
    >>> result = Search([[0], [1]], [0, 1], max_depth=1).run()
    >>> print(tree_text(result.tree, ["left"], ["no", "yes"]))
    left?
      yes: yes (1 row, 100%)
      no: no (1 row, 100%)
    """
    if not isinstance(columns, Columns):
        columns = Columns.all_binary(tuple(columns), len(columns))
    names = tuple(str(name) for name in class_names)
    return "\n".join(_lines(Model(tree, columns, np.array(names), names)))


def first_lines(model: Model) -> str:
    """Return the text of a tree; of a large tree only the first lines, and how many follow.

    Parameters
    ----------
    model : Model
        The tree.

    Returns
    -------
    str
        The lines, without a newline at the end.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export.text import first_lines
    >>> clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], ["dry", "dry"])
    >>> first_lines(Model.of(clf))
    'dry (2 rows, 100%)'
    """
    lines = list(_lines(model))
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"... ({len(lines) - LINES + 1} more lines)"]
    return "\n".join(lines)


def _lines(model: Model, node: int = 0, depth: int = 0, answer: str = "") -> Iterator[str]:
    start = "  " * depth + answer
    if model.tree.feature[node] < 0:
        yield f"{start}{model.predicted(node)} ({rows_words(model, node)})"
        return
    question = question_of(model, node)
    yield f"{start}{question.words}"
    for words, child in question.answers:
        yield from _lines(model, child, depth + 1, f"{words}: ")

"""A tree as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from beamtree._columns import Columns
from beamtree._tests import words_of_test
from beamtree.estimator import OptimalTreeClassifier
from beamtree.tree import Tree


def export_text(
    classifier: OptimalTreeClassifier,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Return the tree of a fitted classifier as text.

    Every test is followed by the subtree for yes, then the one for no. A column of zeros and ones
    is tested for being 1. A leaf tells its class, its number of training rows, and the share of
    the class in their weight.

    Parameters
    ----------
    classifier : OptimalTreeClassifier
        The fitted classifier.
    feature_names : sequence of str, optional
        Names of the features; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels.

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
    check_is_fitted(classifier)
    if feature_names is None:
        numbered = [f"x{i}" for i in range(classifier.n_features_in_)]
        feature_names = getattr(classifier, "feature_names_in_", numbered)
    if class_names is None:
        class_names = [str(label) for label in classifier.classes_]
    for what, names, expected in (
        ("feature_names", feature_names, classifier.n_features_in_),
        ("class_names", class_names, classifier.n_classes_),
    ):
        if len(names) != expected:
            msg = f"{what} must have {expected} entries, got {len(names)}"
            raise ValueError(msg)
    columns = replace(classifier.columns_, names=tuple(feature_names))
    return tree_text(classifier.tree_, columns, class_names)


def tree_text(tree: Tree, columns: Columns | Sequence[str], class_names: Sequence[str]) -> str:
    """Return a tree as text, as `export_text` does.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : Columns or sequence of str
        The columns; names alone are those of columns of zeros and ones.
    class_names : sequence of str
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
        columns = Columns.of_zeros_and_ones(tuple(columns), len(columns))
    return "\n".join(_lines(tree, columns, class_names))


def _lines(
    tree: Tree,
    columns: Columns,
    class_names: Sequence[str],
    node: int = 0,
    depth: int = 0,
    answer: str = "",
) -> Iterator[str]:
    start = "  " * depth + answer
    feature = tree.feature[node]
    if feature < 0:
        share = tree.value[node, 0]
        rows = tree.n_node_samples[node]
        noun = "row" if rows == 1 else "rows"
        yield f"{start}{class_names[share.argmax()]} ({rows} {noun}, {share.max():.0%})"
        return
    threshold, category = float(tree.threshold[node]), int(tree.category[node])
    yes, no = tree.children_left[node], tree.children_right[node]
    words = words_of_test(columns, feature, threshold, category)
    is_one = columns.binary is not None and columns.binary[feature]
    if is_one:
        words = columns.names[feature]
    if is_one or threshold == np.inf:
        yes, no = no, yes
    yield f"{start}{words}?"
    for reply, child in (("yes: ", yes), ("no: ", no)):
        yield from _lines(tree, columns, class_names, child, depth + 1, reply)

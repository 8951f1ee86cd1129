"""Tests in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from beamtree.export._model import Model

# Units in the last place of a float32 by which a threshold in words may differ from the exact one.
UNITS = 2


class Question(NamedTuple):
    """The test of a node, as a question and its two answers.

    Parameters
    ----------
    words : str
        What is asked, without a question mark.
    holds, fails : str
        What a row has that answers yes, and one that answers no.
    yes, no : int
        The child that each goes to.

    Examples
    --------
    >>> from beamtree.export.words import Question
    >>> Question("age <= 34.5", "age <= 34.5", "age > 34.5", yes=1, no=2).words
    'age <= 34.5'
    """

    words: str
    holds: str
    fails: str
    yes: int
    no: int


def question_of(model: Model, node: int) -> Question:
    """Return the test of an inner node.

    Parameters
    ----------
    model : Model
        The tree, and the names of its columns.
    node : int
        An inner node.

    Returns
    -------
    Question
        The test in words. A missing value is on the side that fails, but for the test of it, and
        for that of a column of zeros and ones, where it counts as 1.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export.words import question_of
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> question_of(Model.of(clf, feature_names=["rain"]), 0)
    Question(words='rain', holds='rain', fails='not rain', yes=2, no=1)
    """
    tree = model.tree
    column = tree.feature[node]
    name = model.columns.names[column]
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if tree.category[node] >= 0:
        category = model.category(node)
        holds = f"{name} == {category}"
        return Question(holds, holds, f"{name} != {category}", left, right)
    if model.is_missing_test(node):
        holds = f"{name} is missing"
        return Question(holds, holds, f"{name} is known", right, left)
    if model.binary[column]:
        return Question(name, name, f"not {name}", right, left)
    number = number_words(tree.threshold[node])
    holds = f"{name} <= {number}"
    return Question(holds, holds, f"{name} > {number}", left, right)


def number_words(threshold: float) -> str:
    """Return a threshold as people write it.

    Parameters
    ----------
    threshold : float
        A float32.

    Returns
    -------
    str
        At most six digits, if that is the threshold but for the rounding of a float32; otherwise
        as many as tell it from others.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.export.words import number_words
    >>> number_words(np.float32(2.45)), number_words(1234567.5), number_words(3.0)
    ('2.45', '1234567.5', '3')
    >>> number_words(float(np.nextafter(np.float32(2.45), np.float32(0))))
    '2.45'
    """
    exact = np.float32(threshold)
    short = f"{exact:.6g}"
    if abs(float(short) - float(exact)) > UNITS * float(np.spacing(abs(exact))):
        usual = 1e-4 <= abs(exact) < 1e9
        short = np.format_float_positional(exact, trim="-") if usual else str(exact)
    return short


def rows_words(model: Model, node: int) -> str:
    """Return how many rows reach a node, and the share of the class that it predicts.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        A node.

    Returns
    -------
    str
        For example ``3 rows, 67%``.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export.words import rows_words
    >>> clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1], [1]], ["dry", "wet", "wet"])
    >>> rows_words(Model.of(clf), 0)
    '3 rows, 67%'
    """
    share = model.tree.value[node, 0, model.prediction[node]]
    return f"{count_words(model, node)}, {share:.0%}"


def count_words(model: Model, node: int) -> str:
    """Return how many rows reach a node.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        A node.

    Returns
    -------
    str
        For example ``3 rows``.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export.words import count_words
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1], [1]], ["dry", "wet", "wet"])
    >>> [count_words(Model.of(clf), node) for node in range(3)]
    ['3 rows', '1 row', '2 rows']
    """
    rows = model.tree.n_node_samples[node]
    return f"{rows} {'row' if rows == 1 else 'rows'}"

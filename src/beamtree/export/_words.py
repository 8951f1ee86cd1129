"""Nodes of a tree in words, for the formats that people read."""

from __future__ import annotations

from typing import NamedTuple

from beamtree._table.wording import words_of_test
from beamtree.export._model import Model


class Question(NamedTuple):
    """The test of a node, as a question with two answers.

    Parameters
    ----------
    holds, fails : str
        The statement that is true of rows that answer yes, and of rows that answer no.
    yes, no : int
        The child to which each of them goes.

    Examples
    --------
    >>> from beamtree.export._words import Question
    >>> Question("age <= 34.5", "age > 34.5", yes=1, no=2).words
    'age <= 34.5?'
    """

    holds: str
    fails: str
    yes: int
    no: int

    @property
    def words(self) -> str:
        """The question, with a question mark."""
        return f"{self.holds}?"


def question_of(model: Model, node: int) -> Question:
    """Return the test of an inner node as a question.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        An inner node.

    Returns
    -------
    Question
        The test in words. A missing value answers no, with two exceptions: it answers yes if the
        question mentions missing values, and it counts as 1 in a column of zeros and ones.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export._words import question_of
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> question_of(Model.of(clf, feature_names=["rain"]), 0)
    Question(holds='rain', fails='not rain', yes=2, no=1)
    """
    tree = model.tree
    column = int(tree.feature[node])
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if model.asks_for_one(node):
        name = model.columns.names[column]
        return Question(name, f"not {name}", yes=right, no=left)
    words = words_of_test(
        model.columns,
        column,
        tree.exact_number(node),
        tree.categories[node],
        missing_go_to_left=bool(tree.missing_go_to_left[node]),
        between=(tree.value_below[node], tree.value_above[node]),
    )
    yes, no = (right, left) if model.is_missing_test(node) else (left, right)
    return Question(*words, yes, no)


def rows_words(model: Model, node: int) -> str:
    """Return in words how many rows reach a node, and the share of the class that it predicts.

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
    >>> from beamtree.export._words import rows_words
    >>> clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1], [1]], ["dry", "wet", "wet"])
    >>> rows_words(Model.of(clf), 0)
    '3 rows, 67%'
    """
    share = model.tree.value[node, 0, model.tree.prediction[node]]
    return f"{count_words(model, node)}, {share:.0%}"


def count_words(model: Model, node: int) -> str:
    """Return in words how many rows reach a node.

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
    >>> from beamtree.export._words import count_words
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1], [1]], ["dry", "wet", "wet"])
    >>> [count_words(Model.of(clf), node) for node in range(3)]
    ['3 rows', '1 row', '2 rows']
    """
    rows = model.tree.n_node_samples[node]
    return f"{rows} {'row' if rows == 1 else 'rows'}"

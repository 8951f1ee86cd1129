"""Nodes of a tree in words, for the formats that people read."""

from __future__ import annotations

from math import isinf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._table.wording import words_of_test
from beamtree.export._model import Model, number_words

# The largest number of classes of a node that are named.
MOST_CLASSES = 12


class Question(NamedTuple):
    """The test of a node, as a question with two answers.

    Parameters
    ----------
    holds, fails : str
        The statement that is true of rows that answer yes, and of rows that answer no.
    yes, no : int
        The child to which each of them goes.
    no_words : str
        The second answer: ``no``, or ``no or missing`` if missing values go there.

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
    no_words: str = "no"

    @property
    def answers(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """The two answers, each with the child to which its rows go."""
        return ("yes", self.yes), (self.no_words, self.no)

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
        The test in words. If the column had missing values in `fit`, either the question or the
        answer no mentions them, unless no row whose value is missing can reach the node. In other
        columns a missing value answers no, but it counts as 1 in a column of zeros and ones.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export._words import question_of
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> question_of(Model.of(clf, feature_names=["rain"]), 0)
    Question(holds='rain', fails='not rain', yes=2, no=1, no_words='no')
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
        missing_go_to_left=bool(tree.missing_go_to_left[node]) and model.mentions_missing(node),
        between=(tree.value_below[node], tree.value_above[node]),
    )
    if model.is_missing_test(node):
        return Question(*words, yes=right, no=left)
    if model.mentions_missing(node) and not tree.missing_go_to_left[node]:
        fails = f"{words.fails} or missing"
        return Question(words.holds, fails, yes=left, no=right, no_words="no or missing")
    return Question(*words, yes=left, no=right)


def rows_words(model: Model, node: int) -> str:
    """Return in words how many rows reach a node, and how well its prediction fits them.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        A node.

    Returns
    -------
    str
        For example ``3 rows, 67%``, where 67% is the share of the predicted class; ``3 rows,
        ± 0.5``, where 0.5 is the standard deviation of the numbers; ``3 rows, cost 1.25`` under an
        objective of the user's own; or ``3 rows, mean reward 1.25`` for a policy.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export._words import rows_words
    >>> clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1], [1]], ["dry", "wet", "wet"])
    >>> rows_words(Model.of(clf), 0)
    '3 rows, 67%'
    """
    if model.tree.cost is not None:
        return f"{count_words(model, node)}, {_cost(model, node)}"
    if model.predicts_numbers:
        return f"{count_words(model, node)}, ± {_deviation(model, node)}"
    taken = model.tree.prediction[node]
    if model.tree.reward is not None:
        reward = reward_words(model.tree.reward[node, taken])
        return f"{count_words(model, node)}, mean reward {reward}"
    share = model.tree.value[node, 0, taken]
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


def class_words(model: Model, node: int) -> str:
    """Return in words which classes, numbers or rewards the rows of a node have.

    Parameters
    ----------
    model : Model
        The tree.
    node : int
        A node.

    Returns
    -------
    str
        The classes, the most frequent first: their numbers of rows or, if rows have weights, their
        shares in the weight. The mean and the standard deviation, if numbers are predicted. For a
        policy, the actions and their mean rewards, the best first.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export._words import class_words
    >>> clf = OptimalTreeClassifier(max_depth=0)
    >>> class_words(Model.of(clf.fit([[0], [1], [1]], ["dry", "wet", "wet"])), 0)
    'wet 2, dry 1'
    >>> class_words(Model.of(clf.fit([[0], [1]], ["dry", "wet"], [1.5, 0.5])), 0)
    'dry 75%, wet 25%'
    """
    tree = model.tree
    if tree.cost is not None:
        return f"prediction {model.predicted(node)}, {_cost(model, node)}"
    if model.predicts_numbers:
        return f"mean {model.predicted(node)}, standard deviation {_deviation(model, node)}"
    if tree.reward is not None:
        return _action_words(model, tree.reward[node])
    shares = tree.value[node, 0]
    weight = shares * tree.weighted_n_node_samples[node]
    # Rows without weights have the weight 1.
    same = (tree.weighted_n_node_samples == tree.n_node_samples).all()
    counted = bool(same and np.allclose(weight, np.rint(weight), rtol=0.0, atol=1e-6))
    order = [int(k) for k in np.argsort(-shares, kind="stable") if shares[k] > 0.0]
    words = [
        f"{model.class_names[k]} " + (f"{weight[k]:.0f}" if counted else f"{shares[k]:.0%}")
        for k in order[:MOST_CLASSES]
    ]
    if len(order) > MOST_CLASSES:
        words.append(f"{len(order) - MOST_CLASSES} more classes")
    return ", ".join(words)


def _cost(model: Model, node: int) -> str:
    """Return what a node costs under the user's own objective, in words."""
    assert model.tree.cost is not None
    cost = float(model.tree.cost[node])
    return "not allowed as a leaf" if isinf(cost) else f"cost {number_words(cost, 4)}"


def _deviation(model: Model, node: int) -> str:
    """Return the standard deviation of the numbers of a node in words."""
    return number_words(sqrt(max(float(model.tree.impurity[node]), 0.0)), 3)


def _action_words(model: Model, rewards: NDArray[np.float64]) -> str:
    order = np.argsort(-rewards, kind="stable").tolist()
    words = [f"{model.class_names[k]} {reward_words(rewards[k])}" for k in order[:MOST_CLASSES]]
    if len(order) > MOST_CLASSES:
        words.append(f"{len(order) - MOST_CLASSES} more actions")
    return f"mean reward {', '.join(words)}"


def reward_words(reward: float) -> str:
    """Return a mean reward with four digits.

    Parameters
    ----------
    reward : float
        The mean reward.

    Examples
    --------
    >>> from beamtree.export._words import reward_words
    >>> reward_words(1.23456), reward_words(-0.5), reward_words(12345.6)
    ('1.235', '-0.5', '12346')
    """
    return f"{reward:.0f}" if 1e4 <= abs(reward) < 1e15 else f"{reward:.4g}"

"""A tree as sentences, one per leaf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

from beamtree._table.wording import number_words
from beamtree.export._fitted import ClassifierLike
from beamtree.export._model import Model
from beamtree.export._words import question_of, rows_words


def leaf_rules(
    classifier: ClassifierLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> list[str]:
    """Return one sentence per leaf of a fitted classifier.

    Exactly one of the sentences is true of any row. Tests of the same column are combined. ``not
    rain`` means that a column of zeros and ones is 0. A missing value satisfies ``>`` and ``!=``,
    unless the sentence says that the column is known, and it satisfies a condition that ends with
    ``or missing``. It counts as 1 in a column that had only zeros and ones in `fit`.

    Parameters
    ----------
    classifier : OptimalTreeClassifier or OptimalTreeClassifierCV
        The fitted classifier.
    feature_names : sequence of str, optional
        Names of the columns; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels.

    Returns
    -------
    list of str
        The sentences, in the order of `export_text`.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import leaf_rules
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]
    >>> clf = OptimalTreeClassifier(max_depth=2).fit(X, ["dry", "dry", "dry", "wet", "wet"])
    >>> for rule in leaf_rules(clf, feature_names=["rain", "outside"]):
    ...     print(rule)
    If rain and outside then wet (2 rows, 100%)
    If rain and not outside then dry (1 row, 100%)
    If not rain then dry (2 rows, 100%)
    """
    model = Model.of(classifier, feature_names, class_names)
    return list(_sentences(model, 0, {}))


class Bound(NamedTuple):
    """A threshold that bounds a column, as a number and in words; infinity if there is no bound.

    Examples
    --------
    >>> from beamtree.export.rules import Bound
    >>> min(Bound(60.5, "60.5"), Bound(34.5, "34.5")).words
    '34.5'
    """

    number: float
    words: str = ""


NO_LOW, NO_HIGH = Bound(-inf), Bound(inf)


@dataclass(frozen=True)
class Condition:
    """Everything that the tests on a path say about one column.

    Parameters
    ----------
    name : str
        Name of the column.
    low, high : Bound
        A known number is above `low` and at most `high`.
    is_not : tuple
        Categories that the value is not.
    settled : str
        The whole condition in words, if one test of the path determines the value: it is a
        category, it is missing, or it is the 0 or the 1 of a column of zeros and ones.
    missing : bool
        Whether a missing value takes the path.

    Examples
    --------
    >>> from beamtree.export.rules import Bound, Condition
    >>> low, high = Bound(34.5, "34.5"), Bound(60.5, "60.5")
    >>> Condition("age", low, high, missing=False).words()
    '34.5 < age <= 60.5'
    >>> Condition("age", low, high).words()
    '34.5 < age <= 60.5 or missing'
    >>> Condition("colour", is_not=("red", "blue"), missing=False).words()
    'colour not in (red, blue) and colour is known'
    """

    name: str
    low: Bound = NO_LOW
    high: Bound = NO_HIGH
    is_not: tuple[Any, ...] = ()
    settled: str = ""
    missing: bool = True

    @property
    def has_alternatives(self) -> bool:
        """Whether the words contain ``or``, so that they need parentheses beside others."""
        return self.missing and not self.settled and self.high.number < inf

    def words(self) -> str:
        """Return the condition in words.

        Returns
        -------
        str
            The condition. A missing value satisfies ``>`` and ``!=``, but not ``<=``, unless the
            words say otherwise.
        """
        if self.settled:
            return self.settled
        parts = list(self._parts())
        if not self.missing and self.high.number == inf:
            parts.append(f"{self.name} is known")
        return " and ".join(parts) + (" or missing" if self.has_alternatives else "")

    def _parts(self) -> Iterator[str]:
        name, low, high = self.name, self.low, self.high
        if low.number > -inf and high.number < inf:
            yield f"{low.words} < {name} <= {high.words}"
        elif high.number < inf:
            yield f"{name} <= {high.words}"
        elif low.number > -inf:
            yield f"{name} > {low.words}"
        if len(self.is_not) == 1:
            yield f"{name} != {self.is_not[0]}"
        elif self.is_not:
            yield f"{name} not in ({', '.join(str(category) for category in self.is_not)})"


def _sentences(model: Model, node: int, path: dict[int, Condition]) -> Iterator[str]:
    if model.tree.feature[node] < 0:
        leaf = f"{model.class_name(node)} ({rows_words(model, node)})"
        yield f"If {_joined(list(path.values()))} then {leaf}" if path else f"Always {leaf}"
        return
    question = question_of(model, node)
    column = int(model.tree.feature[node])
    known = path.get(column, Condition(model.columns.names[column]))
    for child in (question.yes, question.no):
        yield from _sentences(model, child, path | {column: _also(model, node, known, child)})


def _joined(conditions: list[Condition]) -> str:
    if len(conditions) == 1:
        return conditions[0].words()
    return " and ".join(
        f"({condition.words()})" if condition.has_alternatives else condition.words()
        for condition in conditions
    )


def _also(model: Model, node: int, condition: Condition, child: int) -> Condition:
    """Return a condition, with what the test of a node says about rows that go to a child."""
    tree = model.tree
    question = question_of(model, node)
    left = child == tree.children_left[node]
    if model.is_missing_test(node):
        return replace(condition, missing=False) if left else _settle(condition, question.holds)
    if tree.category[node] >= 0:
        if left:
            return _settle(condition, question.holds)
        return replace(condition, is_not=(*condition.is_not, model.category(node)))
    if model.asks_for_one(node):
        return _settle(condition, question.fails if left else question.holds)
    number = tree.exact_number(node)
    bound = Bound(number, number_words(number, tree.value_below[node], tree.value_above[node]))
    missing = condition.missing and left == bool(tree.missing_go_to_left[node])
    if left:
        return replace(condition, high=min(condition.high, bound), missing=missing)
    return replace(condition, low=max(condition.low, bound), missing=missing)


def _settle(condition: Condition, words: str) -> Condition:
    return replace(condition, settled=words)

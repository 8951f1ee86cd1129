"""A tree as sentences, one per leaf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, inf
from typing import Any, NamedTuple

from beamtree._table.time_words import time_comparison
from beamtree._table.wording import is_none_of, is_one_of, is_start, number_words
from beamtree.export._fitted import EstimatorLike
from beamtree.export._model import Model
from beamtree.export._words import question_of, rows_words


def leaf_rules(
    classifier: EstimatorLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> list[str]:
    """Return one sentence per leaf of a fitted estimator.

    Exactly one of the sentences is true of any row. Tests of the same column are combined. ``not
    rain`` means that a column of zeros and ones is 0. If a column had missing values in `fit`, they
    satisfy only the conditions that end with ``or missing`` or ``is missing``. In other columns, a
    missing value that comes later satisfies ``>`` and ``!=``, and counts as 1 in a column that had
    only zeros and ones.

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

    The signs are those with which words compare a value at most the threshold, and above it.

    Examples
    --------
    >>> from beamtree.export.rules import Bound
    >>> min(Bound(60.5, "60.5"), Bound(34.5, "34.5")).words
    '34.5'
    """

    number: float
    words: str = ""
    at_most: str = "<="
    above: str = ">"


NO_LOW, NO_HIGH = Bound(-inf), Bound(inf)
# The signs of a lower bound that stands on the left.
MIRRORED = {">": "<", ">=": "<="}


@dataclass(frozen=True)
class Condition:
    """Everything that the tests on a path say about one column.

    Parameters
    ----------
    name : str
        Name of the column.
    low, high : Bound
        A known number or time is above `low` and at most `high`.
    among : tuple or None
        Categories one of which a known value is; None if they are not restricted.
    is_not : tuple
        Categories that the value is not, if `among` is None.
    settled : str
        The whole condition in words, if one test of the path determines the value: it is missing,
        or it is the 0 or the 1 of a column of zeros and ones.
    missing : bool or None
        Whether a missing value takes the path; None if the column had none in `fit`.

    Examples
    --------
    >>> from beamtree.export.rules import Bound, Condition
    >>> low, high = Bound(34.5, "34.5"), Bound(60.5, "60.5")
    >>> Condition("age", low, high).words()
    '34.5 < age <= 60.5'
    >>> Condition("age", low, missing=True).words()
    'age > 34.5 or missing'
    >>> Condition("colour", is_not=("red", "blue"), missing=False).words()
    'colour not in (red, blue) and colour is known'
    >>> Condition("colour", among=("green", "red")).words()
    'colour in (green, red)'
    """

    name: str
    low: Bound = NO_LOW
    high: Bound = NO_HIGH
    among: tuple[Any, ...] | None = None
    is_not: tuple[Any, ...] = ()
    settled: str = ""
    missing: bool | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether the words say clearly that the value is known."""
        return self.high.number < inf or self.among is not None

    @property
    def has_alternatives(self) -> bool:
        """Whether the words contain ``or``, so that they need parentheses beside others."""
        return bool(self.missing) and not self.settled and self.among != ()

    def words(self) -> str:
        """Return the condition in words.

        Returns
        -------
        str
            The condition. It says whether missing values satisfy it, if the column had any.
        """
        if self.settled:
            return self.settled
        if self.among == ():
            return f"{self.name} is missing"
        parts = list(self._parts())
        if self.missing is False and not self.is_bounded:
            parts.append(f"{self.name} is known")
        return " and ".join(parts) + (" or missing" if self.has_alternatives else "")

    def _parts(self) -> Iterator[str]:
        name, low, high = self.name, self.low, self.high
        if low.number > -inf and high.number < inf:
            yield f"{low.words} {MIRRORED[low.above]} {name} {high.at_most} {high.words}"
        elif high.number < inf:
            yield f"{name} {high.at_most} {high.words}"
        elif low.number > -inf:
            yield f"{name} {low.above} {low.words}"
        if self.among is not None:
            yield f"{name} {is_one_of(self.among)}"
        elif self.is_not:
            yield f"{name} {is_none_of(self.is_not)}"


def _sentences(model: Model, node: int, path: dict[int, Condition]) -> Iterator[str]:
    if model.tree.feature[node] < 0:
        leaf = f"{model.predicted(node)} ({rows_words(model, node)})"
        yield f"If {_joined(list(path.values()))} then {leaf}" if path else f"Always {leaf}"
        return
    question = question_of(model, node)
    column = int(model.tree.feature[node])
    had_missing = True if model.columns.has_missing[column] else None
    known = path.get(column, Condition(model.columns.names[column], missing=had_missing))
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
    left = bool(child == tree.children_left[node])
    if model.is_missing_test(node):
        return replace(condition, missing=False) if left else _settle(condition, question.holds)
    if model.asks_for_one(node):
        return _settle(condition, question.fails if left else question.holds)
    missing = condition.missing and left == bool(tree.missing_go_to_left[node])
    bound = _bound(model, node)
    if bound is None:
        return _among(replace(condition, missing=missing), model.categories(node), inside=left)
    if left:
        return replace(condition, high=min(condition.high, bound), missing=missing)
    return replace(condition, low=max(condition.low, bound), missing=missing)


def _bound(model: Model, node: int) -> Bound | None:
    """Return the threshold of a node, also that of ordered categories; None if it has none."""
    tree, column = model.tree, model.tree.feature[node]
    positions = tree.categories[node]
    if positions is None:
        number = tree.exact_number(node)
        kind = model.columns.times[column]
        if kind is not None:
            at_most, above, words = time_comparison(kind, floor(number))
            return Bound(number, words, at_most, above)
        return Bound(number, number_words(number, tree.value_below[node], tree.value_above[node]))
    if model.columns.ordered[column] and is_start(positions):
        return Bound(positions[-1], str(model.categories(node)[-1]))
    return None


def _among(condition: Condition, categories: list[Any], *, inside: bool) -> Condition:
    """Return a condition, and that the value is one of some categories, or none of them."""
    among, is_not = condition.among, condition.is_not
    if among is not None:
        kept = tuple(one for one in among if (one in categories) == inside)
        return replace(condition, among=kept)
    if inside:
        kept = tuple(one for one in categories if one not in is_not)
        return replace(condition, among=kept, is_not=())
    return replace(condition, is_not=(*is_not, *(one for one in categories if one not in is_not)))


def _settle(condition: Condition, words: str) -> Condition:
    return replace(condition, settled=words)

"""The tree of a fitted estimator, with the names of its columns and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.time_words import end_of
from beamtree._table.times import TimeKind
from beamtree._table.wording import asks_for_one
from beamtree._util.scalars import python_scalar
from beamtree.export._fitted import EstimatorLike, fitted_estimator
from beamtree.tree import Tree


@dataclass(frozen=True, eq=False)
class Model:
    """A tree, with the columns and the labels to which its numbers refer.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : Columns
        The columns of X.
    classes : ndarray of shape (n_classes,)
        The labels, or the actions of a policy tree; empty if the tree predicts numbers.
    class_names : tuple of str
        Names of the labels.
    """

    tree: Tree
    columns: Columns
    classes: NDArray[Any]
    class_names: tuple[str, ...]

    @classmethod
    def of(
        cls,
        classifier: EstimatorLike,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> Self:
        """Return the model of a fitted estimator.

        Parameters
        ----------
        classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalPolicyTree
            The fitted classifier, or policy tree.
        feature_names : sequence of str, optional
            Names of the columns; by default those seen by `fit`.
        class_names : sequence of str, optional
            Names of the classes, in the order of ``classes_``; by default the labels. A regressor
            has none.

        Returns
        -------
        Model
            Its tree, with the given names if there are any.
        """
        fitted = fitted_estimator(classifier)
        columns = fitted.columns_
        name = "actions_" if hasattr(fitted, "actions_") else "classes_"
        classes: NDArray[Any] = getattr(fitted, name, np.empty(0))
        if feature_names is not None:
            columns = replace(
                columns, names=_names("feature_names", feature_names, len(columns.names))
            )
        if class_names is None:
            class_names = [str(label) for label in classes]
        elif fitted.tree_.predicts_numbers:
            msg = f"class_names must be None for a tree that predicts numbers, got {class_names!r}"
            raise ValueError(msg)
        return cls(fitted.tree_, columns, classes, _names("class_names", class_names, len(classes)))

    @property
    def predicts_numbers(self) -> bool:
        """Whether the tree predicts numbers instead of classes."""
        return self.tree.predicts_numbers

    @cached_property
    def labels(self) -> list[Any]:
        """The label or the number that each node predicts, as an object of Python."""
        if self.predicts_numbers:
            return [float(mean) for mean in self.tree.value[:, 0, 0]]
        return [python_scalar(label) for label in self.classes[self.tree.prediction]]

    def predicted(self, node: int) -> str:
        """Return the name of the class that a node predicts, or the number in words."""
        if self.predicts_numbers:
            return number_words(float(self.tree.value[node, 0, 0]))
        return self.class_names[int(self.tree.prediction[node])]

    def tests_categories(self, node: int) -> bool:
        """Return whether a node tests categories."""
        return self.tree.categories[node] is not None

    def categories(self, node: int) -> list[Any]:
        """Return the categories that a node sends to the left, as objects of Python."""
        known = self.columns.categories[self.tree.feature[node]]
        assert known is not None
        return [python_scalar(known[position]) for position in self.tree.categories[node]]

    def time(self, node: int) -> TimeKind | None:
        """Return what the integers of the tested column mean, if it has dates or times."""
        return self.columns.times[int(self.tree.feature[node])]

    def end(self, node: int) -> int:
        """Return the first instant that a test of dates or times sends to the right.

        Returns
        -------
        int
            Nanoseconds, as `beamtree._table.time_words.end_of` returns them.
        """
        kind, threshold = self.time(node), self.tree.exact_threshold[node]
        assert kind is not None
        return end_of(kind, threshold)

    def is_missing_test(self, node: int) -> bool:
        """Return whether a node sends all known values to the left."""
        return bool(self.tree.feature[node] >= 0 and self.tree.threshold[node] == np.inf)

    def mentions_missing(self, node: int) -> bool:
        """Return whether the words of a threshold or of categories say where missing values go.

        They do if the column had missing values in `fit`, and a row whose value is missing can
        reach the node.
        """
        column = self.tree.feature[node]
        return bool(self.columns.has_missing[column]) and bool(self._missing_arrives[node])

    @cached_property
    def _missing_arrives(self) -> NDArray[np.bool_]:
        """Whether a row can reach each inner node if its value of the tested column is missing."""
        tree = self.tree
        arrives = np.ones(tree.node_count, dtype=np.bool_)
        stack: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        while stack:
            node, known = stack.pop()  # and the columns whose value is known there
            column = int(tree.feature[node])
            if column < 0:
                continue
            arrives[node] = column not in known
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            with_missing, without = (
                (left, right) if tree.missing_go_to_left[node] else (right, left)
            )
            stack += [(with_missing, known), (without, known | {column})]
        return arrives

    def asks_for_one(self, node: int) -> bool:
        """Return whether a node sends the zeros of a column of zeros and ones to the left."""
        tree = self.tree
        return bool(tree.feature[node] >= 0) and asks_for_one(
            self.columns,
            int(tree.feature[node]),
            float(tree.threshold[node]),
            missing_go_to_left=bool(tree.missing_go_to_left[node]),
        )


def number_words(value: float, digits: int = 6) -> str:
    """Return a number that a tree predicts in words.

    Parameters
    ----------
    value : float
        The number.
    digits : int, default=6
        How many digits it has; there may be more before the point.

    Returns
    -------
    str
        The number.

    Examples
    --------
    >>> from beamtree.export._model import number_words
    >>> number_words(152.133484), number_words(-1234567.8), number_words(77.0057, 3)
    ('152.133', '-1234568', '77')
    """
    return f"{value:.0f}" if 10.0**digits <= abs(value) < 1e15 else f"{value:.{digits}g}"


def _names(what: str, names: Sequence[str], expected: int) -> tuple[str, ...]:
    if len(names) != expected:
        msg = f"{what} must have {expected} entries, got {len(names)}"
        raise ValueError(msg)
    return tuple(str(name) for name in names)


def check_no_times(model: Model, system: str) -> None:
    """Raise a ValueError if a column has dates or times.

    Parameters
    ----------
    model : Model
        The tree.
    system : str
        The system that takes only numbers, for the error.
    """
    for name, kind in zip(model.columns.names, model.columns.times, strict=True):
        if kind is not None:
            msg = (
                f"{system} takes numbers, and {name!r} has {kind.words}. Turn the column into a "
                "number before fit, for example into the days since the first date; or use "
                "to_json, to_sql or to_python"
            )
            raise ValueError(msg)

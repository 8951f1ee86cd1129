"""A tree to start from, taken from any object that contains one."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from beamtree._table.columns import Columns
from beamtree._table.times import TimeKind, are_comparable, threshold_in
from beamtree._util.float32 import largest_double
from beamtree.result import Incumbent, Result
from beamtree.tree import Tree


def bare(init: Any) -> Any:
    """Return the estimator in a FrozenEstimator, with which a fitted estimator survives cloning."""
    return init.estimator if type(init).__name__ == "FrozenEstimator" else init


def refuse(reason: str) -> NoReturn:
    """Raise a ValueError: the search cannot start from this tree."""
    msg = f"init is not a valid tree: {reason}"
    raise ValueError(msg)


class TreeWithColumns(NamedTuple):
    """A tree to start from, and the columns that define its categories."""

    tree: Tree
    columns: Columns


class GivenTree:
    """A tree of scikit-learn or of beamtree, and the meaning of its tests.

    Parameters
    ----------
    init : estimator, Tree, TreeWithColumns, Incumbent or Result
        The object that contains the tree.

    Attributes
    ----------
    tree : Tree or sklearn.tree.Tree
        The tree.
    names : ndarray or None
        Names of its columns, if it comes from an estimator that knows them.
    """

    def __init__(self, init: Any) -> None:
        init = bare(init)
        self._columns = None
        if isinstance(init, Tree):
            self.tree: Any = init
        elif isinstance(init, TreeWithColumns | Incumbent | Result):
            self.tree, self._columns = init.tree, init.columns
        else:
            self.tree, self._columns = init.tree_, getattr(init, "columns_", None)
        self.names = getattr(init, "feature_names_in_", None)

    @property
    def has_columns(self) -> bool:
        """Whether it is known what the columns of the tree have."""
        return self._columns is not None

    def tests_categories(self, node: int) -> bool:
        """Return whether a node tests categories."""
        return isinstance(self.tree, Tree) and self.tree.categories[node] is not None

    def values(self, node: int) -> tuple[Any, ...]:
        """Return the categories that a node sends to the left."""
        if self._columns is None:
            msg = (
                "init must be a classifier, an Incumbent or a Result if it tests categories: a "
                "Tree alone does not contain their names"
            )
            raise ValueError(msg)
        positions = self.tree.categories[node]
        known = self._columns.categories[int(self.tree.feature[node])]
        last = positions[-1]
        if known is None or last >= len(known):
            refuse(f"its node {node} tests the category {last}, which its columns do not have")
        return tuple(known[list(positions)].tolist())

    def threshold(self, node: int, kind: TimeKind | None = None) -> tuple[float, int | None]:
        """Return the threshold of a node for floats, and that for integers if it is known.

        scikit-learn rounds values to float32 before it compares them. Its threshold is replaced by
        one that separates unrounded values in the same way. If both columns have dates or times,
        the threshold is that of `kind`, the kind of the column of X.
        """
        threshold = float(self.tree.threshold[node])
        if not isinstance(self.tree, Tree):
            return largest_double(threshold), None
        exact, own = self.tree.exact_threshold[node], self.time(node)
        if exact is None or kind is None or own is None or not are_comparable(own, kind):
            return threshold, exact
        exact = threshold_in(exact, own, kind)
        return exact + 0.5, exact

    def time(self, node: int) -> TimeKind | None:
        """Return what the integers of the tested column mean, if it has dates or times."""
        return None if self._columns is None else self._columns.times[int(self.tree.feature[node])]

    def sends_missing_left(self, node: int) -> bool:
        """Return whether missing values go left."""
        left = getattr(self.tree, "missing_go_to_left", None)
        return left is not None and bool(left[node])

"""A tree that is offered to a search, whatever holds it."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from beamtree._table.columns import Columns
from beamtree.result import Incumbent, Result
from beamtree.tree import Tree


def bare(init: Any) -> Any:
    """Return the estimator in a FrozenEstimator, which is how a fitted one survives clones."""
    return init.estimator if type(init).__name__ == "FrozenEstimator" else init


def refuse(reason: str) -> NoReturn:
    """Raise the error that a tree cannot be started from."""
    msg = f"init must be a tree, and this is none: {reason}"
    raise ValueError(msg)


class Start(NamedTuple):
    """A tree to start from, and the columns that say what its categories are."""

    tree: Tree
    columns: Columns


class Offered:
    """The tests of a tree, of scikit-learn or our own.

    Parameters
    ----------
    init : estimator, Tree, Start, Incumbent or Result
        Who holds the tree.

    Attributes
    ----------
    tree : Tree or sklearn.tree.Tree
        The tree.
    names : ndarray or None
        Names of its columns, if it is of an estimator that knows them.
    """

    def __init__(self, init: Any) -> None:
        init = bare(init)
        self._columns = None
        if isinstance(init, Tree):
            self.tree: Any = init
        elif isinstance(init, Start | Incumbent | Result):
            self.tree, self._columns = init.tree, init.columns
        else:
            self.tree, self._columns = init.tree_, getattr(init, "columns_", None)
        self.names = getattr(init, "feature_names_in_", None)

    def category(self, node: int) -> int:
        """Return the number of the category that a node tests, -1 if it tests none."""
        return int(self.tree.category[node]) if isinstance(self.tree, Tree) else -1

    def value(self, node: int) -> Any:
        """Return the category that a node tests."""
        if self._columns is None:
            msg = (
                "init must be a classifier, an Incumbent or a Result where it tests categories: a "
                "Tree alone does not say which they are"
            )
            raise ValueError(msg)
        category = self.category(node)
        known = self._columns.categories[int(self.tree.feature[node])]
        if known is None or category >= len(known):
            refuse(f"its node {node} tests the category {category}, which its columns lack")
        return known[category]

    def sends_missing_left(self, node: int) -> bool:
        """Tell where missing values go: trees of scikit-learn say so, in ours they go right."""
        left = getattr(self.tree, "missing_go_to_left", None)
        return left is not None and bool(left[node])

"""The path of all trees that are optimal for some leaf penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf, sqrt
from textwrap import wrap
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.limits import Limits, seconds_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.proof import bound_words, proof_line
from beamtree._engine.settings import DEPTH, SEARCH, Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._resume.initial_tree import check_settings, make_engine, read_training_data
from beamtree._table.columns import Columns
from beamtree._table.training_data import TrainingData
from beamtree._util.optional import import_optional
from beamtree._util.validation import SECONDS_OR_NONE
from beamtree.model_selection._hull import Hull, Solved, Vertex, price_between
from beamtree.tree import Tree

__all__ = ["PenaltyPath", "penalty_path"]

PATH_DTYPE = np.dtype(
    [
        ("leaves", np.int64),
        ("depth", np.int64),
        ("error", np.float64),
        ("n_errors", np.int64),
        ("lower_bound", np.float64),
        ("status", "U12"),
        ("leaf_penalty", np.float64),
        ("penalty_from", np.float64),
        ("penalty_to", np.float64),
    ]
)
# The largest number of characters in a line of the title of a plot.
TITLE_ACROSS = 64
NOT_ALLOWED = ("max_depth", "leaf_penalty", "callback", "verbose", "checkpoint", "checkpoint_every")
ALLOWED = [name for name in SEARCH if name not in NOT_ALLOWED]


@dataclass(frozen=True, eq=False, repr=False)
class PenaltyPath:
    """The trees that are optimal for some leaf penalty, for one depth.

    They are the trees on the lower convex hull of errors and numbers of leaves.

    Parameters
    ----------
    table : ndarray
        Structured array with one row per tree, from one leaf to many. The columns are ``leaves``,
        ``depth``, ``error`` (cost of the mistakes), ``n_errors`` (number of mistakes),
        ``lower_bound`` (no tree with at most this number of leaves has a smaller error), ``status``
        (``"optimal"`` if the error equals that bound, otherwise the reason why the search ended),
        ``leaf_penalty`` (a penalty that gives this tree), and ``penalty_from`` and ``penalty_to``,
        between which the tree is optimal.
    trees : tuple of Tree
        The trees, in the same order.
    status : str
        ``"optimal"`` if all of these trees are proved to be optimal and no tree is missing,
        otherwise the reason why the proof is not complete.
    max_depth : int
        Largest depth of the trees.
    seconds : float
        Seconds that the computation took.
    columns : Columns
        The columns of X. Its method ``encode`` turns a table into the numbers that the trees take.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    proof : str
        What is proved about the trees, in one line.

    Examples
    --------
    >>> from beamtree import penalty_path
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> path = penalty_path(X, y, max_depth=3)
    >>> path.status, path.table["leaves"].tolist(), path.table["error"].tolist()
    ('optimal', [1, 2, 4, 7], [216.0, 108.0, 72.0, 48.0])
    """

    table: NDArray[np.void]
    trees: tuple[Tree, ...]
    status: str
    max_depth: int
    seconds: float
    columns: Columns
    classes: NDArray[Any]
    proof: str

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.trees)

    def __repr__(self) -> str:
        """Return what is proved, and the table as text."""
        head = "leaves  depth         error   lower bound  best for leaf_penalty"
        lines = [self.proof, head]
        lines += [
            f"{row['leaves']:6d}  {row['depth']:5d}  {row['error']:12.6g}  "
            f"{row['lower_bound']:12.6g}  {row['penalty_from']:.4g} to {row['penalty_to']:.4g}"
            for row in self.table
        ]
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return the table as a pandas.DataFrame.

        Returns
        -------
        DataFrame
            One row per tree.
        """
        try:
            import pandas as pd
        except ImportError as error:
            msg = "to_frame() needs pandas: pip install pandas"
            raise ImportError(msg) from error
        return pd.DataFrame({name: self.table[name] for name in PATH_DTYPE.names or ()})

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors and their lower bounds against the numbers of leaves.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on. None creates a new figure.

        Returns
        -------
        Axes
            The axes with the drawing.
        """
        pyplot = import_optional("matplotlib.pyplot", "plot", "plot")
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6, 4), layout="constrained")
        leaves, errors, bound = (self.table[name] for name in ("leaves", "error", "lower_bound"))
        ax.plot(leaves, errors, "o-", color="C0", label="error")
        if (bound < errors).any():
            ax.fill_between(leaves, bound, errors, color="C0", alpha=0.2, label="not yet proved")
            ax.legend()
        ax.set_ylim(bottom=0.0)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("leaves")
        ax.set_ylabel("error")
        ax.set_title("\n".join(wrap(self.proof, TITLE_ACROSS)))
        return ax


def penalty_path(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    max_depth: int = 4,
    time_limit: float | None = 60.0,
    **params: Any,
) -> PenaltyPath:
    """Find all trees that are optimal for some leaf penalty.

    These are the trees on the lower convex hull of errors and numbers of leaves. The first search
    finds the tree with the least error, and of those the one with the fewest leaves. For two
    neighbouring trees on the hull, a search at the penalty at which both cost the same either finds
    a tree between them or proves that there is none. Penalties are fractions, so no tree is missed
    as long as the weights are exact.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table, as in `OptimalTreeClassifier.fit`.
    y : array-like of shape (n_rows,)
        Labels: numbers, strings or booleans.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows, at least 0 and not all 0. None means that all rows weigh the same.
    max_depth : int, default=4
        Largest depth of the trees, from 0 to 20.
    time_limit : float or None, default=60.0
        Seconds for all searches together. None means that there is no limit. The remaining time is
        divided equally among the searches that are still known to be needed.
    **params
        Further parameters of `OptimalTreeClassifier`, except `leaf_penalty`, `callback` and
        `verbose`.

    Returns
    -------
    PenaltyPath
        The trees, with their errors and lower bounds.

    Examples
    --------
    >>> from beamtree import penalty_path
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(penalty_path(X, [0, 1, 1, 1], max_depth=2))
    Proved optimal: 2 trees of depth at most 2
    leaves  depth         error   lower bound  best for leaf_penalty
         1      0             1             1  0.125 to inf
         3      2             0             0  0 to 0.125
    """
    begin = perf_counter()
    SECONDS_OR_NONE.check("time_limit", time_limit)
    for name in params:
        if name not in ALLOWED:
            msg = f"penalty_path() takes no parameter {name!r}; allowed are {ALLOWED}"
            raise TypeError(msg)
    DEPTH.check("max_depth", max_depth)  # the penalties of a path begin at 0
    end = begin + seconds_of(time_limit)
    settings = Settings(max_depth=max_depth, **params)
    check_settings(settings)
    # All searches use the same split tests, including those of the tree in `init`.
    data = read_training_data(X, y, sample_weight, settings, "penalty_path")

    def solve(share: Fraction, seconds: float, tree: Tree | None = None, **changed: Any) -> Solved:
        if tree is not None:
            changed["init"] = TreeWithColumns(tree, data.columns)
        return _solved(data, replace(settings, leaf_penalty=share, **changed), seconds)

    hull = Hull(solve(Fraction(0), inf, max_depth=0, init=None))
    status = _explore(hull, solve, max_depth, end)
    table, trees = _table(hull)
    noun = "tree" if len(trees) == 1 else "trees"
    proof = proof_line(
        status,
        f"{len(trees)} {noun} of depth at most {max_depth}",
        complete=hull.complete,
        limits=Limits(settings.node_limit, settings.gap_limit, seconds_of(time_limit)),
        bound=bound_words(data.space, data.columns, settings.max_thresholds),
    )
    seconds = perf_counter() - begin
    return PenaltyPath(table, trees, status, max_depth, seconds, data.columns, data.classes, proof)


def _solved(data: TrainingData, settings: Settings, seconds: float) -> Solved:
    engine = make_engine(data, settings, allowance=MemoryAllowance(settings.memory_limit))
    with engine.interrupts:
        engine.run(max(seconds, 0.0))
        result = engine.result()
    engine.interrupts.raise_if_pressed(settings.on_interrupt)
    leaves = int((engine.outcome.feature < 0).sum())
    return Solved(engine.found(), result.cost, result.lower, engine.problem, leaves, result.status)


def _explore(hull: Hull, solve: Any, max_depth: int, end: float) -> str:
    """Search at all prices that may give another tree. Return the status of the path."""
    # At this price all leaves together cost less than the least difference of errors.
    most_leaves = min(2**max_depth, len(hull.base.weight))
    first = Fraction(1, most_leaves)
    half = (end - perf_counter()) / 2
    last = hull.search(first, lambda share: solve(share, half))
    ends = [last.status]
    while last.status != "interrupted" and (edges := hull.open_edges()):
        seconds = (end - perf_counter()) / len(edges)
        price, larger = edges[0]
        tree = larger.found.tree
        last = hull.search(price, lambda share: solve(share, seconds, tree))  # noqa: B023
        ends.append(last.status)
    if hull.complete and hull.base.rounding == 0.0:
        return "optimal"
    return next((status for status in reversed(ends) if status != "optimal"), "gap_reached")


def _table(hull: Hull) -> tuple[NDArray[np.void], tuple[Tree, ...]]:
    vertices = hull.vertices
    total = hull.base.total
    prices = [price_between(*pair) for pair in pairwise(vertices)]
    ends = [inf, *(float(price / total) for price in prices), 0.0]
    rows = [
        _row(hull, vertex, low, high)
        for vertex, low, high in zip(vertices, ends[1:], ends[:-1], strict=True)
    ]
    table = np.array(rows, dtype=PATH_DTYPE)
    return table, tuple(vertex.found.tree for vertex in vertices)


def _row(hull: Hull, vertex: Vertex, low: float, high: float) -> tuple[Any, ...]:
    found = vertex.found
    bound, proved = hull.bound(vertex)
    status = vertex.status
    if proved:
        status = "optimal"
    elif status == "optimal":
        status = "gap_reached"
    # The geometric mean lies well inside the interval; CART uses it, too.
    inside = sqrt(low * high) if low > 0.0 and high < inf else (2.0 * low or high / 2.0)
    if low == 0.0 and high == inf:
        inside = 0.0
    shape = vertex.leaves, found.tree.max_depth
    return (*shape, found.error, found.n_errors, bound, status, inside, low, high)

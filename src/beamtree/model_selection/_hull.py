"""The lower convex hull of errors and leaves, explored by searches at chosen penalties."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from beamtree._engine.integer_weights import IntegerProblem
from beamtree._engine.recount import Recounted


@dataclass(frozen=True, eq=False)
class Solved:
    """A search that has ended, at some penalty.

    Parameters
    ----------
    found : Recounted
        Its tree.
    cost, lower : int
        What the tree costs in the integers of the search, and the bound of it.
    problem : IntegerProblem
        What these integers stand for.
    leaves : int
        Number of leaves that the cost is of.
    status : str
        Why it ended.
    """

    found: Recounted
    cost: int
    lower: int
    problem: IntegerProblem
    leaves: int
    status: str

    @property
    def error(self) -> Fraction:
        """Cost of the mistakes in integer weights."""
        return Fraction(self.cost - self.problem.penalty * (self.leaves - 1), self.problem.unit)

    @property
    def proved(self) -> bool:
        """Whether no tree costs less, in integers."""
        return self.lower == self.cost


@dataclass(frozen=True, eq=False)
class Vertex:
    """A tree on the hull.

    Parameters
    ----------
    leaves : int
        Its number of leaves.
    error : Fraction
        Cost of its mistakes, in integer weights.
    found : Recounted
        The tree itself.
    status : str
        Why the search that found it ended.
    """

    leaves: int
    error: Fraction
    found: Recounted
    status: str


def price_between(few: Vertex, many: Vertex) -> Fraction:
    """Return the price of a leaf at which two trees cost the same."""
    return (few.error - many.error) / (many.leaves - few.leaves)


def hull_of(vertices: Iterable[Vertex]) -> list[Vertex]:
    """Return the trees that are the best at some price above 0.

    Parameters
    ----------
    vertices : iterable of Vertex
        Trees.

    Returns
    -------
    list of Vertex
        Those on the lower convex hull, from few leaves to many, errors falling.
    """
    hull: list[Vertex] = []
    for vertex in sorted(vertices, key=lambda vertex: (vertex.leaves, vertex.error)):
        if hull and vertex.error >= hull[-1].error:
            continue
        while len(hull) > 1 and price_between(hull[-1], vertex) >= price_between(*hull[-2:]):
            hull.pop()
        hull.append(vertex)
    return hull


class Hull:
    """All trees that are known, and which prices were searched.

    Parameters
    ----------
    leaf : Solved
        The tree of one leaf.
    """

    def __init__(self, leaf: Solved) -> None:
        self.base = leaf.problem
        self._searched: list[Solved] = []  # but for the leaf, whose bound is of depth 0
        self._vertices: list[Vertex] = []
        self._proved: dict[Fraction, bool] = {}
        self._add(leaf)

    def _add(self, solved: Solved) -> None:
        error = solved.error
        if solved.problem.scale != self.base.scale:  # rounded anew, where integers did not fit
            error = Fraction(solved.found.error - self.base.offset) * Fraction(self.base.scale)
        self._vertices.append(
            Vertex(solved.found.tree.n_leaves, error, solved.found, solved.status)
        )

    @property
    def vertices(self) -> list[Vertex]:
        """The hull of what is known."""
        return hull_of(self._vertices)

    def open_edges(self) -> list[tuple[Fraction, Vertex]]:
        """Return the prices still to be searched, each with a tree that costs the least there."""
        return [edge for edge in self._edges() if edge[0] not in self._proved]

    def _edges(self) -> list[tuple[Fraction, Vertex]]:
        return [(price_between(few, many), many) for few, many in pairwise(self.vertices)]

    def search(self, price: Fraction, solve: Callable[[Fraction], Solved]) -> Solved:
        """Search at a price of a leaf, in integer weights.

        Parameters
        ----------
        price : Fraction
            The price.
        solve : callable
            Searches at a leaf penalty, a share of the total weight.

        Returns
        -------
        Solved
            What it found.
        """
        solved = solve(price / self.base.total)
        self._searched.append(solved)
        self._proved[price] = solved.proved
        self._add(solved)
        return solved

    @property
    def complete(self) -> bool:
        """Whether no tree is missing: the last is proved, and that none lies below an edge."""
        prices = [min(self._proved), *(price for price, _ in self._edges())]
        return all(self._proved.get(price, False) for price in prices)

    def bound(self, vertex: Vertex) -> tuple[float, bool]:
        """Return a bound for trees of so many leaves, and whether a tree reaches it.

        Every search proves, at its price, that errors and leaves together cost at least so much:
        what the leaves do not pay is error.
        """
        bound, proved = 0.0, vertex.leaves == 1
        for solved in self._searched:
            problem = solved.problem
            paid_by_leaves = problem.penalty * (vertex.leaves - 1)
            lower = -((paid_by_leaves - solved.lower) // problem.unit)  # errors are whole weights
            bound = max(bound, problem.lower_bound(lower * problem.unit))
            same = problem.rounding == 0.0 and problem.scale == self.base.scale
            proved = proved or (same and lower >= vertex.error)
        return (vertex.found.error if proved else min(bound, vertex.found.error)), proved

"""The lower convex hull of the trees' errors and numbers of leaves.

The trees that are optimal for some leaf penalty lie on this hull. Searches at chosen penalties
explore it. The *price* of a leaf is the penalty in the integer weights of the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from beamtree._engine.integer_weights import IntegerProblem
from beamtree._engine.recount import Recounted


@dataclass(frozen=True, eq=False)
class Solved:
    """The result of a search at one penalty.

    Parameters
    ----------
    found : Recounted
        The tree that the search found.
    cost, lower : int
        Cost of the tree, and a lower bound on the cost of all trees, in the integers of the search.
    problem : IntegerProblem
        The integer problem, which relates these integers to the weights of the user.
    leaves : int
        Number of leaves of the tree whose cost this is.
    status : str
        Reason why the search ended.
    """

    found: Recounted
    cost: int
    lower: int
    problem: IntegerProblem
    leaves: int
    status: str

    @property
    def error(self) -> Fraction:
        """Cost of the tree's mistakes, in integer weights."""
        return Fraction(self.cost - self.problem.penalty * (self.leaves - 1), self.problem.unit)

    @property
    def proved(self) -> bool:
        """Whether the search has proved that no tree costs less."""
        return self.lower == self.cost


@dataclass(frozen=True, eq=False)
class Vertex:
    """A tree on the hull.

    Parameters
    ----------
    leaves : int
        Number of leaves.
    error : Fraction
        Cost of the mistakes, in integer weights.
    found : Recounted
        The tree itself.
    status : str
        Reason why the search that found the tree ended.
    """

    leaves: int
    error: Fraction
    found: Recounted
    status: str


def price_between(few: Vertex, many: Vertex) -> Fraction:
    """Return the price of a leaf at which two trees cost the same."""
    return (few.error - many.error) / (many.leaves - few.leaves)


def hull_of(vertices: Iterable[Vertex]) -> list[Vertex]:
    """Return the trees that cost the least at some price above 0.

    Parameters
    ----------
    vertices : iterable of Vertex
        Any trees.

    Returns
    -------
    list of Vertex
        The trees on the lower convex hull, with increasing leaves and decreasing errors.
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
    """The trees that are known so far, and the prices that were searched.

    Parameters
    ----------
    leaf : Solved
        The tree that is a single leaf.
    """

    def __init__(self, leaf: Solved) -> None:
        self.base = leaf.problem
        self._searched: list[Solved] = []  # not the leaf: its bound is for depth 0
        self._vertices: list[Vertex] = []
        self._proved: dict[Fraction, bool] = {}
        self._add(leaf)

    def _add(self, solved: Solved) -> None:
        error = solved.error
        if solved.problem.scale != self.base.scale:  # The integers of this search did not fit.
            error = Fraction(solved.found.error - self.base.offset) * Fraction(self.base.scale)
        self._vertices.append(
            Vertex(solved.found.tree.n_leaves, error, solved.found, solved.status)
        )

    @property
    def of_squares(self) -> bool:
        """Whether the trees predict numbers, so that all integers are rounded a little."""
        return self._vertices[0].found.tree.predicts_numbers

    @property
    def rounding(self) -> float:
        """The largest rounding of all searches."""
        return max(problem.rounding for problem in self._problems())

    def _problems(self) -> list[IntegerProblem]:
        return [self.base, *(solved.problem for solved in self._searched)]

    @property
    def vertices(self) -> list[Vertex]:
        """The hull of the trees that are known so far."""
        return hull_of(self._vertices)

    def open_edges(self) -> list[tuple[Fraction, Vertex]]:
        """Return the prices to search next, each with a known tree of least cost at that price."""
        return [edge for edge in self._edges() if edge[0] not in self._proved]

    def _edges(self) -> list[tuple[Fraction, Vertex]]:
        return [(price_between(few, many), many) for few, many in pairwise(self.vertices)]

    def search(self, price: Fraction, solve: Callable[[Fraction], Solved]) -> Solved:
        """Search at one price of a leaf, and add the tree that is found.

        Parameters
        ----------
        price : Fraction
            Price of a leaf, in integer weights.
        solve : callable
            Function that runs a search. Its argument is the leaf penalty as a share of the total
            weight.

        Returns
        -------
        Solved
            The result of the search.
        """
        solved = solve(price / self.base.total)
        self._searched.append(solved)
        self._proved[price] = solved.proved
        self._add(solved)
        return solved

    @property
    def complete(self) -> bool:
        """Whether the largest tree is proved, and that no tree lies below an edge of the hull."""
        prices = [min(self._proved), *(price for price, _ in self._edges())]
        return all(self._proved.get(price, False) for price in prices)

    def bound(self, vertex: Vertex) -> tuple[float, bool]:
        """Return a lower bound on the error of trees with as many leaves as a given tree.

        A search at a price has proved a lower bound on the cost of errors and leaves together. The
        price of the leaves, subtracted from it, leaves a bound on the error. The second value tells
        whether the given tree is proved to be optimal: it reaches its bound, or exceeds it by no
        more than the rounding of real weights.
        """
        error, bound, proved = vertex.found.error, 0.0, vertex.leaves == 1
        for solved in self._searched:
            problem = solved.problem
            paid_by_leaves = problem.penalty * (vertex.leaves - 1)
            lower = -((paid_by_leaves - solved.lower) // problem.unit)  # rounded up to a weight
            bound = max(bound, problem.lower_bound(lower * problem.unit))
            same = problem.rounding == 0.0 and problem.scale == self.base.scale
            proved = proved or (same and lower >= vertex.error)
        if self.of_squares and vertex.leaves > 1:
            # The price of a leaf is rounded, too, so a bound may miss the tree by as much again.
            bound = min(bound, error)
            return bound, error - bound <= 2.0 * self.rounding
        if proved:
            return error, True
        bound = min(bound, error)
        return bound, self.rounding > 0.0 and error - bound <= self.rounding

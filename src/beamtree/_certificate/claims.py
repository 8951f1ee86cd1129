"""The claims of a certificate: why no tree costs less than a bound.

They are made after a search, by walking down from the root. Where few levels are left, the checker
recomputes what a claim says. Above that, a claim needs claims about the sides of its tests. What
these sides cost at least, the search knows or finds out again (``_core.Search.prove``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The checker recomputes trees of three levels if there are no more tests than this, else of two.
FEW_TESTS = 500
# More tests are not compared with each other.
MOST_COMPARED = 4000
# As many paths are remembered.
MOST_PREFIXES = 1000
# How the checker is told that trees may have any depth, and what it is here.
ANY_DEPTH = 10**6

# Takes numbers of tests and sides from the root, and the bound that is needed; returns a bound.
Prove = Callable[[list[tuple[int, bool]], int], int]
# The same, without looking further down; and the tests that leave trees below the bound, with
# bounds of their two sides.
ShallowBound = Callable[
    [list[tuple[int, bool]], int], tuple[int, list[tuple[int, int, int]]] | None
]
Rows = NDArray[np.intp]
Steps = list[tuple[int, bool]]


class NotProvedError(RuntimeError):
    """Raised when a bound that the search had could not be proved again."""


@dataclass(frozen=True, eq=False)
class CertifiedProblem:
    """The problem of a certificate. Rows that no test separates are one group.

    Parameters
    ----------
    ranks : ndarray of int32, shape (n_orders, n_groups)
        The rank of every group in every order, without gaps. The tests of an order ask whether the
        rank is at most 0, 1, and so on; they are numbered through all orders, and every order takes
        as many numbers as it has ranks.
    tests : ndarray of int64, shape (n_numbers,)
        For each of these numbers, the number of the test in the search.
    sums : ndarray of int64, shape (n_sums, n_groups)
        What leaves add up: the cost of each prediction, or weight, value and square.
    size : ndarray of int64, shape (n_groups,)
        What the smallest leaf counts.
    cancelled : ndarray of int64, shape (n_groups,)
        The part of the cost that the search does not count, because every tree has it.
    known : ndarray of bool, shape (n_groups,)
        Whether the search has rows of the group, and has not cancelled all of them.
    penalty, least : int
        What every split costs, and the size of the smallest leaf.
    factor : float or None
        By what values are multiplied before they are squared; None for classes.
    """

    ranks: NDArray[np.int32]
    tests: NDArray[np.int64]
    sums: NDArray[np.int64]
    size: NDArray[np.int64]
    cancelled: NDArray[np.int64]
    known: NDArray[np.bool_]
    penalty: int
    least: int
    factor: float | None

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """For each order and group, the number of the test whether the rank is at most its own."""
        count = self.ranks.max(axis=1).astype(np.int64) + 1
        numbers: NDArray[np.int64] = self.ranks + (np.cumsum(count) - count)[:, np.newaxis]
        return numbers

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The order of each test."""
        count = self.ranks.max(axis=1).astype(np.int64) + 1
        return np.repeat(np.arange(len(self.ranks)), count)

    @cached_property
    def cut(self) -> NDArray[np.int32]:
        """The largest rank with which each test holds."""
        ends = (self.ranks.max(axis=1) + 1).tolist()
        return np.concatenate([np.arange(end, dtype=np.int32) for end in ends])

    @cached_property
    def number_of(self) -> dict[int, int]:
        """The number that a test of the search has here."""
        return {int(self.tests[number]): number for number in self._real.tolist()}

    @property
    def _real(self) -> NDArray[np.intp]:
        """The numbers that are tests; the last number of each order always holds."""
        return np.flatnonzero(np.append(self.order[1:] == self.order[:-1], False))

    @cached_property
    def has_few_tests(self) -> bool:
        """Whether the checker recomputes trees of three levels."""
        return len(self.order) - len(self.ranks) <= FEW_TESTS

    @cached_property
    def in_search(self) -> list[tuple[int, bool]]:
        """For each test, the first test of the search with the same sides, and whether they swap.

        The search may know no other one. It knows all tests if there are very many.
        """
        found = [(test, False) for test in self.tests.tolist()]
        if len(found) > MOST_COMPARED:
            return found
        first: dict[bytes, tuple[int, bool]] = {}
        holds = self.all_hold(self._real, np.arange(len(self.size)))
        for number, key, at_first in zip(
            self._real.tolist(), _keys(holds), holds[:, 0].tolist(), strict=True
        ):
            like, held = first.setdefault(key, (found[number][0], at_first))
            found[number] = like, at_first != held
        return found

    @cached_property
    def most(self) -> NDArray[np.int64]:
        """What each group costs at most, if there are classes."""
        most: NDArray[np.int64] = self.sums.max(axis=0)
        return most

    def leaf(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what leaves with these sums cost."""
        if self.factor is None:
            least: NDArray[np.int64] = sums.min(axis=0)
            return least
        scaled = sums[1] * self.factor
        cost: NDArray[np.int64] = sums[2] - np.rint(scaled * scaled / sums[0]).astype(np.int64)
        return cost

    @cached_property
    def floors(self) -> NDArray[np.int64]:
        """What each group costs at least; with numbers, less what rounding can add."""
        floors = self.leaf(self.sums)
        return floors if self.factor is None else np.maximum(floors - 1, 0)

    def tests_of(self, rows: Rows) -> NDArray[np.intp]:
        """Return the tests that leave enough rows on both sides; of equal cuts only the first."""
        numbers, found = self.numbers[:, rows], np.zeros(len(self.order), dtype=np.bool_)
        found[numbers] = True
        found[numbers.max(axis=1)] = False
        tests = np.flatnonzero(found)
        if self.least == 1:
            return tests
        size = np.array([self.size[rows[self.holds(test, rows)]].sum() for test in tests.tolist()])
        large: NDArray[np.intp] = tests[
            np.minimum(size, self.size[rows].sum() - size) >= self.least
        ]
        return large

    def holds(self, test: int, rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows a test holds."""
        found: NDArray[np.bool_] = self.ranks[self.order[test], rows] <= self.cut[test]
        return found

    def all_hold(self, tests: NDArray[np.intp], rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows each of some tests holds, one line per test."""
        if self.has_few_tests:
            return self._table[np.ix_(tests, rows)]
        ranks = self.ranks[self.order[tests][:, np.newaxis], rows]
        found: NDArray[np.bool_] = ranks <= self.cut[tests][:, np.newaxis]
        return found

    @cached_property
    def _table(self) -> NDArray[np.bool_]:
        """For which groups each test holds."""
        found: NDArray[np.bool_] = self.ranks[self.order] <= self.cut[:, np.newaxis]
        return found

    def slack(self, levels: int) -> int:
        """Return by how much rounding can lower the cost of a tree when it gets more rows."""
        return 0 if self.factor is None else 2 * min(2 ** min(levels, 60), len(self.size))


class Certifier:
    """Makes the claims of a certificate.

    Parameters
    ----------
    problem : CertifiedProblem
        The problem.
    prove : callable
        Takes a path and the bound that is needed, and returns a proved bound.
    shallow_bound : callable
        Takes a path and the bound that is needed, and returns a bound that needs no claims about
        its sides, and the tests that leave trees below the one that is needed, with such bounds of
        their sides; None if there is no such bound.
    """

    def __init__(
        self, problem: CertifiedProblem, prove: Prove, shallow_bound: ShallowBound
    ) -> None:
        self._problem, self._prove, self._shallow_bound = problem, prove, shallow_bound
        self._claims: list[list[Any]] = []
        self._known: dict[tuple[bytes, int], int] = {}
        # Of paths that are one step shorter: their tests in the search, and the rows at their ends.
        self._prefixes: dict[tuple[tuple[int, bool], ...], tuple[Steps, Rows]] = {}

    def claims(self, depth: int, bound: int) -> list[list[Any]]:
        """Return the claims that prove a bound of the root, each after those that it needs."""
        if bound > 0:
            self._claim([], np.arange(len(self._problem.size)), depth, bound)
        return self._claims

    def _claim(self, path: Steps, rows: Rows, depth: int, bound: int) -> None:
        """Add a claim, and before it those that it needs."""
        if self._claimed(rows, depth) >= bound:
            return
        reason: list[Any]
        small, open_tests = self._small(path, rows, depth, bound)
        if small is not None:
            reason = [small]
        elif self._problem.has_few_tests:
            reason = ["split", self._claim_sides(path, rows, depth, bound, open_tests)]
        else:
            reason = ["split", self._claim_cuts(path, rows, depth, bound)]
        steps = [number for test, right in path for number in (test, int(right))]
        self._claims.append([steps, None if depth == ANY_DEPTH else depth, bound, *reason])
        self._known[self._key(rows), depth] = bound

    def _claimed(self, rows: Rows, depth: int) -> int:
        """Return what is claimed about some rows."""
        return self._known.get((self._key(rows), depth), 0)

    def _key(self, rows: Rows) -> bytes:
        inside = np.zeros(len(self._problem.size), dtype=np.bool_)
        inside[rows] = True
        return np.packbits(inside).tobytes()

    def _small(
        self, path: Steps, rows: Rows, depth: int, bound: int
    ) -> tuple[str | None, list[tuple[int, int, int]] | None]:
        """Return the reason if the checker recomputes the trees that matter, otherwise None.

        The second result has the tests of the search whose sides the checker cannot recompute far
        enough, with the bounds that it finds for them; None stands for all tests.
        """
        problem = self._problem
        more = bound - int(problem.floors[rows].sum())
        if more <= 0:
            return "equal rows", None
        levels = 3 if problem.has_few_tests else 2
        if depth <= levels:
            return "small" if depth > 0 else "leaf", None
        # Trees of more levels have more splits, too.
        if problem.penalty > 0 and (levels + 1) * problem.penalty >= more:
            return "penalty", None
        if problem.penalty > 0 and problem.has_few_tests:
            cancelled = int(problem.cancelled[rows].sum())
            known = self._shallow_bound(self._in_search(path), bound - cancelled)
            if known is not None:
                lower, tests = known
                return "penalty" if lower + cancelled >= bound else None, tests or None
        return None, None

    def _claim_sides(
        self,
        path: Steps,
        rows: Rows,
        depth: int,
        bound: int,
        open_tests: list[tuple[int, int, int]] | None,
    ) -> list[int]:
        """Claim what the sides of the tests cost at least, where that follows from no other side.

        Returns the tests whose sides have claims.
        """
        problem, claimed = self._problem, []
        tests = problem.tests_of(rows)
        yes = problem.all_hold(tests, rows)
        recomputed = np.zeros((2, len(tests)), dtype=np.int64)
        if open_tests is not None:
            some, recomputed = self._recomputed(rows, yes, open_tests)
            tests, yes = tests[some], yes[some]
        similar = problem.factor is None and problem.least == 1
        sides = _SimilarSides(yes, recomputed, problem.most[rows] if similar else None)
        goal, below = bound - problem.penalty, _below(depth)
        for place in np.argsort(np.abs(2 * yes.sum(axis=1) - len(rows)), kind="stable").tolist():
            if sides.both(place) >= goal:
                continue
            test = int(tests[place])
            parts = [(0, rows[yes[place]]), (1, rows[~yes[place]])]
            for right, part in parts:  # the same rows may be at the ends of other paths
                found = self._claimed(part, below)
                if found > sides.bound[right, place]:
                    sides.learn(place, right, found)
                    claimed.append(test)
            if sides.both(place) >= goal:
                continue
            known = sides.bound[:, place].tolist()
            if problem.penalty > 0:  # ask for no more than the search did, since that may be dear
                for right, part in parts:
                    cached = self._known_bound([*path, (test, bool(right))], part)
                    known[right] = max(cached, known[right])
                parts.sort(key=lambda part: -known[part[0]])
            else:
                parts.sort(
                    key=lambda part: -int(problem.leaf(problem.sums[:, part[1]].sum(axis=1)))
                )
            for right, part in parts:
                needed = goal - max(int(sides.bound[1 - right, place]), known[1 - right])
                known = [0, 0]  # the second side makes up for what the first one lacks
                if needed > sides.bound[right, place]:
                    found = self._claim_side([*path, (test, bool(right))], part, below, needed)
                    sides.learn(place, right, found)
                    claimed.append(test)
            self._check(sides.both(place) >= goal, bound)
        return sorted(set(claimed))

    def _recomputed(
        self, rows: Rows, yes: NDArray[np.bool_], open_tests: list[tuple[int, int, int]]
    ) -> tuple[list[int], NDArray[np.int64]]:
        """Return which tests may leave trees below the bound, and what their sides cost at least.

        These are the open tests of the search, which may know a test as another one that is equal
        or opposite on these rows. A test that separates only rows that the search has cancelled
        does not pay, as the checker sees for itself.
        """
        problem = self._problem
        known, cancelled = problem.known[rows], problem.cancelled[rows]
        numbers = np.array([problem.number_of[test] for test, _, _ in open_tests], dtype=np.intp)
        holds, inside = problem.all_hold(numbers, rows[known]), yes[:, known]
        bounds = {
            key: sides if first else sides[::-1]
            for key, first, (_, *sides) in zip(_keys(holds), holds[:, 0], open_tests, strict=True)
        }
        extra = yes @ cancelled, ~yes @ cancelled
        some, found = [], []
        for place, key in enumerate(_keys(inside)):
            if key in bounds:
                left, right = bounds[key] if inside[place, 0] else bounds[key][::-1]
                some.append(place)
                found.append((left + extra[0][place], right + extra[1][place]))
        return some, np.array(found, dtype=np.int64).reshape(-1, 2).T

    def _claim_cuts(self, path: Steps, rows: Rows, depth: int, bound: int) -> list[int]:
        """Claim what the sides of some cuts of every order cost, which bound those of the others.

        Returns the tests whose sides have claims.
        """
        problem, claimed = self._problem, []
        every = problem.tests_of(rows)
        goal, below = bound - problem.penalty, _below(depth)
        for tests in np.split(every, 1 + np.flatnonzero(np.diff(problem.order[every]))):
            lower = np.zeros((2, len(tests)), dtype=np.int64)
            while len(low := np.flatnonzero(lower.sum(axis=0) < goal)):
                first, last = _first_run(low)
                middle = (first + last) // 2
                test = int(tests[middle])
                holds = problem.holds(test, rows)
                # As much as can bound all cuts of the run, together with what is known of its ends.
                for right, part in ((False, rows[holds]), (True, rows[~holds])):
                    needed = int(goal - lower[int(not right), first if right else last])
                    if needed > lower[int(right), middle]:
                        found = self._claim_side([*path, (test, right)], part, below, needed)
                        lower[int(right), middle] = max(found, lower[int(right), middle])
                claimed.append(test)
                self._check(lower[:, middle].sum() >= goal, bound)
                if problem.least == 1:
                    lower = _neighbours(lower, problem.slack(below))
        return claimed

    def _claim_side(self, path: Steps, rows: Rows, depth: int, needed: int) -> int:
        """Claim as much as is needed, or as can be proved, and return it."""
        cancelled = int(self._problem.cancelled[rows].sum())
        proved = self._known_to_cost(path, rows, max(needed - cancelled, 0))
        found = min(proved + cancelled, needed)
        if found > 0:
            self._claim(path, rows, depth, found)
        return found

    def _known_bound(self, path: Steps, rows: Rows) -> int:
        """Return what the search knows of a side without searching it."""
        return self._known_to_cost(path, rows, 0) + int(self._problem.cancelled[rows].sum())

    def _known_to_cost(self, path: Steps, rows: Rows, bound: int) -> int:
        """Return what the rows cost that the search has not cancelled."""
        if not self._problem.known[rows].any():
            return 0
        return self._prove(self._in_search(path), bound)

    def _in_search(self, path: Steps) -> Steps:
        """Return a path with the numbers that the tests have in the search.

        A step that separates only rows that the search has cancelled is left out. The search then
        speaks of trees that are one level deeper, which cost no more, and no less is needed: with
        such a test, nothing is won.
        """
        if not path:
            return []
        (test, right), start = path[-1], tuple(path[:-1])
        if start not in self._prefixes:
            if len(self._prefixes) > MOST_PREFIXES:
                self._prefixes.clear()
            self._prefixes[start] = self._in_search(list(start)), self._known_rows(list(start))
        found, rows = self._prefixes[start]
        holds = self._problem.holds(test, rows)
        if (holds == right).any():
            number, swap = self._problem.in_search[test]
            return [*found, (number, right != swap)]
        return found

    def _known_rows(self, path: Steps) -> Rows:
        """Return the rows at the end of a path of which the search knows something."""
        rows = np.flatnonzero(self._problem.known)
        for test, right in path:
            rows = rows[self._problem.holds(test, rows) != right]
        return rows

    def _check(self, proved: bool | np.bool_, bound: int) -> None:  # noqa: FBT001
        if not proved:
            msg = f"a bound of {bound} could not be proved again"
            raise NotProvedError(msg)


def _keys(holds: NDArray[np.bool_]) -> list[bytes]:
    """Return what is equal for tests, one per line, with the same two sides."""
    return [line.tobytes() for line in np.packbits(holds ^ holds[:, :1], axis=1)]


def _below(depth: int) -> int:
    return depth if depth == ANY_DEPTH else depth - 1


def _first_run(low: NDArray[np.intp]) -> tuple[int, int]:
    """Return the first and the last of the first numbers that follow each other without a gap."""
    gaps = np.flatnonzero(np.diff(low) > 1)
    return int(low[0]), int(low[gaps[0]] if len(gaps) else low[-1])


def _neighbours(lower: NDArray[np.int64], slack: int) -> NDArray[np.int64]:
    """Return bounds of the sides of cuts that follow from those of smaller sides."""
    yes = np.maximum.accumulate(lower[0]) - slack
    no = np.maximum.accumulate(lower[1][::-1])[::-1] - slack
    found: NDArray[np.int64] = np.maximum(lower, np.array([yes, no]))
    return found


class _SimilarSides:
    """What the sides of all tests of a node cost at least.

    If one side is claimed to cost some amount, another one costs at least as much, less what the
    rows cost at most that only the first one has. This is left out if `most` is None.
    """

    def __init__(
        self, yes: NDArray[np.bool_], bound: NDArray[np.int64], most: NDArray[np.int64] | None
    ) -> None:
        self.bound = bound
        self._yes, self._most = yes, most
        self._real = None if most is None else yes.astype(np.float64)

    def both(self, place: int) -> int:
        """Return what the sides of the test at a place cost together."""
        return int(self.bound[0, place]) + int(self.bound[1, place])

    def learn(self, place: int, right: int, bound: int) -> None:
        """Take note of a claim about one side of the test at a place."""
        if self._real is not None and self._most is not None:
            most = np.where(self._yes[place] != bool(right), self._most, 0)
            common = np.rint(self._real @ most).astype(np.int64)  # with the side where tests hold
            total = int(most.sum())
            np.maximum(self.bound[0], bound - (total - common), out=self.bound[0])
            np.maximum(self.bound[1], bound - common, out=self.bound[1])
        self.bound[right, place] = max(bound, self.bound[right, place])

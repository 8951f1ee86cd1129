"""Certificates: a proof of the lower bound that another program can check.

A certificate is made after the search, by walking down from the root. Where three levels are left,
the checker recomputes what the claim says. Above that, a claim needs a claim for one side, or for
both sides, of every test. What these sides cost at least, the search knows or finds out again
(``_core.Search.prove``).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

VERSION = 1
# The checker recomputes trees of as many levels by itself, if there are no more tests than this.
SMALL_LEVELS, FEW_TESTS = 3, 1500

# Takes tests and sides from the root, and the bound that is needed; returns a proved bound.
Prove = Callable[[list[tuple[int, bool]], int], int]
Rows = NDArray[np.intp]
Path_ = list[tuple[int, bool]]


class NotProvedError(RuntimeError):
    """Raised when a bound that the search had could not be proved again, as after Ctrl-C."""


class Tests(NamedTuple):
    """The tests of a search and where the checker finds them.

    Parameters
    ----------
    right : ndarray of bool, shape (n_tests, n_rows)
        Whether a row goes right.
    place : list of (int, int)
        Order and cut of each test, as the checker numbers them.
    """

    right: NDArray[np.bool_]
    place: list[tuple[int, int]]


class Certifier:
    """Makes the claims of a certificate.

    Parameters
    ----------
    tests : Tests
        The tests. Of tests that always agree, or never, the search may know only the first.
    cost : ndarray of int64, shape (n_rows, n_classes)
        What each row costs for each prediction.
    cancelled : ndarray of int64, shape (n_rows,)
        The part of the cost that the search does not count, because every tree has it.
    penalty : int
        What every split costs.
    least_rows : int
        The least number of rows of a leaf.
    prove : callable
        Takes a path and the bound that is needed, and returns a proved bound.
    """

    def __init__(
        self,
        tests: Tests,
        cost: NDArray[np.int64],
        cancelled: NDArray[np.int64],
        penalty: int,
        least_rows: int,
        prove: Prove,
    ) -> None:
        self._tests, self._cost, self._cancelled = tests, cost, cancelled
        self._penalty, self._least_rows, self._prove = penalty, least_rows, prove
        self._most = cost.max(axis=1)
        self._claims: list[list[Any]] = []
        self._known: dict[tuple[bytes, int], tuple[int, int]] = {}  # bound and number of a claim
        mirrored = tests.right ^ tests.right[:, :1]
        _, first = np.unique(np.packbits(mirrored, axis=1), axis=0, return_index=True)
        self._distinct = np.sort(first)

    def claims(self, depth: int, bound: int) -> list[list[Any]]:
        """Return the claims that prove a bound of the root, each after those that it needs."""
        rows = np.arange(len(self._cost))
        if bound > 0:
            self._claim([], rows, depth, bound)
        return self._claims

    def _claim(self, path: Path_, rows: Rows, depth: int, bound: int) -> int:
        """Prove a claim, and return its number."""
        key = self._key(rows, depth)
        known, number = self._known.get(key, (-1, -1))
        if known >= bound:
            return number
        if depth > SMALL_LEVELS:
            self._claim_sides(path, rows, depth, bound)
        reason = "split" if depth > SMALL_LEVELS else "small"
        return self._add(path, key, depth, bound, [reason])

    def _add(
        self, path: Path_, key: tuple[bytes, int], depth: int, bound: int, reason: list[Any]
    ) -> int:
        steps = [n for test, right in path for n in (*self._tests.place[test], int(right))]
        self._claims.append([steps, depth, bound, *reason])
        self._known[key] = bound, len(self._claims) - 1
        return len(self._claims) - 1

    def _claim_sides(self, path: Path_, rows: Rows, depth: int, bound: int) -> None:
        """Prove claims for the sides of all tests of a node, so that each test costs enough."""
        right = self._tests.right[:, rows]
        size = np.count_nonzero(right, axis=1)
        most = self._most[rows]
        goal = bound - self._penalty
        sides = _Sides(right, most, similar=self._least_rows == 1)
        order = np.argsort(np.abs(2 * size[self._distinct] - len(rows)), kind="stable")
        for test in self._distinct[order].tolist():
            if min(size[test], len(rows) - size[test]) < self._least_rows:
                continue
            parts = [(False, rows[~right[test]]), (True, rows[right[test]])]
            parts.sort(key=lambda part: -int(self._cost[part[1]].sum(axis=0).min()))
            for side, part in parts:
                needed = goal - sides.best(test, not side)[0]
                if needed <= sides.best(test, side)[0]:
                    break
                step = [*path, (test, side)]
                found = min(self._lower(step, part, needed), needed)
                if found > sides.best(test, side)[0]:
                    number = self._claim(step, part, depth - 1, found)
                    sides.learn(test, side, found, number)
            if sum(sides.best(test, side)[0] for side in (False, True)) < goal:
                msg = f"a bound of {bound} could not be proved again"
                raise NotProvedError(msg)
            for side, part in parts:
                self._claim_similar([*path, (test, side)], part, depth - 1, sides.best(test, side))

    def _claim_similar(self, path: Path_, rows: Rows, depth: int, best: tuple[int, int]) -> None:
        """Claim what follows from a claim about similar rows, unless as much is known."""
        (bound, source), key = best, self._key(rows, depth)
        if bound > max(self._known.get(key, (0, -1))[0], 0):
            self._add(path, key, depth, bound, ["similar", source])

    def _key(self, rows: Rows, depth: int) -> tuple[bytes, int]:
        inside = np.zeros(len(self._cost), dtype=np.bool_)
        inside[rows] = True
        return np.packbits(inside).tobytes(), depth

    def _lower(self, path: Path_, rows: Rows, needed: int) -> int:
        cancelled = int(self._cancelled[rows].sum())
        return self._prove(path, max(needed - cancelled, 0)) + cancelled


class _Sides:
    """What is claimed about the sides of all tests of a node, and what follows for similar ones.

    If one side is proved to cost some amount, another one costs at least as much, less what the
    rows cost at most that only the first one has. With a least number of rows this holds only for
    parts of the first side, and is not used.
    """

    def __init__(self, right: NDArray[np.bool_], most: NDArray[np.int64], *, similar: bool) -> None:
        self._right, self._most, self._similar = right, most, similar
        self._real = right.astype(np.float64) if similar else None
        self._bound = np.zeros((2, len(right)), dtype=np.int64)
        self._source = np.full((2, len(right)), -1)

    def best(self, test: int, side: bool) -> tuple[int, int]:  # noqa: FBT001
        """Return the best bound of a side, and the number of the claim that it follows from."""
        return int(self._bound[int(side), test]), int(self._source[int(side), test])

    def learn(self, test: int, side: bool, bound: int, number: int) -> None:  # noqa: FBT001
        """Take note of a claim about one side."""
        if self._real is not None:
            most = np.where(self._right[test] == side, self._most, 0)
            shared = np.rint(self._real @ most).astype(np.int64)  # with the right side of each test
            for other, common in ((1, shared), (0, int(most.sum()) - shared)):
                follows = bound - (int(most.sum()) - common)
                better = follows > self._bound[other]
                self._bound[other][better] = follows[better]
                self._source[other][better] = number
        self._bound[int(side), test], self._source[int(side), test] = bound, number


def write(path: str | Path, header: dict[str, Any], claims: Iterable[list[Any]]) -> None:
    """Write a certificate.

    Parameters
    ----------
    path : path
        The file.
    header : dict
        How the problem is posed, and the tree.
    claims : iterable of list
        The claims, each after those that it needs.
    """
    with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as file:
        for line in (header, *claims):
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")


def canonical(values: NDArray[Any]) -> list[str]:
    """Return numbers as the checker hashes them: exact, and "" where they are missing."""
    distinct, place = np.unique(values, return_inverse=True)
    texts = []
    for value in distinct.tolist():
        if value != value:
            texts.append("")
        else:
            texts.append(float(value).hex() if float(value) == value else str(value))
    return [texts[i] for i in place.ravel().tolist()]


def digest(columns: Iterable[tuple[str, list[str]]]) -> str:
    """Return the hash of a table: names and cells of its columns."""
    found = sha256()
    for name, cells in columns:
        found.update("\n".join([name, *cells, ""]).encode())
    return found.hexdigest()

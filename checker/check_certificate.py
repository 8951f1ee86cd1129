"""Check a certificate of beamtree: a proof that no decision tree of its kind costs less.

    python check_certificate.py CERTIFICATE TABLE.csv

This program shares no code with beamtree, and needs only numpy. The tests of the project show the
format. It believes how the problem is posed (columns, costs, penalty, depth, leaf size), and prints
it; everything else is recomputed from the table.
"""

import argparse
import csv
import gzip
import hashlib
import json
import sys
import time
from bisect import bisect_left
from fractions import Fraction
from pathlib import Path

import numpy as np

MOST_LINE, MOST_CLAIMS, MOST_NUMBER, MOST_STEPS = 2**26, 10**7, 2**53, 100
ANY = 10**6  # the depth of claims about trees of any depth
DAMAGED = ArithmeticError, EOFError, LookupError, OSError, RecursionError, TypeError, ValueError
FEW_TESTS = 1500  # with no more tests than this, pairs of them are counted by matrix products


class Refused(Exception):  # noqa: N818
    """Raised when something is not proved, or not said clearly; the text is the reason."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def integer(value, name, least=0, most=MOST_NUMBER):
    fine = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    need(fine, f"{name} must be an integer from {least} to {most}")
    return value


class Problem:
    """The rows, and what trees on them cost.

    `ranks` has one row per order; test i of an order is whether a rank is at most i. `sums` has one
    row per row of the table: what a leaf adds up. For classes this is the cost of each prediction,
    for numbers the weight, the weighted number and the weighted square. All of them are integers.
    """

    def __init__(self, ranks, sums, squares, penalty, least_rows, depth):
        self.ranks = np.array([np.unique(r, return_inverse=True)[1] for r in ranks], np.int32)
        self.ranks = self.ranks.reshape(len(ranks), len(sums))
        self.sums, self.squares, self.penalty = sums, squares, penalty
        self.least_rows, self.depth = least_rows, depth
        self.n_tests = self.ranks.max(axis=1, initial=0)
        # The largest number that occurs when three levels are counted, in integers.
        total = np.abs(sums).sum() + 8 * penalty
        need(total < MOST_NUMBER, "the costs are too large to be added exactly")
        need(bool((sums == np.rint(sums)).all()), "the costs must be integers")
        self.few = self.n_tests.sum() <= FEW_TESTS
        if self.few:
            tests = [ranks <= i for ranks, k in zip(self.ranks, self.n_tests) for i in range(k)]
            exact = np.float32 if total < 2**24 and not squares else np.float64
            self.tests = np.array(tests, exact).reshape(len(tests), len(sums))
        self.sorted = np.argsort(self.ranks, axis=1, kind="stable")
        order = np.lexsort(self.ranks) if len(ranks) else np.arange(len(sums))
        new = (self.ranks[:, order[1:]] != self.ranks[:, order[:-1]]).any(axis=0)
        self.group = np.empty(len(sums), np.int64)  # rows that no test separates
        self.group[order] = np.concatenate([[0], np.cumsum(new)])

    def leaf(self, sums):
        """Return what leaves with these sums cost."""
        if not self.squares:
            return sums.min(axis=-1)
        weight, value, square = np.moveaxis(sums, -1, 0)
        explained = np.divide(value * value, weight, out=np.zeros_like(value), where=weight > 0)
        # Rounding must not raise a cost; the margin is a thousand times as large.
        return np.maximum(square - explained - 1e-12 * square, 0.0)

    def most(self, rows):
        """Return what the rows cost at most, whatever is predicted."""
        return np.full(len(rows), np.inf) if self.squares else self.sums[rows].max(axis=1)

    def floor(self, rows):
        """Return what rows cost that no test separates."""
        sums = np.zeros((self.group.max(initial=0) + 1, self.sums.shape[1]))
        np.add.at(sums, self.group[rows], self.sums[rows])
        return self.leaf(sums).sum()

    def at_least(self, rows, depth, bound):
        """Return whether no tree of this depth, at most 3, costs less."""
        levels = 3 if self.few else 2
        need(depth <= levels, f"only trees of at most {levels} levels are recomputed")
        if self.leaf(self.sums[rows].sum(axis=0)) < bound:
            return False
        if depth == 0 or bound <= 0:
            return True
        if depth == 3:
            return self.three_levels(rows, bound)
        if self.few:
            return self.pairs(rows, depth) >= bound
        if depth == 1:
            return self.stump(rows) >= bound
        return all(self.cuts_cost(rows, order, bound) for order in range(len(self.ranks)))

    def best(self, yes, of, rows, of_rows):
        """Return what the best leaf or split costs, where tests that hold have the sums `yes`."""
        cost = self.leaf(yes) + self.leaf(of[..., None, :] - yes) + self.penalty
        if self.least_rows > 1:  # otherwise, a split with an empty side is like none
            cost[np.minimum(rows, of_rows[..., None] - rows) < self.least_rows] = np.inf
        return np.minimum(cost.min(axis=-1, initial=np.inf), self.leaf(of))

    def pairs(self, rows, depth):
        """Return the least cost of one or two levels, by counting pairs of tests."""
        n, M = np.float64(len(rows)), self.tests[:, rows]
        ones = M.sum(axis=1)
        splits = np.minimum(ones, n - ones) >= self.least_rows
        M, ones = M[splits], ones[splits]
        C = self.sums[rows].astype(M.dtype)
        a, total = M @ C, C.sum(axis=0)
        if depth == 1 or not len(M):
            return self.best(a, total, ones, n)
        A = np.stack([(M * c) @ M.T for c in C.T], axis=-1)
        N = M @ M.T if self.least_rows > 1 else 0
        cost = self.best(A, a, N, ones) + self.penalty
        cost += self.best(a - A, total - a, ones - N, n - ones)
        return min(cost.min(), self.leaf(total))

    def three_levels(self, rows, bound):
        """Return whether no tree of three levels costs less: two sides for every first test."""
        M, n, goal = self.tests[:, rows], len(rows), bound - self.penalty
        size, lower = M.sum(axis=1), np.zeros((2, len(M)))
        similar = not self.squares and self.least_rows == 1
        if similar:
            most = self.most(rows)
            shared = ((M * most.astype(M.dtype)) @ M.T).astype(float)
            own, total = np.diag(shared), most.sum()
        for f in np.argsort(np.abs(2 * size - n)):
            if min(size[f], n - size[f]) < self.least_rows:
                continue
            for side in (1, 0) if 2 * size[f] <= n else (0, 1):
                if lower[0, f] + lower[1, f] >= goal:
                    break
                lower[side, f] = cost = self.pairs(rows[M[f] == side], 2)
                if similar:  # other sides cost as much, less the rows that only this one has
                    common = shared[f] if side else own - shared[f]
                    mine = own[f] if side else total - own[f]
                    np.maximum(lower[1], cost - (mine - common), out=lower[1])
                    np.maximum(lower[0], cost - common, out=lower[0])
            if lower[0, f] + lower[1, f] < goal:
                return False
        return True

    def stump(self, rows):
        """Return the least cost of a leaf or one split, by a sweep over all sorted columns."""
        inside = np.zeros(len(self.sums), bool)
        inside[rows] = True
        at = self.sorted[inside[self.sorted]].reshape(len(self.ranks), len(rows))
        value = np.take_along_axis(self.ranks, at, axis=1)
        left, total = np.cumsum(self.sums[at], axis=1)[:, :-1], self.sums[rows].sum(axis=0)
        cost = self.leaf(left) + self.leaf(total - left) + self.penalty
        count = np.arange(1, len(rows))
        few = np.minimum(count, len(rows) - count) < self.least_rows
        cost[(value[:, 1:] == value[:, :-1]) | few] = np.inf
        return min(self.leaf(total), cost.min(initial=np.inf))

    def cuts_cost(self, rows, order, bound):
        """Return whether no tree of two levels costs less that begins with a cut of this order."""
        rows = rows[np.argsort(self.ranks[order, rows], kind="stable")]
        value = self.ranks[order, rows]
        cuts = 1 + np.flatnonzero(value[1:] != value[:-1])
        cuts = cuts[(cuts >= self.least_rows) & (len(rows) - cuts >= self.least_rows)]
        intervals, known = [(0, len(cuts) - 1)] if len(cuts) else [], {}

        def side(begin, end):
            if (begin, end) not in known:
                known[begin, end] = self.stump(rows[begin:end])
            return known[begin, end]

        while intervals:
            first, last = intervals.pop()
            a, b = cuts[first], cuts[last]
            if self.least_rows == 1:  # a cut in between has all rows of these two sides
                lower = side(0, a) + side(b, len(rows))
            else:  # the sides of a cut in between lack some rows of these two
                lower = side(0, b) + side(a, len(rows)) - self.most(rows[a:b]).sum()
            if lower + self.penalty < bound:
                if first == last:
                    return False
                middle = (first + last) // 2
                intervals += [(first, middle), (middle + 1, last)]
        return True


class Proof:
    """The claims that are verified: rows, depth of the trees, and what they cost at least."""

    def __init__(self, problem):
        self.problem, self.bounds, self.claims = problem, {}, []
        self.all = np.arange(len(problem.sums))

    def rows_of(self, path):
        """Return the rows at the end of a path of orders, cuts and sides."""
        need(isinstance(path, list) and len(path) % 3 == 0, "a path has steps of three numbers")
        need(len(path) <= 3 * MOST_STEPS, "the path is too long")
        rows, ranks = self.all, self.problem.ranks
        for order, cut, side in zip(path[::3], path[1::3], path[2::3]):
            integer(order, "an order", 0, len(ranks) - 1)
            integer(cut, "a cut", 0, int(self.problem.n_tests[order]) - 1)
            rows = rows[(ranks[order, rows] > cut) == (integer(side, "a side", 0, 1) == 1)]
        return rows

    def key(self, rows):
        mask = np.zeros(len(self.all), bool)
        mask[rows] = True
        return hashlib.sha256(np.packbits(mask)).digest()

    def bound(self, rows, depth):
        """Return the best verified bound for these rows and this depth."""
        return max((b for d, b in self.bounds.get(self.key(rows), ()) if d >= depth), default=0)

    def add(self, line):
        """Verify a claim: path, depth, bound, reason, and what the reason needs."""
        need(isinstance(line, list) and 4 <= len(line) <= 5, "a claim has four or five parts")
        path, depth, bound, reason, *more = line
        rows = self.rows_of(path)
        need(len(rows) > 0, "the claim is about no rows")
        depth = ANY if depth is None else integer(depth, "a depth", 0, MOST_STEPS)
        bound = integer(bound, "a bound")
        need(isinstance(reason, str) and reason in REASONS, "the reason is unknown")
        need(REASONS[reason](self, rows, depth, bound, *more), f"{reason!r} does not hold")
        self.bounds.setdefault(self.key(rows), []).append((depth, bound))
        self.claims.append((rows, depth, bound))

    def small(self, rows, depth, bound):
        return self.problem.at_least(rows, depth, bound)

    def equal_rows(self, rows, depth, bound):  # noqa: ARG002
        return self.problem.floor(rows) >= bound

    def similar(self, rows, depth, bound, number):
        """Hold if an earlier claim, less what only its rows cost, is enough."""
        number = integer(number, "the number of a claim", 0, len(self.claims) - 1)
        other, levels, lower = self.claims[number]
        if self.problem.least_rows > 1 and len(np.setdiff1d(rows, other, assume_unique=True)):
            return False  # leaves that are large enough here may be too small there
        only = np.setdiff1d(other, rows, assume_unique=True)
        return levels >= depth and lower - self.problem.most(only).sum() >= bound

    def penalty(self, rows, depth, bound, splits):
        """Hold if more splits are too dear, and trees of no more levels are proved or small."""
        levels = min(integer(splits, "a number of splits", 0, MOST_STEPS), depth)
        if (splits + 1) * self.problem.penalty + self.problem.floor(rows) < bound:
            return False
        return self.bound(rows, levels) >= bound or self.problem.at_least(rows, levels, bound)

    def split(self, rows, depth, bound, intervals=None):
        """Hold if a leaf costs enough, and so do the sides of every test, or interval of tests."""
        problem, below = self.problem, depth if depth == ANY else depth - 1
        if depth == 0 or problem.leaf(problem.sums[rows].sum(axis=0)) < bound:
            return False
        least, goal = problem.least_rows, bound - problem.penalty
        for order, ranks in enumerate(problem.ranks[:, rows]):
            cuts, count = np.unique(ranks, return_counts=True)
            size = np.cumsum(count)[:-1]
            cuts = cuts[:-1][(size >= least) & (len(rows) - size >= least)]
            for first, last in self.ranges(cuts, order, intervals):
                a, b, lost = first, last, 0.0
                if least > 1:  # the sides of a cut in between lack some of the rows of these two
                    a, b = last, first
                    lost = problem.most(rows[(ranks > first) & (ranks <= last)]).sum()
                found = self.bound(rows[ranks <= a], below) + self.bound(rows[ranks > b], below)
                if found - lost < goal:
                    return False
        return True

    def ranges(self, cuts, order, intervals):
        """Return the first and the last cut of each interval."""
        if intervals is None or not len(cuts):
            return [(cut, cut) for cut in cuts]
        need(isinstance(intervals, list) and len(intervals) > order, "an order has no intervals")
        need(isinstance(intervals[order], list), "intervals are a list of their last cuts")
        ends = np.array([integer(end, "a cut") for end in intervals[order]], np.int64)
        need(len(ends) > 0 and bool((np.diff(ends) > 0).all()), "the intervals must grow")
        need(ends[-1] >= cuts[-1], "the intervals do not cover all cuts")
        place = np.searchsorted(ends, cuts)
        return [(cuts[place == k][0], cuts[place == k][-1]) for k in np.unique(place)]


REASONS = {name: getattr(Proof, name) for name in ("small", "similar", "penalty", "split")}
REASONS |= {"leaf": Proof.small, "equal rows": Proof.equal_rows}


def number(text):
    """Return the number in a cell, or None."""
    for kind in (int, float):
        try:
            return kind(text) if np.isfinite(float(text)) else None
        except ValueError:
            pass
    return None


def canonical(cell):
    """Return a cell in the form in which it is hashed: numbers exactly, text as it is."""
    value = number(cell)
    if value is None:
        return cell
    return float(value).hex() if float(value) == value else str(value)


def orders_of(column, cells):
    """Return the ranks of the rows in each order of a column; missing values are at both ends."""
    values = [number(cell) for cell in cells]
    missing = np.array([cell == "" for cell in cells])
    need(all(v is not None for v, m in zip(values, missing) if not m), "a cell is no number")
    known = sorted({value for value in values if value is not None})
    if "thresholds" in column:
        limits = sorted(Fraction(limit) for limit in column["thresholds"])
        place = {value: bisect_left(limits, value) for value in known}
    else:
        place = {value: i for i, value in enumerate(known)}
    ranks = np.array([place.get(value, -1) for value in values])
    ends = (-1, len(known)) if missing.any() else (0,)
    return [np.where(missing, end, ranks) for end in ends]


def problem_of(header, table):
    """Return the problem that a certificate poses about a table."""
    columns, weight = header["columns"], header.get("weight")
    names = [
        *(column["name"] for column in columns),
        header["target"],
        *([weight] if weight else []),
    ]
    need(all(name in table for name in names), "the table lacks columns of the certificate")
    text = "".join("\n".join([name, *map(canonical, table[name]), ""]) for name in names)
    same = hashlib.sha256(text.encode()).hexdigest() == header["sha256"]
    need(same, "the table is not the one of the certificate")
    target, unit = table[header["target"]], integer(header["unit"], "the unit", 1)
    weights = [Fraction(cell) for cell in table[weight]] if weight else [Fraction(1)] * len(target)
    need(all(w >= 0 for w in weights), "a weight is negative")
    # Weights are rounded down, so that no cost is overstated.
    weights = np.array([int(w * unit) for w in weights], float)
    if "labels" in header:
        place = {canonical(label): i for i, label in enumerate(header["labels"])}
        costs = np.array(header.get("costs") or 1 - np.eye(len(place)), float)
        sums = weights[:, None] * costs[[place[canonical(cell)] for cell in target]]
        need(bool((sums >= 0).all()), "a cost is negative")
    else:
        exact = [Fraction(cell) * integer(header["scale"], "the scale", 1) for cell in target]
        need(all(number.denominator == 1 for number in exact), "the scale must make integers")
        value = np.array([int(number) for number in exact], float)
        sums = np.column_stack([weights, weights * value, weights * value * value])
    ranks = [ranks for column in columns for ranks in orders_of(column, table[column["name"]])]
    penalty, least = integer(header["penalty"], "the penalty"), integer(header["min_rows"], "it", 1)
    depth = ANY if header["depth"] is None else integer(header["depth"], "the depth", 0, MOST_STEPS)
    return Problem(ranks, sums, "labels" not in header, penalty, least, depth)


def tree_cost(problem, node, rows, depth):
    """Return what the rows cost that reach a node of the tree."""
    if not isinstance(node, list):
        need(len(rows) >= problem.least_rows, "a leaf of the tree has too few rows")
        sums = problem.sums[rows].sum(axis=0)
        return float(problem.leaf(sums) if problem.squares else sums[node])
    need(depth > 0, "the tree is too deep")
    order, cut, left, right = node
    goes = problem.ranks[order, rows] > cut
    parts = ((left, rows[~goes]), (right, rows[goes]))
    return problem.penalty + sum(tree_cost(problem, *part, depth - 1) for part in parts)


def check(certificate, table, seconds=np.inf):
    """Check a certificate against a table, a dict of columns of text.

    Returns the header, the cost of the tree, and the bound that is proved; raises `Refused`.
    """
    end = time.monotonic() + seconds
    with gzip.open(certificate, "rt", encoding="utf-8") as file:
        header = json.loads(file.readline(MOST_LINE))
        need(header["format"] == "beamtree certificate", "this is no certificate")
        need(header["version"] == 1, "the version is unknown")
        proof = Proof(problem_of(header, table))
        cost = tree_cost(proof.problem, header["tree"], proof.all, proof.problem.depth)
        for line in iter(lambda: file.readline(MOST_LINE), ""):
            need(time.monotonic() < end, "the time is over")
            need(len(proof.claims) < MOST_CLAIMS, "there are too many claims")
            try:
                proof.add(json.loads(line))
            except Refused as refused:
                raise Refused(f"claim {len(proof.claims)}: {refused}") from refused
    return header, cost, proof.bound(proof.all, proof.problem.depth)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificate")
    parser.add_argument("table", help="a csv file with a line of names")
    parser.add_argument("--seconds", type=float, default=np.inf, help="the most seconds to take")
    options = parser.parse_args(argv)
    with Path(options.table).open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    table = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    try:
        header, cost, bound = check(options.certificate, table, options.seconds)
    except Refused as refused:
        sys.exit(f"not verified: {refused}")
    except DAMAGED as error:
        sys.exit(f"not verified: the certificate is damaged ({type(error).__name__}: {error})")
    depth = "any depth" if header["depth"] is None else f"depth at most {header['depth']}"
    print(f"verified: the tree costs {cost:g}, and no tree of {depth} costs less than {bound}")
    print(f"costs are in units of 1/{header['unit']}; a split costs {header['penalty']} of them")
    print(f"leaves have at least {header['min_rows']} rows; tests of these columns were searched:")
    for column in header["columns"]:
        some = f"{len(column['thresholds'])} thresholds" if "thresholds" in column else "all values"
        print(f"  {column['name']} ({some})")


if __name__ == "__main__":
    main()

"""Check a certificate of beamtree: a proof that no decision tree of its kind costs less.

    python check_certificate.py CERTIFICATE TABLE.csv [SECONDS]

This program shares no code with beamtree and needs only numpy. docs/certificates.md has the format.
It believes how the problem is posed, and prints it. All else is computed from the table.
"""

import csv
import gzip
import hashlib
import json
import sys
import time
from bisect import bisect_left
from pathlib import Path

import numpy as np

MOST_LINE, MOST_CLAIMS, MOST_CELLS, MOST_NUMBER = 2**26, 5 * 10**6, 2**29, 2**53
ANY, MOST_STEPS = 10**6, 100  # the depth of claims about trees of any depth; the longest path
NEVER = 2.0**60  # what trees that are not allowed cost
FEW_TESTS = 500  # with no more tests, trees of three levels are recomputed


class Refused(Exception):  # noqa: N818
    """Raised when something is not proved, or not said clearly; the text is the reason."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def integer(value, name, least=0, most=MOST_NUMBER):
    fine = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    need(fine, f"{name} must be an integer from {least} to {most}")
    return value


class Proof:
    """The rows, what trees on them cost, and the claims that are verified.

    Rows that no test separates are one. `ranks` has one line per order; a test is whether a rank is
    at most a number, its cut. `sums` has the lines that a leaf adds up: for classes the cost of
    each prediction; for numbers, which have a factor, the weight, the value and the square; and
    last what the smallest leaf counts. All of them are integers.
    """

    def __init__(self, ranks, sums, factor, header, end):
        _, first, self.group = np.unique(ranks, axis=1, return_index=True, return_inverse=True)
        dense = [np.unique(line[first], return_inverse=True)[1] for line in ranks]
        self.ranks, self.all = np.array(dense, np.int32), np.arange(len(first), dtype=np.int32)
        count = self.ranks.max(axis=1) + 1
        self.numbered = self.ranks + (np.cumsum(count) - count)[:, None]  # through all orders
        self.order = np.repeat(np.arange(len(dense)), count)  # of the test with that number
        self.cut = np.concatenate([np.arange(n, dtype=np.int32) for n in count])
        self.few, self.bounds, self.claims = (count - 1).sum() <= FEW_TESTS, {}, []
        self.factor, self.end, depth = factor, end, header["depth"]
        self.penalty = integer(header["penalty"], "the penalty")
        self.least = integer(header["least"], "the smallest leaf", 1)
        self.depth = ANY if depth is None else integer(depth, "the depth", 0, MOST_STEPS)
        total = np.abs(sums).sum(axis=1).max() + 8 * self.penalty
        need(total < MOST_NUMBER, "the costs are too large")
        self.planes, self.group = len(sums) - 1, self.group.ravel()
        self.sums = np.array([np.bincount(self.group, line) for line in sums])
        # What the rows cost that no test separates; with numbers, less what rounding can add.
        floor = self.leaf(self.sums, 1)
        self.floor = floor if factor is None else np.maximum(floor - 1, 0)
        used = [*self.sums[:-1], self.floor] if self.penalty else self.sums[:-1]
        self.sums = np.array([*used, self.sums[-1]] if self.least > 1 else used)
        small = factor is None and self.sums.sum() < 2**23  # then these floats add exactly
        self.exact = np.float32 if small else np.float64

    def leaf(self, sums, least=None):
        """Return what leaves with these sums cost."""
        if self.factor is None:
            cost = sums[: self.planes].min(axis=0)
        else:
            cost = sums[2] - np.rint((sums[1] * self.factor) ** 2 / np.maximum(sums[0], 1))
        least = least or self.least
        return cost if least == 1 else np.where(sums[-1] < least, NEVER, cost)

    def loss(self, rows, levels):
        """Return what each row costs at most, and by how much rounding can lower costs."""
        if self.factor is None:
            return self.sums[: self.planes, rows].max(axis=0), 0.0
        return np.full(len(rows), np.inf), 2.0 * min(2 ** min(levels, 60), len(self.all))

    def tests(self, rows):
        """Return the tests that split rows; of cuts of an order that are equal here, the first."""
        here, found = self.numbered[:, rows], np.zeros(len(self.cut), bool)
        found[here] = True
        found[here.max(axis=1)] = False
        return np.flatnonzero(found)

    def answers(self, rows, tests):
        """Return whether the tests, one per line, hold for rows, which then go left."""
        need(len(rows) * len(tests) <= MOST_CELLS, "there are too many rows and tests")
        ranks = self.ranks[self.order[tests][:, None], rows]
        return (ranks <= self.cut[tests][:, None]).astype(self.exact)

    def similar_sides(self, M, rows, levels):
        """Return for all pairs of sides what a bound of one loses as a bound of the other."""
        M, rest = np.vstack([M, 1 - M]), np.vstack([1 - M, M])
        (most, slack), only = self.loss(rows, levels), M @ rest.T
        if self.factor is None:
            lost = ((M * most.astype(M.dtype)) @ rest.T).astype(float)
        else:  # only sides that are a part of the other bound it
            lost = np.where(only > 0, 4 * NEVER, slack)
        # Leaves that are large enough on the second side may be too small on the first.
        return lost if self.least == 1 else np.where(only.T > 0, 4 * NEVER, lost)

    def neighbours(self, lower, tests, slack):
        """Return bounds of the sides of tests that follow from smaller sides of the same orders."""
        found = lower.copy()
        for part in np.split(np.arange(len(tests)), 1 + np.flatnonzero(np.diff(self.order[tests]))):
            yes, no = np.maximum.accumulate([lower[0, part], lower[1, part][::-1]], axis=1) - slack
            found[:, part] = np.maximum(lower[:, part], [yes, no[::-1]])
        return found

    def branch(self, sums, deep):
        """Return what the side of a split costs: a leaf or, if there may be more levels, a tree.

        A leaf whose rows cost no more than a penalty elsewhere is not worth its split.
        """
        leaf = self.leaf(sums)
        most = NEVER  # for numbers; for classes the weight of the rows
        if self.factor is None:
            most = sums[: self.planes].sum(axis=0) / max(self.planes - 1, 1)
        worth = np.where(most - leaf > self.penalty, leaf, NEVER) if self.penalty else leaf
        if not deep:
            return worth
        return np.where(leaf < NEVER, np.minimum(worth, self.penalty + sums[self.planes]), leaf)

    def sides(self, C, first, M, deep, *, inner=False):
        """Return what the best leaf or split by M costs on both sides of the tests `first`."""
        yes = C @ first.T
        both = np.stack([yes, C.sum(axis=1)[:, None] - yes], axis=1)
        yes = np.stack([(first * c) @ M.T for c in C])
        yes = np.stack([yes, (C @ M.T)[:, None] - yes], axis=1)
        split = self.branch(yes, deep) + self.branch(both[..., None] - yes, deep) + self.penalty
        leaf = self.branch(both, deep=False) if inner else self.leaf(both)
        return np.minimum(leaf, split.min(axis=-1, initial=NEVER))

    def recompute(self, low, C, M, tests, levels, deep, goal):
        """Return some of the tests `low`, and what their two sides cost with so many levels.

        Of two sides with two levels, the second one is left out if the first costs enough.
        """
        need(time.monotonic() < self.end, "the time is over")
        if levels < 2:  # tests in the middle of runs of neighbours, whose bounds they may raise
            gaps = (np.diff(low) > 1) | (np.diff(self.order[tests[low]]) > 0)
            runs = np.split(low, 1 + np.flatnonzero(gaps))
            some = np.array([run[len(run) // 2] for run in runs])[:FEW_TESTS]
            return some, self.sides(C, M[some], M[: len(M) * levels], deep)
        ones, found = M.sum(axis=1), np.zeros((2, 1))
        best = low[np.argmin(np.abs(2 * ones[low] - M.shape[1]))]
        for side in (0, 1) if 2 * ones[best] > M.shape[1] else (1, 0):
            if found.sum() < goal:
                sums, some = C[:, M[best] != side], M[:, M[best] != side]
                two = (
                    self.sides(sums, some, some, deep, inner=True).sum(axis=0).min() + self.penalty
                )
                found[side] = min(two, self.leaf(sums.sum(axis=1)))
        return np.array([best]), found

    def rows_of(self, path):
        """Return the rows at the end of a path of tests and sides: 0 if the test holds."""
        need(isinstance(path, list) and len(path) % 2 == 0, "a path has steps of two numbers")
        need(len(path) <= 2 * MOST_STEPS, "the path is too long")
        rows = self.all
        for test, side in zip(path[::2], path[1::2]):
            integer(test, "a test", 0, len(self.cut) - 1)
            no = self.answers(rows, np.array([test]))[0] == 0
            rows = rows[no == integer(side, "a side", 0, 1)]
        return rows

    def bound(self, rows, depth):
        """Return the best verified bound for these rows and this depth."""
        claims = self.bounds.get(hashlib.sha256(rows.tobytes()).digest(), ())
        return max((b for d, b in claims if d >= depth), default=0)

    def add(self, line):
        """Verify a claim: path, depth, bound, reason, and what the reason needs."""
        need(isinstance(line, list) and 4 <= len(line) <= 5, "a claim has four or five parts")
        path, depth, bound, reason, *more = line
        need(isinstance(reason, str) and reason in REASONS, "the reason is unknown")
        depth = ANY if depth is None else integer(depth, "a depth", 0, MOST_STEPS)
        integer(bound, "a bound")
        rows = self.rows_of(path)
        need(len(rows) and REASONS[reason](self, rows, depth, bound, *more), f"not {reason!r}")
        at = self.bounds.setdefault(hashlib.sha256(rows.tobytes()).digest(), [])
        at.append((depth, bound))
        self.claims.append((path, depth, bound))

    def split(self, rows, depth, bound, claimed=None, *, small=False):
        """Hold if a leaf costs enough, and so do the two sides of every test."""
        C, goal = self.sums[:, rows].astype(self.exact), bound - self.penalty
        leaf = self.leaf(C.sum(axis=1))
        if leaf < bound or depth == 0:
            return leaf >= bound
        tests, below = self.tests(rows), depth if depth == ANY else depth - 1
        M = self.answers(rows, tests)
        size = np.array([M @ C[-1], (1 - M) @ C[-1]])
        lower = np.where(size < self.least, NEVER, 0) if self.least > 1 else np.zeros(size.shape)
        for i in range(len(tests)) if claimed is None else np.isin(tests, claimed).nonzero()[0]:
            sides = self.bound(rows[M[i] == 1], below), self.bound(rows[M[i] == 0], below)
            lower[:, i] = np.maximum(lower[:, i], sides)
        lost = self.similar_sides(M, rows, below) if self.few and below > 1 else None
        while True:
            if lost is not None:
                follows = (lower.reshape(-1, 1) - lost).max(axis=0, initial=0)
                lower = np.maximum(lower, follows.reshape(lower.shape))
            elif self.least == 1:
                lower = self.neighbours(lower, tests, self.loss(rows, below)[1])
            low = np.flatnonzero(lower.sum(axis=0) < goal)
            if not len(low) or not (small or (self.few and self.penalty)):
                return not len(low)
            levels = min(depth, 2 + self.few)
            some, lower[:, some] = self.recompute(
                low, C, M, tests, levels - 1, depth > levels, goal
            )
            if (lower[:, some].sum(axis=0) < goal).any():
                return False

    def small(self, rows, depth, bound):
        """Hold if trees of few levels, which are recomputed, and deeper ones cost enough."""
        enough = self.floor[rows].sum() >= bound  # as every tree pays for equal rows
        need(enough or self.penalty or depth <= 2 + self.few, "the trees have too many levels")
        return enough or self.split(rows, depth, bound, [], small=True)

    def similar(self, rows, depth, bound, number):
        """Hold if an earlier claim, less what only its rows cost, is enough."""
        integer(number, "the number of a claim", 0, len(self.claims) - 1)
        path, levels, lower = self.claims[number]
        other = self.rows_of(path)
        if self.least > 1 and len(np.setdiff1d(rows, other)):
            return False  # leaves that are large enough here may be too small there
        most, slack = self.loss(np.setdiff1d(other, rows), depth)
        return levels >= depth and lower - most.sum() - slack >= bound


# What limits the splits that matter: the depth, the rows, or the price.
REASONS = dict.fromkeys(["leaf", "small", "equal rows", "penalty"], Proof.small)
REASONS |= {"split": Proof.split, "similar": Proof.similar}


def number(cell, unit=None):
    """Return the number in a cell exactly, or its date in this unit."""
    cell = {"True": "1", "False": "0"}.get(cell, cell)
    for kind in (int, float):
        try:
            if np.isfinite(float(cell)):
                return kind(cell)
        except ValueError:
            pass
    need(unit, f"the cell {cell!r} is no number")
    return int(np.datetime64(cell).astype(f"datetime64[{unit}]").astype(np.int64))


def orders_of(column, cells):
    """Return what is hashed of a column, and the ranks of its rows in all its orders."""
    if "orders" in column:  # of groups of texts, and the rank of missing values in each
        ranks = []
        for groups, end in column["orders"]:
            place = {text: i for i, group in enumerate(groups) for text in group} | {"": end}
            ranks.append([place.get(cell, len(groups)) for cell in cells])
        return np.array(ranks, "<f8").tobytes(), ranks
    value = {cell: number(cell, column.get("unit")) for cell in set(cells) - {""}}
    values = [value.get(cell) for cell in cells]
    known = sorted(set(values) - {None})
    limits = sorted(column.get("thresholds", known[:-1]))
    place = {value: bisect_left(limits, value) for value in known}
    ends = (len(limits) + 1, 0) if None in values else (0,)
    ranks = [[place.get(value, end) for value in values] for end in ends]
    return np.array([np.nan if v is None else v + 0.0 for v in values], "<f8").tobytes(), ranks


def read_proof(header, table, end):
    """Return the proof to be about a table, which is a dict of columns of text."""
    need(header["format"] == "beamtree certificate, version 1", "this is no such certificate")
    target, weight = table[header["target"]], header["weight"]
    w = np.array([float(cell) for cell in table[weight]]) if weight else np.ones(len(target))
    kept = np.flatnonzero(w > 0)
    ranks, hashed = [], []
    for column in header["columns"]:
        cells = [table[column["name"]][i] for i in kept]
        cells = ["" if cell in header["missing"] else cell for cell in cells]
        text, lines = orders_of(column, cells)
        ranks, hashed = ranks + lines, [*hashed, text]
    place = {label: i for i, label in enumerate(header.get("labels", ()))}
    y = np.array([float(place[target[i]] if place else target[i]) for i in kept])
    text = b"".join([*hashed, np.array([y, w[kept]], "<f8").tobytes()])
    same = hashlib.sha256(text).hexdigest() == header["sha256"]
    need(same, "the table is not the one of the certificate")
    exact = w[kept] * (np.array(header["class_weights"])[y.astype(int)] if place else 1)
    exact = exact * header["scale"]
    W = np.maximum(np.rint(exact) if header["whole"] else np.floor(exact), exact > 0)
    need((exact * 1.000001 >= W).all(), "a weight is overstated")
    factor, unit = None, integer(header.get("unit", 1), "the unit", 1)
    sums = [unit * W * (y != k) for k in range(len(place))]
    if not place:
        base, centre, digits, exponent = header["numbers"]
        V, factor = np.rint(np.ldexp((y * base - centre) * W, digits)), 2.0**exponent
        squares = (V * factor) ** 2 / W
        sums = [W, V, np.rint(squares) + (factor < 1)]
        need((sums[2] >= squares - 0.25).all(), "a square is overstated")
    sums = np.array([*sums, W if header["weighs"] else np.ones(len(W))])
    return Proof(np.array(ranks)[:, W > 0], sums[:, W > 0], factor, header, end)


def tree_cost(proof, node, rows, depth):
    """Return what the rows cost that reach a node of the tree."""
    if not isinstance(node, list):
        sums = proof.sums[:, rows].sum(axis=1)
        need(proof.leaf(sums) < NEVER, "a leaf of the tree is too small")
        return proof.leaf(sums) if proof.factor else sums[integer(node, "a label", 0, proof.planes)]
    test, *sides = node
    need(depth > 0 and len(sides) == 2, "the tree is too deep")
    yes = proof.answers(rows, np.array([integer(test, "a test", 0, len(proof.cut) - 1)]))[0] == 1
    parts = zip(sides, (rows[yes], rows[~yes]))
    return proof.penalty + sum(tree_cost(proof, *part, depth - 1) for part in parts)


def check(certificate, table, seconds=np.inf):
    """Return the header, the cost of the tree and the bound that is proved, or raise `Refused`."""
    claim, end = "the header", time.monotonic() + seconds
    try:
        with gzip.open(certificate, "rt", encoding="utf-8") as file:
            header = json.loads(file.readline(MOST_LINE))
            proof = read_proof(header, table, end)
            cost = tree_cost(proof, header["tree"], proof.all, proof.depth)
            for line in iter(lambda: file.readline(MOST_LINE), ""):
                claim = f"claim {len(proof.claims)}"
                need(len(proof.claims) < MOST_CLAIMS, "there are too many claims")
                proof.add(json.loads(line))
    except Refused as error:
        raise Refused(f"{claim}: {error}") from error
    except Exception as error:  # whatever is in the file
        raise Refused(f"{claim} is damaged: {type(error).__name__}: {error}") from error
    return header, cost, proof.bound(proof.all, proof.depth)


def main(certificate, table, seconds="inf"):
    with Path(table).open(newline="", encoding="utf-8-sig") as file:
        names, *rows = csv.reader(file)
    try:
        header, cost, bound = check(
            certificate, dict(zip(names, zip(*rows, strict=True))), float(seconds)
        )
    except Refused as refused:
        sys.exit(f"not verified: {refused}")
    per = header["cost_of_one"]
    print(f"verified: the tree costs {cost / per:g}, and no tree costs less than {bound / per:g}")
    print(json.dumps({name: header[name] for name in header if name not in ("tree", "sha256")}))


if __name__ == "__main__":
    main(*sys.argv[1:])

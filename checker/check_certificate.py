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
from contextlib import suppress
from pathlib import Path

import numpy as np

MOST_LINE, MOST_CLAIMS, MOST_CELLS, MOST_NUMBER = 2**26, 5 * 10**6, 2**29, 2**53
ANY, MOST_STEPS = 10**6, 100  # the depth of claims about trees of any depth; the longest path
NEVER = 2.0**60  # what trees that are not allowed cost
FEW_TESTS = 500  # with no more tests, trees of three levels are recomputed
ROUNDED = 1.000001  # by so much, rounding may change weights and squares


class Refused(Exception):  # noqa: N818
    """Raised when something is not proved, or not said clearly; the text is the reason."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def integer(value, least=0, most=MOST_NUMBER):
    need(type(value) is int and least <= value <= most, f"{value!r:.20} is no such integer")
    return value


def reals(values):
    fine = all(type(value) in (int, float) and abs(value) < np.inf for value in values)
    need(fine, "the header has something else than a number")
    return values


class Proof:
    """The rows, what trees on them cost, and the claims that are verified.

    Rows that no test separates are one. `ranks` has one line per order; a test is whether a rank is
    at most a number, its cut. `sums` has the lines that a leaf adds up: for classes the cost of
    each prediction; for numbers, which have a factor, the weight, the value and the square; and
    last what the smallest leaf counts. All of them are integers.
    """

    def __init__(self, ranks, sums, factor, header, end):
        _, first, group = np.unique(ranks, axis=1, return_index=True, return_inverse=True)
        dense = [np.unique(line[first], return_inverse=True)[1] for line in ranks]
        self.ranks, self.all = np.array(dense, np.int32), np.arange(len(first), dtype=np.int32)
        count = self.ranks.max(axis=1) + 1
        self.numbered = self.ranks + (np.cumsum(count) - count)[:, None]  # through all orders
        # The order of the test with a number, and its cut.
        self.order, cut = np.nonzero(np.arange(count.max()) < count[:, None])
        self.cut, self.few = cut.astype(np.int32), (count - 1).sum() <= FEW_TESTS
        self.factor, self.end, self.bounds, self.claims = factor, end, {}, []
        self.penalty, self.least = integer(header["penalty"]), integer(header["least"], 1)
        self.depth = integer(ANY if header["depth"] is None else header["depth"], 0, ANY)
        total = np.abs(sums).sum(axis=1).max() + 8 * self.penalty
        need(total < MOST_NUMBER, "the costs are too large")
        self.planes = len(sums) - 1
        *costs, size = np.array([np.bincount(group.ravel(), line) for line in sums])
        # What the rows cost that no test separates; with numbers, less what rounding can add.
        floor = self.leaf(np.array(costs), 1)
        self.floor = floor if factor is None else np.maximum(floor - 1, 0)
        # What rows cost at most in a leaf of others.
        self.most = np.max(costs, axis=0) if factor is None else np.full(len(first), 4 * NEVER)
        extremes = [self.floor, self.most] if self.penalty else []
        self.sums = np.array(costs + extremes + [size] * (self.least > 1))
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

    def slack(self, levels):
        """Return by how much rounding can lower the cost of trees with this number of levels."""
        return 0.0 if self.factor is None else 2.0 * min(2 ** min(levels, 60), len(self.all))

    def tests(self, rows):
        """Return the tests that split rows; of cuts of an order that are equal here, the first."""
        here, found = self.numbered[:, rows], np.zeros(len(self.cut), bool)
        found[here] = True
        found[here.max(axis=1)] = False
        return np.flatnonzero(found)

    def answers(self, rows, tests):
        """Return whether the tests, one per line, hold for rows, which then go left."""
        need(time.monotonic() < self.end, "the time is over")
        need(len(rows) * len(tests) <= MOST_CELLS, "there are too many rows and tests")
        ranks = self.ranks[self.order[tests][:, None], rows]
        return (ranks <= self.cut[tests][:, None]).astype(self.exact)

    def similar_sides(self, M, rows, levels):
        """Return for all pairs of sides what a bound of one loses as a bound of the other."""
        M, rest = np.vstack([M, 1 - M]), np.vstack([1 - M, M])
        most = self.most[rows].astype(self.exact)
        lost = ((M * most) @ rest.T).astype(float) + self.slack(levels)
        # Leaves that are large enough on the second side may be too small on the first.
        return lost if self.least == 1 else lost + 4 * NEVER * (rest @ M.T)

    def neighbours(self, lower, tests, slack):
        """Return bounds of the sides of tests that follow from smaller sides of the same orders."""
        found = lower.copy()
        for part in np.split(np.arange(len(tests)), 1 + np.flatnonzero(np.diff(self.order[tests]))):
            yes, no = np.maximum.accumulate([lower[0, part], lower[1, part][::-1]], axis=1) - slack
            found[:, part] = np.maximum(lower[:, part], [yes, no[::-1]])
        return found

    def branch(self, sums, deep):
        """Return what the side of a split costs: a leaf or, if there may be more levels, a tree.

        A leaf whose rows cost at most a penalty more elsewhere is not worth its split. If this
        holds for all rows of a side as a leaf, it holds for the leaves of any tree, too.
        """
        leaf = self.leaf(sums)
        if not self.penalty:
            return leaf
        floor, most = sums[self.planes : self.planes + 2]
        cost = np.minimum(leaf, self.penalty + floor) if deep else leaf
        return np.where(most - leaf > self.penalty, cost, NEVER)

    def sides(self, C, first, M, deep, *, inner=False):
        """Return what the best leaf or split by M costs on both sides of the tests `first`."""
        yes = C @ first.T
        both = np.stack([yes, C.sum(axis=1)[:, None] - yes], axis=1)
        yes = np.stack([(first * c) @ M.T for c in C])
        yes = np.stack([yes, (C @ M.T)[:, None] - yes], axis=1)
        split = self.branch(yes, deep) + self.branch(both[..., None] - yes, deep) + self.penalty
        leaf = self.branch(both, deep=False) if inner else self.leaf(both)
        return np.minimum(leaf, split.min(axis=-1, initial=NEVER))

    def recompute(self, low, C, M, tests, depth, goal, known):
        """Return some of the tests `low`, and what their two sides cost in trees of this depth.

        Sides with two levels are left out if what is `known` of both of them costs enough.
        """
        need(time.monotonic() < self.end, "the time is over")
        levels = min(depth - 1, 1 + self.few)
        deep = depth - 1 > levels
        if levels < 2:  # tests in the middle of runs of neighbours, whose bounds they may raise
            gaps = (np.diff(low) > 1) | (np.diff(self.order[tests[low]]) > 0)
            runs = np.split(low, 1 + np.flatnonzero(gaps))
            some = np.array([run[len(run) // 2] for run in runs])[:FEW_TESTS]
            return some, self.sides(C, M[some], M[: len(M) * levels], deep)
        off = 2 * M.sum(axis=1) - M.shape[1]
        best = low[np.argmin(np.abs(off[low]))]
        found = known[:, best].copy()
        for side in (0, 1) if off[best] > 0 else (1, 0):
            if found.sum() < goal:
                inside, some = C[:, M[best] != side], M[:, M[best] != side]
                two = self.sides(inside, some, some, deep, inner=True).sum(axis=0).min()
                cost = min(two + self.penalty, self.leaf(inside.sum(axis=1)))
                found[side] = max(found[side], cost)
        return np.array([best]), found[:, None]

    def rows_of(self, path):
        """Return the rows at the end of a path of tests and sides: 0 if the test holds."""
        fine = isinstance(path, list) and len(path) in range(0, 2 * MOST_STEPS + 1, 2)
        need(fine, "a path has steps of two numbers, and not too many")
        rows = self.all
        for test, side in zip(path[::2], path[1::2]):
            rows = self.parts(rows, test)[integer(side, 0, 1)]
        return rows

    def parts(self, rows, test):
        """Return the rows for which a test holds, and the others."""
        yes = self.answers(rows, np.array([integer(test, 0, len(self.cut) - 1)]))[0] == 1
        return rows[yes], rows[~yes]

    def bound(self, rows, depth):
        """Return the best verified bound for these rows and this depth."""
        claims = self.bounds.get(hashlib.sha256(rows.tobytes()).digest(), ())
        return max((b for d, b in claims if d >= depth), default=0)

    def add(self, line):
        """Verify a claim: path, depth, bound, reason, and what the reason needs."""
        need(time.monotonic() < self.end, "the time is over")
        need(isinstance(line, list) and 4 <= len(line) <= 5, "a claim has four or five parts")
        path, depth, bound, reason, *more = line
        need(isinstance(reason, str) and reason in REASONS, "the reason is unknown")
        rows, bound = self.rows_of(path), integer(bound)
        depth = integer(ANY if depth is None else depth, 0, ANY)
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
        too_small = np.array([M @ C[-1], (1 - M) @ C[-1]]) < self.least
        lower = np.where(too_small & (self.least > 1), NEVER, 0.0)
        for i in range(len(tests)) if claimed is None else np.isin(tests, claimed).nonzero()[0]:
            sides = self.bound(rows[M[i] == 1], below), self.bound(rows[M[i] == 0], below)
            lower[:, i] = np.maximum(lower[:, i], sides)
        lost = self.similar_sides(M, rows, below) if self.few and below > 1 else None
        while True:
            if lost is not None:
                follows = (lower.reshape(-1, 1) - lost).max(axis=0, initial=0)
                lower = np.maximum(lower, follows.reshape(lower.shape))
            elif self.least == 1:
                lower = self.neighbours(lower, tests, self.slack(below))
            low = np.flatnonzero(lower.sum(axis=0) < goal)
            if not len(low) or not (small or (self.few and self.penalty)):
                return not len(low)
            some, found = self.recompute(low, C, M, tests, depth, goal, lower)
            lower[:, some] = np.maximum(lower[:, some], found)
            if (lower[:, some].sum(axis=0) < goal).any():
                return False

    def small(self, rows, depth, bound):
        """Hold if trees of few levels, which are recomputed, and deeper ones cost enough."""
        enough = self.floor[rows].sum() >= bound  # as every tree pays for equal rows
        need(enough or self.penalty or depth <= 2 + self.few, "the trees have too many levels")
        return enough or self.split(rows, depth, bound, [], small=True)

    def similar(self, rows, depth, bound, number):
        """Hold if an earlier claim, less what only its rows cost, is enough."""
        path, levels, lower = self.claims[integer(number, 0, len(self.claims) - 1)]
        other = self.rows_of(path)
        if self.least > 1 and len(np.setdiff1d(rows, other)):
            return False  # leaves that are large enough here may be too small there
        most = self.most[np.setdiff1d(other, rows)].sum()
        return levels >= depth and lower - most - self.slack(depth) >= bound


# What limits the splits that matter: the depth, the rows, or the price.
REASONS = dict.fromkeys(["leaf", "small", "equal rows", "penalty"], Proof.small)
REASONS |= {"split": Proof.split, "similar": Proof.similar}


def number(cell, unit=None):
    """Return the number in a cell exactly, or its date in this unit."""
    cell = {"True": "1", "False": "0"}.get(cell, cell)
    for kind in (int, float):
        with suppress(ValueError):
            if np.isfinite(float(cell)):
                return kind(cell)
    need(unit, f"the cell {cell!r} is no number")
    return int(np.datetime64(cell).astype(f"datetime64[{unit}]").astype(np.int64))


def orders_of(column, cells):
    """Return what is hashed of a column, and the ranks of its rows in all its orders."""
    if "orders" in column:  # of groups of texts, and the rank of missing values in each
        ranks = []
        for groups, end in column["orders"]:
            place = {text: i for i, group in enumerate(groups) for text in group}
            need(len(place) == sum(map(len, groups)), "a text is in two groups")
            place[""] = integer(end)
            ranks.append([place.get(cell, len(groups)) for cell in cells])
        return np.array(ranks, "<f8").tobytes(), ranks
    value = {cell: number(cell, column.get("unit")) for cell in set(cells) - {""}}
    values = [value.get(cell) for cell in cells]
    known = sorted(set(values) - {None})
    limits = sorted(reals(column.get("thresholds", known[:-1])))
    place = {value: bisect_left(limits, value) for value in known}
    ends = (len(limits) + 1, 0) if None in values else (0,)
    ranks = [[place.get(value, end) for value in values] for end in ends]
    return np.array([np.nan if v is None else v + 0.0 for v in values], "<f8").tobytes(), ranks


def read_proof(header, table, end):
    """Return the proof to be about a table, which is a dict of columns of text.

    What a cost of one is in the units of the proof is computed, and noted in the header.
    """
    need(header["format"] == "beamtree certificate, version 1", "this is no such certificate")
    names = {column["name"] for column in header["columns"]} | {header["target"], header["weight"]}
    lacking = names - {None} - set(table)
    need(not lacking, f"the table has no columns {lacking}, it has {set(table)}")
    target, weight = table[header["target"]], header["weight"]
    w = np.array([number(cell) for cell in table[weight]] if weight else [1] * len(target), float)
    kept, missing = np.flatnonzero(w > 0), set(header["missing"])
    ranks, hashed = [], hashlib.sha256()
    for column in header["columns"]:
        cells = [table[column["name"]][i] for i in kept]
        text, lines = orders_of(column, ["" if cell in missing else cell for cell in cells])
        ranks += lines
        hashed.update(text)
        need(len(ranks) * len(kept) <= MOST_CELLS, "there are too many rows and columns")
    labels, unit = header.get("labels", []), integer(header.get("unit", 1), 1)
    place = {label: i for i, label in enumerate(labels)}
    need(len(place) == len(labels), "a label is there twice")
    need(not place or place.keys() >= set(target), "the target has labels that are not expected")
    y = np.array([place[target[i]] if place else number(target[i]) for i in kept], float)
    hashed.update(np.array([y, w[kept]], "<f8").tobytes())
    need(hashed.hexdigest() == header["sha256"], "the table is not the one of the certificate")
    (scale,) = reals([header["scale"]])
    exact = w[kept] * (np.array(reals(header["class_weights"]))[y.astype(int)] if place else 1)
    exact = exact * scale
    W = np.maximum(np.rint(exact) if header["whole"] else np.floor(exact), exact > 0)
    need((exact * ROUNDED >= W).all(), "a weight is overstated")
    # Leaves that are weighed are not taken to be too small.
    need(not header["weighs"] or (exact <= W * ROUNDED).all(), "a weight is understated")
    factor, one = None, unit * scale
    sums = [unit * W * (y != k) for k in range(len(place))]
    if not place:
        base, centre, digits, exponent = reals(header["numbers"])
        factor, one = 2.0**exponent, scale * base**2 * 4.0 ** (digits + exponent)
        scaled = np.ldexp((y * base - centre) * W, digits)
        V = np.rint(scaled)
        squares = (V * factor) ** 2 / W
        sums = [W, V, np.rint(squares) + (factor < 1)]
        # Then squares are integers or rounded up, and their sums are exact enough to be rounded.
        fine = (factor < 1 or not (V % W).any()) and squares.sum() < MOST_NUMBER / 4
        rounding = np.abs(sums[2] - squares) + ((scaled - V) * factor) ** 2 / W
        need(fine and rounding.sum() <= (ROUNDED - 1) * squares.sum(), "a square is misstated")
    need(0 < one < np.inf, "the unit of costs is not a number")
    header["cost_of_one"] = one
    sums = np.array([*sums, W if header["weighs"] else np.ones(len(W))])
    return Proof(np.array(ranks)[:, W > 0], sums[:, W > 0], factor, header, end)


def tree_cost(proof, node, rows, depth):
    """Return what the rows cost that reach a node of the tree."""
    if not isinstance(node, list):
        sums = proof.sums[:, rows].sum(axis=1)
        need(proof.leaf(sums) < NEVER, "a leaf of the tree is too small")
        classes = proof.factor is None
        return sums[integer(node, 0, proof.planes - 1)] if classes else proof.leaf(sums)
    test, *sides = node
    need(depth > 0 and len(sides) == 2, "the tree is too deep")
    parts = zip(sides, proof.parts(rows, test))
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
    except Exception as error:  # whatever is in the file
        reason = "" if isinstance(error, Refused) else f"damaged, {type(error).__name__}: "
        raise Refused(f"{claim}: {reason}{error}") from error
    return header, cost, proof.bound(proof.all, proof.depth)


def main(certificate, table, seconds="inf"):
    try:
        with Path(table).open(newline="", encoding="utf-8-sig") as file:
            names, *rows = csv.reader(file)
        columns = dict(zip(names, zip(*rows, strict=True)))
    except (OSError, ValueError) as error:
        sys.exit(f"the table cannot be read: {error}")
    try:
        need(len(columns) == len(names), "two columns of the table have the same name")
        header, cost, bound = check(certificate, columns, float(seconds))
    except Refused as refused:
        sys.exit(f"not verified: {refused}")
    best = ": it is a best one" if cost == bound else ""
    cost, bound = cost / header["cost_of_one"], bound / header["cost_of_one"]
    print(f"verified: the tree costs {cost:g}, and no tree costs less than {bound:g}{best}")
    print(json.dumps({name: header[name] for name in header if name not in ("tree", "sha256")}))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])

"""Check a certificate of beamtree (docs/certificates.md): a proof that no such tree costs less.

    python check_certificate.py CERTIFICATE TABLE.csv [SECONDS]

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
from fractions import Fraction

import numpy as np

MOST_LINE, MOST_CLAIMS, MOST_STEPS, MOST_CELLS, MOST_NUMBER = 2**26, 5 * 10**6, 100, 2**29, 2**53
ANY = 2**30  # the depth of claims about trees of any depth: no tree needs more levels than rows
NEVER = 2.0**60  # what trees that are not allowed cost
FEW_TESTS = 500  # compared at a time; with no more tests, three levels are recomputed
ROUNDED = 1.000001  # by so much, rounding may change weights and squares


class Refused(ValueError):  # noqa: N818
    """Raised when something is not proved, or not said clearly; the text is the reason."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def integer(value, least=0, most=MOST_NUMBER):
    need(type(value) is int and least <= value <= most, f"{value!r:.20} is no such integer")
    return value


class Proof:
    """The rows, what trees on them cost, and the claims that are verified.

    Rows that no test separates are one. `ranks` has a line per order, numbered through all orders:
    test t is whether the rank is at most t. `sums` has the integers that a leaf adds up: what each
    label costs, or the weight, value and square of numbers; and last what the smallest leaf counts.
    """

    def __init__(self, ranks, sums, factor, header, end):
        _, first, group = np.unique(ranks, axis=1, return_index=True, return_inverse=True)
        dense = np.array([np.unique(line, return_inverse=True)[1] for line in ranks[:, first]])
        count = dense.max(axis=1) + 1
        self.ranks = (dense + (np.cumsum(count) - count)[:, None]).astype(np.int32)
        self.order = np.repeat(np.arange(len(count)), count)  # of each test
        self.all = np.arange(len(first), dtype=np.int32)
        self.few = len(self.order) - len(count) <= FEW_TESTS
        self.factor, self.planes, self.end, self.bounds = factor, len(sums) - 1, end, {}
        self.penalty, self.least = integer(header["penalty"]), integer(header["least"], 1)
        self.depth = integer(ANY if header["depth"] is None else header["depth"], 0, ANY)
        need(np.abs(sums).sum(axis=1).max() + 8 * self.penalty < MOST_NUMBER, "costs are too large")
        *costs, size = np.array([np.bincount(group.ravel(), line) for line in sums])
        # What equal rows cost at least (of numbers, less what rounding adds), and at most.
        self.floor = (self.leaf(np.array([*costs, NEVER * size])) - (factor is not None)).clip(0)
        self.most = np.max(costs, axis=0) if factor is None else np.full(len(first), 4 * NEVER)
        extremes = [self.floor, self.most] if self.penalty else []
        self.sums = np.array(costs + extremes + [size] * (self.least > 1))
        small = factor is None and self.sums.sum() < 2**23  # then these floats add exactly
        self.exact = np.float32 if small else np.float64

    def leaf(self, sums):
        """Return what leaves with these sums cost."""
        if self.factor is None:
            cost = sums[: self.planes].min(axis=0)
        else:
            cost = sums[2] - np.rint((sums[1] * self.factor) ** 2 / np.maximum(sums[0], 1))
        return cost if self.least == 1 else np.where(sums[-1] < self.least, NEVER, cost)

    def rows_of(self, path):
        """Return the rows at the end of a path of tests and sides: 0 if the test holds."""
        need(time.monotonic() < self.end, "the time is over")
        need(len(path) <= 2 * MOST_STEPS, "a path has too many steps")
        rows = self.all
        for test, side in zip(path[::2], path[1::2], strict=True):
            holds = self.ranks[self.order[integer(test, 0, len(self.order) - 1)], rows] <= test
            rows = rows[holds != integer(side, 0, 1)]
        return rows

    def tree_cost(self, node, path=()):
        """Return what rows cost in a tree: a list of a test and two trees, or what a leaf says."""
        if isinstance(node, list):
            need(len(node) == 3 and len(path) < 2 * self.depth, "the tree is too deep")
            costs = [self.tree_cost(node[1 + side], [*path, node[0], side]) for side in (0, 1)]
            return self.penalty + sum(costs)
        sums = self.sums[:, self.rows_of(path)].sum(axis=1)
        need(self.leaf(sums) < NEVER, "a leaf of the tree is too small")
        return sums[integer(node, 0, self.planes - 1)] if self.factor is None else self.leaf(sums)

    def bound(self, rows, depth):
        """Return the best verified bound for these rows and this depth."""
        claims = self.bounds.get(hashlib.sha256(rows).digest(), ())
        return max((b for d, b in claims if d >= depth), default=0)

    def add(self, path, depth, bound, _, claimed=()):
        """Verify a claim: path, depth, bound, reason, and tests with claims about their sides."""
        rows, depth = self.rows_of(path), integer(ANY if depth is None else depth, 0, ANY)
        self.prove(rows, depth, integer(bound), claimed)
        self.bounds.setdefault(hashlib.sha256(rows).digest(), []).append((depth, bound))

    def prove(self, rows, depth, bound, claimed=()):
        """Refuse a bound unless equal rows, or a leaf and the two sides of every test, cost it."""
        C, goal = self.sums[:, rows].astype(self.exact), bound - self.penalty
        need(self.leaf(C.sum(axis=1)) >= bound, "a leaf costs less")
        if self.floor[rows].sum() >= bound or depth == 0:
            return
        # Tests that split the rows and may pay, one of those that are equal, and where they hold.
        tests = np.setdiff1d(self.ranks[:, rows], self.ranks[:, rows].max(axis=1))
        need(len(rows) * len(tests) <= MOST_CELLS, "there are too many rows and tests")
        M = (self.ranks[self.order[tests][:, None], rows] <= tests[:, None]).astype(self.exact)
        fits = (self.branch(self.on_sides(C, M), deep=False) < NEVER).all(axis=0)
        tests, M = tests[fits], M[fits]
        off = 2 * M.sum(axis=1) - len(rows)
        lower = np.zeros((2, len(tests)))  # what is known of the sides
        some = np.flatnonzero(np.isin(tests, claimed))
        for i in some:
            need(time.monotonic() < self.end, "the time is over")
            lower[:, i] = [self.bound(rows[M[i] == holds], depth - 1) for holds in (1, 0)]
        while len(low := self.follow(lower, some, goal, M, rows, depth - 1)):
            some = self.recompute(lower, low, goal, C, M, off, self.order[tests], depth)
            need((lower[:, some].sum(axis=0) >= goal).all(), "the sides of a test cost less")

    def follow(self, lower, some, goal, M, rows, levels):
        """Raise what is known of sides by some that are similar; return tests that cost less."""
        low, most = np.flatnonzero(lower.sum(axis=0) < goal), self.most[rows].astype(self.exact)
        slack = 0 if self.factor is None else 2 * min(2 ** min(levels, 60), len(self.all))
        for start in range(0, len(some), FEW_TESTS):
            need(time.monotonic() < self.end, "the time is over")
            part, there = some[start : start + FEW_TESTS], M[low]
            lost = self.on_sides(M[part] * most, there)[:, ::-1]  # with the rows that are not there
            lost = np.vstack([lost, self.on_sides(most[None], there)[:, ::-1] - lost])
            if self.least > 1:  # leaves that are large enough for some may be too small there
                lost = lost + 4 * NEVER * self.on_sides(np.vstack([1 - M[part], M[part]]), there)
            known = (lower[:, part] - slack).astype(self.exact).reshape(-1, 1, 1)
            lower[:, low] = np.maximum(lower[:, low], (known - lost).max(axis=0))
        return low[lower[:, low].sum(axis=0) < goal]

    def recompute(self, lower, low, goal, C, M, off, orders, depth):
        """Raise what is known of the sides of some of the tests `low`, and return these tests."""
        deep = depth > 2 + self.few  # then there may be more levels than are recomputed
        need(self.penalty or not deep, "the sides of a test lack claims")
        if depth <= 2 or not self.few:  # in the middle of runs, as they may raise the neighbours
            runs = np.split(low, 1 + np.flatnonzero(np.diff(low + orders[low]) > 1))
            some = np.array([run[len(run) // 2] for run in runs])[:FEW_TESTS]
            found = self.sides(C, M[some], M[: len(M) * (depth > 1)], deep)
            lower[:, some] = np.maximum(lower[:, some], found)
            return some
        best = low[np.argmin(np.abs(off[low]))]
        for side in (0, 1) if off[best] > 0 else (1, 0):
            if lower[:, best].sum() < goal:
                inside, some = C[:, M[best] != side], M[:, M[best] != side]
                two = self.sides(inside, some, some, deep, inner=True).sum(axis=0).min()
                cost = min(two + self.penalty, self.leaf(inside.sum(axis=1)))
                lower[side, best] = max(lower[side, best], cost)
        return np.array([best])

    def on_sides(self, values, M):
        """Return what each line of values adds up to where the tests M hold, and where not."""
        yes = values @ M.T
        return np.stack([yes, values.sum(axis=1)[:, None] - yes], axis=1)

    def sides(self, C, first, M, deep, *, inner=False):
        """Return what the best leaf or split by M costs on both sides of the tests `first`."""
        both = self.on_sides(C, first)
        yes = np.stack([(first * c) @ M.T for c in C])
        yes = np.stack([yes, (C @ M.T)[:, None] - yes], axis=1)
        split = self.branch(yes, deep) + self.branch(both[..., None] - yes, deep) + self.penalty
        leaf = self.branch(both, deep=False) if inner else self.leaf(both)
        return np.minimum(leaf, split.min(axis=-1, initial=NEVER))

    def branch(self, sums, deep):
        """Return what the side of a split costs: a leaf or, if there may be more levels, a tree."""
        leaf = self.leaf(sums)
        if not self.penalty:
            return leaf
        floor, most = sums[self.planes : self.planes + 2]
        cost = np.minimum(leaf, self.penalty + floor) if deep else leaf
        # Rows that cost at most a penalty more elsewhere are not worth the split, nor are parts of
        # them: what a leaf saves at most is added up over its rows.
        return np.where(most - leaf > self.penalty, cost, NEVER)


def number(cell, unit=None):
    """Return the number in a cell, or in the header, exactly; or the date in this unit."""
    text = {"True": "1", "False": "0"}.get(str(cell), str(cell))
    for kind in (int, float):
        with suppress(ValueError):
            if abs(kind(text)) < np.inf:
                return kind(text) + 0  # which makes -0.0 zero
    need(unit, f"{text!r:.20} is no number")
    found = (date := np.datetime64(text)).astype(f"datetime64[{unit}]")
    need(found.astype(date.dtype) == date, f"{text!r:.40} is no number of the unit {unit!r:.20}")
    return int(found.astype(np.int64))


def orders_of(column, cells):
    """Return what is hashed of a column, and the ranks of its rows in all its orders."""
    if "orders" in column:  # the ranks of texts, with "" for missing values, and of all others
        orders = [[ranks.get(cell, other) for cell in cells] for ranks, other in column["orders"]]
        return orders, [[*map(integer, ranks)] for ranks in orders]
    value = {cell: number(cell, column.get("unit")) for cell in {*cells} - {""}}
    limits = sorted(map(number, column.get("thresholds", sorted({*value.values()})[:-1])))
    rank = {cell: bisect_left(limits, value[cell]) for cell in value}
    ends = (len(limits) + 1, 0) if "" in cells else (0,)
    return [[*map(value.get, cells)]], [[rank.get(cell, end) for cell in cells] for end in ends]


def read_proof(header, table, end):
    """Return the proof to be about a table of columns of text, and note what a cost of one is."""
    need(header["format"] == "beamtree certificate, version 1", "this is no such certificate")
    names = [*[column["name"] for column in header["columns"]], header["target"], header["weight"]]
    need(len({*names} & {None, *table}) == len(names), f"{names} are no columns of {[*table]}")
    texts = table[header["target"]]
    w = np.array([*map(number, table.get(header["weight"], [1] * len(texts)))], float)
    kept, missing, ranks, hashed = np.flatnonzero(w), {*header["missing"]}, [], hashlib.sha256()
    for column in header["columns"]:
        count = len(ranks) + len(column.get("orders", "12"))
        need(count * len(kept) <= MOST_CELLS // 8, "there are too many rows and columns")
        cells = [table[column["name"]][i] for i in kept]
        known, orders = orders_of(column, ["" if cell in missing else cell for cell in cells])
        hashed.update(np.array(known, "<f8"))
        ranks += orders
    labels = header.get("labels", {})  # with their class weights
    place = {label: i for i, label in enumerate(labels)}
    need(place.keys() in ({*texts}, set()), "the target has other labels")
    y = [place[texts[i]] if place else number(texts[i]) for i in kept]
    y, w = target = np.array([y, w[kept]], "<f8")
    hashed.update(target)
    need(hashed.hexdigest() == header["sha256"], "the table is not the one of the certificate")
    share = np.array([*map(number, labels.values())] or [1])[y.astype(int) if place else 0]
    exact = w * share * (scale := number(header["scale"]))
    W = np.maximum(np.rint(exact) if header["whole"] else np.floor(exact), share > 0)
    fine = (place and not header["weighs"]) or (exact <= W * ROUNDED).all()
    need(fine and (exact * ROUNDED >= W).all(), "a weight is misstated")
    if place:
        factor, one = None, scale * integer(header["unit"], 1)
        sums = [header["unit"] * W * (y != k) for k in range(len(place))]
    else:
        base, centre, exponent = map(number, header["numbers"])
        factor = np.ldexp(1.0, exponent)
        one, V = scale * (base * factor) ** 2, np.rint((y * base - centre) * W)
        squares = (V * factor) ** 2 / W
        sums = [W, V, np.rint(squares) + (factor < 1)]
        # Then squares are integers or rounded up, and their sums are exact enough to be rounded.
        fine = (factor < 1 or not (V % W).any()) and squares.sum() < MOST_NUMBER / 8
        off = np.array([*map(Fraction, y)]) * Fraction(base) - Fraction(centre)  # not yet rounded
        off = (off * W.astype(int) - V.astype(int)).astype(float) * factor
        wrong = np.abs(sums[2] - squares) + off**2 / W / (ROUNDED - 1) + V.any() / 2  # of a leaf
        leaf = squares.sum() - (V.sum() * factor) ** 2 / W.sum()
        need(fine and wrong.sum() <= (ROUNDED - 1) * leaf, "a square is misstated")
    need(0 < one < np.inf, "the unit of costs is not a number")
    lost = header["unit"] * np.maximum(exact - W, 0).sum() if place else 0  # of what trees cost
    header |= {"cost_of_one": one, "lost_by_rounding": lost}
    sums = np.array([*sums, W if header["weighs"] else np.ones(len(W))])
    return Proof(np.array(ranks)[:, W > 0], sums[:, W > 0], factor, header, end)


def check(certificate, table, seconds=np.inf):
    """Return the header, the cost of the tree and the bound that is proved, or raise `Refused`."""
    claim, end = "the header", time.monotonic() + seconds
    try:
        with gzip.open(certificate, "rt", encoding="utf-8") as file:
            lines = iter(lambda: file.readline(MOST_LINE), "")
            proof = read_proof(header := json.loads(next(lines)), table, end)
            cost = proof.tree_cost(header["tree"])
            for count, line in zip(range(MOST_CLAIMS), lines):
                claim = f"claim {count}"
                proof.add(*json.loads(line))
    except Exception as error:  # whatever is in the file
        reason = "" if isinstance(error, Refused) else f"damaged, {type(error).__name__}: "
        raise Refused(f"{claim}: {reason}{error}") from error
    return header, cost, proof.bound(proof.all, proof.depth)


def main(certificate, table, seconds="inf"):
    try:
        with open(table, newline="", encoding="utf-8-sig") as file:
            columns = [*zip(*csv.reader(file), strict=True)]
        cells = {name: texts for name, *texts in columns}
        need(len(cells) == len(columns), "two columns of the table have the same name")
        header, cost, bound = check(certificate, cells, float(seconds))
    except (OSError, ValueError, csv.Error) as error:
        sys.exit(f"not verified: {error}")
    most = cost + min(cost, header["lost_by_rounding"])  # no weight is more than halved
    best = ": it is a best one" if cost == bound and most <= cost * ROUNDED else ""
    cost, bound = most / header["cost_of_one"], bound / header["cost_of_one"]
    print(f"verified: the tree costs {cost:g}, and no tree costs less than {bound:g}{best}")
    print(json.dumps({name: header[name] for name in header if name not in ("tree", "sha256")}))


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else sys.exit(__doc__)

"""The checker verifies what beamtree writes, and nothing that is false."""

import ast
import gzip
import json
import sys
from contextlib import nullcontext, suppress
from math import inf

import numpy as np
import pandas as pd
import pytest

from beamtree import Search
from beamtree._certificate import claims
from tests import ROOT
from tests.soak import trials

sys.path.insert(0, str(ROOT / "checker"))
import check_certificate as checker

sys.path.pop(0)


def text_of(value):
    return "" if pd.isna(value) else str(value)


def table_of(X, y, weight=None):
    """Return a table as the checker takes it: columns of text, as a csv file has them."""
    frame = (
        X
        if isinstance(X, pd.DataFrame)
        else pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    )
    columns = {name: frame[name].tolist() for name in frame} | {"y": np.asarray(y).tolist()}
    if weight is not None:
        columns["weight"] = np.asarray(weight).tolist()
    return {name: [text_of(value) for value in values] for name, values in columns.items()}


def random_table(rng, kind, n_rows, most_columns):
    """Return a table of zeros and ones, of numbers, or of all kinds of columns."""
    n_columns = int(rng.integers(1, most_columns + 1))
    if kind == "binary":
        return rng.integers(0, 2, (n_rows, n_columns + 2)).astype(np.uint8)
    X = rng.integers(0, 9, (n_rows, n_columns)) / 4
    if kind == "numbers":
        return X
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)])
    frame.loc[rng.random(n_rows) < 0.2, "x0"] = np.nan
    frame["text"] = rng.choice(["a", "b", "c c", "d,e"], n_rows)
    frame["rare"] = rng.choice(["u", "v", None], n_rows)
    days = pd.Timestamp("2024-01-30") + pd.to_timedelta(rng.integers(0, 9, n_rows), "D")
    frame["day"] = days.where(rng.random(n_rows) < 0.9)
    frame["flag"] = rng.integers(0, 2, n_rows).astype(bool)
    return frame


def random_settings(rng, *, numbers):
    settings = {"max_depth": int(rng.integers(0, 5))}
    if rng.random() < 0.4:
        settings["leaf_penalty"] = float(rng.choice([0.01, 0.02, 0.05, 1 / 30]))
        if rng.random() < 0.5:
            settings |= {"max_depth": None, "leaf_penalty": float(rng.choice([0.1, 0.15]))}
    if rng.random() < 0.3:
        settings["min_samples_leaf"] = int(rng.integers(2, 5))
    elif rng.random() < 0.2:
        settings["min_weight_fraction_leaf"] = 0.1
    if rng.random() < 0.3:
        settings["max_thresholds"] = int(rng.integers(1, 4))
    if not numbers and rng.random() < 0.2:
        settings["class_weight"] = "balanced"
    return settings


def random_search(seed, *, small=False):
    """Return a random search and its table."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(*(11, 16) if small else (8, 40)))
    X = random_table(rng, rng.choice(["binary", "numbers", "mixed"]), n_rows, 2 if small else 4)
    numbers = rng.random() < 0.3
    if numbers:
        y = rng.integers(0, 40, len(X)) / rng.choice([1, 4, 10, 7])
    else:
        n_classes = int(rng.integers(2, 5))
        y = np.array(["p", "q", "r s", "t"])[rng.integers(0, n_classes, len(X))]
    settings = random_settings(rng, numbers=numbers)
    if small and settings["max_depth"] is not None:
        settings["max_depth"] = int(rng.choice([1, 3, 3, 4]))  # deep ones need claims about sides
    weight = None
    if rng.random() < 0.5:
        whole = "min_weight_fraction_leaf" in settings or "leaf_penalty" in settings
        whole = whole or rng.random() < 0.5
        weight = rng.integers(0, 4, len(X)) if whole else rng.random(len(X)) + 0.1
        weight[:2] = 1
    if rng.random() < 0.3:
        settings["n_jobs"] = 2
    search = Search(X, y, weight, regression=bool(numbers), **settings)
    return search, table_of(X, y, weight), rng


@pytest.mark.parametrize("seed", trials(60, 3000))
def test_certificates_are_verified(seed, tmp_path):
    """The tree costs what the search says, and its bound is proved, finished or not."""
    search, table, rng = random_search(seed)
    limit = int(rng.integers(1, 30)) if rng.random() < 0.2 else None
    result = search.run(node_limit=limit)
    path = tmp_path / "proof"
    search.certificate(path)
    header, cost, bound = checker.check(path, table)
    # If weights are rounded, a leaf may have a label that is the best one of the real weights only.
    assert 0 <= cost - result.cost <= result.rounding * header["cost_of_one"]
    assert bound == result.lower
    # In the units of the table, the bound is that of the search, or a bit higher.
    assert bound / header["cost_of_one"] >= result.lower_bound * (1 - 1e-6) - 1e-9


@pytest.mark.parametrize("seed", trials(60, 3000))
def test_rows_that_the_search_cancels(seed, tmp_path):
    """Tests that separate only rows that stand against each other are unknown to the search."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(8, 40)), int(rng.integers(3, 8))
    n_classes = int(rng.integers(2, 4))
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    y = rng.integers(0, n_classes, n_rows)
    # Every other row is there with two labels; the last column separates only such rows.
    tied = rng.random(n_rows) < 0.5
    X[:, -1] = tied & (X[:, 0] == 1)
    X, y = np.vstack([X, X[tied]]), np.append(y, n_classes - 1 - y[tied])
    price = {"leaf_penalty": float(rng.choice([0.005, 0.01, 0.02, 0.05])), "max_depth": None}
    search = Search(X, y, **(price if seed % 3 else {"max_depth": 4}))
    result = search.run()
    search.certificate(tmp_path / "proof")
    _, cost, bound = checker.check(tmp_path / "proof", table_of(X, y))
    assert (cost, bound) == (result.cost, result.lower)


class Oracle:
    """The best trees by plain recursion over all tests, for few rows."""

    def __init__(self, proof):
        self._sums = proof.sums[: proof.planes]
        size = proof.sums[-1] if proof.least > 1 else np.ones(len(proof.all))
        self._size, self._proof, self._known = size, proof, {}
        self._tests = {
            tuple(ranks <= test) for ranks in proof.ranks for test in range(min(ranks), max(ranks))
        }

    def best(self, rows, depth):
        """Return what the best tree of some rows costs."""
        key = tuple(rows), min(depth, len(rows))
        if key not in self._known:
            self._known[key] = self._best(rows, depth)
        return self._known[key]

    def _best(self, rows, depth):
        proof = self._proof
        if self._size[rows].sum() < proof.least:
            return inf
        sums = self._sums[:, rows].sum(axis=1)
        if proof.factor is None:
            cost = min(sums)
        else:
            scaled = sums[1] * proof.factor
            cost = sums[2] - np.rint(scaled * scaled / sums[0])
        for test in self._tests if depth > 0 else ():
            yes = np.array([i for i in rows if test[i]], dtype=int)
            no = np.array([i for i in rows if not test[i]], dtype=int)
            if len(yes) and len(no):
                split = self.best(yes, depth - 1) + self.best(no, depth - 1)
                cost = min(cost, split + proof.penalty)
        return cost


def random_proof(seed):
    """Return a proof without claims about a small random problem."""
    rng = np.random.default_rng(seed)
    n_rows, n_orders = int(rng.integers(2, 14)), int(rng.integers(1, 5))
    ranks = rng.integers(0, int(rng.integers(2, 5)), (n_orders, n_rows))
    weight = rng.integers(1, 4, n_rows) if rng.random() < 0.5 else np.ones(n_rows)
    factor = None
    if rng.random() < 0.3:
        value = rng.integers(-9, 10, n_rows) * weight
        factor = float(rng.choice([0.25, 1.0, 4.0]))
        square = np.rint((value * factor) ** 2 / weight) + (factor < 1)
        sums = [weight, value, square]
    else:
        n_classes = int(rng.integers(2, 5))
        y = rng.integers(0, n_classes, n_rows)
        sums = [4 * weight * (y != k) for k in range(n_classes)]
    size = weight if rng.random() < 0.3 else np.ones(n_rows)
    header = {
        "penalty": int(rng.choice([0, 1, 3, 8])),
        "least": int(rng.choice([1, 1, 2, 3])),
        "depth": None,
    }
    return checker.Proof(ranks, np.array([*sums, size], float), factor, header, inf), rng


def holds(proof, rows, depth, bound):
    """Return whether the checker proves a bound without claims."""
    try:
        proof.prove(rows, depth, bound)
    except checker.Refused:
        return False
    return True


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("seed", trials(40, 2000))
def test_recomputed_trees(seed, few):
    """What the checker recomputes is exact up to three levels, and never too high beyond."""
    proof, rng = random_proof(seed)
    proof.few = few
    oracle, rows = Oracle(proof), proof.all
    if oracle.best(rows, 0) == inf:
        return  # there is no tree at all
    for depth in (0, 1, 2, 3) if few else (0, 1, 2):
        best = int(oracle.best(rows, depth))
        assert holds(proof, rows, depth, best)
        assert not holds(proof, rows, depth, best + 1)
    if proof.penalty:
        best = int(oracle.best(rows, 99))
        proved = [bound for bound in range(best + 3) if holds(proof, rows, checker.ANY, bound)]
        assert proved == list(range(len(proved)))
        assert len(proved) <= best + 1
    # Claims about some rows, true or not, are verified only if they are true.
    for _ in range(60):
        path = random_path(proof, rng)
        depth = None if rng.random() < 0.2 else int(rng.integers(0, 5))
        line = [path, depth, int(rng.integers(0, 30)), "split"]
        if rng.random() < 0.7:
            line.append(rng.integers(0, len(proof.order), int(rng.integers(0, 12))).tolist())
        try:
            proof.add(*line)
        except checker.Refused:
            continue
        inside = proof.rows_of(path)
        assert line[2] <= oracle.best(inside, 99 if depth is None else depth), line


def random_path(proof, rng):
    """Return a path whose end has rows."""
    path = []
    for _ in range(int(rng.integers(0, 3))):
        longer = [*path, int(rng.integers(0, len(proof.order))), int(rng.integers(0, 2))]
        if len(proof.rows_of(longer)):
            path = longer
    return path


def lines_of(file):
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in lines]


def write_lines(path, lines):
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


CLAIMS_CHANGED = (
    "a bound raised",
    "all bounds raised",
    "a claim dropped",
    "two claims swapped",
    "claims before those that they need",
    "a claim that needs itself",
    "another depth",
    "another path",
    "a shorter path",
    "other tests with claims",
    "another reason",
    "a strange value",
)


def mutated_claims(lines, kind, rng):
    """Change the claims at random, in one of the ways above."""
    found = [list(line) for line in lines[1:]]
    if not found:
        return [lines[0], [[], lines[0]["depth"], int(rng.integers(1, 4)), "small"]]
    i, j = rng.integers(0, len(found), 2).tolist()
    path, depth, bound, *_ = found[i]
    if kind == "a bound raised":
        found[i][2] = bound + int(rng.integers(1, 4))
    elif kind == "all bounds raised":  # as they must be if that of the root is to be
        found = [[p, d, b + int(rng.integers(0, 3)), *rest] for p, d, b, *rest in found]
    elif kind == "a claim dropped":
        del found[i]
    elif kind == "two claims swapped":
        found[i], found[j] = found[j], found[i]
    elif kind == "claims before those that they need":
        found = found[::-1] if rng.random() < 0.5 else found[i:] + found[:i]
    elif kind == "a claim that needs itself":
        tests = [[test, side] for test in range(9) for side in (0, 1)]
        sides = [[[*path, *test], depth, bound, "split", list(range(9))] for test in tests]
        found[i:i] = sides if rng.random() < 0.5 else [[*found[i][:2], bound + 1, "split", [0]]]
    elif kind == "another depth":
        found[i][1] = None if depth is None or rng.random() < 0.2 else max(0, depth + 1)
    elif kind == "another path" and path:
        k = int(rng.integers(0, len(path)))
        found[i][0] = [*path[:k], path[k] + int(rng.integers(-2, 3)), *path[k + 1 :]]
    elif kind == "a shorter path":
        found[i][0] = path[: 2 * int(rng.integers(0, len(path) // 2 + 1))]
    elif kind == "other tests with claims":
        found[i][4:] = [rng.integers(-1, 9, 4).tolist()]
    elif kind == "another reason":
        found[i][3:] = [str(rng.choice(["leaf", "x"])), [0]][: int(rng.integers(1, 3))]
    else:
        strange = [None, -1, 2**60, 1.5, "1", [], {}, [[]], True, float("nan"), [2**70]]
        found[i][int(rng.integers(0, len(found[i])))] = strange[rng.integers(0, len(strange))]
    return [lines[0], *found]


def mutated_header(lines, rng):
    """Change one thing in the header."""
    header = json.loads(json.dumps(lines[0]))
    name = str(rng.choice(list(header)))
    strange = [None, -1, 0, 1, 2, 3, 2**70, 0.5, "", "x0", [], [1], {}, [[0], 0], True]
    if isinstance(header[name], int) and rng.random() < 0.7:
        header[name] += int(rng.integers(-2, 3))
    else:
        header[name] = strange[int(rng.integers(0, len(strange)))]
    return [header, *lines[1:]]


def mutated_bytes(content, rng):
    """Change some bytes of a file."""
    changed = np.frombuffer(content, dtype=np.uint8).copy()
    some = rng.integers(0, len(changed), int(rng.integers(1, 4)))
    changed[some] = rng.integers(0, 256, len(some))
    return changed.tobytes()


def mutated_table(table, rng):
    name = str(rng.choice(list(table)))
    changed = {key: list(cells) for key, cells in table.items()}
    i = int(rng.integers(0, len(changed[name])))
    cell = changed[name][i]
    changed[name][i] = str(rng.choice([c for c in ["0", "1", "p", "q", "", "7.25"] if c != cell]))
    return changed


def mutations(path, table, rng):
    """Change a certificate in all ways, and yield what was changed, and the table to check."""
    content, lines = path.read_bytes(), lines_of(path)
    for kind in CLAIMS_CHANGED * 2:
        write_lines(path, mutated_claims(lines, kind, rng))
        yield kind, table
    for _ in range(4):
        write_lines(path, mutated_header(lines, rng))
        yield "another header", table
        path.write_bytes(mutated_bytes(content, rng))
        yield "other bytes", table
        write_lines(path, lines)
        plain = gzip.decompress(path.read_bytes())
        path.write_bytes(gzip.compress(mutated_bytes(plain, rng), 1))
        yield "other bytes inside", table
        path.write_bytes(content[: int(rng.integers(0, len(content)))])
        yield "truncated", table
        path.write_bytes(content)
        yield "another table", mutated_table(table, rng)


@pytest.mark.parametrize("seed", trials(20, 300))
def test_nothing_false_is_verified(seed, tmp_path, monkeypatch):
    """However a certificate is changed, what is verified is true of the problem that it poses."""
    few = [500, 3, 3, 3][seed % 4]  # with fewer tests than usual, there are claims about sides
    monkeypatch.setattr(checker, "FEW_TESTS", few)
    monkeypatch.setattr(claims, "FEW_TESTS", few)
    search, table, rng = random_search(seed, small=True)
    search.run()
    path = tmp_path / "proof"
    search.certificate(path)
    posed = []
    read = checker.read_proof

    def remember(*given):
        posed.append(read(*given))
        return posed[-1]

    monkeypatch.setattr(checker, "read_proof", remember)
    refused = 0
    for kind, rows in mutations(path, table, rng):
        try:
            _, cost, bound = checker.check(path, rows, 30)
        except checker.Refused:
            refused += 1
            continue
        oracle = Oracle(posed[-1])
        best = oracle.best(posed[-1].all, posed[-1].depth)
        assert bound <= best <= cost, kind
    assert refused > 0


def posed(columns, y, /, **more):
    """Return a table and the header of a certificate of a single leaf, whose hash is missing."""
    table = {name: list(cells) for name, cells in columns.items()} | {"y": list(y)}
    header = {
        "format": "beamtree certificate, version 1",
        "target": "y",
        "weight": None,
        "missing": [""],
        "scale": 1.0,
        "whole": True,
        "penalty": 0,
        "least": 1,
        "weighs": False,
        "depth": 1,
        "columns": [{"name": name} for name in columns if name != more.get("weight")],
    }
    if "numbers" not in more:
        header |= {"labels": {"p": 1.0, "q": 1.0}, "unit": 1, "tree": 0}
    return table, header | {"tree": None if "numbers" in more else 0, "cost_of_one": 1} | more


X = {"x": "0123"}
PAIRS = ["p", "q", "p", "q"]
FALSE_HEADERS = {
    "a label that is not expected": posed(X, "pqrr"),
    "the floor as a label": posed(X, PAIRS, tree=2, penalty=1),
    "a threshold that is no number": posed(
        X, "ppqq", columns=[{"name": "x", "thresholds": [0.5, float("nan"), 1.5]}]
    ),
    "a rank that is a text": posed(
        {"x": [str(i) for i in range(12)], "g": ["a"] * 11 + [""]},
        ["p"] * 10 + ["q"] * 2,
        columns=[{"name": "x"}, {"name": "g", "orders": [[{"": "0"}, 1]]}],
    ),
    "a text with two ranks": posed(
        {"x": "aabb"}, "ppqq", columns=[{"name": "x", "orders": [[{"a": [0, 2], "b": [1, 2]}, 0]]}]
    ),
    "a scale for each row": posed(X, PAIRS, scale=[1, 9, 1, 9]),
    "class weights that are lists": posed(X, PAIRS, labels={"p": [1], "q": [2]}),
    "a number for each row": posed(X, "1234", numbers=[[0, 0, 0, 9], 0, 0]),
    "a factor of zero": posed(X, "1234", numbers=[1.0, 0.0, -2000]),
    "squares that are rounded up": posed(X, "1111", numbers=[1.0, 0.0, -20]),
    "values that are rounded to zero": posed(X, "1234", numbers=[2.0**-60, 0.0, 0]),
    "quarters that are rounded down": posed(
        {"x": "0" * 64, "w": "4" * 64}, ["0.25"] * 64, weight="w", numbers=[1.0, 0.0, 0]
    ),
    "leaves that weigh too little": posed(
        {"x": "01", "w": ["1.9", "1.9"]}, "pq", weight="w", whole=False, weighs=True, least=2
    ),
    "a negative scale": posed(X, PAIRS, scale=-1),
    "weights that are not finite": posed(X, PAIRS, labels={"p": 1.0, "q": float("inf")}),
    "a unit of costs that is no number": posed(X, PAIRS, scale=1e-320),
    "a negative sample weight": posed({"x": "0123", "w": ["1", "1", "1", "-1"]}, PAIRS, weight="w"),
    "a label that nothing has": posed(X, PAIRS, labels={"p": 1.0, "q": 1.0, "r": 1.0}),
    "a class weight that vanishes": posed(
        X, PAIRS, labels={"p": 1e-200, "q": 1e200}, scale=1e-200, least=2
    ),
    "a column that is there twice": posed(X, PAIRS, columns=[{"name": "x"}, {"name": "x"}]),
    "a centre that is far away": posed(
        X, ["0.4", "0.6", "0.4", "0.6"], numbers=[1.0, 1000.0, 5], depth=0
    ),
    "leaves that are rounded to whole costs": posed(X, "0010", numbers=[1.0, 0.0, 0]),
    "numbers that doubles round": posed(
        X, [str(10**15 + i) for i in range(4)], numbers=[0.3 * 2**20, 0.3 * 2**20 * 10**15, 0]
    ),
    "weights of numbers that are rounded down": posed(
        {"x": "0123", "w": ["1.4", "1.4", "1", "1"]},
        ["1", "2", "3", "4"],
        weight="w",
        numbers=[1.0, 0.0, 20],
    ),
    "dates that the unit cannot hold": posed(
        {"x": ["2000-01-01", "3000-01-01"]}, "pq", columns=[{"name": "x", "unit": "ns"}]
    ),
    "times that are cut to days": posed(
        {"x": ["2000-01-01T06", "2000-01-01T18"]}, "pq", columns=[{"name": "x", "unit": "D"}]
    ),
}


def write_posed(path, table, header, claims, monkeypatch):
    """Write a certificate with the right hash, which is taken from what the checker hashes."""
    hashed = []

    class Recorder:
        def __init__(self, *content):
            self._sha = checker_sha256(*content)
            self.update, self.digest = self._sha.update, self._sha.digest

        def hexdigest(self):
            hashed.append(self._sha.hexdigest())
            return hashed[-1]

    checker_sha256 = checker.hashlib.sha256
    with monkeypatch.context() as patch:
        patch.setattr(checker.hashlib, "sha256", Recorder)
        with suppress(Exception):  # of the wrong hash, or whatever else is wrong
            checker.read_proof(header | {"sha256": ""}, table, inf)
    write_lines(path, [header | {"sha256": hashed[0] if hashed else ""}, *claims])


@pytest.mark.parametrize("name", FALSE_HEADERS)
def test_headers_that_mislead_are_refused(name, tmp_path, monkeypatch):
    """Each of these was once believed, or is close to one that was."""
    table, header = FALSE_HEADERS[name]
    write_posed(tmp_path / "proof", table, header, [], monkeypatch)
    with pytest.raises(checker.Refused):
        checker.check(tmp_path / "proof", table)


def test_the_unit_of_costs_is_not_believed(tmp_path, monkeypatch):
    table, header = posed(X, PAIRS, cost_of_one=1e-9, depth=0)
    write_posed(tmp_path / "proof", table, header, [[[], 0, 2, "leaf"]], monkeypatch)
    found, cost, bound = checker.check(tmp_path / "proof", table)
    assert (found["cost_of_one"], cost, bound) == (1, 2, 2)


def test_a_tree_is_not_the_best_one_if_rounding_decides(tmp_path, monkeypatch, capsys):
    """With weights that are rounded down, both leaves make mistakes of the same weight."""
    rows = {"x": "0000", "w": ["1", "1.9", "1", "1.9"]}
    table, header = posed(rows, PAIRS, weight="w", whole=False, depth=0)
    path, csv = tmp_path / "proof", tmp_path / "table.csv"
    write_posed(path, table, header, [[[], 0, 2, "leaf"]], monkeypatch)
    pd.DataFrame(table).to_csv(csv, index=False)
    checker.main(path, csv)
    words = capsys.readouterr().out.splitlines()[0]
    assert words == "verified: the tree costs 3.8, and no tree costs less than 2"


def test_weights_in_a_column_without_a_name(tmp_path, monkeypatch):
    table, header = posed({"x": "0000", "": "1117"}, PAIRS, weight="", depth=0)
    write_posed(tmp_path / "proof", table, header, [[[], 0, 2, "leaf"]], monkeypatch)
    _, cost, bound = checker.check(tmp_path / "proof", table)
    assert (cost, bound) == (8, 2)


def test_the_memory_for_orders_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(checker, "MOST_CELLS", 80)
    for count, fine in ((2, True), (3, False)):
        orders = [[{}, 0]] * count
        table, header = posed(X, PAIRS, columns=[{"name": "x", "orders": orders}])
        write_posed(tmp_path / "proof", table, header, [], monkeypatch)
        with nullcontext() if fine else pytest.raises(checker.Refused, match="rows and columns"):
            checker.check(tmp_path / "proof", table)


def test_looking_for_claims_takes_limited_time(monkeypatch):
    """Very many claims could be about the same rows."""
    y, looked = np.array([0, 1, 1, 0]), []
    header = {"penalty": 0, "least": 1, "depth": None}
    ranks = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
    proof = checker.Proof(ranks, np.array([y, 1 - y, y + 1 - y], float), None, header, inf)
    monkeypatch.setattr(proof, "bound", lambda *_: looked.append(1) or 0)
    proof.end = -inf
    with pytest.raises(checker.Refused, match="the time is over"):
        proof.prove(proof.all, 9, 1, list(range(len(proof.order))))
    assert not looked


def test_the_time_is_limited(tmp_path, monkeypatch):
    table, header = posed(X, PAIRS, depth=0)
    write_posed(tmp_path / "proof", table, header, [[[], 0, 1, "equal rows"]], monkeypatch)
    with pytest.raises(checker.Refused, match="the time is over"):
        checker.check(tmp_path / "proof", table, 0)


def test_it_can_be_read_by_strangers():
    """The checker is one short file that needs nothing but Python and NumPy."""
    text = (ROOT / "checker" / "check_certificate.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    modules = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add("" if node.level else node.module.split(".")[0])
    assert modules <= sys.stdlib_module_names | {"numpy"}
    assert [path.name for path in (ROOT / "checker").glob("*.py")] == ["check_certificate.py"]

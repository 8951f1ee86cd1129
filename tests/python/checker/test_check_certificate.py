"""The checker verifies what the certifier writes, and refuses what proves something false."""

import gzip
import json
import sys
from fractions import Fraction

import numpy as np
import pytest

from beamtree import Search
from beamtree._engine import certificate
from tests import ROOT

sys.path.insert(0, str(ROOT / "checker"))
import check_certificate as checker

sys.path.pop(0)


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns, n_classes = rng.integers(20, 60), rng.integers(3, 8), rng.integers(2, 4)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    X[0], X[1] = 0, 1  # no constant columns
    weight = rng.integers(1, 4, n_rows) if seed % 3 == 0 else None
    return X, y, weight, rng


def cancelled_costs(X, y, weight, unit):
    """Return the costs that the search leaves out: those of equal rows with all classes."""
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    counts = np.zeros((len(first), y.max() + 1), dtype=np.int64)
    np.add.at(counts, (group.ravel(), y), weight)
    costs = np.zeros(len(y), dtype=np.int64)
    costs[first] = counts.min(axis=1) * y.max() * unit
    return costs


def nested(tree, node=0):
    if tree.feature[node] < 0:
        return int(tree.prediction[node])
    children = tree.children_left[node], tree.children_right[node]
    return [int(tree.feature[node]), 0, *(nested(tree, int(child)) for child in children)]


def certify(file, X, y, weight, **settings):
    """Search, write a certificate, and return the table of the checker and the integer bound."""
    search = Search(X, y, sample_weight=weight, **settings)
    result = search.run()
    engine = search._engine
    problem, core = engine.problem, engine._search
    least = settings.get("min_samples_leaf", 1)
    n_classes = int(y.max()) + 1
    cost = (1 - np.eye(n_classes, dtype=np.int64))[y] * (problem.weight * problem.unit)[:, None]
    cancelled = cancelled_costs(X, y, problem.weight, problem.unit)
    certifier = certificate.Certifier(
        certificate.Tests(X.T.astype(bool), [(j, 0) for j in range(X.shape[1])]),
        cost,
        cancelled if least == 1 else np.zeros_like(cancelled),
        problem.penalty,
        least,
        lambda path, bound: core.prove(path, bound, 1e9),
    )
    bound = int(engine.outcome.lower)
    claims = certifier.claims(settings["max_depth"], bound)
    unit = Fraction(problem.scale) * problem.unit
    assert unit.denominator == 1
    weights = np.ones(len(y), int) if weight is None else weight
    names = [f"x{j}" for j in range(X.shape[1])]
    columns = dict(zip([*names, "y", "w"], [*X.T, y, weights], strict=True))
    header = {
        "format": "beamtree certificate",
        "version": 1,
        "columns": [{"name": name} for name in names],
        "target": "y",
        "weight": "w",
        "labels": [str(k) for k in range(n_classes)],
        "unit": int(unit),
        "penalty": problem.penalty,
        "min_rows": least,
        "depth": settings["max_depth"],
        "tree": nested(result.tree),
        "sha256": certificate.digest((k, certificate.canonical(v)) for k, v in columns.items()),
    }
    certificate.write(file, header, claims)
    return {name: [str(v) for v in values] for name, values in columns.items()}, bound


@pytest.mark.parametrize("seed", range(60))
def test_certificates_are_verified(seed, tmp_path):
    X, y, weight, rng = random_problem(seed)
    settings = {"max_depth": int(rng.integers(1, 6)), "min_samples_leaf": int(rng.integers(1, 4))}
    if seed % 2:
        settings["leaf_penalty"] = 0.02
    file = tmp_path / "certificate.gz"
    table, bound = certify(file, X, y, weight, **settings)
    _, cost, proved = checker.check(file, table)
    assert cost == proved == bound


def lines_of(file):
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in lines]


def mutate(lines, rng):
    """Change one thing at random."""
    kind, claims = rng.integers(0, 7), lines[1:]
    i = int(rng.integers(0, len(claims)))
    path, depth, bound, reason, *more = claims[i]
    if kind == 0:
        claims[i] = [path, depth, bound + int(rng.integers(1, 4)), reason, *more]
    elif kind == 1:
        del claims[i]
    elif kind == 2:
        j = int(rng.integers(0, len(claims)))
        claims[i], claims[j] = claims[j], claims[i]
    elif kind == 3:
        claims[i] = [path, depth + 1, bound, reason, *more]
    elif kind == 4 and path:
        k = int(rng.integers(0, len(path)))
        path = [*path[:k], path[k] + int(rng.integers(-2, 3)), *path[k + 1 :]]
        claims[i] = [path, depth, bound, reason, *more]
    elif kind == 5:
        claims[i] = [path, depth, bound, "similar", int(rng.integers(-1, len(claims) + 1))]
    else:
        claims[i] = [path, depth, bound, str(rng.choice(["leaf", "equal rows", "split", "x"]))]
    return [lines[0], *claims]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_false_is_verified(seed, tmp_path):
    """However a certificate is changed, no bound above the optimum is verified."""
    X, y, weight, rng = random_problem(seed)
    file = tmp_path / "certificate.gz"
    table, bound = certify(file, X, y, weight, max_depth=4)
    if bound == 0:
        return
    lines, refused = lines_of(file), 0
    for _ in range(20):
        changed = mutate(lines, rng)
        certificate.write(file, changed[0], changed[1:])
        try:
            assert checker.check(file, table)[2] <= bound
        except checker.Refused:
            refused += 1
    assert refused > 0


def test_other_data_are_refused(tmp_path):
    X, y, weight, _ = random_problem(0)
    file = tmp_path / "certificate.gz"
    table, _ = certify(file, X, y, weight, max_depth=3)
    table["x0"][3] = "1" if table["x0"][3] == "0" else "0"
    with pytest.raises(checker.Refused, match="not the one of the certificate"):
        checker.check(file, table)


@pytest.mark.parametrize("seed", range(20))
def test_thresholds_and_missing_values(seed):
    """The recomputed costs of two levels equal those of the search over all thresholds."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (30, 3)) / 4
    y = rng.integers(0, 2, 30)
    least = 1 + seed % 3
    best = int(Search(X, y, max_depth=2, min_samples_leaf=least).run().objective)
    sums = 1.0 - np.eye(2)[y]
    problem = checker.Problem(list(X.T), sums, False, 0, least, 2)
    rows = np.arange(30)
    for few in (True, False):
        problem.few = few
        assert problem.at_least(rows, 2, best)
        assert not problem.at_least(rows, 2, best + 1)
    assert [len(checker.orders_of({}, ["1", "", "2.5"])), *checker.orders_of({}, ["3", "1"])] == [
        2,
        pytest.approx([1, 0]),
    ]


def test_costs_that_cannot_be_added_exactly_are_refused():
    """A large penalty must not be rounded, and neither must costs that are no integers."""
    X, y = [np.array([0, 1, 0, 1])], np.array([0, 1, 0, 1])
    sums = 1.0 - np.eye(2)[y]
    rows = np.arange(4)
    # With 32 bits, 2**24 + 1 would be rounded to 2**24.
    problem = checker.Problem(X, 2 * sums, False, 2**24 + 1, 1, 2)
    assert problem.pairs(rows, 2) == 4
    assert checker.Problem(X, 2**25 * sums, False, 2**24 + 1, 1, 1).pairs(rows, 1) == 2**24 + 1
    with pytest.raises(checker.Refused, match="too large"):
        checker.Problem(X, sums, False, 2**52, 1, 2)
    with pytest.raises(checker.Refused, match="must be integers"):
        checker.Problem(X, 0.1 * sums, False, 0, 1, 2)


def test_the_command(tmp_path, capsys):
    """The command says what is verified and how the problem was posed, or why it is refused."""
    X, y, weight, _ = random_problem(1)
    file, rows = tmp_path / "certificate.gz", tmp_path / "table.csv"
    table, bound = certify(file, X, y, weight, max_depth=3)
    lines = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    rows.write_text("\n".join(lines))
    checker.main([str(file), str(rows)])
    said = capsys.readouterr().out
    assert f"verified: the tree costs {bound}, and no tree of depth at most 3 costs less" in said
    assert "x0 (all values)" in said
    file.write_bytes(file.read_bytes()[:60])
    with pytest.raises(SystemExit, match="not verified: the certificate is damaged"):
        checker.main([str(file), str(rows)])

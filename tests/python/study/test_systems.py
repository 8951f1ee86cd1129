"""The systems of the study: complete ones prove the optimum, others do what they describe."""

from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import product
from math import log2

import numpy as np
import pytest

from beamtree.rules import TopK
from beamtree.study import SYSTEMS, Task
from beamtree.study.peers import PEERS, Peer, check_installed
from beamtree.study.systems import PAPER, _engine, chosen_systems, find_system
from tests.oracle import best
from tests.oracle.greedy import greedy_objective

SCHEDULES = ["monotonic", "exponential", "luby"]
RELAXED = ["ca-gain", "ca-discrepancy", "ca-top-k", "ca-top-k-star"]


@cache
def random_task(seed, depth, rows=40, features=7, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features), dtype=np.uint8)
    codes = rng.integers(0, classes, rows).astype(np.int32)
    return Task(X, codes, classes, depth, 600.0)


@cache
def optimum(task):
    rows, labels = task.X.tolist(), task.codes.tolist()
    return float(best(rows, labels, None, task.n_classes, task.depth))


def solved(name, task):
    """Return the end of a system, the errors of its tree, and its reports."""
    told = []
    end = find_system(name).solve(task, lambda *row: told.append(row))
    return end, float((end.predict(task.X) != task.codes).sum()), told


def test_the_table_has_the_systems_of_the_paper():
    assert list(SYSTEMS) == [
        *("c45", "top-3", "top-5", "dl85", "lds-dl85", "blossom", "lgdt", "ca-purity"),
        *(f"{rule}-{schedule}" for rule, schedule in product(RELAXED, SCHEDULES)),
        "beamtree",
    ]


@pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].complete])
@pytest.mark.parametrize("classes", [2, 3])
def test_complete_systems_prove_the_optimum(name, classes):
    for seed, depth in [(0, 3), (1, 4)]:
        task = random_task(seed, depth, classes=classes)
        end, objective, told = solved(name, task)
        assert (end.status, end.lower_bound, objective) == ("optimal", objective, optimum(task))
        assert told[-1] == (objective, objective)
        objectives, bounds = zip(*told, strict=True)
        assert list(objectives) == sorted(objectives, reverse=True)
        assert list(bounds) == sorted(bounds)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if not SYSTEMS[name].complete])
def test_other_systems_are_never_better(name):
    worse = 0
    for seed in range(8):
        task = random_task(seed, 3, features=12)
        end, objective, _ = solved(name, task)
        assert end.status in (["finished"] if name == "c45" else ["rule_limit", "optimal"])
        assert objective >= optimum(task) >= end.lower_bound
        assert objective == optimum(task) or end.status != "optimal"
        worse += objective > optimum(task)
    assert worse  # such systems skip some trees


def gains(rows, labels):
    """Return the information gain of every feature in bits, rounded so that ties are equal."""

    def entropy(part):
        shares = [part.count(label) / len(part) for label in set(part)]
        return -sum(share * log2(share) for share in shares)

    found = []
    for feature in range(len(rows[0])):
        sides = [[], []]
        for row, label in zip(rows, labels, strict=True):
            sides[row[feature]].append(label)
        if not all(sides):
            found.append(-1.0)
            continue
        after = sum(len(side) * entropy(side) for side in sides) / len(labels)
        found.append(round(entropy(labels) - after, 9))
    return found


@pytest.mark.parametrize("k", [3, 5])
def test_top_k_is_the_best_of_k_roots(k):
    """At depth 3, two levels are exact: the rule acts only at the root, on the k best gains."""
    for seed in range(4):
        task = random_task(seed, 3, features=8)
        rows, labels = task.X.tolist(), task.codes.tolist()
        gain = gains(rows, labels)
        order = sorted(range(8), key=lambda feature: (-gain[feature], feature))
        expected = []
        for feature in order[:k]:
            errors = 0
            for side in (0, 1):
                there = [i for i, row in enumerate(rows) if row[feature] == side]
                errors += best([rows[i] for i in there], [labels[i] for i in there], None, 2, 2)
            expected.append(errors)
        assert solved(f"top-{k}", task)[1] == min(expected)


@pytest.mark.parametrize(("k", "errors"), [(1, 1), (2, 0)])
def test_top_k_by_hand(k, errors):
    """Eight rows with y = a xor b, and c equals y in all rows except one; rules act on all levels.

    Gains at the root: c is right in all rows except one; a and b have no gain alone (2 rows of each
    class on both sides). k = 1 takes c. If c is 1, all rows have class 1. If c is 0, there are four
    rows of class 0 and one of class 1, with a = 1 and b = 0, which no single split on a or b
    separates, so that the tree has 1 error. k = 2 also takes a (before b, by index). On both of its
    sides, b decides the class.
    """
    X = np.array(
        [[0, 0, 0], [0, 0, 0], [0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 0]],
        dtype=np.uint8,
    )
    codes = (X[:, 0] ^ X[:, 1]).astype(np.int32)
    engine = _engine(Task(X, codes, 2, 2, 60.0), TopK(k, limit=k), **PAPER | {"exact_levels": 0})
    engine.run()
    result = engine.result()
    assert result.objective == errors
    assert result.tree.feature[0] == (2 if k == 1 else 0)
    assert result.status == ("rule_limit" if k == 1 else "optimal")


@pytest.mark.parametrize(
    ("name", "start", "multiples"),
    [
        # 13 random features at depth 3: with two exact levels the rule acts at the root, on ranks
        # 0 to 12. The pass that admits rank 12 prunes nothing, and is the last.
        ("ca-discrepancy-monotonic", 0, list(range(13))),
        ("lds-dl85", 0, list(range(13))),
        ("ca-discrepancy-exponential", 0, [0, 1, 2, 4, 8, 16]),
        # the running sums of Luby's sequence 1, 1, 2, 1, 1, 2, 4
        ("ca-discrepancy-luby", 0, [0, 1, 2, 4, 5, 6, 8, 12]),
        # k counts from 1: k = 13 admits rank 12
        ("ca-top-k-monotonic", 1, list(range(13))),
        ("ca-top-k-exponential", 1, [0, 1, 2, 4, 8, 16]),
        ("ca-top-k-luby", 1, [0, 1, 2, 4, 5, 6, 8, 12]),
        # at the root, k is not halved
        ("ca-top-k-star-luby", 1, [0, 1, 2, 4, 5, 6, 8, 12]),
    ],
)
def test_thresholds_of_the_passes(name, start, multiples):
    task = random_task(3, 3, rows=200, features=13)

    def stopped(nodes):
        engine = _engine(task, **SYSTEMS[name].solve.keywords)
        engine.limits.nodes = nodes
        engine.run()
        return engine

    whole = stopped(None)
    assert whole.verdict()[0] == "optimal"
    # The search is stopped after every number of nodes, so that every pass is seen.
    seen = [stopped(nodes).progress() for nodes in range(1, whole.progress().nodes + 1)]
    thresholds = {progress.restart: progress.threshold for progress in seen}
    assert list(thresholds.values()) == [start + multiple for multiple in multiples]


def test_the_first_pass_of_discrepancy_is_greedy():
    """Without exact levels, the tree of the first pass is the one of the greedy oracle."""
    task = random_task(5, 3)
    settings = SYSTEMS["ca-discrepancy-luby"].solve.keywords | {"exact_levels": 0}
    engine = _engine(task, **settings)
    engine.run()
    first = [row["objective"] for row in engine.result().trace if row["threshold"] == 0]
    greedy = greedy_objective(task.X.tolist(), task.codes.tolist(), None, 2, 3)
    assert first[-1] == greedy


def test_the_budget_holds():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 60), dtype=np.uint8)
    task = Task(X, rng.integers(0, 2, 1000).astype(np.int32), 2, 6, 0.05)
    end, objective, told = solved("dl85", task)
    assert (end.status, end.lower_bound) == ("time_limit", 0.0)
    assert objective == told[-1][0]


def test_the_seed_is_passed_to_the_greedy_tree():
    task = random_task(0, 3)
    assert solved("c45", task)[0].predict.__self__.random_state == 0


@pytest.mark.parametrize("name", PEERS)
def test_peers(name):
    module = {"pytrees-rs": "pytrees", "pydl8.5": "pydl85"}.get(name, name)
    if find_spec(module) is None:
        pytest.skip(f"{name} is not installed")
    task = random_task(0, 3)
    end, objective, told = solved(name, task)
    assert (end.status, objective) == ("optimal", optimum(task))
    assert end.lower_bound == objective
    assert all(bound == 0.0 for _, bound in told)


class Majority:
    """A model in the place of a peer's, which predicts class 1."""

    def fit(self, X, y):
        assert X.dtype == y.dtype == np.int32

    def predict(self, X):
        return np.ones(len(X))


@pytest.mark.parametrize(
    ("proved", "end"), [(True, ("optimal", 1.0)), (False, ("time_limit", 0.0))]
)
def test_the_tree_of_a_peer_is_rescored(proved, end):
    """Whatever a peer reports, the bound of its proof is the errors of its tree."""

    def fit(model, X, y, tell):
        model.fit(X, y)
        tell(0.0, 0.0)

    peer = Peer(lambda *_: Majority(), fit, lambda _: proved)
    X = np.array([[0], [1], [1]], dtype=np.uint8)
    told = []
    found = peer(Task(X, np.array([0, 1, 1], np.int32), 2, 1, 10.0), lambda *row: told.append(row))
    assert (found.status, found.lower_bound) == end
    assert found.predict(X).tolist() == [1, 1, 1]
    assert told == [(0.0, 0.0)]


def test_a_peer_that_is_not_installed_is_an_error(monkeypatch):
    peer = replace(PEERS["pystreed"], name="no-such-peer", distribution="no-such-peer")
    monkeypatch.setitem(PEERS, "no-such-peer", peer)
    with pytest.raises(ImportError, match="'no-such-peer' needs no-such-peer: pip install"):
        check_installed("no-such-peer")


def test_names_and_patterns():
    assert chosen_systems() == list(SYSTEMS)
    assert chosen_systems("dl85") == ["dl85"]
    assert chosen_systems(iter(["ca-top-k-*", "ca-top-k-luby", "c45"])) == [
        *(f"ca-top-k-{schedule}" for schedule in SCHEDULES),
        *(f"ca-top-k-star-{schedule}" for schedule in SCHEDULES),
        "c45",
    ]
    own = "tests.python.study.study_systems:quick"
    assert chosen_systems([own]) == [own]


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ("dl8", "systems must be among c45, .*, got 'dl8'"),
        (["ca-*", "cb-*"], "got 'cb-"),
        ([], "systems must name at least one system, got none"),
        (3, "systems must be None, or one or more names .* got 3"),
        ("no_such_module:solve", "must be importable, got .*'no_such_module:solve': No module"),
        ("math:solve", "must be importable, got 'math:solve'"),
    ],
)
def test_unknown_systems(systems, message):
    with pytest.raises(ValueError, match=message):
        chosen_systems(systems)

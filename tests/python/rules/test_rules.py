"""The built-in rules: their parameters, and what they do to a search."""

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError
from math import inf

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, _core
from beamtree._engine.strategy import AUTO_SWITCHES, RULES, rule_parts
from beamtree.datasets import monks, parity, tic_tac_toe
from beamtree.rules import Both, Discrepancy, Gain, HalvingTopK, Purity, TopK
from tests.oracle import greedy_objective
from tests.python.rules.own_rules import OwnDiscrepancy
from tests.unfinished import unfinished

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Discrepancy(), (0, 1, None)),
        (TopK(), (1, 1, None)),
        (HalvingTopK(), (1, 1, None)),
        (Gain(), (0.0, 0.01, None)),
        (Purity(), (0.0, 0.002, 1.0)),
    ],
)
def test_defaults(rule, expected):
    assert (rule.start, rule.unit, rule.limit) == expected
    assert type(rule)(*expected) == rule
    assert RULES[rule.name]() == rule


@pytest.mark.parametrize("rule", [Discrepancy(2), Both(Gain(unit=0.5), TopK(limit=3))])
def test_rules_are_values(rule):
    assert deepcopy(rule) == rule
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert len({rule, deepcopy(rule)}) == 1
    field = "start" if isinstance(rule, Discrepancy) else "first"
    with pytest.raises(FrozenInstanceError):
        setattr(rule, field, 0)


INTEGER_0 = "an integer of at least 0"
INTEGER_1 = "an integer of at least 1"


@pytest.mark.parametrize(
    ("kind", "name", "value", "allowed"),
    [
        (Discrepancy, "start", -1, INTEGER_0),
        (Discrepancy, "start", 0.5, INTEGER_0),
        (Discrepancy, "unit", 0, INTEGER_1),
        (Discrepancy, "limit", -1, "None or a number of at least 0"),
        (Discrepancy, "limit", np.nan, "None or a number of at least 0"),
        (Discrepancy, "limit", "all", "None or a number of at least 0"),
        (TopK, "start", 0, INTEGER_1),
        (TopK, "start", True, INTEGER_1),
        (TopK, "limit", 0, "None or a number of at least 1"),
        (HalvingTopK, "unit", 1.5, INTEGER_1),
        (Gain, "start", -0.1, "a finite number of at least 0"),
        (Gain, "start", inf, "a finite number of at least 0"),
        (Gain, "unit", 0, "a finite number above 0"),
        (Gain, "unit", None, "a finite number above 0"),
        (Purity, "start", 1.1, "a number from 0 to 1"),
        (Purity, "unit", -1, "a finite number above 0"),
        (Purity, "limit", 1.5, "None or a number from 0 to 1"),
    ],
)
def test_wrong_parameters_are_named(kind, name, value, allowed):
    with pytest.raises(ValueError, match=r"must be") as error:
        kind(**{name: value})
    assert str(error.value) == f"{kind.__name__}.{name} must be {allowed}, got {value!r}"


def test_a_limit_is_not_below_the_start():
    with pytest.raises(ValueError, match=r"^TopK.limit must be None or a number of at least 3"):
        TopK(start=3, limit=2)
    assert TopK(start=3, limit=3).end == 3.0


@pytest.mark.parametrize(("rule", "end"), [(TopK, inf), (Gain, inf), (Purity, 1.0)])
def test_none_and_infinity_are_no_limit(rule, end):
    assert rule(limit=None).end == rule(limit=inf).end == end


def test_numbers_of_numpy_are_numbers():
    assert TopK(np.int64(2), np.uint8(1), np.float32(4)) == TopK(2, 1, 4)


@pytest.mark.parametrize("wrong", [None, "gain", Gain, 3])
def test_both_takes_rules(wrong):
    with pytest.raises(ValueError, match=r"^Both.first must be a rule of beamtree.rules, got"):
        Both(wrong, Gain())
    with pytest.raises(ValueError, match=r"^Both.second must be a rule of beamtree.rules, got"):
        Both(Gain(), wrong)


def test_both_holds_four_simple_rules_at_most():
    two = Both(Gain(), TopK())
    four = Both(two, Both(Discrepancy(), OwnDiscrepancy()))
    assert [type(part).__name__ for part in four.parts] == [
        "Gain",
        "TopK",
        "Discrepancy",
        "OwnDiscrepancy",
    ]
    with pytest.raises(ValueError, match=r"^Both must contain at most 4 simple rules, got 5$"):
        Both(four, Purity())


@pytest.mark.parametrize(
    ("rule", "kinds", "switches"),
    [
        (None, [], {}),
        ("auto", [_core.RulePart], AUTO_SWITCHES),
        ("purity", [_core.RulePart], {}),
        (TopK(), [_core.RulePart], {}),
        (OwnDiscrepancy(), [OwnDiscrepancy], {}),
        (Both(TopK(), OwnDiscrepancy()), [_core.RulePart, OwnDiscrepancy], {}),
    ],
)
def test_parts_for_the_core(rule, kinds, switches):
    parts, given = rule_parts(rule)
    assert [type(part) for part in parts] == kinds
    assert given == switches


def test_a_rule_used_twice_is_two_rules():
    rule = OwnDiscrepancy()
    first, second = rule_parts(Both(rule, rule))[0]
    assert len({id(rule), id(first), id(second)}) == 3


EVERY_RULE = [
    None,
    "auto",
    *RULES,
    Discrepancy(start=3, unit=2),
    Gain(unit=0.5),
    Purity(start=0.5, unit=0.05),
    Both(Gain(), Discrepancy()),
    Both(Purity(unit=0.02), HalvingTopK()),
    Both(Both(Gain(), Purity()), Both(TopK(), Discrepancy())),
]


@pytest.mark.parametrize("exact_levels", [0, 2, 3])
@pytest.mark.parametrize("rule", EVERY_RULE, ids=str)
def test_every_rule_proves_the_optimum(rule, exact_levels):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(
        max_depth=3, rule=rule, heuristic="information_gain", exact_levels=exact_levels
    ).fit(X, y)
    assert (clf.status_, clf.objective_, clf.lower_bound_) == ("optimal", 216, 216)
    trace = clf.trace_
    for name in ("restart", "threshold"):
        assert sorted(trace[name]) == trace[name].tolist()
    assert trace["restart"][0] == 0


@pytest.mark.parametrize("rule", ["discrepancy", "top-k", "top-k-star", "gain", "auto"])
def test_rules_above_the_kernels(rule):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=5, rule=rule).fit(X, y)
    assert (clf.status_, clf.objective_) == ("optimal", 63)


@unfinished
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("rule", [TopK(limit=1), HalvingTopK(limit=1), Discrepancy(limit=0)])
def test_a_limit_that_is_too_low_gives_rule_limit(rule, depth):
    # The class is the parity of columns that have no gain alone; only column 0 has a gain.
    X, y, _, _ = parity(depth, 2)
    X = np.column_stack([y, X])
    X[::8, 0] ^= 1
    settings = {"max_depth": depth, "heuristic": "information_gain", "exact_levels": 0}
    greedy = OptimalTreeClassifier(rule=rule, **settings).fit(X, y)
    assert greedy.status_ == "rule_limit"
    assert 0 <= greedy.lower_bound_ < greedy.objective_
    assert greedy.n_errors_ == (greedy.predict(X) != y).sum()
    best = OptimalTreeClassifier(rule=type(rule)(), **settings).fit(X, y)
    assert best.status_ == "optimal"
    assert greedy.lower_bound_ <= best.objective_ <= greedy.objective_
    assert best.objective_ == 0


def test_a_limit_that_suffices_is_optimal():
    for rule in (TopK(limit=2), Discrepancy(limit=50), Purity(limit=1)):
        clf = OptimalTreeClassifier(max_depth=2, rule=rule, exact_levels=0).fit(XOR, [0, 1, 1, 0])
        assert (clf.status_, clf.objective_) == ("optimal", 0)


@unfinished
def test_a_purity_below_one_is_a_limit():
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=3, rule=Purity(limit=0.6), exact_levels=0).fit(X, y)
    assert clf.status_ == "rule_limit"
    assert clf.objective_ >= 48


def entropy(y):
    """Return the entropy of the classes times the number of rows."""
    counts = np.bincount(y)
    counts = counts[counts > 0]
    return -(counts * np.log2(counts / len(y))).sum()


def errors(y):
    return len(y) - np.bincount(y, minlength=1).max()


def narrowest(X, y, depth):
    """Return the errors of the greedy tree, without splits that do not lower them."""
    splits = [(y[column == 0], y[column == 1]) for column in X.T]
    gains = [
        entropy(y) - entropy(zero) - entropy(one) if len(zero) and len(one) else -1.0
        for zero, one in splits
    ]
    if depth == 0 or max(gains) < 0:
        return errors(y)
    ones = X[:, np.argmax(np.round(gains, 9))] == 1
    return min(errors(y), sum(narrowest(X[side], y[side], depth - 1) for side in (ones, ~ones)))


@unfinished
@pytest.mark.parametrize("rule", [TopK(limit=1), HalvingTopK(limit=1), Discrepancy(limit=0)])
def test_the_narrowest_rule_is_greedy(rule):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (97, 9))
        y = rng.integers(0, 3, 97)
        clf = OptimalTreeClassifier(
            max_depth=3, rule=rule, heuristic="information_gain", exact_levels=0
        ).fit(X, y)
        # The search starts with the better of two greedy trees.
        question = (X.tolist(), y.tolist(), None, 3, 3)
        greedy = [greedy_objective(*question, criterion=name) for name in ("entropy", "gini")]
        assert clf.objective_ == min(narrowest(X, y, 3), *greedy)
        assert clf.status_ == "rule_limit"

"""The line that says what is proved: every status, and everything that changes its words."""

import re

import numpy as np
import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree._engine.limits import Limits
from beamtree._engine.proof import objective_words, proof_line
from beamtree.datasets import tic_tac_toe
from beamtree.rules import Discrepancy
from tests.unfinished import unfinished

X, Y, _, _ = tic_tac_toe()


def proof_of(X=X, y=Y, sample_weight=None, **parameters):
    clf = OptimalTreeClassifier(**{"max_depth": 2} | parameters).fit(X, y, sample_weight)
    return clf.proof_, clf


def test_a_proved_tree():
    proof, clf = proof_of()
    assert proof == f"Proved optimal: {clf.n_errors_} errors"


def test_one_error():
    assert proof_of([[0], [0], [0]], [0, 0, 1])[0] == "Proved optimal: 1 error"


@unfinished
@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"time_limit": 0}, "time limit of 0 s"),
        ({"node_limit": 1}, "node limit of 1"),
        ({"gap_limit": 1}, "gap limit of 100%"),
        ({"memory_limit": "1 kB"}, "too little memory for a search"),
        ({"callback": lambda _: True}, "interrupted"),
        ({"rule": Discrepancy(limit=0)}, "limit of the rule"),
    ],
)
def test_an_unproved_tree_says_why(parameters, reason):
    proof, clf = proof_of(**{"max_depth": 7, "rule": "discrepancy"} | parameters)
    words = f"{clf.n_errors_} errors, at least {clf.lower_bound_:g}"
    assert proof == f"Not proved: {words} ({reason})"


def test_rounding():
    """The search is complete; only the rounding of weights separates objective and bound."""
    weight = np.random.default_rng(0).random(len(Y))
    proof, clf = proof_of(sample_weight=weight)
    assert clf.status_ == "optimal"
    assert proof.startswith(f"Proved optimal: objective {clf.objective_:.6g} (up to ")
    open_ = float(proof.split("up to ")[1].rstrip(")"))
    assert clf.objective_ - clf.lower_bound_ <= open_ < 2 * clf.rounding_


@pytest.mark.parametrize(
    ("up_to", "words"),
    [(0.0, ""), (3e-10, " (up to 3e-10)"), (3.01e-10, " (up to 4e-10)"), (0.95, " (up to 1)")],
)
def test_what_a_proof_leaves_open_is_rounded_up(up_to, words):
    assert (
        proof_line("optimal", "objective 7", up_to=up_to) == f"Proved optimal: objective 7{words}"
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {"sample_weight": 1 + np.arange(len(Y)) % 2},
        {"sample_weight": np.full(len(Y), 2)},
        {"class_weight": {0: 3}},
        {"cost_matrix": [[0, 1], [5, 0]]},
        {"leaf_penalty": 0.01},
        {"leaf_penalty": 0.9},  # a single leaf, whose objective is its number of errors
    ],
)
def test_objectives_that_are_no_errors(parameters):
    proof, clf = proof_of(**parameters)
    assert proof == f"Proved optimal: objective {clf.objective_:,.6g}"


def test_weights_of_zero_and_one_count_rows():
    weight = np.arange(len(Y)) % 2
    proof, clf = proof_of(sample_weight=weight)
    assert proof == f"Proved optimal: {clf.n_errors_} errors"
    assert clf.n_errors_ == weight[clf.predict(X) != Y].sum()


GROUPS = " and groups of categories by class share"


def numbers_and_words(n_rows=60):
    """Return many numbers, many categories, a few numbers, and labels that fit no short tree."""
    rng = np.random.default_rng(1)
    numbers = rng.permutation(n_rows)
    words = np.array([f"w{k}" for k in rng.permutation(n_rows)], dtype=object)
    return pd.DataFrame({"number": numbers, "word": words, "few": numbers % 3}), numbers % 2


@pytest.mark.parametrize(
    ("columns", "most", "over"),
    [
        (["number", "few"], 8, " over at most 8 thresholds per column"),
        (["word", "few"], 8, " over at most 8 categories per column" + GROUPS),
        (["number", "word"], 8, " over at most 8 thresholds or categories per column" + GROUPS),
        (["number", "few"], 1, " over at most 1 threshold per column"),
        (["word"], 1, " over at most 1 category per column"),
        (["few"], 8, ""),
        (["number", "few"], 1000, ""),
        (["number", "word"], None, " over groups of categories by class share"),
    ],
)
def test_a_bound_on_thresholds_is_named_if_it_left_tests_out(columns, most, over):
    table, y = numbers_and_words()
    proof, clf = proof_of(table[columns], y, max_depth=1, max_thresholds=most)
    assert proof == f"Proved optimal{over}: {clf.n_errors_} errors"
    assert clf.search_space_.lossless == (over == "")


def test_an_unproved_tree_names_the_bound_on_thresholds():
    table, y = numbers_and_words()
    numbers = table[["number", "few"]]
    proof, clf = proof_of(numbers, y, max_depth=3, max_thresholds=20, time_limit=0)
    assert proof == (
        f"Not proved over at most 20 thresholds per column: {clf.n_errors_} errors, "
        "at least 0 (time limit of 0 s)"
    )


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1234.0, "1,234"),
        (1_234_567.0, "1,234,567"),
        (1_234_567.8, "1,234,568"),
        (1234.5678, "1,234.57"),
        (0.000125, "0.000125"),
        (2e300, "2e+300"),
    ],
)
def test_numbers_have_separators_of_thousands(number, words):
    assert objective_words(number, number, counts_errors=False) == f"objective {words}"
    assert objective_words(number, 0.0, counts_errors=True) == f"{words} errors, at least 0"


@pytest.mark.parametrize(
    ("status", "limits", "reason"),
    [
        ("node_limit", Limits(nodes=10_000), "node limit of 10,000"),
        ("time_limit", Limits(seconds=3600.0), "time limit of 3,600 s"),
        ("gap_reached", Limits(gap=0.07), "gap limit of 7%"),
    ],
)
def test_numbers_of_limits(status, limits, reason):
    assert proof_line(status, "1 tree", limits=limits) == f"Not proved: 1 tree ({reason})"


def test_every_run_of_a_search_names_its_own_limit():
    search = Search(X, Y, max_depth=6)
    assert str(search.result()).endswith("(search not finished)")
    assert str(search.run(node_limit=2)).endswith("(node limit of 2)")
    assert str(search.run(0.001, node_limit=10**9)).endswith("(time limit of 0.001 s)")
    assert search.step(0.0) is None
    assert str(search.result()).endswith("(time limit of 0 s)")
    incumbent = search.step()
    assert re.fullmatch(
        r"Incumbent\(Not proved: \d+ errors, at least \d+ \(search not finished\)\)",
        repr(incumbent),
    )
    result = search.run()
    assert repr(result) == f"Result(Proved optimal: {result.n_errors} errors)"


@unfinished
def test_another_fit_of_a_warm_start_names_its_own_limit():
    clf = OptimalTreeClassifier(max_depth=6, time_limit=0, warm_start=True).fit(X, Y)
    assert clf.proof_.endswith("(time limit of 0 s)")
    clf.set_params(time_limit=60, node_limit=3)
    assert clf.proof_.endswith("(time limit of 0 s)")
    assert clf.fit(X, Y).proof_.endswith("(node limit of 3)")

"""Every export of a tree predicts what the tree predicts, on all kinds of rows."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from beamtree import OptimalTreeClassifier
from beamtree.export import from_json, leaf_rules, to_json, to_onnx, to_python, to_sklearn, to_sql
from beamtree.export._model import Model
from beamtree.export._words import question_of
from tests.python.export.shown_trees import (
    encoded,
    exact_tree,
    mixed_tree,
    number_tree,
    predicted,
    random_rows,
    shares,
)

SEEDS = range(6)
MIXED, NUMBERS, EXACT = (
    [make(seed) for seed in SEEDS] for make in (mixed_tree, number_tree, exact_tree)
)
TREES = [*MIXED, *NUMBERS, *EXACT]
all_trees = pytest.mark.parametrize(("clf", "rows"), TREES)
numbers = pytest.mark.parametrize(("clf", "rows"), NUMBERS)


def test_the_trees_have_every_kind_of_test():
    trees = [clf.tree_ for clf, _ in TREES]
    assert all(tree.node_count > 15 for tree in trees)
    sets = [one for tree in trees for one in tree.categories if one is not None]
    assert {len(one) for one in sets} == {1, 2, 3}
    assert any((tree.threshold == np.inf).any() for tree in trees)
    for some in (MIXED, NUMBERS, EXACT):
        sides = [clf.tree_.missing_go_to_left[np.isfinite(clf.tree_.threshold)] for clf, _ in some]
        assert set(np.concatenate(sides).tolist()) == {0, 1}
    large = [tree for tree in trees if any(abs(n or 0) > 2**53 for n in tree.exact_threshold)]
    assert len(large) == len(EXACT)


@all_trees
def test_predict(clf, rows):
    assert_array_equal(clf.predict(rows), predicted(clf, rows))
    assert_array_equal(clf.predict_proba(rows), shares(clf, rows))


@all_trees
def test_python(clf, rows):
    predict = compiled(to_python(clf))
    expected = predicted(clf, rows).tolist()
    assert [predict(row) for row in rows] == expected
    names = clf.columns_.names
    by_name = [dict(zip(names, row, strict=True)) for row in rows]
    assert [predict(row) for row in by_name] == expected
    with_nan = [[np.nan if value is None else value for value in row] for row in rows[:500]]
    assert [predict(row) for row in with_nan] == expected[:500]


def compiled(source, name="predict"):
    names = {"__builtins__": {"isinstance": isinstance, "dict": dict}}
    exec(source, names)
    return names[name]


@all_trees
def test_sql(clf, rows):
    with closing(sqlite3.connect(":memory:")) as base:
        quoted = ['"' + name.replace('"', '""') + '"' for name in clf.columns_.names]
        base.execute(f'CREATE TABLE "the ""rows""" ({", ".join(quoted)})')
        marks = ", ".join("?" * len(quoted))
        base.executemany(f'INSERT INTO "the ""rows""" VALUES ({marks})', rows)
        found = base.execute(to_sql(clf, 'the "rows"', output="class")).fetchall()
    assert [row[-1] for row in found] == predicted(clf, rows).tolist()
    assert [list(row[:-1]) for row in found] == rows


@all_trees
def test_json(clf, rows):
    twin = from_json(to_json(clf), OptimalTreeClassifier())
    assert_array_equal(predicted(twin, rows), predicted(clf, rows))
    assert_array_equal(shares(twin, rows), shares(clf, rows))


@pytest.mark.parametrize("clf", [clf for clf, _ in [*NUMBERS, *EXACT]])
def test_rules(clf):
    """Exactly one rule is true of every training row, though thresholds have few digits."""
    names = clf.columns_.names
    rows = random_rows(np.random.default_rng(1), clf.columns_, 500, unseen=False)
    leaves = clf.tree_.apply(encoded(clf.columns_, rows)).tolist()
    rules = dict(zip(leaves_in_order(Model.of(clf), 0), leaf_rules(clf), strict=True))
    for row, leaf in zip(rows, leaves, strict=True):
        values = dict(zip(names, row, strict=True))
        # The tests of a random tree may contradict each other, so no row reaches some leaves.
        assert [one for one in set(leaves) if is_true(rules[one], values)] == [leaf]


def leaves_in_order(model, node):
    """Return the leaves in the order of their rules."""
    if model.tree.feature[node] < 0:
        return [node]
    question = question_of(model, node)
    return leaves_in_order(model, question.yes) + leaves_in_order(model, question.no)


def is_true(rule, values):
    conditions = rule.removeprefix("If ").partition(" then ")[0]
    return all(holds(condition, values) for condition in conditions.split(" and "))


def holds(condition, values):
    """Return whether a condition of a rule is true of a row."""
    either = condition.strip("()").removesuffix(" or missing")
    name = next(name for name in values if name in either.split())
    value = values[name]
    if either.endswith(("is missing", "is known")):
        return (value is None) == either.endswith("missing")
    if value is None:
        return condition.strip("()") != either
    number = int if isinstance(value, int) and abs(value) > 2**53 else float
    words = [
        word if word in ("<", "<=", ">", name) else repr(number(word)) for word in either.split()
    ]
    return eval(" ".join(words), {name: value})


@numbers
def test_sklearn(clf, rows):
    twin = to_sklearn(clf)
    X = np.array(rows, dtype=float)
    assert_array_equal(twin.predict(X), predicted(clf, rows))
    assert_array_equal(twin.predict_proba(X), shares(clf, rows))
    assert_array_equal(twin.apply(X), clf.tree_.apply(encoded(clf.columns_, rows)))


@numbers
def test_onnx(clf, rows):
    pytest.importorskip("onnx")
    X = np.array(rows, dtype=np.float32)
    label, probabilities = run_onnx(to_onnx(clf), {"X": X})
    assert_array_equal(label, predicted(clf, rows))
    assert_allclose(probabilities, shares(clf, rows), rtol=1e-6)


@pytest.mark.parametrize("clf", [clf for clf, _ in MIXED])
def test_onnx_with_categories(clf):
    pytest.importorskip("onnx")
    rows = known_rows(clf)
    label, probabilities = run_onnx(to_onnx(clf), onnx_columns(clf.columns_, rows))
    assert_array_equal(label, predicted(clf, rows))
    assert_allclose(probabilities, shares(clf, rows), rtol=1e-6)


def known_rows(clf):
    """Return rows with the numbers of the training rows, and with any categories."""
    rng = np.random.default_rng(0)
    known, any_rows = (
        random_rows(rng, clf.columns_, 10_000, unseen=unseen) for unseen in (False, True)
    )
    return [
        [
            seen if categories is None else either
            for seen, either, categories in zip(*both, clf.columns_.categories, strict=True)
        ]
        for both in zip(known, any_rows, strict=True)
    ]


def onnx_columns(columns, rows):
    inputs = {}
    for name, categories, values in zip(
        columns.names, columns.categories, zip(*rows, strict=True), strict=True
    ):
        if categories is not None and categories.dtype.kind == "U":
            inputs[name] = np.array([["" if value is None else value] for value in values])
        else:
            inputs[name] = np.array(values, dtype=float).astype(np.float32)[:, np.newaxis]
    return inputs


def run_onnx(model, inputs):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(model.SerializeToString())
    return session.run(["label", "probabilities"], inputs)

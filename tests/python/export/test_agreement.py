"""Every export of a tree predicts what the tree predicts, on all kinds of rows."""

import sqlite3

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from beamtree.export import to_onnx, to_python, to_sklearn, to_sql
from tests.python.export.shown_trees import mixed_tree, number_tree

SEEDS = range(6)
TREES = [*(mixed_tree(seed) for seed in SEEDS), *(number_tree(seed) for seed in SEEDS)]
both = pytest.mark.parametrize(("clf", "rows"), TREES)
numbers = pytest.mark.parametrize(("clf", "rows"), TREES[len(SEEDS) :])


def test_the_trees_have_every_kind_of_test():
    trees = [clf.tree_ for clf, _ in TREES]
    assert all(tree.node_count > 15 for tree in trees)
    assert any((tree.category >= 0).any() for tree in trees)
    assert any((tree.threshold == np.inf).any() for tree in trees)


@both
def test_python(clf, rows):
    predict = compiled(to_python(clf))
    expected = clf.predict(rows).tolist()
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


@both
def test_sql(clf, rows):
    with sqlite3.connect(":memory:") as base:
        quoted = ['"' + name.replace('"', '""') + '"' for name in clf.columns_.names]
        base.execute(f'CREATE TABLE "the ""rows""" ({", ".join(quoted)})')
        marks = ", ".join("?" * len(quoted))
        base.executemany(f'INSERT INTO "the ""rows""" VALUES ({marks})', rows)
        found = base.execute(to_sql(clf, 'the "rows"', output="class")).fetchall()
    assert [row[-1] for row in found] == clf.predict(rows).tolist()
    assert [list(row[:-1]) for row in found] == rows


@numbers
def test_sklearn(clf, rows):
    twin = to_sklearn(clf)
    X = np.array(rows, dtype=float)
    assert_array_equal(twin.predict(X), clf.predict(rows))
    assert_array_equal(twin.predict_proba(X), clf.predict_proba(rows))
    assert_array_equal(twin.apply(X), clf.apply(rows))


@numbers
def test_onnx(clf, rows):
    pytest.importorskip("onnx")
    label, probabilities = run_onnx(to_onnx(clf), {"X": clf.columns_.encode(rows)})
    assert_array_equal(label, clf.predict(rows))
    assert_allclose(probabilities, clf.predict_proba(rows), rtol=1e-6)


@pytest.mark.parametrize(("clf", "rows"), TREES[: len(SEEDS)])
def test_onnx_with_categories(clf, rows):
    pytest.importorskip("onnx")
    label, probabilities = run_onnx(to_onnx(clf), onnx_columns(clf.columns_, rows))
    assert_array_equal(label, clf.predict(rows))
    assert_allclose(probabilities, clf.predict_proba(rows), rtol=1e-6)


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

"""Exports of trees that were fitted on tables with categories and missing values."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from beamtree import OptimalTreeClassifier, export_text


def table(rng, n_rows, colours):
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_rows).astype(float),
            "income": rng.lognormal(size=n_rows),
            "colour": rng.choice(colours, n_rows),
            "size": pd.Categorical(rng.choice([1, 2, 3], n_rows)),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    frame.loc[rng.random(n_rows) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "colour"] = None
    return frame


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    frame = table(rng, 1000, ["red", "blue", "green"])
    rich_and_red = (frame.income > 1.2) & (frame.colour == "red")
    y = np.select([frame.age.isna(), rich_and_red, frame["size"] == 2], ["x", "y", "z"], "w")
    clf = OptimalTreeClassifier(max_depth=4, node_limit=50).fit(frame, y)
    assert set(clf.tree_.feature) >= {0, 1, 2, 3}
    return clf, table(rng, 10_000, ["red", "blue", "green", "violet"])


def rows_of(frame):
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_python(fitted):
    clf, frame = fitted
    names = {}
    exec(clf.to_python(), names)
    assert [names["predict"](row) for row in rows_of(frame)] == clf.predict(frame).tolist()


def test_sql(fitted):
    clf, frame = fitted
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE people (age, income, colour, size, flag)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows_of(frame))
        found = [row[-1] for row in base.execute(clf.to_sql("people"))]
    assert found == clf.predict(frame).tolist()


def test_json(fitted):
    clf, frame = fitted
    twin = OptimalTreeClassifier.from_json(clf.to_json())
    assert_array_equal(twin.predict_proba(frame), clf.predict_proba(frame))
    assert twin.proof_ == clf.proof_
    assert export_text(twin) == export_text(clf)


def test_onnx(fitted):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    clf, frame = fitted
    session = runtime.InferenceSession(clf.to_onnx().SerializeToString())
    inputs = {}
    for name, column in frame.items():
        if name == "colour":
            inputs[name] = np.array([["" if pd.isna(value) else value] for value in column])
        else:
            inputs[name] = column.astype(float).to_numpy(np.float32)[:, np.newaxis]
    assert_array_equal(session.run(["label"], inputs)[0], clf.predict(frame))


def test_sklearn(fitted):
    clf, frame = fitted
    with pytest.raises(ValueError, match="and 'colour' has categories"):
        clf.to_sklearn()
    numbers = frame[["age", "income", "flag"]]
    y = clf.predict(frame)
    clf = OptimalTreeClassifier(max_depth=3, node_limit=20).fit(numbers, y)
    assert_array_equal(clf.to_sklearn().predict(numbers), clf.predict(numbers))

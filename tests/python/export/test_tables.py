"""Exports of trees that were fitted on tables with categories and missing values."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from beamtree import OptimalTreeClassifier, export_text
from tests.unfinished import unfinished


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
    with closing(sqlite3.connect(":memory:")) as base:
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


@unfinished
def test_sklearn(fitted):
    clf, frame = fitted
    assert_array_equal(clf.to_sklearn().predict(frame), clf.predict(frame))
    numbers = frame[["age", "income", "flag"]]
    y = clf.predict(frame)
    clf = OptimalTreeClassifier(max_depth=3, node_limit=20).fit(numbers, y)
    assert_array_equal(clf.to_sklearn().predict(numbers), clf.predict(numbers))


@pytest.fixture(scope="module")
def exact():
    """Return a fitted classifier that needs exact numbers and both sides for missing values."""
    rng = np.random.default_rng(0)
    n_rows = 400
    low, high = 0.1, float(np.nextafter(0.1, 1))
    frame = pd.DataFrame(
        {
            "account": 10**17 + rng.integers(0, 40, n_rows),
            "close": rng.choice([low, high], n_rows),
            "age": rng.integers(0, 60, n_rows).astype(float),
        }
    )
    frame.loc[rng.random(n_rows) < 0.2, "age"] = np.nan
    young = (frame.age < 30) | frame.age.isna()
    y = np.where(young, frame.account > 10**17 + 20, frame.close == high)
    return OptimalTreeClassifier(max_depth=2, max_thresholds=None).fit(frame, y), frame, y


def test_exact_numbers_in_words(exact):
    clf, frame, y = exact
    assert_array_equal(clf.predict(frame), y)
    assert "age <= 29.5 or missing?" in export_text(clf)
    assert "account <= 100000000000000020?" in export_text(clf)
    assert "close <= 0.1?" in export_text(clf)


def test_exact_numbers_in_code(exact):
    clf, frame, y = exact
    rows = rows_of(frame)
    names = {}
    exec(clf.to_python(), names)
    assert [names["predict"](row) for row in rows] == y.tolist()
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE people (account, close, age)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        found = [bool(row[-1]) for row in base.execute(clf.to_sql("people"))]
    assert found == y.tolist()


def test_exact_numbers_in_json(exact):
    clf, frame, y = exact
    twin = OptimalTreeClassifier.from_json(clf.to_json())
    assert_array_equal(twin.predict(frame), y)
    assert str(twin.alternatives_) == str(clf.alternatives_)
    with pytest.raises(ValueError, match="beyond 2\\*\\*53"):
        twin.predict(frame.astype(float))


def test_exact_numbers_are_refused_as_float32(exact):
    clf, _, _ = exact
    with pytest.raises(ValueError, match="that are the same float32: "):
        clf.to_sklearn()


def test_missing_values_that_go_left_in_scikit_learn(exact):
    _, frame, y = exact
    numbers = frame[["age"]].assign(account=frame.account - 10**17)
    clf = OptimalTreeClassifier(max_depth=2, max_thresholds=None).fit(numbers, y)
    assert clf.tree_.missing_go_to_left.any()
    assert_array_equal(clf.to_sklearn().predict(numbers), clf.predict(numbers))


def test_zeros_and_ones_that_are_floats():
    frame = pd.DataFrame({"rain": [0.0, 1.0, 0.0], "size": [1.5, 2.5, 3.5]})
    clf = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1, 0])
    assert export_text(clf).startswith("rain?")
    assert export_text(OptimalTreeClassifier.from_json(clf.to_json())) == export_text(clf)

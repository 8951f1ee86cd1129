"""The tree of a regressor in all formats: each of them predicts the same numbers."""

import json
import re
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from beamtree import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    export_graphviz,
    export_text,
)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.fixture(scope="module")
def fitted(diabetes):
    return OptimalTreeRegressor(max_depth=2).fit(*diabetes)


@pytest.fixture(scope="module")
def mixed():
    """Return a regressor over numbers and categories, some of them missing, and its table."""
    rng = np.random.default_rng(3)
    n = 200
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "city": rng.choice(list("abcdef"), n),
            "member": rng.random(n) < 0.5,
        }
    )
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.2, "city"] = None
    y = frame["age"].fillna(30) / 10 + frame["city"].isin(["b", "d"]) * 4 + rng.normal(size=n)
    return OptimalTreeRegressor(max_depth=3).fit(frame, y), frame


TEXT = """\
s5 <= 4.63?
  yes: bmi <= 26.95?
    yes: 96.896 (173 rows, ± 46.4)
    no: 160.843 (51 rows, ± 63.9)
  no: bmi <= 28.05?
    yes: 164.492 (120 rows, ± 64.3)
    no: 229.98 (98 rows, ± 64)"""


def test_text(fitted):
    assert export_text(fitted) == TEXT
    assert str(fitted) == f"{fitted.proof_}\nOptimalTreeRegressor(max_depth=2)\n{TEXT}"
    with pytest.raises(ValueError, match="class_names must be None for a tree that predicts numb"):
        export_text(fitted, class_names=["low", "high"])


def test_rules(fitted):
    assert fitted.leaf_rules()[0] == (
        "If s5 <= 4.63 and bmi <= 26.95 then 96.896 (173 rows, ± 46.4)"
    )


def test_pictures(fitted):
    picture = fitted.to_svg()
    assert "<title>s5 &lt;= 4.63?\n442 rows: mean 152.133, standard deviation 77</title>" in picture
    assert ">229.98<" in picture
    dot = export_graphviz(fitted)
    # The larger the number, the stronger the colour.
    assert '2 [label="96.896\\n173 rows, ± 46.4", fillcolor="#f0f7fa"]' in dot
    assert '6 [label="229.98\\n98 rows, ± 64", fillcolor="#66aad1"]' in dot
    texts = [text.get_text() for text in fitted.plot().texts]
    assert "164.492" in texts
    assert "<svg" in fitted._repr_mimebundle_()["text/html"]
    assert "<th>mean</th>" in fitted.tree_._repr_html_()


def test_page(fitted):
    page = fitted.to_html()
    assert "442 rows: mean 152.133, standard deviation 77" in page
    assert 'aria-label="Classes"' not in page
    data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page)[1])
    assert data["nodes"][2] == {"label": "96.896", "words": "173 rows, ± 46.4"}


def test_scikit_learn(fitted, diabetes):
    X, y = diabetes
    twin = fitted.to_sklearn()
    assert isinstance(twin, DecisionTreeRegressor)
    assert (twin.predict(X) == fitted.predict(X)).all()
    assert twin.score(X, y) == fitted.score(X, y)
    # scikit-learn's own tree with the same tests has the same arrays.
    cart = DecisionTreeRegressor(max_depth=1).fit(X, y)
    own = OptimalTreeRegressor(max_depth=1).fit(X, y).to_sklearn()
    for name in ("impurity", "value", "n_node_samples", "weighted_n_node_samples", "feature"):
        assert getattr(own.tree_, name) == pytest.approx(getattr(cart.tree_, name)), name


def test_onnx(mixed, fitted, diabetes):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    X, _ = diabetes
    session = runtime.InferenceSession(fitted.to_onnx().SerializeToString())
    (found,) = session.run(None, {"X": X.to_numpy(np.float32)})
    assert found.shape == (len(X), 1)
    assert found[:, 0] == pytest.approx(fitted.predict(X), rel=1e-6)
    reg, frame = mixed
    session = runtime.InferenceSession(reg.to_onnx().SerializeToString())
    inputs = {
        "age": frame[["age"]].to_numpy(np.float32),
        "city": frame[["city"]].fillna("").to_numpy(object),
        "member": frame[["member"]].to_numpy(np.float32),
    }
    (found,) = session.run(["prediction"], inputs)
    assert found[:, 0] == pytest.approx(reg.predict(frame), rel=1e-6)


def test_code(mixed):
    reg, frame = mixed
    names = {}
    exec(reg.to_python(name="cost"), names)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert [names["cost"](row) for row in rows] == reg.predict(frame).tolist()
    with closing(sqlite3.connect(":memory:")) as database:
        frame.to_sql("t", database, index=False)
        found = pd.read_sql(reg.to_sql("t"), database)
    assert found["prediction"].tolist() == reg.predict(frame).tolist()


def test_json(mixed):
    reg, frame = mixed
    text = reg.to_json()
    twin = OptimalTreeRegressor.from_json(text)
    assert (twin.predict(frame) == reg.predict(frame)).all()
    assert twin.to_json() == text
    for name in ("status_", "proof_", "objective_", "lower_bound_", "gap_", "rounding_"):
        assert getattr(twin, name) == getattr(reg, name)
    assert (twin.tree_.impurity == reg.tree_.impurity).all()
    content = json.loads(text)
    assert content["classes"] is None
    assert "n_errors" not in content["search"]
    assert content["nodes"][0]["mean"] == reg.tree_.value[0, 0, 0]


def test_json_of_the_other_kind_is_refused(mixed):
    text = mixed[0].to_json()
    with pytest.raises(ValueError, match="numbers, so read it with OptimalTreeRegressor"):
        OptimalTreeClassifier.from_json(text)
    clf = OptimalTreeClassifier().fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="classes, so read it with OptimalTreeClassifier"):
        OptimalTreeRegressor.from_json(clf.to_json())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["nodes"][0].update(mean="high"), "nodes[0].mean must be a finite number"),
        (lambda c: c["nodes"][0].update(variance=-1.0), "nodes[0].variance must be"),
        (lambda c: c["nodes"][0].update(shares=[1.0]), "nodes[0] has the unknown key 'shares'"),
        (lambda c: c["search"].update(rounding=0.0), "search.status must not be 'optimal' if"),
        (lambda c: c["search"].update(n_errors=3), "search has the unknown key 'n_errors'"),
    ],
)
def test_wrong_json_is_refused(mixed, change, words):
    content = json.loads(mixed[0].to_json())
    change(content)
    with pytest.raises(ValueError, match=re.escape(words)):
        OptimalTreeRegressor.from_json(json.dumps(content))

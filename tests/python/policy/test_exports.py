"""Policy trees in all formats: the same actions, and mean rewards in words."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from beamtree import (
    OptimalPolicyTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    export_graphviz,
    export_text,
)

ACTIONS = ["wait", "drug", "advice"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 120), "income": rng.normal(40, 9, 120).round(1)})
    drug = np.where(X.age < 40, 3, -2) + rng.integers(-1, 2, 120)
    advice = np.where(X.income > 40, 2, -1)
    return X, np.column_stack([np.zeros(120, int), drug, advice])


@pytest.fixture(scope="module")
def policy(table):
    return OptimalPolicyTree(max_depth=2, actions=ACTIONS).fit(*table)


def test_text_and_rules():
    policy = OptimalPolicyTree(max_depth=1, actions=["wait", "drug"])
    policy.fit(pd.DataFrame({"age": [25, 31, 47, 62]}), [[0, 3], [0, 2.5], [0, -1], [0, -4]])
    text = "age <= 39?\n  yes: drug (2 rows, mean reward 2.75)\n  no: wait (2 rows, mean reward 0)"
    assert export_text(policy) == text
    assert str(policy).splitlines()[0] == "Proved optimal: total reward 5.5"
    assert policy.leaf_rules() == [
        "If age <= 39 then drug (2 rows, mean reward 2.75)",
        "If age > 39 then wait (2 rows, mean reward 0)",
    ]


def test_pictures_and_pages(policy):
    svg = policy.to_svg()
    assert "Proved optimal: total reward" in svg
    assert re.search(r"mean reward (drug|wait|advice) -?[\d.]+, ", svg)  # the tooltip
    assert "mean reward" in export_graphviz(policy)
    pytest.importorskip("matplotlib")
    texts = [text.get_text() for text in policy.plot().texts]
    assert any("mean reward" in text for text in texts)


def test_the_page(policy):
    pytest.importorskip("jinja2")
    page = policy.to_html()
    assert "Proved optimal: total reward" in page
    assert "drug" in page
    assert "mean reward" in page


def test_programs_take_the_same_actions(policy, table):
    X, _ = table
    space = {}
    exec(policy.to_python(), space)
    rows = X.to_dict("records")
    assert [space["predict"](row) for row in rows] == policy.predict(X).tolist()
    assert all(action in policy.to_sql() for action in set(policy.predict(X)))
    twin = policy.to_sklearn()
    assert_array_equal(twin.predict(X), policy.predict(X))
    assert (twin.predict_proba(X).max(axis=1) == 1).all()


def test_onnx(policy, table):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(policy.to_onnx().SerializeToString())
    X = table[0].to_numpy(dtype=np.float32)
    label, _ = session.run(None, {"X": X})
    assert label.tolist() == policy.predict(table[0]).tolist()


def test_json(policy, table):
    X, rewards = table
    text = policy.to_json()
    twin = OptimalPolicyTree.from_json(text)
    assert_array_equal(twin.predict(X), policy.predict(X))
    assert twin.value(X, rewards) == policy.value(X, rewards)
    assert_array_equal(twin.tree_.reward, policy.tree_.reward)
    assert_allclose(twin.tree_.probability, policy.tree_.probability)
    for name in ("actions_", "reward_", "reward_bound_", "regret_", "proof_", "gap_", "rounding_"):
        assert_array_equal(getattr(twin, name), getattr(policy, name))
    assert str(twin).splitlines()[2:] == str(policy).splitlines()[2:]
    assert twin.to_json() == text


def test_json_of_the_other_kind(policy, table):
    X, rewards = table
    clf = OptimalTreeClassifier(max_depth=1).fit(X, rewards.argmax(axis=1))
    with pytest.raises(ValueError, match=r"predicts actions, so read it with OptimalPolicyTree"):
        OptimalTreeClassifier.from_json(policy.to_json())
    with pytest.raises(
        ValueError, match=r"predicts classes, so read it with OptimalTreeClassifier"
    ):
        OptimalPolicyTree.from_json(clf.to_json())
    numbers = OptimalTreeRegressor(max_depth=1).fit(X, rewards[:, 1])
    with pytest.raises(ValueError, match=r"predicts actions, so read it with OptimalPolicyTree"):
        OptimalTreeRegressor.from_json(policy.to_json())
    with pytest.raises(ValueError, match=r"predicts numbers, so read it with OptimalTreeRegressor"):
        OptimalPolicyTree.from_json(numbers.to_json())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: tree["nodes"][0]["rewards"].pop(), "nodes[0].rewards must be a list of 3"),
        (lambda tree: tree["nodes"][1]["rewards"].__setitem__(0, "1"), "nodes[1].rewards[0] must"),
        (lambda tree: tree["search"].__setitem__("reward", None), "search.reward must be a finite"),
    ],
)
def test_json_that_nobody_wrote(policy, change, message):
    tree = json.loads(policy.to_json())
    change(tree)
    with pytest.raises(ValueError, match=re.escape(message)):
        OptimalPolicyTree.from_json(json.dumps(tree))

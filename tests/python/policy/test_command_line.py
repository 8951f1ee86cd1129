"""The command line with `--rewards`: all commands know models that choose actions."""

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("cyclopts")

from beamtree import OptimalPolicyTree, export_text
from tests.python.cli.command_lines import printed, run
from tests.python.policy.test_policy import noisy

NAMES = ["none", "treat", "wait"]


@pytest.fixture(scope="module")
def table():
    X, rewards = noisy()
    columns = dict(zip("abcd", X.T, strict=True))
    return pd.DataFrame(
        columns | dict(zip(NAMES, rewards.T, strict=True)) | {"w": np.linspace(1, 2, len(X))}
    )


@pytest.fixture(scope="module")
def data(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "patients.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.json"
    words = f"fit {data} --rewards none,treat,wait --drop w --depth 2 --leaf-penalty 0.01"
    assert run(f"{words} --save {path}") == 0
    return path


@pytest.fixture(scope="module")
def policy(table):
    policy = OptimalPolicyTree(max_depth=2, leaf_penalty=0.01)
    return policy.fit(table[list("abcd")], table[NAMES])


def test_fit(data, table, policy, capsys):
    words = f"fit {data} --rewards none,treat --rewards wait --drop w --depth 2 --leaf-penalty 0.01"
    assert run(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == policy.proof_
    assert lines[2:] == export_text(policy).splitlines()
    assert run(f"{words} --json") == 0
    numbers = printed(capsys)
    assert (numbers["n_errors"], numbers["classes"]) == (None, NAMES)
    assert numbers["reward"] == pytest.approx(policy.reward_)
    assert numbers["reward_bound"] == pytest.approx(policy.reward_bound_)
    assert run(f"fit {data} --rewards none,treat,wait --weight w --depth 1 --json") == 0
    weighed = OptimalPolicyTree(max_depth=1).fit(table[list("abcd")], table[NAMES], table["w"])
    assert printed(capsys)["reward"] == pytest.approx(weighed.reward_)


def test_predict_show_score_and_verify(data, table, policy, model, capsys):
    capsys.readouterr()
    assert run(f"predict {model} {data}") == 0
    predicted = capsys.readouterr().out.splitlines()
    assert predicted == ["prediction", *policy.predict(table[list("abcd")])]
    assert run(f"predict {model} {data} --json") == 0
    assert printed(capsys)["classes"] == NAMES
    assert run(f"show {model}") == 0
    assert capsys.readouterr().out == f"{policy.proof_}\n{export_text(policy)}\n"
    assert run(f"show {model} --json") == 0
    numbers = printed(capsys)
    assert (numbers["n_errors"], numbers["target"]) == (None, None)
    assert numbers["reward"] == pytest.approx(policy.reward_)
    value = policy.value(table[list("abcd")], table[NAMES])
    assert run(f"score {model} {data}") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"mean reward: {value:.6g} (200 rows)",
        *(f"mean reward of {name} for all rows: {table[name].mean():.6g}" for name in NAMES),
    ]
    assert run(f"score {model} {data} --weight w --json") == 0
    weighed = policy.value(table[list("abcd")], table[NAMES], table["w"])
    assert printed(capsys)["mean_reward"] == pytest.approx(weighed)
    assert run(f"verify {model} {data}") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rows: 200, as the model says"
    assert lines[2] == "rewards of the leaves: as the model says"
    assert lines[3] == f"total reward: {policy.reward_:.12g}, as the model says"
    assert lines[4] == f"objective: {policy.objective_:.12g}, as the model says"
    assert lines[-1] == "the model agrees with the rows"
    assert OptimalPolicyTree.from_json(model.read_text()).problem_ == {"leaf_penalty": 0.01}


def test_verify_notices_other_rewards(model, data, table, tmp_path, capsys):
    content = json.loads(model.read_text())
    leaf = next(node for node in content["nodes"] if "left" not in node)
    leaf["rewards"][1] -= 0.001
    (tmp_path / "other.json").write_text(json.dumps(content))
    assert run(f"verify {tmp_path / 'other.json'} {data}") == 1
    assert "rewards of the leaves: not as the model says" in capsys.readouterr().out
    changed = table.assign(none=table["none"] + 0.001)
    changed.to_csv(tmp_path / "other.csv", index=False)
    assert run(f"verify {model} {tmp_path / 'other.csv'} --json") == 1
    numbers = printed(capsys)
    assert numbers["leaves"]["same_rewards"] is False
    assert numbers["total_reward"]["said"] != numbers["total_reward"]["counted"]


def test_weights_are_verified(data, tmp_path, capsys):
    path = tmp_path / "weighted.json"
    words = f"fit {data} --rewards none,treat,wait --weight w --depth 1"
    assert run(f"{words} --save {path}") == 0
    capsys.readouterr()
    assert run(f"verify {path} {data}") == 0
    assert "the model agrees with the rows" in capsys.readouterr().out
    content = json.loads(path.read_text())
    del content["problem"]["weight"]
    path.write_text(json.dumps(content))
    assert run(f"verify {path} {data}") == 0
    assert "cannot be recounted: the rows had weights; give --weight\n" in capsys.readouterr().out


def test_a_model_of_python_and_other_names_of_columns(policy, data, table, tmp_path, capsys):
    """A policy whose actions have numbers can be measured with any columns of rewards."""
    X, rewards = table[list("abcd")], table[NAMES].to_numpy()
    path = tmp_path / "python.json"
    path.write_text(OptimalPolicyTree(max_depth=2, leaf_penalty=0.01).fit(X, rewards).to_json())
    assert run(f"score {path} {data} --rewards none,treat,wait --json") == 0
    numbers = printed(capsys)
    assert numbers["mean_reward"] == pytest.approx(policy.value(X, table[NAMES]))
    assert numbers["actions"] == [0, 1, 2]
    assert run(f"verify {path} {data} --rewards none,treat,wait --leaf-penalty 0.01") == 0
    capsys.readouterr()
    assert run(f"score {path} {data}") == 2
    assert "--rewards must be a column of " in capsys.readouterr().err


def test_cross_validation_pages_and_checkpoints(data, tmp_path, capsys):
    page, saved = tmp_path / "page.html", tmp_path / "checkpoint"
    words = f"fit {data} --rewards none,treat,wait --drop w --depth 2"
    assert run(f"{words} --cv 3 --report {page}") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["penalty", "leaves", "mean", "reward"]
    assert "<th>total reward</th>" in page.read_text()
    assert "policy in patients.csv" in page.read_text()
    assert "<th>errors</th>" not in page.read_text()
    assert run(f"{words} --cv 3 --leaves 3") == 0
    for _ in range(2):  # a new search, and one that goes on
        assert run(f"{words} --checkpoint {saved}") == 0
    capsys.readouterr()
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(data.read_text().replace("wait", "later", 1))
    other = words.replace(str(data), str(renamed)).replace("wait", "later")
    for changed, error in (
        (words.replace("none,treat", "treat,none"), "the rewards differ"),
        (f"fit {data} --target none --regression", "a tree that predicts actions, not numbers"),
        (other, "--rewards must be those of the checkpoint, none,treat,wait, got none,treat,later"),
    ):
        assert run(f"{changed} --checkpoint {saved}") == 2
        assert error in capsys.readouterr().err


def test_names_with_commas(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text('x,"no, thanks",yes\n0,1,0\n1,0,1\n')
    assert run(f"fit {path}", "--rewards", '"no, thanks",yes', "--depth", "1") == 0
    assert "no: no, thanks (1 row" in capsys.readouterr().out


def test_what_does_not_belong_together_is_refused(data, model, tmp_path, capsys):
    text = tmp_path / "text.csv"
    text.write_text("x,a,b\n1,2.5,0\n2,many,0\n")
    fit = f"fit {data} --rewards none,treat"
    for words, error in (
        (f"{fit} --target wait", "--target must be left out with --rewards, got 'wait' (see --d"),
        (f"{fit} --regression", "--regression must be left out with --rewards, by which"),
        (f"{fit} --class-weight balanced", "--class-weight must be left out with --rewards, wh"),
        (f"{fit} --weight treat", "--weight must be another column than --rewards, got 'treat'"),
        (f"{fit} --drop treat", "--drop must be another column than --rewards, got 'treat'"),
        (f"fit {data} --rewards none,tread", "--rewards must be a column of "),
        (f"fit {data} --rewards none", "--rewards must be the names of at least two different c"),
        (f"fit {data} --rewards a,a", "--rewards must be the names of at least two different c"),
        (f"fit {data} --rewards a,,b", "--rewards must be the names of at least two different c"),
        (f"fit {data}", "--target must be the name of a column, unless there are --rewards, got n"),
        (
            f"fit {text} --rewards a,b",
            "--rewards must be columns of finite numbers, got 'many' in line 3 of column 'a'",
        ),
        (f"predict {model} {data} --proba", "--proba must be left out: "),
        (f"verify {model} {data} --class-weight balanced", "--class-weight must be left out: "),
        (f"score {model} {data} --target a", "--target must be left out: "),
        (
            f"score {model} {data} --rewards none,treat",
            "--rewards must name one column for each of the actions none, treat, wait, got none, t",
        ),
    ):
        assert run(words) == 2, words
        assert capsys.readouterr().err.startswith(f"beamtree: {error}"), words


def test_rewards_are_left_out_for_other_models(tmp_path, capsys):
    (tmp_path / "data.csv").write_text("x,y\n0,no\n1,yes\n")
    data, path = tmp_path / "data.csv", tmp_path / "labels.json"
    assert run(f"fit {data} --target y --depth 1 --save {path}") == 0
    for command in ("score", "verify"):
        assert run(f"{command} {path} {data} --rewards x,y") == 2
        assert "--rewards must be left out: " in capsys.readouterr().err

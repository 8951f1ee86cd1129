"""The command line with `--regression`: all commands know models that predict numbers."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error

pytest.importorskip("cyclopts")

from tests.python.cli.command_lines import printed, run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    path = tmp_path_factory.mktemp("data") / "diabetes.csv"
    table = X.assign(y=y, w=np.linspace(1, 2, len(y)))
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.json"
    words = f"fit {data} --target y --drop w --regression --depth 2 --leaf-penalty 0.01"
    assert run(f"{words} --save {path}") == 0
    return path


def test_fit(data, capsys):
    assert run(f"fit {data} --target y --drop w --regression --depth 2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Proved optimal: squared error 1,477,077 (R² 0.436)"
    assert lines[2:5] == [
        "s5 <= 4.63?",
        "  yes: bmi <= 26.95?",
        "    yes: 96.896 (173 rows, ± 46.4)",
    ]
    assert run(f"fit {data} --target y --weight w --regression --depth 1 --json") == 0
    numbers = printed(capsys)
    assert (numbers["status"], numbers["n_errors"], numbers["classes"]) == ("optimal", None, [])


def test_predict_show_score_and_verify(data, model, capsys):
    capsys.readouterr()
    assert run(f"predict {model} {data}") == 0
    predicted = capsys.readouterr().out.splitlines()
    assert predicted[0] == "prediction"
    assert len(predicted) == 443
    y = pd.read_csv(data)["y"]
    absolute = mean_absolute_error(y, [float(one) for one in predicted[1:]])
    assert run(f"show {model}") == 0
    assert capsys.readouterr().out.startswith("Proved optimal: objective 1,555,707 (R² 0.436)\ns5")
    assert run(f"show {model} --json") == 0
    assert printed(capsys)["n_errors"] is None
    assert run(f"score {model} {data}") == 0
    assert capsys.readouterr().out == (
        f"R²: 0.4364 (442 rows)\nroot mean squared error: {(1477076.823 / 442) ** 0.5:.6g}\n"
        f"mean absolute error: {absolute:.6g}\n"
    )
    assert run(f"score {model} {data} --json") == 0
    assert printed(capsys)["rows"] == 442
    assert run(f"verify {model} {data}") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rows: 442, as the model says"
    assert lines[2] == "means of the leaves: as the model says"
    assert lines[3].endswith(", as the model says")
    assert lines[-1] == "the model agrees with the rows"


def test_verify_notices_other_numbers(model, data, tmp_path, capsys):
    content = json.loads(model.read_text())
    content["nodes"][2]["mean"] += 1.0
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content))
    assert run(f"verify {other} {data}") == 1
    assert "means of the leaves: not as the model says" in capsys.readouterr().out


def test_weights_are_verified(data, tmp_path, capsys):
    path = tmp_path / "weighted.json"
    assert run(f"fit {data} --target y --weight w --regression --depth 1 --save {path}") == 0
    assert run(f"verify {path} {data}") == 0
    assert "the model agrees with the rows" in capsys.readouterr().out


def test_cross_validation_pages_and_checkpoints(data, tmp_path, capsys):
    page, saved = tmp_path / "page.html", tmp_path / "checkpoint"
    words = f"fit {data} --target y --drop w --regression --depth 1"
    assert run(f"{words} --cv 3 --report {page}") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["penalty", "leaves", "R²"]
    assert "Proved optimal: " in page.read_text()
    assert "<th>errors</th>" not in page.read_text()
    for _ in range(2):  # a new search, and one that goes on
        assert run(f"{words} --checkpoint {saved}") == 0
    assert run(f"{words.replace(' --regression', '')} --checkpoint {saved}") == 2
    assert capsys.readouterr().err.endswith(
        "cannot be loaded: it is a search for a tree that predicts numbers, not labels\n"
    )


def test_what_does_not_belong_together_is_refused(data, model, tmp_path, capsys):
    text = tmp_path / "text.csv"
    text.write_text("x,y\n1,2.5\n2,many\n")
    for words, error in (
        (f"fit {text} --target y --regression", "--target must be a column of finite numbers, "),
        (f"fit {data} --target y --regression --class-weight balanced", "--class-weight must be"),
        (f"predict {model} {data} --proba", "--proba must be left out: "),
        (f"verify {model} {data} --class-weight balanced", "--class-weight must be left out: "),
    ):
        assert run(words) == 2
        assert capsys.readouterr().err.startswith(f"beamtree: {error}")
    assert run(f"fit {text} --target y --regression") == 2
    assert "got 'many' in line 3" in capsys.readouterr().err

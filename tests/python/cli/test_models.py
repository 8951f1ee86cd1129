"""The commands that read a model: predict, show and verify."""

import json

import numpy as np
import pytest

pytest.importorskip("cyclopts")

from beamtree import OptimalTreeClassifier
from beamtree.datasets import monks
from tests.python.cli.command_lines import printed, run

pytestmark = pytest.mark.usefixtures("folder")


def test_predict(model, capsys):
    classifier = OptimalTreeClassifier.from_json(model.read_text())
    X, _, names, _ = monks(1)
    expected = classifier.classes_[classifier.tree_.prediction[classifier.tree_.apply(X[:4])]]
    assert run("predict model.json new.csv") == 0
    assert capsys.readouterr().out.split() == ["prediction", *expected]
    # Columns are found by their names.
    rows = [",".join(map(str, row[::-1])) for row in X[:4]]
    (model.parent / "turned.csv").write_text("\n".join([",".join(names[::-1]), *rows]) + "\n")
    assert run("predict model.json turned.csv --proba --out p.csv --json") == 0
    said = printed(capsys)
    assert said["predictions"] == expected.tolist()
    assert np.shape(said["probabilities"]) == (4, 2)
    header, *lines = (model.parent / "p.csv").read_text().splitlines()
    assert header == "prediction,probability of no,probability of yes"
    shares = [[float(value) for value in line.split(",")[1:]] for line in lines]
    assert shares == said["probabilities"]


def test_text_stays_text(tmp_path, capsys):
    """A column that was text in the training table is text in every table.

    Even if all its values look like numbers. Unknown values are none of the tested categories, and
    missing values go right.
    """
    lines = ["code,size,y", "7,1,no", "x,2,yes", "7,3,no", "x,,yes", "9,1,yes"]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    assert run("fit data.csv --target y --depth 2 --save model.json") == 0
    (tmp_path / "new.csv").write_text("size,code\n1,7\n,9\n2,8\n,\n")
    capsys.readouterr()
    assert run("predict model.json new.csv") == 0
    assert capsys.readouterr().out.split()[1:] == ["no", "yes", "yes", "yes"]
    assert run("verify model.json data.csv") == 0


@pytest.mark.parametrize(
    ("form", "piece"),
    [
        ("text", "Proved optimal: 48 errors\na1 = 1?\n"),
        ("rules", "If a1 = 1 and a2 = 1 then yes (48 rows, 100%)"),
        ("dot", "digraph"),
        ("sql", 'CASE\n  WHEN "a1 = 1" <= 0.5 THEN'),
        ("python", "def predict("),
        ("json", '"format": "beamtree.tree"'),
    ],
)
@pytest.mark.usefixtures("model")
def test_show(capsys, form, piece):
    assert run("show model.json --format", form) == 0
    text = capsys.readouterr().out
    assert piece in text
    assert run("show model.json --json --format", form) == 0
    said = printed(capsys)
    assert said["text"] in text
    assert (said["status"], said["n_errors"], said["target"]) == ("optimal", 48, "y")
    assert said["proof"] == "Proved optimal: 48 errors"


def test_show_plots(model):
    assert run("show model.json --plot tree.svg") == 0
    assert "<svg" in (model.parent / "tree.svg").read_text()


def test_verify_finds_what_was_altered(model, capsys):
    assert run("verify model.json data.csv") == 0
    assert capsys.readouterr().out.endswith("the model agrees with the rows\n")
    content = json.loads(model.read_text())
    leaf = next(node for node in content["nodes"] if "column" not in node)
    leaf["prediction"] = 1 - leaf["prediction"]
    model.write_text(json.dumps(content))
    assert run("verify model.json data.csv --json") == 1
    said = printed(capsys)
    assert said["agrees"] is False
    assert said["rows"] == {"said": 432, "counted": 432}
    assert said["leaves"]["said"] == said["leaves"]["counted"]
    assert said["errors"]["said"] == 48 < said["errors"]["counted"]


def test_verify_finds_altered_probabilities(model, capsys):
    """They change no prediction, but the output of predict --proba."""
    content = json.loads(model.read_text())
    leaf = next(node for node in content["nodes"] if max(node["shares"]) < 1 and "left" not in node)
    leaf["shares"] = [0.9, 0.1] if leaf["prediction"] == 0 else [0.1, 0.9]
    model.write_text(json.dumps(content))
    assert run("verify model.json data.csv") == 1
    assert "labels of the leaves: not as the model says" in capsys.readouterr().out
    assert run("verify model.json data.csv --json") == 1
    said = printed(capsys)
    assert said["leaves"]["same_labels"] is False
    assert said["errors"]["said"] == said["errors"]["counted"]


def test_verify_finds_other_rows(model, capsys):
    lines = (model.parent / "data.csv").read_text().splitlines()
    (model.parent / "fewer.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert run("verify model.json fewer.csv") == 1
    assert "rows: 431, but the model says 432" in capsys.readouterr().out
    unknown = "perhaps," + lines[1].partition(",")[2]
    (model.parent / "other.csv").write_text("\n".join([lines[0], unknown, *lines[2:]]) + "\n")
    assert run("verify model.json other.csv") == 1
    assert "errors: 49, but the model says 48" in capsys.readouterr().out


def test_verify_counts_the_price_of_leaves(capsys):
    words = "fit data.csv --target y --depth 3 --leaf-penalty 0.03 --save model.json --json"
    assert run(words) == 0
    fitted = printed(capsys)
    assert fitted["objective"] > fitted["n_errors"]
    assert run("verify model.json data.csv --json") == 0
    said = printed(capsys)
    assert said["objective"]["counted"] == pytest.approx(fitted["objective"], abs=1e-9)
    assert run("verify model.json data.csv --leaf-penalty 0.02") == 1


def test_verify_models_that_were_saved_in_python(folder, capsys):
    """Such models name neither the column of labels nor the penalty, and labels may be numbers."""
    X, y, names, _ = monks(1)
    (folder / "numbers.csv").write_text(
        "\n".join([",".join([*names, "y"]), *(",".join(map(str, row)) for row in np.c_[X, y])])
    )
    pandas = pytest.importorskip("pandas")
    clf = OptimalTreeClassifier(max_depth=3).fit(pandas.DataFrame(X, columns=names), y)
    (folder / "model.json").write_text(clf.to_json())
    assert run("verify model.json numbers.csv") == 2
    assert "--target must be given: 'model.json' does not name" in capsys.readouterr().err
    assert run("verify model.json numbers.csv --target y") == 0
    assert "objective: 48 cannot be recounted: give --leaf-penalty" in capsys.readouterr().out
    assert run("verify model.json numbers.csv --target y --leaf-penalty 0") == 0
    weighted = OptimalTreeClassifier(max_depth=3, class_weight={0: 1, 1: 3}).fit(
        pandas.DataFrame(X, columns=names), y
    )
    weighted.class_weight = None  # The file has no parameters.
    (folder / "model.json").write_text(weighted.to_json())
    capsys.readouterr()
    assert run("verify model.json numbers.csv --target y --leaf-penalty 0") == 0
    said = capsys.readouterr().out
    assert "objective: 72 cannot be recounted: the rows had weights; give --weight or" in said
    assert "labels" not in said
    words = "verify model.json numbers.csv --target y --leaf-penalty 0 --class-weight 1=3"
    assert run(words) == 0
    said = capsys.readouterr().out
    assert "labels of the leaves: as the model says\n" in said
    assert "objective: 72, as the model says\n" in said
    assert run(words.replace("=3", "=2")) == 1


def test_verify_exact_integers_and_missing_values(folder, capsys):
    """Integers beyond 2**53 keep their values, and missing values go to the better side."""
    rows = [f"{10**17 + k},{'' if k % 3 == 0 else k},{k >= 21 or k % 3 == 0}" for k in range(30)]
    (folder / "data.csv").write_text("\n".join(["account,size,y", *rows]) + "\n")
    assert run("fit data.csv --target y --depth 2 --save model.json") == 0
    assert "0 errors" in capsys.readouterr().out
    assert run("verify model.json data.csv") == 0
    assert "errors: 0, as the model says" in capsys.readouterr().out


def test_the_problem_in_the_file_is_checked(model, capsys):
    content = json.loads(model.read_text())
    for wrong in ({}, {"target": 1, "leaf_penalty": 0}, {"target": "y", "leaf_penalty": -1}, None):
        model.write_text(json.dumps(content | {"problem": wrong}))
        assert run("show model.json") == 2
        assert "problem" in capsys.readouterr().err
    twin = OptimalTreeClassifier.from_json(json.dumps(content))
    assert json.loads(twin.to_json())["problem"] == {"target": "y", "leaf_penalty": 0.0}
    twin.fit([[0], [1]], [0, 1])
    assert "problem" not in json.loads(twin.to_json())

"""The commands, called with the words of a command line."""

import re
import shlex
import sys
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("cyclopts")

from beamtree import OptimalTreeClassifier
from beamtree.cli import EPILOGUE, datasets, fit, main, predict, score, show, study, verify
from beamtree.datasets import monks, save_csv
from tests import ROOT
from tests.python.cli.command_lines import printed, run

pytestmark = pytest.mark.usefixtures("folder")

# The rewards of two actions, for `fit --rewards`.
PATIENTS = "age,none,treat\n25,0,3\n31,0,2\n47,0,-1\n"
EXAMPLES = [
    line.strip()
    for text in (
        EPILOGUE,
        *(m.EXAMPLES for m in (datasets, fit, predict, score, show, study, verify)),
    )
    for line in text.splitlines()
    if line.startswith("  beamtree ")
]


@pytest.fixture
def calls(monkeypatch):
    """Replace the study by a function that records its calls."""
    made = []

    def note(*values, **options):
        made.append((values, options))
        return options["out"] or "page.html"

    monkeypatch.setitem(sys.modules, "beamtree.study", SimpleNamespace(run=note, report=note))
    return made


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_help_run(model, capsys, example):
    if example.startswith("beamtree study report"):
        (model.parent / "results").mkdir()
    if "monks.csv" in example and "export" not in example:
        save_csv(monks(1), "monks.csv")
    if "houses.csv" in example:
        (model.parent / "houses.csv").write_text("rooms,price\n2,150.5\n3,220\n5,410\n")
    if "patients.csv" in example:
        (model.parent / "patients.csv").write_text(PATIENTS)
    if "--certificate" in example and "verify" in example:
        files = ["--save", "model.json", "--certificate", "proof.gz"]
        main(["fit", "data.csv", "--target", "y", "--depth", "2", *files])
    if "monks" in example and ("verify" in example or "score" in example):
        main(["fit", "monks.csv", "--target", "class", "--depth", "3", "--save", "model.json"])
    assert main(shlex.split(example)[1:]) == 0
    output = capsys.readouterr()
    assert output.out
    assert output.err == ""


@pytest.mark.parametrize(
    "command",
    [
        "",
        "fit",
        "predict",
        "score",
        "show",
        "verify",
        "datasets",
        "datasets export",
        "datasets fetch",
        "study",
        "study run",
        "study report",
    ],
)
def test_every_help_has_examples(capsys, command):
    assert main([*command.split(), "--help"]) == 0
    output = capsys.readouterr().out
    assert f"Usage: beamtree {command}".rstrip() in output
    examples = [line for line in output.splitlines() if line.startswith("  beamtree ")]
    assert len(examples) >= 2
    assert all(line.strip() in EXAMPLES for line in examples)
    # There is a sentence for every option.
    for line in output.splitlines():
        if line.startswith(("│ *  -", "│    -", "│ -")):
            assert len(line.strip("│ *").split("  ", 1)) == 2, line


def test_fit_saves_what_it_prints(folder, capsys):
    words = "fit data.csv --target y --depth 3 --json --save m.json --plot t.PNG --report p.html"
    assert run(words) == 0
    said = printed(capsys)
    model = OptimalTreeClassifier.from_json((folder / "m.json").read_text())
    assert (said["status"], said["objective"], said["n_errors"]) == ("optimal", 48.0, 48)
    assert (model.status_, model.objective_, model.n_errors_) == ("optimal", 48.0, 48)
    assert (said["rows"], said["leaves"]) == (432, model.get_n_leaves())
    assert model.feature_names_in_.tolist() == monks(1).feature_names
    assert model.problem_ == {"target": "y", "leaf_penalty": 0.0}
    X, y, _, classes = monks(1)
    rows = [dict(zip(model.feature_names_in_, row, strict=True)) for row in X]
    pandas = pytest.importorskip("pandas")
    assert (model.predict(pandas.DataFrame(rows)) != np.array(classes)[y]).sum() == 48
    assert (folder / "t.PNG").read_bytes().startswith(b"\x89PNG")
    page = (folder / "p.html").read_text()
    assert page.count("<svg") == 2
    assert "48 of 432 rows" in page
    assert said["proof"] == model.proof_ == "Proved optimal: 48 errors"
    assert "<p><strong>Proved optimal: 48 errors</strong></p>" in page
    assert "<p>Searched 17 tests: every threshold and category of 17 columns.</p>" in page
    assert not re.search(r'(src|href)="(?!#)', page)  # the page refers to no other file
    # Identifiers that are referred to are unique in both pictures together.
    used = set(re.findall(r"url\(#([^)]*)\)", page)) | set(re.findall(r'href="#([^"]*)"', page))
    # The letters of the font are the same in both pictures.
    kept = [name for name in used if not name.startswith("DejaVu")]
    assert kept
    assert all(page.count(f' id="{name}"') == 1 for name in kept)


def test_the_page_escapes_names(folder):
    (folder / "odd.csv").write_text("<b>&x,y\n0,<i>no\n1,yes\n")
    assert run("fit odd.csv --target y --report p.html") == 0
    page = (folder / "p.html").read_text()
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;&amp;x" in page


def test_options_of_fit(folder, capsys):
    words = "fit data.csv --target y --depth 3 --json --threads 2 --memory 1GB"
    assert run(words, "--min-samples-leaf", "100") == 0
    assert printed(capsys)["n_errors"] > 48
    assert run(words, "--min-samples-leaf", "0.4", "--save", "m.json") == 0
    model = OptimalTreeClassifier.from_json((folder / "m.json").read_text())
    assert model.tree_.n_node_samples.min() >= 173
    assert printed(capsys)["status"] == "optimal"
    assert run(words, "--leaf-penalty", "1") == 0
    assert printed(capsys)["leaves"] == 1
    assert run(words, "--leaves", "4") == 0
    assert printed(capsys)["proof"] == "Proved optimal with at most 4 leaves: 72 errors"
    assert run("fit data.csv --target y --json --leaves 3 --depth none") == 0
    assert printed(capsys)["proof"] == "Proved optimal with at most 3 leaves: 108 errors"
    assert run(words, "--checkpoint", "c") == 0
    assert run(words, "--checkpoint", "c", "--leaf-penalty", "1") == 2
    assert "--leaf-penalty must be that of the checkpoint, 0.0, got 1.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "--target must be the name of a column, unless there are --rewards, got none"),
        ("--target y --depht 3", "Unknown option: --depht. Did you mean --depth?"),
        ("--target y --depth x", "--depth must be an integer from 0 to 20, or none, got 'x'"),
        ("--target y --time x", "--time must be a number of seconds of at least 0, or none, got"),
        ("--target y --depth none", "--depth must be an integer unless --leaf-penalty is above 0"),
        ("--target y --leaves 300 --depth none", "--leaves must be at most 121 if --depth is none"),
        ("--target y --max-thresholds 0", "--max-thresholds must be an integer of at least 1"),
        ("--target y --tie-break x", "--tie-break must be 'any', 'small' or 'smallest', got 'x'"),
        ("--target y --class-weight x", "--class-weight must be 'balanced', or LABEL=NUMBER"),
        ("--target y --class-weight ye=1", "labels of the target ('no', 'yes'), got 'ye'; did you"),
        ("--target y --drop z", "--drop must be a column of 'data.csv' ("),
        ("--target y --drop y", "--drop must be another column than --target, got 'y'"),
        ("--target y --weight y", "--weight must be another column than --target, got 'y'"),
        ("--target y --delimiter ab", "--delimiter must be one character, other than a quote or"),
        ("--target y --cv 1", "--cv must be an integer of at least 2, got 1"),
        ("--target y --cv x", "--cv must be an integer, got 'x'"),
        ("--target y --cv 3 --leaf-penalty 1", "--leaf-penalty must be left out with --cv"),
        ("--target y --cv 3 --depth none", "--depth must be an integer with --cv, unless there"),
        ("--target y --cv 3 --checkpoint c", "--checkpoint must be left out with --cv, got 'c'"),
        ("--target z", "--target must be a column of 'data.csv' ("),
        ("--target yy", "; did you mean 'y'?"),
        ("--target y --min-samples-leaf 0", "--min-samples-leaf must be an integer of at least 1"),
        ("--target y --leaf-penalty -1", "--leaf-penalty must be a finite number of at least 0"),
        ("--target y --threads 0", "--threads must be an integer other than 0, got 0"),
        (
            "--target y --memory much",
            "--memory must be a number of bytes of at least 1, or text such as '2GB', '512 MB' or",
        ),
        ("--target y --time -1", "--time must be a number of seconds of at least 0, or none, got"),
        ("--target y --save no/model.json", "--save must be in a folder that exists, got"),
        ("--target y --save .", "--save must be a file, got the folder '.'"),
        ("--target y --plot tree.gif", "--plot must end with one of .pdf, .png, .svg, got"),
        ("--target y --plot no/t.png", "--plot must be in a folder that exists, got"),
        ("--target y --report no/p.html", "--report must be in a folder that exists, got"),
    ],
)
def test_wrong_calls_of_fit(capsys, words, message):
    assert run("fit data.csv", *words.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("beamtree: ")
    assert output.err.count("\n") == 1
    assert message in output.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing", 'Unknown command "nothing"'),
        ("fit nowhere.csv --target y", "'nowhere.csv': No such file or directory"),
        ("predict nowhere.json data.csv", "'nowhere.json': No such file or directory"),
        ("show data.csv", "'data.csv' is not a model, which is a JSON file that beamtree fit --sa"),
        ("show model.json --format xml", "xml"),
        ("show model.json --plot tree.gif", "--plot must end with one of"),
        ("predict model.json other.csv", "must have the column 'a1 = 1' of the tree, got 'b'"),
        ("predict model.json text.csv", "column 'a1 = 1' must have numbers, as it had when"),
        ("predict model.json none.csv", "'none.csv' must have at least one row"),
        ("predict model.json short.csv", "line 2 of 'short.csv' must have 17 values, got 1"),
        ("predict model.json data.csv --out no/p.csv", "--out must be in a folder that exists"),
        ("verify model.json data.csv --target z", "--target must be a column of 'data.csv'"),
        ("verify model.json new.csv", "--target must be a column of 'new.csv'"),
        ("verify model.json data.csv --leaf-penalty -1", "--leaf-penalty must be a finite"),
        ("datasets export monk-1 a.csv", "did you mean 'monks-1'"),
        ("datasets export monks-1 a.xls", "OUT must end with one of .csv, .txt, .txt.gz"),
        ("datasets export monks-1 no/a.csv", "OUT must be in a folder that exists"),
        ("datasets fetch iris", "names must be some of anneal, "),
        ("study run --out r --budget 1", "--depths requires an argument"),
        ("study run --out r --budget 1 --depths x", "--depths must be an integer, got 'x'"),
        ("study report nowhere", "FOLDER must be a folder with the results of a study"),
    ],
)
def test_wrong_calls(model, calls, capsys, words, message):
    names = monks(1).feature_names
    (model.parent / "other.csv").write_text("b\n1\n")
    (model.parent / "none.csv").write_text(",".join(names) + "\n")
    (model.parent / "short.csv").write_text(",".join(names) + "\n1\n")
    (model.parent / "text.csv").write_text(",".join(names) + "\n" + ",".join("x" * 17) + "\n")
    assert run(words) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("beamtree: ")
    assert output.err.count("\n") == 1
    assert message in output.err
    assert calls == []


def test_datasets(capsys):
    assert main(["datasets", "--json"]) == 0
    listed = {entry["name"]: entry for entry in printed(capsys)["datasets"]}
    assert main(["datasets"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["name", "rows", "features", "classes", "from"]
    assert [line.split()[0] for line in lines] == list(listed)
    assert listed["cp4im/yeast"]["rows"] is None
    for name in ("a.csv", "a.txt", "a.txt.gz"):
        assert main(["datasets", "export", "monks-1", name, "--json"]) == 0
        assert printed(capsys)["rows"] == 432
    assert run("fit a.csv --target class --depth 3 --json") == 0
    assert printed(capsys)["n_errors"] == 48


def test_fetch_without_a_server(capsys):
    words = "datasets fetch cp4im/yeast --address http://127.0.0.1:9 --data-home home"
    assert run(words) == 2
    assert "beamtree: the dataset 'yeast' cannot be downloaded" in capsys.readouterr().err


def test_study(folder, calls, capsys):
    words = "study run --out results --depths 3 4 --budget 1.5 --systems beamtree ca-* --jobs 2"
    assert run(words, "--data", "a.txt", "b.txt", "--seed", "7", "--json") == 0
    assert printed(capsys) == {"out": "results"}
    values, options = calls.pop()
    assert [str(path) for path in values[0]] == ["a.txt", "b.txt"]
    assert str(options.pop("out")) == "results"
    assert options == {
        "depths": [3, 4],
        "budget": 1.5,
        "target": None,
        "systems": ["beamtree", "ca-*"],
        "jobs": 2,
        "dask": None,
        "seed": 7,
        "progress": False,
    }
    words = "study run --out results --depths 3 --budget 1 --data folder --target y"
    assert run(words, "--dask", "tcp://host:8786") == 0
    values, options = calls.pop()
    assert [str(path) for path in values[0]] == ["folder"]
    chosen = (options["systems"], options["dask"], options["target"])
    assert chosen == (None, "tcp://host:8786", "y")
    capsys.readouterr()
    assert main(["study", "report", str(folder), "--out", "page", "--json"]) == 0
    assert printed(capsys) == {"page": "page"}


def test_missing_extras_are_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run("fit data.csv --target y --report p.html") == 2
    assert capsys.readouterr().err == (
        "beamtree: --report needs jinja2: pip install beamtree[study]\n"
    )
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("fit data.csv --target y --plot p.png") == 2
    assert capsys.readouterr().err == (
        "beamtree: --plot needs matplotlib: pip install beamtree[plot]\n"
    )


@pytest.mark.usefixtures("calls")
def test_the_commands_of_the_page_run(folder, capsys):
    """Run them one after the other, as a reader would, without the download."""
    (folder / "results").mkdir()
    (folder / "patients.csv").write_text(PATIENTS)
    page = ROOT / "docs" / "command-line.md"
    lines = re.findall(r"^    beamtree (.*)$", page.read_text(), re.MULTILINE)
    assert len(lines) > 20
    for line in lines:
        if "fetch" not in line:
            assert run(line) == 0, line
    assert capsys.readouterr().err == ""


def test_a_target_of_many_numbers_gets_a_notice(folder, capsys):
    """Prices are rarely meant for labels."""
    notice = (
        "beamtree: --target 'price' has 30 different numbers, each of which is taken for a label; "
        "--regression predicts numbers instead\n"
    )
    rows = [f"{k % 5},{k + 0.5}\n" for k in range(30)]
    (folder / "houses.csv").write_text("rooms,price\n" + "".join(rows))
    (folder / "few.csv").write_text("rooms,price\n" + "".join(rows[:20]))
    (folder / "names.csv").write_text("rooms,price\n" + "".join(3 * rows) + "1,high\n")
    for words, err in (
        ("fit houses.csv --target price --depth 1", notice),
        ("fit houses.csv --target price --depth 1 --regression", ""),
        ("fit few.csv --target price --depth 1", ""),
        ("fit names.csv --target price --depth 1", ""),
    ):
        assert run(words) == 0
        assert capsys.readouterr().err == err, words

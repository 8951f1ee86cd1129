"""The command `beamtree fit`: tables, checkpoints, errors and signals."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search

pytest.importorskip("cyclopts")

from beamtree.cli import app
from beamtree.cli.fit import fit


@pytest.fixture
def table(tmp_path):
    def write(X, y):
        path = tmp_path / "data.csv"
        names = [f"f{i}" for i in range(X.shape[1])]
        lines = [",".join(["y", *names])]
        lines += [",".join(map(str, [label, *row])) for label, row in zip(y, X, strict=True)]
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def xor():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    return X, np.where(X[:, 0] != X[:, 1], "differ", "same")


def endless():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (2000, 40)), rng.integers(0, 2, 2000)


def test_fit(table, capsys):
    path = table(*xor())
    with pytest.raises(SystemExit) as end:
        app(["fit", str(path), "--target", "y", "--depth", "2", "--time", "5"])
    assert end.value.code == 0
    first, second, *tree = capsys.readouterr().out.splitlines()
    assert first == "Proved optimal: 0 errors"
    assert second == "Searched 2 tests: every threshold and category of 2 columns"
    assert tree[:2] == ["f0?", "  yes: f1?"]


def test_a_checkpoint_is_continued(table, tmp_path, capsys):
    path, checkpoint = table(*endless()), tmp_path / "saved"
    assert fit(path, target="y", depth=5, time=0, checkpoint=checkpoint) == 0
    assert fit(path, target="y", depth=5, time=0.1, checkpoint=checkpoint) == 0
    proofs = re.findall(
        r"^Not proved: (\d+) errors, at least \d+ \(time limit of (.+) s\)$",
        capsys.readouterr().out,
        re.MULTILINE,
    )
    (first, no_time), (second, some_time) = proofs
    assert int(second) <= int(first)
    assert (no_time, some_time) == ("0", "0.1")
    assert fit(path, target="y", depth=4, checkpoint=checkpoint) == 2
    assert "--depth must be that of the checkpoint, 5, got 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n0,1\n", "data.csv' ('a', 'b'), got 'y'"),
        (",".join(f"f{i}" for i in range(30)), "'f19' and 10 more), got 'y'"),
        (
            "a,y\n18446744073709551616,1\n",
            "column 'a' of X must have integers from -2**63 to 2**63",
        ),
        ("a,y\n\n1\n", "line 3 of "),
        ("", "(it has no columns), got 'y'"),
        ("a,y\n", "must have at least one row below the names of the columns"),
        ("y\n1\n0\n", "must have a column besides 'y'"),
        ("a,y,a,b,b\n0,1,0,0,0\n", "must have different names, got twice: 'a', 'b'"),
        ("a,y\n0,1\n1, \n", "column 'y' must have a label in every line, got none in line 3"),
        ("a,y\n0," + "x" * 200_000, "field larger than field limit"),
        ('a,y\n0,"no\n', "unexpected end of data"),
        (b"a,y\n0,\xe9\n", "data.csv' must be text in UTF-8, got the byte 0xe9 in line 2; "),
    ],
    ids=range(12),
)
def test_errors_say_what_is_wrong(tmp_path, capsys, text, message):
    path = tmp_path / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert fit(path, target="y") == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("beamtree: ")
    assert message in output.err
    assert fit(tmp_path / "nowhere.csv", target="y") == 2


def test_byte_order_marks_and_blank_lines_are_skipped(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_bytes(b"\xef\xbb\xbfy,a\r\n\r\nno,0\r\n \r\nyes,1\r\n\r\n")
    assert fit(path, target="y") == 0
    assert capsys.readouterr().out.startswith("Proved optimal: 0 errors\n")


def test_columns_of_any_kind(tmp_path, capsys):
    path, checkpoint = tmp_path / "data.csv", tmp_path / "saved"
    rows = ["1,red,,no", "2,red,x,no", "7e0,red,y,yes", ",blue,y,yes", "1,blue,x,yes", "2,,x,yes"]
    path.write_text("\n".join(["size,colour,note,y", *rows]) + "\n")
    for _ in range(2):  # The second call continues from the file.
        assert fit(path, target="y", depth=3, checkpoint=checkpoint) == 0
        output = capsys.readouterr().out
        assert output.startswith("Proved optimal: 0 errors\n")
        assert "colour == red?" in output
        assert "size <= 4.5?" in output


def test_a_column_of_numbers_and_text_is_text(tmp_path):
    from beamtree._table.files import read_training_rows

    path = tmp_path / "data.csv"
    path.write_text("a,b,c,d,y\n1,1,inf,1,0\nx,2,3,,1\n")
    rows = read_training_rows(path, "y")
    table, y = rows.table, rows.labels
    assert table.names == ("a", "b", "c", "d")
    assert [getattr(table.column(j), "values", None) for j in (0, 2)] == [["1", "x"], ["3", "inf"]]
    assert table.column(1).tolist() == [1.0, 2.0]
    assert table.column(3).tolist() == [1, None]
    assert y.tolist() == ["0", "1"]


def test_errors_name_the_options(table, capsys):
    path = table(*xor())
    assert fit(path, target="y", depth=30) == 2
    assert fit(path, target="y", time=-1) == 2
    depth, time = capsys.readouterr().err.splitlines()
    assert depth == "beamtree: --depth must be an integer from 0 to 20, or none, got 30"
    assert time.startswith("beamtree: --time must be a number of seconds of at least 0")


def test_the_tree_is_printed_even_if_it_cannot_be_saved(table, tmp_path, capsys, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("beamtree.search.write_checkpoint", fail)
    assert fit(table(*xor()), target="y", checkpoint=tmp_path / "saved") == 2
    output = capsys.readouterr()
    assert output.out.startswith("Proved optimal: 0 errors\n")
    assert "\nf0?\n" in output.out
    assert output.err == "beamtree: disk full\n"


def test_slow_imports_come_after_the_signal_handlers_are_set():
    program = "import sys, beamtree.cli; print({'numpy', 'sklearn'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert done.stdout == b"set()\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_before_the_search(table, capsys, monkeypatch, number, code):
    """Early signals are not lost: the tree is the greedy one, and the old handlers come back."""
    from beamtree._table import files

    path, read = table(*endless()), files.read_training_rows

    def signalled(*arguments, **options):
        os.kill(os.getpid(), number)
        return read(*arguments, **options)

    monkeypatch.setattr(files, "read_training_rows", signalled)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert fit(path, target="y", depth=8) == code
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    first, _, _ = capsys.readouterr().out.partition("\n")
    assert re.fullmatch(r"Not proved: \d+ errors, at least 0 \(interrupted\)", first)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_save_and_print_the_tree(table, tmp_path, number, code):
    X, y = endless()
    path, checkpoint = table(X, y), tmp_path / "saved"
    # Announces with its first step that the search can be stopped.
    program = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from beamtree import cli\n"
        "from beamtree._engine import engine\n"
        "sliced = engine.Engine._sliced\n"
        "def told(self, seconds):\n"
        "    improved = sliced(self, seconds)\n"
        "    print('begun', flush=True)\n"
        "    return improved\n"
        "engine.Engine._sliced = told\n"
        "sys.exit(cli.app(sys.argv[1:]))\n"
    )
    model = tmp_path / "model.json"
    arguments = ["fit", path, "--target", "y", "--depth", "8", "--checkpoint", checkpoint]
    arguments += ["--save", model]
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        output = process.communicate(timeout=60)[0]
    assert process.returncode == code
    proof = re.search(r"^Not proved: (\d+) errors, .* \(interrupted\)$", output, re.MULTILINE)
    assert "?\n" in output
    objective = float(proof[1])
    assert Search.load(checkpoint, X, y.astype(str)).result().objective == objective
    saved = OptimalTreeClassifier.from_json(model.read_text())
    assert (saved.status_, saved.objective_) == ("interrupted", objective)

"""The command line."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from beamtree import Search

pytest.importorskip("cyclopts")

from beamtree.cli import app, fit


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
    output = capsys.readouterr().out
    assert output.startswith("optimal: objective 0, lower bound 0, gap 0.0%\nf0?\n  yes: f1?\n")


def test_a_checkpoint_goes_on(table, tmp_path, capsys):
    path, checkpoint = table(*endless()), tmp_path / "saved"
    assert fit(path, target="y", depth=5, time=0, checkpoint=checkpoint) == 0
    assert fit(path, target="y", depth=5, time=0.1, checkpoint=checkpoint) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "objective" in line]
    objectives = [float(line.split()[2].rstrip(",")) for line in lines]
    assert objectives[1] <= objectives[0]
    assert fit(path, target="y", depth=4, checkpoint=checkpoint) == 2
    assert "depth must be that of the checkpoint, 5, got 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n0,1\n", "target must be a column of"),
        ("a,y\n2,1\n", "column 'a' must be 0 or 1, got '2' in line 2"),
        ("a,y\n1\n", "line 2 of "),
        ("", "target must be a column of"),
        ("a,y\n", "0 sample"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, capsys, text, message):
    path = tmp_path / "data.csv"
    path.write_text(text)
    assert fit(path, target="y") == 2
    assert message in capsys.readouterr().out
    assert fit(tmp_path / "nowhere.csv", target="y") == 2


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_save_and_print_the_tree(table, tmp_path, number, code):
    X, y = endless()
    path, checkpoint = table(X, y), tmp_path / "saved"
    # tells, by the time it takes its first step, that it can be stopped
    program = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from beamtree import _engine, cli\n"
        "sliced = _engine.Engine._sliced\n"
        "def told(self, seconds):\n"
        "    improved = sliced(self, seconds)\n"
        "    print('begun', flush=True)\n"
        "    return improved\n"
        "_engine.Engine._sliced = told\n"
        "sys.exit(cli.app(sys.argv[1:]))\n"
    )
    arguments = ["fit", path, "--target", "y", "--depth", "8", "--checkpoint", checkpoint]
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        output = process.communicate(timeout=60)[0]
    assert process.returncode == code
    assert "interrupted: objective" in output
    assert "?\n" in output
    objective = float(output.split("objective ")[1].split(",")[0])
    assert Search.load(checkpoint, X, y.astype(str)).result().objective == objective

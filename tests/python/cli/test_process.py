"""The command line as a process of its own."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import beamtree
from beamtree import _entry
from beamtree.datasets import monks, save_csv
from tests import ROOT

pytest.importorskip("cyclopts")

PROGRAM = [sys.executable, "-m", "beamtree"]


def run(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options):
    command = [*PROGRAM, *words]
    return subprocess.run(command, check=False, stdout=stdout, stderr=stderr, text=True, **options)


@pytest.fixture
def unread():
    """Return a pipe whose other end is closed."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


def test_the_version():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{beamtree.__version__}\n", "")


def test_the_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    program = EntryPoint("beamtree", project["scripts"]["beamtree"], "console_scripts").load()
    assert program is _entry.main


def test_errors_have_no_traceback(tmp_path):
    done = run("fit", "nowhere.csv", "--target", "y", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "beamtree: 'nowhere.csv': No such file or directory\n"
    done = run("fit", "--depth")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("beamtree: ")


def test_a_study_from_its_runs_to_its_page(tmp_path):
    """Run a real study; a warning takes one line, like an error."""
    (tmp_path / "or.txt").write_text("0 0 0\n1 0 1\n1 1 0\n1 1 1\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "runs.jsonl").write_text('{"format": 1, "dataset"')
    words = "study run --data or.txt --out out --depths 1 --budget 60 --systems c45 --seed 1 --json"
    # The locks of the cores are in a folder of this test.
    done = run(*words.split(), cwd=tmp_path, env=os.environ | {"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (0, '{"out": "out"}\n')
    assert done.stderr == (
        "beamtree: warning: the last line of 'out/runs.jsonl' is cut off and was left out\n"
    )
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    done = run("study", "report", "out", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(tmp_path, json.loads(done.stdout)["page"]).exists()


def test_without_its_packages():
    program = (
        "import sys\n"
        "sys.modules['cyclopts'] = None\n"
        "from beamtree._entry import main\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == ("beamtree: the command line needs cyclopts: pip install beamtree[cli]\n")


# rich, which prints the help, ends with 1.
@pytest.mark.parametrize(("words", "code"), [("datasets", 141), ("--help", 1)])
def test_a_closed_output_prints_no_error(unread, words, code):
    done = run(words, stdout=unread)
    assert (done.returncode, done.stderr) == (code, "")


def test_the_model_is_saved_even_if_the_output_is_closed(unread, tmp_path):
    save_csv(monks(1), tmp_path / "data.csv")
    words = ["fit", "data.csv", "--target", "class", "--depth", "2", "--save", "model.json"]
    done = run(*words, stdout=unread, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (141, "")
    assert (tmp_path / "model.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind")
def test_the_live_line_is_on_the_terminal_alone(tmp_path):
    """Standard error is a terminal; standard output is a pipe, which gets only the tree."""
    pytest.importorskip("rich")
    import pty

    save_csv(monks(1), tmp_path / "data.csv")
    terminal, end = pty.openpty()
    words = ["fit", "data.csv", "--target", "class", "--depth", "3", "--json"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "200"}
    try:
        done = run(*words, stderr=end, cwd=tmp_path, env=environment)
    finally:
        os.close(end)
    shown = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            shown += piece
    except OSError:  # Linux reports a closed terminal like this
        pass
    os.close(terminal)
    assert done.returncode == 0
    assert b"objective 48 | bound" in shown
    assert b"nodes/s" in shown
    assert done.stdout.startswith('{"status": "optimal"')
    assert done.stdout.count("\n") == 1

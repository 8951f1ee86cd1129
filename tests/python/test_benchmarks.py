"""The benchmarks run on tiny data, without peers, and notice what is wrong."""

import gzip
import importlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def importable():
    """Let the tests import the helpers of the benchmarks."""
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))


@pytest.fixture
def data(tmp_path):
    """Return a folder with one dataset as text and one compressed."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "data"
    folder.mkdir()
    X = rng.integers(0, 2, (60, 6))
    table = np.column_stack([X[:, 0] ^ X[:, 1], X])
    np.savetxt(folder / "xor.txt", table, fmt="%d")
    table[:, 0] = rng.integers(0, 3, 60)
    with gzip.open(folder / "noise.txt.gz", "wt") as file:
        np.savetxt(file, table, fmt="%d")
    return folder


def run(script, *arguments):
    """Run a benchmark, return its output and its JSON."""
    command = [sys.executable, str(FOLDER / script), "--repeats", "1", "--limit", "20"]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_proof_time(data, tmp_path):
    file = tmp_path / "out.json"
    output = run(
        "proof_time.py", "--depths", 2, "--data", data, "--peers", "greedy", "--json", file
    )
    assert "no disagreements" in output
    content = json.loads(file.read_text())
    optima = {(p["dataset"], p["depth"]): p["optimum"] for p in content["problems"]}
    assert list(optima) == [("noise", 2), ("xor", 2)]
    assert optima["xor", 2] == "0"
    assert str(tmp_path) not in json.dumps(content)
    run_of = content["problems"][0]["solvers"]["beamtree"]["runs"][0]
    assert run_of["optimal"]
    assert run_of["errors"] == run_of["found"] == run_of["lower"]
    assert run_of["seconds"] > 0


def test_an_executable_beside(data, tmp_path):
    """An executable that claims one error less than there are is found out."""
    script = tmp_path / "claims.sh"
    script.write_text('#!/bin/sh\necho "first line"\necho "xor d2 t=0.004 err=-1 opt=1 tree=0"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    chosen = ("--data", data, "--only", "xor", "--peers")
    output = run("proof_time.py", "--depths", 2, *chosen, "--sketch", script)
    assert "beamtree claims that 0 is optimal, sketch has -1" in output


def test_scaling():
    output = run("scaling.py", "--depths", 1, "--rows", 50, 100, "--features", "--peers")
    assert "100 x 50" in output
    assert "no disagreements" in output


def test_weights(data, tmp_path):
    file = tmp_path / "out.json"
    run("weights.py", "--depths", 2, "--data", data, "--only", "xor", "--json", file)
    for problem in json.loads(file.read_text())["problems"]:
        assert problem["ratios"].keys() == {"unit", "8 bits", "real"}
        solvers = problem["solvers"]
        assert solvers["unit"]["found"] == solvers["none"]["found"]


def test_classes():
    output = run("classes.py", "--depths", 1, "--only", "iris", "--peers")
    assert "| iris " in output


def measured(name, seconds, found, optimal, **more):
    runner = importlib.import_module("_runner")
    run = {"seconds": seconds, "peak_mb": 1.0, "found": found, "optimal": optimal}
    return runner.Measured(name, 10.0, [run | {"errors": found, "lower": None} | more])


def test_ratios_and_their_bounds():
    report = importlib.import_module("_report")
    ours, slow = measured("beamtree", 0.1, 5, True), measured("peer", 2.0, 5, True)
    late, quick = measured("peer", 10.1, 6, False), measured("peer", 0.01, 5, True)
    assert report.ratio_cell(ours, slow) == "20.0"
    assert report.ratio_cell(ours, late) == ">101.0"
    assert report.ratio_cell(late, ours) == "<0.0"
    assert report.seconds(late) == ">10"
    line = report.summary("peer", [("a", ours, slow), ("b", ours, late), ("c", ours, quick)])
    assert "44.9 times faster" in line
    assert "of 2 problems" in line
    assert "smallest 20.0 (a)" in line


def test_disagreements():
    report = importlib.import_module("_report")
    good = measured("beamtree", 0.1, 5, True, lower=5)
    assert report.disagreements("x", {"beamtree": good, "peer": measured("peer", 1, 5, True)}) == []
    wrong = measured("peer", 1, 6, True)
    liar = measured("liar", 1, 5, True, errors=4)
    better = measured("better", 1, 4, False)
    found = report.disagreements("x", {"peer": wrong, "liar": liar})
    assert found == [
        "x: liar claims 4 errors, its tree makes 5",
        "x: peer claims that 6 is optimal, liar has 5",
    ]
    found = report.disagreements("x", {"beamtree": good, "better": better})
    assert found == [
        "x: beamtree claims at least 5, better has 4",
        "x: beamtree claims that 5 is optimal, better has 4",
    ]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no pinning on this system")
def test_all_run_on_one_core():
    runner = importlib.import_module("_runner").Runner()
    assert runner.core in os.sched_getaffinity(0)


def test_generated_data_is_the_same_every_time():
    make = importlib.import_module("_data").correlated
    first, second = make(500, 23), make(500, 23)
    assert first.X.shape == (500, 23)
    np.testing.assert_array_equal(first.X, second.X)
    assert 0.2 < first.y.mean() < 0.8

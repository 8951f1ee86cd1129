"""The benchmarks of limits, interrupts, memory, resuming and threads run, and notice faults."""

import importlib
import json
import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pytest

from tests import ROOT

FOLDER = ROOT / "benchmarks"


@pytest.fixture
def data(tmp_path):
    """Return a folder with one small dataset."""
    folder = tmp_path / "data"
    folder.mkdir()
    table = np.random.default_rng(0).integers(0, 2, (120, 13))
    np.savetxt(folder / "coins.txt", table, fmt="%d")
    return folder


def run(script, tmp_path, *arguments):
    """Run a benchmark, check its exit code, and return its output and its JSON."""
    file = tmp_path / "out.json"
    command = [sys.executable, str(FOLDER / script), "--out", str(file), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert file.exists(), done.stderr
    content = json.loads(file.read_text())
    assert str(tmp_path) not in json.dumps(content["environment"])
    assert done.returncode == bool(content["violations"])
    return done.stdout, content


def others(content, *slow):
    """Return the violations that a slow machine cannot cause."""
    return [line for line in content["violations"] if not any(word in line for word in slow)]


def test_limits(tmp_path):
    small = ("--rows", 100, "--features", 10, "--only", "300 x 25")
    output, content = run("limits.py", tmp_path, "--depths", 3, "--limits", 5, *small)
    assert "worst overshoot" in output
    [row] = content["rows"]
    assert list(row["runs"]) == ["0", "5"]
    assert row["runs"]["0"][0]["objective"] <= row["greedy"]
    assert row["runs"]["5"][0]["preparation"] > 0
    assert others(content, "overshoots") == []


LIMITED = {"seconds": 0.119, "preparation": 0.03, "errors": 4, "wrong": 4}
LIMITED |= {"objective": 4.0, "lower": 1.0}


@pytest.mark.parametrize(
    ("changed", "limit", "said"),
    [
        ({}, 0.1, []),
        ({"seconds": 0.123}, 0.1, ["overshoots by 23.0 ms, 22.0 are allowed"]),
        ({"preparation": 0.1}, 0.0, []),  # preparing the rows took longer than the limit
        ({}, 0.0, ["overshoots by 89.0 ms, 20.0 are allowed"]),
        ({"wrong": 5}, 0.1, ["claims 4 errors, its tree makes 5"]),
        ({"objective": 6.0}, 0.1, ["6 is worse than greedy: 5"]),
        ({"lower": 4.5}, 0.1, ["claims at least 4.5, its tree has 4"]),
    ],
)
def test_a_limit_that_does_not_hold_is_noticed(changed, limit, said):
    limits = importlib.import_module("limits")
    assert [*limits.faults(LIMITED | changed, limit, {"greedy": 5.0})] == said


def test_the_worst_overshoot_is_shown():
    limits = importlib.import_module("limits")
    late = LIMITED | {"seconds": 0.133}
    row = {"dataset": "coins", "depth": 3, "runs": {0: [], 100: [LIMITED, late]}}
    line = limits.worst([row])
    assert line == "worst overshoot: 33.0 ms, 1.50 of the allowed (coins, depth 3, 100 ms)"


@pytest.mark.soak
def test_interrupts(tmp_path):
    small = ("--moments", 1, "--span", 0.2, "--rows", 100, "--proof", 1000, 40, 5)
    output, content = run("interrupts.py", tmp_path, *small)
    assert "longest delay" in output
    assert [row["what"] for row in content["rows"]] == ["SIGINT", "exception", "SIGKILL"]
    assert all(len(row["runs"]) == 1 for row in content["rows"])
    assert others(content, "ms late", "no search left") == []


ENDED = {"delay": 0.01, "fitted": True, "status": "interrupted"}
ENDED |= {"objective": 4.5, "recounted": 4.5, "lower": 1.0}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        ({"delay": 0.15}, ["ended 150 ms late, 100 are allowed"]),
        ({"fitted": False, "raised": "inside"}, ["is not fitted", "raised KeyboardInterrupt"]),
        ({"recounted": 5.5}, ["claims 4.5, its tree costs 5.5"]),
        ({"status": "time_limit"}, ["has the status time_limit"]),
        ({"delay": -1.0}, ["was over before the signal: a longer fit is needed"]),
        ({"failure": "exit code -11: "}, ["exit code -11: "]),
    ],
)
def test_a_bad_end_is_noticed(changed, said):
    interrupts = importlib.import_module("interrupts")
    assert [*interrupts.interrupt_faults(ENDED | changed)] == said


def test_an_exception_that_is_lost_is_noticed():
    interrupts = importlib.import_module("interrupts")
    assert [*interrupts.failing_faults(ENDED | {"raised": True, "calls": 3})] == []
    [said] = interrupts.failing_faults(ENDED | {"raised": False, "calls": 3, "delay": None})
    assert said == "did not raise; its callback was called 3 times"


def test_files_that_should_not_load_are_noticed():
    interrupts = importlib.import_module("interrupts")
    proved = {"status": "optimal", "objective": 7.0}
    refused = {"refused": "it was cut off"}
    good = {"answers": [proved, refused]}
    assert [*interrupts.load_faults(good, [True, False], 7.0)] == []
    assert [*interrupts.load_faults(good, [False, True], 7.0)] == [
        "a file that was cut off is loaded",
        "a complete file is refused: it was cut off",
    ]
    [said] = interrupts.load_faults({"answers": [proved]}, [True], 6.0)
    assert said == "goes on to optimal 7, the optimum is 6"
    assert [*interrupts.load_faults({"failure": "exit code -11: "}, [True], 6.0)]


def test_a_whole_file_ends_with_its_checksum(tmp_path):
    interrupts = importlib.import_module("interrupts")
    path, content = tmp_path / "file", b"state" * 20
    path.write_bytes(content + blake2b(content, digest_size=32).digest())
    assert interrupts.is_whole(path)
    path.write_bytes(path.read_bytes()[:-1])
    assert not interrupts.is_whole(path)


def test_memory(data, tmp_path):
    chosen = ("--data", data, "--problems", "coins:4", "--limit", 64)
    output, content = run("memory.py", tmp_path, *chosen)
    assert "say little: coins, depth 4" in output
    [row] = content["rows"]
    assert row["limited_mb"] < 64
    assert row["slow_down"] > 0
    assert content["violations"] == []


def measured(**changed):
    runner = importlib.import_module("_runner")
    run = {"seconds": 1.0, "found": 5.0, "optimal": True, "status": "optimal"}
    run |= {"growth_bytes": 70_000_000, "errors": 5, "lower": 5.0}
    return runner.Measured("job", 10.0, [run | changed])


def test_a_search_that_takes_more_memory_is_noticed():
    memory = importlib.import_module("memory")
    assert [*memory.faults(measured(), measured(), 64)] == []
    [said] = memory.faults(measured(), measured(growth_bytes=71_000_000), 64)
    assert said == "grows by 71.0 MB with 64 MB, 70.4 are allowed"
    [said] = memory.faults(measured(), measured(found=6.0), 64)
    assert said == "proves 6 with 64 MB, 5 without a limit"
    [said] = memory.faults(measured(), measured(optimal=False, status="time_limit"), 64)
    assert said == "with 64 MB: not proved, status time_limit"


@pytest.mark.soak
def test_resume(data, tmp_path):
    chosen = ("--data", data, "--problems", "coins:4", "--repeats", 1)
    _, content = run("resume.py", tmp_path, *chosen)
    [row] = content["rows"]
    assert row["whole"]["status"] == "optimal"
    assert all(len(runs) == 1 and runs[0]["pieces"] >= 1 for runs in row["ways"].values())
    assert others(content, "times as long", "not proved after") == []


def test_resuming_that_costs_too_much_is_noticed():
    resume = importlib.import_module("resume")
    whole = {"seconds": 10.0, "objective": 5.0, "status": "optimal"}
    good = whole | {"seconds": 11.0, "pieces": 11}
    assert [*resume.faults(whole, [good])] == []
    [said] = resume.faults(whole, [good | {"seconds": 12.0}])
    assert said == "takes 1.20 times as long as one run, 1.15 are allowed"
    [said] = resume.faults(whole, [good | {"objective": 6.0}])
    assert said == "proved 6, one run 5"
    [said] = resume.faults(whole, [good | {"status": "time_limit"}])
    assert said == "not proved after 11 slices, status time_limit"
    assert [*resume.faults(whole, [{"failure": "exit code 1: "}])] == ["exit code 1: "]


@pytest.mark.soak
def test_threads(data, tmp_path):
    chosen = ("--data", data, "--problems", "coins:4", "--repeats", 1, "--least", 0)
    output, content = run("threads.py", tmp_path, *chosen)
    assert "2 threads: " in output
    [row] = content["rows"]
    assert row["at_once"].keys() == {"alone", "processes", "threads"}
    assert others(content, "is less than", "in Python threads take") == []


def test_threads_that_do_not_help_are_noticed():
    threads = importlib.import_module("threads")
    line, fault = threads.mean_line([(1.6, "a"), (1.9, "b")], 2, 2.0)
    assert fault is None
    assert "1.74 times faster (geometric mean of 2 problems" in line
    _, fault = threads.mean_line([(1.6, "a"), (1.7, "b")], 2, 2.0)
    assert fault == "2 threads: 1.65 is less than 1.7"
    assert threads.mean_line([], 2, 2.0)[1] is None
    found = {"1 thread": measured(), "2 threads": measured(found=6.0, errors=6)}
    said = [*threads.speed_faults("coins", found, "1 thread", "2 threads")]
    assert "coins: 5 with one thread, 6 with more" in said


def test_fits_that_wait_for_each_other_are_noticed():
    threads = importlib.import_module("threads")
    took = {"alone": 2.0, "processes": 2.1, "threads": 2.2}
    assert [*threads.together_faults(took, 2)] == []
    assert [*threads.together_faults(took | {"threads": 4.0}, 1)] == []
    [said] = threads.together_faults(took | {"threads": 4.0}, 2)
    assert said.startswith("two fits in Python threads take 4.00 s, 2.00 alone")


def test_a_worker_that_fails_says_so(data):
    control = importlib.import_module("_control")
    failed = control.ask("whole", data, options={}, limit=1.0)  # the folder has no arrays
    assert failed["failure"].startswith("exit code 1: FileNotFoundError")


def test_quick_changes_defaults_alone():
    control = importlib.import_module("_control")
    parser = control.arguments("...")
    parser.add_argument("--moments", type=int, default=50)
    for given, expected in ([], 50), (["--quick"], 6), (["--quick", "--moments", "7"], 7):
        assert control.parsed(parser, given, {"moments": 6}).moments == expected

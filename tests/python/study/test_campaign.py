"""Campaigns: all runs in order, and after any interruption only those that are missing."""

import io
import os
import signal
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from beamtree.datasets import tic_tac_toe
from beamtree.study import SYSTEMS, Run, read_runs, run
from beamtree.study._cores import allowed_cores
from beamtree.study._problems import PACKAGED, load_problems
from beamtree.study._progress import Bar, TimeLeft
from beamtree.study.store import FILE
from tests.python.study import study_systems

OWN = "tests.python.study.study_systems:"
QUICK = [OWN + "quick", OWN + "quicker"]
ROWS = "1 0 0\n0 0 1\n0 1 0\n0 1 1\n0 1 1\n"


@pytest.fixture(autouse=True)
def own_cores(tmp_path, monkeypatch):
    """Give every test its own locks of cores, so that no test waits for another."""
    monkeypatch.setattr("beamtree.study._cores.lock_folder", lambda: tmp_path / "cores")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "or.txt"
    path.write_text(ROWS)
    return path


def test_the_order_of_the_runs(tmp_path, data, capfd):
    out = run(data, out=tmp_path / "out", depths=[2, 1], budget=10, systems=QUICK)
    assert out == tmp_path / "out"
    identities = [one.identity for one in read_runs(out)]
    assert identities == [("or", d, s, 10.0, 0) for d, s in product([2, 1], QUICK)]
    assert {one.objective for one in read_runs(out)} == {1.0}
    assert capfd.readouterr() == ("", "")  # no progress bar without a terminal


def test_nothing_is_run_again(tmp_path, data, monkeypatch):
    settings = {"out": tmp_path, "depths": [1], "budget": 10}
    run(data, **settings, systems=QUICK[:1])
    before = (tmp_path / FILE).read_bytes()
    monkeypatch.setattr(sys, "executable", "/no/such/python")  # so that a run would raise
    run(data, **settings, systems=QUICK[:1])
    assert (tmp_path / FILE).read_bytes() == before


def test_other_data_of_the_same_name_are_an_error(tmp_path, data):
    settings = {"out": tmp_path / "out", "depths": [1], "budget": 10, "systems": QUICK[:1]}
    run(data, **settings)
    data.write_text(ROWS + "1 1 1\n")
    with pytest.raises(ValueError, match="got other rows under the name 'or'"):
        run(data, **settings)


def test_one_run_that_fails_stops_nothing(tmp_path, data):
    systems = [OWN + "crashes", OWN + "quick"]
    out = run(data, out=tmp_path, depths=[1], budget=10, systems=systems)
    assert [one.status for one in read_runs(out)] == ["failed", "finished"]


@pytest.mark.skipif(len(allowed_cores()) < 2, reason="one core")
def test_jobs_run_at_the_same_time(tmp_path, data, monkeypatch):
    """Each of the two runs ends only if the other one runs at the same time."""
    monkeypatch.setenv(study_systems.FOLDER, str(tmp_path))
    os.mkfifo(tmp_path / "here")
    systems = [OWN + "meets_reader", OWN + "meets_writer"]
    runs = read_runs(run(data, out=tmp_path, depths=[1], budget=60, systems=systems, jobs=2))
    assert [one.status for one in runs] == ["finished", "finished"]
    if hasattr(os, "sched_setaffinity"):
        assert {one.core for one in runs} == set(allowed_cores()[:2])


# If the tests run in the background of a shell, Ctrl-C is ignored unless a handler is set.
CAMPAIGN = """
import signal, sys
from beamtree.study import run
signal.signal(signal.SIGINT, signal.default_int_handler)
run(sys.argv[1], out=sys.argv[2], depths=[1, 2], budget=600, systems=sys.argv[3:])
"""


@pytest.fixture
def half_way(tmp_path, data, monkeypatch):
    """Return a campaign in another process whose second run waits, and the pipe of that run."""
    monkeypatch.setenv(study_systems.FOLDER, str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    os.mkfifo(tmp_path / "here")
    systems = [OWN + "quick", OWN + "waits"]
    command = [sys.executable, "-c", CAMPAIGN, data, tmp_path / "out", *systems]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        with (tmp_path / "here").open() as pipe:
            assert int(pipe.readline()) == process.pid
            yield process, pipe
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_campaign_continues_after_it_was_ended(tmp_path, data, half_way, number):
    process, pipe = half_way
    process.send_signal(number)
    assert pipe.read() == ""  # the waiting run has ended, too
    process.wait()
    before = (tmp_path / "out" / FILE).read_bytes()
    assert before.endswith(b"\n")
    assert [one.identity[1:3] for one in read_runs(tmp_path / "out")] == [(1, OWN + "quick")]
    if number == signal.SIGINT:
        assert b"KeyboardInterrupt" in process.stderr.read().splitlines()[-1]

    (tmp_path / "go").touch()
    systems = [OWN + "quick", OWN + "waits"]
    run(data, out=tmp_path / "out", depths=[1, 2], budget=600, systems=systems)
    assert (tmp_path / "out" / FILE).read_bytes().startswith(before)
    identities = [one.identity[1:3] for one in read_runs(tmp_path / "out")]
    assert identities == list(product([1, 2], systems))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depths": []}, r"depths must be a sequence of at least one value, each .*, got \[\]"),
        ({"depths": [3.5]}, r"depths must be .*, got \[3.5\]"),
        ({"budget": 0}, "budget must be a finite number above 0, got 0"),
        ({"jobs": 0}, "jobs must be an integer of at least 1, or -1 for all cores, got 0"),
        ({"dask": 8786}, "dask must be None or the address of a scheduler, .*, got 8786"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"systems": "dl"}, "systems must be among .* got 'dl'"),
        ({"data": "/no/such/folder"}, "data must be files or folders .* '/no/such/folder'"),
    ],
)
def test_what_is_not_allowed(tmp_path, settings, message):
    allowed = {"data": None, "out": tmp_path / "out", "depths": [1], "budget": 1}
    with pytest.raises((ValueError, OSError), match=message):
        run(**(allowed | settings))
    assert not (tmp_path / "out").exists()


def test_a_folder_of_files(tmp_path):
    (tmp_path / "b.txt").write_text(ROWS)
    (tmp_path / "a.csv").write_text("class,size,colour\nyes,1,red\nno,2,blue\nyes,3,red\n")
    (tmp_path / "readme.md").write_text("no data")
    table, rows = load_problems(tmp_path)
    assert (table.name, rows.name) == ("a", "b")
    # The tests are size <= 1.5, size <= 2.5 and colour.
    assert table.X.shape == (3, 3)
    assert table.codes.tolist() == [1, 0, 1]
    assert rows.X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]
    assert [one.name for one in load_problems([tmp_path / "b.txt"])] == ["b"]


def test_the_class_of_a_table_may_be_any_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("size,colour,class\n1,red,yes\n2,blue,no\n3,red,yes\n")
    (problem,) = load_problems(path, "class")
    assert (problem.X.shape, problem.codes.tolist()) == ((3, 3), [1, 0, 1])
    assert load_problems(path)[0].n_classes == 3  # sizes
    path.write_text("\n" + path.read_text())  # blank lines are skipped
    assert load_problems(path)[0].n_classes == 3
    with pytest.raises(ValueError, match=r"target must be a column of .*a\.csv"):
        load_problems(path, "taste")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "data must have files that end in .txt, .txt.gz, .csv, got none in"),
        (["a.txt", "a.csv"], "data must have distinct names, got .*a.csv' and .*a.txt'"),
    ],
)
def test_folders_that_are_refused(tmp_path, names, message):
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(ValueError, match=message):
        load_problems(tmp_path)


def test_files_of_another_kind_are_refused(tmp_path):
    (tmp_path / "a.xls").touch()
    with pytest.raises(ValueError, match=r"data must end in .txt, .txt.gz, .csv, got .*a.xls"):
        load_problems(tmp_path / "a.xls")


def test_the_data_of_the_package():
    problems = {problem.name: problem for problem in load_problems()}
    assert list(problems) == list(PACKAGED)
    assert np.array_equal(problems["tic-tac-toe"].X, tic_tac_toe().X)
    assert all(problem.X.max() == 1 for problem in problems.values())


def test_the_time_left():
    """With two jobs: a run takes 10 s, its budget, or the mean of its system so far, plus 2 s."""
    left = TimeLeft(["a", "b", "a", "b"], 10.0, 2)
    assert left.seconds() == 4 * 12 / 2
    left.done("a", 1.0)
    assert left.seconds() == (3 + 2 * 12) / 2
    left.done("b", 10.0)
    left.done("b", 6.0)
    assert left.seconds() == 3 / 2


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("wanted", [True, False])
def test_the_bar_on_a_terminal(monkeypatch, wanted):
    """One of four runs is already there, and one ends: the two others take 24 s with one job."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Bar(TimeLeft(["a", "b", "b"], 10.0, 1), 4, 1, wanted=wanted) as bar:
        bar.advance(Run("or", 2, "a", 10.0, 0, 5, 2, 2, "", "optimal", seconds=1.0))
    shown = terminal.getvalue()
    assert ("or 2 a" in shown, "2/4" in shown, "0:00:24 left" in shown) == (wanted,) * 3


def test_all_systems_are_run_by_default(tmp_path, data, monkeypatch):
    planned = []
    monkeypatch.setattr(
        "beamtree.study.campaign._run_with_joblib", lambda jobs, *_: planned.extend(jobs)
    )
    run(data, out=tmp_path, depths=[1], budget=1)
    assert [job.identity.system for job in planned] == list(SYSTEMS)

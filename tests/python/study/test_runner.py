"""A run in a process of its own is recorded, however it ends."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from beamtree.study import _process
from beamtree.study._cores import allowed_cores, taken_core
from beamtree.study._problems import Problem
from beamtree.study.runner import Job, Runner, Stopped
from tests.python.study import study_systems

OWN = "tests.python.study.study_systems:"
PROBLEM = Problem.of("or", [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], [0, 1, 1, 1, 1])


@pytest.fixture(autouse=True)
def own_cores(tmp_path, monkeypatch):
    """Give every test its own locks of cores, so that no test waits for another."""
    monkeypatch.setattr("beamtree.study._cores.lock_folder", lambda: tmp_path / "cores")


def job(system, budget=60.0):
    return Job.of(PROBLEM, 2, system, budget, 0)


def test_the_record_of_a_run():
    run = Runner().run(job("dl85"))
    assert run.identity == ("or", 2, "dl85", 60.0, 0)
    assert (run.rows, run.features, run.classes) == (5, 2, 2)
    assert run.data_hash == PROBLEM.data_hash
    assert (run.status, run.objective, run.lower_bound, run.failure) == ("optimal", 0.0, 0.0, None)
    assert [row[1:] for row in run.trace] == [[1.0, 0.0], [0.0, 0.0]]
    assert 0.0 < run.trace[0][0] <= run.trace[1][0] <= run.seconds < 60.0
    assert 0.0 < run.preparation < run.seconds
    assert 0.0 < run.cpu_seconds < 60.0
    assert 10_000_000 < run.memory < 2_000_000_000
    assert run.started.endswith("+00:00")
    assert set(run.versions) == {"beamtree", "python", "numpy", "scikit-learn"}
    assert set(run.machine) == {"cpu", "cores", "memory", "system"}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no way to pin")
def test_a_run_is_pinned_to_a_free_core():
    first = allowed_cores()[0]
    with taken_core(Event()) as core:
        assert core.number == first
        if len(allowed_cores()) > 1:
            assert Runner().run(job(OWN + "quick")).core == allowed_cores()[1]
    assert Runner().run(job(OWN + "quick")).core == first


def test_waiting_for_a_core_can_be_ended(monkeypatch):
    monkeypatch.setattr("beamtree.study._cores.allowed_cores", lambda: [0])
    runner = Runner()
    with taken_core(Event()), ThreadPoolExecutor(1) as thread:
        future = thread.submit(runner.run, job(OWN + "quick"))
        runner.stop()
        with pytest.raises(Stopped):
            future.result()


def test_a_run_that_hangs_is_killed(monkeypatch):
    monkeypatch.setattr(_process, "GRACE", 0.2)
    run = Runner().run(job(OWN + "hangs", 0.1))
    assert (run.status, run.objective, run.lower_bound) == ("killed", 3.0, 1.0)
    assert [row[1:] for row in run.trace] == [[3.0, 1.0]]
    assert run.seconds >= 0.3
    assert run.failure == f"killed after {run.seconds:.1f} s"
    assert run.versions
    if os.path.exists("/proc/self/status"):  # noqa: PTH110
        assert run.memory > 10_000_000
        assert 0.0 <= run.cpu_seconds < 60.0


def test_a_run_that_never_begins_has_failed(monkeypatch):
    monkeypatch.setattr(_process, "START", 0.01)
    run = Runner().run(job(OWN + "quick"))
    assert (run.status, run.objective) == ("failed", None)
    assert run.failure == "did not begin within 0.01 s"


def test_a_run_that_crashes_has_failed():
    run = Runner().run(job(OWN + "crashes"))
    assert (run.status, run.failure) == ("failed", "exit code 7: no more memory")
    assert (run.objective, len(run.trace), run.memory) == (3.0, 1, None)


def test_a_run_that_raises_has_failed():
    run = Runner().run(job(OWN + "raises"))
    assert (run.status, run.failure) == ("failed", "ValueError: the rows are odd")
    assert (run.objective, run.trace) == (None, [])


@pytest.mark.parametrize("system", ["has_no_bound", "tells_less_than_nothing"])
def test_bounds_that_are_not_allowed_are_a_failure(system):
    run = Runner().run(job(OWN + system))
    assert run.status == "failed"
    assert run.failure.startswith("ValueError: the lower bound of a system must be a finite number")
    assert run.from_line(run.as_line()) == run


def test_a_system_may_print():
    run = Runner().run(job(OWN + "prints"))
    assert (run.status, run.objective) == ("finished", 4.0)
    assert [row[1:] for row in run.trace] == [[4.0, 0.0]]


def test_a_tree_is_rescored():
    run = Runner().run(job(OWN + "boasts"))
    assert (run.status, run.objective) == ("optimal", 4.0)
    assert [row[1:] for row in run.trace] == [[0.0, 0.0], [4.0, 0.0]]  # the reports are kept


def test_stop_kills_the_run(tmp_path, monkeypatch):
    monkeypatch.setenv(study_systems.FOLDER, str(tmp_path))
    os.mkfifo(tmp_path / "here")
    runner = Runner()
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(runner.run, job(OWN + "waits"))
        with (tmp_path / "here").open() as pipe:
            assert int(pipe.readline()) == os.getpid()
            runner.stop()
            assert pipe.read() == ""  # the process has ended
        with pytest.raises(Stopped):
            future.result()
    with pytest.raises(Stopped):
        runner.run(job(OWN + "quick"))


def test_data_are_packed_and_unpacked():
    rng = np.random.default_rng(0)
    problem = Problem.of("random", rng.integers(0, 2, (50, 13)), rng.choice(["a", "b", "c"], 50))
    again = Problem.unpacked("random", problem.packed)
    assert np.array_equal(again.X, problem.X)
    assert again.X.flags.c_contiguous
    assert np.array_equal(again.codes, problem.codes)
    assert (again.n_classes, again.data_hash) == (3, problem.data_hash)

"""A campaign on a real Dask cluster, one of whose workers is killed halfway."""

import os
import signal
from itertools import product
from threading import Thread
from types import SimpleNamespace

import pytest

from beamtree.study import read_runs, run
from tests.python.study import study_systems

distributed = pytest.importorskip("distributed")

OWN = "tests.python.study.study_systems:"


@pytest.mark.filterwarnings("default")  # the cluster has warnings of its own
def test_a_worker_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(study_systems.FOLDER, str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    os.mkfifo(tmp_path / "here")
    (tmp_path / "or.txt").write_text("1 0 0\n0 0 1\n0 1 0\n0 1 1\n0 1 1\n")
    systems = [OWN + "waits", OWN + "quick", OWN + "raises"]
    killed = []

    def kill():
        """Kill the worker whose run waits; when it is repeated, the run does not wait."""
        with (tmp_path / "here").open() as pipe:
            killed.append(int(pipe.readline()))
            (tmp_path / "go").touch()
            os.kill(killed[0], signal.SIGKILL)
            pipe.read()  # until its run has ended, too

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        thread = Thread(target=kill)
        thread.start()
        out = run(
            tmp_path / "or.txt",
            out=tmp_path / "out",
            depths=[1, 2],
            budget=60,
            systems=systems,
            dask=cluster.scheduler_address,
        )
        thread.join()
    assert len(killed) == 1
    runs = read_runs(out)
    identities = [one.identity[1:3] for one in runs]
    assert sorted(identities) == sorted(product([1, 2], systems))
    statuses = {one.identity[1:3]: one.status for one in runs}
    for (_, system), status in statuses.items():
        assert status == ("failed" if system.endswith("raises") else "finished")


def test_a_job_that_is_lost_several_times_has_failed():
    from beamtree.study._dask import _result
    from beamtree.study._problems import Problem
    from beamtree.study.runner import Job

    class Lost:
        status = "error"

        def exception(self):
            return distributed.KilledWorker("task", SimpleNamespace(address="tcp://there"), 3)

    job = Job.of(Problem.of("or", [[0], [1]], [0, 1]), 1, "dl85", 1.0, 0)
    record = _result(Lost(), job)
    assert (record.identity, record.status) == (job.identity, "failed")
    assert record.failure.startswith("KilledWorker: ")

"""Searches that the workers of a Dask cluster do: the same optimum, whatever happens to workers."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from beamtree import OptimalTreeClassifier, OptimalTreeRegressor, Search
from beamtree._engine.native import SearchSpec
from beamtree.dask import (
    DaskOptimalTreeClassifier,
    DaskOptimalTreeRegressor,
    _distributed_search,
    _helper,
)
from tests.soak import trials

distributed = pytest.importorskip("distributed")

NO_DASHBOARD = {"dashboard_address": ":0", "silence_logs": "CRITICAL"}


@pytest.fixture(scope="module")
def client():
    """Two workers in threads of this process, which start fast."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, **NO_DASHBOARD
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def processes():
    """Two workers in processes of their own, which can be killed."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, **NO_DASHBOARD
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def noisy_bits(seed, n_rows, n_columns, noise=0.15):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    y = (X[:, 0] & X[:, 1] | X[:, 2] & X[:, 3] ^ X[:, 4]) ^ (rng.random(n_rows) < noise)
    return X, y.astype(int)


@pytest.fixture(scope="module")
def long_problem():
    """A problem that takes one process some seconds."""
    return noisy_bits(0, 1000, 70)


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(20, 60)), int(rng.integers(3, 7))
    binary, numbers = rng.random() < 0.5, rng.random() < 0.3
    high = 2 if binary else 9
    X = rng.integers(0, high, (n_rows, n_columns)).astype(np.uint8 if binary else float)
    y = rng.integers(0, 30, n_rows) / 4 if numbers else rng.integers(0, rng.integers(2, 5), n_rows)
    weight = rng.integers(1, 4, n_rows) if rng.random() < 0.4 else None
    settings = {"max_depth": int(rng.integers(1, 5)), "exact_levels": int(rng.integers(0, 3))}
    if rng.random() < 0.3:
        settings["leaf_penalty"] = 0.02
        if rng.random() < 0.5:
            settings |= {"max_depth": None, "leaf_penalty": 0.06}
    if rng.random() < 0.3:
        settings["min_samples_leaf"] = 3
    if rng.random() < 0.2:
        settings["max_leaf_nodes"] = int(rng.integers(2, 7))
    if rng.random() < 0.3:
        settings["max_thresholds"] = 3
    return X, y, weight, bool(numbers), settings


@pytest.fixture
def small_tasks(monkeypatch):
    """Let workers do everything, however short it takes, and let none of them explore."""
    made = SearchSpec.make

    def make(spec, **changes):
        if "task_threads" in changes:
            changes["task_nanoseconds"] = 0
        return made(spec, **changes)

    monkeypatch.setattr(SearchSpec, "make", make)
    monkeypatch.setattr(_distributed_search.Exploring, "is_turn", lambda *_: False)


@pytest.mark.parametrize("block", trials(2, 50))
@pytest.mark.usefixtures("small_tasks")
def test_random_problems(client, block):
    """The distributed search has the objective and the bound of the one in this process."""
    tasks = 0
    for seed in range(30 * block, 30 * (block + 1)):
        X, y, weight, numbers, settings = random_problem(seed)
        local = Search(X, y, weight, regression=numbers, **settings).run()
        found = Search(X, y, weight, regression=numbers, client=client, **settings).run(60)
        assert (found.status, found.cost, found.lower) == (local.status, local.cost, local.lower)
        assert found.objective == pytest.approx(local.objective)
        tasks += found.statistics.get("tasks", 0)
    assert tasks > 300


def test_work_is_left_to_the_workers(client, long_problem):
    X, y = long_problem
    clf = DaskOptimalTreeClassifier(client, max_depth=5).fit(X, y)
    assert clf.statistics_["workers"] == 2
    assert clf.statistics_["tasks"] > 20
    assert clf.objective_ == best_of_one_process(X, y)
    assert clf.status_ == "optimal"


def test_regression(client):
    rng = np.random.default_rng(3)
    X, noise = rng.random((300, 5)), rng.normal(size=300)
    y = 3 * (X[:, 0] > 0.4) * (X[:, 1] > 0.3) + noise
    model = DaskOptimalTreeRegressor(client, max_depth=3).fit(X, y)
    local = OptimalTreeRegressor(max_depth=3).fit(X, y)
    assert model.objective_ == pytest.approx(local.objective_)
    assert model.status_ == local.status_ == "optimal"
    assert model.statistics_["tasks"] > 0


def test_limits_and_callbacks(client, long_problem):
    X, y = long_problem
    seen = []
    clf = DaskOptimalTreeClassifier(client, max_depth=6, time_limit=2, callback=seen.append)
    with pytest.warns(ConvergenceWarning, match="Not proved"):
        clf.fit(X, y)
    assert clf.status_ == "time_limit"
    assert clf.statistics_["seconds"] < 4
    assert len(seen) == len(clf.trace_)
    stopped = DaskOptimalTreeClassifier(client, max_depth=6, callback=lambda _: True)
    stopped.fit(X, y)
    assert stopped.status_ == "interrupted"
    with pytest.warns(ConvergenceWarning, match="Not proved"):
        stopped.set_params(callback=None, node_limit=50).fit(X, y)
    assert stopped.status_ == "node_limit"
    gap = DaskOptimalTreeClassifier(client, max_depth=5, gap_limit=0.5).fit(X, y)
    assert gap.gap_ <= 0.5


def test_a_better_tree_reaches_running_tasks(client, long_problem):
    """A task that asks for more than the best tree costs ends within a tenth of a second."""
    X, y = long_problem
    search = Search(X, y, max_depth=6, client=client)
    search.step()
    spec = search._engine._search._crew._spec
    address = next(iter(client.nthreads()))
    helper = client.submit(
        _helper.Helper, spec, _helper.version_here(), actor=True, workers=[address]
    ).result()
    task = (1, [(0, True)], 5, 1 << 30, 200, 300, False)
    begin = time.perf_counter()
    call = helper.solve([task], [], 301, 60.0)
    time.sleep(0.3)
    assert not call.done()
    told = time.perf_counter()
    helper.tell(299).result()
    ((answer,), _) = call.result(timeout=10)
    assert time.perf_counter() - told < 0.1
    assert answer.end == "given_up"
    assert time.perf_counter() - begin < 5


def test_checkpoints(client, long_problem, tmp_path):
    """A search may be saved while a cluster does it, and go on with or without one."""
    X, y = long_problem
    optimum = Search(X, y, max_depth=4).run().objective
    path = tmp_path / "search"
    for first, second in ((client, None), (None, client), (client, client)):
        search = Search(X, y, max_depth=4, client=first)
        search.run(0.2)
        search.save(path)
        again = Search.load(path, X, y, client=second)
        assert again.lower_bound == search.lower_bound
        result = again.run(60)
        assert (result.status, result.objective) == ("optimal", optimum)


def test_warm_start(client, long_problem):
    X, y = long_problem
    clf = DaskOptimalTreeClassifier(client, max_depth=5, time_limit=1, warm_start=True)
    with pytest.warns(ConvergenceWarning, match="Not proved"):
        clf.fit(X, y)
    before = clf.lower_bound_, clf.objective_
    clf.set_params(time_limit=60).fit(X, y)
    assert clf.lower_bound_ >= before[0]
    assert clf.objective_ <= before[1]
    assert clf.status_ == "optimal"


@pytest.mark.parametrize("moment", trials(4, 20))
def test_a_worker_dies(processes, long_problem, moment):
    """Its task is done by another one; the one that takes its place is used, too."""
    X, y = long_problem
    pids = processes.run(os.getpid)
    delay = 0.1 + 2.0 * np.random.default_rng(moment).random()
    killer = threading.Timer(delay, os.kill, (min(pids.values()), signal.SIGKILL))
    killer.start()
    clf = DaskOptimalTreeClassifier(processes, max_depth=5, time_limit=120).fit(X, y)
    killer.join()
    local = best_of_one_process(X, y)
    assert (clf.status_, clf.objective_) == ("optimal", local)


def best_of_one_process(X, y, known={}):  # noqa: B006
    key = X.tobytes()
    if key not in known:
        known[key] = OptimalTreeClassifier(max_depth=5, time_limit=None).fit(X, y).objective_
    return known[key]


def test_a_worker_joins(long_problem):
    X, y = long_problem
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, **NO_DASHBOARD
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        threading.Timer(0.5, cluster.scale, (2,)).start()
        search = Search(X, y, max_depth=6, client=client)
        for _ in range(60):
            if search.run(1.0).statistics["workers"] == 2:
                break
        else:
            pytest.fail("the new worker was not used")


def test_the_scheduler_dies(long_problem, tmp_path):
    """The estimator is fitted with the best tree and the proved bound, and an error says why."""
    X, y = long_problem
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    scheduler = subprocess.Popen(
        [*dask, "--port", "0", "--no-dashboard", "--scheduler-file", str(file)], **quiet
    )
    worker = subprocess.Popen(
        [
            *[sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1"],
            *["--no-dashboard", "--scheduler-file", str(file)],
        ],
        **quiet,
    )
    try:
        wait_for(file)
        client = distributed.Client(scheduler_file=str(file))
        client.wait_for_workers(1, timeout=60)
        clf = DaskOptimalTreeClassifier(client, max_depth=6, time_limit=60)
        threading.Timer(1.5, scheduler.kill).start()
        with pytest.raises(ConnectionError, match="cluster was lost"):
            clf.fit(X, y)
        assert clf.status_ == "interrupted"
        assert 0 <= clf.lower_bound_ <= clf.objective_
        assert clf.objective_ <= OptimalTreeClassifier(max_depth=4).fit(X, y).objective_ + 50
        assert (clf.predict(X) != y).sum() == clf.objective_
        client.close(timeout=1)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


def wait_for(file: Path):
    for _ in range(600):
        if file.exists() and file.stat().st_size > 0:
            return
        time.sleep(0.1)
    raise AssertionError(file)


SHORT = """
from distributed import Client, LocalCluster
from beamtree.dask import DaskOptimalTreeClassifier
from beamtree.datasets import tic_tac_toe

X, y, _, _ = tic_tac_toe()
cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
client = Client(cluster)
if {close}:
    with cluster, client:
        DaskOptimalTreeClassifier(client, max_depth=5).fit(X, y)
else:
    clf = DaskOptimalTreeClassifier(client, max_depth=5).fit(X, y)
"""


@pytest.mark.parametrize("close", [True, False])
def test_the_end_of_the_interpreter(close):
    """A script that ends right after a fit ends quietly, whatever its workers do meanwhile."""
    run = subprocess.run(
        [sys.executable, "-c", SHORT.format(close=close)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


INTERRUPTED = """
import signal
import numpy as np
from distributed import Client, LocalCluster
from beamtree.dask import DaskOptimalTreeClassifier

def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 70)).astype(np.uint8)
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(1000) < 0.2)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        clf = DaskOptimalTreeClassifier(client, max_depth=7, time_limit=60)
        clf.set_params(callback=lambda _: print("improved", flush=True))
        clf.fit(X, y)
        print(clf.status_, clf.score(X, y) > 0.7, clf.statistics_["seconds"] < 30)

if __name__ == "__main__":
    main()
"""


def test_ctrl_c(tmp_path):
    """SIGINT to the client keeps the best tree, and the workers are not hurt."""
    file = tmp_path / "interrupted.py"
    file.write_text(INTERRUPTED)
    run = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout.readline() == "improved\n"
    time.sleep(1.0)
    run.send_signal(signal.SIGINT)
    out, errors = run.communicate(timeout=60)
    assert out.splitlines()[-1] == "interrupted True True", errors


def test_an_error_on_a_worker_is_told(client, long_problem, monkeypatch):
    """The estimator is fitted nevertheless."""
    X, y = long_problem

    def fails(*_):
        raise MemoryError("the worker is too small")

    monkeypatch.setattr(_helper.Helper, "solve", fails)
    clf = DaskOptimalTreeClassifier(client, max_depth=6, time_limit=60)
    with pytest.raises(RuntimeError, match=r"failed on the Dask worker .*too small"):
        clf.fit(X, y)
    assert clf.status_ == "interrupted"
    assert (clf.predict(X) != y).sum() == clf.objective_


def test_another_version_on_a_worker_is_refused(client, long_problem, monkeypatch):
    monkeypatch.setattr(_distributed_search, "version_here", lambda: "1.0.0")
    monkeypatch.setattr(_helper, "version_here", lambda: "0.0.0")
    clf = DaskOptimalTreeClassifier(client, max_depth=6, time_limit=60)
    with pytest.raises(RuntimeError, match=r"this worker has beamtree 0\.0\.0"):
        clf.fit(*long_problem)
    assert clf.status_ == "interrupted"


def test_a_wrong_client_is_refused(long_problem):
    X, y = long_problem
    with pytest.raises(ValueError, match=r"client must be None or a distributed.Client, got"):
        DaskOptimalTreeClassifier("tcp://somewhere", max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match=r"client must be None or a distributed.Client, got"):
        Search(X, y, client=3)


def test_a_client_that_cannot_be_used_is_refused(client, long_problem):
    X, y = long_problem
    closed = distributed.Client(client.scheduler.address)
    closed.close()
    with pytest.raises(ValueError, match="client must be connected to a cluster, got one that is"):
        DaskOptimalTreeClassifier(closed, max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="client must be connected to a cluster, got one that is"):
        Search(X, y, client=closed)

    async def fit():
        async with distributed.Client(client.scheduler.address, asynchronous=True) as waiting:
            DaskOptimalTreeClassifier(waiting, max_depth=2).fit(X, y)

    with pytest.raises(ValueError, match="client must not be asynchronous"):
        asyncio.run(fit())


def test_a_client_is_closed_during_a_fit(client, long_problem):
    other = distributed.Client(client.scheduler.address)
    clf = DaskOptimalTreeClassifier(other, max_depth=6, time_limit=60)
    threading.Timer(0.5, other.close).start()
    with pytest.raises(ConnectionError, match="lost during the search: the client is clos"):
        clf.fit(*long_problem)
    assert clf.status_ == "interrupted"


def test_nothing_stays_on_the_workers(client, long_problem):
    X, y = long_problem
    DaskOptimalTreeClassifier(client, max_depth=4).fit(X, y)
    for _ in range(100):
        if not client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the scheduler still has tasks of the search")

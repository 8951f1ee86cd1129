"""Ctrl-C ends a cross validation, a grid search, a pipeline or a parallel call as a whole.

The signals are real ones. Where a library called `fit`, the fit has its tree, and KeyboardInterrupt
is raised; where the user's own code did, the tree is kept.
"""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV, Search, leaf_path

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 2, (2000, 60)), RNG.integers(0, 2, 2000)


@pytest.fixture(autouse=True)
def usual_handler():
    """Let Ctrl-C raise KeyboardInterrupt: processes in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def begun():
    return []


@pytest.fixture
def clf(begun):
    """Return a classifier whose fits are interrupted soon after they begin."""

    def press(_):
        if len(begun) < 1:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        begun.append(1)

    return OptimalTreeClassifier(max_depth=7, time_limit=30, callback=press)


def in_joblib(clf):
    return joblib.Parallel(n_jobs=1)([joblib.delayed(lambda: clf.fit(X, Y))()])


LIBRARIES = {
    "cross_val_score": lambda clf: cross_val_score(clf, X, Y, cv=4, error_score="raise"),
    "GridSearchCV": lambda clf: GridSearchCV(clf, {"max_depth": [6, 7]}, cv=2).fit(X, Y),
    "pipeline": lambda clf: make_pipeline(MinMaxScaler(), clf).fit(X, Y),
    "own code in joblib": in_joblib,
}


@pytest.mark.parametrize("call", LIBRARIES.values(), ids=LIBRARIES.keys())
def test_the_whole_ends(clf, call):
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        call(clf)
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize("name", ["pipeline", "own code in joblib"])
def test_the_classifier_is_fitted_before_the_exception(clf, name):
    with pytest.raises(KeyboardInterrupt):
        LIBRARIES[name](clf)
    assert clf.status_ == "interrupted"
    assert clf.n_errors_ == (clf.predict(X) != Y).sum()


def test_ones_own_call_keeps_the_tree(clf):
    assert clf.fit(X, Y).status_ == "interrupted"


def test_keep_is_kept_in_a_pipeline(clf):
    pipeline = LIBRARIES["pipeline"](clf.set_params(on_interrupt="keep"))
    assert pipeline[-1].status_ == "interrupted"


def test_raise_raises_in_ones_own_call(clf):
    with pytest.raises(KeyboardInterrupt):
        clf.set_params(on_interrupt="raise").fit(X, Y)
    assert clf.status_ == "interrupted"


def test_a_search_and_a_path_follow_the_same_rule():
    def search():
        return Search(X, Y, max_depth=7, callback=press).run(30)

    def path():
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        return leaf_path(X, Y, max_depth=7, time_limit=30)

    def press(_):
        os.kill(os.getpid(), signal.SIGINT)

    for run in (search, path):
        assert run().status == "interrupted"
        with pytest.raises(KeyboardInterrupt):
            joblib.Parallel(n_jobs=1)([joblib.delayed(run)()])


def test_the_folds_of_our_own_cross_validation_end_as_a_whole():
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        OptimalTreeClassifierCV(max_depths=(7,), leaf_penalties=[0.0], time_limit=30).fit(X, Y)


# The fits tell the test that they have begun by a file, because they may run in other processes.
PARALLEL = """
    import os, signal, sys, time
    from pathlib import Path
    import joblib
    import numpy as np
    from sklearn.model_selection import cross_val_score
    from beamtree import OptimalTreeClassifier

    signal.signal(signal.SIGINT, signal.default_int_handler)
    backend, begun = sys.argv[1:]

    def say(_):
        Path(begun, str(os.getpid())).touch()

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (2000, 60)), rng.integers(0, 2, 2000)
    clf = OptimalTreeClassifier(max_depth=8, time_limit=40, callback=say)
    try:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            scores = cross_val_score(clf, X, y, cv=4)
        print("scores", scores)
    except KeyboardInterrupt:
        print("ended", flush=True)
        if backend == "threading":  # the threads do not go on
            time.sleep(1.0)
            before = time.process_time()
            time.sleep(0.5)
            print("busy", time.process_time() - before)
"""


def started(backend, folder):
    """Start the cross validation in a process group of its own, and wait until it has begun."""
    command = [sys.executable, "-c", textwrap.dedent(PARALLEL), backend, str(folder)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, start_new_session=True, **pipes)
    wait_for(lambda: any(folder.iterdir()), 60)
    time.sleep(0.2)
    return process


def wait_for(is_true, seconds):
    end = time.perf_counter() + seconds
    while not is_true():
        assert time.perf_counter() < end
        time.sleep(0.02)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_ctrl_c_on_the_terminal_ends_parallel_fits(tmp_path, backend):
    """A terminal sends the signal to all processes of the group."""
    process = started(backend, tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=15)
    assert process.returncode == 0, err
    assert out.startswith("ended\n")
    assert err == ""
    if backend == "threading":
        assert float(out.split()[-1]) < 0.25


def test_searches_of_other_threads_end_with_the_process():
    """Without that, the interpreter would end them inside the core, which aborts the process."""
    program = """
        import threading
        import numpy as np
        from beamtree import OptimalTreeClassifier

        rng = np.random.default_rng(0)
        X, y = rng.integers(0, 2, (2000, 60)), rng.integers(0, 2, 2000)
        begun = threading.Event()
        clf = OptimalTreeClassifier(max_depth=8, callback=lambda _: begun.set())
        threading.Thread(target=clf.fit, args=(X, y), daemon=True).start()
        begun.wait()
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, check=False, timeout=20, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for the processes in /proc")
def test_processes_do_not_go_on_without_their_parent(tmp_path):
    process = started("loky", tmp_path)
    workers = [path.name for path in tmp_path.iterdir()]
    try:
        process.kill()
        process.wait(timeout=15)
        wait_for(lambda: not any(is_busy(worker) for worker in workers), 15)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # joblib's workers wait for more work
        process.communicate(timeout=15)


def is_busy(worker):
    """Return whether a process computes, by the time that it has spent on computing."""

    def spent():
        return Path("/proc", worker, "stat").read_text().rpartition(")")[2].split()[11]

    before = spent()
    time.sleep(0.5)
    return spent() != before

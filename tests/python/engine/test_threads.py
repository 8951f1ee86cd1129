"""A search releases the interpreter lock, so that other threads run meanwhile."""

import threading
import time

import numpy as np

from beamtree import OptimalTreeClassifier
from tests.unfinished import unfinished


@unfinished
def test_another_thread_runs_during_the_search():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 60))
    y = rng.integers(0, 2, 2000)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    clf = OptimalTreeClassifier(max_depth=7, time_limit=0.5).fit(X, y)
    end = time.perf_counter()
    stop.set()
    thread.join()

    assert clf.status_ == "time_limit"
    # If the search had kept the lock, there would be one long pause.
    during = [start, *(t for t in ticks if start < t < end), end]
    assert np.diff(during).max() < 0.4

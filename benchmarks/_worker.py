"""The worker of a benchmark: one solve in its own process, which `_runner.Job` starts.

It is the worker of the study with another function ``solve``: this one has solvers with options,
sample weights and tables of numbers, and measures the memory that the solve adds. Imports, loading
the data and a first fit of four rows come before the clock starts and before the memory is read.
"""

import io
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
from _solvers import SOLVERS
from sklearn.exceptions import ConvergenceWarning

from beamtree import _core
from beamtree.study._machine import peak_bytes
from beamtree.study.worker import main, pin

warnings.simplefilter("ignore", ConvergenceWarning)  # limits are part of the benchmark


def solve(request, packed, lines):
    """Solve the problem of a request, and write the measurements."""
    pin(request["core"])
    kind, options = SOLVERS[request["solver"]], request["options"]
    warm_up(kind, request["depth"], options)
    arrays = np.load(io.BytesIO(packed))
    weight = arrays.get("weight")
    solver = kind(request["depth"], request["limit"], options)
    X, y = solver.arrays(arrays["X"], arrays["y"])
    lines.write("begin", {"cpu_seconds": time.process_time()})

    before = start_peak()
    begin, cpu_begin = time.perf_counter(), time.process_time()
    solver.fit(X, y, weight)
    cpu_end, end = time.process_time(), time.perf_counter()
    growth = peak_bytes() - before

    trace = {"trace": solver.improvements(begin)} if request["trace"] else {}
    wrong = np.asarray(solver.predict(X)).ravel() != y
    found = float(wrong.sum() if weight is None else weight[wrong].sum())
    measured = {"seconds": end - begin, "cpu_seconds": cpu_end - cpu_begin}
    measured |= {"growth_bytes": growth, "found": found, "wrong": int(wrong.sum())}
    lines.write("end", measured | solver.claim() | trace)


def warm_up(kind, depth, options):
    """Let a solver fit four rows, so that late imports and first calls are not measured."""
    solver = kind(None if depth is None else 2, 10.0, options)
    X, y = solver.arrays(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]))
    solver.fit(X, y, None)


def start_peak():
    """Forget the peak of the resident size so far, if the system can; return the size now.

    Where the system cannot, a higher peak while the data were loaded counts as growth.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _core.resident_bytes()


if __name__ == "__main__":
    main(solve)

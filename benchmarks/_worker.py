"""One solve in a process of its own: ``python _worker.py REQUEST``.

The request is JSON; the answer is the last line of the output, JSON too.
Imports, loading the data and a first fit of four rows come before the clock
and before the memory that the peak is counted from.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
from _solvers import SOLVERS

MB = 1 << 20


def main(request):
    """Solve what the request asks, and say what it took."""
    kind = SOLVERS[request["solver"]]
    depth, limit, options = request["depth"], request["limit"], request["options"]
    warm_up(kind, options)
    folder = Path(request["data"])
    weight = np.load(folder / "weight.npy") if request["weighted"] else None
    solver = kind(depth, limit, options)
    X, y = solver.arrays(np.load(folder / "X.npy"), np.load(folder / "y.npy"))

    before, entry = start_peak(), resident()
    begin = time.perf_counter()
    solves = [timed_solve(solver, X, y, weight)]
    peak = (read_peak() - before) / MB
    growth = most_resident() - entry
    while sum(cpu for _, cpu in solves) < request.get("spend", 0.0):
        solves.append(timed_solve(kind(depth, limit, options), X, y, weight))

    trace = {"trace": solver.improvements(begin)} if request["trace"] else {}
    wrong = np.asarray(solver.predict(X)).ravel() != y
    found = float(wrong.sum() if weight is None else weight[wrong].sum())
    seconds, cpu_seconds = map(min, zip(*solves, strict=True))
    measured = {"seconds": seconds, "cpu_seconds": cpu_seconds, "solves": len(solves)}
    measured |= {"peak_mb": peak, "growth_bytes": growth}
    measured |= {"found": found, "wrong": int(wrong.sum())}
    return measured | solver.claim() | trace


def warm_up(kind, options):
    """What a solver does only once: lazy imports, first calls."""
    solver = kind(2, 10.0, options)
    X, y = solver.arrays(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]))
    solver.fit(X, y, None)


def timed_solve(solver, X, y, weight):
    """Seconds of a solve, by the clock on the wall and by that of the processor."""
    begin, cpu_begin = time.perf_counter(), time.process_time()
    solver.fit(X, y, weight)
    cpu_end, end = time.process_time(), time.perf_counter()
    return end - begin, cpu_end - cpu_begin


def start_peak():
    """Forget the peak so far, where the system can; bytes resident now.

    A peak from loading the data would hide the growth of the solve.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS:")
    except OSError:
        return read_peak()


def read_peak():
    """The largest resident size since `start_peak`, in bytes."""
    try:
        return _status("VmHWM:")
    except OSError:
        return most_resident()


def most_resident():
    """The largest resident size of the process since it started, in bytes.

    Linux hands on the peak of the process that started it, which must be a small one.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def resident():
    """Bytes resident now, or the peak where only that is known."""
    try:
        return _status("VmRSS:")
    except OSError:
        return most_resident()


def _status(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {field}")


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    if asked["core"] is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {asked["core"]})
    print(json.dumps(main(asked)))

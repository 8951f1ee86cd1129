"""Time a build of beamtree: ``python _build_worker.py REQUEST``, run by any interpreter.

The request is JSON; the answer is the last line of the output, also JSON. Imports, loading the data
and a first fit of four rows come before the clock starts. The build may be older than this file, so
that only the classifier is used, and nothing from the other files of this folder.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from beamtree import OptimalTreeClassifier

warnings.simplefilter("ignore", ConvergenceWarning)  # limits are part of the benchmark


def main(request):
    """Fit the classifier repeatedly, until the given seconds are spent; return the least times."""
    classifier(2, 10.0).fit(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8), [0, 1, 1, 0])
    folder, settings = Path(request["data"]), (request["depth"], request["limit"])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    model = classifier(*settings)
    solves = [timed_fit(model, X, y)]
    while sum(cpu for _, cpu in solves) < request["spend"]:
        solves.append(timed_fit(classifier(*settings), X, y))
    seconds, cpu_seconds = map(min, zip(*solves, strict=True))
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "solves": len(solves),
        "growth_bytes": None,
        "found": float((model.predict(X) != y).sum()),
        "optimal": model.status_ == "optimal",
        "errors": int(model.n_errors_),
        "lower": float(model.lower_bound_),
    }


def classifier(depth, limit):
    model = OptimalTreeClassifier(max_depth=depth, time_limit=limit)
    if "tie_break" in model.get_params():  # older builds end with the proof
        model.set_params(tie_break="any")
    return model


def timed_fit(model, X, y):
    """Return the seconds of a fit, on the clock and of the processor."""
    begin, cpu_begin = time.perf_counter(), time.process_time()
    model.fit(X, y)
    cpu_end, end = time.process_time(), time.perf_counter()
    return end - begin, cpu_end - cpu_begin


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))

"""Follow the bound of a search: ``python _bound_worker.py REQUEST``, run by any interpreter.

The request is JSON; the answer is the last line of the output, also JSON. Seconds are those of the
processor, so that other programs on the machine hardly matter. The build may be older than this
file, so that only the classifier is used, and nothing from the other files of this folder.
"""

import json
import sys
import time
import warnings
from pathlib import Path
from threading import Thread

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from beamtree import CancelToken, OptimalTreeClassifier

warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is part of the benchmark
PAUSE = 0.05
"""The seconds between two looks at the processor's time."""


def main(request):
    """Fit the classifier once; return a row of seconds, objective and bound per improvement."""
    OptimalTreeClassifier(max_depth=2).fit(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0])
    folder = Path(request["data"])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    begin, rows, token = time.process_time(), [], CancelToken()

    def keep(incumbent):
        seconds = time.process_time() - begin
        rows.append([seconds, float(incumbent.objective), float(incumbent.lower_bound)])

    def watch():
        while time.process_time() - begin < request["limit"]:
            time.sleep(PAUSE)
        token.cancel()

    model = OptimalTreeClassifier(
        max_depth=request["depth"], time_limit=None, callback=keep, cancel=token, n_jobs=1,
        on_interrupt="keep", **request["options"],
    )  # fmt: skip
    Thread(target=watch, daemon=True).start()
    model.fit(X, y)
    seconds = time.process_time() - begin
    return {
        "seconds": seconds,
        "optimal": model.status_ == "optimal",
        "objective": float(model.objective_),
        "lower": float(model.lower_bound_),
        "trace": [*rows, [seconds, float(model.objective_), float(model.lower_bound_)]],
        "statistics": model.statistics_,
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))

"""Follow the estimates of a search: ``python _estimate_worker.py REQUEST``.

The request is JSON; the answer is the last line of the output, also JSON. Estimates are in seconds
of the clock. They are converted to seconds of the processor by the share that the process has had
so far, so that other programs on the machine hardly matter.
"""

import json
import sys
import time
from pathlib import Path
from threading import Event, Thread

import numpy as np

from beamtree import Search

PAUSE = 0.02
"""The seconds between two looks at the estimate."""


def main(request):
    """Search once; return the processor seconds, and a row of seconds and estimate per look."""
    folder = Path(request["data"])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    search = Search(X, y, max_depth=request["depth"], n_jobs=1, **request["options"])
    rows, ended = [], Event()
    begin, clock = time.process_time(), time.perf_counter()

    def look():
        while not ended.wait(PAUSE):
            spent = time.process_time() - begin
            estimate = search.progress().time_to_proof
            share = spent / (time.perf_counter() - clock)
            rows.append([spent, None if estimate is None else estimate * share])

    thread = Thread(target=look, daemon=True)
    thread.start()
    result = search.run(request["limit"])
    seconds = time.process_time() - begin
    ended.set()
    thread.join()
    return {
        "seconds": seconds,
        "status": result.status,
        "objective": float(result.objective),
        "lower": float(result.lower_bound),
        "estimates": rows,
        "last": result.statistics["time_to_proof"],
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))

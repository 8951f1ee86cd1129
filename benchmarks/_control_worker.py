"""One task in a process of its own: ``python _control_worker.py REQUEST``.

The request is JSON; the answer is the last line of the output, JSON too. A
task that others time or disturb says ``ready`` first. To add a task: write a
function of the request, X and y, and name it in `TASKS`.
"""

import json
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from time import monotonic, perf_counter

import numpy as np

from beamtree import OptimalTreeClassifier, Search
from beamtree._resume.checkpoint_file import CheckpointError


class PlannedError(Exception):
    """What a callback raises."""


def interrupted(request, X, y):
    """A fit that somebody else ends with Ctrl-C."""
    # a process that was started in the background may ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    model = classifier(request)
    ready()
    try:
        model.fit(X, y)
        ended, raised = monotonic(), None
    except KeyboardInterrupt as error:
        ended = monotonic()
        raised = "inside" if inside_beamtree(error) else "outside"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return {"ended": ended, "raised": raised} | account(model, X, y)


def inside_beamtree(error):
    """Whether the exception came out of a function of beamtree."""
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any("beamtree" in Path(name).parts for name in frames)


def failing(request, X, y):
    """A fit whose callback raises at its n-th call; at none, if n is 0."""
    calls, moment = 0, None

    def callback(_):
        nonlocal calls, moment
        calls += 1
        if calls == request["at"]:
            moment = monotonic()
            raise PlannedError

    model = classifier(request, callback=callback)
    raised = False
    try:
        model.fit(X, y)
    except PlannedError:
        raised = True
    delay = monotonic() - moment if moment else None
    return {"calls": calls, "raised": raised, "delay": delay} | account(model, X, y)


def checkpointed(request, X, y):
    """A search to its end that saves itself all the time."""
    path, every = request["path"], request["every"]
    search = Search(X, y, checkpoint=path, checkpoint_every=every, **request["options"])
    ready()
    return verdict(search.run())


def loaded(request, X, y):
    """Go on from each of the files to the end; or the reason why one is refused."""
    answers = []
    for path in request["paths"]:
        try:
            answers.append(verdict(Search.load(path, X, y).run(request["limit"])))
        except CheckpointError as error:
            answers.append({"refused": str(error)})
    return {"answers": answers}


def whole(request, X, y):
    """One run to the end; what the limit cuts off does not count."""
    search = Search(X, y, **request["options"])
    begin = perf_counter()
    result = search.run(request["limit"])
    return {"seconds": perf_counter() - begin, "pieces": 1} | verdict(result)


def continued(request, X, y):
    """`Search.run` with a slice of time, again and again."""
    search = Search(X, y, **request["options"])
    seconds = []
    while not search.done and len(seconds) < request["most"]:
        begin = perf_counter()
        search.run(request["slice"])
        seconds.append(perf_counter() - begin)
    return {"seconds": sum(seconds), "pieces": len(seconds)} | verdict(search.result())


def warmed(request, X, y):
    """A fit with a slice of time, again and again; validation and packing do not count."""
    model = OptimalTreeClassifier(warm_start=True, **request["options"])
    seconds, preparation = [], 0.0
    while len(seconds) < request["most"]:
        # a limit counts from the entry to fit
        model.set_params(time_limit=request["slice"] + preparation)
        begin = perf_counter()
        model.fit(X, y)
        preparation = model.statistics_["preparation_seconds"]
        seconds.append(perf_counter() - begin - preparation)
        if model.status_ == "optimal":
            break
    found = {"seconds": sum(seconds), "pieces": len(seconds), "status": model.status_}
    return found | {"objective": model.objective_, "lower": model.lower_bound_}


def saved(request, X, y):
    """A slice of time, then to a file and back, again and again; files are timed apart."""
    path = Path(request["data"], "search.checkpoint")
    search = Search(X, y, **request["options"])
    seconds, files, size = [], 0.0, 0
    while True:
        begin = perf_counter()
        result = search.run(request["slice"])
        seconds.append(perf_counter() - begin)
        if search.done or len(seconds) == request["most"]:
            break
        begin = perf_counter()
        search.save(path)
        size = max(size, path.stat().st_size)
        search = Search.load(path, X, y)
        files += perf_counter() - begin
    found = {"seconds": sum(seconds), "pieces": len(seconds), "files": files, "bytes": size}
    return found | verdict(result)


def together(request, X, y):
    """So many fits at once, each in a Python thread; begins when it is told to."""
    models = [classifier(request) for _ in range(request["fits"])]
    start = threading.Barrier(len(models) + 1)

    def fit(model):
        start.wait()
        model.fit(X, y)

    threads = [threading.Thread(target=fit, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    ready()
    sys.stdin.readline()
    begin = perf_counter()
    start.wait()
    for thread in threads:
        thread.join()
    seconds = perf_counter() - begin
    return {"seconds": seconds, "accounts": [account(model, X, y) for model in models]}


TASKS = {
    task.__name__: task
    for task in (
        interrupted,
        failing,
        checkpointed,
        loaded,
        whole,
        continued,
        warmed,
        saved,
        together,
    )
}


def classifier(request, **more):
    """The estimator that is asked for, after a first fit of four rows."""
    OptimalTreeClassifier(max_depth=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    return OptimalTreeClassifier(**request["options"], **more)


def ready():
    """Tell who waits that what counts begins now."""
    print("ready", flush=True)


def account(model, X, y):
    """What a fitted model says of itself, and what its tree really costs."""
    if not hasattr(model, "tree_"):
        return {"fitted": False}
    wrong = int((model.predict(X) != y).sum())
    penalty = model.leaf_penalty * len(y) * (model.tree_.n_leaves - 1)
    return {
        "fitted": True,
        "status": model.status_,
        "objective": model.objective_,
        "lower": model.lower_bound_,
        "recounted": wrong + penalty,
    }


def verdict(result):
    """What a search has found."""
    return {"status": result.status, "objective": result.objective, "lower": result.lower_bound}


def main(request):
    if request["core"] is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {request["core"]})
    folder = Path(request["data"])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    return TASKS[request["task"]](request, X, y)


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))

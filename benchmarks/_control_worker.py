"""One task in its own process: ``python _control_worker.py REQUEST``.

The request is JSON; the answer is the last line of the output, also JSON. A task that the parent
times or disturbs prints ``ready`` first. To add a task, write a function of the request, X and y,
and name it in `TASKS`.
"""

import json
import signal
import sys
import threading
import traceback
import warnings
from pathlib import Path
from time import monotonic, perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from beamtree import OptimalTreeClassifier, Search
from beamtree._resume.checkpoint_file import CheckpointError
from beamtree.study.worker import pin

warnings.simplefilter("ignore", ConvergenceWarning)  # limits are part of the benchmark


class PlannedError(Exception):
    """The exception that a callback raises on purpose."""


def interrupted(request, X, y):
    """Fit until the parent sends SIGINT, as Ctrl-C does."""
    # A process that was started in the background may ignore the signal.
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
    """Return whether an exception was raised in a function of beamtree."""
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any("beamtree" in Path(name).parts for name in frames)


def failing(request, X, y):
    """Fit with a callback that raises at its n-th call, or never if n is 0."""
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
    """Run a search to its end, with frequent checkpoints."""
    path, every = request["path"], request["every"]
    search = Search(X, y, checkpoint=path, checkpoint_every=every, **request["options"])
    ready()
    return verdict(search.run())


def loaded(request, X, y):
    """Load each of the files and run the search to its end; or return why a file is refused."""
    answers = []
    for path in request["paths"]:
        try:
            answers.append(verdict(Search.load(path, X, y).run(request["limit"])))
        except CheckpointError as error:
            answers.append({"refused": str(error)})
    return {"answers": answers}


def whole(request, X, y):
    """Run a search to its end, or to the time limit."""
    search = Search(X, y, **request["options"])
    begin = perf_counter()
    result = search.run(request["limit"])
    return {"seconds": perf_counter() - begin, "pieces": 1} | verdict(result)


def continued(request, X, y):
    """Call `Search.run` with a slice of time until the search is done."""
    search = Search(X, y, **request["options"])
    seconds = []
    while not search.done and len(seconds) < request["most"]:
        begin = perf_counter()
        search.run(request["slice"])
        seconds.append(perf_counter() - begin)
    return {"seconds": sum(seconds), "pieces": len(seconds)} | verdict(search.result())


def warmed(request, X, y):
    """Call ``fit`` with a warm start and a slice of time until the tree is proved.

    Validation and packing are not counted.
    """
    model = OptimalTreeClassifier(warm_start=True, **request["options"])
    seconds, preparation = [], 0.0
    while len(seconds) < request["most"]:
        # The time limit starts when fit is called, so it has to include the preparation.
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
    """Run a slice of time, save and load the search, and repeat; files are timed separately."""
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
    """Run several fits at once, each in a Python thread, when the parent gives the signal."""
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
    """Return the estimator of a request, after a first fit of four rows."""
    OptimalTreeClassifier(max_depth=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    return OptimalTreeClassifier(**request["options"], **more)


def ready():
    """Tell the parent that the task begins now."""
    print("ready", flush=True)


def account(model, X, y):
    """Return what a fitted model claims, and the real cost of its tree."""
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
    """Return the status, the objective and the bound of a search."""
    return {"status": result.status, "objective": result.objective, "lower": result.lower_bound}


def main(request):
    pin(request["core"])
    folder = Path(request["data"])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    return TASKS[request["task"]](request, X, y)


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))

# ruff: noqa: ARG001
"""Systems that the tests of the study run in processes of their own.

They wait for named pipes: a line in the pipe says that the run has begun, and the end of the file
that its process has ended. A run of four rows is the warm-up, in which nothing happens.
"""

import os
import threading
from pathlib import Path

import numpy as np

from beamtree.study import End

FOLDER = "STUDY_TEST_FOLDER"


def end(task):
    return End("finished", lambda X: np.zeros(len(X), dtype=int))


def is_warm_up(task):
    return len(task.X) == 4


def quick(task, tell):
    """Predict class 0 for all rows."""
    return end(task)


def quicker(task, tell):
    return end(task)


def hangs(task, tell):
    """Report a tree, and never end."""
    if not is_warm_up(task):
        tell(3.0, 1.0)
        threading.Event().wait()
    return end(task)


def crashes(task, tell):
    if not is_warm_up(task):
        tell(3.0, 0.0)
        os.write(2, b"first\nno more memory\n")
        os._exit(7)
    return end(task)


def raises(task, tell):
    if not is_warm_up(task):
        msg = "the rows are odd"
        raise ValueError(msg)
    return end(task)


def prints(task, tell):
    """Print text, through Python and directly to the file descriptor."""
    print("to begin with")
    os.write(1, b"and to end with\n")
    return end(task)


def boasts(task, tell):
    """Report a better tree than the one returned."""
    tell(0.0, 0.0)
    return End("optimal", lambda X: np.zeros(len(X), dtype=int), 0.0)


def has_no_bound(task, tell):
    return End("finished", end(task).predict, lower_bound=float("nan"))


def tells_less_than_nothing(task, tell):
    tell(3.0, -1.0)
    return end(task)


def waits(task, tell):
    """Hang unless the folder has a file ``go``; write the parent's id to the pipe ``here``."""
    folder = Path(os.environ[FOLDER])
    if not is_warm_up(task) and not (folder / "go").exists():
        with (folder / "here").open("w") as pipe:
            print(os.getppid(), file=pipe, flush=True)
            threading.Event().wait()
    return end(task)


def meets_reader(task, tell):
    """End only if `meets_writer` runs at the same time."""
    if not is_warm_up(task):
        (Path(os.environ[FOLDER]) / "here").read_text()
    return end(task)


def meets_writer(task, tell):
    if not is_warm_up(task):
        (Path(os.environ[FOLDER]) / "here").write_text("")
    return end(task)

"""The program of a run's process: ``python -m beamtree.study.worker``.

The first line of its input is the request, as JSON; the packed data follow. Its output is lines of
JSON: ``begin`` when all imports and a first small fit are done, ``found`` at every improvement, and
finally ``end`` or ``failed``. When its input is closed, the process ends, because its parent is
gone.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from threading import Thread
from typing import Any, BinaryIO

import numpy as np

from beamtree.study._machine import begin_of_run, peak_bytes
from beamtree.study._problems import Problem
from beamtree.study.systems import find_system
from beamtree.study.task import System, Task


class Lines:
    r"""Writes the messages of a run, one per line.

    Parameters
    ----------
    file : binary file
        Receives the lines, without delay.

    Examples
    --------
    >>> import io
    >>> from beamtree.study.worker import Lines
    >>> file = io.BytesIO()
    >>> Lines(file).write("found", [0.1, 12.0, 0.0])
    >>> file.getvalue()
    b'{"found": [0.1, 12.0, 0.0]}\n'
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, word: str, value: Any) -> None:
        """Write a message: a word and its value."""
        self._file.write(json.dumps({word: value}).encode() + b"\n")
        self._file.flush()


def solve(request: dict[str, Any], packed: bytes, lines: Lines) -> None:
    r"""Do one run, and write its messages.

    Parameters
    ----------
    request : dict
        The names of the dataset and the system, and the depth, budget, seed, memory and core.
    packed : bytes
        The data, as `Problem.packed` gives them.
    lines : Lines
        Receives the messages.

    Examples
    --------
    >>> import io, json
    >>> from beamtree.datasets import monks
    >>> from beamtree.study._problems import Problem
    >>> from beamtree.study.worker import Lines, solve
    >>> request = {"dataset": "monks-1", "system": "dl85", "depth": 3, "budget": 10.0, "seed": 0}
    >>> request |= {"core": None, "memory": None}
    >>> file = io.BytesIO()
    >>> solve(request, Problem.of("monks-1", *monks(1)[:2]).packed, Lines(file))
    >>> begin, *found, end = map(json.loads, file.getvalue().splitlines())
    >>> end["end"]["status"], end["end"]["objective"], found[-1]["found"][1:]
    ('optimal', 48.0, [48.0, 48.0])
    """
    pin(request["core"])
    system = find_system(request["system"])
    warm_up(system)
    problem = Problem.unpacked(request["dataset"], packed)
    task = Task(
        problem.X,
        problem.codes,
        problem.n_classes,
        request["depth"],
        request["budget"],
        request["seed"],
        request["memory"],
    )
    lines.write("begin", begin_of_run(system.distribution))
    processor, begin = time.process_time(), time.perf_counter()

    def tell(objective: float, lower_bound: float) -> None:
        seconds = time.perf_counter() - begin
        checked = _checked("objective", objective), _checked("lower bound", lower_bound)
        lines.write("found", [seconds, *checked])

    end = system.solve(task, tell)
    seconds = time.perf_counter() - begin
    spent = time.process_time() - processor
    wrong = np.asarray(end.predict(task.X)).ravel() != task.codes
    lines.write(
        "end",
        {
            "status": str(end.status),
            "objective": float(np.count_nonzero(wrong)),
            "lower_bound": _checked("lower bound", end.lower_bound),
            "seconds": seconds,
            "preparation": _checked("preparation", end.preparation),
            "cpu_seconds": spent,
            "memory": peak_bytes(),
        },
    )


def _checked(name: str, value: float) -> float:
    """Return a number of a system, or raise a ValueError if the report could not use it."""
    number = float(value)
    if not (isfinite(number) and number >= 0.0):
        msg = f"the {name} of a system must be a finite number of at least 0, got {value!r}"
        raise ValueError(msg)
    return number


def pin(core: int | None) -> None:
    """Pin this process to a core, on systems where that is possible.

    Parameters
    ----------
    core : int or None
        The core; None for any core.

    Examples
    --------
    >>> from beamtree.study.worker import pin
    >>> pin(None)
    """
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def warm_up(system: System) -> None:
    """Let a system solve four rows, so that late imports and first calls are not measured.

    Parameters
    ----------
    system : System
        The system.

    Examples
    --------
    >>> from beamtree.study import SYSTEMS
    >>> from beamtree.study.worker import warm_up
    >>> warm_up(SYSTEMS["c45"])
    """
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    codes = np.array([0, 1, 1, 0], dtype=np.int32)
    system.solve(Task(X, codes, 2, 2, 10.0), lambda *_: None).predict(X)


@contextmanager
def _own_output() -> Iterator[Lines]:
    """Keep the standard output for messages; what a system prints goes to the standard error."""
    with os.fdopen(os.dup(1), "wb") as file:
        os.dup2(2, 1)
        yield Lines(file)


def _end_with_input() -> None:
    """End the process when its parent has closed the input or is gone."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main(solve: Callable[[dict[str, Any], bytes, Lines], None] = solve) -> None:
    """Do the run that the standard input asks for.

    Parameters
    ----------
    solve : callable
        Takes the request, the data and the `Lines` that receive its messages.

    Examples
    --------
    >>> import subprocess, sys
    >>> from beamtree.study import worker
    >>> subprocess.run([sys.executable, "-m", worker.__name__], input=b"").returncode
    1
    """
    with _own_output() as lines:
        # Read no more than the header and the data: a thread waits for the end of the input.
        header = bytearray()
        while not header.endswith(b"\n"):
            if not (one := os.read(0, 1)):
                sys.exit(1)
            header += one
        request = json.loads(header)
        packed = bytearray()
        while len(packed) < request["size"]:
            if not (more := os.read(0, request["size"] - len(packed))):
                sys.exit(1)
            packed += more
        Thread(target=_end_with_input, daemon=True).start()
        try:
            solve(request, bytes(packed), lines)
        except BaseException as error:
            lines.write("failed", f"{type(error).__name__}: {error}")
            os._exit(1)
        os._exit(0)  # everything is written; freeing the memory in good order would take time


if __name__ == "__main__":
    main()

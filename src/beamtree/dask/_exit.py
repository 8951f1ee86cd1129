"""What must end before the interpreter does.

Before Python 3.14, a daemon thread that comes back from the core to a finished interpreter is ended
in a way that aborts the whole process. So all threads leave the core before that.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter, sleep
from typing import Any
from weakref import WeakSet

MOST_SECONDS = 10.0
"""Seconds that the end of the interpreter waits."""

_stops: dict[object, Callable[[], None]] = {}
_ended = False

holders: WeakSet[Any] = WeakSet()
"""What holds an object of the core, and has a method `let_go`: others still refer to it at the end,
and the core would print what was not freed."""


@contextmanager
def ended_at_exit(stop: Callable[[], None]) -> Iterator[None]:
    """Let the interpreter wait at its end until this block is left.

    Parameters
    ----------
    stop : callable
        What makes the block end soon. It may be called often, from another thread.
    """
    key = object()
    _stops[key] = stop
    try:
        if _ended:
            msg = "the interpreter is ending"
            raise RuntimeError(msg)
        yield
    finally:
        del _stops[key]


@atexit.register
def _end() -> None:
    global _ended  # noqa: PLW0603
    _ended = True
    end = perf_counter() + MOST_SECONDS
    while _stops and perf_counter() < end:
        for stop in list(_stops.values()):
            stop()
        sleep(0.005)
    for holder in list(holders):
        holder.let_go()

"""The cores of this machine, each for one run at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import NamedTuple

from beamtree.study._locks import try_lock

# Seconds between two looks at cores that are all taken. Locks of several files cannot be waited
# for together.
LOOK = 0.05


class Core(NamedTuple):
    """A core, and the open file whose lock makes it ours."""

    number: int
    descriptor: int


def allowed_cores() -> list[int]:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def lock_folder() -> Path:
    """Return the folder of the locks, the same for all processes of a user on this machine."""
    user = os.getuid() if hasattr(os, "getuid") else "all"
    return Path(tempfile.gettempdir()) / f"beamtree-cores-{user}"


@contextmanager
def taken_core(stop: Event) -> Iterator[Core | None]:
    """Take a core for as long as the context lasts, and wait until one is free.

    Who starts a process can hand the descriptor on to it: then the core is taken until that process
    has ended, too, whatever happens to its parent.

    Parameters
    ----------
    stop : Event
        Ends the waiting when it is set.

    Yields
    ------
    Core or None
        None if there was none before the waiting ended.
    """
    folder = lock_folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    # Who waits holds the lock of the queue, so that those who come later do not get ahead of it.
    with _taken(folder / "queue.lock", stop) as queue:
        names = [(number, folder / f"{number}.lock") for number in allowed_cores()]
        core = None if queue is None else _first_free(names, stop)
    try:
        yield core
    finally:
        if core is not None:
            os.close(core.descriptor)


def _first_free(names: list[tuple[int, Path]], stop: Event) -> Core | None:
    while not stop.is_set():
        for number, path in names:
            if (descriptor := _try(path)) is not None:
                return Core(number, descriptor)
        stop.wait(LOOK)
    return None


@contextmanager
def _taken(path: Path, stop: Event) -> Iterator[int | None]:
    """Hold the lock of a file; None if the waiting ended before."""
    while (descriptor := _try(path)) is None and not stop.is_set():
        stop.wait(LOOK)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _try(path: Path) -> int | None:
    """Return the open file if its lock is ours now."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if try_lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None

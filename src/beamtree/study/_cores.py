"""Reserve the cores of this machine, so that each has at most one run at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import NamedTuple

from beamtree.study._locks import try_lock

# Seconds between two attempts to get a core while all are taken. A process cannot wait for the
# locks of several files at once, so it has to look again and again.
LOOK = 0.05


class Core(NamedTuple):
    """A core, and the descriptor of the open file whose lock reserves it, if it is reserved."""

    number: int
    descriptor: int | None


def allowed_cores() -> list[int]:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def lock_folder() -> Path:
    """Return the folder of the locks, which all processes of a user on this machine share."""
    user = os.getuid() if hasattr(os, "getuid") else "all"
    return Path(tempfile.gettempdir()) / f"beamtree-cores-{user}"


@contextmanager
def taken_core(stop: Event) -> Iterator[Core | None]:
    """Reserve a core while the context lasts; wait until one is free.

    The descriptor can be passed on to a child process. The core then stays reserved until the child
    has ended too, whatever happens to the parent.

    Parameters
    ----------
    stop : Event
        Ends the wait when it is set.

    Yields
    ------
    Core or None
        The core, or None if the wait was ended before a core was free.
    """
    folder = lock_folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    # The process that waits holds the lock of the queue, so that later ones cannot overtake it.
    with _taken(folder / "queue.lock", stop) as queue:
        names = [(number, folder / f"{number}.lock") for number in allowed_cores()]
        core = None if queue is None else _first_free(names, stop)
    try:
        yield core
    finally:
        if core is not None and core.descriptor is not None:
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
    """Hold the lock of a file; yield None if the wait was ended before the lock was free."""
    while (descriptor := _try(path)) is None and not stop.is_set():
        stop.wait(LOOK)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _try(path: Path) -> int | None:
    """Open and lock a file; return its descriptor, or None if another process has the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if try_lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None

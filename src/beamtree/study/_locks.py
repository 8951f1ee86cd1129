"""Locks on files, which are released when the process that holds them ends.

Windows has no such locks: there, run only one campaign at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform != "win32":
    import fcntl


@contextmanager
def locked(descriptor: int, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock on an open file while the context lasts; wait until it is free.

    Parameters
    ----------
    descriptor : int
        Descriptor of the open file.
    shared : bool, default=False
        Whether other processes may hold a shared lock at the same time, to read.
    """
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True

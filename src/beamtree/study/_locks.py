"""Locks on files, which end with the process that holds them.

Where files have no such locks, there is to be one campaign at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform != "win32":
    import fcntl


@contextmanager
def locked(descriptor: int, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock on an open file, and wait for it if need be.

    Parameters
    ----------
    descriptor : int
        The file.
    shared : bool, default=False
        Whether others may hold it in the same way, to read.
    """
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, if nobody else holds it; tell whether it worked."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True

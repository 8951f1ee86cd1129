"""Who called beamtree: the user's own code, or scikit-learn or joblib on its behalf."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

LIBRARIES = ("sklearn", "joblib")
# The loop of a worker process is no call that ends.
LOOPS = "joblib.externals"
# scikit-learn's decorator of `fit` is a frame between `fit` and its caller.
DECORATORS = "sklearn.callback"

# The parent of this process when it was first asked for. Forked processes have their own entry.
_parents: dict[int, int] = {}


def library_call() -> FrameType | None:
    """Return the outermost call of scikit-learn or joblib that led to this one.

    For a fit in a thread of joblib, this is the call in the main thread that waits for it.

    Returns
    -------
    frame or None
        The call; None if the user's own code called beamtree, and no library called that code.
    """
    found = _outermost(_outside(sys._getframe()))
    if found is None or threading.current_thread() is threading.main_thread():
        return found
    return _outermost(_main_thread()) or found


def sending_call() -> FrameType | None:
    """Return the call of a library in the main thread for which this thread sends objects.

    joblib sends objects to its processes in a thread of its own.

    Returns
    -------
    frame or None
        The outermost call; None if this is no such thread.
    """
    if threading.current_thread() is threading.main_thread():
        return None
    if _outermost(_outward(sys._getframe())) is not None:  # a task of joblib, in one of its threads
        return None
    return _outermost(_main_thread()) if any(map(_is_parallel, _main_thread())) else None


def caller(frame: FrameType) -> FrameType | None:
    """Return the call outside a module of beamtree that led to a call in this module.

    Parameters
    ----------
    frame : frame
        A call of a function of the module.

    Returns
    -------
    frame or None
        The call, or None if no call was found.
    """
    module = module_of(frame)
    for outer in _outward(frame):
        name = module_of(outer)
        if name != module and not _is_in(name, DECORATORS):
            return outer
    return None


def module_of(frame: FrameType) -> str:
    """Return the name of the module to which the function of a frame belongs."""
    return str(frame.f_globals.get("__name__", ""))


def is_of_beamtree(frame: FrameType) -> bool:
    """Return whether a frame is a call of a function of beamtree."""
    return _is_in(module_of(frame), "beamtree")


def desertion() -> Callable[[], bool] | None:
    """Return how to find out whether joblib still waits for what this thread computes.

    Returns
    -------
    callable or None
        Returns True if joblib has given up: because Ctrl-C was pressed while the main thread waited
        for this one, or because the process that waited for this one has ended. None if the thread
        does not work for joblib.
    """
    if _outermost(_outside(sys._getframe())) is None:
        return None
    if threading.current_thread() is not threading.main_thread():
        waiting = [frame.f_locals.get("self") for frame in _main_thread() if _is_parallel(frame)]
        if not waiting:
            return None
        parallel = waiting[-1]
        return lambda: bool(getattr(parallel, "_aborting", False))
    if multiprocessing.parent_process() is None:
        return None
    parent = _parents.setdefault(os.getpid(), os.getppid())
    return lambda: os.getppid() != parent


def _outermost(frames: Iterator[FrameType]) -> FrameType | None:
    found = None
    for frame in frames:
        module = module_of(frame)
        if _is_in(module, *LIBRARIES) and not _is_in(module, LOOPS):
            found = frame
    return found


def _outside(frame: FrameType) -> Iterator[FrameType]:
    """Yield the calls that led to beamtree, from the inside to the outside."""
    frames = _outward(frame)
    for outer in frames:
        if not is_of_beamtree(outer) and not _is_in(module_of(outer), DECORATORS):
            yield outer
            yield from frames


def _main_thread() -> Iterator[FrameType]:
    ident = threading.main_thread().ident
    frame = None if ident is None else sys._current_frames().get(ident)
    return iter(()) if frame is None else _outward(frame)


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_parallel(frame: FrameType) -> bool:
    """Return whether a frame is a call of a method of ``joblib.Parallel``."""
    from joblib import Parallel

    code = frame.f_code
    is_method = code.co_varnames[:1] == ("self",) and _is_in(module_of(frame), "joblib")
    return is_method and isinstance(frame.f_locals.get("self"), Parallel)


def _is_in(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)

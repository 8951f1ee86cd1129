"""A way to end searches from another thread."""

from __future__ import annotations

from threading import RLock
from typing import Any, Protocol, Self
from weakref import WeakSet

__all__ = ["CancelToken"]


class _Interruptible(Protocol):
    def interrupt(self) -> None: ...


class CancelToken:
    """Ends searches from any thread: each keeps its best tree, with status ``"interrupted"``.

    Give one to as many estimators and searches as you like. It is cancelled once and for all: a
    search that gets a cancelled token returns a greedy tree. Copies, and so the clones that grid
    searches make of an estimator, are the token itself. A token that is pickled, and so one that
    is sent to another process, becomes a token of its own, as cancelled as this was then.

    Attributes
    ----------
    cancelled : bool
        Whether `cancel` was called.

    Examples
    --------
    >>> from threading import Timer
    >>> import numpy as np
    >>> from beamtree import CancelToken, OptimalTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.integers(0, 2, (2000, 60)), rng.integers(0, 2, 2000)
    >>> token = CancelToken()
    >>> Timer(0.1, token.cancel).start()
    >>> OptimalTreeClassifier(max_depth=8, cancel=token).fit(X, y).status_
    'interrupted'
    """

    def __init__(self) -> None:
        # A handler of signals may cancel while its own thread holds the lock.
        self._lock = RLock()
        self._cancelled = False
        self._running: WeakSet[Any] = WeakSet()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """End all searches that have this token, soon, and those that will get it."""
        with self._lock:
            self._cancelled = True
            running = list(self._running)
        for search in running:
            search.interrupt()

    def _watch(self, search: _Interruptible) -> None:
        """Tell a search when the token is cancelled, as long as somebody else holds it."""
        with self._lock:
            self._running.add(search)

    def __copy__(self) -> Self:
        """Return the token itself."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the token itself."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a token of its own."""
        return _restored, (self._cancelled,)

    def __repr__(self) -> str:
        """Say whether it is cancelled."""
        return f"<CancelToken, {'cancelled' if self._cancelled else 'not cancelled'}>"


def _restored(cancelled: bool) -> CancelToken:  # noqa: FBT001 (called by pickle)
    token = CancelToken()
    token._cancelled = cancelled
    return token

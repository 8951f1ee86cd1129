"""A token that ends searches from another thread."""

from __future__ import annotations

from threading import RLock
from typing import Any, Protocol, Self
from weakref import WeakSet

__all__ = ["CancelToken"]


class _Interruptible(Protocol):
    def interrupt(self) -> None: ...


class CancelToken:
    """A token that ends searches from any thread.

    A search that is cancelled keeps its best tree, with the status ``"interrupted"``. One token can
    be given to any number of estimators and searches. It cannot be reset: a search with a cancelled
    token returns a greedy tree. A copy of a token is the token itself, so the clones that a grid
    search makes of an estimator share its token. A token that is pickled, for instance to send it
    to another process, becomes an independent token in the same state.

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
        # A signal handler may cancel while its own thread holds the lock.
        self._lock = RLock()
        self._cancelled = False
        self._running: WeakSet[Any] = WeakSet()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """End all searches that have this token or get it later; running ones end soon."""
        with self._lock:
            self._cancelled = True
            running = list(self._running)
        for search in running:
            search.interrupt()

    def _watch(self, search: _Interruptible) -> None:
        """Interrupt a search when the token is cancelled; the reference to it is weak."""
        with self._lock:
            self._running.add(search)

    def __copy__(self) -> Self:
        """Return the token itself."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the token itself."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make an independent token in the same state."""
        return _restored, (self._cancelled,)

    def __repr__(self) -> str:
        """Return a text that says whether the token is cancelled."""
        return f"<CancelToken, {'cancelled' if self._cancelled else 'not cancelled'}>"


def _restored(cancelled: bool) -> CancelToken:  # noqa: FBT001 (called by pickle)
    token = CancelToken()
    token._cancelled = cancelled
    return token

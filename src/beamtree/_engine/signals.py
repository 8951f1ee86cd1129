"""Signals that end the search of the command line, from its first moment to its last."""

from __future__ import annotations

import signal
from time import monotonic
from types import FrameType, TracebackType
from typing import Any, Self

from beamtree._engine.interrupts import PATIENCE
from beamtree.cancel import CancelToken


class Stop:
    """A context manager in which SIGINT and SIGTERM cancel a token.

    Signals that the process ignores stay ignored. Pressing Ctrl-C again after more than a second
    raises KeyboardInterrupt.

    Attributes
    ----------
    token : CancelToken
        The token that ends the search.
    number : int or None
        Number of the first signal; None if there was none.
    """

    def __init__(self) -> None:
        self.token = CancelToken()
        self.number: int | None = None
        self._since = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Install the signal handlers."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the previous signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.number is None:
            self.number, self._since = number, monotonic()
            self.token.cancel()
        elif number == signal.SIGINT and monotonic() - self._since > PATIENCE:
            raise KeyboardInterrupt

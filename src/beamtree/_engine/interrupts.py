"""Ctrl-C as a request to end a search, instead of an exception at an arbitrary line."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType

# Seconds after which pressing Ctrl-C again raises KeyboardInterrupt, as it does elsewhere.
PATIENCE = 1.0

_active: list[Interrupts] = []


class Interrupts:
    """A context manager that notices Ctrl-C instead of letting it raise an exception.

    Entering it again inside itself changes nothing; entering it anew forgets earlier presses. If
    the process has its own handler for SIGINT, or in another thread than the main one, Ctrl-C is
    left alone.

    Attributes
    ----------
    pressed : bool
        Whether Ctrl-C was pressed since the context was entered.
    raising : bool
        Whether Ctrl-C raises KeyboardInterrupt at once, which it does while the user's code runs.
    notify : callable
        Function that is called when Ctrl-C is pressed.
    """

    def __init__(self) -> None:
        self.pressed = False
        self.raising = False
        self.notify: Callable[[], None] = _nothing
        self._since = 0.0
        self._depth = 0

    def press(self) -> bool:
        """Notice Ctrl-C, and return whether it should raise KeyboardInterrupt."""
        again = self.pressed and monotonic() - self._since > PATIENCE
        if not self.pressed:
            self._since = monotonic()
        self.pressed = True
        if again or self.raising:  # then the exception ends the running code
            return True
        self.notify()
        return False

    def raise_if_pressed(self, on_interrupt: str) -> None:
        """Raise KeyboardInterrupt after Ctrl-C, if the setting `on_interrupt` is ``"raise"``."""
        if self.pressed and on_interrupt == "raise":
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        """Start to notice Ctrl-C, in the main thread."""
        self._depth += 1
        if self._depth > 1:
            return
        self.pressed = False
        if threading.current_thread() is threading.main_thread():
            _active.append(self)
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, _press)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the previous effect of Ctrl-C."""
        self._depth -= 1
        if self._depth == 0 and self in _active:
            _active.remove(self)
            if not _active and signal.getsignal(signal.SIGINT) is _press:
                signal.signal(signal.SIGINT, signal.default_int_handler)


def _nothing() -> None:
    pass


def _press(_number: int, _frame: FrameType | None) -> None:
    # All active searches are asked to end: one may run in a callback or a rule of another.
    raising = [interrupts.press() for interrupts in _active]
    if not raising or any(raising):
        raise KeyboardInterrupt

"""Ctrl-C that asks a search to end, in place of an exception at any line."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType

# Seconds after which Ctrl-C, pressed again, raises as it does elsewhere.
PATIENCE = 1.0

_active: list[Interrupts] = []


class Interrupts:
    """While it is entered, Ctrl-C is noted here, anew each time; it can be entered again meanwhile.

    Where the process has a handler of its own for Ctrl-C, or in other threads than the main one,
    it changes nothing.

    Attributes
    ----------
    pressed : bool
        Whether Ctrl-C was pressed.
    raising : bool
        Whether it raises KeyboardInterrupt at once: while code of the user's own runs.
    notify : callable
        Told when it is pressed.
    """

    def __init__(self) -> None:
        self.pressed = False
        self.raising = False
        self.notify: Callable[[], None] = _nothing
        self._since = 0.0
        self._depth = 0

    def press(self) -> bool:
        """Note it, and tell whether to raise."""
        again = self.pressed and monotonic() - self._since > PATIENCE
        if not self.pressed:
            self._since = monotonic()
        self.pressed = True
        if again or self.raising:  # the exception ends what runs
            return True
        self.notify()
        return False

    def raise_if_pressed(self, on_interrupt: str) -> None:
        """Raise KeyboardInterrupt after Ctrl-C, if the setting `on_interrupt` is ``"raise"``."""
        if self.pressed and on_interrupt == "raise":
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        """Listen, in the main thread."""
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
        """Leave Ctrl-C as it was before."""
        self._depth -= 1
        if self._depth == 0 and self in _active:
            _active.remove(self)
            if not _active and signal.getsignal(signal.SIGINT) is _press:
                signal.signal(signal.SIGINT, signal.default_int_handler)


def _nothing() -> None:
    pass


def _press(_number: int, _frame: FrameType | None) -> None:
    # All are told. Of several, one runs in a callback or a rule of the other.
    raising = [interrupts.press() for interrupts in _active]
    if not raising or any(raising):
        raise KeyboardInterrupt

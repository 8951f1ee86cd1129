"""Ctrl-C as a request to end a search, instead of an exception at an arbitrary line."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType

from beamtree._engine.callers import desertion, library_call

# Seconds after which pressing Ctrl-C again raises KeyboardInterrupt, as it does elsewhere.
PATIENCE = 1.0
# Seconds between two looks whether joblib still waits for a search.
LOOK_EVERY = 0.1
# Seconds that the end of the process waits for the searches of other threads.
LAST_PATIENCE = 5.0

_active: list[Interrupts] = []
# Those in other threads than the main one.
_elsewhere: set[Interrupts] = set()


class Interrupts:
    """A context manager that notices Ctrl-C instead of letting it raise an exception.

    Entering it again inside itself changes nothing; entering it anew forgets earlier presses. If
    the process has its own handler for SIGINT, or in another thread than the main one, Ctrl-C is
    left alone. In a thread or process of joblib, it counts as pressed when joblib has given up
    waiting for the result, and in another thread than the main one when the process ends.

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
        self._left = threading.Event()

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
        """Raise KeyboardInterrupt after Ctrl-C, if the setting `on_interrupt` asks for it."""
        if not self.pressed or on_interrupt == "keep":
            return
        if on_interrupt == "raise" or library_call() is not None:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        """Start to notice Ctrl-C, or that nobody waits for the result any more."""
        self._depth += 1
        if self._depth > 1:
            return
        self.pressed = False
        self._left.clear()
        if threading.current_thread() is threading.main_thread():
            _active.append(self)
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, _press)
        else:
            _elsewhere.add(self)
        if (deserted := desertion()) is not None:
            threading.Thread(target=self._watch, args=(deserted,), daemon=True).start()

    def _watch(self, deserted: Callable[[], bool]) -> None:
        """End the search when nobody waits for its result any more; runs in its own thread."""
        while not self._left.wait(LOOK_EVERY):
            if deserted():
                self._desert()

    def _desert(self) -> None:
        self.pressed = True
        self.notify()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the previous effect of Ctrl-C."""
        self._depth -= 1
        if self._depth > 0:
            return
        self._left.set()
        _elsewhere.discard(self)
        if self in _active:
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


@atexit.register
def _end_elsewhere() -> None:
    """End the searches of threads that the process would leave behind, and wait for them.

    The interpreter ends such threads where they are, which the core does not survive.
    """
    end = monotonic() + LAST_PATIENCE
    for interrupts in [*_elsewhere]:
        interrupts._desert()
    for interrupts in [*_elsewhere]:
        interrupts._left.wait(max(0.0, end - monotonic()))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_elsewhere.clear)  # a forked process has no other threads

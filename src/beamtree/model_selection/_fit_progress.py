"""The output of a cross validation while it runs: one live line, or plain lines in logs."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any, Self, TextIO

from beamtree._engine.progress import live_text, updates_in_place

# Least seconds between two plain lines.
PLAIN_EVERY = 10.0


class FitProgress:
    """Shows how many of the fits are done, while the context is entered.

    In a notebook, and in a terminal with rich, one line is updated in place. Elsewhere a plain line
    is printed when a fit begins, at most every ten seconds, and one at the end.

    Parameters
    ----------
    verbose : int
        0 shows nothing.
    stream : file or None, default=None
        The output; None for the standard output.

    Attributes
    ----------
    total : int
        Number of fits on the folds; 0 while it is not known.
    done : int
        Number of these fits that are done.
    """

    def __init__(self, verbose: int, stream: TextIO | None = None) -> None:
        self.total = self.done = 0
        self.wanted = verbose > 0
        self._stream = sys.stdout if stream is None else stream
        self._task = ""
        self._begin = self._printed = perf_counter()
        self._live: AbstractContextManager[Any] | None = None

    def __enter__(self) -> Self:
        """Show the live line, where there can be one."""
        if self.wanted and updates_in_place(self._stream):
            self._live = live_text(self.text, self._stream)
        (self._live or nullcontext()).__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """End the live line; plain lines end with a last one, unless there was an error."""
        if self._live is not None:
            self._live.__exit__(*error)  # type: ignore[arg-type]
        elif self.wanted and error[0] is None:
            print(self.text(), file=self._stream, flush=True)

    def begin(self, task: str) -> None:
        """Say what is computed from here on.

        Parameters
        ----------
        task : str
            The task in a few words, for example ``"depth 3, fold 2 of 5"``.
        """
        self._task = task
        now = perf_counter()
        if self.wanted and self._live is None and now - self._printed >= PLAIN_EVERY:
            self._printed = now
            print(self.text(), file=self._stream, flush=True)

    def text(self) -> str:
        """Return the progress as one line: the time, the number of fits, and the task."""
        parts = [f"{perf_counter() - self._begin:.1f} s"]
        if self.total:
            parts.append(f"{self.done:,} of {self.total:,} fits")
        return " | ".join([*parts, self._task])

"""Saving a search now and then."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import inf
from time import perf_counter

from beamtree._resume.checkpoint_file import CheckpointError

# Seconds of search between two saves, whatever is asked for.
LEAST = 0.01


class Saver:
    """Calls a function that saves, when it is time.

    Parameters
    ----------
    save : callable
        Saves.
    every : float or None
        Seconds from one save to the next; None for none but the last.

    Attributes
    ----------
    spent : float
        Seconds spent on saving.
    """

    def __init__(self, save: Callable[[], None], every: float | None) -> None:
        self._save = save
        self._every = inf if every is None else max(float(every), LEAST)
        self._last = perf_counter()
        self.spent = 0.0
        self._warned = False

    def left(self) -> float:
        """Return the seconds until it is time."""
        return max(self._last + self._every - perf_counter(), 0.0)

    def save_if_due(self) -> None:
        """Save if it is time; a failure is no reason to end a search, and is told once."""
        if self.left() == 0.0:
            self.try_to_save(silent=self._warned)

    def try_to_save(self, *, silent: bool = False) -> None:
        """Save, and warn if that fails.

        Parameters
        ----------
        silent : bool, default=False
            Whether not to warn either.
        """
        try:
            self.save()
        except (OSError, CheckpointError) as error:
            self._warned = True
            if not silent:
                msg = f"the search could not be saved, and goes on without: {error}"
                warnings.warn(msg, RuntimeWarning, stacklevel=2)

    def save(self) -> None:
        """Save, and raise what goes wrong."""
        begin = perf_counter()
        try:
            self._save()
        finally:
            self._last = perf_counter()
            self.spent += self._last - begin
            # At least as much time for the search as for saving it.
            self._every = max(self._every, self._last - begin)

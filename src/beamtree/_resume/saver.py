"""Saving a search from time to time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import inf
from time import perf_counter

from beamtree._resume.checkpoint_file import CheckpointError

# Smallest number of seconds between two saves.
LEAST = 0.01


class Saver:
    """Calls a function that saves the search, whenever a save is due.

    Parameters
    ----------
    save : callable
        Function that saves the search.
    every : float or None
        Seconds between two saves; None to save only at the end.

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
        """Return the seconds until the next save is due."""
        return max(self._last + self._every - perf_counter(), 0.0)

    def save_if_due(self) -> None:
        """Save if a save is due; a failure does not end the search, and gives one warning."""
        if self.left() == 0.0:
            self.try_to_save(silent=self._warned)

    def try_to_save(self, *, silent: bool = False) -> None:
        """Save, and warn if that fails.

        Parameters
        ----------
        silent : bool, default=False
            Whether to leave out the warning.
        """
        try:
            self.save()
        except (OSError, CheckpointError) as error:
            self._warned = True
            if not silent:
                msg = f"the search could not be saved, and continues: {error}"
                warnings.warn(msg, RuntimeWarning, stacklevel=2)

    def save(self) -> None:
        """Save now, and raise an exception if that fails."""
        begin = perf_counter()
        try:
            self._save()
        finally:
            self._last = perf_counter()
            self.spent += self._last - begin
            # The search gets at least as much time as saving.
            self._every = max(self._every, self._last - begin)

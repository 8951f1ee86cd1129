"""Show the progress of a campaign on a terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, Self

from beamtree._util.optional import import_optional
from beamtree.study.store import Run

# Seconds that a run takes in addition to its system: imports, the first fit, the rescoring.
BESIDE = 2.0


class TimeLeft:
    """Estimates how many seconds a campaign will still take.

    The estimate for a run is the mean of the finished runs of its system, or the budget if there is
    no such run yet.

    Parameters
    ----------
    systems : iterable of str
        The system of every run that is left.
    budget : float
        Seconds that a run may take.
    at_once : int
        Number of runs at the same time.

    Examples
    --------
    >>> from beamtree.study._progress import TimeLeft
    >>> left = TimeLeft(["c45", "dl85", "c45"], 8.0, 2)
    >>> left.seconds()
    15.0
    >>> left.done("c45", 0.0)
    >>> left.seconds()
    6.0
    """

    def __init__(self, systems: Iterable[str], budget: float, at_once: int) -> None:
        self._left = Counter(systems)
        self._budget, self.at_once = budget, at_once
        self._runs: Counter[str] = Counter()
        self._spent: Counter[str] = Counter()

    def done(self, system: str, seconds: float) -> None:
        """Count a run that has ended."""
        self._left[system] -= 1
        self._runs[system] += 1
        self._spent[system] += seconds  # type: ignore[assignment]

    def seconds(self) -> float:
        """Return the estimated seconds until the end of the campaign."""
        return sum(map(self._each, self._left)) / self.at_once

    def _each(self, system: str) -> float:
        runs = self._runs[system]
        mean = self._spent[system] / runs if runs else self._budget
        return self._left[system] * (mean + BESIDE)


class Bar:
    """A progress bar with the time left, which is shown only on a terminal.

    Parameters
    ----------
    left : TimeLeft
        Estimates the time.
    total : int
        Number of all runs of the campaign.
    done : int
        Number of runs that were recorded before.
    wanted : bool
        Whether to show the bar.
    """

    def __init__(self, left: TimeLeft, total: int, done: int, *, wanted: bool) -> None:
        self.left, self._total, self._done = left, total, done
        self._shown: Any = None
        self._wanted = wanted and sys.stderr.isatty()
        if self._wanted:
            import_optional("rich", "the bar of a study (progress=False turns it off)", "study")
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Show the bar."""
        if self._wanted:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._shown = Progress(
                TextColumn("[progress.description]{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[left]} left"),
                console=Console(stderr=True),
            )
            self._stack.enter_context(self._shown)
            self._task = self._shown.add_task(
                "study", total=self._total, completed=self._done, left=self._text()
            )
        return self

    def __exit__(self, *_: object) -> None:
        """Stop updating the bar."""
        self._stack.close()

    def advance(self, run: Run) -> None:
        """Show that a run has ended."""
        self.left.done(run.system, run.seconds)
        if self._shown is not None:
            about = f"{run.dataset} {run.depth} {run.system}"
            self._shown.update(self._task, advance=1, description=about, left=self._text())

    def _text(self) -> str:
        minutes, seconds = divmod(round(self.left.seconds()), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}"

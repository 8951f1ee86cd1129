"""The output of a search while it runs: one live line, or one line per improvement."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from beamtree._engine.outcome import Progress
from beamtree._engine.rough_time import rough_time
from beamtree.result import relative_gap

if TYPE_CHECKING:
    from beamtree._engine.engine import Engine, Listener
    from beamtree._engine.settings import Callback


class Running(Protocol):
    """A search that can be asked for its progress from another thread."""

    def progress(self) -> Progress:
        """Return how far the search is."""


# Seconds between two updates of a line on a terminal or in a notebook, and between two lines in the
# output of a program.
UPDATE_SECONDS = 0.125
LOG_SECONDS = 10.0

# Missing packages that were already reported.
_reported: set[str] = set()


def print_improvement(engine: Engine) -> None:
    """Print the last improvement in one line.

    Parameters
    ----------
    engine : Engine
        The search.
    """
    seconds, nodes, objective, lower_bound, restart, threshold = engine.improvement
    print(
        f"{seconds:9.3f} s  {nodes:12,d} nodes  "
        f"objective {objective:12.6g}  lower bound {lower_bound:12.6g}  "
        f"pass {restart:3d}  threshold {threshold:g}",
        flush=True,
    )


def listeners_of(callback: Callback | None, verbose: int) -> list[Listener]:
    """Return the functions that an engine calls at every improvement.

    Parameters
    ----------
    callback : callable or None
        The user's own function.
    verbose : int
        2 or more prints every improvement.

    Returns
    -------
    list of callable
        Listeners of an engine.
    """
    listeners: list[Listener] = []
    if verbose >= 2:
        listeners.append(print_improvement)
    if callback is not None:
        listeners.append(lambda engine: callback(engine.incumbent()))
    return listeners


def live_line(
    search: Running, verbose: int, stream: TextIO | None = None
) -> AbstractContextManager[Any]:
    """Show one line that follows the search while the context is entered.

    Parameters
    ----------
    search : Engine or Search
        The search.
    verbose : int
        The line is shown for 1.
    stream : file or None, default=None
        The output; None for the standard output.

    Returns
    -------
    context manager
        Shows the line while it is entered.
    """
    if verbose != 1:
        return nullcontext()
    return live_text(lambda: progress_text(search.progress()), stream)


def live_text(text: Callable[[], str], stream: TextIO | None = None) -> AbstractContextManager[Any]:
    """Show a line that changes while the context is entered.

    On a terminal and in a notebook, the line is updated in place. Any other output, such as a log,
    gets one line every ten seconds and, if there were any, a last one at the end.

    Parameters
    ----------
    text : callable
        Returns the line; it is called from another thread.
    stream : file or None, default=None
        The output; None for the standard output.

    Returns
    -------
    context manager
        Shows the line while it is entered.
    """
    stream = sys.stdout if stream is None else stream
    if _is_notebook(stream):
        return _notebook_line(text)
    if stream.isatty():
        return _terminal_line(text, stream)
    return _log_lines(text, stream)


def updates_in_place(stream: TextIO) -> bool:
    """Return whether a line on a stream can be updated: in a notebook, or by rich in a terminal."""
    return _is_notebook(stream) or (stream.isatty() and find_spec("rich") is not None)


def _is_notebook(stream: TextIO) -> bool:
    """Return whether a stream is the output of a cell of a notebook."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"


def _terminal_line(text: Callable[[], str], stream: TextIO) -> AbstractContextManager[Any]:
    try:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text
    except ImportError:
        if "rich" not in _reported:
            _reported.add("rich")
            print("verbose=1 needs rich: pip install beamtree[progress]", file=stream, flush=True)
        return nullcontext()

    def show() -> Text:
        return Text(text(), no_wrap=True, overflow="ellipsis")

    return Live(
        console=Console(file=stream), get_renderable=show, refresh_per_second=1 / UPDATE_SECONDS
    )


@contextmanager
def _notebook_line(text: Callable[[], str]) -> Iterator[None]:
    # rich would need ipywidgets to update a line in a notebook.
    from IPython.display import display

    def bundle() -> dict[str, str]:
        return {"text/plain": text()}

    line = display(bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
    try:
        with _repeated(lambda: line.update(bundle(), raw=True), UPDATE_SECONDS):
            yield
    finally:
        line.update(bundle(), raw=True)


@contextmanager
def _log_lines(text: Callable[[], str], stream: TextIO) -> Iterator[None]:
    count = 0

    def write() -> None:
        nonlocal count
        count += 1
        print(text(), file=stream, flush=True)

    try:
        with _repeated(write, LOG_SECONDS):
            yield
    finally:
        if count:
            write()


@contextmanager
def _repeated(action: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call a function at regular intervals, from another thread, while the context is entered."""
    ended = Event()

    def run() -> None:
        while not ended.wait(seconds):
            action()

    thread = Thread(target=run, name="beamtree-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def progress_text(progress: Progress) -> str:
    """Return the progress of a search as one line of text.

    Parameters
    ----------
    progress : Progress
        How far the search is.

    Returns
    -------
    str
        Time, objective, lower bound, gap, time to the proof, pass, nodes per second and memory.

    Examples
    --------
    >>> from beamtree._engine.outcome import Progress
    >>> from beamtree._engine.progress import progress_text
    >>> progress_text(Progress(2.0, 5000, 12.0, 12.0, 3, 4.0, 7_000_000, 0.0))
    '2.0 s | objective 12 | bound 12 | gap 0.0% | pass 3 | 2,500 nodes/s | 7.0 MB'
    >>> progress_text(Progress(2.0, 5000, 12.0, 9.0, 3, 4.0, 7_000_000, 41.7))[:64]
    '2.0 s | objective 12 | bound 9 | gap 25.0% | proof in about 40 s'
    >>> progress_text(Progress(2.0, 5000, 12.0, 9.0, 3, 4.0, 7_000_000))[:66]
    '2.0 s | objective 12 | bound 9 | gap 25.0% | time to proof unknown'
    """
    rate = progress.nodes / progress.seconds if progress.seconds > 0.0 else 0.0
    parts = [f"{progress.seconds:.1f} s"]
    if progress.objective < float("inf"):
        parts += [
            f"objective {progress.objective:.6g}",
            f"bound {progress.lower_bound:.6g}",
            f"gap {relative_gap(progress.objective, progress.lower_bound):.1%}",
        ]
        if progress.time_to_proof is None:
            parts.append("time to proof unknown")
        elif progress.time_to_proof > 0:
            parts.append(f"proof in about {rough_time(progress.time_to_proof)}")
    parts += [f"pass {progress.restart}", f"{rate:,.0f} nodes/s", _size(progress.bytes)]
    return " | ".join(parts)


def _size(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000.0:
            return f"{number:.1f} {unit}"
        number /= 1000.0
    return f"{number:.1f} TB"

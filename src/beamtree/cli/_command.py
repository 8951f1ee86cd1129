"""What all commands share: errors in one line, output that may end early, JSON."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

_Given = ParamSpec("_Given")


def command(function: Callable[_Given, int]) -> Callable[_Given, int]:
    """Let a command say what is wrong in one line, and return the exit status 2.

    Parameters
    ----------
    function : callable
        The command, which returns its exit status.

    Returns
    -------
    callable
        The same command.
    """

    @wraps(function)
    def guarded(*values: _Given.args, **options: _Given.kwargs) -> int:
        try:
            return function(*values, **options)
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            return 130
        except (ValueError, OSError, ImportError) as error:
            say(error)
            return 2

    return guarded


def say(error: object) -> None:
    """Write an error to the standard error, in one line."""
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{str(error.filename)!r}: {error.strerror}"
    print(f"beamtree: {' '.join(text.split())}", file=sys.stderr)


@contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Let warnings look as errors do, without the code that they come from."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    try:
        yield
    finally:
        warnings.showwarning = before


def print_json(content: dict[str, Any]) -> None:
    """Print an object for scripts, on one line."""
    print(json.dumps(content, allow_nan=False))


@contextmanager
def quietly() -> Iterator[None]:
    """Say nothing more if nobody reads any longer what is printed."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain once more when it flushes at its end.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        raise

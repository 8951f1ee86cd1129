"""Functions that all commands share: errors in one line, lost readers of the output, JSON."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

from beamtree._engine.settings import SETTINGS
from beamtree._util.validation import Allowed

_Given = ParamSpec("_Given")


def command(function: Callable[_Given, int]) -> Callable[_Given, int]:
    """Decorate a command, so that errors print one line and give the exit status 2.

    Parameters
    ----------
    function : callable
        The command, which returns its exit status.

    Returns
    -------
    callable
        The decorated command.
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


def check_option(option: str, setting: str, value: Any) -> None:
    """Raise a ValueError if the value of an option is not allowed for a setting.

    Parameters
    ----------
    option : str
        The option, such as ``"--depth"``.
    setting : str
        The name of the setting.
    value : object
        The value; None if the option was not given.
    """
    allowed = SETTINGS[setting].allowed
    # An option cannot be given the value None, so the error does not mention it.
    words = allowed.words.removeprefix("None or ").removeprefix("None, ")
    Allowed(words, allowed.test).check(option, value)


def say(error: object) -> None:
    """Print an error to the standard error, in one line."""
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{str(error.filename)!r}: {error.strerror}"
    print(f"beamtree: {' '.join(text.split())}", file=sys.stderr)


@contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Print warnings in the same form as errors, without the source code that caused them."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    try:
        yield
    finally:
        warnings.showwarning = before


def print_json(content: dict[str, Any]) -> None:
    """Print a JSON object on one line."""
    print(json.dumps(content, allow_nan=False))


@contextmanager
def quietly() -> Iterator[None]:
    """Print nothing more if the reader of the output has gone away."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Otherwise Python would print another error when it flushes the output at its end.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        raise

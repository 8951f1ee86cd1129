"""Functions that all commands share: errors in one line, lost readers of the output, JSON."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

from cyclopts import CoercionError, CycloptsError

from beamtree._engine.settings import SETTINGS
from beamtree._util.validation import Allowed

_Given = ParamSpec("_Given")

# The types of options, in words.
TYPES: dict[Any, str] = {int: "an integer", float: "a number"}
# What the settings are called on the command line.
_OPTIONS = {name: one.option for name, one in SETTINGS.items() if one.option is not None}
_OPTIONS |= {"sample_weight": "--weight", "None": "none"}
# Names in quotes are those of columns and labels.
_SETTING = re.compile(rf"(?<!['\"\w])({'|'.join(_OPTIONS)})(?!['\"\w])")


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
    Allowed(_words_of(setting), SETTINGS[setting].allowed.test).check(option, value)


def _words_of(setting: str) -> str:
    """Return what is allowed for a setting, in the words of the command line."""
    words = SETTINGS[setting].allowed.words
    plain = words.removeprefix("None or ").removeprefix("None, ")
    # The settings whose default is None are those for which None is no choice of its own.
    may_be_none = plain != words and SETTINGS[setting].default is not None
    return f"{plain}, or none" if may_be_none else plain


def in_words(error: CycloptsError) -> str:
    """Return an error of the command line's parser as a sentence.

    Parameters
    ----------
    error : CycloptsError
        The error.

    Returns
    -------
    str
        For a value of the wrong type, what is allowed; otherwise the message of the error.
    """
    if isinstance(error, CoercionError) and error.target_type in TYPES and error.token is not None:
        option, value = error.token.keyword, error.token.value
        named = [name for name, one in SETTINGS.items() if one.option == option]
        words = _words_of(named[0]) if named else TYPES[error.target_type]
        return f"{option} must be {words}, got {value!r}"
    return f"{str(error).strip()} (see beamtree --help)"


@contextmanager
def options_in_errors() -> Iterator[None]:
    """Name options instead of settings in errors, for example ``--depth`` for ``max_depth``."""
    try:
        yield
    except ValueError as error:
        raise ValueError(with_options(str(error))) from error


def with_options(text: str) -> str:
    """Return a text that names options instead of settings."""
    return _SETTING.sub(lambda match: _OPTIONS[match[0]], text)


def say(error: object) -> None:
    """Print an error to the standard error, in one line."""
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{str(error.filename)!r}: {error.strerror}"
    print(f"beamtree: {' '.join(text.split())}", file=sys.stderr)


@contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Print warnings in the same form as errors, without the source code that caused them."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
        yield


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

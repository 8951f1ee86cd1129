"""Checks of parameters, with errors that name the parameter, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any

# The largest number of bits of an integer that an error shows in full.
LONGEST = 256


@dataclass(frozen=True)
class Allowed:
    """The values that a parameter may have, in words and as a test."""

    words: str
    test: Callable[[Any], bool]

    def check(self, name: str, value: Any) -> None:
        """Raise a ValueError unless the value is allowed."""
        if not self.test(value):
            msg = f"{name} must be {self.words}, got {_shown(value)}"
            raise ValueError(msg)


def _shown(value: Any) -> str:
    """Return the repr of a value, or the size of an integer that would fill the screen."""
    if is_kind(int, value) and value.bit_length() > LONGEST:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def integer(low: int, high: float = inf) -> Allowed:
    """Allow the integers of a closed range, but no booleans."""
    words = f"an integer from {low} to {high}" if high < inf else f"an integer of at least {low}"
    return Allowed(words, lambda value: is_kind(Integral, value) and low <= int(value) <= high)


def finite(low: float, high: float = inf) -> Allowed:
    """Allow the finite numbers of a closed range, but no booleans."""
    words = f"a finite number of at least {low:g}"
    if high < inf:
        words = f"a number from {low:g} to {high:g}"
    return Allowed(words, lambda value: is_number(value) and low <= value <= high and value < inf)


def at_least(low: float, high: float = inf) -> Allowed:
    """Allow the numbers of a closed range, including infinity, but no booleans."""
    words = f"a number from {low:g} to {high:g}" if high < inf else f"a number of at least {low:g}"
    return Allowed(words, lambda value: is_number(value) and low <= value <= high)


def or_none(allowed: Allowed) -> Allowed:
    """Allow None in addition to what is allowed already."""
    return Allowed(f"None or {allowed.words}", lambda value: value is None or allowed.test(value))


def _is_bool(value: Any) -> bool:
    # Imported here: the command line checks its options before it can afford to import NumPy.
    import numpy as np

    return isinstance(value, bool | np.bool_)


POSITIVE = Allowed(
    "a finite number above 0", lambda value: is_number(value) and 0.0 < float(value) < inf
)
SECONDS_OR_NONE = Allowed(
    "None or a number of seconds of at least 0",
    lambda value: value is None or (is_number(value) and float(value) >= 0.0),
)
LEAF_SIZE = Allowed(
    "an integer of at least 1, or a share of the rows between 0 and 1",
    lambda value: (
        value >= 1 if is_kind(Integral, value) else is_number(value) and 0.0 < value < 1.0
    ),
)
BOOLEAN = Allowed("True or False", _is_bool)
VERBOSITY = Allowed(
    "a bool or an integer of at least 0",
    lambda value: _is_bool(value) or (is_kind(Integral, value) and value >= 0),
)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number that a float can hold, and not a boolean."""
    if not is_kind(Real, value):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_kind(kind: type, value: Any) -> bool:
    """Return whether a value is an instance of a type of numbers, and not a boolean."""
    return isinstance(value, kind) and not isinstance(value, bool)

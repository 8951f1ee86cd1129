"""Checks of parameters and data, with errors that say what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows checked and converted at a time: a block of some hundred features stays in the cache.
BLOCK = 4096
# Widest range of integer labels for which a table of codes is made.
TABLE = 1 << 16


@dataclass(frozen=True)
class Allowed:
    """The values that a parameter may have, in words and as a test."""

    words: str
    test: Callable[[Any], bool]

    def check(self, name: str, value: Any) -> None:
        """Raise a ValueError unless the value is allowed."""
        if not self.test(value):
            msg = f"{name} must be {self.words}, got {value!r}"
            raise ValueError(msg)


def integer(low: int, high: float = inf) -> Allowed:
    """Allow the integers of a closed range; a bool is none."""
    words = f"an integer from {low} to {high}" if high < inf else f"an integer of at least {low}"
    return Allowed(words, lambda value: _is(Integral, value) and low <= int(value) <= high)


def finite(low: float) -> Allowed:
    """Allow finite numbers from `low` on; a bool is none."""
    words = f"a finite number of at least {low:g}"
    return Allowed(words, lambda value: _is(Real, value) and low <= float(value) < inf)


NONE = Allowed("None", lambda value: value is None)
SECONDS_OR_NONE = Allowed(
    "None or a number of seconds of at least 0",
    lambda value: value is None or (_is(Real, value) and float(value) >= 0.0),
)
VERBOSITY = Allowed(
    "a bool or an integer of at least 0",
    lambda value: isinstance(value, bool | np.bool_) or (_is(Integral, value) and value >= 0),
)


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def as_binary(X: NDArray[Any], names: Sequence[str] | None = None) -> NDArray[np.uint8]:
    """Return zeros and ones of any type as a C-contiguous array of bytes.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Booleans, integers, floats or objects that equal 0 or 1.
    names : sequence of str, optional
        Names of the columns, for the error.

    Returns
    -------
    ndarray of uint8, shape (n_rows, n_features)
        The same values; the same memory where `X` already is such an array, or a boolean one.

    Raises
    ------
    ValueError
        If a value is neither 0 nor 1; it names the column, the row and the value.
    """
    if X.dtype == np.bool_:
        return np.ascontiguousarray(X).view(np.uint8)
    if X.dtype == np.uint8 and X.max() <= 1:
        return np.ascontiguousarray(X)
    if X.dtype.kind not in "biuf":
        X = X.astype(object)
    binary = np.empty(X.shape, dtype=np.uint8)
    for start in range(0, len(X), BLOCK):
        block = X[start : start + BLOCK]
        ones = block == 1
        valid = ones | (block == 0)
        if not valid.all():
            row, column = np.argwhere(~valid)[0]
            raise ValueError(_not_binary(block[row, column], start + row, column, names))
        binary[start : start + BLOCK] = ones
    return binary


def _not_binary(value: Any, row: int, column: int, names: Sequence[str] | None) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    where = f"column {column}" if names is None else f"column {names[column]!r}"
    return (
        f"features must be 0 or 1 (or False and True), but {where} of X has the value {plain!r} "
        f"in row {row}"
    )


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted distinct labels, and the position of each row's label among them.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels of one sortable type.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The distinct labels.
    codes : ndarray of int32, shape (n_rows,)
        ``classes[codes]`` equals `y`.
    """
    if y.dtype.kind in "iu":
        low = y.min()
        if int(y.max()) - int(low) < TABLE:
            # The usual labels are a few small integers: count them instead of sorting rows.
            offsets = y.astype(np.int64) - low.astype(np.int64)
            present = np.bincount(offsets) > 0
            classes = (np.flatnonzero(present) + low.astype(np.int64)).astype(y.dtype)
            codes = (np.cumsum(present) - 1).astype(np.int32)
            return classes, codes[offsets]
    classes, inverse = np.unique(y, return_inverse=True)
    return classes, inverse.astype(np.int32)

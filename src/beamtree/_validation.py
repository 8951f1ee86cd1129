"""Checks of parameters and data, with errors that say what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

# Rows checked and converted at a time: a block of some hundred features stays in the cache.
BLOCK = 4096
# Widest range of integer labels for which a table of codes is made.
TABLE = 1 << 16
# Bits of the longest integer that an error writes in full.
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
    """Return a value as Python writes it, but for integers that fill the screen."""
    if is_kind(int, value) and value.bit_length() > LONGEST:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def integer(low: int, high: float = inf) -> Allowed:
    """Allow the integers of a closed range; a bool is none."""
    words = f"an integer from {low} to {high}" if high < inf else f"an integer of at least {low}"
    return Allowed(words, lambda value: is_kind(Integral, value) and low <= int(value) <= high)


def finite(low: float, high: float = inf) -> Allowed:
    """Allow finite numbers of a closed range; a bool is none."""
    words = f"a finite number of at least {low:g}"
    if high < inf:
        words = f"a number from {low:g} to {high:g}"
    return Allowed(words, lambda value: is_number(value) and low <= value <= high and value < inf)


def at_least(low: float, high: float = inf) -> Allowed:
    """Allow numbers of a closed range, infinity included; a bool is none."""
    words = f"a number from {low:g} to {high:g}" if high < inf else f"a number of at least {low:g}"
    return Allowed(words, lambda value: is_number(value) and low <= value <= high)


def or_none(allowed: Allowed) -> Allowed:
    """Allow None as well."""
    return Allowed(f"None or {allowed.words}", lambda value: value is None or allowed.test(value))


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
BOOLEAN = Allowed("True or False", lambda value: isinstance(value, bool | np.bool_))
VERBOSITY = Allowed(
    "a bool or an integer of at least 0",
    lambda value: isinstance(value, bool | np.bool_) or (is_kind(Integral, value) and value >= 0),
)


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number that a float can hold; a bool is none."""
    if not is_kind(Real, value):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_kind(kind: type, value: Any) -> bool:
    """Tell whether a value is of a kind of numbers; a bool is of none."""
    return isinstance(value, kind) and not isinstance(value, bool)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows as the engine takes them.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_features)
        Zeros and ones, C-contiguous.
    codes : ndarray of int32, shape (n_rows,)
        Positions of the labels in `classes`.
    sample_weight : ndarray of float64, shape (n_rows,), or None
        Weights, at least 0 and not all 0; None for weights of 1.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    """

    X: NDArray[np.uint8]
    codes: NDArray[np.int32]
    sample_weight: NDArray[np.float64] | None
    classes: NDArray[Any]


def training_data(
    X: NDArray[Any], y: NDArray[Any], sample_weight: Any, names: Sequence[str] | None
) -> TrainingData:
    """Check and encode what scikit-learn's own checks have passed.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Values that equal 0 or 1.
    y : ndarray of shape (n_rows,)
        Labels of any kind.
    sample_weight : array-like of shape (n_rows,), number or None
        Weights of the rows.
    names : sequence of str or None
        Names of the columns, for errors.

    Returns
    -------
    TrainingData
        The same rows, encoded.
    """
    check_classification_targets(y)
    binary = as_binary(X, names)
    if sample_weight is not None:
        sample_weight = _positive_weight(sample_weight, X)
    classes, codes = encode_labels(y)
    return TrainingData(binary, codes, sample_weight, classes)


def _positive_weight(sample_weight: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    weight: NDArray[np.float64] = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if not weight.any():
        msg = "sample_weight must have a positive value, got zeros only"
        raise ValueError(msg)
    return weight


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

"""Split tests in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf, isclose
from typing import Any, NamedTuple

import numpy as np

from beamtree._table.columns import Columns
from beamtree._table.time_words import time_comparison

# A threshold of at most this many digits is written as it is.
FEW_DIGITS = 3
# The mean of two values differs from such a number by no more than this share of it.
SAME = 1e-12
# How far a threshold in words may be from the threshold, as a share of the distance between the
# values on both sides of it. Few rows that come later have values between the two numbers.
NEAR = 0.25
# This many digits identify every float64.
ALL_DIGITS = 17
# How far a threshold in words may be from the threshold if the values on both sides of it are
# unknown, in units of the last place of a float32.
UNITS = 2
# Numbers from the first to the second are written without an exponent; so are all integers and
# numbers halfway between integers up to the third, because they are not the result of rounding.
SMALL, LARGE, WHOLE = 1e-4, 1e9, 2.0**53


class Words(NamedTuple):
    """A test in words: the condition that it asks for, and the opposite."""

    holds: str
    fails: str


def words_of_test(
    columns: Columns,
    column: int,
    threshold: float,
    categories: tuple[int, ...] | None,
    *,
    missing_go_to_left: bool = False,
    between: tuple[float | None, float | None] = (None, None),
    exact: bool = False,
) -> Words:
    """Return a test in words.

    Parameters
    ----------
    columns : Columns
        The columns.
    column, categories
        As in `SplitTests`.
    threshold : float or int
        The threshold, as `beamtree.tree.exact_number` returns it.
    missing_go_to_left : bool, default=False
        Whether a missing value passes the test.
    between : tuple of two numbers or None
        The values on both sides of the threshold, as in `number_words`.
    exact : bool, default=False
        Whether to write all digits of a threshold.

    Returns
    -------
    Words
        The condition that the test asks for, and the opposite. In words, the threshold infinity
        asks whether the value is missing, which is the case where the test fails. Unless the words
        mention it, a missing value is not at most any threshold, and not equal to any category. An
        unknown category is not at most any category, even if the words are ``size <= medium``.

    Examples
    --------
    >>> from beamtree._table.columns import Columns
    >>> from beamtree._table.wording import words_of_test
    >>> words_of_test(Columns.all_binary(("age",), 1), 0, 34.5, None)
    Words(holds='age <= 34.5', fails='age > 34.5')
    >>> words_of_test(Columns.all_binary(("age",), 1), 0, 34.5, None, missing_go_to_left=True)
    Words(holds='age <= 34.5 or missing', fails='age > 34.5 and age is known')
    """
    name = columns.names[column]
    if categories is not None:
        words = _words_of_categories(columns, column, categories)
    elif threshold == inf:
        return Words(f"{name} is missing", f"{name} is known")
    elif (kind := columns.times[column]) is not None:
        holds, fails, time = time_comparison(kind, floor(threshold))
        words = Words(f"{name} {holds} {time}", f"{name} {fails} {time}")
    else:
        number = exact_words(threshold) if exact else number_words(threshold, *between)
        words = Words(f"{name} <= {number}", f"{name} > {number}")
    if missing_go_to_left:
        return Words(f"{words.holds} or missing", f"{words.fails} and {name} is known")
    return words


def _words_of_categories(columns: Columns, column: int, categories: tuple[int, ...]) -> Words:
    name, known = columns.names[column], columns.categories[column]
    assert known is not None
    if columns.ordered[column] and is_start(categories):
        last = known[categories[-1]]
        return Words(f"{name} <= {last}", f"{name} > {last}")
    chosen = [known[position] for position in categories]
    return Words(f"{name} {is_one_of(chosen)}", f"{name} {is_none_of(chosen)}")


def is_start(categories: Sequence[int]) -> bool:
    """Return whether sorted positions are the first ones, without a gap."""
    return categories[-1] == len(categories) - 1


def is_one_of(categories: Sequence[Any]) -> str:
    """Return that a value is one of some categories, in words.

    Parameters
    ----------
    categories : sequence
        The categories, at least one.

    Returns
    -------
    str
        For example ``"== red"`` or ``"in (blue, red)"``.
    """
    return f"== {categories[0]}" if len(categories) == 1 else f"in ({_listed(categories)})"


def is_none_of(categories: Sequence[Any]) -> str:
    """Return that a value is none of some categories, in words.

    Parameters
    ----------
    categories : sequence
        The categories, at least one.

    Returns
    -------
    str
        For example ``"!= red"`` or ``"not in (blue, red)"``.
    """
    return f"!= {categories[0]}" if len(categories) == 1 else f"not in ({_listed(categories)})"


def _listed(categories: Sequence[Any]) -> str:
    return ", ".join(str(category) for category in categories)


def asks_for_one(
    columns: Columns, column: int, threshold: float, *, missing_go_to_left: bool
) -> bool:
    """Return whether a test separates the zeros from the ones of a column of zeros and ones.

    In words, such a test is only the name of the column: it asks whether the value is 1.

    Parameters
    ----------
    columns : Columns
        The columns.
    column, threshold, missing_go_to_left
        As in `words_of_test`.

    Returns
    -------
    bool
        Whether it does.
    """
    return bool(columns.binary[column]) and 0.0 <= threshold < 1.0 and not missing_go_to_left


def number_words(threshold: float, below: float | None = None, above: float | None = None) -> str:
    """Return a threshold as people would write it.

    Parameters
    ----------
    threshold : float or int
        The threshold.
    below, above : float or int, optional
        The largest value that is at most the threshold, and the smallest that is above it.

    Returns
    -------
    str
        Integers, numbers halfway between integers, and numbers of at most three digits are written
        exactly. Other numbers have as few digits as separate the two values; the result lies
        strictly between them, and near the threshold. If the values are unknown, the number has
        as many digits as distinguish float32 numbers.

    Examples
    --------
    >>> from beamtree._table.wording import number_words
    >>> number_words(0.15000000000000002), number_words(1234567.5), number_words(3.0)
    ('0.15', '1234567.5', '3')
    >>> number_words(2 / 3, 0.6, 0.7), number_words(2 / 3, 0.66666666, 0.66666667)
    ('0.67', '0.666666667')
    >>> number_words(0.65, 0.6, 0.7), number_words(2.45, 1.9, 3.0), number_words(2.4512, 1.9, 3.0)
    ('0.65', '2.45', '2.5')
    """
    if _is_whole(2 * threshold):
        return exact_words(threshold)
    if below is None or above is None:
        most = UNITS * _float32_spacing(threshold)
        below, above = -inf, inf
    else:
        few = float(f"{threshold:.{FEW_DIGITS}g}")
        if isclose(few, threshold, rel_tol=SAME) and below <= few < above:
            return exact_words(few)
        most = NEAR * (above - below)
    for digits in range(1, ALL_DIGITS):
        rounded = float(f"{threshold:.{digits}g}")
        if abs(rounded - threshold) <= most and below < rounded < above:
            return exact_words(rounded)
    return exact_words(threshold)


def exact_words(threshold: float) -> str:
    """Return the shortest decimal number that is the same float64, or an int as it is.

    Parameters
    ----------
    threshold : float or int
        Any finite number.

    Returns
    -------
    str
        The digits, with an exponent only if a float is very large or very small.
    """
    if isinstance(threshold, int):
        return str(threshold)
    if threshold == 0 or SMALL <= abs(threshold) < LARGE or _is_whole(2 * threshold):
        return np.format_float_positional(threshold, trim="-")
    return np.format_float_scientific(threshold, trim="-")


def _is_whole(number: float) -> bool:
    """Return whether a number is an integer, and not too large for a float64 to be exact."""
    return isinstance(number, int) or (number == np.rint(number) and abs(number) <= WHOLE)


def _float32_spacing(number: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.spacing(np.float32(abs(number))))

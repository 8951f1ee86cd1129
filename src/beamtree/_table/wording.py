"""Split tests in words."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from beamtree._table.columns import Columns

# A threshold in words may differ from the exact float32 by this many units in the last place.
UNITS = 2


class Words(NamedTuple):
    """A test in words: the condition that it asks for, and the opposite."""

    holds: str
    fails: str


def words_of_test(
    columns: Columns, column: int, threshold: float, category: int, *, exact: bool = False
) -> Words:
    """Return a test in words.

    Parameters
    ----------
    columns : Columns
        The columns.
    column, threshold, category
        As in `SplitTests`.
    exact : bool, default=False
        Whether to write all digits of a threshold.

    Returns
    -------
    Words
        The condition that the test asks for, and the opposite. In words, the threshold infinity
        asks whether the value is missing, which is the case where the test fails.

    Examples
    --------
    >>> from beamtree._table.columns import Columns
    >>> from beamtree._table.wording import words_of_test
    >>> words_of_test(Columns.all_binary(("age",), 1), 0, 34.5, -1)
    Words(holds='age <= 34.5', fails='age > 34.5')
    """
    name, known = columns.names[column], columns.categories[column]
    if category >= 0 and known is not None:
        return Words(f"{name} == {known[category]}", f"{name} != {known[category]}")
    if threshold == inf:
        return Words(f"{name} is missing", f"{name} is known")
    number = exact_words(threshold) if exact else number_words(threshold)
    return Words(f"{name} <= {number}", f"{name} > {number}")


def number_words(threshold: float) -> str:
    """Return a threshold as people would write it.

    Parameters
    ----------
    threshold : float
        A float32.

    Returns
    -------
    str
        At most six digits if they differ from the threshold only by the rounding of a float32.
        Otherwise, and for integers, as many digits as identify the float32.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.wording import number_words
    >>> number_words(np.float32(2.45)), number_words(1234567.5), number_words(3.0)
    ('2.45', '1234567.5', '3')
    >>> number_words(float(np.nextafter(np.float32(2.45), np.float32(0))))
    '2.45'
    """
    exact = np.float32(threshold)
    rounded = float(f"{exact:.6g}")
    near = abs(rounded - float(exact)) <= UNITS * float(np.spacing(abs(exact)))
    # Integers are written exactly, because they are not the result of rounding.
    return _written(rounded) if near and exact != np.rint(exact) else exact_words(threshold)


def exact_words(threshold: float) -> str:
    """Return the shortest decimal number that is the same float32.

    Parameters
    ----------
    threshold : float
        A float32.

    Returns
    -------
    str
        As many digits as identify the float32.
    """
    return _written(np.float32(threshold))


def _written(number: float | np.float32) -> str:
    """Return the shortest form of a number, with an exponent only if it is very large or small."""
    if number == 0 or 1e-4 <= abs(float(number)) < 1e9:
        return np.format_float_positional(number, trim="-")
    return np.format_float_scientific(number, trim="-")

"""Exact numbers, whatever the types of the given ones."""

from fractions import Fraction
from math import lcm


def positive_rows(rows, labels, weights):
    """Drop the rows of weight zero. If `weights` is None, every row weighs one.

    Returns
    -------
    rows, labels, weights : lists
        Values of Python's own types, because the integers of NumPy overflow.
    """
    if weights is None:
        weights = [1] * len(rows)
    kept = [i for i, weight in enumerate(weights) if weight > 0]
    return (
        [[int(value) for value in rows[i]] for i in kept],
        [int(labels[i]) for i in kept],
        [plain(weights[i]) for i in kept],
    )


def as_integers(numbers):
    """Return integers and a denominator such that ``numbers[i] == integers[i] / denominator``.

    This is exact, because a float is a fraction whose denominator is a power of two.
    """
    fractions = [Fraction(plain(number)) for number in numbers]
    denominator = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * denominator) for fraction in fractions], denominator


def plain(number):
    """Return a number as one of Python's own types."""
    return number.item() if hasattr(number, "item") else number

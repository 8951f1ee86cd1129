"""Weights as exact integers, whatever numbers they came as."""

from fractions import Fraction
from math import lcm


def positive_rows(rows, labels, weights):
    """Drop the rows of weight zero; no weights means one each.

    Returns
    -------
    rows, labels, weights : lists
        Plain Python values, never numpy's, whose integers overflow.
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
    """The integers and the denominator that stand for the numbers exactly.

    A float is a fraction whose denominator is a power of two, so this loses
    nothing: ``numbers[i] == integers[i] / denominator``.
    """
    fractions = [Fraction(plain(number)) for number in numbers]
    denominator = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * denominator) for fraction in fractions], denominator


def plain(number):
    """A number of Python's own."""
    return number.item() if hasattr(number, "item") else number

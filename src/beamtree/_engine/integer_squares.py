"""Squared errors in integers: the numbers to predict, the weights and the leaf penalty are scaled.

The core adds up integers: for each row its weight W and the product V of its weight and its number.
A leaf with the sums (W, V) explains V * V / W of the squares of its rows. The core multiplies V by
a power of two before that, and rounds the quotient to an integer. So the integers decide which tree
is the best, and by how much the objective of a tree can differ from its integers is known:

- The quotient of every leaf is rounded by one half at most. The squares of the rows are rounded,
  too, but their sum is the same for all trees, and its rounding is an offset that is known.
- If the numbers, times a power of ten, are integers, and so are the weights, V is exact. Otherwise
  it is rounded, as if the numbers were moved by small amounts d. A tree whose residuals are r then
  has the squared error of the residuals r + d less their means, so that the error changes by at
  most ``2 |r| |d| + |d|^2``.
- If a weight w is rounded to w + e, the squares of a tree change by at most e times the square of
  a residual, which is no larger than the distance of the number to the farthest other number.
- The penalty is rounded by one half for every leaf after the first.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, fsum, inf, ldexp, log2, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.integer_weights import (
    MAX_EXACT_RATIO,
    NOISE,
    IntegerProblem,
    exact_weights,
)

# The sums of the weights and of the products must be below 2**53, those of the squares below 2**51.
MAX_SUM = 2**52
# For few tests, the core keeps the sum of the products and that of the weights in one integer of
# 62 bits. It is much faster, and worth some bits as long as the products have this many.
PACKED_BITS, LEAST_WEIGHT_BITS, LEAST_PRODUCT_BITS = 61, 12, 38
SQUARE_BITS = 49.9
MOST_DECIMALS = 9
MAX_COST = 2**60
# The relative rounding error of a double, and of a few operations with doubles.
ROUNDED = 2.0**-53
FEW_ROUNDED = 2.0**-50
LEAST_SQUARES, MOST_SQUARES = 1e-290, 1e290


class Scaling(NamedTuple):
    """How weights and numbers become integers.

    A weight is multiplied by `weight_scale` and rounded. The product of this integer and
    ``number * factor - centre``, times ``2 ** digits``, is rounded to the value. The core
    multiplies the sum of the values of a leaf by ``2 ** exponent`` before it squares it.
    """

    weight_scale: float
    factor: float
    centre: float
    digits: int
    exponent: int


class IntegerSquares(NamedTuple):
    """A problem of squared errors in integers.

    Parameters
    ----------
    problem : IntegerProblem
        The weights, the penalty, and the relation of integers and real numbers.
    value : ndarray of int64, shape (n_rows,)
        The products of weights and numbers.
    scaling : Scaling
        How they were made.
    exact_weights : bool
        Whether the weights are not rounded.
    """

    problem: IntegerProblem
    value: NDArray[np.int64]
    scaling: Scaling
    exact_weights: bool


class _Scaled(NamedTuple):
    """Products of integer weights and numbers, in units of ``1 / (ten_or_two ** digits)``.

    `moved` is a bound on the weighted square of the amounts by which the numbers were moved, and
    `factor` and `centre` are those of `Scaling`.
    """

    value: NDArray[np.int64]
    base: int
    digits: int
    moved: float
    factor: float
    centre: float


def integer_squares(
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    leaf_penalty: float | Fraction = 0.0,
    *,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    exact_ratio: int = MAX_EXACT_RATIO,
) -> IntegerSquares:
    """State a problem of squared errors in integers.

    Parameters
    ----------
    y : ndarray of float64, shape (n_rows,)
        The numbers to predict.
    weight : ndarray of float64, shape (n_rows,)
        Weights of the rows, all positive.
    leaf_penalty : float or Fraction, default=0.0
        Cost of a leaf as a share of the squared error of a single leaf.
    max_depth, max_leaf_nodes : int or None, default=None
        Limits on the trees, and so on what rounding can change.
    exact_ratio : int, default=2**20
        Largest ratio of two weights for which weights that are not integers are made exact.

    Returns
    -------
    IntegerSquares
        The integers. The rounding of the problem is the width of the interval in which the
        objective of a tree is, given its cost.

    Raises
    ------
    ValueError
        If weights or numbers are so large or so small that their sums are no doubles.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.integer_squares import integer_squares
    >>> squares = integer_squares(np.array([0.5, 1.0, 1.5]), np.ones(3))
    >>> squares.value.tolist(), squares.problem.rounding < 1e-11
    ([-5, 0, 5], True)
    """
    centre, single = _single_leaf(y, weight)
    integers, weight_scale, wrong_weights = _weights(y, weight, single, exact_ratio)
    if single == 0.0:
        penalty = 1 if leaf_penalty > 0 else 0  # nobody pays it
        problem = IntegerProblem(integers, 1, penalty, 1.0, 0.0, total=Fraction(1))
        value = np.zeros(len(y), dtype=np.int64)
        scaling = Scaling(weight_scale, 1.0, float(y[0]), 0, 0)
        return IntegerSquares(problem, value, scaling, exact_weights=wrong_weights is None)
    scaled = _scaled(y, weight, integers, centre)
    squares = fsum((scaled.value.astype(np.float64) ** 2 / integers).tolist())
    every = len(y) if max_depth is None else 2**max_depth
    price = min(float(leaf_penalty), 1.0) * single
    exponent = floor((SQUARE_BITS - log2(squares)) / 2)
    while True:
        scale = _scale_of(scaled, weight_scale, exponent)
        penalty = max(round(price * scale), 1) if leaf_penalty > 0 else 0
        if penalty * min(every, len(y)) < MAX_COST:
            break
        exponent -= 1

    # A tree with more leaves than these costs more than a single leaf.
    most = min(every, len(y), max_leaf_nodes or every)
    if leaf_penalty > 0:
        most = min(most, 1 + floor(1.0 / min(float(leaf_penalty), 1.0)))
    in_units = 0.5 * most + abs(penalty - price * scale) * (most - 1) + 1.0
    doubt = (
        in_units / scale
        + 1.01 * (2.0 * sqrt(single) * sqrt(scaled.moved) + scaled.moved)
        + (wrong_weights or 0.0)
        + NOISE * single
    )
    problem = IntegerProblem(
        integers,
        1,
        penalty,
        scale,
        rounding=2.0 * doubt,
        excess=2.0 * doubt,
        total=Fraction(single) * Fraction(scale),
        offset=_offset(scaled.value, integers, exponent) / scale + doubt,
        zero_is_exact=scaled.base == 10 and wrong_weights is None and exponent >= 0,
    )
    shift = 0 if scaled.base == 10 else scaled.digits
    scaling = Scaling(weight_scale, scaled.factor, scaled.centre, shift, exponent)
    return IntegerSquares(problem, scaled.value, scaling, exact_weights=wrong_weights is None)


def _single_leaf(y: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Return the weighted mean of the numbers, and the weighted squared error of a single leaf."""
    total = float(weight.sum())
    if not LEAST_SQUARES < total < MOST_SQUARES:
        msg = f"the sum of the sample weights must be between 1e-290 and 1e290, got {total}"
        raise ValueError(msg)
    if y.min() == y.max():
        return float(y[0]), 0.0
    with np.errstate(all="ignore"):
        centre, single = mean_and_squares(y, weight)
    if not LEAST_SQUARES < single < MOST_SQUARES:
        msg = (
            f"the weighted squares of the differences of y to its mean must add up to a number "
            f"between 1e-290 and 1e290, got {single}: scale y"
        )
        raise ValueError(msg)
    return centre, single


def mean_and_squares(y: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Return the weighted mean of numbers, and the weighted sum of the squares around it.

    Parameters
    ----------
    y, weight : ndarray of float64, shape (n_rows,)
        The numbers, and their positive weights.

    Returns
    -------
    mean, squares : float
        The mean and the sum.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._engine.integer_squares import mean_and_squares
    >>> mean_and_squares(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    (1.5, 3.0)
    """
    if y.min() == y.max():
        return float(y[0]), 0.0
    total = float(weight.sum())
    first = float(weight @ (y / total))
    rest = y - first
    more = float(weight @ (rest / total))
    return first + more, max(float(weight @ rest**2) - total * more**2, 0.0)


def _weights(
    y: NDArray[np.float64], weight: NDArray[np.float64], single: float, exact_ratio: int
) -> tuple[NDArray[np.int64], float, float | None]:
    """Return integer weights, their scale, and by how much rounding them changes an objective.

    The last one is None if the weights were not rounded.
    """
    exact = exact_weights(weight, exact_ratio)
    if exact is not None and int(exact[0].sum()) <= MAX_SUM:
        return *exact, None
    scale = (MAX_SUM / 2 - len(weight)) / float(weight.sum())
    integers = np.maximum(np.rint(weight * scale), 1.0)
    wrong = np.abs(integers / scale - weight) + FEW_ROUNDED * weight
    share = float((wrong / weight).max())
    with np.errstate(over="ignore"):
        farthest = np.maximum(y - y.min(), y.max() - y)
        change = float((wrong * farthest**2).sum())
    bound = share / (1.0 - share) * single if share < 1.0 else inf
    return integers.astype(np.int64), scale, 1.01 * min(change, bound)


def _scaled(
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    integers: NDArray[np.int64],
    centre: float,
) -> _Scaled:
    """Return the products of integer weights and numbers less about their mean.

    Of two ways, the one is taken that moves the numbers less: as decimal numbers, if they are such
    numbers, or rounded to a binary fraction.
    """
    found = [_binary(y, weight, integers, centre)]
    decimal = _decimal(y, weight, integers, centre)
    if decimal is not None:
        found.insert(0, decimal)
    return min(found, key=lambda scaled: scaled.moved)


def _decimal(
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    integers: NDArray[np.int64],
    centre: float,
) -> _Scaled | None:
    """Return exact products if the numbers, times a power of ten, are integers."""
    largest = float(np.abs(y).max())
    for digits in range(MOST_DECIMALS + 1):
        factor = float(10**digits)
        if largest * factor >= MAX_SUM:
            return None
        whole = y * factor
        if np.array_equal(whole, np.rint(whole)):
            break
    else:
        return None
    middle = round(centre * factor)
    number = whole.astype(np.int64) - middle
    if float(np.abs(number.astype(np.float64)) @ integers) >= _most_sum(integers):
        return None
    # A decimal number with a fraction differs from the double that stands for it.
    moved = 0.0 if digits == 0 else float(weight @ (ROUNDED * y) ** 2)
    return _Scaled(number * integers, 10, digits, moved, factor, float(middle))


def _binary(
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    integers: NDArray[np.int64],
    centre: float,
) -> _Scaled:
    """Return products that are rounded to multiples of a power of two, as fine as possible."""
    product = (y - centre) * integers
    digits = floor(log2(_most_sum(integers) / float(np.abs(product).sum())))
    value = np.rint(np.ldexp(product, digits))
    unit = np.ldexp(1.0 / integers, -digits)
    moved = float(weight @ ((0.5 + FEW_ROUNDED * np.abs(value)) * unit) ** 2)
    return _Scaled(value.astype(np.int64), 2, digits, moved, 1.0, centre)


def _most_sum(integers: NDArray[np.int64]) -> int:
    """Return the largest sum of products with these weights."""
    weight_bits = max(LEAST_WEIGHT_BITS, int(integers.sum()).bit_length())
    bits = PACKED_BITS - weight_bits
    return min(MAX_SUM, 2**bits) if bits >= LEAST_PRODUCT_BITS else MAX_SUM


def _scale_of(scaled: _Scaled, weight_scale: float, exponent: int) -> float:
    """Return the cost of a squared error of 1."""
    if scaled.base == 2:
        return ldexp(weight_scale, 2 * (scaled.digits + exponent))
    return ldexp(weight_scale * float(10 ** (2 * scaled.digits)), 2 * exponent)


def _offset(value: NDArray[np.int64], weight: NDArray[np.int64], exponent: int) -> float:
    """Return the squares of all rows less the integers that the core has for them."""
    number = np.ldexp(value.astype(np.float64), exponent)
    square = number * number / weight  # as `square` in core/objective/squared_error.hpp
    return fsum((square - np.rint(square) - (1.0 if exponent < 0 else 0.0)).tolist())

"""The problem in integers: weights and leaf penalty are scaled, so that bounds are exact.

The core only adds and compares integers. Weights that are small multiples of a common unit become
integers without an error; other weights are rounded down, and the largest possible error is known.
Because they are rounded down, the least cost of the integers is a bound for the real weights, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree import _core

# Two doubles whose relative difference is smaller are taken for the same number.
NOISE = 1e-12
MAX_DISTINCT = 256
MAX_EXACT_RATIO = 2**20
MAX_EXACT_TOTAL = 2**53
MAX_DECIMAL_TOTAL = 2**31 - 1
# Rounded weights have this mean, so that rounding them down loses less than 1e-9 of their total.
FINE_MEAN = 2**30
# Over columns of bits, every set bit of a weight is a row of its own. There the weights have at
# most this many times the set bits of coarse weights, and a search takes at most so much longer.
MOST_TIMES_THE_BITS = 3.0
# In small tables most of the time goes elsewhere, so this many set bits more are allowed.
SPARE_BITS = 4000
MAX_COARSE_WEIGHT = 2**15 - 1
MAX_COARSE_TOTAL = 2**31 - 1
MAX_PENALTY_DENOMINATOR = 10**6
MAX_UNIT_BITS = 20
MAX_DEPTH: int = _core.OPTIONS["max_depth"].most


@dataclass(frozen=True)
class IntegerProblem:
    """The integer problem: ``cost = unit * misclassified weight + penalty * (leaves - 1)``.

    Parameters
    ----------
    weight : ndarray of int64, shape (n_rows,)
        Weights of the rows, at least 1; their greatest common divisor is 1 if they are exact.
    unit : int
        Cost of one unit of misclassified integer weight.
    penalty : int
        Cost of every leaf after the first.
    scale : float
        Integer weight of a row of real weight 1.
    rounding : float
        Largest difference between the objective of a tree that is proved to be the best one of the
        integer problem and its lower bound, in real units. The objectives of a tree in the real and
        in the integer problem differ by no more. It is 0.0 if the integers are exact.
    excess : float
        Largest amount by which the objective of a tree in the integer problem is above the real
        one, in real units. It is part of `rounding`.
    total : Fraction, default=0
        The integer weight of which a leaf penalty is a share, if the integers are exact.
    offset : float, default=0.0
        Part of the objective of every tree that the integers do not contain, in real units.
    noise : float, default=0.0
        Largest rounding error of doubles when the offset is added to a bound.
    zero_is_exact : bool, default=True
        Whether a tree whose real objective is 0 has the least cost.
    """

    weight: NDArray[np.int64]
    unit: int
    penalty: int
    scale: float
    rounding: float
    excess: float = 0.0
    total: Fraction = Fraction(0)
    offset: float = 0.0
    noise: float = 0.0
    zero_is_exact: bool = True

    def objective(self, cost: int) -> float:
        """Return the objective of the real problem for a cost of the integer problem."""
        return max(0.0, cost / self.unit / self.scale + self.offset)

    def lower_bound(self, lower: int) -> float:
        """Return a lower bound of the real problem for one of the integer problem."""
        return max(0.0, self.objective(lower) - self.excess - self.noise)


def integer_problem(
    weight: NDArray[np.float64],
    leaf_penalty: float | Fraction = 0.0,
    max_depth: int | None = MAX_DEPTH,
    *,
    max_leaf_nodes: int | None = None,
    total: float | None = None,
    offset: float = 0.0,
    exact_ratio: int = MAX_EXACT_RATIO,
    by_bits: bool = True,
    count: NDArray[np.int64] | None = None,
) -> IntegerProblem:
    """State a problem with real weights and a real leaf penalty in integers.

    Parameters
    ----------
    weight : ndarray of float64, shape (n_rows,)
        Weights of the rows, all positive.
    leaf_penalty : float or Fraction, default=0.0
        Cost of a leaf as a share of the total weight. With a penalty of 1 no split can pay off, so
        larger penalties give the same problem.
    max_depth : int or None, default=MAX_DEPTH
        Largest depth of a tree, which limits the number of leaves; None for any depth.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of a tree. It limits the error of a rounded penalty; costs must
        have room for trees without this limit, too, because the core prunes such trees.
    total : float, optional
        The total weight, if it is not the sum of `weight`.
    offset : float, default=0.0
        Part of the objective that all trees have in common.
    exact_ratio : int, default=2**20
        Largest ratio of two weights for which weights that are not integers are made exact.
    by_bits : bool, default=True
        Whether the search holds the rows as columns of bits, in which weights of many bits are
        dear, and not as sorted columns.
    count : ndarray of int64, shape (n_rows,), or None, default=None
        For how many rows each row stands, all of which have its weight. The weights of the problem
        are those of all of them together. None for one.

    Returns
    -------
    IntegerProblem
        An exact problem if the weights and the penalty are small multiples of a common unit,
        otherwise a rounded one, with a bound on the error of the rounding.
    """
    most, rows = float(_sum(weight, count)), int(_sum(np.ones(len(weight)), count))
    if not 1e-290 < most < 1e290:
        what = "sample weights" if total is None else "sample weights, times the costs,"
        msg = f"the sum of the {what} must be between 1e-290 and 1e290, got {most}"
        raise ValueError(msg)
    share = leaf_penalty if isinstance(leaf_penalty, Fraction) else float(leaf_penalty)
    problem = None
    leaves = rows if max_depth is None else 2**max_depth
    most_leaves = min(leaves, rows, max_leaf_nodes or leaves)
    exact = exact_weights(weight, exact_ratio, most)
    if exact is not None:
        integers = _together(exact[0], count)
        problem = _with_penalty(
            integers, exact[1], 0.0, 0.0, share, total, most, leaves, most_leaves
        )
    if problem is None:
        coarse = _coarse_scale(weight, rows, most)
        scale = _fine_scale(weight, rows, most, coarse, count, by_bits=by_bits)
        while problem is None:  # coarse weights fit with every penalty and depth
            rounded = _rounded_weights(weight, scale, count)
            problem = _with_penalty(*rounded, share, total, most, leaves, most_leaves)
            scale = max(scale / 2.0, coarse)
    if offset == 0.0:
        return problem
    integral = (1.0 / problem.scale).is_integer() and offset.is_integer()
    noise = 0.0 if integral else NOISE * (most + abs(offset))
    rounding = problem.rounding + 2.0 * noise if problem.rounding > 0.0 else 0.0
    return replace(problem, offset=offset, noise=noise, rounding=rounding)


def _sum(values: NDArray[Any], count: NDArray[np.int64] | None) -> Any:
    return values.sum() if count is None else (values * count).sum()


def _together(integers: NDArray[np.int64], count: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the weights of all the rows for which each row stands."""
    return integers if count is None else integers * count


def exact_weights(
    weight: NDArray[np.float64], most: int, total: float | None = None
) -> tuple[NDArray[np.int64], float] | None:
    """Return small integers proportional to the weights, and their scale; None if there are none.

    Parameters
    ----------
    weight : ndarray of float64, shape (n_rows,)
        The weights.
    most : int
        Bound on the integers, unless the weights are integers themselves.
    total : float or None, default=None
        The total weight, if rows stand for several rows; None for the sum of the weights.

    Returns
    -------
    integers : ndarray of int64, shape (n_rows,)
        The integers, at least 1.
    scale : float
        The integer of a real weight of 1.
    """
    smallest = float(weight.min())
    if smallest == weight.max():
        return np.ones(len(weight), dtype=np.int64), 1.0 / smallest
    total = float(weight.sum()) if total is None else total
    if total < MAX_EXACT_TOTAL and np.array_equal(weight, np.floor(weight)):
        integers = weight.astype(np.int64)
        divisor = int(np.gcd.reduce(integers))
        return integers // divisor, 1.0 / divisor
    decimals = _decimal_weights(weight, most, total)
    if decimals is not None:
        return decimals
    if len(np.unique(weight[: 4 * MAX_DISTINCT])) > MAX_DISTINCT:
        return None  # decided without sorting a million weights
    values, inverse = np.unique(weight, return_inverse=True)
    if len(values) > MAX_DISTINCT or values[-1] / smallest >= most:
        return None
    multiples = _common_multiples(values / smallest, most)
    if multiples is None:
        return None
    return multiples[inverse], float(multiples[0]) / smallest


def _decimal_weights(
    weight: NDArray[np.float64], most: int, total: float
) -> tuple[NDArray[np.int64], float] | None:
    """Return the exact integers of weights that have few decimals, such as 0.836, or None."""
    for power in (10, 100, 1_000, 10_000):
        if weight.max() * power >= most or total * power >= MAX_DECIMAL_TOTAL:
            return None
        # Most other weights are recognised by their first rows.
        for rows in (weight[: 4 * MAX_DISTINCT], weight):
            integers = np.rint(rows * power)
            if (np.abs(integers - rows * power) > NOISE * integers).any():
                break
        else:
            multiples = integers.astype(np.int64)
            divisor = int(np.gcd.reduce(multiples))
            return multiples // divisor, power / divisor
    return None


def _common_multiples(ratios: NDArray[np.float64], most: int) -> NDArray[np.int64] | None:
    """Return integers below `most` with the given ratios to the smallest one, or None."""
    fractions = []
    denominator = 1
    for ratio in ratios.tolist():
        fraction = Fraction(ratio).limit_denominator(MAX_EXACT_RATIO)
        if not _same(fraction, ratio):
            return None
        denominator = lcm(denominator, fraction.denominator)
        if denominator * fraction >= most:
            return None
        fractions.append(fraction)
    multiples = [int(fraction * denominator) for fraction in fractions]
    return np.array(multiples, dtype=np.int64) if max(multiples) < most else None


def _coarse_scale(weight: NDArray[np.float64], rows: int, total: float) -> float:
    """Return the scale of weights that have at most 15 bits, and a total of at most 31."""
    room = MAX_COARSE_TOTAL - rows  # a row has at least the weight 1
    return min(MAX_COARSE_WEIGHT / float(weight.max()), room / total)


def _fine_scale(
    weight: NDArray[np.float64],
    rows: int,
    total: float,
    coarse: float,
    count: NDArray[np.int64] | None,
    *,
    by_bits: bool,
) -> float:
    """Return the scale of weights that lose less than 1e-9 of their total, if that is not too dear.

    Over columns of bits it may be a smaller one, which halves the weights until they have at most
    three times the set bits of coarse weights, and some more. It is never below the coarse one.
    """
    fine = rows * FINE_MEAN / total
    if by_bits:
        most = MOST_TIMES_THE_BITS * _set_bits(_lengths(weight * coarse, count)) + SPARE_BITS
        lengths = _lengths(weight * fine, count)
        while fine > coarse and _set_bits(lengths) > most:
            fine /= 2.0
            lengths = np.append(lengths[0] + lengths[1], lengths[2:])
    return max(fine, coarse)


def _lengths(weight: NDArray[np.float64], count: NDArray[np.int64] | None) -> NDArray[Any]:
    """Return how many weights have 1 bit, 2 bits, ... after they are rounded down, at least to 1.

    The length is at least 2, so that the first two numbers can always be added up.
    """
    return np.bincount(np.maximum(np.frexp(weight)[1], 1) - 1, count, minlength=2)


def _set_bits(lengths: NDArray[Any]) -> float:
    """Return about how many set bits weights have: the first one, and half of the others."""
    return float(lengths @ (np.arange(len(lengths)) / 2.0 + 1.0))


def _rounded_weights(
    weight: NDArray[np.float64], scale: float, count: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], float, float, float]:
    """Return weights that are rounded down, at least to 1, with their scale, rounding and excess.

    A tree misclassifies some of the rows. In the worst case these are all rows that lost weight, or
    all that gained some, because they would have been rounded down to 0.
    """
    integers = np.maximum(np.floor(weight * scale), 1.0)
    difference = integers / scale - weight
    gained = float(_sum(np.maximum(difference, 0.0), count))
    lost = -float(_sum(np.minimum(difference, 0.0), count))
    return _together(integers.astype(np.int64), count), scale, gained + lost, gained


def _with_penalty(
    weight: NDArray[np.int64],
    scale: float,
    rounding: float,
    excess: float,
    share: float | Fraction,
    total: float | None,
    most: float,
    leaves: int,
    most_leaves: int,
) -> IntegerProblem | None:
    """Add the penalty to integer weights; return None if the costs would not fit into 62 bits.

    The cost of a leaf is at most the sum of the weights, `most`, with which no split pays off. A
    tree that the core adds up has at most `leaves` leaves, and one that it returns `most_leaves`.
    """
    integer_total = int(weight.sum())
    priced = Fraction(integer_total)
    exact = rounding == 0.0
    if total is not None:
        priced = Fraction(total * scale)
        small = priced.limit_denominator(MAX_PENALTY_DENOMINATOR)
        if _same(small, total * scale):
            priced = small
        else:
            exact = False

    def fits(unit: int, penalty: int) -> bool:
        largest = unit * integer_total
        return largest < 2**60 and largest + penalty * leaves < 2**62

    if exact:
        for fraction in _fractions(share):
            price = min(fraction * priced, Fraction(integer_total))
            if fits(price.denominator, price.numerator):
                units = price.denominator, price.numerator
                return IntegerProblem(weight, *units, scale, 0.0, total=priced)
    price_of_leaf = min(float(share) * (most if total is None else total), most)
    for bits in range(MAX_UNIT_BITS if share > 0.0 else 0, -1, -1):
        unit = 1 << bits
        penalty = max(round(price_of_leaf * scale * unit), 1 if share > 0.0 else 0)
        if fits(unit, penalty):
            difference = (penalty / unit / scale - price_of_leaf) * (most_leaves - 1)
            rounding += abs(difference)
            excess += max(difference, 0.0)
            if rounding > 0.0:
                rounding, excess = rounding + 2.0 * NOISE * most, excess + NOISE * most
            return IntegerProblem(weight, unit, penalty, scale, rounding, excess, priced)
    return None


def _fractions(share: float | Fraction) -> Iterable[Fraction]:
    """Yield the fractions that a user may have meant by a number such as 0.3333333333333333."""
    if isinstance(share, Fraction):
        yield share
        return
    small = Fraction(share).limit_denominator(MAX_PENALTY_DENOMINATOR)
    if _same(small, share):
        yield small
    yield Fraction(repr(share))


def _same(fraction: Fraction, number: float) -> bool:
    return abs(float(fraction) - number) <= NOISE * number

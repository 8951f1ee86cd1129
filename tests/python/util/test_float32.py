"""Thresholds that compare unrounded numbers as others compare float32 numbers."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from beamtree._util.float32 import largest_double, rounded_down

LARGEST = float(np.finfo(np.float32).max)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
THRESHOLDS = st.floats(width=32, allow_nan=False) | FLOATS


def single(value):
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(value))


@given(THRESHOLDS, FLOATS)
@example(LARGEST, 2.0**128)
@example(-LARGEST, -(2.0**128))
@example(-1e39, -LARGEST)
@example(1e39, 1e300)
@example(0.1, 0.1)
@example(-1e-46, -1e-46)
def test_doubles_are_compared_as_their_float32(threshold, value):
    assert (value <= largest_double(threshold)) == (
        single(value) <= single(rounded_down(threshold))
    )


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_threshold_is_the_largest_possible_double(threshold):
    largest = largest_double(threshold)
    assert single(largest) <= threshold < single(np.nextafter(largest, np.inf))


@given(THRESHOLDS)
@example(LARGEST)
@example(1e300)
@example(-1e300)
def test_numbers_are_rounded_down(number):
    below = rounded_down(number)
    assert float(below) <= number
    with np.errstate(over="ignore", under="ignore"):
        assert below == np.inf or float(np.nextafter(below, np.float32(np.inf))) > number

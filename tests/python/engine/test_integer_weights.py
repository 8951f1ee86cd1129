"""Integer weights in place of real ones: exact where possible, with a known rounding elsewhere."""

from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from beamtree._engine.integer_weights import integer_problem


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def check_fits(problem, max_depth):
    """Assert that the core can add up the cost of 2**max_depth leaves in 64 bits."""
    largest = problem.unit * int(problem.weight.sum()) + problem.penalty * 2**max_depth
    assert largest < 2**62
    assert problem.weight.dtype == np.int64
    assert problem.weight.min() >= 1


@pytest.mark.parametrize("weight", [1.0, 0.1, 1 / 3, 7e5, 1e-200])
def test_equal_weights_are_ones(weight):
    problem = integer_problem(np.full(10, weight))
    assert problem.weight.tolist() == [1] * 10
    assert problem.rounding == 0.0
    assert problem.objective(3) == pytest.approx(3 * weight, rel=1e-15)


@pytest.mark.parametrize(
    ("weight", "integers"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([4, 6, 10], [2, 3, 5]),
        ([2**40, 3, 2**52], [2**40, 3, 2**52]),
        ([0.1, 0.2, 0.3], [1, 2, 3]),
        ([0.5, 0.75, 1.0], [2, 3, 4]),
        ([1 / 3, 1.0, 5 / 7], [7, 21, 15]),
        ([1e-9, 3e-9, 2e-9], [1, 3, 2]),
        ([0.1 + 0.2, 0.3, 0.6], [1, 1, 2]),
    ],
)
def test_multiples_of_a_unit_are_exact(weight, integers):
    problem = integer_problem(np.array(weight, dtype=float))
    assert problem.weight.tolist() == integers
    assert problem.rounding == 0.0
    np.testing.assert_allclose(problem.weight / problem.scale, weight, rtol=1e-12)


@pytest.mark.parametrize("counts", [(30, 70), (332, 626), (50, 60, 70), (59, 71, 48)])
def test_balanced_classes_are_exact(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    problem = integer_problem(compute_sample_weight("balanced", y))
    assert problem.rounding == 0.0
    # All classes have exactly the same total weight.
    assert len(set(np.bincount(y, weights=problem.weight))) == 1


def test_many_integers_are_kept(rng):
    weight = rng.integers(1, 10**6, 5000).astype(float)
    problem = integer_problem(weight)
    assert problem.rounding == 0.0
    np.testing.assert_array_equal(problem.weight, weight)


WEIGHTS = {
    "uniform": lambda rng: rng.random(200) + 1e-3,
    "lognormal": lambda rng: np.exp(rng.normal(0, 4, 200)),
    "one giant": lambda rng: np.append(rng.random(100), 1e9),
    "tiny": lambda rng: rng.random(50) * 1e-250,
    "huge integers": lambda rng: rng.integers(2**50, 2**55, 30).astype(float),
    "exact": lambda rng: rng.integers(1, 9, 200).astype(float),
    "tenths": lambda rng: rng.integers(1, 9, 200) / 10,
    "many rows": lambda rng: rng.random(100_000) + 0.5,
}
PENALTIES = [0.0, 0.01, 1 / 3, 1e-9, np.pi / 1000, 0.7, 1.0]


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("leaf_penalty", PENALTIES)
@pytest.mark.parametrize(("max_depth", "most_leaves"), [(1, None), (5, None), (20, None), (20, 6)])
def test_rounding_bounds_every_tree(kind, leaf_penalty, max_depth, most_leaves, rng):
    weight = WEIGHTS[kind](rng)
    problem = integer_problem(weight, leaf_penalty, max_depth, max_leaf_nodes=most_leaves)
    # The core prunes trees to a limit of leaves, so there is room for trees without it, too.
    check_fits(problem, max_depth)
    assert problem.rounding <= integer_problem(weight, leaf_penalty, max_depth).rounding
    total = fsum(weight)
    difference = problem.weight / problem.scale - weight
    # Here a tree is the set of rows that it misclassifies and its number of leaves. The first two
    # sets are those for which rounding changes the cost most.
    wrongs = [difference > 0, difference < 0, *(rng.random((5, len(weight))) < 0.3)]
    for wrong in wrongs:
        for leaves in (1, 2, min(2**max_depth, len(weight), most_leaves or len(weight))):
            objective = fsum(weight[wrong]) + leaf_penalty * total * (leaves - 1)
            cost = problem.unit * int(problem.weight[wrong].sum())
            cost += problem.penalty * (leaves - 1)
            noise = 1e-12 * total * max(1.0, leaf_penalty * leaves)
            assert abs(objective - problem.objective(cost)) <= problem.rounding + noise


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_many_decimal_weights_are_exact(decimals, rng):
    integers = np.r_[1, rng.integers(1, 50_000, 2000)]
    problem = integer_problem(integers / 10**decimals, 0.0, max_depth=3)
    assert problem.rounding == 0.0
    assert problem.scale == 10**decimals
    assert problem.weight.tolist() == integers.tolist()
    last = np.r_[integers / 10**decimals, np.pi]  # the first rows do not show that it is not exact
    assert integer_problem(last, 0.0, max_depth=3).rounding > 0.0


def test_rounding_is_not_larger_than_needed(rng):
    weight = rng.random(1000)
    problem = integer_problem(weight)
    difference = problem.weight / problem.scale - weight
    worst = np.abs(difference).sum()
    assert worst <= problem.rounding <= worst + 3e-12 * weight.sum()
    assert problem.excess == pytest.approx(0.0, abs=2e-12 * weight.sum())
    assert problem.rounding < 1e-9 * weight.sum()


@pytest.mark.parametrize("by_bits", [True, False])
@pytest.mark.parametrize("kind", ["uniform", "huge integers", "many rows"])
def test_rounding_is_below_a_billionth(kind, by_bits, rng):
    weight = WEIGHTS[kind](rng)
    problem = integer_problem(weight, by_bits=by_bits)
    assert 0 < problem.rounding < 1e-9 * weight.sum()
    assert 2**30 * len(weight) * 0.99 < problem.weight.sum() <= 2**30 * len(weight)


def set_bits(weight):
    return int(np.bitwise_count(weight).sum())


@pytest.mark.parametrize("spread", [1.0, 2.0, 4.0])
def test_columns_of_bits_have_at_most_three_times_the_set_bits_of_15(spread, rng):
    weight = np.exp(rng.normal(0, spread, 50_000))
    coarse = np.maximum(np.floor(weight * (2**15 - 1) / weight.max()), 1).astype(np.int64)
    bits = integer_problem(weight)
    assert set_bits(bits.weight) <= 3.1 * set_bits(coarse)
    assert bits.weight.max() >= coarse.max()
    columns = integer_problem(weight, by_bits=False)
    assert columns.rounding < 1e-9 * weight.sum()
    assert columns.rounding <= bits.rounding
    # The weights are no coarser than they have to be: with one more bit, there were too many.
    if bits.rounding > 1e-9 * weight.sum():
        finer = np.maximum(np.floor(weight * bits.scale * 2), 1).astype(np.int64)
        assert set_bits(finer) > 2.9 * set_bits(coarse)


def test_weights_are_as_fine_as_the_costs_of_all_leaves_allow(rng):
    weight = rng.random(50_000) + 0.5
    problem = integer_problem(weight, 0.5, 20)
    check_fits(problem, 20)
    assert problem.penalty * 2**20 > 2**60
    assert 1e-9 < problem.rounding / weight.sum() < 1e-8


@pytest.mark.parametrize(
    ("leaf_penalty", "unit", "penalty"),
    [
        (0.0, 1, 0),
        (0.01, 1, 10),
        (0.005, 1, 5),
        (0.0005, 2, 1),
        (1 / 3, 3, 1000),
        (1e-9, 10**6, 1),
        (1.0, 1, 1000),
        (5.0, 1, 1000),
        (1e300, 1, 1000),
    ],
)
def test_penalty_is_exact(leaf_penalty, unit, penalty):
    problem = integer_problem(np.ones(1000), leaf_penalty, 5)
    assert (problem.unit, problem.penalty, problem.rounding) == (unit, penalty, 0.0)


def test_penalty_without_a_small_fraction_is_rounded():
    problem = integer_problem(np.ones(1000), np.pi / 1000, 3)
    assert 0.0 < problem.rounding < 1e-5
    assert problem.penalty / problem.unit == pytest.approx(np.pi, rel=1e-6)


@pytest.mark.parametrize("total", [0.0, 1e-300, np.inf])
def test_total_out_of_range(total):
    with pytest.raises(ValueError, match="between 1e-290 and 1e290, got"):
        integer_problem(np.array([total, total]))


def test_a_penalty_may_be_a_share_of_another_total():
    problem = integer_problem(np.array([2.0, 4.0, 6.0]), 0.1, total=5.0)
    assert problem.weight.tolist() == [1, 2, 3]
    # 0.1 * 5 is 0.5, a quarter of the unit of 2.
    assert Fraction(problem.penalty, problem.unit) == Fraction(1, 4)
    assert problem.rounding == 0.0
    assert problem.total == Fraction(5, 2)


@pytest.mark.parametrize("penalty", [3.0, 1e300, Fraction(10**30)])
@pytest.mark.parametrize("total", [None, 1e-3, 1e9])
def test_a_penalty_is_at_most_the_total_weight(penalty, total):
    problem = integer_problem(np.array([2.0, 3.0]), penalty, total=total)
    price = Fraction(problem.penalty, problem.unit)
    expected = min(Fraction(penalty) * Fraction(5.0 if total is None else total), 5)
    assert price == pytest.approx(expected, rel=1e-9)
    assert problem.rounding == pytest.approx(0.0, abs=1e-9)


def test_a_fraction_is_taken_as_it_is():
    share = Fraction(1, 7 * 10**8 + 1)
    problem = integer_problem(np.ones(3), share)
    assert Fraction(problem.penalty, problem.unit) == 3 * share
    assert problem.rounding == 0.0


def test_an_offset_is_part_of_objectives_and_bounds():
    problem = integer_problem(np.array([1.0, 2.0]), 0.0, offset=-1.0)
    assert (problem.objective(3), problem.lower_bound(2)) == (2.0, 1.0)
    assert problem.lower_bound(0) == 0.0
    noisy = integer_problem(np.array([0.1, 0.2]), 0.0, offset=0.3)
    assert noisy.objective(1) == pytest.approx(0.4)
    assert 0.4 - 1e-9 < noisy.lower_bound(1) < 0.4

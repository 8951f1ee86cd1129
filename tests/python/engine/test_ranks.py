"""The core's problems that are given as ranks instead of zeros and ones."""

import numpy as np
import pytest

from beamtree import _core


def random_problem(seed):
    """Return ranks of some orders, classes and weights."""
    rng = np.random.default_rng(seed)
    n_rows, n_orders, n_classes = rng.integers(5, 40), rng.integers(1, 4), rng.integers(2, 4)
    ranks = [np.unique(rng.integers(0, 8, n_rows), return_inverse=True)[1] for _ in range(n_orders)]
    y = rng.integers(0, n_classes, n_rows).astype(np.int32)
    weight = rng.integers(1, 4, n_rows)
    return np.array(ranks, dtype=np.uint32), y, weight, int(n_classes)


def all_tests(ranks, cuts):
    """Return the same problem as zeros and ones, with one column per test."""
    columns = [
        rank >= cut for rank, most in zip(ranks, cuts, strict=True) for cut in range(1, most + 1)
    ]
    return np.ascontiguousarray(np.array(columns, dtype=np.uint8).T)


def solve(rows, y, weight, n_classes, **options):
    """Return the outcome of a search that runs to its end."""
    chosen = _core.Options()
    for name, value in options.items():
        setattr(chosen, name, value)
    search = _core.Search(rows, y, weight, n_classes, chosen, [])
    while search.step(1e9, 2**62, 0.0, 0):
        pass
    return search.outcome()


@pytest.mark.parametrize("seed", range(50))
def test_ranks_are_searched_like_zeros_and_ones(seed):
    ranks, y, weight, n_classes = random_problem(seed)
    cuts = ranks.max(axis=1).astype(np.int32)
    rows, X = _core.Ranks(ranks, cuts), all_tests(ranks, cuts)
    found = solve(rows, y, weight, n_classes, max_depth=3)
    expected = solve(X, y, weight, n_classes, max_depth=3)
    assert found.cost == expected.cost == found.lower
    tree = (found.feature, found.left, found.right)
    real = weight.astype(np.float64)
    for got, wanted in zip(
        _core.recount(rows, y, real, n_classes, *tree),
        _core.recount(X, y, real, n_classes, *tree),
        strict=True,
    ):
        np.testing.assert_array_equal(got, wanted)


def test_wrong_ranks_are_refused():
    rank = np.zeros((2, 3), dtype=np.uint32)
    with pytest.raises(ValueError, match="the same number of orders, got 2 and 1"):
        _core.Ranks(rank, np.array([1], dtype=np.int32))
    with pytest.raises(ValueError, match="cuts must be at least 0"):
        _core.Ranks(rank, np.array([1, -1], dtype=np.int32))
    rank[1, 2] = 5
    rows = _core.Ranks(rank, np.array([1, 4], dtype=np.int32))
    assert rows.shape == (3, 2)
    with pytest.raises(ValueError, match="every rank of order 1 must be from 0 to 4, got 5"):
        solve(rows, np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.int64), 1)

"""A row that stands for several equal rows gives the same search as the rows themselves."""

from dataclasses import replace

import numpy as np
import pytest

from beamtree import _core
from beamtree._engine.engine import Engine
from beamtree._engine.settings import Settings
from beamtree._table.orders import Orders
from beamtree._table.ranks import RankedRows
from beamtree._table.training_data import TrainingData, binary_training_data


def random_rows(seed):
    """Return distinct rows with counts, as zeros and ones or as ranks, with or without weights."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns, n_classes = rng.integers(2, 40), rng.integers(1, 5), rng.integers(1, 4)
    codes = rng.integers(0, n_classes, n_rows).astype(np.int32)
    count = rng.integers(1, rng.choice([2, 4, 200]), n_rows)
    weights = [None, rng.integers(1, 4, n_rows) * 1.0, rng.random(n_rows) + 0.1]
    weight = weights[rng.integers(3)]
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    data = binary_training_data(X, codes, weight, np.arange(n_classes))
    if seed % 2:
        rank = rng.integers(0, 4, (n_columns, n_rows)).astype(np.uint32)
        no = np.zeros(n_columns, dtype=np.bool_)
        low = [np.arange(3.0)] * n_columns
        orders = Orders(
            np.arange(n_columns), [None] * n_columns, no, no, low, [each + 1 for each in low]
        )
        data = replace(data, X=RankedRows(rank, orders.cuts), orders=orders)
    return replace(data, count=count), rng


def expanded(data: TrainingData) -> TrainingData:
    every = np.repeat(np.arange(len(data.X)), data.count)
    weight = data.sample_weight
    return replace(
        data,
        X=data.X[every],
        codes=data.codes[every],
        sample_weight=None if weight is None else weight[every],
        count=None,
    )


def fitted(data, settings):
    engine = Engine(data, settings)
    engine.run()
    return engine.result()


@pytest.mark.parametrize("block", range(8))
def test_counts_are_the_rows_themselves(block):
    for seed in range(25 * block, 25 * block + 25):
        data, rng = random_rows(seed)
        n_rows = int(data.count.sum())
        settings = Settings(
            max_depth=int(rng.integers(0, 4)),
            min_samples_leaf=int(rng.choice([1, 1, max(n_rows // 8, 1)])),
            leaf_penalty=float(rng.choice([0.0, 0.0, 0.01])),
            class_weight=rng.choice([None, None, {0: 2.5}]),
        )
        counted, plain = fitted(data, settings), fitted(expanded(data), settings)
        assert counted.status == plain.status == "optimal"
        assert counted.n_errors == plain.n_errors
        assert counted.objective == pytest.approx(plain.objective, rel=1e-12)
        assert counted.lower_bound == pytest.approx(plain.lower_bound, rel=1e-9)
        assert counted.rounding == pytest.approx(plain.rounding, rel=1e-6)
        if counted.rounding == 0.0:
            assert counted.tree.feature.tolist() == plain.tree.feature.tolist()
            assert counted.tree.n_node_samples.tolist() == plain.tree.n_node_samples.tolist()
            assert counted.trace["nodes"].tolist() == plain.trace["nodes"].tolist()


@pytest.mark.parametrize(
    ("count", "tests", "error"),
    [
        ([1], 1, "count must have the same number of rows"),
        ([1, 0], 1, r"count\[1\] must be at least 1"),
        ([1, 2**31], 1, r"count\[1\] must be at least 1, and the sum of all counts below 2\^31"),
        ([1, 1], 601, "the form must be 'bits'"),
    ],
)
def test_counts_are_checked(count, tests, error):
    ranks = _core.Ranks(np.zeros((1, 2), dtype=np.uint32), np.array([tests], dtype=np.int32))
    y, ones = np.zeros(2, dtype=np.int32), np.ones(2, dtype=np.int64)
    with pytest.raises(ValueError, match=error):
        _core.Search(ranks, y, ones, 1, _core.Options(), [], 1.0, None, np.array(count))

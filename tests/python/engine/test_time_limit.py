"""Searches obey their time limit."""

import time

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier
from tests.unfinished import unfinished


@unfinished
@pytest.mark.parametrize(("rows", "features"), [(3_000, 200), (20_000, 30)])
def test_the_limit_is_obeyed(rows, features):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (rows, features), dtype=np.uint8)
    y = rng.integers(0, 2, rows)
    start = time.perf_counter()
    clf = OptimalTreeClassifier(max_depth=7, time_limit=0.2).fit(X, y)
    seconds = time.perf_counter() - start
    assert clf.status_ == "time_limit"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()
    assert seconds < 2.0  # several tests may share the core

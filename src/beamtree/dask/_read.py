"""From Dask collections to the rows of a search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from beamtree._engine.settings import Settings
from beamtree._resume.initial_tree import added_tests, extend_tests, greedy_tree
from beamtree._table.learn_tests import AddedTests, describe
from beamtree._table.training_data import TrainingData
from beamtree.dask._collections import Collections
from beamtree.dask._columns import CollectionColumns
from beamtree.dask._rows import gather_rows


def read_collections(
    X: Any,
    y: Any,
    sample_weight: Any,
    client: Any,
    settings: Settings,
    owner: Any,
    *,
    numbers: bool = False,
) -> TrainingData:
    """Read Dask collections, and rank their rows for a search.

    Parameters
    ----------
    X, y, sample_weight, client
        As in `Collections`.
    settings : Settings
        The settings of the search, of which `max_thresholds` and `init` determine the tests.
    owner : estimator
        The estimator, which gets the attributes ``n_features_in_`` and ``feature_names_in_``.
    numbers : bool, default=False
        Whether `y` has numbers to predict instead of labels.

    Returns
    -------
    TrainingData
        The distinct rows, sorted, with the tests that a fit on one machine has.
    """
    rows = Collections(X, y, sample_weight, client)
    columns = CollectionColumns(rows, owner, numbers=numbers, weighted=sample_weight is not None)
    may_count = settings.cost_matrix is None
    most = settings.max_thresholds

    learned = columns.learn(most, {})
    table = columns.table
    added = added_tests(settings.init, table, settings.depth_limit)
    if added and not columns.are_binary:
        learned = columns.learn(most, added)
    _, _, space, _ = describe(learned, table.shown_names)
    if most is None or space.lossless or columns.are_binary:
        return gather_rows(columns, learned, added, may_count=may_count)
    # No result is worse than the greedy tree over all thresholds, so the search has its tests, too.
    every: dict[int, AddedTests] = {}
    all_rows = gather_rows(columns, columns.learn(None, every), every, may_count=may_count)
    greedy = greedy_tree(all_rows, settings)
    del all_rows
    extend_tests(added, added_tests(greedy, table, settings.depth_limit))
    data = gather_rows(columns, columns.learn(most, added), added, may_count=may_count)
    return replace(data, greedy=greedy)

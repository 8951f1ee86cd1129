"""From Dask collections to the rows of a search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from beamtree._engine.settings import Settings
from beamtree._resume.given_tree import TreeWithColumns
from beamtree._resume.initial_tree import added_tests, extend_tests, greedy_tree
from beamtree._table.learn_tests import describe
from beamtree._table.training_data import TrainingData
from beamtree.dask._collections import Collections
from beamtree.dask._columns import CollectionColumns
from beamtree.dask._greedy import GreedyGrowth
from beamtree.dask._rows import gather_rows
from beamtree.result import Incumbent


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
    greedy = _greedy(columns, settings)
    extend_tests(added, added_tests(greedy, table, settings.depth_limit))
    data = gather_rows(columns, columns.learn(most, added), added, may_count=may_count)
    return replace(data, greedy=greedy)


def _greedy(columns: CollectionColumns, settings: Settings) -> TreeWithColumns | Incumbent:
    """Return the greedy tree over all thresholds.

    If there are weights, costs, numbers or limits of leaves, or if there are few thresholds, the
    distinct rows with the ranks of all thresholds are collected, and the core grows the tree.
    """
    if GreedyGrowth.can_grow(columns, settings):
        grown = GreedyGrowth(columns, settings).grow()
        if grown is not None:
            return grown
    learned = columns.learn(None, {})
    return greedy_tree(
        gather_rows(columns, learned, {}, may_count=settings.cost_matrix is None), settings
    )

"""What a tree predicts: the part of a search that is about classes, or about numbers.

To add a task: 1. write a class with the members of `Task`; 2. return it in `task_of` of engine.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._engine.integer_squares import Scaling
from beamtree._engine.integer_weights import IntegerProblem
from beamtree._engine.recount import Recounted
from beamtree._engine.settings import Settings
from beamtree._engine.tree_arrays import TreeArrays
from beamtree._table.ranks import RankedRows


class NativeProblem(NamedTuple):
    """The rows of a search as the core takes them.

    Parameters
    ----------
    X : RankedRows or ndarray of uint8
        The rows.
    y : ndarray of int32 or int64, shape (n_rows,)
        Their classes, or the numbers to predict. The statistics of an objective of the user's own
        have the shape (n_rows, n_statistics).
    n_classes : int
        Number of classes; 0 if there are numbers.
    problem : IntegerProblem
        Their weights and the leaf penalty as integers.
    least : int
        Smallest number of rows, or smallest weight, of a leaf.
    by_weight : bool
        Whether leaves are weighed instead of counted.
    options : dict
        Further attributes of ``_core.Options``.
    starts : sequence of TreeArrays
        Trees to start from.
    prices : callable or None
        What leaves cost, if the rows have statistics for an objective of the user's own.
    scaling : Scaling or None
        How numbers to predict became integers.
    row_count : ndarray of int64, shape (n_rows,), or None
        For how many equal rows each row stands; None for one.
    """

    X: RankedRows | NDArray[np.uint8]
    y: NDArray[Any]
    n_classes: int
    problem: IntegerProblem
    least: int
    by_weight: bool
    options: dict[str, Any]
    starts: Sequence[TreeArrays] = ()
    prices: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None
    scaling: Scaling | None = None
    row_count: NDArray[np.int64] | None = None


class Task(Protocol):
    """The part of a search that knows what a tree predicts.

    Attributes
    ----------
    n_rows : int
        Number of rows of positive weight.
    names_rounding : bool
        Whether the line of the proof names what rounding leaves open.
    groups_by : str
        Along what categories are grouped, in words.
    """

    n_rows: int
    names_rounding: bool
    groups_by: str

    def state(
        self, settings: Settings, most_leaves: int, switches: dict[str, Any]
    ) -> NativeProblem:
        """State the problem in integers.

        Parameters
        ----------
        settings : Settings
            The settings of the search.
        most_leaves : int
            The limit of leaves that the search observes; 0 for none.
        switches : dict
            Further attributes of ``_core.Options``.

        Returns
        -------
        NativeProblem
            The rows of positive weight.
        """

    def recount(self, outcome: _core.Outcome, problem: IntegerProblem) -> Recounted:
        """Return the tree of an outcome, recounted from the rows with their real weights.

        Parameters
        ----------
        outcome : Outcome
            Tree and bounds of the native search.
        problem : IntegerProblem
            The meaning of its integers.

        Returns
        -------
        Recounted
            The tree over tests, and its costs.
        """

    def words(self, found: Recounted, lower_bound: float) -> str:
        """Return the objective of a tree in words, and the lower bound if that is smaller.

        Parameters
        ----------
        found : Recounted
            The tree.
        lower_bound : float
            No tree has a smaller objective.

        Returns
        -------
        str
            For example ``"9 errors"``.
        """

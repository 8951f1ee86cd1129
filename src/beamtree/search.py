"""The search as a loop of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import _get_feature_names, check_X_y

from beamtree._engine import Engine
from beamtree._strategy import (
    HEURISTIC,
    RULE,
    SCHEDULE,
    HeuristicLike,
    RuleLike,
    ScheduleLike,
)
from beamtree._validation import SECONDS_OR_NONE, finite, integer, or_none, training_data
from beamtree.result import Incumbent, Result

__all__ = ["Search"]

# What a search is told, and what is allowed.
SEARCH_PARAMETERS = {
    "max_depth": integer(0, 20),
    "min_samples_leaf": integer(1),
    "leaf_penalty": finite(0.0),
    "rule": RULE,
    "schedule": SCHEDULE,
    "heuristic": HEURISTIC,
    "exact_levels": integer(0, 3),
    "node_limit": or_none(integer(1)),
}


class Search:
    """A search for the best tree that you drive yourself.

    Iterate over it to get every improvement of the tree or of the lower bound; leave the loop when
    you like, and iterate again to go on where it stopped. Only the time inside the search counts.
    `OptimalTreeClassifier` runs the same search to its end.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Features, all 0 or 1 (or False and True), of any type.
    y : array-like of shape (n_rows,)
        Labels: numbers, strings or booleans.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows, at least 0 and not all 0; None weighs all alike.
    max_depth, min_samples_leaf, leaf_penalty, rule, schedule, heuristic, exact_levels, node_limit
        As in `OptimalTreeClassifier`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted: what the columns of the trees' values stand for.

    Examples
    --------
    >>> from beamtree import Search
    >>> from beamtree.datasets import tic_tac_toe
    >>> X, y, _, _ = tic_tac_toe()
    >>> search = Search(X, y, max_depth=4)
    >>> for incumbent in search:
    ...     if incumbent.gap < 0.5:
    ...         break
    >>> incumbent.objective < 2 * search.lower_bound
    True
    >>> result = search.run()
    >>> result.status, result.objective
    ('optimal', 137.0)
    """

    classes: NDArray[Any]

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        max_depth: int = 4,
        min_samples_leaf: int = 1,
        leaf_penalty: float = 0.0,
        rule: RuleLike = "auto",
        schedule: ScheduleLike = "luby",
        heuristic: HeuristicLike = "auto",
        exact_levels: int = 3,
        node_limit: int | None = None,
    ) -> None:
        settings: dict[str, Any] = {
            "max_depth": max_depth,
            "min_samples_leaf": min_samples_leaf,
            "leaf_penalty": leaf_penalty,
            "rule": rule,
            "schedule": schedule,
            "heuristic": heuristic,
            "exact_levels": exact_levels,
            "node_limit": node_limit,
        }
        for name, allowed in SEARCH_PARAMETERS.items():
            allowed.check(name, settings[name])
        names = _get_feature_names(X)
        X, y = check_X_y(X, y, dtype=None, estimator=type(self).__name__)
        data = training_data(X, y, sample_weight, names)
        self.classes = data.classes
        self._engine = Engine(data.X, data.codes, data.sample_weight, len(data.classes), **settings)

    def __iter__(self) -> Iterator[Incumbent]:
        """Yield the incumbent at every improvement, from where the search stands, to its end."""
        while (incumbent := self.step()) is not None:
            yield incumbent

    def step(self, time_limit: float | None = None) -> Incumbent | None:
        """Search until the tree or the lower bound gets better.

        The first step gives a greedy tree, however little time it has.

        Parameters
        ----------
        time_limit : float or None, default=None
            Seconds after which the step ends without an improvement; None for no limit.

        Returns
        -------
        Incumbent or None
            The best tree; None if there was no improvement: the search is `done`, or the time was
            up, or Ctrl-C was pressed, after which another step goes on.

        Raises
        ------
        Exception
            What a rule of your own raised; `incumbent` and `result` are valid all the same.
        """
        if not self._engine.step(_seconds(time_limit)):
            return None
        return self._engine.incumbent()

    def run(self, time_limit: float | None = None) -> Result:
        """Search to the end.

        Parameters
        ----------
        time_limit : float or None, default=None
            Seconds after which the run ends; None for no limit. The search can go on afterwards.

        Returns
        -------
        Result
            The best tree and what is known of the best of all.
        """
        self._engine.run(_seconds(time_limit))
        return self.result()

    def result(self) -> Result:
        """Return the best tree so far, and what is known of the best of all.

        Returns
        -------
        Result
            As the search stands; a step without time is taken if none was taken before.
        """
        return self._engine.result()

    @property
    def incumbent(self) -> Incumbent | None:
        """The best tree so far, with when and how it was found; None before the first step."""
        return self._engine.incumbent() if self._engine.started else None

    @property
    def lower_bound(self) -> float:
        """No tree has a smaller objective; 0 before the first step."""
        return self._engine.verdict()[1] if self._engine.started else 0.0

    @property
    def status(self) -> str:
        """Why the search or its last step ended, as in `Result`; ``"running"`` between steps."""
        return self._engine.verdict()[0] if self._engine.started else "running"

    @property
    def done(self) -> bool:
        """Whether the search has ended, so that no step changes anything any more."""
        return self._engine.done


def _seconds(time_limit: float | None) -> float:
    SECONDS_OR_NONE.check("time_limit", time_limit)
    return inf if time_limit is None else float(time_limit)

"""Objectives of your own: what a leaf costs, as a function of sums over its rows.

Give an object of such a class to ``OptimalTreeRegressor(criterion=...)``, or to `Search`,
`leaf_path` and `penalty_path` together with ``regression=True``. The search then finds the tree
whose leaves cost the least, with proof, over all thresholds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# The default of an attribute that all objectives have.
CHECK_OFF = ("check", False)


class Objective(ABC):
    """Derive a class from this one to write an objective of your own.

    An objective consists of three functions. `statistics` turns the rows into a few numbers each.
    The search adds these up over the rows of a leaf, and `leaf_costs` says what leaves with such
    sums cost. `predictions` says what they predict. All three work on arrays.

    Costs must be at least 0. Infinity is allowed for a leaf that no tree may have, as long as the
    single leaf with all rows has a finite cost.

    The search is complete for every objective. Bounds make it much faster, and only you know which
    ones hold for your costs:

    - `superset_bound` is True if a leaf never becomes cheaper when rows are added to it. This holds
      for every sum of losses that the prediction minimises, such as squared errors or deviances.
    - `removal_costs` says for every row by how much a leaf can become cheaper at most if this row
      is removed from it.

    The search believes both declarations. A false one can make it call a tree optimal that is not,
    so use ``check=True`` when you write an objective.

    The statistics are rounded to multiples of a power of two, so that their sums are exact: about
    18 digits of the sum of a statistic over all rows are kept. The costs of leaves are rounded
    to 2**-36 of the cost of the single leaf, or a bit more. ``rounding_`` has what rounded costs
    can change, and what rounded statistics have changed on some sets of rows; if that is too much,
    the objective is refused.

    An exception in `leaf_costs` ends the search. The estimator is fitted with the best tree so far,
    if `leaf_costs` still works for that tree, and then the exception is raised.

    Parameters
    ----------
    check : bool, default=False
        Whether each search first compares the objective with enumeration: on small samples of the
        data, all subsets of the rows are tried to find out whether the bounds hold, and all trees
        to find out whether the search finds the best one. A ValueError says what is wrong.

    Attributes
    ----------
    name : str
        What the sum of the costs is called in ``proof_``. The default is ``"cost"``.
    superset_bound : bool
        Whether a leaf never becomes cheaper when rows are added to it. The default is False.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree import OptimalTreeRegressor
    >>> from beamtree.objectives import Objective
    >>> # Leaves predict the rate of waiting times. A negative y: nothing happened until -y.
    >>> class ExponentialSurvival(Objective):
    ...     name = "negative log-likelihood"
    ...     superset_bound = True
    ...
    ...     def statistics(self, y, sample_weight):
    ...         events, time = y > 0, np.abs(y)
    ...         best = np.where(events, 1 + np.log(time), 0.0)  # each row with a rate of its own
    ...         return np.column_stack([events, time, best]) * sample_weight[:, None]
    ...
    ...     def leaf_costs(self, sums):
    ...         events, time, best = sums.T
    ...         rate = np.maximum(events, 1e-300) / time
    ...         return np.maximum(events - events * np.log(rate) - best, 0.0)
    ...
    ...     def predictions(self, sums):
    ...         return sums[:, 0] / sums[:, 1]
    >>> X, y = [[20], [30], [40], [50]], [9.0, -8.0, 2.0, 1.0]
    >>> objective = ExponentialSurvival(check=True)
    >>> reg = OptimalTreeRegressor(max_depth=1, criterion=objective).fit(X, y)
    >>> print(reg.proof_)
    Proved optimal: negative log-likelihood 0.753772
    >>> reg.predict([[25], [45]]).round(3)
    array([0.059, 0.667])
    """

    name: str = "cost"
    superset_bound: bool = False
    check: bool = False

    def __init__(self, *, check: bool = False) -> None:
        self.check = check

    def __repr__(self) -> str:
        """Return the class and the attributes of the object."""
        given = {name: value for name, value in vars(self).items() if (name, value) != CHECK_OFF}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    @abstractmethod
    def statistics(self, y: Numbers, sample_weight: Numbers) -> Numbers:
        """Return the numbers of each row that are added up over the rows of a leaf.

        Parameters
        ----------
        y : ndarray of float64, shape (n_rows,)
            The numbers to predict.
        sample_weight : ndarray of float64, shape (n_rows,)
            Weights of the rows, all positive; ones if there are none.

        Returns
        -------
        array-like of shape (n_rows, n_statistics)
            Finite numbers, at most 16 per row.
        """

    @abstractmethod
    def leaf_costs(self, sums: Numbers) -> Numbers:
        """Return what leaves cost.

        The search calls this function very often, with many leaves at once where it can. The cost
        of a leaf must depend on its own sums alone.

        Parameters
        ----------
        sums : ndarray of float64, shape (n_leaves, n_statistics)
            The sums of the statistics over the rows of each leaf. Every leaf has a row at least.
            The search also asks for nodes that could be leaves.

        Returns
        -------
        array-like of shape (n_leaves,)
            Numbers of at least 0, some of which may be infinite.
        """

    @abstractmethod
    def predictions(self, sums: Numbers) -> Numbers:
        """Return what leaves predict.

        Parameters
        ----------
        sums : ndarray of float64, shape (n_leaves, n_statistics)
            The sums of the statistics over the rows of each node of a tree, as if it were a leaf.

        Returns
        -------
        array-like of shape (n_leaves,)
            Finite numbers.
        """

    def removal_costs(self, y: Numbers, sample_weight: Numbers) -> Numbers | None:  # noqa: ARG002
        """Return by how much a leaf can become cheaper at most if a row is removed from it.

        Parameters
        ----------
        y, sample_weight : ndarray of float64, shape (n_rows,)
            As in `statistics`.

        Returns
        -------
        array-like of shape (n_rows,) or None
            One finite number of at least 0 per row; None, the default, if there is no such bound.
        """
        return None


class PoissonDeviance(Objective):
    """The Poisson deviance, for numbers that count events.

    A leaf predicts the weighted mean of its rows. The deviance of a row with the number y and the
    prediction m is ``2 * (y * log(y / m) - y + m)``, as in scikit-learn's
    ``mean_poisson_deviance``, where it is divided by the number of rows.
    For counts with exposures, predict the counts divided by the exposures, and give the exposures
    as sample weights.

    Parameters
    ----------
    check : bool, default=False
        Whether each search first compares the objective with enumeration; see `Objective`.

    Examples
    --------
    >>> from beamtree import OptimalTreeRegressor
    >>> from beamtree.objectives import PoissonDeviance
    >>> X, claims = [[18], [25], [40], [60]], [3, 2, 0, 1]
    >>> reg = OptimalTreeRegressor(max_depth=1, criterion=PoissonDeviance()).fit(X, claims)
    >>> print(reg.proof_)
    Proved optimal: Poisson deviance 1.58765
    >>> reg.predict([[20], [50]])
    array([2.5, 0.5])
    """

    name = "Poisson deviance"
    superset_bound = True

    def statistics(self, y: Numbers, sample_weight: Numbers) -> Numbers:
        """Return the weight, the weighted number and its deviance from 1 of each row."""
        if (y < 0).any():
            at = int((y < 0).argmax())
            msg = f"y must have numbers of at least 0 for the Poisson deviance, got {y[at]:g}"
            raise ValueError(msg)
        log = np.log(np.where(y > 0, y, 1.0))
        return sample_weight[:, np.newaxis] * np.column_stack([np.ones(len(y)), y, y * log])

    def leaf_costs(self, sums: Numbers) -> Numbers:
        """Return the deviances of leaves."""
        weight, total, logs = sums.T
        mean = np.where(total > 0, total, weight) / weight
        # Rounding could make it negative if all rows of a leaf have the same number.
        deviance: Numbers = np.maximum(2.0 * (logs - total * np.log(mean)), 0.0)
        return deviance

    def predictions(self, sums: Numbers) -> Numbers:
        """Return the means of leaves."""
        return sums[:, 1] / sums[:, 0]

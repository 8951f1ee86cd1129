"""The built-in rules. Each compares a number with a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from beamtree._util.validation import POSITIVE, Allowed, at_least, finite, integer, or_none


@dataclass(frozen=True)
class Threshold:
    """The base class of the built-in rules: a threshold that grows from pass to pass.

    Parameters
    ----------
    start : float
        Threshold of the first pass.
    unit : float
        Amount by which one step of the schedule raises the threshold.
    limit : float or None
        Largest threshold. None or infinity means that there is no limit.

    Examples
    --------
    >>> from beamtree.rules import TopK
    >>> from beamtree.rules.threshold import Threshold
    >>> isinstance(TopK(), Threshold), TopK.name, TopK(limit=5).end
    (True, 'top-k', 5.0)
    """

    name: ClassVar[str]
    _starts: ClassVar[Allowed]
    _units: ClassVar[Allowed]
    _most: ClassVar[float] = inf

    start: float = 0
    unit: float = 1
    limit: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        rule = type(self).__name__
        self._starts.check(f"{rule}.start", self.start)
        self._units.check(f"{rule}.unit", self.unit)
        if self.limit != inf:
            or_none(at_least(self.start, self._most)).check(f"{rule}.limit", self.limit)

    @property
    def end(self) -> float:
        """The largest threshold: the limit, or the largest one that makes sense for the rule."""
        return self._most if self.limit is None else min(float(self.limit), self._most)


@dataclass(frozen=True)
class Discrepancy(Threshold):
    """Follow the heuristic, except for a limited number of deviations per path.

    The cost of a split is its rank in the heuristic's order, which is 0 for the first choice. A
    pass leaves out the paths whose costs add up to more than the budget. With budget 0 the pass
    finds the greedy tree.

    Parameters
    ----------
    start : int, default=0
        Budget of the first pass.
    unit : int, default=1
        Amount by which one step of the schedule raises the budget.
    limit : float or None, default=None
        Largest budget. None or infinity means that there is no limit. A search that needs a larger
        budget ends with the status ``"rule_limit"``.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.rules import Discrepancy
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=4, rule=Discrepancy(unit=2)).fit(X, y)
    >>> clf.status_
    'optimal'
    """

    name = "discrepancy"
    _starts = integer(0)
    _units = integer(1)

    start: int = 0
    unit: int = 1


@dataclass(frozen=True)
class Gain(Threshold):
    """Follow splits whose gain is close to the best gain at their node.

    The cost of a split is the difference between its gain and the best gain at its node. A pass
    leaves out the paths whose costs add up to more than the gap. With gap 0 the pass follows the
    best split of each node, and all splits that tie with it.

    Parameters
    ----------
    start : float, default=0.0
        Gap of the first pass, in the unit of the heuristic, for example bits for information gain.
    unit : float, default=0.01
        Amount by which one step of the schedule raises the gap.
    limit : float or None, default=None
        Largest gap. None or infinity means that there is no limit. A search that needs a larger
        gap ends with the status ``"rule_limit"``.

    Examples
    --------
    >>> from beamtree.rules import Gain
    >>> Gain(unit=0.05)
    Gain(start=0.0, unit=0.05, limit=None)
    """

    name = "gain"
    _starts = finite(0.0)
    _units = POSITIVE

    start: float = 0.0
    unit: float = 0.01


@dataclass(frozen=True)
class Purity(Threshold):
    """Turn nodes that are pure enough into leaves.

    The purity of a node is the share of its heaviest class in its weight. A pass does not split
    the nodes whose purity is at least the threshold. With threshold 1 it closes only nodes of a
    single class, where no split could help. The search is therefore complete at that threshold.

    Parameters
    ----------
    start : float, default=0.0
        Purity of the first pass, from 0 to 1. With 0 the root becomes a leaf.
    unit : float, default=0.002
        Amount by which one step of the schedule raises the purity.
    limit : float or None, default=1.0
        Largest purity, at most 1. None means 1. With a limit below 1, a search that needs a larger
        purity ends with the status ``"rule_limit"``.

    Examples
    --------
    >>> from beamtree.rules import Purity
    >>> Purity(start=0.8, unit=0.05)
    Purity(start=0.8, unit=0.05, limit=1.0)
    """

    name = "purity"
    _starts = finite(0.0, 1.0)
    _units = POSITIVE
    _most = 1.0

    start: float = 0.0
    unit: float = 0.002
    limit: float | None = 1.0


@dataclass(frozen=True)
class TopK(Threshold):
    """Try the first k splits of each node.

    Parameters
    ----------
    start : int, default=1
        Number of splits per node in the first pass. With 1 the pass finds the greedy tree.
    unit : int, default=1
        Amount by which one step of the schedule raises k.
    limit : float or None, default=None
        Largest k. None or infinity means that there is no limit. A search that needs a larger k
        ends with the status ``"rule_limit"``.

    Examples
    --------
    >>> from beamtree.rules import TopK
    >>> TopK(limit=3)
    TopK(start=1, unit=1, limit=3)
    """

    name = "top-k"
    _starts = integer(1)
    _units = integer(1)

    start: int = 1
    unit: int = 1


@dataclass(frozen=True)
class HalvingTopK(Threshold):
    """Try the first k splits of the root, and half as many on each level below.

    A node on a level tries its first ``max(1, k >> level)`` splits; the root has level 0. The
    literature calls this rule Top-k*.

    Parameters
    ----------
    start : int, default=1
        Number of splits at the root in the first pass. With 1 the pass finds the greedy tree.
    unit : int, default=1
        Amount by which one step of the schedule raises k.
    limit : float or None, default=None
        Largest k. None or infinity means that there is no limit. A search that needs a larger k
        ends with the status ``"rule_limit"``.

    Examples
    --------
    >>> from beamtree.rules import HalvingTopK
    >>> HalvingTopK(start=8)
    HalvingTopK(start=8, unit=1, limit=None)
    """

    name = "top-k-star"
    _starts = integer(1)
    _units = integer(1)

    start: int = 1
    unit: int = 1

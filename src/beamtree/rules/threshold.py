"""The built-in rules, which compare a number with a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from beamtree._util.validation import POSITIVE, Allowed, at_least, finite, integer, or_none


@dataclass(frozen=True)
class Threshold:
    """What the built-in rules share: a threshold that starts, grows in units, and may end.

    Parameters
    ----------
    start : float
        Threshold of the first pass.
    unit : float
        What one step of the schedule adds.
    limit : float or None
        Largest threshold; None or infinity for none.

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
        """The largest threshold: the limit, or what the rule can have at all."""
        return self._most if self.limit is None else min(float(self.limit), self._most)


@dataclass(frozen=True)
class Discrepancy(Threshold):
    """Follow the heuristic but for a budget of deviations.

    A split costs its rank in the heuristic's order, 0 for the first choice. A path whose ranks add
    up to more than the budget is left out. Budget 0 is the greedy tree.

    Parameters
    ----------
    start : int, default=0
        Budget of the first pass.
    unit : int, default=1
        What one step of the schedule adds to the budget.
    limit : float or None, default=None
        Largest budget; None or infinity for none. A search that needs more ends with the status
        ``"rule_limit"``.

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
    """Follow splits whose gain is close to the best of their node.

    A split costs the distance of its gain from the best gain at its node. A path whose distances
    add up to more than the gap is left out. Gap 0 follows the best splits, all of those that tie.

    Parameters
    ----------
    start : float, default=0.0
        Gap of the first pass, in the unit of the heuristic: bits for information gain.
    unit : float, default=0.01
        What one step of the schedule adds to the gap.
    limit : float or None, default=None
        Largest gap; None or infinity for none. A search that needs more ends with the status
        ``"rule_limit"``.

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
    """Close nodes that are pure enough: they become leaves.

    The purity of a node is the share of its largest class in its weight. A node whose purity is at
    least the threshold is not split in this pass. Threshold 1 closes pure nodes only, which loses
    nothing, so that the search is complete when it gets there.

    Parameters
    ----------
    start : float, default=0.0
        Purity of the first pass; 0 closes the root.
    unit : float, default=0.002
        What one step of the schedule adds to the purity.
    limit : float or None, default=1.0
        Largest purity, at most 1; None for 1. Below 1 a search that needs more ends with the status
        ``"rule_limit"``.

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
    """Try the first k splits of every node.

    Parameters
    ----------
    start : int, default=1
        Splits a node in the first pass; 1 is the greedy tree.
    unit : int, default=1
        What one step of the schedule adds to k.
    limit : float or None, default=None
        Largest k; None or infinity for none. A search that needs more ends with the status
        ``"rule_limit"``.

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
    """Try the first k splits of the root, half as many a level below, and so on, at least one.

    This is Top-k* of the literature: ``max(1, k >> level)`` splits at a node, level 0 at the root.

    Parameters
    ----------
    start : int, default=1
        Splits at the root in the first pass; 1 is the greedy tree.
    unit : int, default=1
        What one step of the schedule adds to k.
    limit : float or None, default=None
        Largest k; None or infinity for none. A search that needs more ends with the status
        ``"rule_limit"``.

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

"""Heuristics decide the order in which the features of a node are tried.

The order decides how soon the search finds good trees, and which splits a rule leaves out. It does
not change which tree is optimal. A rule that looks at gains sees those of the heuristic, where
larger is better. `Auto` and `Lookahead` do not order features by a gain: rules then see
information gains. In a table with many thresholds, the columns are ordered, each by its best
threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["Auto", "Error", "GainRatio", "Gini", "Given", "InformationGain", "Lookahead"]


@dataclass(frozen=True)
class _Heuristic:
    """The base class of all heuristics."""

    name: ClassVar[str]


@dataclass(frozen=True)
class Auto(_Heuristic):
    """Order by `Lookahead`, interleaved with `InformationGain` where many levels remain.

    This is the default. After each pass the features are ranked again, with what the pass has
    learned about their children.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import Auto
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=Auto()).fit(X, y).objective_
    48.0
    """

    name = "auto"


@dataclass(frozen=True)
class InformationGain(_Heuristic):
    """Order by how much the split lowers the entropy of the class, in bits.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import InformationGain
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=InformationGain()).fit(X, y).objective_
    48.0
    """

    name = "information_gain"


@dataclass(frozen=True)
class GainRatio(_Heuristic):
    """Order by the information gain, divided by the entropy of the split itself.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import GainRatio
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=GainRatio()).fit(X, y).objective_
    48.0
    """

    name = "gain_ratio"


@dataclass(frozen=True)
class Gini(_Heuristic):
    """Order by how much the split lowers the Gini impurity.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import Gini
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=Gini()).fit(X, y).objective_
    48.0
    """

    name = "gini"


@dataclass(frozen=True)
class Error(_Heuristic):
    """Order by how much the split lowers the misclassified share if both children are leaves.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import Error
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=Error()).fit(X, y).objective_
    48.0
    """

    name = "error"


@dataclass(frozen=True)
class Lookahead(_Heuristic):
    """Order by the error of the best tree of two or three levels that begins with the split.

    After each pass the features are ranked again, with what the pass has learned about their
    children.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import Lookahead
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=Lookahead()).fit(X, y).objective_
    48.0
    """

    name = "lookahead"


@dataclass(frozen=True)
class Given(_Heuristic):
    """Keep the order of the columns, so that you can put those first that you trust most.

    The gain that rules see falls by 1 from each column to the next.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.heuristics import Given
    >>> X, y, _, _ = monks(1)
    >>> OptimalTreeClassifier(max_depth=3, heuristic=Given()).fit(X, y).objective_
    48.0
    """

    name = "given"

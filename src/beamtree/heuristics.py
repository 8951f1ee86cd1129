"""Heuristics: the order in which the features of a node are tried.

The order decides how soon good trees are found, and what the rules leave out; it does not change
what is optimal. The gains that rules see are those of the heuristic, larger is better; where the
order is not one of gains, `Auto` and `Lookahead`, they are information gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["Auto", "Error", "GainRatio", "Gini", "Given", "InformationGain", "Lookahead"]


@dataclass(frozen=True)
class _Heuristic:
    """What heuristics share."""

    name: ClassVar[str]


@dataclass(frozen=True)
class Auto(_Heuristic):
    """Interleaves `Lookahead` with `InformationGain` where many levels remain; the default.

    Features are ranked anew by what earlier passes learned about their children.

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
    """How much the split lowers the entropy of the class, in bits.

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
    """Information gain as a share of the entropy of the split itself.

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
    """How much the split lowers the Gini impurity.

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
    """How much the split lowers the share of misclassified weight, as two leaves.

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
    """By the error of the best tree of two or three levels that begins with the split.

    Features are ranked anew by what earlier passes learned about their children.

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
    """The order of the columns: put first what you believe in.

    The gain of a column is 1 below that of the column before.

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

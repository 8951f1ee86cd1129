"""Two rules at once."""

from __future__ import annotations

from dataclasses import dataclass

from beamtree._util.validation import Allowed
from beamtree.rules.rule import Rule
from beamtree.rules.threshold import Threshold

# Simple rules that one search can combine.
MOST_PARTS = 4


@dataclass(frozen=True)
class Both:
    """Two rules at once: prunes where either does, relaxes both.

    Parameters
    ----------
    first, second : rule
        Rules of this module, rules of your own, or again `Both`; four simple rules at most.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.rules import Both, Discrepancy, Gain
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=4, rule=Both(Gain(), Discrepancy())).fit(X, y)
    >>> clf.status_
    'optimal'
    """

    first: AnyRule
    second: AnyRule

    def __post_init__(self) -> None:
        """Check the rules and their number."""
        _RULE.check("Both.first", self.first)
        _RULE.check("Both.second", self.second)
        if len(self.parts) > MOST_PARTS:
            msg = f"Both must hold at most {MOST_PARTS} simple rules, got {len(self.parts)}"
            raise ValueError(msg)

    @property
    def parts(self) -> tuple[Threshold | Rule, ...]:
        """The simple rules, from the first to the last."""
        return tuple(
            part
            for rule in (self.first, self.second)
            for part in (rule.parts if isinstance(rule, Both) else (rule,))
        )


AnyRule = Threshold | Both | Rule
_RULE = Allowed("a rule of beamtree.rules", lambda value: isinstance(value, AnyRule))

"""A rule that combines two others."""

from __future__ import annotations

from dataclasses import dataclass

from beamtree._util.validation import Allowed
from beamtree.rules.rule import Rule
from beamtree.rules.threshold import Threshold

# Largest number of simple rules in one search; the core has the same limit.
MOST_PARTS = 4


@dataclass(frozen=True)
class Both:
    """Apply two rules at once: prune where either of them prunes, and relax both.

    Parameters
    ----------
    first, second : rule
        Rules of `beamtree.rules`, including `Both` itself, or rules of your own. They may contain
        at most four simple rules together.

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
        """Check both rules, and how many simple rules they contain."""
        _RULE.check("Both.first", self.first)
        _RULE.check("Both.second", self.second)
        if len(self.parts) > MOST_PARTS:
            msg = f"Both must contain at most {MOST_PARTS} simple rules, got {len(self.parts)}"
            raise ValueError(msg)

    @property
    def parts(self) -> tuple[Threshold | Rule, ...]:
        """The simple rules that this rule contains, in order."""
        return tuple(
            part
            for rule in (self.first, self.second)
            for part in (rule.parts if isinstance(rule, Both) else (rule,))
        )


AnyRule = Threshold | Both | Rule
_RULE = Allowed("a rule of beamtree.rules", lambda value: isinstance(value, AnyRule))

"""Rules decide which splits and nodes a pass of the search leaves out.

A *pass* is one run of branch and bound from the root. It skips the splits, or turns the nodes into
leaves, that the rule prunes. If it has skipped something that could lead to a better tree, the
search relaxes the rule and starts the next pass, which goes further. A pass that has skipped
nothing of the kind proves that its tree is optimal. A search therefore ends with the optimum under
every rule, unless the rule's ``limit`` stops it before.

A built-in rule compares a number with a threshold. The threshold is ``start`` in the first pass and
``start + unit * multiple`` later, where the schedule gives the multiples; it never exceeds
``limit``. To write a rule of your own, derive a class from `Rule`.
"""

from beamtree._core import NodeContext
from beamtree.rules.both import Both
from beamtree.rules.rule import Rule
from beamtree.rules.threshold import Discrepancy, Gain, HalvingTopK, Purity, TopK

__all__ = [
    "Both",
    "Discrepancy",
    "Gain",
    "HalvingTopK",
    "NodeContext",
    "Purity",
    "Rule",
    "TopK",
]

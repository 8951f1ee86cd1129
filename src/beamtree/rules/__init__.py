"""Rules: what a pass of the search leaves out, and what the next pass admits.

A search under a rule is a sequence of passes. A pass skips the splits, or closes the nodes, that
the rule prunes; if it skipped anything that could matter, the rule is relaxed and the next pass
goes further. A pass that skipped nothing proves its tree, so that every rule ends with the optimum,
unless its limit forbids it.

A built-in rule compares a number with a threshold: ``start`` in the first pass, raised by ``unit``
times what the schedule says, and at most ``limit``. A rule of your own is a subclass of `Rule`.
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

"""Rules, schedules and heuristics: every one of the package, by name, and random combinations.

The lists come from the package (``beamtree._engine.strategy``), so that whatever is added there is
held against the oracle without an edit here. A rule, a schedule or a heuristic needs for it:

- A name in its list, and a constructor that works without arguments.
- Completeness: relaxed often enough, a rule with its default numbers must not prune anything.
- For random numbers, a rule must be a `beamtree.rules.threshold.Threshold`: `start` and `unit` are
  drawn as integers if its default start is an integer, as real numbers otherwise, and `end` must be
  the largest threshold. Other rules are tested with their default numbers only, without a limit.
"""

from itertools import combinations

from beamtree._engine.strategy import HEURISTICS as HEURISTIC_TYPES
from beamtree._engine.strategy import RULES as RULE_TYPES
from beamtree._engine.strategy import SCHEDULES as SCHEDULE_TYPES
from beamtree.rules import Both, Discrepancy, Gain, HalvingTopK, Purity, TopK
from beamtree.rules.threshold import Threshold
from tests.property.checks import run
from tests.property.problems import random_problem
from tests.python.rules.own_rules import OwnDiscrepancy, OwnPurity, OwnTopK

BUILT_IN = {name: kind() for name, kind in RULE_TYPES.items()}
OWN = {
    "own-discrepancy": OwnDiscrepancy(),
    "own-top-k": OwnTopK(),
    "own-purity": OwnPurity(unit=0.03),  # closes nodes
}
PAIRS = {f"{a} + {b}": Both(BUILT_IN[a], BUILT_IN[b]) for a, b in combinations(BUILT_IN, 2)}
MORE = {
    "three": Both(Both(Gain(), Discrepancy()), HalvingTopK()),
    "three, one closes": Both(Purity(), Both(TopK(), Gain())),
    "four": Both(Both(Discrepancy(), TopK()), Both(OwnPurity(0.05), Gain())),
    "own + built-in": Both(OwnTopK(), Gain()),
    "own, closes + built-in": Both(Discrepancy(), OwnPurity(0.05)),
    "own + own": Both(OwnPurity(0.05), OwnDiscrepancy()),
}
RULES = {"none": None, "auto": "auto"} | BUILT_IN | OWN | PAIRS | MORE
NAMED_SCHEDULES = tuple(SCHEDULE_TYPES)
SCHEDULES = {name: name for name in NAMED_SCHEDULES} | {"own": (0, 1.5, 2, 10)}
HEURISTICS = tuple(HEURISTIC_TYPES)
LIMITABLE = tuple(name for name, rule in BUILT_IN.items() if isinstance(rule, Threshold))


def random_part(rng, *, limited=False):
    """Return a built-in rule with random numbers, or a rule written in Python.

    If `limited`, it is a built-in rule with a limit, which may end the search before the proof.
    """
    name = str(rng.choice(LIMITABLE if limited else [*BUILT_IN, *OWN]))
    if name not in LIMITABLE:
        return OWN[name] if name in OWN else BUILT_IN[name]
    default = BUILT_IN[name]
    if isinstance(default.start, int):
        start = default.start + int(rng.integers(0, 4))
        unit = int(rng.integers(1, 5))
        limit = start + int(rng.integers(0, 6))
    else:
        largest = min(default.end, default.start + 1.0)
        share = float(rng.choice([0.0, 0.0, 0.05, 0.3, 0.7, 1.0]))
        start = default.start + share * (largest - default.start)
        unit = float(rng.choice([0.01, 0.03, 0.1, 0.5]))
        limit = start + (largest - start) * rng.random()
    return type(default)(start, unit, limit if limited else None)


def random_rule(rng, *, limited=False):
    """Return one rule or up to four combined; now and then the default, or None."""
    drawn = rng.random()
    if drawn < 0.15 and not limited:
        return "auto" if drawn < 0.1 else None
    rule = random_part(rng, limited=limited)
    for _ in range(int(rng.choice([0, 0, 0, 1, 1, 2, 3]))):
        rule = Both(rule, random_part(rng, limited=limited and rng.random() < 0.5))
    return rule


def random_schedule(rng):
    """Return the name of a schedule, or increasing numbers."""
    if rng.random() < 0.7:
        return str(rng.choice(NAMED_SCHEDULES))
    steps = rng.choice([0.25, 0.5, 1, 2, 7], int(rng.integers(1, 6))).cumsum()
    return tuple((steps - (steps[0] if rng.random() < 0.7 else 0)).tolist())


def random_system(rng, *, limited=False):
    """Return a random rule, schedule and heuristic."""
    return {
        "rule": random_rule(rng, limited=limited),
        "schedule": random_schedule(rng),
        "heuristic": str(rng.choice(HEURISTICS)),
    }


def problem_of_passes(rng, *, levels=3, **more):
    """Return a problem for which a search under the discrepancy rule needs at least one pass.

    The problem has few features and four or five levels, so that rules act above the `levels` that
    are solved exactly. It is the first of up to eight random problems with that property.
    """
    for _ in range(8):
        chosen = {"rows": (20, 60), "features": (6, 8), "depth": int(rng.integers(4, 6))}
        problem = random_problem(rng, **chosen | more, hard=True)
        if run(problem, rule="discrepancy", exact_levels=levels).statistics["passes"] > 0:
            break
    return problem

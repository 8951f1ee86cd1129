"""Rules, schedules and heuristics: all that there are, by name, and at random."""

from itertools import combinations

from beamtree._engine.strategy import HEURISTICS as ALL_HEURISTICS
from beamtree._engine.strategy import RULES as BUILT_IN
from beamtree.rules import Both, Discrepancy, Gain, HalvingTopK, Purity, TopK
from tests.property.checks import run
from tests.property.problems import random_problem
from tests.python.rules.own_rules import OwnDiscrepancy, OwnPurity, OwnTopK

SIMPLE = {name: kind() for name, kind in BUILT_IN.items()}
OWN = {
    "own-discrepancy": OwnDiscrepancy(),
    "own-top-k": OwnTopK(),
    "own-purity": OwnPurity(unit=0.03),  # closes nodes
}
PAIRS = {f"{a} + {b}": Both(SIMPLE[a], SIMPLE[b]) for a, b in combinations(SIMPLE, 2)}
MORE = {
    "three": Both(Both(Gain(), Discrepancy()), HalvingTopK()),
    "three, one closes": Both(Purity(), Both(TopK(), Gain())),
    "four": Both(Both(Discrepancy(), TopK()), Both(OwnPurity(0.05), Gain())),
    "own + built-in": Both(OwnTopK(), Gain()),
    "own, closes + built-in": Both(Discrepancy(), OwnPurity(0.05)),
    "own + own": Both(OwnPurity(0.05), OwnDiscrepancy()),
}
RULES = {"none": None, "auto": "auto"} | SIMPLE | OWN | PAIRS | MORE
SCHEDULES = {
    "monotonic": "monotonic",
    "exponential": "exponential",
    "luby": "luby",
    "own": (0, 1.5, 2, 10),
}
HEURISTICS = tuple(ALL_HEURISTICS)


def random_part(rng, *, limited=False):
    """A built-in rule, or one in Python, with numbers of its own."""
    unit = int(rng.integers(1, 5))
    share = float(rng.choice([0.01, 0.03, 0.1, 0.5]))
    kind = rng.choice([Discrepancy, TopK, HalvingTopK, Gain, Purity, *(() if limited else OWN)])
    if isinstance(kind, str):
        return OWN[kind]
    if kind is Purity:
        start = float(rng.choice([0.0, 0.5, 0.7, 0.9, 1.0]))
        return Purity(start, share, start + (1 - start) * rng.random() if limited else None)
    if kind is Gain:
        start = float(rng.choice([0.0, 0.0, 0.05, 0.3]))
        return Gain(start, share, start + rng.random() if limited else None)
    start = int(rng.integers(0, 4)) + (kind is not Discrepancy)
    return kind(start, unit, start + int(rng.integers(0, 6)) if limited else None)


def random_rule(rng, *, limited=False):
    """One rule, or up to four at once; now and then the default or none."""
    drawn = rng.random()
    if drawn < 0.15 and not limited:
        return "auto" if drawn < 0.1 else None
    rule = random_part(rng, limited=limited)
    for _ in range(int(rng.choice([0, 0, 0, 1, 1, 2, 3]))):
        rule = Both(rule, random_part(rng, limited=limited and rng.random() < 0.5))
    return rule


def random_schedule(rng):
    """One of the named ones, or increasing numbers."""
    if rng.random() < 0.7:
        return str(rng.choice(["monotonic", "exponential", "luby"]))
    steps = rng.choice([0.25, 0.5, 1, 2, 7], int(rng.integers(1, 6))).cumsum()
    return tuple((steps - (steps[0] if rng.random() < 0.7 else 0)).tolist())


def random_system(rng, *, limited=False):
    """A rule, a schedule and a heuristic."""
    return {
        "rule": random_rule(rng, limited=limited),
        "schedule": random_schedule(rng),
        "heuristic": str(rng.choice(HEURISTICS)),
    }


def problem_of_passes(rng, *, levels=3, **more):
    """Few features at four or five levels, so that rules act above the exact ones.

    Of a few random problems the first that the rule of discrepancies needs passes for.
    """
    for _ in range(8):
        chosen = {"rows": (20, 60), "features": (6, 8), "depth": int(rng.integers(4, 6))}
        problem = random_problem(rng, **chosen | more, hard=True)
        if run(problem, rule="discrepancy", exact_levels=levels).statistics["passes"] > 0:
            break
    return problem

"""Rules, schedules and heuristics: their names, and their conversion to options of the core."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from beamtree import _core
from beamtree._util.validation import Allowed
from beamtree.heuristics import (
    Auto,
    Error,
    GainRatio,
    Gini,
    Given,
    InformationGain,
    Lookahead,
    _Heuristic,
)
from beamtree.rules import Both, Discrepancy, Gain, HalvingTopK, Purity, Rule, TopK
from beamtree.rules.both import AnyRule
from beamtree.rules.threshold import Threshold
from beamtree.schedules import Exponential, Luby, Monotonic, Sequence, _Schedule

# To add a rule, a schedule or a heuristic, follow docs/internals/extending.md: 1. write it in the
# core; 2. write its dataclass, with the same name, in rules/, schedules.py or heuristics.py;
# 3. add it to the list below; 4. describe it and its drawbacks in docs/rules.md. The tests use
# these lists.
RULES = {rule.name: rule for rule in (Discrepancy, TopK, HalvingTopK, Gain, Purity)}
SCHEDULES = {schedule.name: schedule for schedule in (Monotonic, Exponential, Luby)}
HEURISTICS = {
    heuristic.name: heuristic
    for heuristic in (Auto, InformationGain, GainRatio, Gini, Error, Lookahead, Given)
}

# Options of the core that ``rule="auto"`` adds to the rule of discrepancies.
AUTO_SWITCHES = dict.fromkeys(("free_ranks", "polish", "probe", "subsets"), True)

RuleLike = AnyRule | str | None
ScheduleLike = _Schedule | str | tuple[float, ...] | list[float] | range
HeuristicLike = _Heuristic | str


def _makes_sequence(steps: Any) -> bool:
    try:
        Sequence(steps)
    except ValueError:
        return False
    return True


def _words(names: Iterable[str], module: str, more: str | None = None) -> str:
    last = f"an object of beamtree.{module}"
    rest = f"or {last}" if more is None else f"{last}, {more}"
    return f"{', '.join(map(repr, names))}, {rest}"


RULE = Allowed(
    "None, " + _words(("auto", *RULES), "rules"),
    lambda value: (
        value is None
        or isinstance(value, AnyRule)
        or (isinstance(value, str) and (value == "auto" or value in RULES))
    ),
)
SCHEDULE = Allowed(
    _words(SCHEDULES, "schedules", "or increasing numbers of at least 0"),
    lambda value: (
        isinstance(value, _Schedule)
        or (isinstance(value, str) and value in SCHEDULES)
        or (isinstance(value, tuple | list | range) and _makes_sequence(value))
    ),
)
HEURISTIC = Allowed(
    _words(HEURISTICS, "heuristics"),
    lambda value: isinstance(value, _Heuristic) or (isinstance(value, str) and value in HEURISTICS),
)


def rule_parts(rule: RuleLike) -> tuple[list[_core.RulePart | Rule], dict[str, bool]]:
    """Return a rule in the form that the core takes.

    Parameters
    ----------
    rule : rule, str or None
        A rule, its name, ``"auto"`` or None.

    Returns
    -------
    parts : list of RulePart or Rule
        The rules, of which each one can leave out a split; empty for one complete pass. Rules
        written in Python are copied, so that a search does not change the user's object.
    switches : dict
        Attributes of ``_core.Options`` that belong to the rule.
    """
    RULE.check("rule", rule)
    if rule is None:
        return [], {}
    if rule == "auto":
        return [_part(Discrepancy())], AUTO_SWITCHES
    if isinstance(rule, str):
        rule = RULES[rule]()
    simple = rule.parts if isinstance(rule, Both) else (rule,)
    return [_part(part) for part in simple], {}


def _part(rule: Threshold | Rule) -> _core.RulePart | Rule:
    if isinstance(rule, Rule):
        return deepcopy(rule)
    return _core.RulePart(rule.name, float(rule.start), float(rule.unit), rule.end)


def schedule_options(schedule: ScheduleLike) -> dict[str, Any]:
    """Return a schedule as attributes of ``_core.Options``."""
    SCHEDULE.check("schedule", schedule)
    if isinstance(schedule, tuple | list | range):
        schedule = Sequence(tuple(schedule))
    if isinstance(schedule, Sequence):
        return {"schedule": schedule.name, "steps": [float(step) for step in schedule.steps]}
    return {"schedule": schedule if isinstance(schedule, str) else schedule.name}


def heuristic_options(heuristic: HeuristicLike) -> dict[str, Any]:
    """Return a heuristic as attributes of ``_core.Options``."""
    HEURISTIC.check("heuristic", heuristic)
    return {"heuristic": heuristic if isinstance(heuristic, str) else heuristic.name}

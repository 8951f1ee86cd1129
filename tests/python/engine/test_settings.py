"""The settings: every place that lists them agrees with their declaration."""

import inspect
import re
import runpy
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from beamtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Search,
)
from beamtree._engine.settings import (
    CLASSIFIER,
    DEPTH,
    IDENTITY,
    REGRESSOR,
    SEARCH,
    SETTINGS,
    Settings,
)
from beamtree._resume.fingerprint import _PLAIN

ROOT = Path(__file__).parents[3]
TAKERS = {OptimalTreeClassifier: CLASSIFIER, OptimalTreeRegressor: REGRESSOR, Search: SEARCH}
# What is no setting.
OTHERS = ("X", "y", "sample_weight", "regression", "policy", "actions", "client")


def described(owner):
    """Return the parameters of a docstring with their types and their descriptions as one line."""
    section = inspect.getdoc(owner).split("Parameters\n----------\n")[1].split("\n\n")[0]
    entries = re.findall(r"^(\w.*?)(?: : (.*))?\n((?:    .*\n?)+)", section, re.MULTILINE)
    return {
        name: (kind, " ".join(text.split()))
        for names, kind, text in entries
        for name in names.split(", ")
    }


@pytest.mark.parametrize("owner", TAKERS)
def test_signatures_have_the_declared_names_and_defaults(owner):
    parameters = dict(inspect.signature(owner).parameters)
    for other in OTHERS:
        parameters.pop(other, None)
    assert tuple(parameters) == TAKERS[owner]
    for name, parameter in parameters.items():
        assert parameter.default == SETTINGS[name].default, name
        assert type(parameter.default) is type(SETTINGS[name].default), name


@pytest.mark.parametrize("owner", TAKERS)
def test_docstrings_have_all_settings_and_no_others(owner):
    names = [name for name in described(owner) if name not in OTHERS]
    assert sorted(names) == sorted(TAKERS[owner])


DESCRIBED = [(OptimalTreeClassifier, name) for name in CLASSIFIER]
DESCRIBED += [(Search, name) for name in SEARCH if name not in CLASSIFIER]
# The penalty of the regressor is a share of something else.
DESCRIBED += [(OptimalTreeRegressor, name) for name in REGRESSOR if name != "leaf_penalty"]


@pytest.mark.parametrize(("owner", "name"), DESCRIBED)
def test_docstrings_have_the_declared_default_and_meaning(owner, name):
    kind, text = described(owner)[name]
    default = SETTINGS[name].default
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    assert kind.endswith(f", default={shown}")
    assert text.replace("``", "").startswith(SETTINGS[name].meaning)


def test_defaults_are_allowed():
    Settings().check()


def test_what_makes_two_searches_different_is_the_problem_and_the_strategy():
    assert IDENTITY == (
        "max_depth",
        "min_samples_leaf",
        "leaf_penalty",
        "max_leaf_nodes",
        "class_weight",
        "cost_matrix",
        "min_weight_fraction_leaf",
        "max_thresholds",
        "tie_break",
        "criterion",
        "rule",
        "schedule",
        "heuristic",
        "exact_levels",
    )
    assert Settings(max_depth=2).identity()["max_depth"] == 2
    assert {*IDENTITY} <= _PLAIN.keys()
    assert Search([[0], [1]], [0, 1], max_depth=2).parameters == Settings(max_depth=2).identity()


def test_settings_are_declared_in_groups():
    order = ["problem", "strategy", "control"]
    parts = [order.index(setting.part) for setting in SETTINGS.values()]
    assert parts == sorted(parts)
    assert all(setting.meaning.endswith(".") for setting in SETTINGS.values())
    assert [setting.name for setting in SETTINGS.values()] == [one.name for one in fields(Settings)]


def test_options_of_the_command_line_are_those_that_are_declared():
    pytest.importorskip("cyclopts")
    from beamtree.cli.fit import fit

    parameters = inspect.signature(fit).parameters
    for setting in SETTINGS.values():
        if setting.option is not None:
            name = setting.option.removeprefix("--").replace("-", "_")
            assert parameters[name].default == setting.default
    declared = [setting.option for setting in SETTINGS.values() if setting.option is not None]
    annotated = [str(one.annotation) for one in parameters.values()]
    assert sum("_option(" in text for text in annotated) == len(declared)


def test_the_table_in_the_documentation_is_that_of_the_declaration():
    make = runpy.run_path(str(ROOT / "docs/make_settings.py"))
    page = (ROOT / "docs/settings.md").read_text()
    assert make["with_table"](page) == page, "run python docs/make_settings.py"


def fit(**settings):
    OptimalTreeClassifier(**settings).fit([[0], [1]], [0, 1])


def regress(**settings):
    OptimalTreeRegressor(**settings).fit([[0], [1]], [0, 1])


def search(**settings):
    Search([[0], [1]], [0, 1], **settings)


WITH = [(fit, name) for name in CLASSIFIER] + [(search, name) for name in SEARCH]
WITH += [(regress, name) for name in REGRESSOR if name != "init"]  # whose words differ


@pytest.mark.parametrize(("take", "name"), WITH)
def test_all_settings_are_checked_by_all_that_take_them(take, name):
    words = re.escape(f"{name} must be {SETTINGS[name].allowed.words}, got ")
    with pytest.raises(ValueError, match=words):
        take(**{name: Ellipsis})


def test_the_cross_validated_classifier_allows_the_same_values():
    X, y = np.arange(12)[:, None] % 2, np.arange(12) % 2
    for name, allowed in (
        ("max_depths", DEPTH),
        ("leaf_penalties", SETTINGS["leaf_penalty"].allowed),
    ):
        words = re.escape(allowed.words)
        with pytest.raises(ValueError, match=f"{name} must be .*{words}"):
            OptimalTreeClassifierCV(**{name: (-1,)}).fit(X, y)

"""The recipes for a rule, a schedule and a heuristic lead to code that works."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.python.project.recipes import follow

RECIPES = ("A rule", "A schedule", "A heuristic")
COMPILER = shutil.which(os.environ.get("CXX", "c++"))

# A rule can be used without a search.
ALONE = """
#include <string>

#include "rule/all_rules.hpp"
#include "schedule/quadratic.hpp"

using namespace beamtree;

constexpr const char* kNew = "weighted-discrepancy";

int main() {
    Threshold<WeightedDiscrepancy> rule({0, 1});
    NodeContext root, child;
    child.rank = 2;
    child.remaining_depth = 3;
    const double state = rule.update(rule.initial_state(root), child);
    if (state != 8 || !rule.prune_split(state)) return 1;
    bool listed = false;
    for_each_measure([&](auto measure) { listed |= measure.kName == std::string(kNew); });
    if (!listed) return 2;
    rule.skip(state);
    Quadratic schedule;
    for (int pass = 0; pass < 3; ++pass) rule.relax(schedule.next());
    return rule.admits_skipped() && rule.threshold() == 9 ? 0 : 3;
}
"""

ACCEPTED = """
from itertools import islice

from beamtree._engine import strategy
from beamtree.heuristics import Balance
from beamtree.rules import WeightedDiscrepancy
from beamtree.schedules import Quadratic

[part], _ = strategy.rule_parts("weighted-discrepancy")
assert (part.name, part.start, part.unit) == ("weighted-discrepancy", 0.0, 1.0)
assert strategy.schedule_options(Quadratic()) == {"schedule": "quadratic"}
assert list(islice(Quadratic().multiples(), 5)) == [0, 1, 4, 9, 16]
assert strategy.heuristic_options("balance") == {"heuristic": "balance"}
assert WeightedDiscrepancy(unit=2).unit == 2 and Balance() == Balance()
"""

OPTIMAL = """
import numpy as np

from beamtree import OptimalTreeClassifier

for seed in range(30):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (60, 8)), rng.integers(0, 2, 60)
    best = OptimalTreeClassifier(max_depth=4, rule=None).fit(X, y)
    new = OptimalTreeClassifier(
        max_depth=4,
        exact_levels=2,
        rule="weighted-discrepancy",
        schedule="quadratic",
        heuristic="balance",
    ).fit(X, y)
    assert (new.status_, new.objective_) == ("optimal", best.objective_), seed
    assert new.trace_["restart"][-1] > 0 or new.objective_ == 0, seed
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy of the repository after all recipes, and the files that they changed."""
    root = tmp_path_factory.mktemp("extended")
    for name in ("core", "bindings", "src", "docs"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("_core*", "*.pyc"))
    for name in ("CMakeLists.txt", ".clang-format", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, root / name)
    return root, sorted({path for recipe in RECIPES for path in follow(recipe, root)})


def run(command, root, **environment):
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "src")} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def compile_in(root, source, *options):
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    run([COMPILER, *flags, "-I", root / "core", *options, source], root)


def test_the_package_accepts_the_new_names(extended):
    root, _ = extended
    core = Path(importlib.util.find_spec("beamtree._core").origin)
    shutil.copy(core, root / "src" / "beamtree")
    run([sys.executable, "-c", ACCEPTED], root)
    (root / "src" / "beamtree" / core.name).unlink()


@pytest.mark.skipif(COMPILER is None, reason="no compiler")
def test_the_core_compiles(extended):
    root, changed = extended
    sources = {path for path in changed if path.endswith(".cpp")}
    for source in sorted(sources | {"core/make_search.cpp", "core/pass/pass.cpp"}):
        compile_in(root, source, "-fsyntax-only")


@pytest.mark.skipif(COMPILER is None, reason="no compiler")
def test_the_rule_works_alone(extended):
    root, _ = extended
    (root / "alone.cpp").write_text(ALONE)
    compile_in(root, "alone.cpp", "-o", "alone")
    run([root / "alone"], root)


def test_the_new_code_is_formatted(extended):
    root, changed = extended
    for tool, suffixes, command in (
        ("clang-format", (".cpp", ".hpp"), ["clang-format", "--dry-run", "-Werror"]),
        ("ruff", (".py",), ["ruff", "format", "--check"]),
        ("ruff", (".py",), ["ruff", "check"]),
    ):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
        run([*command, *(path for path in changed if path.endswith(suffixes))], root)


@pytest.mark.soak
@pytest.mark.skipif(COMPILER is None, reason="no compiler")
def test_searches_with_the_new_parts_find_the_optimum(extended):
    root, _ = extended
    target = root / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps"]
    run([*pip, "--quiet", "--target", target, "."], root)
    run([sys.executable, "-c", OPTIMAL], root, PYTHONPATH=str(target))

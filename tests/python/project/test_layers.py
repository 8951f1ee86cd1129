"""Dependencies point one way: a folder includes or imports only what comes before it.

The two orders below are the architecture of the project, from the bottom to the top. A file may use
its own folder and the folders above it in the list, and nothing else.
"""

import ast
import re

import pytest

from tests import ROOT

CORE = [
    "objective",
    "data",
    "kernel",
    "heuristic",
    "rule",
    "schedule",
    "check",
    "options",
    "limits",
    "node",
    "cache",
    "tasks",
    "exact",
    "pass",
    "price",
    "grouped",
    "sorted",
    "search",
    "algorithm",
    "make_search",
]

# A module at the top of the package counts as a folder with one file.
PACKAGE = [
    "_core",
    "_util",
    "cancel",
    "metrics",
    "tree",
    "search_space",
    "schedules",
    "heuristics",
    "objectives",
    "rules",
    "_table",
    "alternatives",
    "result",
    "_engine",
    "_certificate",
    "export",
    "_sklearn",
    "_resume",
    "_estimator",
    "binarizer",
    "classifier",
    "regressor",
    "policy",
    "dask",
    "search",
    "model_selection",
    "display",
    "datasets",
    "study",
    "cli",
    "_entry",
    "__main__",
]


def includes(text):
    """Return the folders whose headers a C++ file includes."""
    return [name.split("/")[0] for name in re.findall(r'#include "([\w/]+)\.hpp"', text)]


def imports(text):
    """Return the folders of the package that a module imports, also inside functions."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            first, *rest = node.module.split(".")
            if first == "beamtree":
                found += [rest[0]] if rest else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            parts = (alias.name.split(".") for alias in node.names)
            found += [part[1] for part in parts if part[0] == "beamtree" and len(part) > 1]
    return found


def folder_of(path, base):
    """Return the folder of a file below `base`, or the name of a file in `base` itself."""
    parts = path.relative_to(base).parts
    return parts[0] if len(parts) > 1 else path.stem


def wrong_edges(files, base, order, uses):
    """Return one line per use of a folder that comes later in the order or is not in it."""
    place = {name: number for number, name in enumerate(order)}
    wrong = []
    for path in files:
        here = folder_of(path, base)
        wrong += [
            f"{path.relative_to(base)} uses {used}"
            for used in uses(path.read_text())
            if here not in place or used not in place or place[used] > place[here]
        ]
    return wrong


def core_files(base):
    return sorted(path for path in base.rglob("*") if path.suffix in (".hpp", ".cpp"))


def package_files(base):
    return sorted(
        path for path in base.rglob("*.py") if path.parent != base or path.stem != "__init__"
    )


def test_the_core_points_one_way():
    base = ROOT / "core"
    assert wrong_edges(core_files(base), base, CORE, includes) == []


def test_the_package_points_one_way():
    base = ROOT / "src/beamtree"
    assert wrong_edges(package_files(base), base, PACKAGE, imports) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("data/bits.hpp", '#include "search/search.hpp"'),
        ("cache/facts.hpp", '#include "pass/pass.hpp"'),
        ("data/bits.hpp", '#include "nowhere/nothing.hpp"'),
    ],
)
def test_an_include_against_the_order_is_found(tmp_path, file, line):
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(f"#pragma once\n{line}\n")
    assert len(wrong_edges(core_files(tmp_path), tmp_path, CORE, includes)) == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("_table/columns.py", "from beamtree.classifier import OptimalTreeClassifier"),
        ("_engine/engine.py", "from beamtree import search"),
        ("tree.py", "import beamtree.cli.fit"),
        ("export/json.py", "if TYPE_CHECKING:\n    from beamtree.classifier import nothing"),
        ("_util/nothing.py", "def f():\n    from beamtree._nowhere import nothing"),
    ],
)
def test_an_import_against_the_order_is_found(tmp_path, file, line):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{line}\n")
    assert len(wrong_edges(package_files(tmp_path), tmp_path, PACKAGE, imports)) == 1

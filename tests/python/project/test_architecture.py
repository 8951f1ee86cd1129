"""The page on the architecture names all folders, in their order, and pages name existing files."""

import re
from itertools import product

import pytest

from tests import ROOT
from tests.python.project.test_layers import CORE, PACKAGE

INTERNALS = ROOT / "docs" / "internals"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in page.parts),
]
ARCHITECTURE = (INTERNALS / "architecture.md").read_text()
TOP = "core|bindings|src|tests|docs|benchmarks|examples|packaging"
PATH = re.compile(rf"`((?:{TOP})/[\w./*-]*|[\w.]+\.(?:txt|toml|md)|Makefile)`")


def first_cells(section):
    """The first cells of the rows of the table in a section."""
    text = ARCHITECTURE.split(f"### `{section}`\n")[1].split("\n#")[0]
    return re.findall(r"^\| `(.*?)` \|", text, re.MULTILINE)


def place(root, name):
    """A folder or a module, as the page names it."""
    for path in (f"{root}/{name}/", f"{root}/{name}.py", f"{root}/{name}.cpp"):
        if (ROOT / path).exists():
            return path
    return None


@pytest.mark.parametrize(("section", "order"), [("core/", CORE), ("src/beamtree/", PACKAGE)])
def test_the_folders_are_listed_in_the_order_of_the_layers(section, order):
    # _core is the native module, and __main__ only starts the command line.
    root = section.rstrip("/")
    expected = [place(root, name) for name in order if name not in ("_core", "__main__")]
    assert first_cells(section) == expected


@pytest.mark.parametrize("page", sorted(INTERNALS.glob("*.md")), ids=lambda path: path.stem)
def test_all_paths_exist(page):
    text = re.sub(r"[Nn]ew file\s+`.*?`", "", page.read_text())
    paths = PATH.findall(text)
    assert paths
    assert [path for path in paths if not list(ROOT.glob(path.rstrip("/")))] == []


@pytest.mark.parametrize("page", sorted(INTERNALS.glob("*.md")), ids=lambda path: path.stem)
def test_all_names_exist(page):
    """Every name in backticks is a word of the code, unless a recipe adds it."""
    known = set(re.findall(r"\w+", re.sub(r"`[^`\n]+`", "", page.read_text())))
    for name in ("pyproject.toml", "Makefile"):
        known |= set(re.findall(r"\w+", (ROOT / name).read_text()))
    folders = ("core", "bindings", "src", "tests", "benchmarks")
    for folder, suffix in product(folders, ("cpp", "hpp", "py", "txt")):
        for path in (ROOT / folder).rglob(f"*.{suffix}"):
            known |= set(re.findall(r"\w+", path.read_text()))
    spans = re.findall(r"`([^`/\n]+)`", page.read_text())
    names = {name for span in spans for name in re.findall(r"[A-Za-z_]\w{3,}", span)}
    assert names - known - {"Makefile", "CMakeLists", "CHANGELOG", "blocks_NAME"} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_all_links_work(page):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_a_fit_has_at_most_15_steps():
    walk = ARCHITECTURE.split("## One `fit`, step by step\n")[1].split("\n## ")[0]
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", walk, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) <= 15

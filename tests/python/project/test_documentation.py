"""Every public name has an example; examples in docstrings, pages and examples/ run."""

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy
import sys

import pytest

import beamtree
from tests import ROOT

MODULES = ["beamtree"] + [
    info.name
    for info in pkgutil.walk_packages(beamtree.__path__, "beamtree.")
    if info.name != "beamtree._core"
]
for name in beamtree.__all__:  # the package imports its names on first use
    getattr(beamtree, name)
PUBLIC = {
    f"{module}.{name}": value
    for module in (name for name in MODULES if "._" not in name)
    for name, value in vars(importlib.import_module(module)).items()
    if not name.startswith("_") and getattr(value, "__module__", None) == module
}
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in page.parts),
]
# The packages that an example needs and that may be missing.
OPTIONAL = {
    "beamtree.dask.classifier": ["dask.dataframe"],
    "beamtree.dask.regressor": ["dask.array"],
    "beamtree.display": ["matplotlib"],
    "beamtree.export.onnx": ["onnx"],
    "beamtree.export.plot": ["matplotlib"],
    "beamtree.regressor": ["pandas"],
    "beamtree.study.report": ["jinja2", "matplotlib"],
    "README": ["matplotlib", "pandas"],
    "dask": ["dask.dataframe"],
    "faq": ["pandas"],
    "index": ["pandas"],
    "report": ["jinja2", "matplotlib"],
    "regression": ["pandas"],
    "start": ["pandas"],
    "tables": ["pandas"],
    "trees": ["matplotlib", "onnx", "pandas"],
}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def skip_without(name):
    for package in OPTIONAL.get(name, []):
        pytest.importorskip(package)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("module", MODULES)
def test_doctests(module):
    skip_without(module)
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_an_example(name):
    documentation = inspect.getdoc(PUBLIC[name])
    assert documentation
    assert "Examples\n--------\n>>> " in documentation


def test_the_public_names_were_found():
    assert {
        "beamtree.CheckpointError",
        "beamtree.classifier.OptimalTreeClassifier",
        "beamtree.regressor.OptimalTreeRegressor",
        "beamtree.search.Search",
        "beamtree.rules.rule.Rule",
        "beamtree.rules.threshold.Discrepancy",
        "beamtree.schedules.Luby",
        "beamtree.heuristics.Gini",
        "beamtree.datasets.generated.monks",
        "beamtree.metrics.primal_integral",
        "beamtree.study.report.report",
    } <= set(PUBLIC)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_pages(page):
    """Run the blocks of a page one after the other."""
    skip_without(page.stem)
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    names = {"__name__": page.stem}
    for block in blocks:
        exec(block, names)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples(example, capsys):
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out
    assert len(example.read_text().splitlines()) <= 40


def test_the_demo_shows_the_proof(capsys):
    runpy.run_path(str(EXAMPLES[0].with_name("demo.py")), run_name="__main__")
    output = capsys.readouterr().out
    assert "Proved optimal: 9 errors" in output
    assert "Lower bound 9" in output
    # Several trees have 9 errors; the test does not say which one is found.
    leaf = r"^  If (mean|worst) .+ then (benign|malignant) \(\d+ rows, \d+%\)$"
    assert re.search(leaf, output, re.MULTILINE)


def test_the_changelog_has_the_version():
    assert f"## {beamtree.__version__}" in (ROOT / "CHANGELOG.md").read_text()

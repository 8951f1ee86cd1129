"""What the wheel, the source archive and the files about the project must have."""

import json
import re
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import files, metadata, version

import pytest

from tests import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CHECK = runpy.run_path(str(ROOT / "packaging" / "check_distributions.py"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ADDRESS = PROJECT["project"]["urls"]["Source"]


def installed():
    """The names of the files of the wheel that is installed, without what pip adds to them."""
    left_out = {"__pycache__", ".."}  # the command lies in another folder
    return [path.as_posix() for path in files("beamtree") if not left_out & set(path.parts)]


def test_the_installed_wheel_is_complete():
    assert CHECK["faults_of_wheel"](installed(), ROOT) == []


@pytest.mark.parametrize(
    ("missing", "fault"),
    [
        ("beamtree/_core.pyi", "lacks beamtree/_core.pyi"),
        ("beamtree/py.typed", "lacks beamtree/py.typed"),
        ("beamtree/export/page.html.j2", "lacks beamtree/export/page.html.j2"),
        ("beamtree/classifier.py", "lacks beamtree/classifier.py"),
        ((".so", ".pyd"), "must have one compiled module"),
        ("licenses/LICENSE", "lacks its licence"),
    ],
)
def test_a_wheel_that_lacks_a_file_is_found(missing, fault):
    names = [name for name in installed() if not name.endswith(missing)]
    assert CHECK["faults_of_wheel"](names, ROOT) == [fault]


def test_the_readme_of_a_wheel_has_absolute_links():
    """A package index shows it without the files beside it."""
    check, found = CHECK["faults_of_metadata"], metadata("beamtree")
    # The backport of importlib.metadata, which other packages may import, has it elsewhere.
    text = found.get_payload() or found["Description"]
    assert "/raw/main/docs/images/tree-depth-3.png)" in text
    assert check(text) == []
    assert check("see [a](docs/a.md)") == [
        "has the link docs/a.md in its README, which must be absolute"
    ]


def test_a_wheel_with_too_much_is_found():
    names = [*installed(), "tests/__init__.py"]
    assert CHECK["faults_of_wheel"](names, ROOT) == ["has tests"]


def test_an_archive_that_lacks_a_file_is_found():
    folders = set().union(*(CHECK["sources"](ROOT, folder) for folder in CHECK["FOLDERS"]))
    names = {f"beamtree-1/{name}" for name in folders | set(CHECK["ROOTS"])}
    check = CHECK["faults_of_source"]
    assert check(names, ROOT) == []
    assert check(names - {"beamtree-1/core/data/wide.hpp"}, ROOT) == ["lacks core/data/wide.hpp"]
    assert check(names - {"beamtree-1/LICENSE"}, ROOT) == ["lacks LICENSE"]
    assert check(names | {"beamtree-1/build/x"}, ROOT) == ["has build"]


def test_the_smoke_test_passes_with_the_installed_package(tmp_path):
    pytest.importorskip("cyclopts")
    # -P keeps the folder of the file out of the path.
    command = [sys.executable, "-P", str(ROOT / "packaging" / "smoke_test.py")]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Proved optimal: 9 errors" in done.stdout


def test_the_metadata():
    about = metadata("beamtree")
    assert set(about.get_all("Project-URL")) >= {f"Source, {ADDRESS}", f"Homepage, {ADDRESS}"}
    assert about["License-Expression"] == "MIT"
    assert about["License-File"] == "LICENSE"


def test_all_files_have_the_same_version():
    number = PROJECT["project"]["version"]
    assert version("beamtree") == number
    for path in ("CITATION.cff", "packaging/conda-forge/recipe.yaml"):
        assert re.findall(r'^ *version: "?([\d.]+)"?$', (ROOT / path).read_text(), re.M) == [number]


def test_the_recipe_has_the_requirements_of_the_package():
    recipe = (ROOT / "packaging" / "conda-forge" / "recipe.yaml").read_text()
    needs = [
        *PROJECT["build-system"]["requires"],
        *PROJECT["dependency-groups"]["build"],
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["cli"],
    ]
    for need in needs:
        assert f"- {need.replace('>=', ' >=')}\n" in recipe


def test_the_oldest_dependencies_are_those_that_are_allowed():
    text = (ROOT / "packaging" / "oldest-dependencies.txt").read_text()
    pins = {line for line in text.splitlines() if line and not line.startswith("#")}
    needs = PROJECT["project"]["dependencies"]
    optional = PROJECT["project"]["optional-dependencies"]["test"]
    oldest = {need: f"{need.replace('>=', '==')}.*" for need in needs + optional}
    assert {oldest[need] for need in needs} <= pins
    assert pins - {"scipy==1.14.*"} <= set(oldest.values())


def test_the_hooks_have_the_pinned_versions():
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    pins = [need for need in PROJECT["project"]["optional-dependencies"]["test"] if "==" in need]
    for name, repo in (("ruff", "ruff-pre-commit"), ("clang-format", "mirrors-clang-format")):
        series = next(pin for pin in pins if pin.startswith(f"{name}==")).split("==")[1]
        rev = re.search(rf"{repo}\n    rev: v(\S+)", text)[1]
        assert rev.startswith(series.removesuffix("*"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_pinned_and_call_targets_that_exist(path):
    text = path.read_text()
    actions = re.findall(r"uses: (\S+)(.*)", text)
    assert actions
    for action, comment in actions:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)
    makefile = (ROOT / "Makefile").read_text()
    # Others add the target of the pages.
    for target in set(re.findall(r"run: make ([\w-]+)", text)):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_jobs_for_untried_systems_are_experimental():
    for path in WORKFLOWS:
        for job in re.split(r"\n  (?=\w[\w-]*:\n)", path.read_text().split("\njobs:\n")[1]):
            if "macos" in job or "windows" in job:
                assert "continue-on-error: " in job


def test_one_address_of_the_repository():
    places = [ROOT / "asv.conf.json", *ROOT.glob("*.cff"), *ROOT.glob("*.md")]
    for folder in (".github", "packaging", "docs"):
        places += [
            path for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".yml", ".yaml")
        ]
    for path in places:
        for found in re.findall(r"https://github\.com/[\w-]+/beamtree\b", path.read_text()):
            assert found == ADDRESS, path


def test_five_benchmarks_of_asv():
    settings = json.loads((ROOT / "asv.conf.json").read_text())
    text = "".join(path.read_text() for path in (ROOT / settings["benchmark_dir"]).glob("*.py"))
    assert len(re.findall(r"def (?:time|peakmem|track)_\w+", text)) == 5


def test_every_target_is_explained():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)", makefile, re.M)[1].replace("\\", "").split()
    named = re.findall(r'@echo "make ([\w-]+)', makefile)
    assert set(phony) - set(named) <= {"help", "test-core", "test-python"}
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    for target in ("wheel", "test-portable", "check-project", "bench-asv"):
        assert f"`make {target}`" in contributing

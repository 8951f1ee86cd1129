"""Check that the wheels and the source archive in a folder have all that they must have.

It compares the names of files, and looks at the links of the README; `packaging/smoke_test.py` runs
what is inside.
"""

import re
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

# What a wheel has besides the modules of src/beamtree.
BUILT = ("beamtree/_checker.py", "beamtree/_core.pyi")
MODULE = re.compile(r"beamtree/_core\.[\w.-]*(?:so|pyd)")
# What is needed to build and to test the package from its source archive.
ROOTS = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CMakeLists.txt",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "pyproject.toml",
)
FOLDERS = [
    "benchmarks",
    "bindings",
    "checker",
    "core",
    "docs",
    "examples",
    "packaging",
    "src",
    "tests",
]
NOT_SOURCE = {"__pycache__", "_core.pyi"}


def sources(root, folder):
    """The names of all source files in a folder, relative to the root."""
    return {
        path.relative_to(root).as_posix()
        for path in (root / folder).rglob("*")
        if path.is_file()
        and not NOT_SOURCE & set(path.parts)
        and path.suffix not in (".pyc", ".so")
        and not any(part.startswith(".") for part in path.relative_to(root).parts)
    }


def faults_of_wheel(names, root):
    """What is wrong with a wheel that has files of these names."""
    expected = {name.removeprefix("src/") for name in sources(root, "src")} | set(BUILT)
    faults = [f"lacks {name}" for name in sorted(expected - set(names))]
    if sum(MODULE.fullmatch(name) is not None for name in names) != 1:
        faults.append("must have one compiled module")
    if not any(PurePosixPath(name).match("*.dist-info/licenses/LICENSE") for name in names):
        faults.append("lacks its licence")
    extra = {name.split("/")[0] for name in names} - {"beamtree", "beamtree.libs"}
    faults += [f"has {name}" for name in sorted(extra) if not name.endswith(".dist-info")]
    return faults


def faults_of_metadata(text):
    """What is wrong with the metadata of a wheel: a package index cannot follow relative links."""
    links = re.findall(r"\]\((?!https?:|#)([^)]*)\)", text)
    return [f"has the link {link} in its README, which must be absolute" for link in links]


def faults_of_source(names, root):
    """What is wrong with a source archive that has files of these names."""
    inside = {name.split("/", 1)[1] for name in names if "/" in name}
    expected = set(ROOTS).union(*(sources(root, folder) for folder in FOLDERS))
    faults = [f"lacks {name}" for name in sorted(expected - inside)]
    unwanted = {".venv", "build", "dist"} & {name.split("/")[0] for name in inside}
    return faults + [f"has {name}" for name in sorted(unwanted)]


def main(folder):
    root = Path(__file__).resolve().parents[1]
    wheels, archives = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if not wheels or len(archives) != 1:
        sys.exit(f"{folder} must have wheels and one source archive")
    faults = []
    for path in wheels:
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
            found = faults_of_wheel(names, root)
            found += faults_of_metadata(wheel.read(metadata).decode())
            faults += [f"{path.name} {fault}" for fault in found]
    with tarfile.open(archives[0]) as archive:
        names = [member.name for member in archive.getmembers() if member.isfile()]
        faults += [f"{archives[0].name} {fault}" for fault in faults_of_source(names, root)]
    if faults:
        sys.exit("\n".join(faults))
    print("Complete:", *(path.name for path in (*wheels, *archives)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Compare two builds of beamtree, each in its own environment.

The seconds of a build are the least processor seconds of all its solves, because other programs on
the machine affect these least. Both builds use one thread.
"""

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from _report import Table, disagreements, environment, geometric_mean, optimum, write_json
from _runner import Runner, output, stored

WORKER = Path(__file__).with_name("_build_worker.py")
REPEATS = 5
LEAST = 0.005
"""Problems that take the older build fewer seconds are left out of the mean."""
SPEND = 0.4
"""Each process repeats a short solve until these seconds are spent."""
ASK = """
import json, platform
from importlib.metadata import version
import beamtree
from beamtree import OptimalTreeClassifier
print(json.dumps([beamtree.__file__, version("beamtree"), platform.python_version()]))
"""


@dataclass(frozen=True)
class Build:
    """An interpreter, and the beamtree that is installed for it; also a job of `Runner`."""

    name: str
    python: str
    place: str
    version: str
    python_version: str

    def __str__(self):
        return f"beamtree {self.version} with python {self.python_version}, {self.place}"

    def measure(self, data, depth, limit, core):
        """Time the build on a problem, in a process of its interpreter."""
        with stored(data) as folder:
            request = {"data": folder, "depth": depth, "limit": limit, "spend": SPEND}
            command = [self.python, "-P", str(WORKER), json.dumps(request)]
            printed = output(command, limit, core, without_paths())
        return json.loads(printed.splitlines()[-1])


def without_paths():
    """Return the environment variables, without those that make Python import from elsewhere."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH")
    }


def found(path):
    """Return the build of this interpreter, and the build at `path` as the older one."""
    return build("new", sys.executable), build("old", interpreter(path))


def interpreter(path):
    """Return the interpreter of an environment; `path` may also be the interpreter itself."""
    path = Path(path).expanduser().absolute()  # not resolved: links lead out of the environment
    candidates = [path, path / "bin" / "python", path / "Scripts" / "python.exe"]
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate)
    sys.exit(f"{path} is neither an interpreter nor the folder of an environment")


def build(name, python):
    """Return the build of an interpreter; end the program if it has no beamtree."""
    command = [python, "-P", "-c", ASK]
    try:
        done = subprocess.run(
            command, env=without_paths(), capture_output=True, text=True, check=False
        )
    except OSError as error:
        sys.exit(f"{python} cannot be run: {error}")
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        sys.exit(f"{python} has no beamtree that can be imported: {said[0]}")
    return Build(name, python, *json.loads(done.stdout.splitlines()[-1]))


def compare(datasets, options, new, old):
    """Run both builds on every problem; print seconds, ratios and their mean."""
    print(f"new: {new}\nold: {old}\nprocessor seconds, the least of all repeats")
    if new.place == old.place:
        print("Both are the same build: the ratios show the noise.")
    print()
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table(
        "dataset", "rows", "features", "depth", "optimum", "new s", "old s", "new/old", "spread",
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows, said = [], []
    for depth in options.depths:
        for data in datasets:
            measured = runner.compare([new, old], data, depth)
            value, spread = ratio(**measured), spread_of(**measured)
            table.row(
                data.name, data.shape["rows"], data.shape["features"], depth, optimum(measured),
                seconds_cell(measured["new"]), seconds_cell(measured["old"]),
                "-" if value is None else f"{value:.3f}",
                "-" if spread is None else f"{100 * spread:.1f}%",
            )  # fmt: skip
            where = f"{data.name}, depth {depth}"
            said += disagreements(where, measured)
            rows.append((where, data, depth, measured))
    conclude(rows, said, options, (new, old))


def conclude(rows, said, options, builds):
    """Print the lines under the table, and write the JSON file."""
    line = mean_line([(where, measured) for where, _, _, measured in rows])
    print()
    for text in [line, *(said or ["no disagreements"])]:
        print(text)
    problems = [
        {"dataset": data.name, "depth": depth, **data.shape, "optimum": optimum(measured)}
        | {"solvers": {name: m.as_json() for name, m in measured.items()}}
        | {"ratio": ratio(**measured), "spread": spread_of(**measured)}
        for _, data, depth, measured in rows
    ]
    versions = {build.name: build.version for build in builds}
    content = {"environment": environment(["beamtree"]), "builds": versions}
    content |= {"limit": options.limit, "repeats": options.repeats}
    content |= {"problems": problems, "summaries": [line], "disagreements": said}
    write_json(options.json, content)


def least_seconds(measured):
    """Return the processor seconds of the shortest solve of a build."""
    return min(run["cpu_seconds"] for run in measured.runs)


def seconds_cell(measured):
    """Return the seconds, or that the limit was hit, or that the build failed."""
    if not measured.runs:
        return "failed"
    return f">{measured.limit:g}" if measured.stopped else f"{least_seconds(measured):.5f}"


def ratio(new, old):
    """Return the seconds of the new build divided by the old one's, or None without two proofs."""
    if not (new.optimal and old.optimal):
        return None
    return least_seconds(new) / least_seconds(old)


def spread_of(new, old):
    """Return the range of the single repeats' ratios, as a share of their median."""
    if not (new.optimal and old.optimal):
        return None
    pairs = zip(new.runs, old.runs, strict=False)
    values = [ours["cpu_seconds"] / theirs["cpu_seconds"] for ours, theirs in pairs]
    return (max(values) - min(values)) / statistics.median(values)


def mean_line(problems):
    """Return a line with the geometric mean, the smallest and the largest ratio.

    Parameters
    ----------
    problems : list of (where, measured)
        The problem, and the measurements of both builds, ``"new"`` and ``"old"``.
    """
    slow = [
        (ratio(**measured), where)
        for where, measured in problems
        if ratio(**measured) is not None and least_seconds(measured["old"]) >= LEAST
    ]
    if not slow:
        return f"no problem that both proved took the older build {1000 * LEAST:g} ms or more"
    (smallest, least), (largest, most) = min(slow), max(slow)
    mean = geometric_mean([value for value, _ in slow])
    return (
        f"new/old: {mean:.3f} (geometric mean of {len(slow)} problems that take the older build "
        f"{1000 * LEAST:g} ms or more); smallest {smallest:.3f} ({least}), "
        f"largest {largest:.3f} ({most})"
    )

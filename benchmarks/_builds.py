"""Two builds of beamtree side by side, each in an environment of its own.

Seconds are those of the processor, which other programs on the machine change
least: the shortest of all solves of a build. Both have one thread.
"""

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from _report import Table, disagreements, environment, geometric_mean, optimum, write_json
from _runner import Job, Runner, without_paths

REPEATS = 5
LEAST = 0.005
"""Seconds; problems that take the older build less are left out of the mean."""
SPEND = 0.4
"""Seconds over which each process repeats a short solve."""
ASK = """
import json, platform
from importlib.metadata import version
import beamtree
from beamtree import OptimalTreeClassifier
print(json.dumps([beamtree.__file__, version("beamtree"), platform.python_version()]))
"""


@dataclass(frozen=True)
class Build:
    """An interpreter, and the beamtree that is installed for it."""

    python: str
    place: str
    version: str
    python_version: str

    def __str__(self):
        return f"beamtree {self.version} with python {self.python_version}, {self.place}"


def found(path):
    """The build of this interpreter and the one at `path`: a new one and an older one."""
    return build(sys.executable), build(interpreter(path))


def interpreter(path):
    """The interpreter of an environment, or the one that `path` itself is."""
    path = Path(path).expanduser().absolute()  # not resolved: that would leave the environment
    candidates = [path, path / "bin" / "python", path / "Scripts" / "python.exe"]
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate)
    sys.exit(f"{path} is neither an interpreter nor an environment that has one")


def build(python):
    """What is installed there; ends the program if that is no beamtree."""
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
    return Build(python, *json.loads(done.stdout.splitlines()[-1]))


def compare(datasets, options, new, old):
    """Run both on every problem; print seconds, ratios and their mean."""
    print(f"new: {new}\nold: {old}\nseconds of the processor, the least of all repeats")
    if new.place == old.place:
        print("Both are the same build: the ratios show the noise.")
    print()
    runner = Runner(options.limit, options.repeats, options.core)
    builds = {"new": new, "old": old}
    jobs = [
        Job(name, "beamtree", python=build.python, spend=SPEND) for name, build in builds.items()
    ]
    table = Table(
        "dataset", "rows", "features", "depth", "optimum", "new s", "old s", "new/old", "spread",
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows, said = [], []
    for depth in options.depths:
        for data in datasets:
            measured = runner.compare(jobs, data, depth)
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
    conclude(rows, said, options, builds)


def conclude(rows, said, options, builds):
    """The lines under the table, and the JSON file."""
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
    versions = {name: build.version for name, build in builds.items()}
    content = {"environment": environment(["beamtree"]), "builds": versions}
    content |= {"limit": options.limit, "repeats": options.repeats}
    content |= {"problems": problems, "summaries": [line], "disagreements": said}
    write_json(options.json, content)


def least_seconds(measured):
    """The shortest solve of a build."""
    return min(run["cpu_seconds"] for run in measured.runs)


def seconds_cell(measured):
    """Seconds, or that the limit was hit, or that the build failed."""
    if not measured.runs:
        return "failed"
    return f">{measured.limit:g}" if measured.stopped else f"{least_seconds(measured):.5f}"


def ratio(new, old):
    """Seconds of the new build as a share of the old one's; None unless both proved their trees."""
    if not (new.optimal and old.optimal):
        return None
    return least_seconds(new) / least_seconds(old)


def spread_of(new, old):
    """How far apart the ratios of the single repeats are, as a share of their median."""
    if not (new.optimal and old.optimal):
        return None
    pairs = zip(new.runs, old.runs, strict=False)
    values = [ours["cpu_seconds"] / theirs["cpu_seconds"] for ours, theirs in pairs]
    return (max(values) - min(values)) / statistics.median(values)


def mean_line(problems):
    """The geometric mean, the smallest and the largest ratio.

    Parameters
    ----------
    problems : list of (where, measured)
        What was measured of both builds, by the names ``"new"`` and ``"old"``.
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

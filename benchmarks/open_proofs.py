"""Show how the lower bound rises on problems that are not proved within a minute, on one core.

    python benchmarks/open_proofs.py --seconds 3 10 60 --data DIR

The data are generated: noisy labels, one-hot columns, DNA-like sequences, 100 to 300 features. With
``--data``, the files ``numeric-*`` of a folder are searched too, with 32 thresholds per column and
with all. Each problem is searched once, in a process of its own, until the last of the seconds,
which are those of the processor. A cell is the bound as a share of the best objective of the row,
so that a bound is not called good because its tree is bad; ``proved`` if the search has ended.

    new/bin/python benchmarks/open_proofs.py --against old

shows two builds side by side: the one of this interpreter, and the one in the environment ``old``.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import _data
from _builds import Build, build, interpreter, without_paths
from _report import Table, environment, write_json
from _runner import Failed, last_core, output, stored
from _trace import row_at
from proof_time import chosen, data_arguments

WORKER = Path(__file__).with_name("_bound_worker.py")
SECONDS = [3.0, 10.0, 60.0]
HALF, LEAST = 0.5, 0.1
NUMERIC = ("numeric-page", "numeric-rice", "numeric-htru")
LIMIT = "max_thresholds"
SLOWEST = 5
"""A search that shares its core may take this many times its processor seconds."""


@dataclass(frozen=True)
class Problem:
    """Data, the depth of the trees, and options of the classifier."""

    data: _data.Data
    depth: int
    options: dict = field(default_factory=dict)

    @property
    def name(self):
        return self.data.name


def generated():
    """Return the generated problems."""
    noisy = [
        (_data.correlated(1000, 112, noise=0.2, name="noisy 1000 x 112"), (6, 7)),
        (_data.correlated(2000, 100, noise=0.1, name="noisy 2000 x 100"), (6, 7)),
        (_data.correlated(1500, 200, noise=0.1, name="noisy 1500 x 200"), (5, 6)),
        (_data.correlated(1000, 300, noise=0.05, name="noisy 1000 x 300"), (5, 6)),
    ]
    one_hot = [
        (_data.categories(1000, 112, name="one-hot 1000 x 112"), (6, 7)),
        (_data.categories(2000, 160, name="one-hot 2000 x 160"), (5, 6)),
        (_data.sequences(3190, 287, name="DNA 3190 x 287"), (5, 6, 7)),
    ]
    return [Problem(data, depth) for data, depths in noisy + one_hot for depth in depths]


def numeric(folder):
    """Return the problems over columns of numbers."""
    found = [data for data in _data.numbers(folder) if data.name in NUMERIC]
    return [
        Problem(
            _data.Data(f"{data.name}, {words}", data.X, data.y), depth, {"max_thresholds": most}
        )
        for words, most in (("32", 32), ("all", None))
        for data in found
        for depth in (4, 5, 6)
    ]


def follow(build, problem, limit, core):
    """Search a problem with a build; return what ``_bound_worker.py`` has measured."""
    request = {"depth": problem.depth, "options": problem.options, "limit": limit}
    with stored(problem.data) as folder:
        command = [build.python, "-P", str(WORKER), json.dumps(request | {"data": folder})]
        printed = output(command, SLOWEST * limit, core, without_paths())
    return json.loads(printed.splitlines()[-1])


def share_at(run, seconds, best):
    """Return the bound as a share of the best objective at a time; 1 from the proof on."""
    row = row_at(run["trace"], seconds)
    if row is None:
        return 0.0
    return row[2] / best if best else 1.0


def cell(run, seconds, best):
    if run["optimal"] and run["seconds"] <= seconds:
        return "proved"
    return f"{share_at(run, seconds, best):.2f}"


def conclusions(rows, times):
    """Yield lines with the number of problems whose bounds reach half of the objective, and 0.1."""
    for name in rows[0]["runs"] if rows else ():
        for index, seconds in enumerate(times):
            shares = [row["shares"][name][index] for row in rows]
            half, least = (sum(share >= bound for share in shares) for bound in (HALF, LEAST))
            yield (
                f"{name}, {seconds:g} s: mean {sum(shares) / len(shares):.3f}, "
                f"at least {HALF:g} on {half} and at least {LEAST:g} on {least} of {len(rows)}"
            )


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data_arguments(parser)
    parser.add_argument("--seconds", type=float, nargs="+", default=SECONDS)
    parser.add_argument("--depths", type=int, nargs="+", default=None, help="only these depths")
    parser.add_argument("--against", metavar="ENVIRONMENT", help="of an older build")
    parser.add_argument("--core", type=int, default=None, help="the core to run on")
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args(argv)
    times, core = sorted(options.seconds), last_core(options.core)
    problems = chosen(generated() + (numeric(options.data) if options.data else []), options)
    builds: list[Build] = [build("new", sys.executable)]
    if options.against:
        builds.append(build("old", interpreter(options.against)))
    table = Table(
        "dataset", "depth", "objective",
        *(f"{b.name + ' ' if options.against else ''}{t:g} s" for b in builds for t in times),
        widest=max(len(problem.name) for problem in problems),
    )  # fmt: skip
    rows = []
    for problem in problems:
        if options.depths and problem.depth not in options.depths:
            continue
        try:
            runs = {b.name: follow(b, problem, times[-1], core) for b in builds}
        except Failed as failed:
            print(f"{problem.name}, depth {problem.depth}: {failed}", file=sys.stderr)
            continue
        best = min(run["objective"] for run in runs.values())
        cells = [cell(run, t, best) for run in runs.values() for t in times]
        table.row(problem.name, problem.depth, f"{best:g}", *cells)
        shares = {name: [share_at(run, t, best) for t in times] for name, run in runs.items()}
        about = {"dataset": problem.name, "depth": problem.depth, **problem.data.shape}
        rows.append(about | {"best": best, "shares": shares, "runs": runs})
        write_json(options.json, {"seconds": times, "problems": rows})
    lines = list(conclusions(rows, times))
    print("", *lines, sep="\n")
    content = {"environment": environment(["beamtree"]), "seconds": times, "problems": rows}
    write_json(options.json, content | {"summaries": lines})


if __name__ == "__main__":
    main()

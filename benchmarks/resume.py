"""Measure the cost of resuming: the proof in slices of a tenth of its time, and in one run.

    python benchmarks/resume.py --data DIR --out resume.json

There are three ways: ``Search.run`` again and again; ``fit`` with ``warm_start=True``; and
``Search.save`` followed by ``Search.load``. The seconds in the search, divided by those of one run,
may be at most 1.15 by median. Files, validation and packing are not included; files have their own
column. All searches run on one core.
"""

import statistics
import sys

import _problems
from _control import arguments, ask, conclude, parsed
from _report import Table, geometric_mean
from _runner import last_core, stored

WAYS = {"run again": "continued", "warm start": "warmed", "save, load": "saved"}
SLICES = 10
MOST = 1.15
QUICK = {"repeats": 1, "limit": 30.0}


def faults(whole, runs):
    """Yield the faults of the runs of one way, compared with one run to the end."""
    for run in runs:
        if "failure" in run:
            yield run["failure"]
        elif run["status"] != "optimal":
            yield f"not proved after {run['pieces']} slices, status {run['status']}"
        elif run["objective"] != whole["objective"]:
            yield f"proved {run['objective']:g}, one run {whole['objective']:g}"
    share = ratio(whole, runs)
    if share is not None and share > MOST:
        yield f"takes {share:.2f} times as long as one run, {MOST} are allowed"


def ratio(whole, runs):
    """Return the median seconds of one way divided by those of one run, or None after a failure."""
    if not runs or any("failure" in run for run in runs):
        return None
    return statistics.median(run["seconds"] for run in runs) / whole["seconds"]


def middle(runs):
    """Return the run with the median seconds, or the first failure if there is one."""
    failed = [run for run in runs if "failure" in run]
    return failed[0] if failed else sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]


def measure(problem, options):
    """Do one run to the end and every way in turn, repeatedly, so that noise affects all alike."""
    request = {"options": problem.settings, "core": last_core(options.core), "limit": options.limit}
    request["timeout"] = 3 * options.limit + 60
    whole, ways = [], {way: [] for way in WAYS}
    with stored(problem.data) as folder:
        for _ in range(options.repeats):
            whole.append(ask("whole", folder, **request))
            if "failure" in whole[-1] or whole[-1]["status"] != "optimal":
                return whole[-1], ways
            part = statistics.median(run["seconds"] for run in whole) / SLICES
            for way, task in WAYS.items():
                ways[way].append(ask(task, folder, **request, slice=part, most=4 * SLICES))
    return middle(whole), ways


def cells(whole, ways):
    """Return the cells of a row of the table, after the name."""
    if "failure" in whole or whole["status"] != "optimal":
        return ["-", "failed" if "failure" in whole else f">{whole['seconds']:.1f}", *["-"] * 7]
    shares = [ratio(whole, runs) for runs in ways.values()]
    found = [middle(runs) for runs in ways.values()]
    filed = found[-1]
    return [
        f"{whole['objective']:g}", f"{whole['seconds']:.2f}",
        *("failed" if share is None else f"{share:.2f}" for share in shares),
        *(run.get("pieces", "-") for run in found),
        f"{filed['files'] / whole['seconds']:.2f}" if "files" in filed else "-",
    ]  # fmt: skip


def summaries(rows):
    """Yield a line per way with the mean and the largest ratio, and one with what was left out."""
    for way in WAYS:
        shares = [(row["ratios"][way], row["problem"]) for row in rows if row["ratios"][way]]
        if shares:
            largest, where = max(shares)
            mean = geometric_mean([share for share, _ in shares])
            yield (
                f"{way}: {mean:.3f} times as long as one run (geometric mean of {len(shares)} "
                f"problems; largest {largest:.3f}, {where})"
            )
    late = [row["problem"] for row in rows if row["whole"].get("status", "optimal") != "optimal"]
    if late:
        yield f"not measured, because one run did not prove it: {'; '.join(late)}"


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0])
    _problems.add_argument(parser)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one run")
    parser.add_argument("--repeats", type=int, default=3, help="medians are compared")
    options = parsed(parser, argv, QUICK)
    problems = _problems.proofs(options)
    table = Table(
        "problem", "optimum", "one run s", *(f"x {way}" for way in WAYS),
        *(f"slices, {way}" for way in WAYS), "x files",
        widest=max(len(problem.name) for problem in problems),
    )  # fmt: skip
    rows, said = [], []
    for problem in problems:
        whole, ways = measure(problem, options)
        table.row(problem.name, *cells(whole, ways))
        if "failure" in whole:
            said.append(f"{problem.name}, one run: {whole['failure']}")
        for way, runs in ways.items():
            said += [f"{problem.name}, {way}: {fault}" for fault in faults(whole, runs)]
        ratios = {way: ratio(whole, runs) for way, runs in ways.items()}
        row = {"problem": problem.name, "depth": problem.depth, **problem.data.shape}
        rows.append(row | {"whole": whole, "ways": ways, "ratios": ratios})
    return conclude(options, {"rows": rows, "most": MOST}, [*summaries(rows)], said)


if __name__ == "__main__":
    sys.exit(main())

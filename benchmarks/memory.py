"""Check that memory limits hold: give searches that need about 1 GB only 64 MB.

    python benchmarks/memory.py --limit 64 --out memory.json

The growth is the largest resident size of the process during ``fit``, less its size at the call. It
may exceed the limit by a tenth, and the optimum must be the same as without a limit. The slow-down
is the time to the proof, divided by the time without a limit. Few exact levels and the given order
of the features produce many cache entries per second: about 1 GB in minutes. All searches run on
one core. A MB has 10^6 bytes.
"""

import sys
from statistics import median

import _data
import _problems
from _control import arguments, conclude, parsed
from _problems import Problem
from _report import Table, geometric_mean, ratio, ratio_cell, seconds
from _runner import Job, Runner

MB = 1_000_000
MOST = 1.1
"""A process may grow by this multiple of the limit."""
PLAIN = {"rule": None, "heuristic": "given"}
QUICK = {"needs": 90, "large": False}


def problems(options):
    """Return the problems that ``--problems`` names, or by default the generated ones."""
    plain = PLAIN | {"exact_levels": options.exact_levels}
    if options.problems:
        return [Problem(p.data, p.depth, plain) for p in _problems.proofs(options)]
    # Without a limit the first takes 809 MB and 150 s, the second 101 MB and 20 to 30 s.
    rows, features, depth = (400, 260, 4) if options.large else (800, 25, 8)
    return [Problem(_data.correlated(rows, features, noise=0.4), depth, plain)]


def growth(measured):
    """Return the MB by which the process grew, as the median of the runs, or None without runs."""
    return median(run["growth_bytes"] for run in measured.runs) / MB if measured.runs else None


def faults(free, limited, limit):
    """Yield the faults of the searches.

    Parameters
    ----------
    free, limited : Measured
        The runs without and with the limit.
    limit : float
        The limit in MB.
    """
    for name, one in (("without a limit", free), (f"with {limit:g} MB", limited)):
        if one.failure:
            yield f"{name}: {one.failure}"
        elif not one.optimal:
            yield f"{name}: not proved, status {one.runs[0]['status']}"
    if not limited.runs:
        return
    largest = max(run["growth_bytes"] for run in limited.runs) / MB
    if largest > MOST * limit:
        yield f"grows by {largest:.1f} MB with {limit:g} MB, {MOST * limit:.1f} are allowed"
    if free.optimal and limited.optimal and limited.found != free.found:
        yield f"proves {limited.found:g} with {limit:g} MB, {free.found:g} without a limit"


def summaries(rows, limit, needs):
    """Yield lines with the largest growth, the mean slow-down, and problems that are too small."""
    grown = [(row["limited_mb"], row["problem"]) for row in rows if row["limited_mb"] is not None]
    if grown:
        largest, where = max(grown)
        yield f"largest growth: {largest:.1f} MB, {largest / limit:.2f} of the limit ({where})"
    slow = [row["slow_down"] for row in rows if row["slow_down"]]
    if slow:
        yield f"slow-down: {geometric_mean(slow):.2f} times (geometric mean of {len(slow)})"
    small = [row["problem"] for row in rows if row["free_mb"] is None or row["free_mb"] < needs]
    if small:
        yield f"need less than {needs:g} MB without a limit and say little: {'; '.join(small)}"


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0])
    _problems.add_argument(parser)
    parser.set_defaults(large=True)
    parser.add_argument("--limit", type=float, default=64, help="in MB")
    parser.add_argument("--needs", type=float, default=750, help="MB that problems should need")
    parser.add_argument("--exact-levels", type=int, default=1, choices=range(4))
    parser.add_argument("--time", type=float, default=7200.0, help="seconds for each run")
    parser.add_argument("--repeats", type=int, default=1, help="the medians are shown")
    parser.add_argument("--n-jobs", type=int, help="threads of each search")
    options = parsed(parser, argv, QUICK)
    jobs_of = {} if options.n_jobs is None else {"n_jobs": options.n_jobs}
    core = options.core if options.n_jobs is None else "all"
    runner = Runner(options.time, options.repeats, core)
    chosen = problems(options)
    table = Table(
        "problem", "optimum", "no limit MB", f"{options.limit:g} MB: MB", "no limit s",
        f"{options.limit:g} MB: s", "slow-down", widest=max(len(p.name) for p in chosen),
    )  # fmt: skip
    rows, said = [], []
    for problem in chosen:
        settings = problem.options | jobs_of
        limited = settings | {"memory_limit": f"{options.limit:g}MB"}
        jobs = [Job("free", "beamtree", settings), Job("limited", "beamtree", limited)]
        found = runner.compare(jobs, problem.data, problem.depth)
        free, limited = found["free"], found["limited"]
        grown = {"free_mb": growth(free), "limited_mb": growth(limited)}
        table.row(
            problem.name, "-" if free.found is None else f"{free.found:g}",
            *("-" if value is None else f"{value:.1f}" for value in grown.values()),
            seconds(free), seconds(limited), ratio_cell(free, limited, 2),
        )  # fmt: skip
        said += [f"{problem.name}: {fault}" for fault in faults(free, limited, options.limit)]
        about = {"problem": problem.name, **problem.data.shape, "options": settings} | grown
        about |= {"slow_down": ratio(free, limited)}
        rows.append(about | {"runs": {name: m.as_json() for name, m in found.items()}})
    lines = [*summaries(rows, options.limit, options.needs)]
    return conclude(options, {"limit_mb": options.limit, "rows": rows}, lines, said)


if __name__ == "__main__":
    sys.exit(main())

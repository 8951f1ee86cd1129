"""Memory limits that hold: searches that need about 1 GB, with 64 MB.

    python benchmarks/memory.py --limit 64 --out memory.json

Growth is the largest resident size of a fresh process, less what it had at the
entry to ``fit``; the limit and a tenth of it are allowed, and the optimum has
to be the same. The slow-down is the time to the proof as a multiple of that
without a limit. Few exact levels and a plain order of the features make many
cache entries a second: about 1 GB in minutes. All run on one core. MB are 10^6 bytes.
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
"""Times the limit that a process may grow by."""
PLAIN = {"rule": None, "heuristic": "given"}
QUICK = {"needs": 90, "large": False}


def problems(options):
    """Those that ``--problems`` names, or the generated ones."""
    plain = PLAIN | {"exact_levels": options.exact_levels}
    if options.problems:
        return [Problem(p.data, p.depth, plain) for p in _problems.proofs(options)]
    # Without a limit: 809 MB, 150 s; and 101 MB, 20 to 30 s.
    rows, features, depth = (400, 260, 4) if options.large else (800, 25, 8)
    return [Problem(_data.correlated(rows, features, noise=0.4), depth, plain)]


def growth(measured):
    """MB by which the process grew, the median of its runs; None if there are none."""
    return median(run["growth_bytes"] for run in measured.runs) / MB if measured.runs else None


def faults(free, limited, limit):
    """What the searches did wrong.

    Parameters
    ----------
    free, limited : Measured
        Without and with the limit.
    limit : float
        In MB.
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
    """The worst growth, the mean slow-down, and problems that are too small to say anything."""
    grown = [(row["limited_mb"], row["problem"]) for row in rows if row["limited_mb"] is not None]
    if grown:
        largest, where = max(grown)
        yield f"largest growth: {largest:.1f} MB, {largest / limit:.2f} of the limit ({where})"
    slow = [row["slow_down"] for row in rows if row["slow_down"]]
    if slow:
        yield f"slow-down: {geometric_mean(slow):.2f} times (geometric mean of {len(slow)})"
    small = [row["problem"] for row in rows if row["free_mb"] is None or row["free_mb"] < needs]
    if small:
        yield f"need less than {needs:g} MB without a limit, and say little: {'; '.join(small)}"


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0])
    _problems.add_argument(parser)
    parser.set_defaults(large=True)
    parser.add_argument("--limit", type=float, default=64, help="MB")
    parser.add_argument("--needs", type=float, default=750, help="MB that problems should need")
    parser.add_argument("--exact-levels", type=int, default=1, choices=range(4))
    parser.add_argument("--time", type=float, default=7200.0, help="seconds for each run")
    parser.add_argument("--repeats", type=int, default=1, help="the median is shown")
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

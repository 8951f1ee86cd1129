"""Measure threads: the proof on several cores, and several fits at once in one process.

    python benchmarks/threads.py --data DIR --out threads.json

1. The time to the proof with two threads and with one: two threads must find the same optimum and
   be at least 1.7 times faster, as a geometric mean over the problems that take one thread more
   than 2 s.
2. Two fits at once in two Python threads of one process: they may not be slower than two fits in
   two processes, which share the memory, and perhaps a core, as well.
"""

import statistics
import sys

import _problems
from _control import Child, arguments, conclude, parsed
from _report import (
    Table,
    disagreements,
    geometric_mean,
    optimum,
    ratio,
    ratio_cell,
    seconds,
)
from _runner import ALL, Job, Runner, stored

from beamtree.study._cores import allowed_cores

ASKED = 1.7
MOST = 1.15
"""Two fits in one process may take this multiple of the time of two processes."""
QUICK = {"repeats": 1, "limit": 30.0}


def mean_line(speeds, jobs, least):
    """Return a line with the mean speed-up, and the fault if it is too small, else None."""
    if not speeds:
        return f"no problem took one thread over {least:g} s", None
    mean = geometric_mean([speed for speed, _ in speeds])
    smallest, where = min(speeds)
    line = (
        f"{jobs} threads: {mean:.2f} times faster (geometric mean of {len(speeds)} problems that "
        f"take one thread over {least:g} s; smallest {smallest:.2f}, {where}); {ASKED} is required"
    )
    return line, None if mean >= ASKED else f"{jobs} threads: {mean:.2f} is less than {ASKED}"


def speed_faults(where, found, one, many):
    """Yield the faults of the searches with one and with several threads."""
    yield from disagreements(where, found)
    for m in (found[one], found[many]):
        if m.runs and not m.optimal:
            yield f"{where}: {m.solver}: not proved within {m.limit:g} s"
    if found[one].optimal and found[many].optimal and found[one].found != found[many].found:
        yield f"{where}: {found[one].found:g} with one thread, {found[many].found:g} with more"


def at_once(problem, options, *, processes, fits):
    """Start several processes with several fits each at the same time; return their answers."""
    with stored(problem.data) as folder:
        settings = problem.settings | {"time_limit": options.limit}
        children = [
            Child("together", folder, fits=fits, options=settings) for _ in range(processes)
        ]
        for child in children:
            child.wait_until_ready()
        for child in children:
            child.go()
        return [child.answer(3 * options.limit + 60) for child in children]


def slowest(answers):
    """Return the seconds until all were done, or None if one failed."""
    if any("failure" in answer for answer in answers):
        return None
    return max(answer["seconds"] for answer in answers)


def together(problem, options):
    """Return the seconds of one fit alone, of two processes and of two threads, and the faults."""
    ways = {
        "alone": {"processes": 1, "fits": 1},
        "processes": {"processes": 2, "fits": 1},
        "threads": {"processes": 1, "fits": 2},
    }
    took, said = {way: [] for way in ways}, []
    for _ in range(options.repeats):
        for way, counts in ways.items():
            answers = at_once(problem, options, **counts)
            said += [f"{way}: {one['failure']}" for one in answers if "failure" in one]
            accounts = [a for answer in answers for a in answer.get("accounts", ())]
            said += [
                f"{way}: {a['objective']:g}, its tree costs {a['recounted']:g}"
                for a in accounts
                if a["objective"] != a["recounted"]
            ]
            if (late := slowest(answers)) is not None:
                took[way].append(late)
    middle = {way: statistics.median(values) if values else None for way, values in took.items()}
    return middle, [*said, *together_faults(middle, len(allowed_cores()))]


def together_faults(took, count):
    """Yield a fault if two fits in one process are slower than in two processes."""
    if None in took.values():
        return
    fair = max(took["processes"], took["alone"] * max(1.0, 2 / count))
    if took["threads"] > MOST * fair:
        yield (
            f"two fits in Python threads take {took['threads']:.2f} s, {took['alone']:.2f} alone "
            f"and {took['processes']:.2f} in two processes; {MOST} times that are allowed"
        )


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0])
    _problems.add_argument(parser)
    parser.add_argument("--n-jobs", type=int, default=2, help="threads")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for each run")
    parser.add_argument("--least", type=float, default=2.0, help="seconds of problems that count")
    parser.add_argument("--repeats", type=int, default=3, help="medians are compared")
    options = parsed(parser, argv, QUICK)
    one, many = "1 thread", f"{options.n_jobs} threads"
    jobs = [Job(one, "beamtree", {"n_jobs": 1}), Job(many, "beamtree", {"n_jobs": options.n_jobs})]
    runner = Runner(options.limit, options.repeats, ALL)
    problems = _problems.proofs(options)
    table = Table(
        "problem", "optimum", f"{one} s", f"{many} s", "faster", "alone s", "two processes",
        "two fits", widest=max(len(problem.name) for problem in problems),
    )  # fmt: skip
    rows, said, speeds = [], [], []
    for problem in problems:
        found = runner.compare(jobs, problem.data, problem.depth)
        said += speed_faults(problem.name, found, one, many)
        faster, long = ratio(found[many], found[one]), found[one].seconds or 0.0
        took, faulty = {}, []
        if long > options.least:
            took, faulty = together(problem, options)
            speeds += [(faster, problem.name)] if faster else []
        said += [f"{problem.name}: {fault}" for fault in faulty]
        shares = [
            f"{took[way] / took['alone']:.2f}" if took.get(way) and took.get("alone") else "-"
            for way in ("processes", "threads")
        ]
        alone = f"{took['alone']:.2f}" if took.get("alone") else "-"
        table.row(
            problem.name, optimum(found), *map(seconds, found.values()),
            ratio_cell(found[many], found[one], 2), alone, *shares,
        )  # fmt: skip
        about = {"problem": problem.name, **problem.data.shape, "faster": faster, "at_once": took}
        rows.append(about | {"runs": {name: m.as_json() for name, m in found.items()}})
    line, fault = mean_line(speeds, options.n_jobs, options.least)
    count = len(allowed_cores())
    if fault and count >= options.n_jobs:
        said.append(fault)
    lines = [line, f"{count} cores; two processes and two fits: as multiples of one fit alone"]
    return conclude(options, {"rows": rows, "asked": ASKED}, lines, said)


if __name__ == "__main__":
    sys.exit(main())

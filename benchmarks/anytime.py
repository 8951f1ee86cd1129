"""Compare the errors over time of beamtree, its peers and a greedy tree, on one core.

    python benchmarks/anytime.py --depths 6 7 --data DIR --limit 30 --json anytime.json

Each run has its own process. Seconds are counted from the call of ``fit`` with NumPy arrays and
include the checks of the input; imports and a first fit of four rows come before. Every solver runs
once, until it is done or the limit ends it. Its improvements are those that it reports itself: our
``trace_``, the callback of pytrees after each pass, the lines that pystreed prints. Last trees are
rescored with ``predict``. If one makes more errors than its solver had reported, all errors of that
solver are marked with *, and none is shown below those of the tree. Only in the comparison with the
best peer at the end, the report of the peer counts, so that this comparison is not in our favour.
"""

import sys
from statistics import mean, median

from _report import Table, disagreements, environment, write_json
from _runner import Job, Runner
from _solvers import installed
from _trace import (
    contradicted,
    contradictions,
    error_at,
    first_tree,
    reported,
    share_at,
)
from proof_time import arguments, chosen_data, data_arguments

from beamtree.metrics import primal_gap

TIMES = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
EARLY = 0.3
OPTIONS = {"greedy": {"criterion": "entropy"}}


class Problem:
    """A dataset at a depth, and the errors of each solver at each time."""

    def __init__(self, data, depth, measured, times):
        self.data, self.depth, self.measured = data, depth, measured
        self.name = f"{data.name}, depth {depth}"
        self.errors = {name: [error_at(m, t) for t in times] for name, m in measured.items()}
        ours = measured["beamtree"]
        self.shares = [share_at(ours, t) for t in times]
        self.proved = ours.seconds if ours.optimal and ours.seconds <= ours.limit else None
        self.best = min((m.found for m in measured.values() if m.runs), default=None)
        self.best_peer = min(
            (reported(run) for name, m in measured.items() if name != "beamtree" for run in m.runs),
            default=None,
        )

    def gaps(self, name):
        """Return the primal gap of a solver at each time, to the best errors of all solvers."""
        return [primal_gap(error, self.best) for error in self.errors[name]]

    def as_json(self):
        return {"dataset": self.data.name, "depth": self.depth, **self.data.shape} | {
            "errors": self.errors,
            "bound_share": self.shares,
            "proved": self.proved,
            "solvers": {name: m.as_json() for name, m in self.measured.items()},
        }


def cells(problem, index):
    """Return the errors of all solvers at one time, ours first, without the greedy tree."""
    shown = []
    for name, errors in problem.errors.items():
        mark = "*" if contradicted(problem.measured[name]) else ""
        if name != "greedy":
            shown.append("-" if errors[index] is None else f"{errors[index]:g}{mark}")
    return " / ".join(shown)


def row(problem, times):
    """Return the table's row for a problem."""
    greedy = problem.measured.get("greedy")
    proved = "-" if problem.proved is None else f"{problem.proved:.2f}"
    share = "-" if problem.shares[-1] is None else f"{problem.shares[-1]:.0%}"
    columns = [cells(problem, index) for index in range(len(times))]
    return [problem.data.name, problem.depth, *columns, greedy_cell(greedy), share, proved]


def greedy_cell(measured):
    return f"{measured.found:g}" if measured is not None and measured.runs else "-"


def not_above(problems, index):
    """Return the problems on which our errors at a time are at most the best peer's at the end."""
    return [
        problem
        for problem in problems
        if problem.errors["beamtree"][index] is not None
        and problem.errors["beamtree"][index] <= problem.best_peer
    ]


def over_time(problems, times, peers):
    """Print the second table: mean primal gaps, and how often we are not above the best peer."""
    names = ["beamtree", *peers]
    table = Table("after", *(f"{name} gap" for name in names), "bound", "not above")
    for index, t in enumerate(times):
        gaps = [f"{mean(p.gaps(name)[index] for p in problems):.4f}" for name in names]
        shares = [p.shares[index] for p in problems if p.shares[index] is not None]
        compared = [p for p in problems if p.best_peer is not None]
        count = f"{len(not_above(compared, index))}/{len(compared)}"
        table.row(f"{t:g} s", *gaps, f"{mean(shares):.0%}" if shares else "-", count)


def early_line(problems, times, limit):
    """Return a line with the share of problems on which we are early as good as the best peer."""
    compared = [p for p in problems if p.best_peer is not None]
    if EARLY not in times or not compared:
        return None
    index = times.index(EARLY)
    good = not_above(compared, index)
    above = [
        f"{p.name} ({p.errors['beamtree'][index]:g}, best peer {p.best_peer:g})"
        for p in compared
        if p not in good
    ]
    return (
        f"after {EARLY:g} s beamtree is not above the best peer after {limit:g} s on "
        f"{len(good)} of {len(compared)} problems ({len(good) / len(compared):.0%})"
        + (f"; above: {', '.join(above)}" if above else "")
    )


def proof_line(problems, depth, limit):
    """Return a line with the number of proofs at a depth, and the bounds of the others."""
    here = [problem for problem in problems if problem.depth == depth]
    times = [problem.proved for problem in here if problem.proved is not None]
    line = f"depth {depth}: {len(times)} of {len(here)} proved within {limit:g} s"
    if times:
        line += f", median {median(times):.2f} s, longest {max(times):.1f} s"
    missing = [
        f"{p.data.name} ({p.shares[-1]:.0%} of {p.errors['beamtree'][-1]:g})"
        for p in here
        if p.proved is None and p.shares[-1] is not None
    ]
    return line + (f"; bounds of the others: {', '.join(missing)}" if missing else "")


def peer_line(problems, name):
    """Return a line with the number of proofs that a peer claims."""
    proved = sum(problem.measured[name].optimal for problem in problems)
    return f"{name} claims to have proved {proved} of {len(problems)}"


def summaries(problems, times, peers, options):
    """Return the lines under the tables."""
    lines = [early_line(problems, times, options.limit)]
    lines += [proof_line(problems, depth, options.limit) for depth in options.depths]
    lines += [peer_line(problems, name) for name in peers if name != "greedy"]
    ours = [(p.measured["beamtree"], p.name) for p in problems]
    first = [(first_tree(measured), name) for measured, name in ours if measured.runs]
    if first:
        late, where = max(first)
        lines.append(f"first tree after {late * 1000:.0f} ms or less (longest: {where})")
    return [line for line in lines if line]


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[6, 7], limit=30.0)
    data_arguments(parser)
    usual = [name for name in ("pytrees", "pystreed", "greedy") if installed(name)]
    parser.set_defaults(repeats=1, peers=usual)
    parser.add_argument("--times", type=float, nargs="+", default=TIMES)
    options = parser.parse_args(argv)
    times = sorted({t for t in options.times if t <= options.limit} | {options.limit})
    datasets = chosen_data(options)
    names = ["beamtree", *options.peers]
    jobs = [Job(name, options=OPTIONS.get(name, {}), trace=True) for name in names]
    runner = Runner(options.limit, options.repeats, options.core)
    about = environment(names)

    print("errors after each time: " + " / ".join(n for n in names if n != "greedy") + "\n")
    wide = 7 * len(jobs) - 7 * ("greedy" in names)  # errors of four digits and a slash
    table = Table(
        "dataset", "depth", *(f"{t:g} s".rjust(wide) for t in times), "greedy", "bound", "proved s",
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    problems, said = [], []
    content = {"environment": about, "limit": options.limit, "times": times, "problems": []}
    for depth in options.depths:
        for data in datasets:
            measured = runner.compare(jobs, data, depth)
            problem = Problem(data, depth, measured, times)
            table.row(*row(problem, times))
            said += disagreements(problem.name, measured)
            said += [line for m in measured.values() for line in contradictions(problem.name, m)]
            problems.append(problem)
            content["problems"].append(problem.as_json())
            write_json(
                options.json, content
            )  # so that these results are kept if the rest is stopped
    print()
    over_time(problems, times, options.peers)
    print()
    lines = summaries(problems, times, options.peers, options)
    for line in [*lines, *(said or ["no disagreements"])]:
        print(line)
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    write_json(options.json, content | {"summaries": lines, "disagreements": said})


if __name__ == "__main__":
    sys.exit(main())

"""Time limits that hold: by how much searches overshoot, and whether their trees are any good.

    python benchmarks/limits.py --data DIR --out limits.json

The widest and the longest data of the folder and of what is generated. A limit
counts from the entry to ``fit``; what comes after the limit, or after
validation and packing where these alone take longer, is overshoot: at most
20 ms and 2% of the limit are allowed. Every run has to give a tree that makes
the errors it claims, and that is not worse than the one without any time, nor
than the oracle's greedy trees where the data are small enough for it.
"""

import sys
from pathlib import Path

import _data
from _control import arguments, conclude, parsed
from _report import Table
from _runner import Job, Runner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the oracle
from tests.oracle import greedy_objective

LIMITS = [0, 1, 10, 100, 1000]
QUICK = {"limits": [0, 10, 100], "depths": [3, 10], "rows": 100_000, "features": 1_000}
SMALL = 40_000
"""Cells of data that the oracle is asked about; it is slow."""


def allowed(limit):
    """Seconds that a search may take after its limit."""
    return 0.020 + 0.02 * limit


def overshoot(run, limit):
    """Seconds after the limit, or after the preparations where they took longer."""
    return run["seconds"] - max(limit, run["preparation"])


def faults(run, limit, reference, slack=1e-9):
    """What a run did wrong.

    Parameters
    ----------
    run : dict
        As the worker measured it.
    limit : float
        Seconds it was given.
    reference : dict
        Objectives that its own may not exceed, by name.
    slack : float
        Relative, for objectives that are no integers.
    """
    late, most = overshoot(run, limit), allowed(limit)
    if late > most:
        yield f"overshoots by {late * 1e3:.1f} ms, {most * 1e3:.1f} are allowed"
    if run["errors"] != run["wrong"]:
        yield f"claims {run['errors']} errors, its tree makes {run['wrong']}"
    if run["lower"] > run["objective"] * (1 + slack):
        yield f"claims at least {run['lower']:g}, its tree has {run['objective']:g}"
    for name, objective in reference.items():
        if run["objective"] > objective * (1 + slack):
            yield f"{run['objective']:g} is worse than {name}: {objective:g}"


def datasets(options):
    """The widest and the longest data, and small data for the oracle."""
    found = _data.from_folder(options.data) if options.data else []
    chosen = {}
    if found:
        widest = max(found, key=lambda data: data.X.shape[1])
        longest = max(found, key=lambda data: len(data.y))
        chosen = {data.name: data for data in (widest, longest)}
    generated = [
        _data.correlated(300, 25),
        _data.correlated(3_000, options.features),
        _data.correlated(options.rows, 20),
    ]
    return [*chosen.values(), *generated]


def oracle(data, depth):
    """The better of the oracle's greedy trees; None where it would take too long."""
    if data.X.size > SMALL:
        return None
    rows, labels, ones = data.X.tolist(), data.y.tolist(), [1] * len(data.y)
    classes = data.shape["classes"]
    return min(
        float(greedy_objective(rows, labels, ones, classes, depth, criterion=criterion))
        for criterion in ("entropy", "gini")
    )


def measure(data, depth, options):
    """The runs at a depth by limit in ms, and what they did wrong."""
    greedy, job, runs, said = oracle(data, depth), Job("beamtree", options=options.settings), {}, []
    reference = {} if greedy is None else {"greedy": greedy}
    for limit in options.limits:
        runs[limit] = []
        for _ in range(options.repeats):
            measured = Runner(limit / 1e3, 1, options.core).compare([job], data, depth)["beamtree"]
            where = f"{data.name}, depth {depth}, {limit:g} ms"
            if measured.failure:
                said.append(f"{where}: {measured.failure}")
                continue
            [run] = measured.runs
            said += [f"{where}: {fault}" for fault in faults(run, limit / 1e3, reference)]
            runs[limit].append(run)
            if limit == 0:
                reference["no time"] = run["objective"]
    return {"greedy": greedy, "runs": runs}, said


def worst(rows):
    """The largest overshoot: seconds, as a share of what is allowed, and where."""
    every = [
        (overshoot(run, limit / 1e3), limit, f"{row['dataset']}, depth {row['depth']}")
        for row in rows
        for limit, runs in row["runs"].items()
        for run in runs
    ]
    if not every:
        return "no run ended"
    late, limit, where = max(every)
    share = late / allowed(limit / 1e3)
    return f"worst overshoot: {late * 1e3:.1f} ms, {share:.2f} of the allowed ({where}, {limit} ms)"


def cells(row, limits):
    """A row of the table."""
    runs = [run for at in row["runs"].values() for run in at]
    preparation = max((run["preparation"] for run in runs), default=float("nan"))
    late = [
        f"{max(overshoot(run, limit / 1e3) for run in row['runs'][limit]) * 1e3:.1f}"
        if row["runs"][limit]
        else "failed"
        for limit in limits
    ]
    found = [
        min((run["objective"] for run in row["runs"][limit]), default=None) for limit in limits
    ]
    shown = ["-" if value is None else f"{value:g}" for value in (row["greedy"], *found)]
    return [f"{preparation * 1e3:.0f}", *late, *(shown[i] for i in (0, 1, -1))]


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--depths", type=int, nargs="+", default=[*range(3, 11)])
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS, help="ms; 0 is always one")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the long data, 20 features")
    parser.add_argument("--features", type=int, default=5_000, help="of the wide data, 3,000 rows")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these datasets alone")
    parser.add_argument("--n-jobs", type=int, help="threads of each search")
    parser.add_argument("--repeats", type=int, default=1, help="the worst is shown")
    options = parsed(parser, argv, QUICK)
    options.limits = sorted({0, *options.limits})
    options.settings = {} if options.n_jobs is None else {"n_jobs": options.n_jobs}
    if options.n_jobs is not None:
        options.core = "all"
    table = Table(
        "dataset", "depth", "preparation ms", *(f"late at {limit} ms" for limit in options.limits),
        "greedy", "at 0 ms", f"at {options.limits[-1]} ms", widest=20,
    )  # fmt: skip
    rows, said = [], []
    for data in datasets(options):
        if options.only and data.name not in options.only:
            continue
        for depth in options.depths:
            measured, faulty = measure(data, depth, options)
            row = {"dataset": data.name, "depth": depth, **data.shape} | measured
            table.row(data.name, depth, *cells(row, options.limits))
            rows.append(row)
            said += faulty
    return conclude(options, {"limits_ms": options.limits, "rows": rows}, [worst(rows)], said)


if __name__ == "__main__":
    sys.exit(main())

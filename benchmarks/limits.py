"""Check that time limits hold: measure by how much searches overshoot, and check their trees.

    python benchmarks/limits.py --data DIR --out limits.json

The data are generated, and the widest and the longest datasets of the folder. A limit is counted
from the call of ``fit``. The overshoot is the time after the limit, or after validation and packing
if these alone take longer than the limit; at most 20 ms plus 2% of the limit are allowed. The tree
of every run must make the errors that are claimed. It must not be worse than the tree of a run
without any time, nor, if the data are small enough, than the oracle's greedy trees.
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
"""Largest number of cells of a table for which the oracle, which is slow, is asked."""


def allowed(limit):
    """Return the seconds that a search may take after its limit."""
    return 0.020 + 0.02 * limit


def overshoot(run, limit):
    """Return the seconds after the limit, or after the preparation if that took longer."""
    return run["seconds"] - max(limit, run["preparation"])


def faults(run, limit, reference, slack=1e-9):
    """Yield the faults of a run.

    Parameters
    ----------
    run : dict
        The measurements of the worker.
    limit : float
        The time limit in seconds.
    reference : dict
        Objectives that the run's objective must not exceed, by name.
    slack : float
        Relative tolerance, for objectives that are not integers.
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
    """Return the widest and the longest data, and small data for the oracle."""
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
    """Return the better objective of the oracle's greedy trees, or None if the data are large."""
    if data.X.size > SMALL:
        return None
    rows, labels, ones = data.X.tolist(), data.y.tolist(), [1] * len(data.y)
    classes = data.shape["classes"]
    return min(
        float(greedy_objective(rows, labels, ones, classes, depth, criterion=criterion))
        for criterion in ("entropy", "gini")
    )


def measure(data, depth, options):
    """Return the runs at a depth by their limit in ms, and their faults."""
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
    """Return a line with the largest overshoot, its share of the allowed one, and its problem."""
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
    """Return the cells of a row of the table, after the dataset and the depth."""
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
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS, help="in ms; 0 is added")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of data with 20 features")
    parser.add_argument("--features", type=int, default=5_000, help="of data with 3,000 rows")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--n-jobs", type=int, help="threads of each search")
    parser.add_argument("--repeats", type=int, default=1, help="the worst run is shown")
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

"""Measure how fast the lower bound rises, with probing and without, as a share of the objective.

    python benchmarks/gap.py --depths 6 7 8 --data DIR --limit 60

Probing runs passes with a small target, which only raise the lower bound. Only problems that the
default has not proved after 3 s are shown. Each variant runs once; a proof gives the share 1.
"""

from statistics import mean

from _report import Table, environment, geometric_mean, ratio, ratio_cell, seconds, write_json
from _runner import Job, Runner
from _trace import error_at, share_at
from proof_time import arguments, chosen_data, data_arguments

TIMES = [3.0, 10.0, 30.0, 60.0]
PROBING = Job("probing", solver="engine", options={"rule": "auto"}, trace=True)
WITHOUT = Job("without", solver="engine", options={"rule": "auto", "probe": False}, trace=True)


def easy(measured, least):
    """Return whether the problem was proved before a time, or failed."""
    return not measured.runs or (measured.optimal and measured.seconds <= least)


def measure(runner, data, depth, least):
    """Run both variants on one problem; return None if the default proves it too soon."""
    probing = runner.compare([PROBING], data, depth)
    if easy(probing[PROBING.name], least):
        return None
    return probing | runner.compare([WITHOUT], data, depth)


def cell(measured, seconds):
    """Return the bound as a share of the objective at a time, as text."""
    share = share_at(measured, seconds)
    return "-" if share is None else f"{share:.2f}"


def mean_shares(rows, job, times):
    """Return the mean share of a variant at each time."""
    return [mean(row["shares"][job.name][index] for row in rows) for index in range(len(times))]


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[6, 7, 8])
    data_arguments(parser)
    parser.set_defaults(repeats=1)
    parser.add_argument("--times", type=float, nargs="+", default=TIMES)
    options = parser.parse_args(argv)
    times = sorted(t for t in options.times if t <= options.limit)
    datasets = chosen_data(options)
    runner = Runner(options.limit, options.repeats, options.core)
    jobs = (PROBING, WITHOUT)
    table = Table(
        "dataset", "depth", "error", *(f"{job.name} {t:g} s" for job in jobs for t in times),
        *(f"{job.name} s" for job in jobs), "ratio",
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows, ratios = [], []
    for depth in options.depths:
        for data in datasets:
            found = measure(runner, data, depth, times[0])
            if found is None or not all(m.runs for m in found.values()):
                continue
            error = min(error_at(m, options.limit) for m in found.values())
            shares = {name: [share_at(m, t) for t in times] for name, m in found.items()}
            pair = [found[job.name] for job in jobs]
            ratios.append(ratio(*pair))
            table.row(
                data.name, depth, f"{error:g}", *(cell(m, t) for m in pair for t in times),
                *map(seconds, pair), ratio_cell(*pair, 2),
            )  # fmt: skip
            solvers = {name: m.as_json() for name, m in found.items()}
            about = {"dataset": data.name, "depth": depth, **data.shape, "error": error}
            rows.append(about | {"shares": shares, "ratio": ratios[-1], "solvers": solvers})
            write_json(options.json, {"times": times, "problems": rows})
    lines = list(conclusions(rows, jobs, times))
    print("", *lines, sep="\n")
    content = {"environment": environment(["engine"]), "limit": options.limit, "times": times}
    write_json(options.json, content | {"problems": rows, "summaries": lines})


def conclusions(rows, jobs, times):
    """Yield the lines with the means, under the table."""
    if not rows:
        yield f"all were proved within {times[0]:g} s"
        return
    yield f"bound / objective, mean of {len(rows)} problems unproved after {times[0]:g} s"
    for job in jobs:
        means = zip(times, mean_shares(rows, job, times), strict=True)
        yield f"{job.name}: " + ", ".join(f"{share:.3f} at {t:g} s" for t, share in means)
    known = [row["ratio"] for row in rows if row["ratio"]]
    if known:
        yield (
            f"without probing the proof takes {geometric_mean(known):.2f} times as long "
            f"(geometric mean of the {len(known)} problems that one of the two proved)"
        )


if __name__ == "__main__":
    main()

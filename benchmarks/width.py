"""Compare the default with plain discrepancies by information gain, on wide data.

    python benchmarks/width.py --features 255 1000

The data are DNA-like sequences and thresholds of correlated numbers, with 3,000 rows each, from
fixed seeds. In the last columns, a value below 1 means that the default has fewer errors.
"""

from statistics import mean

import _data
from _report import Table, environment, write_json
from _runner import Job, Runner
from _trace import error_at
from proof_time import arguments

TIMES = [0.1, 3.0]
KINDS = {"sequences": _data.sequences, "correlated": _data.correlated}
PLAIN = {"rule": "discrepancy", "heuristic": "information_gain"}
JOBS = [
    Job("default", solver="beamtree", trace=True),
    Job("plain", solver="beamtree", options=PLAIN, trace=True),
]


def error_ratio(ours, theirs):
    """Return our errors divided by theirs; None if one has no tree, or both are 0."""
    if ours is None or theirs is None or ours == theirs == 0:
        return None
    return ours / theirs if theirs else float("inf")


def generated(options):
    """Return the data of every kind and width, from every seed."""
    return [
        make(options.rows, m, seed=seed, name=f"{kind} {m}, seed {seed}")
        for m in options.features
        for kind, make in KINDS.items()
        for seed in range(1, options.seeds + 1)
    ]


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[7], limit=max(TIMES))
    parser.set_defaults(repeats=1)
    parser.add_argument("--features", type=int, nargs="+", default=[255, 1000])
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=3, help="datasets of each kind and width")
    parser.add_argument("--times", type=float, nargs="+", default=TIMES)
    options = parser.parse_args(argv)
    times = [t for t in options.times if t <= options.limit]
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table(
        "dataset", "depth", *(f"{job.name} {t:g} s" for t in times for job in JOBS),
        *(f"ratio {t:g} s" for t in times), widest=24,
    )  # fmt: skip
    rows = []
    for depth in options.depths:
        for data in generated(options):
            found = runner.compare(JOBS, data, depth)
            errors = {t: [error_at(found[job.name], t) for job in JOBS] for t in times}
            ratios = {t: error_ratio(*errors[t]) for t in times}
            cells = ["-" if e is None else f"{e:g}" for t in times for e in errors[t]]
            shown = ["-" if ratios[t] is None else f"{ratios[t]:.2f}" for t in times]
            table.row(data.name, depth, *cells, *shown)
            about = {"dataset": data.name, "depth": depth, **data.shape}
            solvers = {name: m.as_json() for name, m in found.items()}
            rows.append(about | {"errors": errors, "ratios": ratios, "solvers": solvers})
    print()
    lines = [line for m in options.features for line in means(rows, times, m)]
    for line in lines:
        print(line)
    content = {"environment": environment(["beamtree"]), "problems": rows, "summaries": lines}
    write_json(options.json, content)


def means(rows, times, features):
    """Yield a line per time with the mean ratio at a width."""
    for t in times:
        ratios = [r["ratios"][t] for r in rows if r["features"] == features and r["ratios"][t]]
        if ratios:
            yield (
                f"{features} features after {t:g} s: the error is {mean(ratios):.2f} times that of "
                f"information gain with discrepancies (largest {max(ratios):.2f})"
            )


if __name__ == "__main__":
    main()

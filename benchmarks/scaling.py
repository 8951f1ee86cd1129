"""Measure time and memory as the numbers of rows and features grow.

    python benchmarks/scaling.py --peers pystreed --limit 120

The data are thresholds of correlated numbers with noisy labels, from a fixed seed. A peer that did
not finish a size is not run on larger ones.
"""

import sys

import _data
from _report import (
    Table,
    compared,
    disagreements,
    environment,
    megabytes,
    optimum,
    ratio,
    ratio_cell,
    seconds,
    summary,
    write_json,
)
from _runner import Job, Measured, Runner
from proof_time import arguments

ROWS = [1_000, 10_000, 100_000, 1_000_000]
FEATURES = [20, 50, 100, 200, 400]


def series(title, sizes, make, depth, options, said, pairs):
    """Print one table: the sizes of a series at one depth."""
    print(f"\n{title}, depth {depth}\n")
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table(
        "size", "optimum", "beamtree s", "growth", *(f"{peer} s" for peer in options.peers),
        *(f"x {peer}" for peer in options.peers), "beamtree MB",
        *(f"{peer} MB" for peer in options.peers), widest=14,
    )  # fmt: skip
    asked, last, rows = ["beamtree", *options.peers], None, []
    for size in sizes:
        data = make(size)
        found = runner.compare([Job(name) for name in asked], data, depth)
        asked = [name for name in asked if name == "beamtree" or found[name].optimal]
        every = found | {p: Measured(p, options.limit) for p in options.peers if p not in found}
        ours, theirs = every["beamtree"], [every[peer] for peer in options.peers]
        growth = ours.seconds / last if last and ours.optimal else None
        last = ours.seconds if ours.optimal else None
        table.row(
            data.name, optimum(found), seconds(ours), f"{growth:.1f}" if growth else "-",
            *map(seconds, theirs), *(ratio_cell(ours, peer) for peer in theirs),
            *map(megabytes, [ours, *theirs]),
        )  # fmt: skip
        where = f"{data.name}, depth {depth}"
        said += disagreements(where, found)
        pairs += [(peer, where, ours, every[peer]) for peer in options.peers]
        rows.append(
            {"size": size, "depth": depth, **data.shape, "optimum": optimum(found)}
            | {"growth": growth, "solvers": {name: m.as_json() for name, m in found.items()}}
            | {"ratios": {peer: ratio(ours, every[peer]) for peer in options.peers}}
        )
    return {"title": title, "depth": depth, "rows": rows}


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[3, 4], limit=120.0)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS, help="with 50 features")
    parser.add_argument("--features", type=int, nargs="*", default=FEATURES)
    parser.add_argument("--rows-of-features", type=int, default=3000, metavar="N")
    options = parser.parse_args(argv)
    tables, said, pairs = [], [], []
    n = options.rows_of_features
    growing_rows = ("rows, 50 features", options.rows, lambda rows: _data.correlated(rows, 50))
    growing_features = (f"features, {n} rows", options.features, lambda m: _data.correlated(n, m))
    for depth in options.depths:
        for title, sizes, make in (growing_rows, growing_features):
            if sizes:
                tables.append(series(title, sizes, make, depth, options, said, pairs))
    print()
    comparisons = [
        compared(peer, [pair[1:] for pair in pairs if pair[0] == peer]) for peer in options.peers
    ]
    for line in [*map(summary, options.peers, comparisons), *(said or ["no disagreements"])]:
        print(line)
    about = environment(["beamtree", *options.peers])
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    content = {"environment": about, "series": tables, "comparisons": comparisons}
    write_json(options.json, content | {"disagreements": said})


if __name__ == "__main__":
    sys.exit(main())

"""Compare beamtree with peers on columns of numbers, over all thresholds, on one core.

    python benchmarks/thresholds.py --depths 2 3 --data DIR

Seconds are those of ``fit`` on a matrix of float64, sorting included. Without ``--data`` the data
are those of scikit-learn.

    python benchmarks/thresholds.py --anytime --depths 4 5 6 --data DIR

shows the errors over time instead: of the search over all thresholds, of the same search over at
most 32 thresholds per column, and of the trees with which the peers end after ``--limit`` seconds.

    python benchmarks/thresholds.py --rows 10000 100000 1000000

generates tables of 20 columns with these numbers of rows.
"""

import _data
from _report import Table, environment, write_json
from _runner import Job, Runner
from _solvers import installed
from _trace import error_at, first_tree, share_at
from proof_time import arguments, chosen, compare

TIMES = [0.3, 1.0, 3.0, 10.0]
BOUNDED = "32 per column"
FAST = 0.02


def compare_anytime(datasets, options):
    """Run the searches once each, and print their errors over time."""
    ours = Runner(max(TIMES), 1, options.core)
    peers = Runner(options.limit, 1, options.core)
    jobs = [
        Job("beamtree", "thresholds", trace=True),
        Job(BOUNDED, "thresholds", {"max_thresholds": 32}, trace=True),
    ]
    table = Table(
        "dataset", "depth", *(f"{t:g} s" for t in TIMES), "bound",
        *(f"{BOUNDED}, {t:g} s" for t in TIMES),
        *(f"{peer}, {options.limit:g} s" for peer in options.peers),
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows, worse = [], dict.fromkeys([BOUNDED, *options.peers], 0)
    for depth in options.depths:
        for data in datasets:
            found = ours.compare(jobs, data, depth)
            found |= peers.compare([Job(name) for name in options.peers], data, depth)
            errors = {job.name: [error_at(found[job.name], t) for t in TIMES] for job in jobs}
            errors |= {peer: [found[peer].found] for peer in options.peers}
            table.row(
                data.name, depth, *map(shown, errors["beamtree"]),
                f"{share_at(found['beamtree'], TIMES[-1]) or 0:.0%}",
                *map(shown, errors[BOUNDED]), *(shown(errors[peer][0]) for peer in options.peers),
            )  # fmt: skip
            worse[BOUNDED] += any(map(above, errors["beamtree"], errors[BOUNDED]))
            for peer in options.peers:
                worse[peer] += above(errors["beamtree"][TIMES.index(1.0)], errors[peer][0])
            rows.append({"dataset": data.name, "depth": depth, "errors": errors})
    print()
    print(f"at some time more errors than over {BOUNDED}: {worse[BOUNDED]} of {len(rows)}")
    for peer in options.peers:
        print(
            f"more errors after 1 s than {peer} after {options.limit:g} s: "
            f"{worse[peer]} of {len(rows)}"
        )
    about = environment(["beamtree", *options.peers])
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    write_json(options.json, {"environment": about, "times": TIMES, "problems": rows})


def compare_rows(options):
    """Print the seconds to the first tree and to the proof for tables of many rows."""
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table("rows", "depth", "first tree s", "s", "status", "errors", "bound", "MB", widest=9)
    rows = []
    for depth in options.depths:
        for count in options.rows:
            job = Job("beamtree", "thresholds", trace=True)
            found = runner.compare([job], _data.classification(count), depth)["beamtree"]
            last = found.runs[-1] if found.runs else {}
            table.row(
                count, depth, *((f"{first_tree(found):.2f}", f"{found.seconds:.2f}") if last else
                                (found.failure, "-")),
                last.get("status", "-"), shown(found.found), shown(last.get("lower")),
                shown(found.growth_mb and round(found.growth_mb)),
            )  # fmt: skip
            rows.append({"rows": count, "depth": depth} | found.as_json())
    write_json(options.json, {"environment": environment(["beamtree"]), "problems": rows})


def above(ours, theirs):
    """Return whether we make more errors; having no tree counts as more than any number."""
    return theirs is not None and (ours is None or ours > theirs)


def shown(errors):
    """Return a number for the table."""
    return "-" if errors is None else f"{errors:g}"


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[2, 3])
    parser.set_defaults(peers=["contree"] if installed("contree") else [])
    parser.add_argument("--data", metavar="DIR", help="numeric-*.txt*: class, then numbers")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--anytime", action="store_true", help="show the errors over time")
    parser.add_argument("--rows", type=int, nargs="+", help="numbers of rows to generate")
    options = parser.parse_args(argv)
    if options.rows:
        compare_rows(options)
        return
    datasets = chosen(_data.numbers(options.data), options)
    if options.anytime:
        compare_anytime(datasets, options)
        return
    jobs = [Job("beamtree", "thresholds"), *(Job(name) for name in options.peers)]
    compare(datasets, options, jobs, FAST)


if __name__ == "__main__":
    main()

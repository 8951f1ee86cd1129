"""Compare the time to the proof of beamtree and its peers, on one core.

    python benchmarks/proof_time.py --depths 4 5 --peers pystreed pytrees

Each solve has its own process; imports, loading the data and a first fit of four rows come before
the clock starts. Peak memory is what the solve adds to the process. Trees are rescored with
``predict``. Without ``--data`` the data are generated or ship with scikit-learn.

    new/bin/python benchmarks/proof_time.py --against old

compares two builds of beamtree instead: the one that is installed for this interpreter, and the one
in the environment ``old``.
"""

import argparse
import sys

import _builds
import _data
from _report import (
    FAST,
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
from _runner import Executable, Job, Runner
from _solvers import PEERS, SOLVERS, installed

REPEATS = 3


def arguments(description, depths, limit=60.0):
    """Return a parser with the options that the comparisons share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--depths", type=int, nargs="+", default=depths)
    parser.add_argument(
        "--peers",
        nargs="*",
        default=[peer for peer in ("pystreed", "pytrees") if installed(peer)],
        choices=PEERS,
        help="default: %(default)s, the usual ones that are installed",
    )
    parser.add_argument("--limit", type=float, default=limit, help="seconds for each solve")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="the median is reported")
    parser.add_argument("--core", type=int, default=None, help="the core to run on")
    parser.add_argument("--json", metavar="FILE", default=None)
    return parser


def data_arguments(parser):
    """Add the options that choose the datasets."""
    parser.add_argument("--data", metavar="DIR", help="*.txt or *.txt.gz: class, then 0/1 features")
    parser.add_argument(
        "--only", "--datasets", nargs="+", metavar="NAME", help="only these datasets"
    )


def chosen(datasets, options):
    """Return the datasets that ``--only`` names, or all."""
    kept = [data for data in datasets if not options.only or data.name in options.only]
    return kept or sys.exit(f"no such dataset among {[data.name for data in datasets]}")


def chosen_data(options):
    """Return the datasets of the folder ``--data``, or else those that need no download."""
    return chosen(_data.from_folder(options.data) if options.data else _data.shipped(), options)


def compare(datasets, options, jobs, fast=FAST):
    """Run all jobs; print the table, the means and all disagreements.

    Problems that a peer solves in less than `fast` seconds are left out of the means.
    """
    runner = Runner(options.limit, options.repeats, options.core)
    peers = [job.name for job in jobs[1:]]
    table = Table(
        "dataset", "rows", "features", "depth", "optimum", "beamtree s",
        *(f"{peer} s" for peer in peers), *(f"x {peer}" for peer in peers),
        "beamtree MB", *(f"{peer} MB" for peer in peers),
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows, said = [], []
    for depth in options.depths:
        for data in datasets:
            found = runner.compare(jobs, data, depth)
            ours, theirs = found["beamtree"], [found[peer] for peer in peers]
            table.row(
                data.name, data.shape["rows"], data.shape["features"], depth, optimum(found),
                *map(seconds, [ours, *theirs]), *(ratio_cell(ours, peer) for peer in theirs),
                *map(megabytes, [ours, *theirs]),
            )  # fmt: skip
            where = f"{data.name}, depth {depth}"
            said += disagreements(where, found)
            rows.append((where, data, depth, found))
    conclude(rows, peers, said, options, fast)


def conclude(rows, peers, said, options, fast):
    """Print the lines under the table, and write the JSON file."""
    print()
    summaries, comparisons = [], []
    for peer in peers:
        pairs = [(where, found["beamtree"], found[peer]) for where, _, _, found in rows]
        # An executable starts fast and prints its own seconds, so shorter times can be compared.
        least = fast if peer in SOLVERS else fast / 10
        comparisons.append(compared(peer, pairs, least))
        summaries.append(summary(peer, comparisons[-1], least))
    for line in [*summaries, *(said or ["no disagreements"])]:
        print(line)
    about = environment(["beamtree", *peers])
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    problems = [
        {"dataset": data.name, "depth": depth, **data.shape, "optimum": optimum(found)}
        | {
            "solvers": {name: m.as_json() for name, m in found.items()},
            "ratios": {peer: ratio(found["beamtree"], found[peer]) for peer in peers},
        }
        for _, data, depth, found in rows
    ]
    content = {"environment": about, "limit": options.limit, "repeats": options.repeats}
    content |= {"problems": problems, "comparisons": comparisons}
    content |= {"summaries": summaries, "disagreements": said}
    write_json(options.json, content)


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[4, 5])
    data_arguments(parser)
    parser.add_argument(
        "--sketch", metavar="EXE", help="an executable: EXE FILE d=DEPTH t=LIMIT ..."
    )
    parser.add_argument(
        "--against",
        metavar="ENVIRONMENT",
        help="compare with the beamtree of another environment, given by its folder or its "
        f"interpreter; {_builds.REPEATS} repeats by default, and no peers",
    )
    parser.set_defaults(repeats=None)
    options = parser.parse_args(argv)
    if options.repeats is None:
        options.repeats = _builds.REPEATS if options.against else REPEATS
    if options.against:
        builds = _builds.found(options.against)  # before loading data, so that mistakes show early
    datasets = chosen_data(options)
    if options.against:
        _builds.compare(datasets, options, *builds)
        return
    jobs = [Job(name) for name in ["beamtree", *options.peers]]
    if options.sketch:
        jobs.append(Executable("sketch", options.sketch))
    compare(datasets, options, jobs)


if __name__ == "__main__":
    main()

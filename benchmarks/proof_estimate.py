"""Compare the estimated times to the proof with the real ones, on one core.

    python benchmarks/proof_estimate.py --shares 0.1 0.2 0.5 0.8

The data are generated: noisy labels, one-hot columns, DNA-like sequences, numbers with all their
thresholds. With ``--data``, all datasets of a folder are searched instead. Each problem is searched
once, in a process of its own, until its proof. A cell is the estimate after that share of the time,
divided by the time that was then left; ``unknown`` if there was none. Times are those of the
processor.
"""

import argparse
import json
import sys
from math import exp, log
from pathlib import Path

import _data
from _report import Table, environment, write_json
from _runner import Failed, last_core, output, stored
from _trace import row_at
from open_proofs import Problem
from proof_time import chosen, data_arguments

WORKER = Path(__file__).with_name("_estimate_worker.py")
SHARES = [0.1, 0.2, 0.5, 0.8]
FACTOR = 3.0
"""A good estimate is too long or too short by at most this factor."""


def generated():
    """Return problems that take some seconds each."""
    correlated, categories, sequences = _data.correlated, _data.categories, _data.sequences
    zeros_and_ones = [
        (5, correlated(1000, 112, seed=3, name="noisy 1000 x 112")),
        (5, correlated(2000, 100, seed=3, noise=0.1, name="noisy 2000 x 100")),
        (6, correlated(1000, 50, seed=3, noise=0.1, name="noisy 1000 x 50")),
        (6, correlated(400, 60, seed=3, name="noisy 400 x 60")),
        (4, correlated(1000, 300, seed=3, noise=0.05, name="noisy 1000 x 300")),
        (4, correlated(5000, 150, seed=3, noise=0.1, name="noisy 5000 x 150")),
        (5, categories(1000, 112, seed=3, name="one-hot 1000 x 112")),
        (6, categories(1000, 64, seed=3, name="one-hot 1000 x 64")),
        (4, categories(4000, 240, seed=3, name="one-hot 4000 x 240")),
        (4, sequences(3190, 287, seed=3, name="DNA 3190 x 287")),
        (5, sequences(2000, 120, seed=3, name="DNA 2000 x 120")),
        (6, sequences(1000, 72, seed=3, noise=0.1, name="DNA 1000 x 72")),
        (4, sequences(2000, 200, seed=3, noise=0.15, name="DNA 2000 x 200")),
    ]
    penalised = correlated(1000, 60, seed=3, noise=0.1, name="noisy 1000 x 60, penalty")
    return [
        *(Problem(data, depth) for depth, data in zeros_and_ones),
        Problem(penalised, 5, {"leaf_penalty": 0.003}),
        Problem(numbers(5000, 20), 3),
        Problem(numbers(1500, 6), 4),
    ]


def numbers(rows, columns):
    """Return some columns of numbers, of which all thresholds are searched."""
    data = _data.classification(rows)
    return _data.Data(f"numbers {rows} x {columns}", data.X[:, :columns], data.y)


def follow(problem, limit, core):
    """Search a problem; return what ``_estimate_worker.py`` has measured."""
    request = {"depth": problem.depth, "options": problem.options, "limit": limit}
    with stored(problem.data) as folder:
        command = [sys.executable, "-P", str(WORKER), json.dumps(request | {"data": folder})]
        return json.loads(output(command, limit, core).splitlines()[-1])


def ratio_at(run, share):
    """Return the estimate after a share of the time, divided by the truth; None without one."""
    row = row_at(run["estimates"], share * run["seconds"])
    if row is None or row[1] is None:
        return None
    return row[1] / (run["seconds"] - row[0])


def is_good(ratio):
    return ratio is not None and 1 / FACTOR <= ratio <= FACTOR


def conclusions(rows, shares):
    """Yield a line for each share: how many estimates are good, and how far they are off."""
    for index, share in enumerate(shares):
        ratios = [row["ratios"][index] for row in rows]
        known = [ratio for ratio in ratios if ratio]
        off = exp(sum(abs(log(ratio)) for ratio in known) / len(known)) if known else float("nan")
        yield (
            f"after {share:.0%} of the time: {sum(map(is_good, ratios))} of {len(ratios)} within a "
            f"factor of {FACTOR:g}, {len(ratios) - len(known)} unknown; "
            f"the others are off by a factor of {off:.2f} (geometric mean)"
        )


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data_arguments(parser)
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--depths", type=int, nargs="+", default=[5], help="with --data")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each search")
    parser.add_argument("--core", type=int, default=None, help="the core to run on")
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args(argv)
    shares, core = sorted(options.shares), last_core(options.core)
    if options.data:
        folder = _data.from_folder(options.data)
        found = [Problem(data, depth) for data in folder for depth in options.depths]
    else:
        found = generated()
    problems = chosen(found, options)
    table = Table(
        "dataset", "depth", "objective", "proved s", *(f"{share:.0%}" for share in shares),
        widest=max(len(problem.name) for problem in problems),
    )  # fmt: skip
    rows = []
    for problem in problems:
        try:
            run = follow(problem, options.limit, core)
        except Failed as failed:
            print(f"{problem.name}, depth {problem.depth}: {failed}", file=sys.stderr)
            continue
        if run["status"] != "optimal":
            print(f"{problem.name}, depth {problem.depth}: not proved", file=sys.stderr)
            continue
        ratios = [ratio_at(run, share) for share in shares]
        cells = ["unknown" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
        table.row(
            problem.name, problem.depth, f"{run['objective']:g}", f"{run['seconds']:.1f}", *cells
        )
        about = {"dataset": problem.name, "depth": problem.depth, **problem.data.shape}
        rows.append(about | {"seconds": run["seconds"], "ratios": ratios})
        write_json(options.json, {"shares": shares, "problems": rows})
    lines = list(conclusions(rows, shares))
    print("", *lines, sep="\n")
    content = {"environment": environment(["beamtree"]), "shares": shares, "problems": rows}
    write_json(options.json, content | {"summaries": lines})


if __name__ == "__main__":
    main()

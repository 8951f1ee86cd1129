"""Compare beamtree with peers on small trees: at a price per leaf, or within a number of leaves.

    python benchmarks/small_trees.py --data DIR

compares it with imodels and GOSDT at a price per leaf, without a limit of depth, on one core. The
data are 0/1 columns: those that are generated or ship with scikit-learn, and the files of the
folder ``--data``. Objectives are errors / rows + price * (leaves - 1), recounted with ``predict``.

    python benchmarks/small_trees.py --leaves 4 6 8 12 --depths 4 --data DIR

compares it with pystreed within these numbers of leaves, on the files of ``--data`` alone, or else
on the same small datasets. The objective is errors / rows.

    python benchmarks/small_trees.py --numbers --depths 3 --only breast_cancer wine iris

compares it with ConTree at a price per leaf, over all thresholds of columns of numbers.
"""

from dataclasses import dataclass
from itertools import product

import _data
from _report import (
    Table,
    compared,
    environment,
    megabytes,
    ratio_cell,
    seconds,
    summary,
    write_json,
)
from _runner import Job, Runner
from _solvers import installed
from proof_time import arguments, chosen

from beamtree import datasets

PRICES = [0.05, 0.02, 0.01, 0.005]


@dataclass(frozen=True)
class Comparison:
    """What is compared: the limit that changes, its values, and who takes part."""

    name: str  # of the limit, in the table
    option: str  # its name in beamtree
    values: list
    depths: list
    peers: list
    solver: str = "beamtree"

    def price(self, value):
        """Return the price per leaf."""
        return value if self.option == "leaf_penalty" else 0.0


def comparison(options):
    """Return the comparison that the options ask for."""
    if options.leaves:
        return Comparison("at most", "max_leaf_nodes", options.leaves, options.depths, ["pystreed"])
    price = "price", "leaf_penalty", options.prices
    if options.numbers:
        return Comparison(*price, options.depths, ["contree"], "thresholds")
    return Comparison(*price, [None], ["imodels", "gosdt"])


def shipped():
    """Return small datasets that need no download."""
    found = [_data.binary("tic-tac-toe", datasets.tic_tac_toe())]
    found += [_data.binary(f"monks-{k}", datasets.monks(k)) for k in (1, 2, 3)]
    found.append(_data.binary("balance-scale", datasets.balance_scale()))
    names = ("iris", "wine", "breast_cancer")
    return found + [_data.binary(name, datasets.load_binarized(name, 4)) for name in names]


def problems(options):
    """Return the datasets of a comparison."""
    if options.numbers:
        return chosen(_data.numbers(options.data), options)
    every = [] if options.leaves and options.data else shipped()
    known = {data.name for data in every}
    if options.data:
        every += [data for data in _data.from_folder(options.data) if data.name not in known]
    return chosen(every, options)


def objective(measured, rows, price):
    """Return the objective of the best tree, or None."""
    if not measured.runs:
        return None
    return min(run["found"] / rows + price * (run["leaves"] - 1) for run in measured.runs)


def gap(measured, rows, price):
    """Return the gap between the objective and the bound that the solver claims, if any."""
    if not measured.runs or measured.optimal:
        return 0.0
    best = objective(measured, rows, price)
    lower = max(run["lower"] or 0.0 for run in measured.runs) / rows
    return (best - lower) / best if best > 0 else 0.0


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[4], limit=30.0)
    parser.set_defaults(peers=None)
    parser.add_argument("--data", metavar="DIR", help="*.txt or *.txt.gz: class, then features")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--prices", type=float, nargs="+", default=PRICES)
    parser.add_argument("--leaves", type=int, nargs="+", help="numbers of leaves, without a price")
    parser.add_argument("--numbers", action="store_true", help="columns of numbers")
    options = parser.parse_args(argv)
    what = comparison(options)
    if options.peers is None:
        options.peers = [peer for peer in what.peers if installed(peer)]
    every = problems(options)
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table(
        "dataset", "depth", what.name, "objective", "leaves", "beamtree s",
        *(f"{peer} s" for peer in options.peers), *(f"x {peer}" for peer in options.peers),
        "gap", *(f"{peer} gap" for peer in options.peers), "MB",
        widest=max(len(data.name) for data in every),
    )  # fmt: skip
    rows, pairs, said = [], {peer: [] for peer in options.peers}, []
    for depth, value in product(what.depths, what.values):
        given, price = {what.option: value}, what.price(value)
        jobs = [Job("beamtree", what.solver, given), *(Job(peer, "", given) for peer in
                                                       options.peers)]  # fmt: skip
        for data in every:
            found = runner.compare(jobs, data, depth)
            ours, theirs = found["beamtree"], [found[peer] for peer in options.peers]
            n = len(data.y)
            best = objective(ours, n, price)
            leaves = min(run["leaves"] for run in ours.runs) if ours.runs else "-"
            table.row(
                data.name, "any" if depth is None else depth, value,
                "-" if best is None else f"{best:.5f}", leaves,
                *map(seconds, [ours, *theirs]), *(ratio_cell(ours, peer) for peer in theirs),
                *(f"{gap(each, n, price):.3f}" for each in [ours, *theirs]), megabytes(ours),
            )  # fmt: skip
            deep = "any depth" if depth is None else f"depth {depth}"
            where = f"{data.name}, {deep}, {what.name} {value:g}"
            for peer in theirs:
                said += disagreements(where, ours, peer, n, price)
                pairs[peer.solver].append((where, ours, peer))
            rows.append({"dataset": data.name, what.name: value, "depth": depth} | {
                name: measured.as_json() for name, measured in found.items()})  # fmt: skip
    conclude(rows, pairs, said, options)


def disagreements(where, ours, theirs, n, price):
    """Return what is not as it should be, in words."""
    said, peer = [], theirs.solver
    best, other = objective(ours, n, price), objective(theirs, n, price)
    if best is None or other is None:
        name, failure = (peer, theirs.failure) if other is None else ("beamtree", ours.failure)
        return [f"{where}: {name} failed: {failure}"]
    if best > other + 1e-9:
        said.append(
            f"{where}: beamtree's objective {best:.6f} is above that of {peer}, {other:.6f}"
        )
    if ours.optimal and theirs.optimal and abs(best - other) > 1e-9:
        said.append(f"{where}: beamtree claims a proof of {best:.6f}, and {peer} of {other:.6f}")
    if theirs.optimal and not ours.optimal:
        said.append(f"{where}: {peer} has a proof, and beamtree has not")
    return said


def conclude(rows, pairs, said, options):
    """Print the lines under the table, and write the JSON file."""
    print()
    comparisons = [compared(peer, every) for peer, every in pairs.items()]
    for peer, found in zip(pairs, comparisons, strict=True):
        print(summary(peer, found))
    proved = {
        name: sum(row[name]["optimal"] for row in rows) for name in ["beamtree", *options.peers]
    }
    print(", ".join(f"{name} proved {count} of {len(rows)}" for name, count in proved.items()))
    for line in said or ["no disagreements"]:
        print(line)
    about = environment(["beamtree", *options.peers])
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    content = {"environment": about, "limit": options.limit, "repeats": options.repeats}
    content |= {"problems": rows, "comparisons": comparisons, "disagreements": said}
    write_json(options.json, content)


if __name__ == "__main__":
    main()

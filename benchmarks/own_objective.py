"""Measure by what factor an objective that is written in Python is slower than a built-in one.

    python benchmarks/own_objective.py --depths 2 3

Squared errors are minimised by the objective of the core, and by the same objective written in
Python, with and without the declaration of its bound. All prove the same tree over all thresholds.
Times are processor seconds of whole fits, the median of some runs that take turns.
"""

import argparse
from statistics import median
from time import process_time
from warnings import catch_warnings, simplefilter

import numpy as np
from _report import Table, environment, geometric_mean, write_json
from regression import raw_problems

from beamtree import OptimalTreeRegressor
from beamtree.objectives import Objective


class Squares(Objective):
    """The squared error."""

    superset_bound = True

    def statistics(self, y, sample_weight):
        """Return the weight, the weighted number and its weighted square of each row."""
        y = y - y.mean()
        return sample_weight[:, np.newaxis] * np.column_stack([np.ones(len(y)), y, y**2])

    def leaf_costs(self, sums):
        """Return the squared errors of leaves."""
        weight, total, squares = sums.T
        return np.maximum(squares - total**2 / weight, 0.0)

    def predictions(self, sums):
        """Return the means of leaves."""
        return sums[:, 1] / sums[:, 0]


class UnknownSquares(Squares):
    """The same, without saying which bound holds."""

    superset_bound = False


CRITERIA = {"built in": "squared_error", "own": Squares(), "own, no bound": UnknownSquares()}


def measure(X, y, depth, options):
    """Return the medians of the seconds, and whether each search proved its tree."""
    seconds = {name: [] for name in CRITERIA}
    fitted = {}
    for _ in range(options.repeats):
        for name, criterion in CRITERIA.items():
            reg = OptimalTreeRegressor(
                max_depth=depth, criterion=criterion, time_limit=options.limit
            )
            begin = process_time()
            fitted[name] = reg.fit(X, y)
            seconds[name].append(process_time() - begin)
    proved = {name: reg.status_ == "optimal" for name, reg in fitted.items()}
    found = [reg.objective_ for name, reg in fitted.items() if proved[name]]
    if max(found) > min(found) * (1 + 1e-9):
        msg = f"the proved objectives differ: {found}"
        raise SystemExit(msg)
    return {name: median(times) for name, times in seconds.items()}, proved


def main(argv=None):
    """Print one row per problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depths", type=int, nargs="+", default=[2])
    parser.add_argument("--rows", type=int, nargs="+", default=[500])
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for each fit")
    parser.add_argument("--repeats", type=int, default=3, help="the median is reported")
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args(argv)
    table = Table("dataset", "depth", "rows", "built in", "own", "times", "no bound", "times")
    ratios, records = {}, []
    for name, X, y in raw_problems(options.rows):
        for depth in options.depths:
            with catch_warnings():
                simplefilter("ignore")  # limits are part of the benchmark
                seconds, proved = measure(X, y, depth, options)
            cells = [name, depth, len(y), f"{seconds['built in']:.4f}"]
            for kind in ("own", "own, no bound"):
                times = seconds[kind] / seconds["built in"]
                sign = "" if proved[kind] else ">"
                cells += [f"{sign}{seconds[kind]:.3f}", f"{sign}{times:.0f}"]
                ratios.setdefault((kind, depth), []).append(times)
            table.row(*cells)
            records.append({"name": name, "depth": depth, "seconds": seconds, "proved": proved})
    for (kind, depth), times in ratios.items():
        print(
            f"\nDepth {depth}, {kind}: slower by {geometric_mean(times):.0f} in geometric mean, "
            f"{min(times):.0f} to {max(times):.0f}."
        )
    write_json(options.json, {"environment": environment(["beamtree"]), "problems": records})


if __name__ == "__main__":
    main()

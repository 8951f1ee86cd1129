"""Measure searches that Dask workers do: two processes against one, on problems of 10 s and more.

    python benchmarks/distributed_search.py --repeats 3 --out distributed.json

Every problem is fitted in this process with one thread and with two, and then by one and by two
Dask workers, each a process with one thread. Starting the workers is not counted, but sending the
rows to them is. All must prove the same optimum. Two workers must be at least 1.6 times faster than
this process with one thread, in geometric mean. Use a quiet machine with two cores or more: this
process, too, takes part of one when workers search.
"""

import argparse
import statistics
import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from _report import Table, environment, geometric_mean, write_json

ASKED = 1.6
WAYS = ("one", "two threads", "one worker", "two workers")


def noisy_bits(seed, n_rows, n_columns, noise):
    """Return columns of zeros and ones, and labels that follow from five of them, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    y = (X[:, 0] & X[:, 1] | X[:, 2] & X[:, 3] ^ X[:, 4]) ^ (rng.random(n_rows) < noise)
    return X, y.astype(int)


def slanted_line(seed, n_rows, n_columns, noise):
    """Return columns of numbers, and labels: the side of a noisy plane on which a row lies."""
    rng = np.random.default_rng(seed)
    X, direction = rng.normal(size=(n_rows, n_columns)).round(2), rng.normal(size=n_columns)
    return X, (X @ direction + noise * rng.normal(size=n_rows) > 0).astype(int)


PROBLEMS = {
    "bits, 1,200 x 110, depth 5": (noisy_bits, (1, 1200, 110, 0.2), 5),
    "bits, 600 x 60, depth 6": (noisy_bits, (2, 600, 60, 0.2), 6),
    "bits, 3,500 x 300, depth 4": (noisy_bits, (3, 3500, 300, 0.2), 4),
    "all thresholds, 3,000 x 10, depth 4": (slanted_line, (4, 3000, 10, 0.7), 4),
}
SMALL = {"bits, 300 x 30, depth 4": (noisy_bits, (1, 300, 30, 0.2), 4)}
"""For the tests of this script."""


def fit(way, X, y, depth, limit):
    """Fit in one of the ways, and return the seconds and what was found."""
    from distributed import Client, LocalCluster

    from beamtree.dask import DaskOptimalTreeClassifier

    settings = {"max_depth": depth, "time_limit": limit}

    def timed(client, n_jobs):
        model = DaskOptimalTreeClassifier(client, n_jobs=n_jobs, **settings)
        begin = perf_counter()
        model.fit(X, y)
        return {
            "seconds": perf_counter() - begin,
            "status": model.status_,
            "objective": model.objective_,
            "lower_bound": model.lower_bound_,
            "tasks": model.statistics_.get("tasks", 0),
        }

    if not way.endswith(("worker", "workers")):
        return timed(None, 2 if way == "two threads" else 1)
    with (
        LocalCluster(
            n_workers=1 if way == "one worker" else 2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        return timed(client, 1)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds of a fit")
    parser.add_argument("--only", default="", help="part of the names of the problems")
    parser.add_argument("--small", action="store_true", help="one small problem, to try the script")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(argv)
    warnings.filterwarnings("ignore", message="Not proved")
    table = Table("problem", *(f"{way}, s" for way in WAYS), "times", "spread", "result", widest=36)
    faults, ratios, rows = [], [], []
    for name, (make, arguments, depth) in (SMALL if options.small else PROBLEMS).items():
        if options.only not in name:
            continue
        X, y = make(*arguments)
        # The ways take turns, so that a slower machine slows all of them.
        runs = [
            {way: fit(way, X, y, depth, options.limit) for way in WAYS}
            for _ in range(options.repeats)
        ]
        median = {way: statistics.median(run[way]["seconds"] for run in runs) for way in WAYS}
        speeds = sorted(run["one"]["seconds"] / run["two workers"]["seconds"] for run in runs)
        found = {
            (one["status"], one["objective"], one["lower_bound"])
            for run in runs
            for one in run.values()
        }
        if len(found) > 1 or next(iter(found))[0] != "optimal":
            faults.append(f"{name}: not all have the same optimum: {sorted(found)}")
        ratios.append(median["one"] / median["two workers"])
        table.row(
            name, *(f"{median[way]:.1f}" for way in WAYS), f"{ratios[-1]:.2f}",
            f"{speeds[0]:.2f} to {speeds[-1]:.2f}", str(sorted(found)[0][:2]),
        )  # fmt: skip
        rows.append({"problem": name, "runs": runs})
    mean = geometric_mean(ratios) if ratios else 0.0
    print(f"\nTwo workers: {mean:.2f} times faster in geometric mean; {ASKED} is required")
    if mean < ASKED and not options.small:
        faults.append(f"{mean:.2f} is less than {ASKED}")
    print(*faults, sep="\n")
    if options.out is not None:
        write_json(options.out, {"environment": environment([]), "rows": rows})
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())

"""Measure how long proofs of regression trees take on one core, alone and beside pystreed.

    python benchmarks/regression.py --data DIR --depths 3 4 5 6

runs on the files of a folder (``*.csv`` or ``*.csv.gz``: a line of names, 0/1 features, and the
target in the last column) and on scikit-learn's diabetes, each of whose columns is cut at quantiles
for both solvers. pystreed takes part if it is installed. Costs are squared errors, rescored from
the predictions. Times are processor seconds of whole fits, the median of some runs that take turns.
The last two columns say by how much the memory of a new process grows during one fit of each.

    python benchmarks/regression.py --raw --depths 2 3

proves the best trees over all thresholds of tables of numbers: diabetes, and Friedman's functions.

    python benchmarks/regression.py --anytime --depths 4 5 6

shows the squared errors over time on tables of numbers: of the search over all thresholds, of the
same search over at most 32 thresholds per column, and of the greedy tree of scikit-learn.
"""

import argparse
import gzip
import statistics
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from _report import FAST, Table, environment, faster, summary, write_json
from _worker import start_peak
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeRegressor

from beamtree import OptimalTreeRegressor, Search
from beamtree.study._machine import peak_bytes

TINY = np.array([[0], [1]], dtype=np.int32), np.array([0.0, 1.0])

TIMES = (0.3, 1.0, 3.0, 10.0)
"""Processor seconds at which `compare_anytime` looks at the errors."""


def read(path):
    """Return the features and the target of a file."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        table = np.genfromtxt(file, delimiter=",", skip_header=1)
    return table[:, :-1].astype(np.int32), table[:, -1]


def cut(X, cuts):
    """Return zeros and ones: whether a value is above each of some quantiles of its column."""
    inner = np.linspace(0.0, 1.0, cuts + 2)[1:-1]
    columns = [X[:, [j]] > np.unique(np.quantile(X[:, j], inner)) for j in range(X.shape[1])]
    return np.hstack(columns).astype(np.int32)


def binary_problems(folder, cuts):
    """Yield names, features and targets."""
    for path in sorted(Path(folder).glob("*.csv*")) if folder else ():
        yield path.name.split(".")[0], *read(path)
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", cut(X, cuts), y


def raw_problems(rows):
    """Yield names, tables of numbers and targets."""
    yield "diabetes", *load_diabetes(return_X_y=True)
    for number, make in enumerate((make_friedman1, make_friedman2, make_friedman3), start=1):
        noise = 0.1 if number == 3 else 1.0
        for n_rows in rows:
            yield f"friedman{number}-{n_rows}", *make(n_rows, noise=noise, random_state=0)


def ours(X, y, depth, limit):
    """Fit our tree, and return the estimator and whether it is proved."""
    reg = OptimalTreeRegressor(max_depth=depth, time_limit=limit).fit(X, y)
    return reg, reg.status_ == "optimal"


def theirs(X, y, depth, limit):
    """Fit the tree of pystreed."""
    from pystreed import STreeDRegressor

    tree = STreeDRegressor(
        max_depth=depth, cost_complexity=0.0, hyper_tune=False, time_limit=limit, max_num_nodes=None
    )
    tree.fit(X, y)
    return tree, tree.fit_result.is_optimal()


def measure(fits, X, y, repeats):
    """Run the solvers in turns; return processor seconds, squared error and proof of each."""
    found = [[] for _ in fits]
    for fit in fits:  # so that imports and first calls are not measured
        fit(*TINY)
    for _ in range(repeats):
        for runs, fit in zip(found, fits, strict=True):
            begin = time.process_time()
            fitted, proved = fit(X, y)
            seconds = time.process_time() - begin
            error = float(((np.asarray(fitted.predict(X)).ravel() - y) ** 2).sum())
            runs.append((seconds, error, proved))
    return [
        (statistics.median(run[0] for run in runs), min(run[1] for run in runs), runs[-1][2])
        for runs in found
    ]


def growth(fit, X, y, depth, limit):
    """Return by how many MB the memory of a new process grows during a fit."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(grown, fit, X, y, depth, limit).result()


def grown(fit, X, y, depth, limit):
    """Fit a tiny tree, so that all is imported, and then the tree that is measured."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    fit(*TINY, 1, limit)
    before = start_peak()
    fit(X, y, depth, limit)
    return (peak_bytes() - before) / 2**20


def errors_over_time(X, y, depth, **settings):
    """Return the squared error of the best tree at each of the times."""
    begin = time.process_time()
    search = Search(X, y, regression=True, max_depth=depth, **settings)
    errors, error = [], np.inf
    while len(errors) < len(TIMES):
        left = TIMES[len(errors)] - (time.process_time() - begin)
        if left <= 0 or search.done:
            errors.append(error)
        elif (incumbent := search.step(left)) is not None:
            # An improvement that comes after the time is for the next one.
            late = time.process_time() - begin - TIMES[len(errors)] > 0
            errors += [error] if late else []
            error = incumbent.objective
    return errors


def compare_anytime(problems, options):
    """Print the squared errors over time, as shares of the error of the greedy tree."""
    table = Table(
        *("dataset", "depth", "greedy", *(f"{t:g} s" for t in TIMES)),
        *(f"32 per column, {t:g} s" for t in TIMES),
        widest=15,
    )
    worse, records = {"32 per column": 0, "greedy": 0}, []
    for name, X, y in problems:
        if options.only and name not in options.only:
            continue
        for depth in options.depths:
            greedy = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
            cart = float(((greedy.predict(X) - y) ** 2).sum())
            ours = errors_over_time(X, y, depth)
            few = errors_over_time(X, y, depth, max_thresholds=32)
            table.row(name, depth, f"{cart:.6g}", *(f"{e / cart:.4f}" for e in ours + few))
            worse["32 per column"] += any(a > b for a, b in zip(ours, few, strict=True))
            worse["greedy"] += any(a > cart for a in ours)
            records.append({"name": name, "depth": depth, "greedy": cart, "ours": ours, "few": few})
    for other, count in worse.items():
        print(f"at some time a larger error than {other}: {count} of {len(records)}")
    write_json(options.json, {"environment": environment(["beamtree"]), "problems": records})


def contradictions(where, runs):
    """Return a line for each proof that the tree of the other solver contradicts."""
    said = []
    for who, other in ((0, 1), (1, 0)):
        error, better = runs[who][1], runs[other][1]
        if runs[who][2] and better < error * (1 - 1e-9):
            names = "beamtree", "pystreed"
            said.append(
                f"{where}: {names[who]} claims that {error:.8g} is optimal, {names[other]} has "
                f"{better:.8g}"
            )
    return said


def main(argv=None):
    """Print one row per problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="DIR", help="*.csv or *.csv.gz: features, then target")
    parser.add_argument("--raw", action="store_true", help="tables of numbers, all thresholds")
    parser.add_argument("--anytime", action="store_true", help="show the errors over time")
    parser.add_argument("--depths", type=int, nargs="+", default=[3, 4])
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[500, 1000], help="with --raw and --anytime"
    )
    parser.add_argument("--cuts", type=int, default=12, help="quantiles per column of diabetes")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each fit")
    parser.add_argument("--repeats", type=int, default=3, help="the median is reported")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore", ConvergenceWarning)  # limits are part of the benchmark
    if options.anytime:
        compare_anytime(raw_problems(options.rows), options)
        return
    problems = (
        raw_problems(options.rows) if options.raw else binary_problems(options.data, options.cuts)
    )
    peer = not options.raw and find_spec("pystreed") is not None
    table = Table(
        *("dataset", "depth", "rows", "columns", "squared error", "seconds", "proved"),
        *(("pystreed's error", "seconds", "proved", "times", "MB", "its MB") if peer else ()),
    )
    ratios, records, said = [], [], []
    for name, X, y in problems:
        if options.only and name not in options.only:
            continue
        for depth in options.depths:
            fits = [ours, theirs] if peer else [ours]
            runs = measure(
                [
                    lambda X, y, fit=fit, depth=depth: fit(X, y, depth, options.limit)
                    for fit in fits
                ],
                *(X, y, options.repeats),
            )
            seconds, error, proved = runs[0]
            cells = [name, depth, *X.shape, f"{error:.8g}", f"{seconds:.4f}", proved]
            if peer:
                times = runs[1][0] / seconds
                cells += [f"{runs[1][1]:.8g}", f"{runs[1][0]:.4f}", runs[1][2], f"{times:.1f}"]
                said += contradictions(f"{name}, depth {depth}", runs)
                if runs[1][0] >= FAST:
                    ratios.append((times, f"{name}, depth {depth}", runs[1][2]))
                cells += [f"{growth(fit, X, y, depth, options.limit):.1f}" for fit in fits]
            table.row(*cells)
            records.append(dict(zip(("name", "depth", "runs"), (name, depth, runs), strict=True)))
    comparison = faster("pystreed", ratios)
    if peer:
        print()
        for line in [summary("pystreed", comparison), *(said or ["no disagreements"])]:
            print(line)
    about = environment(["beamtree", *(["pystreed"] if peer else [])])
    content = {"environment": about, "problems": records, "comparisons": [comparison]}
    content |= {"disagreements": said}
    write_json(options.json, content)


if __name__ == "__main__":
    main()

"""Compare the cross validation, whose searches share trees and bounds, with separate fits.

    python benchmarks/cross_validation.py --repeats 3

Both ways run in turn, with the default parameters of `OptimalTreeClassifierCV`, on one core. The
separate way fits each candidate on each fold with the whole time limit: a fit starts from the tree
of the previous penalty, and larger penalties are not tried after a single leaf. It is how the cross
validation worked before its searches shared more. The table has processor seconds, the median of
the ratios of all repeats with their range, the ratio of seconds on the clock, which is the one to
look at where time limits end the fits, and whether both chose the same. ``cancer-426`` are the 426
training rows of ``train_test_split`` of scikit-learn's breast cancer table with its seed at 0.
"""

import argparse
import statistics
import sys
import time
from unittest import mock

import _data
from _report import Table, environment, write_json
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing

from beamtree import OptimalTreeClassifierCV
from beamtree._resume.given_tree import TreeWithColumns
from beamtree.model_selection import cross_validation
from beamtree.model_selection._folds import Score, fit_candidate


def separate_fits(template, candidates, scorer, fold, _progress=None):
    """Fit the candidates on a fold one by one; this stands in for `fit_fold`."""
    X, y = _safe_indexing(fold.X, fold.train), _safe_indexing(fold.y, fold.train)
    scores, fitted, depth = [], None, None
    for candidate in candidates:
        if candidate.max_depth != depth:
            fitted, depth = None, candidate.max_depth
        if fitted is None or fitted.status_ != "optimal" or fitted.get_n_leaves() > 1:
            start = None if fitted is None else TreeWithColumns(fitted.tree_, fitted.columns_)
            fitted = fit_candidate(clone(template), candidate, X, y, {}, start)
        score = float(scorer(fitted, fold.X[fold.test], fold.y[fold.test]))
        scores.append(Score(score, fitted.get_n_leaves(), 0.0, 0.0, fitted.status_))
    return scores


def measure(data, limit, fit_fold):
    """Return the processor seconds of a cross validation, and what it has chosen."""
    clf = OptimalTreeClassifierCV(time_limit=limit)
    with mock.patch.object(cross_validation, "fit_fold", fit_fold):
        begin, cpu_begin = time.perf_counter(), time.process_time()
        clf.fit(data.X, data.y)
        cpu, seconds = time.process_time() - cpu_begin, time.perf_counter() - begin
    best, table = clf.best_estimator_, clf.cv_results_
    chosen = {**clf.best_params_, "score": clf.best_score_, "objective": best.objective_}
    proved = int(table["n_proved"].sum()), len(table["params"]) * clf.n_splits_
    return {"cpu_seconds": cpu, "seconds": seconds, "chosen": chosen, "proved": proved}


def tables(only):
    """Return the datasets: numbers and binary columns that need no download."""
    X, y = load_breast_cancer(return_X_y=True)
    X, _, y, _ = train_test_split(X, y, random_state=0)
    small = [data for data in _data.numbers() if data.name in ("wine", "iris")]
    found = [_data.Data("cancer-426", X, y), *small, *_data.shipped()]
    kept = [data for data in found if not only or data.name in only]
    return kept or sys.exit(f"no such dataset among {[data.name for data in found]}")


def main():
    """Run both ways in turn on every table, and print what they took and chose."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--limit", type=float, default=10.0, help="the time_limit of both")
    parser.add_argument("--repeats", type=int, default=3, help="the median is reported")
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args()
    ways = {"shared": cross_validation.fit_fold, "separate": separate_fits}
    table = Table(
        "dataset",
        "separate s",
        "shared s",
        "ratio",
        "range",
        "by the clock",
        "proved",
        "the same choice",
    )
    rows = []
    for data in tables(options.only):
        runs = [
            {name: measure(data, options.limit, way) for name, way in ways.items()}
            for _ in range(options.repeats)
        ]
        ratios = [run["separate"]["cpu_seconds"] / run["shared"]["cpu_seconds"] for run in runs]
        clock = [run["separate"]["seconds"] / run["shared"]["seconds"] for run in runs]
        seconds = {
            name: statistics.median(run[name]["cpu_seconds"] for run in runs) for name in ways
        }
        proved = [f"{done} of {of}" for done, of in (runs[0][name]["proved"] for name in ways)]
        same = all(run["separate"]["chosen"] == run["shared"]["chosen"] for run in runs)
        table.row(
            data.name, f"{seconds['separate']:.2f}", f"{seconds['shared']:.2f}",
            f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}",
            f"{statistics.median(clock):.2f}",
            f"{proved[0]}, before {proved[1]}", "yes" if same else "no",
        )  # fmt: skip
        if not same:
            print(*(f"{name}: {runs[0][name]['chosen']}" for name in ways), sep="\n")
        rows.append({"dataset": data.name, "runs": runs})
    content = {"environment": environment(["beamtree"]), "limit": options.limit}
    write_json(options.json, content | {"tables": rows})


if __name__ == "__main__":
    main()

"""Measure certificates: how long they take to write and to check, and how large they are.

    python benchmarks/certificates.py
    python benchmarks/certificates.py --data FOLDER --limit 1

The problems ship with scikit-learn or beamtree. With `--data`, the datasets in a folder follow at
depths 3 and 4, and at depth 5 those that are proved within the limit. Every certificate is checked
by checker/check_certificate.py with one thread; a line says "verified" only if the proved bound is
that of the search, and the cost of the tree, too. The seconds of the search include the time for
reading the table. Those of the search and of writing are the shortest of three, because both take
some milliseconds, and whatever else runs on the machine takes as many.
"""

import argparse
import gzip
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _data import from_folder
from sklearn import datasets
from threadpoolctl import threadpool_limits

from beamtree import Search
from beamtree.datasets import balance_scale, monks, tic_tac_toe

sys.path.insert(0, str(Path(__file__).parents[1] / "checker"))
import check_certificate as checker

sys.path.pop(0)

REPEATS = 3
COLUMNS = (
    "| problem | objective | search, s | writing, s | times | kB | claims | check, s | verdict |"
)


def built_in():
    """Yield the problems that need no files: name, table, target, weights, settings."""
    rng = np.random.default_rng(0)
    iris, wine, cancer = (
        load(return_X_y=True)
        for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer)
    )
    boards = tic_tac_toe()[:2]
    weights = rng.integers(1, 4, len(boards[1]))
    yield "iris, all thresholds, depth 3", *iris, None, {"max_depth": 3}
    yield "iris, depth 3, leaves of 5 rows", *iris, None, {"max_depth": 3, "min_samples_leaf": 5}
    yield "iris, price 0.02, any depth", *iris, None, {"max_depth": None, "leaf_penalty": 0.02}
    yield "wine, all thresholds, depth 2", *wine, None, {"max_depth": 2}
    yield "wine, all thresholds, depth 3", *wine, None, {"max_depth": 3}
    yield "breast cancer, all thresholds, depth 2", *cancer, None, {"max_depth": 2}
    yield "breast cancer, all thresholds, depth 3", *cancer, None, {"max_depth": 3}
    yield "tic-tac-toe, weights 1 to 3, depth 4", *boards, weights, {"max_depth": 4}
    yield "tic-tac-toe, real weights, depth 4", *boards, rng.random(len(weights)), {"max_depth": 4}
    yield (
        "tic-tac-toe, leaves of 20 rows, depth 4",
        *boards,
        None,
        {
            "max_depth": 4,
            "min_samples_leaf": 20,
        },
    )
    yield "tic-tac-toe, price 0.01, depth 4", *boards, None, {"max_depth": 4, "leaf_penalty": 0.01}
    yield (
        "tic-tac-toe, price 0.05, any depth",
        *boards,
        None,
        {
            "max_depth": None,
            "leaf_penalty": 0.05,
        },
    )
    yield (
        "tic-tac-toe, price 0.02, any depth",
        *boards,
        None,
        {
            "max_depth": None,
            "leaf_penalty": 0.02,
        },
    )
    yield "balance scale, 3 classes, depth 4", *balance_scale()[:2], None, {"max_depth": 4}
    yield "monks 2, depth 5", *monks(2)[:2], None, {"max_depth": 5}
    diabetes = datasets.load_diabetes(return_X_y=True, scaled=False)
    yield (
        "diabetes, squared error, 16 thresholds, depth 3",
        *diabetes,
        None,
        {
            "max_depth": 3,
            "max_thresholds": 16,
            "regression": True,
        },
    )
    yield (
        "diabetes, squared error, all thresholds, depth 2",
        *diabetes,
        None,
        {
            "max_depth": 2,
            "regression": True,
        },
    )


def of_folder(folder, limit):
    """Yield the datasets of a folder at depths 3 and 4, and at depth 5 those that are proved."""
    every = from_folder(folder)
    for depth in (3, 4, 5):
        for data in every:
            if depth < 5 or Search(data.X, data.y, max_depth=5).run(limit).status == "optimal":
                yield f"{data.name}, depth {depth}", data.X, data.y, None, {"max_depth": depth}


def cells_of(X, y, weight):
    """Return the table as text, as a csv file would have it."""
    table = {f"x{j}": [repr(value) for value in X[:, j].tolist()] for j in range(X.shape[1])}
    table["y"] = [repr(value) for value in y.tolist()]
    if weight is not None:
        table["weight"] = [repr(value) for value in weight.tolist()]
    return table


def measure(name, X, y, weight, settings, path):
    """Print the line of one problem."""
    runs = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        search = Search(X, y, weight, **settings)
        result = search.run(60)
        searched = time.perf_counter()
        search.certificate(path)
        runs.append((searched - begin, time.perf_counter() - searched))
    seconds = np.min(runs, axis=0).tolist()
    with gzip.open(path) as file:
        claims = sum(1 for _ in file) - 1
    table = cells_of(X, y, weight)
    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            _, cost, bound = checker.check(path, table)
        same = cost == result.cost and bound == result.lower
        verdict = "verified" if same else f"only {bound} of {result.lower}"
    except checker.Refused as refused:
        verdict = f"refused: {refused}"
    checked = time.perf_counter() - start
    figures = (
        f"{result.objective:.6g}",
        f"{seconds[0]:.3f}",
        f"{seconds[1]:.3f}",
        f"{seconds[1] / seconds[0]:.1f}",
        f"{path.stat().st_size / 1000:.1f}",
        str(claims),
        f"{checked:.2f}",
        verdict,
    )
    print(f"| {name} | {' | '.join(figures)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a folder of .txt.gz files: the class, then zeros and ones")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds for a proof at depth 5")
    parser.add_argument("--only", default="", help="part of the names of the problems")
    options = parser.parse_args()
    print(COLUMNS)
    print("| :-- |" + " --: |" * 7 + " :-- |")
    problems = [*built_in()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.gz"
        for problem in problems:
            if options.only in problem[0]:
                measure(*problem, path)
        for problem in of_folder(options.data, options.limit) if options.data else ():
            if options.only in problem[0]:
                measure(*problem, path)


if __name__ == "__main__":
    main()

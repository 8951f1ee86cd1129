"""Show which tables each library takes as they are: the source of the README's table of features.

    python benchmarks/inputs.py

Each library fits a tree of depth 2, or one at a price per leaf, to 60 rows. A cell has the errors
of its tree, or the name of its exception. In the first four columns, 0 errors are possible.
"""

import argparse
import contextlib
import io
import warnings
from importlib import import_module

import numpy as np
from _report import Table, environment
from _solvers import installed

LIBRARIES = {
    "beamtree": ("beamtree", "OptimalTreeClassifier", {"max_depth": 2}),
    "imodels": ("imodels", "FastSmallTreeClassifier", {"regularization": 0.05}),
    "contree": ("pycontree", "ConTree", {"max_depth": 2}),
    "pystreed": ("pystreed", "STreeDClassifier", {"max_depth": 2}),
    "gosdt": ("gosdt", "GOSDTClassifier", {"regularization": 0.05, "time_limit": 10}),
    "pytrees": ("pytrees", "ConTreeClassifier", {"max_depth": 2}),
    "greedy": ("sklearn.tree", "DecisionTreeClassifier", {"max_depth": 2}),
}


def inputs():
    """Return tables and labels by name."""
    import pandas as pd

    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 3))
    label = (numbers[:, 0] > 0.3).astype(int)
    missing = numbers.copy()
    missing[:5, 1] = np.nan
    # The label depends on the first of two columns, and the second is a number, as in many tables.
    text = pd.DataFrame({"text": rng.choice(["x", "y", "z"], 60), "number": numbers[:, 0]})
    dates = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=60), "number": numbers[:, 0]})
    binary = (numbers > 0).astype(np.int32)
    return {
        "numbers": (numbers, label),
        "missing values": (missing, label),
        "text": (text, (text["text"] == "y").to_numpy(int)),
        "dates": (dates, (dates["date"] > "2024-01-20").to_numpy(int)),
        "text as labels": (binary, np.where(label == 1, "yes", "no")),
        "three classes": (binary, rng.integers(0, 3, 60)),
    }


def result(model, X, y, **weights):
    """Return the errors of the tree, or the name of the exception if there is no tree."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            model.fit(X, y, **weights)
            tree = model.trees_[0] if hasattr(model, "trees_") else model  # GOSDT
            return int((np.asarray(tree.predict(X)).ravel() != y).sum())
    except Exception as error:
        return type(error).__name__


def main(argv=None):
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args(argv)
    warnings.simplefilter("ignore")
    every = inputs()
    table = Table("library", *every, "sample weights")
    found = [name for name in LIBRARIES if installed(name)]
    for name in found:
        module, kind, options = LIBRARIES[name]
        make = getattr(import_module(module), kind)
        cells = [result(make(**options), X, y) for X, y in every.values()]
        X, y = every["three classes"]
        table.row(name, *cells, result(make(**options), X, y, sample_weight=np.ones(len(y))))
    print()
    print(", ".join(f"{key} {number}" for key, number in environment(found)["versions"].items()))


if __name__ == "__main__":
    main()

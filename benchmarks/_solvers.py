"""How each solver is called: ours and the peers.

To add a peer: 1. write a class with ``make``, ``fit`` and ``claim``; 2. name
it in `SOLVERS`. A peer that needs other array types converts them in
``arrays``, outside the time that is measured. One that tells of better trees
on the way gives them in ``improvements``.
"""

import io
import re
import statistics
from abc import ABC, abstractmethod
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone


class Solver(ABC):
    """What the worker needs of a solver."""

    distribution: str
    """The name of the package, for its version."""

    def __init__(self, depth, limit, options):
        self.model = self.make(depth, limit, **options)

    def arrays(self, X, y):
        """The arrays in the types that the solver likes best."""
        kind = np.float64 if X.dtype.kind == "f" else np.int32
        return np.ascontiguousarray(X, kind), np.ascontiguousarray(y, np.int32)

    @abstractmethod
    def make(self, depth, limit, **options):
        """The estimator, all imports done."""

    def fit(self, X, y, weight):
        """What is timed."""
        if weight is not None:
            raise ValueError(f"{self.distribution} has no sample weights")
        self.model.fit(X, y)

    @abstractmethod
    def claim(self):
        """What the solver says: ``optimal``, ``errors`` and ``lower`` or None."""

    def improvements(self, begin):  # noqa: ARG002
        """Every better tree or bound: seconds since `begin`, errors, lower bound or None."""
        return []

    def predict(self, X):
        return self.model.predict(X)


class Beamtree(Solver):
    distribution = "beamtree"

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.uint8), y

    def make(self, depth, limit, **options):
        from beamtree import OptimalTreeClassifier

        return OptimalTreeClassifier(max_depth=depth, time_limit=limit, **options)

    def fit(self, X, y, weight):
        self.rows = {"X": X, "y": y, "sample_weight": weight}
        self.model.fit(**self.rows)

    def improvements(self, begin):  # noqa: ARG002
        before = statistics.median(self.validation() for _ in range(3))
        return [[before + seconds, *row] for seconds, *row in rows_of(self.model.trace_)]

    def validation(self):
        """Seconds of ``fit`` that the trace lacks: of one that does not search, all but its trace.

        That is the checks of the input, and on top a recount of the tree.
        """
        model = clone(self.model).set_params(time_limit=0.0)
        begin = perf_counter()
        model.fit(**self.rows)
        return perf_counter() - begin - float(model.trace_["seconds"][-1])

    def claim(self):
        model = self.model
        return {
            "optimal": model.status_ == "optimal",
            "status": model.status_,
            "errors": int(model.n_errors_),
            "objective": float(model.objective_),
            "lower": float(model.lower_bound_),
            "preparation": model.statistics_.get("preparation_seconds"),
        }


class Thresholds(Beamtree):
    """Ours on columns of numbers, with every test ``x > t``; to make them is part of the time."""

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.float32), y

    def fit(self, X, y, weight):
        values = [np.unique(column) for column in X.T]
        self.cuts = [v[:-1] + (v[1:] - v[:-1]) / 2 for v in values]
        super().fit(self.tests(X), y, weight)

    def tests(self, X):
        """One column of 0 and 1 a threshold."""
        tests = np.empty((len(X), sum(map(len, self.cuts))), dtype=np.uint8)
        begin = 0
        for column, cuts in zip(X.T, self.cuts, strict=True):
            end = begin + len(cuts)
            np.greater(column[:, None], cuts, out=tests[:, begin:end], casting="unsafe")
            begin = end
        return tests

    def predict(self, X):
        return self.model.predict(self.tests(X))


def rows_of(trace):
    """Seconds, errors and lower bound of our own trace."""
    return [list(row) for row in trace[["seconds", "objective", "lower_bound"]].tolist()]


class Engine(Solver):
    """Our search without the estimator, to switch parts of it off: ``probe=False``."""

    distribution = "beamtree"

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.uint8), np.ascontiguousarray(y, np.int32)

    def make(self, depth, limit, **options):
        from beamtree._engine.engine import run

        return partial(run, max_depth=depth, time_limit=limit, **({"rule": "auto"} | options))

    def fit(self, X, y, weight):
        self.result = self.model(X, y, weight, int(y.max()) + 1)

    def improvements(self, begin):  # noqa: ARG002
        return rows_of(self.result.trace)

    def claim(self):
        result = self.result
        claim = {"errors": result.n_errors, "lower": result.lower_bound, "status": result.status}
        return claim | {"optimal": result.status == "optimal"}

    def predict(self, X):
        return self.result.tree.predict(X).argmax(axis=1)


class Clocked(io.TextIOBase):
    """Output that keeps the moment of each line."""

    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append((perf_counter(), text))
        return len(text)


class Pystreed(Solver):
    """Tells of its improvements in print, if ``print_intermediates=True``."""

    distribution = "pystreed"

    def make(self, depth, limit, **options):
        from pystreed import STreeDClassifier

        settings = {
            "optimization_task": "accuracy",
            "max_num_nodes": None,
            "hyper_tune": False,
            "min_leaf_node_size": 1,
            "feature_ordering": "in-order",
        }
        return STreeDClassifier(max_depth=depth, time_limit=limit, **(settings | options))

    def fit(self, X, y, weight):
        self.rows, self.said = len(y), Clocked()
        with redirect_stdout(self.said):
            super().fit(X, y, weight)

    def improvements(self, begin):
        found = [(when, re.search(r"Solution =\s*(\d+)", line)) for when, line in self.said.lines]
        return [[when - begin, float(match[1]), None] for when, match in found if match]

    def claim(self):
        result = self.model.fit_result
        errors = round((1 - result.score()) * self.rows)
        return {"optimal": bool(result.is_optimal()), "errors": errors, "lower": None}


class Pytrees(Solver):
    """Tells the error after each pass that was better, but gives no tree until the end."""

    distribution = "pytrees-rs"

    def make(self, depth, limit, **options):
        from pytrees import DL85Classifier
        from pytrees.rules import DiscrepancyRule

        settings = {
            "min_sup": 1,
            "heuristic": "information_gain",
            "discrepancy": DiscrepancyRule(),
        }
        return DL85Classifier(max_depth=depth, max_time=limit, **(settings | options))

    def fit(self, X, y, weight):
        if weight is not None:
            raise ValueError("pytrees has no sample weights")
        self.passes = []
        self.model.fit_anytime(
            X, y, lambda error, *_: self.passes.append((perf_counter(), float(error)))
        )

    def improvements(self, begin):
        return [[when - begin, error, None] for when, error in self.passes]

    def claim(self):
        errors = round(float(self.model.train_error_))
        return {"optimal": self.model.status_ == "optimal", "errors": errors, "lower": None}


class Pydl85(Solver):
    distribution = "pydl8.5"

    def make(self, depth, limit, **options):
        from pydl85 import DL85Classifier

        return DL85Classifier(max_depth=depth, min_sup=1, time_limit=int(limit), **options)

    def claim(self):
        errors = round(float(self.model.error_))
        return {"optimal": not self.model.timeout_, "errors": errors, "lower": None}


class Contree(Solver):
    """Takes numbers as they are, and every threshold between them. Warns of a limit it has hit."""

    distribution = "pycontree"

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.float64), np.ascontiguousarray(y, np.int32)

    def make(self, depth, limit, **options):
        from pycontree import ConTree

        return ConTree(max_depth=depth, time_limit=limit, **options)

    def fit(self, X, y, weight):
        with catch_warnings(record=True) as self.warned:
            simplefilter("always")
            super().fit(X, y, weight)

    def claim(self):
        late = any("time limit" in str(warning.message) for warning in self.warned)
        return {"optimal": not late, "errors": None, "lower": None}


class Greedy(Solver):
    """Scikit-learn's own tree: proves nothing, but is always installed."""

    distribution = "scikit-learn"

    def make(self, depth, limit, **options):  # noqa: ARG002
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=depth, random_state=0, **options)

    def fit(self, X, y, weight):
        self.model.fit(X, y, sample_weight=weight)

    def claim(self):
        return {"optimal": False, "errors": None, "lower": None}


SOLVERS = {
    "beamtree": Beamtree,
    "engine": Engine,
    "thresholds": Thresholds,
    "pystreed": Pystreed,
    "pytrees": Pytrees,
    "pydl85": Pydl85,
    "contree": Contree,
    "greedy": Greedy,
}
PEERS = [name for name in SOLVERS if SOLVERS[name].distribution != "beamtree"]


def installed(name):
    """The version of a solver's package, or None."""
    try:
        return version(SOLVERS[name].distribution)
    except PackageNotFoundError:
        return None

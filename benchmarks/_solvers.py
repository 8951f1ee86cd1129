"""The solvers of the benchmarks: ours, the peers of the study, and a few others.

To add a peer, add it to ``beamtree/study/peers.py`` and name it in `SOLVERS`. A solver that the
study cannot use (for numbers, or with options) is a class with ``make``, ``fit`` and ``claim``. A
solver that needs other types of arrays converts them in ``arrays``, which is not measured. A solver
that reports better trees while it runs returns them in ``improvements``.
"""

import io
import statistics
from abc import ABC, abstractmethod
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from time import perf_counter
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone

from beamtree.study.peers import PEERS as STUDY_PEERS


class Solver(ABC):
    """The interface of a solver, for the worker."""

    distribution: str
    """Name of the solver's package, whose version is reported."""

    def __init__(self, depth, limit, options):
        self.model = self.make(depth, limit, **options)

    def arrays(self, X, y):
        """Return the arrays in the types that the solver takes without a conversion."""
        kind = np.float64 if X.dtype.kind == "f" else np.int32
        return np.ascontiguousarray(X, kind), np.ascontiguousarray(y, np.int32)

    @abstractmethod
    def make(self, depth, limit, **options):
        """Import the solver's package, and return its estimator."""

    def fit(self, X, y, weight):
        """Fit the estimator; only this call is timed."""
        if weight is not None:
            raise ValueError(f"{self.distribution} has no sample weights")
        self.model.fit(X, y)

    @abstractmethod
    def claim(self):
        """Return what the solver claims: ``optimal``, and ``errors`` and ``lower`` or None."""

    def improvements(self, begin):  # noqa: ARG002
        """Return all improvements: seconds since `begin`, errors, and lower bound or None."""
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
        """Return the seconds of ``fit`` before the trace starts: the checks of the input.

        They are estimated by a fit without any time to search, less the seconds of its trace. So
        they include the recount of the tree.
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
            "leaves": int(model.get_n_leaves()),
            "preparation": model.statistics_.get("preparation_seconds"),
        }


class Thresholds(Beamtree):
    """Beamtree on columns of numbers."""

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.float64), y


def rows_of(trace):
    """Return seconds, errors and lower bound of the rows of our trace."""
    return [list(row) for row in trace[["seconds", "objective", "lower_bound"]].tolist()]


class Engine(Solver):
    """Our search without the estimator, so that parts can be switched off, as ``probe=False``."""

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


class Peer(Solver):
    """A peer of the study, which is called as there."""

    study_name: str

    def __init_subclass__(cls):
        cls.distribution = STUDY_PEERS[cls.study_name].distribution
        cls.peer = STUDY_PEERS[cls.study_name].solve

    def make(self, depth, limit):
        return self.peer.make(depth, limit)

    def fit(self, X, y, weight):
        if weight is not None:
            raise ValueError(f"{self.distribution} has no sample weights")
        self.reports = []
        self.peer.fit(
            self.model, X, y, lambda errors, _: self.reports.append((perf_counter(), errors))
        )

    def improvements(self, begin):
        return [[when - begin, errors, None] for when, errors in self.reports]

    def claim(self):
        errors = round(self.reports[-1][1]) if self.reports else None
        return {"optimal": self.peer.proved(self.model), "errors": errors, "lower": None}


class Pystreed(Peer):
    """STreeD limits the splits; a tree has one leaf more."""

    study_name = "pystreed"

    def make(self, depth, limit, max_leaf_nodes=None):
        model = self.peer.make(depth, limit)
        if max_leaf_nodes is not None:
            model.set_params(max_num_nodes=min(max_leaf_nodes, 2**depth) - 1)
        return model

    def claim(self):
        return super().claim() | {"leaves": int(self.model.get_n_leaves())}


class Pytrees(Peer):
    """Pytrees reports the errors after each better pass, but gives no tree until the end."""

    study_name = "pytrees-rs"


class PytreesPass(Pytrees):
    """Pytrees without a rule: one complete pass, usually faster to the proof."""

    study_name = "pytrees-rs"

    def make(self, depth, limit):
        model = super().make(depth, limit)
        return model.set_params(discrepancy=None)

    def fit(self, X, y, weight):
        self.reports = []
        Solver.fit(self, X, y, weight)

    def claim(self):
        return super().claim() | {"errors": round(float(self.model.train_error_))}


class Pydl85(Peer):
    study_name = "pydl8.5"

    def claim(self):
        return super().claim() | {"errors": round(float(self.model.error_))}


class Contree(Solver):
    """ConTree takes numbers and tries every threshold. It warns if it has hit the time limit.

    Its complexity cost is the price of a split, as a share of the rows.
    """

    distribution = "pycontree"

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.float64), np.ascontiguousarray(y, np.int32)

    def make(self, depth, limit, **options):
        from pycontree import ConTree

        if "leaf_penalty" in options:
            options["complexity_cost"] = options.pop("leaf_penalty")
        return ConTree(max_depth=depth, time_limit=limit, **options)

    def fit(self, X, y, weight):
        with catch_warnings(record=True) as self.warned:
            simplefilter("always")
            super().fit(X, y, weight)

    def claim(self):
        late = any("time limit" in str(warning.message) for warning in self.warned)
        leaves = int(self.model.get_num_leaf_nodes())
        return {"optimal": not late, "errors": None, "lower": None, "leaves": leaves}


class Imodels(Solver):
    """The fast small trees of imodels, at a price per leaf and without a limit of depth.

    Their objective counts the first leaf, too. It is a share of the rows.
    """

    distribution = "imodels"

    def make(self, depth, limit, **options):
        from imodels.tree.optimal_tree.fast_small_tree import FastSmallTreeClassifier

        if depth is not None:
            raise ValueError(f"imodels has no limit of depth, got {depth}")
        price = options.pop("leaf_penalty", 0.05)
        return FastSmallTreeClassifier(regularization=price, time_limit=limit, **options)

    def fit(self, X, y, weight):
        self.rows = len(y)
        with catch_warnings():
            simplefilter("ignore")
            super().fit(X, y, weight)

    def claim(self):
        model = self.model
        lower = (float(model.lowerbound_) - model.regularization) * self.rows
        return {
            "optimal": bool(model.optimal_),
            "errors": None,
            "lower": lower,
            "leaves": int(model.n_leaves_),
        }


class Gosdt(Solver):
    """GOSDT, at a price per leaf. Its objective counts the first leaf, too, as a share of the rows.

    Its time limit is in whole seconds. Without a depth, trees may have any depth. They predict for
    themselves, because its own ``predict`` does not run with today's scikit-learn.
    """

    distribution = "gosdt"

    def arrays(self, X, y):
        return np.ascontiguousarray(X, np.bool_), y

    def make(self, depth, limit, **options):
        from gosdt import GOSDTClassifier

        return GOSDTClassifier(
            regularization=options.pop("leaf_penalty", 0.05),
            allow_small_reg=True,
            depth_budget=depth,
            time_limit=ceil(limit),
            **options,
        )

    def fit(self, X, y, weight):
        self.rows = len(y)
        with redirect_stdout(io.StringIO()):  # it warns of small prices
            super().fit(X, y, weight)

    def claim(self):
        from gosdt import Status

        result = self.model.result_
        return {
            "optimal": result.status == Status.CONVERGED,
            "errors": None,
            "lower": (result.lowerbound - self.model.regularization) * self.rows,
            "leaves": str(self.model.trees_[0]).count("prediction"),
        }

    def predict(self, X):
        return self.model.trees_[0].predict(X)


class Greedy(Solver):
    """Scikit-learn's greedy tree, which proves nothing, but is always installed."""

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
    "pytrees-pass": PytreesPass,
    "pydl85": Pydl85,
    "contree": Contree,
    "imodels": Imodels,
    "gosdt": Gosdt,
    "greedy": Greedy,
}
PEERS = [name for name in SOLVERS if SOLVERS[name].distribution != "beamtree"]


def installed(name):
    """Return the version of a solver's package, or None if it is not installed."""
    try:
        return version(SOLVERS[name].distribution)
    except PackageNotFoundError:
        return None

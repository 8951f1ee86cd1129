"""How each solver is called: ours and the peers.

To add a peer: 1. write a class with ``make``, ``fit`` and ``claim``; 2. name
it in `SOLVERS`. A peer that needs other array types converts them in
``arrays``, outside the time that is measured.
"""

from abc import ABC, abstractmethod
from importlib.metadata import PackageNotFoundError, version

import numpy as np


class Solver(ABC):
    """What the worker needs of a solver."""

    distribution: str
    """The name of the package, for its version."""

    def __init__(self, depth, limit, options):
        self.model = self.make(depth, limit, **options)

    def arrays(self, X, y):
        """The arrays in the types that the solver likes best."""
        return np.ascontiguousarray(X, np.int32), np.ascontiguousarray(y, np.int32)

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
        self.model.fit(X, y, sample_weight=weight)

    def claim(self):
        model = self.model
        return {
            "optimal": model.status_ == "optimal",
            "status": model.status_,
            "errors": int(model.n_errors_),
            "objective": float(model.objective_),
            "lower": float(model.lower_bound_),
        }


class Pystreed(Solver):
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
        self.rows = len(y)
        super().fit(X, y, weight)

    def claim(self):
        result = self.model.fit_result
        errors = round((1 - result.score()) * self.rows)
        return {"optimal": bool(result.is_optimal()), "errors": errors, "lower": None}


class Pytrees(Solver):
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
        self.model.fit_anytime(X, y, lambda *_: None)

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
    "pystreed": Pystreed,
    "pytrees": Pytrees,
    "pydl85": Pydl85,
    "greedy": Greedy,
}


def installed(name):
    """The version of a solver's package, or None."""
    try:
        return version(SOLVERS[name].distribution)
    except PackageNotFoundError:
        return None

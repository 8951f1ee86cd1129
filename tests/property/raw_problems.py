"""Random tables of raw values: numbers, booleans, dates, categories with and without an order."""

from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd

from tests.oracle.raw_tables import best_of_table, class_groups, every_split
from tests.property.problems import PENALTIES, draw_weights

# By depth, the most rows and the most splits with which the oracle takes milliseconds.
ROWS = {0: 20, 1: 60, 2: 30, 3: 18, 4: 13}
SPLITS = {0: 30, 1: 150, 2: 40, 3: 22, 4: 14}
# The kinds of columns that only data frames have.
FRAMES = ["categories", "categories", "ordered", "ordered", "instants", "durations", "months"]
# Categories in their order, which is not that of the alphabet.
ORDER = [f"s{9 - place}" for place in range(10)]
WEIGHTS = ("none", "none", "unit", "small", "zeros", "large", "huge", "equal", "real", "boosted")
LIMITS = (
    "max_depth",
    "max_leaf_nodes",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "leaf_penalty",
)
EXACT_WEIGHTS = ("none", "none", "unit", "small", "zeros", "large", "equal")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    kind : str
        "floats", "integers", "booleans", "text", "categories", "ordered", "days", "instants",
        "durations" or "months". Those of "categories" are numbers that are marked as categories,
        and those of "ordered" are among `ORDER`.
    values : list
        Python objects, None if missing. Dates and times are the integers in which they are held:
        days, nanoseconds that are no whole days, or months since 1970.
    """

    kind: str
    values: list

    def question(self, y, weight):
        """Return the column as the oracle takes it, given labels and weights of its rows."""
        if self.kind == "ordered":
            places = [None if value is None else ORDER.index(value) for value in self.values]
            return "numbers", places
        if self.kind in ("text", "categories"):
            weight = [1] * len(y) if weight is None else weight
            return "categories", self.values, class_groups(self.values, y, weight)
        return "numbers", self.values


@dataclass(frozen=True)
class RawProblem:
    """One problem over a table of raw values.

    Parameters
    ----------
    columns : list of Column
        The columns.
    y : list of int
        Labels from 0 to the number of classes - 1, all of which occur.
    weight : list of float or None
        Weights of the rows.
    container : {"frame", "array", "lists"}
        In which form the table is given.
    settings : dict
        Settings of the problem.
    """

    columns: list
    y: list
    weight: list | None
    container: str = "frame"
    settings: dict = field(default_factory=dict)

    @property
    def depth(self):
        return self.settings["max_depth"]

    def table(self):
        """Return the table in its form."""
        if self.container == "frame":
            return pd.DataFrame({f"c{j}": _series(each) for j, each in enumerate(self.columns)})
        values = [
            _days(each.values) if each.kind == "days" else each.values for each in self.columns
        ]
        rows = [list(row) for row in zip(*values, strict=True)]
        if self.container == "lists":
            return rows
        if all(each.kind == "floats" for each in self.columns):
            return np.array(rows, dtype=np.float64)  # None becomes NaN
        if all(each.kind == "integers" and None not in each.values for each in self.columns):
            return np.array(rows)
        array = np.empty((len(rows), len(self.columns)), dtype=object)
        for i, row in enumerate(rows):
            array[i] = row
        return array

    @cached_property
    def classes(self):
        return sorted(set(self.y))

    @cached_property
    def weights(self):
        """Return the weights of the rows, times those of their classes, as exact numbers."""
        weights = [Fraction(w) for w in ([1] * len(self.y) if self.weight is None else self.weight)]
        factor = self.settings.get("class_weight")
        if factor is None:
            return weights
        if factor == "balanced":
            by_class = dict.fromkeys(self.classes, 0)
            for label, weight in zip(self.y, weights, strict=True):
                by_class[label] += weight
            present = [k for k, weight in by_class.items() if weight]
            share = sum(weights) / len(present)
            factor = {k: share / by_class[k] for k in present}
        return [
            weight * Fraction(factor.get(label, 1))
            for label, weight in zip(self.y, weights, strict=True)
        ]

    @cached_property
    def costs(self):
        """Return the cost of every mistake."""
        given = self.settings.get("cost_matrix")
        if given is not None:
            return given
        return [[int(j != k) for k in self.classes] for j in self.classes]

    @cached_property
    def total(self):
        """Return the largest objective of a tree, up to a factor."""
        return float(sum(self.weights)) * max(1.0, float(np.max(self.costs)))

    @cached_property
    def whole(self):
        """Return whether all objectives are integers that floats hold exactly."""
        numbers = [*self.weights, *np.ravel(self.costs).tolist()]
        is_whole = all(Fraction(number).denominator == 1 for number in numbers)
        is_plain = not self.settings.get("leaf_penalty")
        is_plain &= self.settings.get("class_weight") != "balanced"
        # With costs and leaf sizes, the search may divide the weight of a row into parts.
        is_plain &= not {"cost_matrix", "min_samples_leaf"} <= set(self.settings)
        return is_whole and is_plain and self.total * len(self.classes) < 2**53

    def questions(self):
        """Return the columns as the oracle takes them."""
        return [each.question(self.y, self.weight) for each in self.columns]

    def best(self):
        """Return the optimum, and the optimum for each first split."""
        limits = {name: self.settings[name] for name in LIMITS if name in self.settings}
        return best_of_table(self.questions(), self.y, self.weights, self.costs, **limits)


def _series(column):
    """Return a column of a data frame; several types can hold missing values."""
    values, has_missing = column.values, None in column.values
    if column.kind == "categories":
        return pd.Series(pd.Categorical(values))
    if column.kind == "ordered":
        return pd.Series(pd.Categorical(values, ORDER, ordered=True))
    if column.kind == "days":
        return pd.Series(_days(values), dtype="datetime64[us]")
    if column.kind == "instants":
        return pd.Series(pd.array(_times(values, "M8[ns]"))).dt.tz_localize("UTC")
    if column.kind == "durations":
        return pd.Series(_times(values, "m8[ns]"))
    if column.kind == "months":
        return pd.Series(pd.PeriodIndex(_times(values, "M8[M]").astype("M8[s]"), freq="M"))
    dtype = {
        "floats": "float64",
        "integers": "Int64" if has_missing else None,
        "booleans": "boolean" if has_missing else "bool",
        "text": "object",
    }[column.kind]
    if column.kind == "integers" and max((v for v in values if v is not None), default=0) >= 2**63:
        dtype = "UInt64"
    return pd.Series(values, dtype=dtype)


def _days(values):
    return [None if value is None else date(1970, 1, 1) + timedelta(value) for value in values]


def _times(values, dtype):
    return np.array(["NaT" if value is None else value for value in values], dtype=dtype)


def random_raw_problem(rng, *, depth=None, times=1):
    """Return a random problem that the oracle solves in milliseconds.

    The number of rows and splits is multiplied by `times`.
    """
    depth = int(rng.choice([1, 1, 2, 2, 2, 2, 3, 3, 3, 4])) if depth is None else depth
    n_rows = int(rng.integers(1, times * ROWS[depth] + 1))
    container = str(rng.choice(["frame", "array", "lists"]))
    same = str(rng.choice(["floats", "integers"])) if rng.random() < 0.3 else None
    columns = []
    for _ in range(int(rng.integers(1, 6))):
        columns.append(_random_column(rng, n_rows, same, container))
        questions = [each.question([0] * n_rows, None) for each in columns]
        splits = every_split(questions, range(n_rows))
        if len(splits) > times * SPLITS[depth] and len(columns) > 1:
            columns.pop()
            break
    rng.shuffle(columns)
    y = _random_labels(rng, columns, n_rows)
    settings, exact = _random_settings(rng, depth, y)
    kind = str(rng.choice(EXACT_WEIGHTS if exact else WEIGHTS))
    weight = draw_weights(rng, n_rows, kind)
    problem = RawProblem(
        columns, y, None if weight is None else weight.tolist(), container, settings
    )
    if any(problem.weights):
        return problem
    del settings["class_weight"]  # the class weights left no row
    return replace(problem, settings=settings)


def _random_column(rng, n_rows, kind, container):
    kinds = ["floats", "floats", "integers", "integers", "booleans", "text", "text", "days"]
    kind = kind or str(rng.choice([*kinds, *(FRAMES if container == "frame" else [])]))
    values = {
        "floats": _random_floats,
        "integers": _random_integers,
        "booleans": lambda rng, n: (rng.random(n) < rng.random()).tolist(),
        "text": lambda rng, n: [f"v{v}" for v in rng.integers(0, rng.integers(1, 8), n)],
        "categories": lambda rng, n: rng.integers(0, rng.integers(1, 8), n).tolist(),
        "ordered": lambda rng, n: [ORDER[v] for v in rng.integers(0, rng.integers(1, 10), n)],
        "days": lambda rng, n: rng.integers(19_780, rng.integers(19_781, 19_800), n).tolist(),
        "instants": _random_instants,
        "durations": _random_instants,
        "months": lambda rng, n: rng.integers(-20, rng.integers(-19, 600), n).tolist(),
    }[kind](rng, n_rows)
    share = float(rng.choice([0, 0, 0, 0.1, 0.3, 0.6, 0.95]))
    if kind == "integers" and container == "array":
        share *= rng.random() < 0.5
    gone = rng.random(n_rows) < share
    return Column(kind, [None if out else v for v, out in zip(values, gone, strict=True)])


def _random_floats(rng, n):
    drawn = rng.integers(0, rng.integers(1, 2 * n + 1), n)
    shape = rng.integers(0, 9)
    if shape < 3:
        return drawn.astype(float).tolist()
    if shape == 3:
        return rng.normal(size=n).tolist()
    if shape == 4:
        return (drawn / 10 - 0.3).tolist()
    if shape == 5:  # both zeros
        return [-0.0 if v == 0 and rng.random() < 0.5 else float(v) for v in drawn - 2]
    # Neighbouring doubles, subnormal numbers, and numbers whose differences overflow.
    step = [2.0**-52, 5e-324, 1.7e308][shape - 6]
    return [[1.0 + k * step, k * step, (k / n - 1.0) * step][shape - 6] for k in drawn.tolist()]


def _random_integers(rng, n):
    drawn = rng.integers(0, rng.integers(1, 2 * n + 1), n).tolist()
    starts = [0, 0, -5, 20240101, 2**53 - 2, 10**17, -(10**17), 2**63 - 1 - 2 * n, -(2**63)]
    start = starts[rng.integers(len(starts))]
    return [start + v for v in drawn]


def _random_instants(rng, n):
    """Return nanoseconds that are next to each other, or up to days apart."""
    step = 10 ** int(rng.integers(0, 15))
    return [1_709_251_199_999_999_997 + step * v for v in rng.integers(0, 2 * n, n).tolist()]


def _random_labels(rng, columns, n):
    n_classes = int(rng.choice([1, 2, 2, 2, 2, 3, 3, 4]))
    noise = rng.integers(0, n_classes, n)
    labels = np.zeros(n, dtype=int)
    for _ in range(2):
        values = columns[rng.integers(len(columns))].values
        known = sorted({v for v in values if v is not None})
        if known:
            cut = known[rng.integers(len(known))]
            side = rng.random() < 0.5
            labels += [side if v is None else v <= cut for v in values]
    labels = np.where(rng.random(n) < rng.choice([0, 0.2, 0.5, 1]), noise, labels % n_classes)
    return np.unique(labels, return_inverse=True)[1].tolist()


def _random_settings(rng, depth, y):
    """Return settings of the problem, and whether the weights must be exact."""
    n_classes = len(set(y))
    settings = {"max_depth": depth}
    if rng.random() < 0.2:
        settings["max_leaf_nodes"] = int(rng.integers(1, 2**depth + 1))
    if rng.random() < 0.35:
        settings["leaf_penalty"] = float(rng.choice(PENALTIES))
    if rng.random() < 0.25:
        weights = [0, 1, 2, 5, 0.5]
        given = {k: weights[rng.integers(5)] for k in range(n_classes)}
        settings["class_weight"] = "balanced" if rng.random() < 0.4 else given
    drawn = rng.random()
    if drawn < 0.15 and settings.get("class_weight") != "balanced":
        settings["min_weight_fraction_leaf"] = float(rng.choice([0.05, 0.1, 0.2, 0.25, 0.5]))
        return settings, True
    if drawn < 0.4:
        settings["min_samples_leaf"] = int(rng.integers(2, 6))
    elif drawn < 0.5:
        settings["min_samples_leaf"] = float(rng.choice([0.1, 0.25, 0.3]))
    if rng.random() < 0.2:
        costs = rng.integers(0, 6, (n_classes, n_classes)).astype(float)
        if rng.random() < 0.7:
            np.fill_diagonal(costs, 0.0)
        settings["cost_matrix"] = (costs * (1 if rng.random() < 0.7 else 0.37)).tolist()
    return settings, False

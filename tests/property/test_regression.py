"""Regression trees, compared with an enumeration of all trees in rational arithmetic.

One problem is solved by the regressor and by two searches with random strategies, kernels, threads
and stops. Every tree is recounted from the rows in rational arithmetic.
"""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from beamtree import OptimalTreeRegressor
from beamtree._engine.engine import Engine
from beamtree._engine.settings import SETTINGS, Settings
from beamtree._resume.initial_tree import read_training_data
from tests.oracle import least_squares, mean_groups, squares_of
from tests.oracle.raw_tables import goes_left
from tests.property.checks import random_setting
from tests.property.raw_checks import STOPS, TEST
from tests.property.raw_problems import LIMITS, random_raw_problem
from tests.property.systems import random_system
from tests.soak import trials
from tests.unfinished import unfinished

OF_CLASSES = ("information_gain", "gain_ratio", "gini")


class Problem:
    """A table, the numbers to predict, and the limits of the trees."""

    def __init__(self, rng, **shape):
        raw = random_raw_problem(rng, **shape)
        self.columns, self.weight = raw.columns, raw.weight
        self.table = raw.table()
        self.y = random_numbers(rng, raw)
        self.settings = {name: raw.settings[name] for name in LIMITS if name in raw.settings}
        if rng.random() < 0.1 and len(self.y) < 12:
            self.settings["max_depth"] = None
            self.settings["leaf_penalty"] = float(rng.choice([0.01, 0.05, 0.3]))
        self.weights = [1.0] * len(self.y) if self.weight is None else self.weight

    def best(self):
        return least_squares(self.questions(), self.y, self.weights, **self.settings)

    def questions(self):
        """Return the columns as the oracle takes them."""
        questions = []
        for each in self.columns:
            question = each.question([0] * len(self.y), None)[:2]
            if question[0] == "categories":
                question += (mean_groups(question[1], self.y, self.weights),)
            questions.append(question)
        return questions

    def recounted(self, tree, columns):
        """Return the objective of a tree, and the leaf of each row, after checking its limits."""
        leaves = {}
        for row, weight in enumerate(self.weights):
            node, level = 0, 0
            while tree.children_left[node] >= 0:
                test = SimpleNamespace(**{name: getattr(tree, name)[node] for name in TEST})
                column = int(tree.feature[node])
                value = self.columns[column].values[row]
                left = goes_left(test, columns.categories[column], value)
                node = int((tree.children_left if left else tree.children_right)[node])
                level += 1
            depth = self.settings["max_depth"]
            assert depth is None or level <= depth
            if weight > 0:
                leaves.setdefault(node, []).append(row)
        kept = [row for row, weight in enumerate(self.weights) if weight > 0]
        error = sum(self.squares(rows) for rows in leaves.values())
        assert len(leaves) == tree.n_leaves <= self.settings.get("max_leaf_nodes", len(kept))
        least = self.settings.get("min_samples_leaf", 1)
        least = least * len(kept) if least < 1 else least
        share = self.settings.get("min_weight_fraction_leaf", 0) * sum(self.weights)
        if len(leaves) > 1:
            assert all(len(rows) >= least - 1e-9 for rows in leaves.values())
            weighed = (sum(self.weights[i] for i in rows) for rows in leaves.values())
            assert all(weight >= share * (1 - 1e-9) for weight in weighed)
        price = Fraction(self.settings.get("leaf_penalty", 0)) * self.squares(kept)
        for node, rows in leaves.items():
            predicted = self.prediction(rows)
            assert tree.value[node, 0, 0] == pytest.approx(predicted, rel=1e-9, abs=1e-9)
            assert tree.n_node_samples[node] == len(rows)
        return error + price * (len(leaves) - 1)

    @property
    def constant(self):
        return len({y for y, weight in zip(self.y, self.weights, strict=True) if weight > 0}) == 1

    def prediction(self, rows):
        return np.average([self.y[i] for i in rows], weights=[self.weights[i] for i in rows])

    def squares(self, rows):
        return squares_of([self.y[i] for i in rows], [self.weights[i] for i in rows])

    @property
    def noise(self):
        """How much doubles may round."""
        kept = [row for row, weight in enumerate(self.weights) if weight > 0]
        return 1e-12 * float(self.squares(kept))


def random_numbers(rng, raw):
    """Return numbers to predict: integers, decimals, any doubles, many or few of them equal."""
    n = len(raw.y)
    kind = rng.integers(0, 9)
    noise = rng.normal(size=n)
    signal = np.array(raw.y, dtype=float)
    y = [
        lambda: rng.integers(-20, 20, n).astype(float),
        lambda: rng.integers(0, 2, n).astype(float),
        lambda: signal + rng.integers(0, 10, n) / 10,
        lambda: np.round(noise, int(rng.integers(0, 12))),
        lambda: signal + 0.1 * noise,
        lambda: noise,
        lambda: np.exp(5 * noise),
        lambda: 1e9 + rng.choice([0.1, 1.0, 1e-5]) * noise,
        lambda: noise * float(rng.choice([1e-100, 1e100, 1e-12, 1e15])),
    ][kind]()
    return y.tolist()


def check(problem, result, columns, optimum):
    """Assert that the tree has the objective, and that the bounds hold."""
    exact = problem.recounted(result.tree, columns)
    assert abs(Fraction(result.objective) - exact) <= problem.noise
    assert Fraction(result.lower_bound) <= optimum
    assert optimum <= exact
    assert result.lower_bound <= result.objective
    if result.status == "optimal":
        assert exact - optimum <= Fraction(result.rounding)
        assert result.objective - result.lower_bound <= result.rounding


def check_proved(problem, result):
    """Assert that the search is complete, and how little is left to rounding."""
    assert result.status == "optimal"
    assert result.rounding <= 1e-9 * float(problem.squares(range(len(problem.y)))) or (
        abs(np.mean(problem.y)) > 1e5 * np.std(problem.y)
    )


def fit(rng, problem, optimum):
    chosen = strategy(rng, constant=problem.constant) if rng.random() < 0.7 else {}
    reg = OptimalTreeRegressor(time_limit=None, **problem.settings, **chosen)
    reg.fit(problem.table, problem.y, problem.weight)
    names = ("status", "objective", "lower_bound", "rounding", "tree", "gap")
    result = SimpleNamespace(**{name: getattr(reg, f"{name}_") for name in names})
    check(problem, result, reg.columns_, optimum)
    check_proved(problem, result)
    table = reg.alternatives_.table
    assert (table["lower_bound"] <= table["objective"]).all()
    value = reg.tree_.value[:, 0, 0]
    assert (reg.predict(problem.table) == value[reg.apply(problem.table)]).all()


def strategy(rng, *, constant):
    chosen = random_system(rng) | {"exact_levels": int(rng.integers(0, 4))}
    if constant:
        chosen["rule"] = "auto"  # rules of one's own divide by the weight of a node, which is 0
    if getattr(chosen.get("heuristic"), "name", chosen.get("heuristic")) in OF_CLASSES:
        chosen["heuristic"] = "error"
    return chosen | {
        "n_jobs": int(rng.integers(1, 3)),
        "tie_break": str(rng.choice(["any", "small", "smallest"])),
    }


def search(rng, problem, optimum, data, check=check):
    """Check a search with a random strategy, switches and kernel, and with random stops."""
    chosen = {**random_setting(rng), **strategy(rng, constant=problem.constant)}
    stops = rng.choice([np.inf, np.inf, *STOPS])
    given = {name: value for name, value in chosen.items() if name in SETTINGS}
    switches = {name: value for name, value in chosen.items() if name not in SETTINGS}
    engine = Engine(data, Settings(**problem.settings, **given), **switches)
    cost, lower, steps = np.inf, 0, 0
    while not engine.done:
        engine.step(np.inf if steps > 20 else float(stops))
        outcome, steps = engine.outcome, steps + 1
        assert lower <= outcome.lower <= outcome.cost <= cost
        cost, lower = outcome.cost, outcome.lower
        if steps in (1, 4):
            check(problem, engine.result(), data.columns, optimum)
    result = engine.result()
    check(problem, result, data.columns, optimum)
    assert result.status in ("optimal", "rule_limit")


def hold(rng, problem, runs=2):
    optimum = problem.best()
    fit(rng, problem, optimum)
    data = read_training_data(
        problem.table, problem.y, problem.weight, Settings(), "Search", numbers=True
    )
    for _ in range(runs):
        search(rng, problem, optimum, data)


@pytest.mark.parametrize("chunk", trials(4, soak=1000))
def test_random_tables(chunk):
    """200 small tables in `make test`, and 50,000 in `make soak`."""
    for seed in range(50):
        rng = np.random.default_rng([90, chunk, seed])
        hold(rng, Problem(rng))


def cart_error(X, y, weight, **settings):
    """Return the squared error of CART's tree; None if it depends on the random state."""
    errors = set()
    for seed in range(5):
        cart = DecisionTreeRegressor(random_state=seed, **settings)
        residual = cart.fit(X, y, weight).predict(X) - y
        errors.add(round(float(np.average(residual**2, weights=weight)), 10))
    total = len(y) if weight is None else float(weight.sum())
    return total * errors.pop() if len(errors) == 1 else None


@unfinished
@pytest.mark.parametrize("chunk", trials(2, soak=100))
def test_no_search_is_worse_than_cart_however_short_its_time(chunk):
    counted = 0
    for seed in range(20):
        rng = np.random.default_rng([91, chunk, seed])
        n_rows, n_columns = int(rng.integers(10, 150)), int(rng.integers(1, 6))
        # scikit-learn rounds numbers to float32.
        X = rng.integers(0, 2**20, (n_rows, n_columns)) / 2**10
        y = np.sin(X[:, 0] / 200) + rng.choice([0, 0.1, 1]) * rng.normal(size=n_rows)
        if rng.random() < 0.5:
            X[rng.random(X.shape) < rng.choice([0.05, 0.3])] = np.nan
        weight = rng.integers(1, 5, n_rows).astype(float) if rng.random() < 0.3 else None
        settings = {
            "max_depth": int(rng.integers(1, 6)),
            "min_samples_leaf": int(rng.choice([1, 1, 2, 5])),
        }
        error = cart_error(X, y, weight, **settings)
        for limit in () if error is None else (0, 0.01, 0.1):
            for most in (None, 3):
                reg = OptimalTreeRegressor(time_limit=limit, max_thresholds=most, **settings)
                reg.fit(X, y, weight)
                assert reg.objective_ <= error * (1 + 1e-9) + 1e-8, (limit, most, settings)
                counted += 1
    assert counted > 50


def test_the_oracle_is_right_where_the_answer_is_known():
    """Two steps of the same height: one split leaves the squares of one of them."""
    column = ("numbers", [0, 1, 2, 3, 4, 5])
    y = [0, 0, 3, 3, 9, 9]
    settings = {"max_leaf_nodes": None, "max_depth": 1}
    assert least_squares([column], y, [1] * 6, **settings) == 9
    assert least_squares([column], y, [1, 1, 0, 0, 1, 1], **settings) == 0
    assert least_squares([column], y, [1] * 6, max_depth=2) == 0
    assert least_squares([column], y, [1] * 6, max_depth=None, leaf_penalty=Fraction(1, 84)) == 2
    assert least_squares([column], y, [1] * 6, max_depth=2, max_leaf_nodes=2) == 9
    assert least_squares([column], y, [1] * 6, max_depth=2, min_samples_leaf=3) == 30
    assert mean_groups(list("abcde"), [1, 5, 2, 4, 3], [1] * 5) == [{"b", "d"}, {"b", "d", "e"}]

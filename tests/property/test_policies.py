"""Policies and costs per row, compared with an enumeration of all trees in rational arithmetic.

One problem is solved by the policy tree, by the classifier with costs per row, and by two searches
with random strategies, kernels, forms of the rows, threads and stops. Every tree is recounted from
the rows in rational arithmetic.
"""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from beamtree import OptimalPolicyTree, OptimalTreeClassifier
from beamtree._engine.engine import Engine
from beamtree._engine.settings import SETTINGS, Settings
from beamtree._resume.initial_tree import read_policy_data
from tests.oracle import greedy_policy, largest_reward, reward_of_policy
from tests.oracle.raw_tables import class_groups, goes_left
from tests.property.checks import random_setting
from tests.property.raw_checks import STOPS, TEST
from tests.property.raw_problems import LIMITS, random_raw_problem
from tests.property.systems import random_system
from tests.soak import trials
from tests.unfinished import unfinished

LIMITS = tuple(name for name in LIMITS if name != "min_weight_fraction_leaf")


class Problem:
    """A table, the rewards of its rows, and the limits of the trees."""

    def __init__(self, rng, **shape):
        raw = random_raw_problem(rng, **shape)
        self.columns, self.weight = raw.columns, raw.weight
        self.table = raw.table()
        self.rewards = random_rewards(rng, raw)
        self.settings = {name: raw.settings[name] for name in LIMITS if name in raw.settings}
        self.weights = [1.0] * len(raw.y) if self.weight is None else self.weight
        self.best_actions = np.array(self.rewards).argmax(axis=1).tolist()
        best = [max(line) for line in self.rewards]
        self.best_possible = reward_of_policy([0] * len(best), [[r] for r in best], self.weights)

    def questions(self, labels):
        found = []
        for each in self.columns:
            question = each.question([0] * len(labels), None)[:2]
            if question[0] == "categories":
                question += (class_groups(question[1], labels, self.weights),)
            found.append(question)
        return found

    def best(self, labels):
        """Return the smallest objective: the least regret, with penalties."""
        found = largest_reward(self.questions(labels), self.rewards, self.weights, **self.settings)
        return self.best_possible - found

    def recounted(self, tree, columns):
        """Return the reward and the objective of a tree, after checking its limits."""
        taken, leaves = [], {}
        for row, weight in enumerate(self.weights):
            node, level = 0, 0
            while tree.children_left[node] >= 0:
                test = SimpleNamespace(**{name: getattr(tree, name)[node] for name in TEST})
                column = int(tree.feature[node])
                value = self.columns[column].values[row]
                left = goes_left(test, columns.categories[column], value)
                node = int((tree.children_left if left else tree.children_right)[node])
                level += 1
            assert level <= self.settings["max_depth"]
            taken.append(int(tree.prediction[node]))
            if weight > 0:
                leaves.setdefault(node, []).append(row)
        kept = sum(weight > 0 for weight in self.weights)
        assert len(leaves) == tree.n_leaves <= self.settings.get("max_leaf_nodes", kept)
        least = self.settings.get("min_samples_leaf", 1)
        least = least * kept if least < 1 else least
        if len(leaves) > 1:
            assert all(len(rows) >= least - 1e-9 for rows in leaves.values())
        for node, rows in leaves.items():
            assert tree.n_node_samples[node] == len(rows)
        reward = reward_of_policy(taken, self.rewards, self.weights)
        price = Fraction(self.settings.get("leaf_penalty", 0)) * sum(map(Fraction, self.weights))
        return reward, self.best_possible - reward + price * (len(leaves) - 1)

    @property
    def noise(self):
        """How much doubles may round."""
        largest = max(abs(reward) for line in self.rewards for reward in line)
        return 1e-12 * max(largest * sum(self.weights), 1e-300)


def random_rewards(rng, raw):
    """Return rewards: integers, decimals, any doubles, with or without ties and a signal."""
    shape = len(raw.y), int(rng.choice([1, 2, 2, 2, 3, 3, 3, 4]))
    noise = rng.normal(size=shape)
    signal = (np.array(raw.y)[:, None] % shape[1] == np.arange(shape[1])).astype(float)
    rewards = [
        lambda: rng.integers(-5, 6, shape).astype(float),
        lambda: rng.integers(0, 2, shape).astype(float),
        lambda: 3 * signal + rng.integers(-2, 3, shape),
        lambda: signal + rng.integers(0, 10, shape) / 10,
        lambda: np.round(noise, int(rng.integers(0, 6))),
        lambda: signal + 0.3 * noise,
        lambda: np.exp(4 * noise),
        lambda: 1e6 + noise,
        lambda: np.repeat(noise[:, :1], shape[1], axis=1) + rng.integers(0, 2, shape),
        lambda: -signal * float(rng.choice([1e-50, 1e50, 7.0])),
    ][rng.integers(0, 10)]()
    return rewards.tolist()


def check(problem, result, columns, optimum):
    """Assert that the tree has the objective, and that the bounds hold."""
    reward, exact = problem.recounted(result.tree, columns)
    assert abs(Fraction(result.objective) - exact) <= problem.noise
    assert Fraction(result.lower_bound) <= optimum + Fraction(problem.noise)
    assert optimum <= exact
    assert result.lower_bound <= result.objective
    if result.status == "optimal":
        assert result.lower_bound == result.objective or result.rounding > 0
        assert exact - optimum <= Fraction(2 * result.rounding + problem.noise)
    if getattr(result, "reward", None) is not None:
        assert abs(Fraction(result.reward) - reward) <= problem.noise
        assert problem.best_possible - optimum <= Fraction(result.reward_bound) + Fraction(
            problem.noise
        )


def strategy(rng):
    return random_system(rng) | {
        "exact_levels": int(rng.integers(0, 4)),
        "n_jobs": int(rng.integers(1, 3)),
        "tie_break": str(rng.choice(["any", "small", "smallest"])),
    }


def fit(rng, problem, optimum):
    """Check a fitted policy tree."""
    chosen = strategy(rng) if rng.random() < 0.7 else {}
    policy = OptimalPolicyTree(time_limit=None, **problem.settings, **chosen)
    policy.fit(problem.table, problem.rewards, problem.weight)
    check_fitted(problem, policy, optimum)
    assert policy.reward_ == pytest.approx(
        policy.value(problem.table, problem.rewards, problem.weight) * sum(problem.weights),
        abs=problem.noise,
    )
    table = policy.alternatives_.table
    assert (table["lower_bound"] <= table["objective"]).all()


def check_fitted(problem, estimator, optimum):
    names = ("status", "objective", "lower_bound", "rounding", "tree", "reward", "reward_bound")
    result = SimpleNamespace(**{name: getattr(estimator, f"{name}_", None) for name in names})
    check(problem, result, estimator.columns_, optimum)
    assert result.status in ("optimal", "gap_reached")
    assert result.status == "optimal" or result.rounding > 0
    assert result.objective - float(optimum) <= 2 * result.rounding + problem.noise


def fit_costs(rng, problem):
    """Check a classifier with costs per row, whose labels are any."""
    rewards = np.array(problem.rewards)
    n_rows, n_classes = rewards.shape
    y = rng.integers(0, n_classes, n_rows)
    y[: min(n_rows, n_classes)] = np.arange(min(n_rows, n_classes))
    if n_rows < n_classes:
        return
    costs = rewards.max(axis=1)[:, np.newaxis] - rewards
    clf = OptimalTreeClassifier(time_limit=None, **problem.settings, **strategy(rng))
    clf.fit(problem.table, y, problem.weight, costs)
    check_fitted(problem, clf, problem.best(y.tolist()))
    kept = np.array(problem.weights) > 0
    assert clf.n_errors_ == (clf.predict(problem.table) != y)[kept].sum()


def search(rng, problem, optimum, data):
    """Check a search with a random strategy, form, switches and kernel, and with random stops."""
    chosen = {
        **random_setting(rng),
        **strategy(rng),
        "form": str(rng.choice(["bits", "sorted", "sorted", "auto"])),
    }
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
    assert result.status in ("optimal", "gap_reached", "rule_limit")


def hold(rng, problem, runs=2):
    optimum = problem.best(problem.best_actions)
    fit(rng, problem, optimum)
    fit_costs(rng, problem)
    owner = OptimalPolicyTree()
    given = (problem.table, problem.rewards, None, problem.weight)
    data = read_policy_data(*given, Settings(), owner)
    for _ in range(runs):
        search(rng, problem, optimum, data)


@pytest.mark.parametrize("chunk", trials(3, soak=1000))
def test_random_tables(chunk):
    """150 small tables in `make test`, and 50,000 in `make soak`."""
    for seed in range(50):
        rng = np.random.default_rng([92, chunk, seed])
        hold(rng, Problem(rng))


@unfinished
@pytest.mark.parametrize("chunk", trials(2, soak=100))
def test_no_search_is_worse_than_the_greedy_policy(chunk):
    for seed in range(20):
        rng = np.random.default_rng([93, chunk, seed])
        n_rows, n_columns = int(rng.integers(5, 60)), int(rng.integers(1, 4))
        X = rng.integers(0, rng.integers(2, 50), (n_rows, n_columns))
        rewards = rng.integers(-9, 10, (n_rows, int(rng.integers(2, 4))))
        rewards[:, 0] += 4 * (X[:, 0] > X[:, 0].mean())
        limits = {"max_depth": int(rng.integers(1, 4)), "min_samples_leaf": int(rng.integers(1, 4))}
        reward = greedy_policy(X.tolist(), rewards.tolist(), **limits)
        for limit in (0, 0.01):
            policy = OptimalPolicyTree(time_limit=limit, **limits)
            assert policy.fit(X, rewards).reward_ >= reward, (limit, limits)


def test_the_oracle_is_right_where_the_answer_is_known():
    column = ("numbers", [0, 1, 2, 3])
    rewards = [[0, 3], [0, 2], [0, -1], [0, 4]]
    assert largest_reward([column], rewards, [1] * 4, max_depth=0) == 8
    assert largest_reward([column], rewards, [1] * 4, max_depth=1) == 8
    assert largest_reward([column], rewards, [1] * 4, max_depth=2) == 9
    assert largest_reward([column], rewards, [1, 1, 5, 1], max_depth=1) == 5
    assert largest_reward([column], rewards, [1, 1, 5, 1], max_depth=2, max_leaf_nodes=2) == 5
    assert largest_reward([column], rewards, [1] * 4, max_depth=2, min_samples_leaf=2) == 8
    penalty = Fraction(1, 16)  # 2 leaves more cost 2/16 of the 4 rows, and gain 1
    assert largest_reward([column], rewards, [1] * 4, max_depth=2, leaf_penalty=penalty) == 8.5
    assert reward_of_policy([1, 0, 1, 1], rewards, [1, 1, 2, 1]) == 5
    assert greedy_policy([[0], [1], [2], [3]], rewards, max_depth=2, min_samples_leaf=1) == 8

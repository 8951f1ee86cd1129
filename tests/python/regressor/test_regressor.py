"""The regressor: what it minimises, what it says about it, and what it refuses."""

import pickle
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from beamtree import CancelToken, OptimalTreeClassifier, OptimalTreeRegressor
from beamtree._engine.integer_squares import integer_squares
from beamtree.rules import Rule
from tests.oracle import squares_of


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


def exact_error(reg, X, y, weight=None):
    """Return the squared error of the leaves of a tree in rational arithmetic."""
    weight = np.ones(len(y)) if weight is None else weight
    leaf = reg.apply(X)
    y, weight = np.asarray(y, dtype=float), np.asarray(weight, dtype=float)
    return sum(squares_of(y[leaf == k], weight[leaf == k]) for k in np.unique(leaf))


def test_diabetes_is_proved(diabetes):
    X, y = diabetes
    reg = OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert reg.proof_ == "Proved optimal: squared error 1,477,077 (R² 0.436)"
    assert reg.status_ == "optimal"
    cart = DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert reg.score(X, y) > cart.score(X, y)
    residual = reg.predict(X) - y
    assert reg.objective_ == pytest.approx(float((residual**2).sum()), rel=1e-12)
    assert reg.lower_bound_ <= exact_error(reg, X, y) <= reg.lower_bound_ + reg.rounding_
    assert reg.rounding_ < 1e-11 * float(squares_of(y, np.ones(len(y))))
    assert reg.gap_ == (reg.objective_ - reg.lower_bound_) / reg.objective_
    assert (reg.get_depth(), reg.get_n_leaves()) == (2, 4)
    assert reg.decision_path(X).shape == (len(X), 7)
    assert not hasattr(reg, "n_errors_")


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
def test_the_unit_of_y_does_not_matter(diabetes, scale):
    X, y = diabetes
    reg = OptimalTreeRegressor(max_depth=2).fit(X, y * scale)
    assert reg.status_ == "optimal"
    assert reg.objective_ == pytest.approx(1477076.8231 * scale**2, rel=1e-9)
    assert reg.rounding_ < 1e-11 * reg.objective_


def test_a_shift_of_y_does_not_matter(diabetes):
    X, y = diabetes
    reg = OptimalTreeRegressor(max_depth=2).fit(X, y + 1e9)
    assert reg.objective_ == pytest.approx(1477076.8231, rel=1e-9)
    assert reg.predict(X).min() == pytest.approx(1e9 + 96.8959537)


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    times = rng.integers(0, 4, 40)
    weighted = OptimalTreeRegressor(max_depth=3).fit(X, y, times)
    repeated = OptimalTreeRegressor(max_depth=3).fit(np.repeat(X, times, 0), np.repeat(y, times))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-12)
    assert weighted.predict(X[times > 0]) == pytest.approx(repeated.predict(X[times > 0]))
    assert weighted.status_ == repeated.status_ == "optimal"


@pytest.mark.parametrize("spread", [1.0, 1e6, 1e12])
def test_real_weights_are_proved(spread):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    weight = np.exp(rng.uniform(0, np.log(spread), 60)) * rng.uniform(1, 2, 60)
    reg = OptimalTreeRegressor(max_depth=2).fit(X, y, weight)
    single = squares_of(y, weight)
    assert reg.status_ == "optimal"
    assert reg.rounding_ < 1e-9 * single
    assert abs(Fraction(reg.objective_) - exact_error(reg, X, y, weight)) < 1e-12 * single


def test_the_penalty_is_a_share_of_the_error_of_a_single_leaf():
    X, y = np.arange(6)[:, None], np.array([0.0, 0, 3, 3, 9, 9])  # a single leaf has 84
    for penalty, objective, leaves in ((0.01, 1.68, 3), (0.1, 16.8, 3), (0.5, 51.0, 2), (1, 84, 1)):
        for depth in (2, None):
            reg = OptimalTreeRegressor(max_depth=depth, leaf_penalty=penalty).fit(X, y)
            assert reg.objective_ == pytest.approx(objective)
            assert reg.get_n_leaves() == leaves
            assert reg.status_ == "optimal"
    assert reg.proof_ == "Proved optimal: objective 84 (R² 0.000)"


def test_limits_of_leaves():
    X, y = np.arange(6)[:, None], np.array([0.0, 0, 3, 3, 9, 9])
    for leaves, error in ((1, 84), (2, 9), (3, 0)):
        for depth in (3, None):
            reg = OptimalTreeRegressor(max_depth=depth, max_leaf_nodes=leaves).fit(X, y)
            assert reg.objective_ == pytest.approx(error)
            assert reg.get_n_leaves() == leaves
    assert reg.n_leaves_bound_ == 3
    small = OptimalTreeRegressor(max_depth=2, min_samples_leaf=3).fit(X, y)
    assert small.objective_ == pytest.approx(30)
    heavy = OptimalTreeRegressor(max_depth=2, min_weight_fraction_leaf=0.5).fit(X, y)
    assert heavy.objective_ == pytest.approx(30)


def test_a_constant_needs_no_split():
    reg = OptimalTreeRegressor(max_depth=None, leaf_penalty=0.1).fit([[0], [1]], [7.5, 7.5])
    assert (reg.objective_, reg.lower_bound_, reg.gap_, reg.rounding_) == (0.0, 0.0, 0.0, 0.0)
    assert reg.proof_ == "Proved optimal: objective 0 (R² 1.000)"
    assert reg.predict([[5]]) == [7.5]
    alone = OptimalTreeRegressor().fit([[0.0]], [3])
    assert alone.predict([[1.0]]) == [3.0]


def test_a_perfect_fit_is_exact():
    X = np.arange(32)[:, None]
    y = np.repeat([0.1, 0.2, 0.7, 0.3], 8)
    reg = OptimalTreeRegressor(max_depth=3).fit(X, y)
    assert reg.objective_ == reg.lower_bound_ == reg.gap_ == 0.0
    assert (reg.status_, reg.n_leaves_bound_) == ("optimal", 4)
    assert sorted(set(reg.predict(X))) == [0.1, 0.2, 0.3, 0.7]


def test_tables_of_all_kinds(diabetes):
    X, y = diabetes
    zeros_and_ones = (X.mean() < X).astype(int)
    first = OptimalTreeRegressor(max_depth=3).fit(zeros_and_ones, y)
    for same in (zeros_and_ones.to_numpy(bool), csr_array(zeros_and_ones.to_numpy(float))):
        assert OptimalTreeRegressor(max_depth=3).fit(same, y).objective_ == first.objective_


def test_categories_are_grouped_by_mean():
    frame = pd.DataFrame({"city": list("abcdefghij") * 4})
    y = np.tile([1, 9, 1, 9, 1, 1, 9, 9, 1, 9], 4) + 0.5
    reg = OptimalTreeRegressor(max_depth=1).fit(frame, y)
    assert reg.objective_ == 0.0
    assert reg.proof_ == (
        "Proved optimal over groups of categories by mean: squared error 0 (R² 1.000)"
    )
    frame.loc[0, "city"] = None
    assert OptimalTreeRegressor(max_depth=2).fit(frame, y).objective_ == 0.0


def test_no_time_gives_a_tree_that_is_no_worse_than_cart():
    X, y = make_friedman1(300, random_state=0)
    reg = OptimalTreeRegressor(max_depth=4, time_limit=0).fit(X, y)
    cart = DecisionTreeRegressor(max_depth=4).fit(X, y)
    assert reg.status_ == "time_limit"
    assert reg.score(X, y) >= cart.score(X, y) - 1e-12
    assert re.fullmatch(
        r"Not proved: squared error [\d.,]+ \(R² 0\.\d+\), at least [\d.,]+ \(time limit of 0 s\)",
        reg.proof_,
    )


def test_other_limits_and_control(diabetes):
    X, y = diabetes
    with pytest.warns(ConvergenceWarning, match="A larger node_limit or a smaller max_depth"):
        assert OptimalTreeRegressor(node_limit=1).fit(X, y).status_ == "node_limit"
    assert OptimalTreeRegressor(max_depth=3, gap_limit=0.9).fit(X, y).status_ == "gap_reached"
    token = CancelToken()
    token.cancel()
    assert OptimalTreeRegressor(cancel=token).fit(X, y).status_ == "interrupted"
    seen = []
    reg = OptimalTreeRegressor(max_depth=2, callback=seen.append).fit(X, y)
    assert seen[-1].n_errors is None
    assert str(seen[-1]) == reg.proof_
    assert "<td>442</td>" in seen[-1]._repr_html_()
    assert (reg.trace_["objective"] >= reg.objective_).all()
    assert (reg.trace_["lower_bound"] <= reg.lower_bound_).all()


def test_a_warm_start_goes_on(diabetes):
    X, y = diabetes
    reg = OptimalTreeRegressor(max_depth=3, node_limit=2, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        reg.fit(X, y)
    assert reg.status_ == "node_limit"
    nodes = reg.statistics_["nodes"]
    reg.set_params(node_limit=None).fit(X, y)
    assert (reg.status_, reg.statistics_["nodes"] > nodes) == ("optimal", True)
    engine = reg._warm.engine
    assert reg.fit(X, y)._warm.engine is engine
    assert reg.fit(X, y + 1)._warm.engine is not engine
    assert pickle.loads(pickle.dumps(reg)).predict(X).tolist() == reg.predict(X).tolist()


def test_a_search_starts_from_a_given_tree(diabetes):
    X, y = diabetes
    best = OptimalTreeRegressor(max_depth=3).fit(X, y)
    for init in (best, best.tree_, best.to_sklearn()):
        reg = OptimalTreeRegressor(max_depth=3, init=init, time_limit=0).fit(X, y)
        assert reg.objective_ == pytest.approx(best.objective_, rel=1e-12)
    cart = DecisionTreeRegressor(max_depth=3).fit(X, y)
    reg = OptimalTreeRegressor(max_depth=3, init=cart, max_thresholds=2, time_limit=0).fit(X, y)
    assert reg.score(X, y) >= cart.score(X, y) - 1e-12


def test_rules_of_ones_own_work(diabetes):
    X, y = diabetes

    class Few(Rule):
        most = 0

        def initial_state(self, ctx):
            assert 0.0 <= ctx.error <= ctx.weight * (1 + 1e-9)
            return 0

        def update(self, state, ctx):
            return state + ctx.rank

        def prune(self, state):
            return state > self.most

        def relax(self, step):
            self.most += max(1, int(step))
            return True

    reg = OptimalTreeRegressor(max_depth=3, rule=Few(), exact_levels=0).fit(X.iloc[:60], y[:60])
    assert reg.status_ == "optimal"
    auto = OptimalTreeRegressor(max_depth=3).fit(X.iloc[:60], y[:60])
    assert reg.objective_ == pytest.approx(auto.objective_)


def test_scikit_learn_tools(diabetes):
    X, y = diabetes
    search = GridSearchCV(OptimalTreeRegressor(), {"max_depth": [1, 2]}, cv=3).fit(X, y)
    assert search.best_params_ == {"max_depth": 2}
    both = MultiOutputRegressor(OptimalTreeRegressor(max_depth=1)).fit(X, np.c_[y, -y])
    assert both.predict(X)[:, 0] == pytest.approx(-both.predict(X)[:, 1])
    assert clone(OptimalTreeRegressor(max_depth=1)).max_depth == 1


BAD = {
    "criterion": ("absolute_error", "criterion must be 'squared_error' or an object of a class"),
    "heuristic": ("gini", "heuristic must be 'auto', 'lookahead', 'error', 'given', or such"),
    "max_depth": (-1, "max_depth must be None or an integer from 0 to 20, got -1"),
    "leaf_penalty": (-0.5, "leaf_penalty must be"),
    "init": (
        "cart",
        "init must be None, a fitted DecisionTreeRegressor, ExtraTreeRegressor or OptimalTreeReg",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_named(name):
    value, words = BAD[name]
    with pytest.raises(ValueError, match=re.escape(words)):
        OptimalTreeRegressor(**{name: value}).fit([[0], [1]], [0, 1])


def test_trees_of_classes_are_no_start():
    X, y = [[0], [1]], [0, 1]
    for tree in (DecisionTreeClassifier().fit(X, y), OptimalTreeClassifier().fit(X, y)):
        with pytest.raises(ValueError, match="init must be a regressor, got a "):
            OptimalTreeRegressor(init=tree).fit(X, y)
    with pytest.raises(ValueError, match="init must be a classifier, got a OptimalTreeRegressor"):
        OptimalTreeClassifier(init=OptimalTreeRegressor().fit(X, y)).fit(X, y)
    with pytest.raises(ValueError, match="init must be None, a fitted DecisionTreeRegressor"):
        OptimalTreeRegressor(init=LinearRegression()).fit(X, y)
    with pytest.raises(ValueError, match="the tree_ of the regressor"):
        OptimalTreeRegressor(init=OptimalTreeRegressor()).fit(X, y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "OptimalTreeRegressor requires y to be passed"),
        ([[1, 2], [3, 4]], "y must have one number per row, got an array of shape (2, 2): fit one"),
        ([1.0, np.nan], "Input y contains NaN"),
        (pd.Series([1.0, None], dtype="Float64"), "the number of row 1 is missing"),
        ([1.0, np.inf], "Input y contains infinity"),
        ([1.0, 1e200], "y must have numbers from -1e+140 to 1e+140, got 1e+200: scale y"),
        (["a", "b"], "y must have numbers, got values of type <U1"),
        ([1.0], "inconsistent numbers of samples"),
        ([0.0, 1e-200], "must add up to a number between 1e-290 and 1e290, got 0.0: scale y"),
        ([1j, 2j], "Complex data not supported"),
    ],
)
def test_bad_numbers_are_refused(y, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        OptimalTreeRegressor().fit([[0], [1]], y)


def test_rounded_weights_cannot_weigh_leaves():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(9, 1)), rng.normal(size=9), rng.random(9)
    with pytest.raises(ValueError, match="min_weight_fraction_leaf must be 0 unless the weights"):
        OptimalTreeRegressor(min_weight_fraction_leaf=0.1).fit(X, y, weight)


@pytest.mark.parametrize("n_rows", [3, 100, 3000])
@pytest.mark.parametrize("kind", ["integers", "decimals", "doubles", "huge", "skewed"])
def test_integers_are_as_fine_as_the_core_allows(n_rows, kind):
    rng = np.random.default_rng(n_rows)
    y = {
        "integers": lambda: rng.integers(0, 100, n_rows).astype(float),
        "decimals": lambda: rng.integers(0, 10**6, n_rows) / 1000,
        "doubles": lambda: rng.normal(size=n_rows),
        "huge": lambda: 1e12 * rng.normal(size=n_rows),
        "skewed": lambda: np.exp(20 * rng.random(n_rows)),
    }[kind]()
    for weight in (np.ones(n_rows), rng.integers(1, 10**6, n_rows) * 1.0, rng.random(n_rows)):
        squares = integer_squares(y, weight, 0.01, max_depth=4)
        value, whole = squares.value.astype(float), squares.problem.weight
        total = float((np.ldexp(value, squares.scaling.exponent) ** 2 / whole).sum())
        assert 2**46 < total < 2**50
        assert np.abs(value).sum() < 2**53
        assert whole.min() >= 1
        assert whole.sum() < 2**53
        single = float(squares_of(y, weight))
        assert squares.problem.scale * single == pytest.approx(total, rel=0.1)
        assert squares.problem.rounding < 1e-10 * single

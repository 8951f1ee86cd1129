"""Objectives that are written in Python: results, ways out, errors, checks, exports."""
# ruff: noqa: ARG005 (functions of an objective take what they do not need)

import contextlib
import pickle
import signal
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mean_poisson_deviance
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from beamtree import (
    CheckpointError,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Search,
    export_graphviz,
    export_text,
    leaf_path,
    penalty_path,
)
from beamtree.objectives import Objective, PoissonDeviance
from tests.property.own_objectives import Misclassified, OnlyRows, Quota


class Squares(Objective):
    """The squared error once more, to compare it with the built-in one."""

    name = "squares"
    superset_bound = True

    def statistics(self, y, sample_weight):
        return sample_weight[:, None] * np.column_stack([np.ones(len(y)), y, y**2])

    def leaf_costs(self, sums):
        weight, total, squares = sums.T
        return np.maximum(squares - total**2 / weight, 0.0)

    def predictions(self, sums):
        return sums[:, 1] / sums[:, 0]


def friedman(n_rows=60):
    return make_friedman1(n_rows, n_features=5, noise=1.0, random_state=0)


@pytest.mark.parametrize("settings", [{}, {"leaf_penalty": 0.05}, {"max_leaf_nodes": 3}])
@pytest.mark.parametrize("bounded", [True, False])
def test_squares_find_the_same_tree_as_the_built_in_objective(settings, bounded):
    X, y = friedman()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    objective = Squares()
    objective.superset_bound = bounded
    own = OptimalTreeRegressor(max_depth=2, criterion=objective, **settings).fit(X, y, weight)
    built_in = OptimalTreeRegressor(max_depth=2, **settings).fit(X, y, weight)
    assert own.status_ == built_in.status_ == "optimal"
    assert own.objective_ == pytest.approx(built_in.objective_, rel=1e-9)
    assert own.predict(X) == pytest.approx(built_in.predict(X), rel=1e-9)
    assert own.lower_bound_ <= own.objective_ <= own.lower_bound_ + own.rounding_
    assert own.rounding_ < 1e-9 * own.tree_.cost[0]
    assert own.feature_importances_ == pytest.approx(built_in.feature_importances_, rel=1e-6)
    assert own.score(X, y) == pytest.approx(built_in.score(X, y))


def test_the_poisson_deviance_is_that_of_scikit_learn_and_below_carts():
    X, y = load_diabetes(return_X_y=True)
    y = np.round(y / 20)
    ours = OptimalTreeRegressor(max_depth=2, criterion=PoissonDeviance(check=True)).fit(X, y)
    assert ours.proof_.startswith("Proved optimal: Poisson deviance ")
    assert ours.objective_ == pytest.approx(len(y) * mean_poisson_deviance(y, ours.predict(X)))
    cart = DecisionTreeRegressor(max_depth=2, criterion="poisson", random_state=0).fit(X, y)
    assert ours.objective_ < len(y) * mean_poisson_deviance(y, cart.predict(X))


def test_the_bounds_that_are_declared_save_work():
    """All find the same optimum, and the one that declares more evaluates fewer trees."""
    X, y = friedman(300)
    y = np.floor(y)
    cells = []
    for kind in (Misclassified, OnlyRows):
        reg = OptimalTreeRegressor(max_depth=2, criterion=kind(), rule=None).fit(X, y)
        cells.append(reg.statistics_["cells"])
        assert reg.objective_ == pytest.approx(
            OptimalTreeClassifier(max_depth=2).fit(X, np.floor(y) % 3).objective_
        )
    free = OnlyRows()
    free.superset_bound = False
    cells.append(
        OptimalTreeRegressor(max_depth=2, criterion=free, rule=None).fit(X, y).statistics_["cells"]
    )
    assert cells[0] < cells[1] < cells[2]


class Failing(Squares):
    """Raises an error at some call, or presses Ctrl-C."""

    def __init__(self, calls, error):
        super().__init__()
        self.left, self.error = calls, error

    def leaf_costs(self, sums):
        self.left -= 1
        if self.left == 0 and self.error is None:
            signal.raise_signal(signal.SIGINT)
        elif self.left == 0:
            raise self.error
        return super().leaf_costs(sums)


@pytest.mark.parametrize("calls", [150, 200, 400])
def test_an_exception_leaves_a_fitted_estimator(calls):
    X, y = friedman(100)
    reg = OptimalTreeRegressor(max_depth=3, criterion=Failing(calls, OSError("no cost")))
    with pytest.raises(OSError, match="no cost"):
        reg.fit(X, y)
    assert reg.status_ != "optimal"
    assert 0.0 <= reg.lower_bound_ <= reg.objective_
    own = Squares().leaf_costs(np.array([[len(y), y.sum(), (y**2).sum()]]))[0]
    assert reg.objective_ <= own * (1 + 1e-9)
    assert np.isfinite(reg.predict(X)).all()


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_an_exception_before_there_is_a_tree_is_raised(calls):
    reg = OptimalTreeRegressor(criterion=Failing(calls, OSError("no cost")))
    with pytest.raises(OSError, match="no cost"):
        reg.fit(*friedman(20))


class Broken(Squares):
    """Raises the same error from some call on."""

    def __init__(self, calls):
        super().__init__()
        self.left = calls

    def leaf_costs(self, sums):
        self.left -= 1
        if self.left <= 0:
            msg = "no cost"
            raise OSError(msg)
        return super().leaf_costs(sums)


@pytest.mark.parametrize("calls", [66, 128, 130, 132, 150, 250])
def test_the_exception_of_a_broken_objective_is_the_one_that_is_raised(calls):
    with pytest.raises(OSError, match="no cost"):
        OptimalTreeRegressor(criterion=Broken(calls)).fit(*friedman(60))


@pytest.mark.parametrize("check", [True, False])
def test_ctrl_c_while_a_search_is_made_is_ctrl_c(check):
    X, y = friedman(30)
    for calls in range(1, 300, 23):
        objective = Failing(calls, None)
        objective.check = check
        with contextlib.suppress(KeyboardInterrupt):
            Search(X, y, regression=True, criterion=objective, max_depth=1).run(time_limit=10)


class Spread(Squares):
    """A cost in which small differences of large sums matter."""

    superset_bound = True

    def leaf_costs(self, sums):
        weight = sums[:, 0]
        return weight * np.log1p(super().leaf_costs(sums) / weight)


def test_statistics_that_lose_their_digits_are_refused():
    y = np.array([0, 0, 0, 40, 40, 40, 90, 90, 90, 90, 1e10, 1.5e10])
    X = np.arange(12)[:, None]
    with pytest.raises(ValueError, match="must have statistics whose sums keep enough digits"):
        OptimalTreeRegressor(max_depth=2, criterion=Spread()).fit(X, y)
    weight = np.where(np.arange(12) % 2, 1.0, 1e-30)
    with pytest.raises(ValueError, match=r"those of row 0, .* are too small beside the sums"):
        OptimalTreeRegressor(criterion=PoissonDeviance()).fit(X, np.arange(12), weight)


def test_large_means_are_in_the_rounding():
    X, y = friedman()
    near, far = (
        OptimalTreeRegressor(max_depth=2, criterion=Squares()).fit(X, y + shift)
        for shift in (0.0, 1e4)
    )
    assert far.status_ == "optimal"
    assert abs(far.objective_ - near.objective_) <= far.rounding_
    assert far.lower_bound_ <= near.objective_


@pytest.mark.parametrize("factor", [1e-305, 1e-200, 1e200, 1e300])
def test_costs_of_all_sizes(factor):
    X, y = friedman(30)
    objective = Squares()
    objective.leaf_costs = lambda sums: factor * Squares().leaf_costs(sums)
    reg = OptimalTreeRegressor(max_depth=1, criterion=objective).fit(X, y)
    plain = OptimalTreeRegressor(max_depth=1).fit(X, y)
    assert reg.objective_ == pytest.approx(factor * plain.objective_, rel=1e-9)


def test_removal_costs_that_bound_nothing_are_ignored():
    X, y = friedman(30)
    objective = Squares()
    objective.removal_costs = lambda y, w: np.full(len(y), 1e300)
    assert OptimalTreeRegressor(max_depth=1, criterion=objective).fit(X, y).status_ == "optimal"


def test_functions_cannot_change_the_data():
    def shift(y, _):
        y -= y.mean()

    X, y = friedman(30)
    with pytest.raises(ValueError, match="read-only"):
        OptimalTreeRegressor(criterion=Wrong(statistics=shift)).fit(X, y)


class NoMiddle(Squares):
    """Leaves of 20 to 50 rows are forbidden."""

    superset_bound = False

    def leaf_costs(self, sums):
        rows = sums[:, 0]
        return np.where((rows > 20) & (rows < 50), np.inf, super().leaf_costs(sums))


def test_inner_nodes_may_be_forbidden_as_leaves():
    X, y = friedman()
    reg = OptimalTreeRegressor(max_depth=2, criterion=NoMiddle()).fit(X, y)
    assert np.isfinite(reg.feature_importances_).all()
    assert np.isfinite(reg.tree_.cost[reg.tree_.feature < 0]).all()
    assert np.isinf(reg.tree_.cost).any()
    assert "inf" not in reg.to_svg()
    assert (OptimalTreeRegressor.from_json(reg.to_json()).tree_.cost == reg.tree_.cost).all()


class NoSmall(Squares):
    """Leaves of less than 10 rows are forbidden, so that costs fall if rows are added."""

    def leaf_costs(self, sums):
        return np.where(sums[:, 0] < 10, np.inf, super().leaf_costs(sums))


def test_the_check_looks_at_sets_of_all_sizes():
    with pytest.raises(ValueError, match="superset_bound is True, but a leaf of cost inf costs"):
        OptimalTreeRegressor(criterion=NoSmall(check=True)).fit(*friedman())


def test_ctrl_c_inside_the_objective_keeps_the_tree():
    X, y = friedman(100)
    reg = OptimalTreeRegressor(max_depth=3, criterion=Failing(300, None))
    reg.set_params(on_interrupt="keep").fit(X, y)
    assert reg.status_ == "interrupted"
    assert np.isfinite(reg.predict(X)).all()


def test_time_limits_hold():
    X, y = make_friedman1(2000, noise=1.0, random_state=0)
    reg = OptimalTreeRegressor(max_depth=4, criterion=Squares(), time_limit=0.3)
    with pytest.warns(ConvergenceWarning):
        reg.fit(X, y)
    assert reg.status_ == "time_limit"
    assert reg.statistics_["seconds"] < 3.0
    cart = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    assert reg.objective_ <= ((cart.predict(X) - y) ** 2).sum() * (1 + 1e-9)


def test_the_greedy_tree_prices_many_leaves_at_once():
    X, y = friedman(300)
    objective = Failing(0, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        OptimalTreeRegressor(max_depth=3, criterion=objective, time_limit=0).fit(X, y)
    assert -objective.left < 300  # a few calls per node, and not one per threshold


def test_a_search_steps_goes_on_and_cannot_be_saved(tmp_path):
    X, y = friedman()
    search = Search(X, y, regression=True, criterion=Squares(), max_depth=2)
    found = [incumbent.objective for incumbent in search]
    assert found == sorted(found, reverse=True)
    assert search.status == "optimal"
    assert search.to_regressor().criterion.name == "squares"
    with pytest.raises(CheckpointError, match="an objective of your own, Squares, cannot be saved"):
        search.save(tmp_path / "search")


def test_paths_are_those_of_the_built_in_objective():
    X, y = friedman()
    given = {"regression": True, "max_depth": 2}
    for find in (leaf_path, penalty_path):
        own, built_in = find(X, y, criterion=Squares(), **given), find(X, y, **given)
        assert own.status == built_in.status == "optimal"
        assert own.table["error"] == pytest.approx(built_in.table["error"], rel=1e-9)
        assert (own.table["leaves"] == built_in.table["leaves"]).all()
        assert own.regressor().proof_.startswith("Proved optimal: squares ")
    penalties = built_in.table["penalty_from"]
    assert own.table["penalty_from"] == pytest.approx(penalties, rel=1e-6, abs=1e-9)


def test_a_warm_start_goes_on_with_an_equal_objective():
    X, y = friedman()
    reg = OptimalTreeRegressor(max_depth=3, criterion=Squares(), warm_start=True, node_limit=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        reg.fit(X, y)
    first = reg._warm
    reg.set_params(node_limit=None, criterion=Squares()).fit(X, y)
    assert reg._warm is first
    assert reg.status_ == "optimal"
    reg.set_params(criterion=PoissonDeviance()).fit(X, np.abs(y))
    assert reg._warm is not first


def test_estimators_are_cloned_pickled_and_searched():
    X, y = friedman()
    reg = OptimalTreeRegressor(max_depth=1, criterion=PoissonDeviance()).fit(X, np.abs(y))
    again = pickle.loads(pickle.dumps(reg))
    assert (again.predict(X) == reg.predict(X)).all()
    assert clone(reg).fit(X, np.abs(y)).objective_ == reg.objective_
    grid = GridSearchCV(reg, {"max_depth": [0, 1]}, cv=2).fit(X, np.abs(y))
    assert grid.best_estimator_.status_ == "optimal"


def test_exports_name_the_cost_of_a_leaf():
    X, claims = [[18], [25], [40], [60]], [3, 2, 0, 1]
    reg = OptimalTreeRegressor(max_depth=1, criterion=PoissonDeviance()).fit(X, claims)
    assert "2.5 (2 rows, cost 0.2014)" in str(reg)
    assert "±" not in str(reg)
    for text in (reg.to_sql(), reg.to_python(), export_graphviz(reg), str(reg.leaf_rules())):
        assert "2.5" in text
    again = OptimalTreeRegressor.from_json(reg.to_json())
    assert (again.tree_.cost == reg.tree_.cost).all()
    assert export_text(again) == export_text(reg)
    assert (again.feature_importances_ == reg.feature_importances_).all()
    twin = reg.to_sklearn()
    assert (twin.predict(np.array(X, dtype=np.float32)) == reg.predict(X)).all()


def test_a_json_with_the_cost_of_some_nodes_is_refused():
    reg = OptimalTreeRegressor(max_depth=1, criterion=PoissonDeviance()).fit([[0], [1]], [0, 5])
    text = reg.to_json().replace('"cost": 0.0', '"cost": -1.0')
    with pytest.raises(ValueError, match="cost must be None or a finite number of at least 0"):
        OptimalTreeRegressor.from_json(text)
    with pytest.raises(ValueError, match=r"nodes\[1\] must have a cost if other nodes have one"):
        OptimalTreeRegressor.from_json(reg.to_json().replace(', "cost": 0.0', ""))


def test_forbidden_leaves_are_avoided():
    y = [5.0, 4.0, 1.0, 1.0, 4.0]
    reg = OptimalTreeRegressor(max_depth=2, criterion=Quota(check=True))
    reg.fit([[0], [1], [2], [3], [4]], y)
    assert reg.status_ == "optimal"
    assert np.isfinite(reg.tree_.cost[reg.tree_.feature < 0]).all()


class Wrong(Squares):
    """Returns something else than the search needs."""

    def __init__(self, **functions):
        super().__init__()
        for name, function in functions.items():
            setattr(self, name, function)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"statistics": lambda y, w: y}, r"statistics must return an array of shape \(4, k\)"),
        ({"statistics": lambda y, w: np.ones((4, 17))}, "k from 1 to 16"),
        ({"statistics": lambda y, w: [["a"]] * 4}, "must return an array of numbers"),
        ({"statistics": lambda y, w: np.full((4, 1), np.nan)}, "got .*nan.* in row 0, column 0"),
        ({"statistics": lambda y, w: np.full((4, 1), 1e308)}, "whose sums are finite: scale them"),
        ({"leaf_costs": lambda sums: sums}, r"of shape \(1,\), got the shape \(1, 3\)"),
        ({"leaf_costs": lambda sums: None}, "must return numbers|of shape"),
        ({"leaf_costs": lambda sums: -sums[:, 0]}, "numbers of at least 0, got .* with the sums"),
        ({"leaf_costs": lambda sums: sums[:, 0] * np.nan}, "numbers of at least 0, got .*nan"),
        ({"leaf_costs": lambda sums: sums[:, 0] + np.inf}, "finite cost for the leaf with"),
        ({"predictions": lambda sums: sums[:, 0] * np.nan}, "finite numbers, one per node"),
        ({"removal_costs": lambda y, w: y[:2]}, r"removal_costs must return an array of"),
        ({"removal_costs": lambda y, w: -np.abs(y)}, "removal_costs must return finite"),
    ],
)
def test_wrong_functions_are_named(functions, message):
    reg = OptimalTreeRegressor(max_depth=1, criterion=Wrong(**functions))
    with pytest.raises(ValueError, match=message):
        reg.fit([[0], [1], [2], [3]], [1.0, 2.0, 3.0, 5.0])


def test_the_check_finds_false_declarations():
    X, y = friedman(40)
    y = np.floor(y)
    false = Quota(check=True)
    false.superset_bound = True
    with pytest.raises(ValueError, match="Quota does not: superset_bound is True, but a leaf of"):
        OptimalTreeRegressor(criterion=false).fit(X, y)
    low = Misclassified(check=True)
    low.removal_costs = lambda y, w: w / 2
    with pytest.raises(ValueError, match=r"removal_costs says 0\.5 for a row"):
        OptimalTreeRegressor(criterion=low).fit(X, y)
    beside = Squares(check=True)
    beside.leaf_costs = lambda sums: sums[:, 2] / len(sums)
    with pytest.raises(ValueError, match=r"beside others, and .* for the same leaf alone"):
        OptimalTreeRegressor(criterion=beside).fit(X, y)


def test_costs_that_change_are_named():
    X, y = friedman(40)
    random = np.random.default_rng(0)
    changing = Squares()
    changing.leaf_costs = lambda sums: Squares().leaf_costs(sums) * random.uniform(1, 1 + 1e-7)
    with pytest.raises(ValueError, match=r"Squares\.leaf_costs must return the same costs for the"):
        OptimalTreeRegressor(max_depth=2, criterion=changing).fit(X, y)


def test_the_check_compares_searches_with_enumeration(monkeypatch):
    """If the search could not be trusted, the check would say so."""
    from beamtree._engine import check_objective

    monkeypatch.setattr(check_objective, "_best_tree", lambda X, cost: 0)
    with pytest.raises(ValueError, match=r"a tree of cost .*, and enumeration one"):
        OptimalTreeRegressor(criterion=Squares(check=True)).fit(*friedman(40))


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ("absolute_error", "criterion must be 'squared_error' or an object of a class that is"),
        (PoissonDeviance, "criterion must be 'squared_error' or an object"),
        (None, "criterion must be 'squared_error' or an object"),
    ],
)
def test_other_criteria_are_refused(criterion, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeRegressor(criterion=criterion).fit([[0], [1]], [0.0, 1.0])


def test_settings_that_do_not_go_with_an_objective_are_refused():
    reg = OptimalTreeRegressor(criterion=Squares(), min_weight_fraction_leaf=0.1)
    with pytest.raises(ValueError, match="min_weight_fraction_leaf must be 0 for an objective of"):
        reg.fit([[0], [1]], [0.0, 1.0])
    with pytest.raises(ValueError, match="criterion must be 'squared_error' unless the tree"):
        Search([[0], [1]], [0, 1], criterion=Squares())
    with pytest.raises(ValueError, match="y must have numbers of at least 0 for the Poisson"):
        OptimalTreeRegressor(criterion=PoissonDeviance()).fit([[0], [1]], [0.0, -1.0])


def test_several_threads_are_not_used():
    X, y = friedman()
    reg = OptimalTreeRegressor(max_depth=2, criterion=Squares(), n_jobs=4).fit(X, y)
    assert reg.status_ == "optimal"

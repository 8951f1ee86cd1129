"""Collections of all kinds: partitions, clusters, files, predictions, and what is refused."""

import pickle
from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from beamtree import OptimalTreeClassifier, OptimalTreeRegressor
from beamtree.dask import DaskOptimalTreeClassifier, DaskOptimalTreeRegressor
from tests.python.dask.problems import divided


@pytest.fixture(scope="module")
def table():
    """Return 300 rows: numbers with ties and missing values, and categories."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"size": rng.integers(0, 50, 300) / 4, "colour": rng.choice(list("abcd"), 300)}
    )
    y = pd.Series(np.where((X["size"] > 4) ^ (X["colour"] == "b"), "yes", "no"))
    y[rng.random(300) < 0.1] = "maybe"
    X.loc[rng.random(300) < 0.1, "size"] = np.nan
    return X, y


def fitted_alike(models):
    for one, other in pairwise(models):
        assert one.proof_ == other.proof_
        np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
        np.testing.assert_array_equal(one.tree_.value, other.tree_.value)
        assert one.trace_["nodes"].tolist() == other.trace_["nodes"].tolist()


def test_the_tree_does_not_depend_on_the_partitions(table):
    X, y = table
    rng = np.random.default_rng(1)
    models = []
    for sizes in ([300], [1, 99, 0, 200], [30] * 10):
        order = rng.permutation(300)
        rows = divided(X.iloc[order], sizes), divided(y.iloc[order], sizes)
        models.append(DaskOptimalTreeClassifier(max_depth=3, max_thresholds=5).fit(*rows))
    fitted_alike(models)


def test_numbers_do_not_depend_on_the_partitions():
    rng = np.random.default_rng(2)
    X, y, weight = rng.integers(0, 9, (100, 2)), rng.normal(size=100), rng.random(100) + 0.1
    models = []
    for sizes in ([100], [40, 60], [20] * 5):
        order = rng.permutation(100)
        rows = (divided(values[order], sizes) for values in (X, y, weight))
        models.append(DaskOptimalTreeRegressor(max_depth=2).fit(*rows))
    fitted_alike(models)


def test_a_cluster_runs_the_passes(table):
    distributed = pytest.importorskip("distributed")
    X, y = table
    X, y = divided(X, [100] * 3), divided(y, [100] * 3)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        there = DaskOptimalTreeClassifier(client, max_depth=2).fit(X, y)
        assert clone(there).client is client
        assert pickle.loads(pickle.dumps(there)).client is None
        score = there.score(X, y)
        found = client.compute(there.predict(X), sync=True)
    here = DaskOptimalTreeClassifier(max_depth=2).fit(X, y)
    fitted_alike([there, here])
    assert here.score(X, y) == score
    np.testing.assert_array_equal(here.predict(X).compute(), found)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files(table, tmp_path, kind):
    X, y = table
    rows = X.assign(y=y)
    for k in range(3):
        part = rows.iloc[100 * k : 100 * k + 100]
        if kind == "parquet":
            part.to_parquet(tmp_path / f"{k}.parquet")
        else:
            part.to_csv(tmp_path / f"{k}.csv", index=False)
    read = dd.read_parquet(tmp_path) if kind == "parquet" else dd.read_csv(tmp_path / "*.csv")
    model = DaskOptimalTreeClassifier(max_depth=2).fit(read[["size", "colour"]], read["y"])
    fitted_alike([model, OptimalTreeClassifier(max_depth=2).fit(X, y)])


@pytest.mark.parametrize("as_array", [False, True])
def test_predictions_are_lazy_and_those_of_the_local_classifier(as_array):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 9, (60, 2)) / 2, rng.choice(["a", "b", "c"], 60)
    table, labels = (X, y) if as_array else (pd.DataFrame(X, columns=["u", "v"]), pd.Series(y))
    sizes = [20, 0, 40]
    rows = divided(table, sizes)
    model = DaskOptimalTreeClassifier(max_depth=2).fit(rows, divided(labels, sizes))
    local = model.to_local()
    assert type(local) is OptimalTreeClassifier
    assert local.get_params() == {k: v for k, v in model.get_params().items() if k != "client"}
    for name in ("predict", "predict_proba", "predict_log_proba", "apply"):
        lazy = getattr(model, name)(rows)
        wanted = getattr(local, name)(table)
        assert hasattr(lazy, "dask")
        assert isinstance(lazy, da.Array) == as_array
        np.testing.assert_array_equal(lazy.compute(), wanted)
        np.testing.assert_array_equal(getattr(model, name)(table), wanted)
    if not as_array:
        assert model.predict_proba(rows).columns.tolist() == ["a", "b", "c"]
        assert model.predict(rows).compute().index.equals(rows.compute().index)


def test_arrays_may_be_divided_by_columns():
    X, y = np.arange(40).reshape(10, 4) % 7, np.arange(10) % 2
    rows = da.from_array(X, chunks=(5, 2))
    model = DaskOptimalTreeClassifier(max_depth=2).fit(rows, da.from_array(y, chunks=5))
    fitted_alike([model, OptimalTreeClassifier(max_depth=2).fit(X, y)])
    np.testing.assert_array_equal(model.predict(rows).compute(), model.predict(X))


def test_a_regressor_predicts_and_scores():
    X, y = np.arange(30.0).reshape(-1, 1) % 8, np.arange(30.0) % 8
    rows, numbers = da.from_array(X, chunks=(10, 1)), da.from_array(y, chunks=10)
    model = DaskOptimalTreeRegressor(max_depth=1).fit(rows, numbers)
    assert type(model.to_local()) is OptimalTreeRegressor
    np.testing.assert_array_equal(model.predict(rows).compute(), model.to_local().predict(X))
    assert model.score(rows, numbers) == model.to_local().score(X, y)


def test_the_exports_are_those_of_the_classifier(table):
    X, y = table
    model = DaskOptimalTreeClassifier(max_depth=2).fit(divided(X, [300]), divided(y, [300]))
    here = OptimalTreeClassifier(max_depth=2).fit(X, y)
    for name in ("to_text", "to_sql", "to_python", "leaf_rules"):
        if hasattr(here, name):
            assert str(getattr(model, name)()) == str(getattr(here, name)())
    again = DaskOptimalTreeClassifier.from_json(model.to_json())
    np.testing.assert_array_equal(again.predict(X), here.predict(X))


def test_tables_in_memory_are_fitted_as_usual(table):
    fitted_alike(
        [
            DaskOptimalTreeClassifier(max_depth=2).fit(*table),
            OptimalTreeClassifier(max_depth=2).fit(*table),
        ]
    )


@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_the_parameters_are_those_of_the_local_estimator(kind):
    ours = {
        OptimalTreeClassifier: DaskOptimalTreeClassifier,
        OptimalTreeRegressor: DaskOptimalTreeRegressor,
    }[kind]
    assert ours().get_params() == {"client": None} | kind().get_params()
    assert list(ours._get_param_names()) == sorted(["client", *kind._get_param_names()])
    changed = ours(max_depth=2, max_thresholds=7)
    assert clone(changed).get_params() == changed.get_params()


def test_control_settings_work(table):
    X, y = divided(table[0], [150, 150]), divided(table[1], [150, 150])
    seen = []
    model = DaskOptimalTreeClassifier(max_depth=4, node_limit=1, callback=seen.append)
    with pytest.warns(match="node limit"):
        model.fit(X, y)
    assert model.status_ == "node_limit"
    assert len(seen) == len(model.trace_)
    model.set_params(node_limit=None, warm_start=True, init=model.to_local(), max_depth=2)
    nodes = model.fit(X, y).statistics_["nodes"]
    assert model.fit(X, y).statistics_["nodes"] == nodes  # it went on, and there was nothing to do
    limited = DaskOptimalTreeClassifier(max_depth=4, time_limit=0.0).fit(X, y)
    assert limited.status_ == "time_limit"


def test_a_tree_to_start_from(table):
    X, y = table
    first = OptimalTreeClassifier(max_depth=3).fit(X, y)
    settings = {"max_depth": 3, "max_thresholds": 2, "init": first}
    here = OptimalTreeClassifier(**settings).fit(X, y)
    there = DaskOptimalTreeClassifier(**settings).fit(divided(X, [99, 201]), divided(y, [99, 201]))
    assert there.objective_ <= first.objective_
    assert there.search_space_ == here.search_space_
    fitted_alike([there, here])


def refused(X, y, weight=None, costs=None, **settings):
    with pytest.raises((ValueError, TypeError)) as error:
        DaskOptimalTreeClassifier(**settings).fit(X, y, weight, costs)
    return str(error.value)


def test_what_cannot_be_fitted_is_refused(table):
    X, y = table
    parts, labels = divided(X, [100, 200]), divided(y, [100, 200])
    assert "client must be None or a distributed.Client, got 3" in refused(parts, labels, client=3)
    assert "y must be a Dask Series or a Dask Array of one dimension" in refused(parts, y)
    assert "got 3: repartition" in refused(parts, divided(y, [100] * 3))
    uneven = divided(y.iloc[:299], [100, 199])
    assert "got 200 in X, 199 in y in partition 1" in refused(parts, uneven)
    assert "y must be a Dask Series or Array" in refused(parts, None)
    assert "sample_costs must be None if X is a Dask" in refused(parts, labels, costs=np.ones(300))
    assert "max_depth must be" in refused(parts, labels, max_depth=-1)
    ones = pd.Series(np.ones(300))
    assert "got zeros only" in refused(parts, labels, divided(ones * 0, [100, 200]))
    assert "Negative values" in refused(parts, labels, divided(-ones, [100, 200]))
    assert "is missing" in refused(parts, divided(y.where(y != "yes"), [100, 200]))
    assert "at least one row" in refused(divided(X.iloc[:0], [0]), divided(y.iloc[:0], [0]))
    assert "X must have two dimensions" in refused(da.ones(3, chunks=3), da.ones(3, chunks=3))
    lists = pd.DataFrame({"a": [[1], [2]]})
    assert "column 'a' of X must have numbers" in refused(
        divided(lists, [2]), divided(pd.Series([0, 1]), [2])
    )
    mixed = pd.DataFrame({"a": pd.Series([1, "b"], dtype=object)})
    assert "all numbers or all text" in refused(
        divided(mixed, [1, 1]), divided(pd.Series([0, 1]), [1, 1])
    )
    infinite = da.from_array(np.array([[np.inf], [1.0]]), chunks=(1, 1))
    assert "infinity" in refused(infinite, da.from_array(np.array([0, 1]), chunks=1))
    unknown = divided(pd.DataFrame({"a": list("ab")}), [1, 1]).astype("category")
    assert "call .cat.as_known() first" in refused(unknown, divided(pd.Series([0, 1]), [1, 1]))
    with pytest.raises(ValueError, match="the number of row 0 is missing"):
        DaskOptimalTreeRegressor().fit(parts, divided(ones * np.nan, [100, 200]))


def test_an_unfitted_classifier_predicts_nothing(table):
    rows = divided(table[0], [300])
    for name in ("predict", "predict_proba", "apply"):
        with pytest.raises(NotFittedError):
            getattr(DaskOptimalTreeClassifier(), name)(rows)

"""Certificates as users get them: from the estimators, from a search, and on the command line."""

import gzip
import json
import sys

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, OptimalTreeRegressor, Search
from beamtree._engine.engine import Engine
from beamtree.datasets import monks, save_csv
from beamtree.objectives import PoissonDeviance
from tests import ROOT

sys.path.insert(0, str(ROOT / "checker"))
import check_certificate as checker

sys.path.pop(0)

X, y, *_ = monks(1)
HARD, LABELS, *_ = monks(2)  # with errors at depth 4, so that the proof has claims about sides


def table_of(X, y, **more):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y} | more
    return {
        name: [str(value) for value in np.asarray(cells).tolist()]
        for name, cells in columns.items()
    }


def test_the_classifier_writes_one(tmp_path):
    path = tmp_path / "proof"
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y, certificate=path)
    plain = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert clf.leaf_rules() == plain.leaf_rules()
    header, cost, bound = checker.check(path, table_of(X, y))
    assert cost == bound == clf.objective_ * header["cost_of_one"]


def test_the_regressor_writes_one(tmp_path):
    path = tmp_path / "proof"
    numbers = X.sum(axis=1) / 10
    reg = OptimalTreeRegressor(max_depth=2).fit(X, numbers, certificate=path)
    header, cost, bound = checker.check(path, table_of(X, numbers))
    assert cost == bound
    assert bound / header["cost_of_one"] == pytest.approx(reg.objective_, rel=1e-9)


def test_series_name_the_columns(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "proof"
    weight = pandas.Series(np.arange(len(y)) % 3, name="times")
    OptimalTreeClassifier(max_depth=2).fit(
        X, pandas.Series(y, name="good"), weight, certificate=path
    )
    table = table_of(X, y, times=weight)
    table["good"] = table.pop("y")
    checker.check(path, table)


def test_an_unfinished_search_proves_its_bound(tmp_path):
    path = tmp_path / "proof"
    search = Search(X, y, max_depth=4)
    result = search.run(node_limit=2)
    search.certificate(path)
    _, cost, bound = checker.check(path, table_of(X, y))
    assert (cost, bound) == (result.cost, result.lower)
    # The search goes on as if nothing had happened.
    assert search.run(node_limit=10**9).status == "optimal"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_leaf_nodes": 4}, "max_leaf_nodes: it cannot state a limit of leaves"),
        ({"cost_matrix": [[0, 1], [2, 0]]}, "cost_matrix: it cannot state costs of mistakes"),
    ],
)
def test_what_cannot_be_stated_is_refused_first(tmp_path, settings, message):
    clf = OptimalTreeClassifier(**settings)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y, certificate=tmp_path / "proof")
    assert not hasattr(clf, "tree_")
    search = Search(X, y, **settings)
    with pytest.raises(ValueError, match=message):
        search.certificate(tmp_path / "proof")


def test_other_problems_are_refused(tmp_path):
    path = tmp_path / "proof"
    with pytest.raises(ValueError, match="sample_costs"):
        OptimalTreeClassifier().fit(X, y, sample_costs=np.ones((len(y), 2)), certificate=path)
    with pytest.raises(ValueError, match="objectives of your own"):
        OptimalTreeRegressor(criterion=PoissonDeviance()).fit(X, y, certificate=path)
    with pytest.raises(ValueError, match="rewards of actions"):
        Search(X, np.column_stack([y, 1 - y]), policy=True).certificate(path)
    with pytest.raises(ValueError, match="certificate must be in a folder that exists"):
        OptimalTreeClassifier().fit(X, y, certificate=tmp_path / "none" / "proof")
    weight = np.where(np.arange(len(y)) < 5, 1e-12, np.random.default_rng(0).random(len(y)))
    with pytest.raises(ValueError, match="ratios are below"):
        OptimalTreeClassifier(max_depth=1).fit(X, y, weight, certificate=path)
    weight = np.random.default_rng(0).random(len(y))
    with pytest.raises(ValueError, match="multiples of a common unit"):
        OptimalTreeClassifier(max_depth=1, leaf_penalty=0.01).fit(X, y, weight, certificate=path)
    assert not path.exists()


def test_ctrl_c_leaves_a_fitted_estimator(tmp_path, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "prove", pressed)
    clf = OptimalTreeClassifier(max_depth=4)
    with pytest.warns(UserWarning, match="no certificate was written"):
        clf.fit(HARD, LABELS, certificate=tmp_path / "proof")
    assert clf.status_ == "optimal"
    assert not (tmp_path / "proof").exists()


def test_a_bound_that_is_lost_is_no_certificate(tmp_path, monkeypatch):
    monkeypatch.setattr(Engine, "prove", lambda *_: 0)
    clf = OptimalTreeClassifier(max_depth=4)
    with pytest.raises(RuntimeError, match="could not be proved again"):
        clf.fit(HARD, LABELS, certificate=tmp_path / "proof")
    assert clf.status_ == "optimal"
    assert not (tmp_path / "proof").exists()


@pytest.fixture
def files(tmp_path, monkeypatch):
    pytest.importorskip("cyclopts")
    monkeypatch.chdir(tmp_path)
    save_csv(monks(1), "monks.csv")
    return tmp_path


def fit_and_verify(capsys, *, model="model.json", proof="proof.gz"):
    from beamtree.cli import main

    capsys.readouterr()
    code = main(["verify", model, "monks.csv", "--certificate", proof])
    return code, capsys.readouterr().out.splitlines()


def test_false_optima_are_refused(files, capsys):
    """A worse tree that is called optimal is refused, with its own certificate or with another."""
    from beamtree.cli import main

    fit = ["fit", "monks.csv", "--target", "class", "--depth", "3"]
    assert main([*fit, "--save", "model.json", "--certificate", "proof.gz"]) == 0
    code, said = fit_and_verify(capsys)
    assert code == 0
    assert said[-2].endswith("no tree of depth at most 3 costs less than 48, as the model says")

    # A greedy tree, as some solver returns it together with a wrong proof.
    worse = OptimalTreeClassifier(max_depth=3, time_limit=0).fit(X, y.astype(str))
    assert worse.n_errors_ > 48
    main([*fit, "--time", "0", "--save", "worse.json", "--certificate", "worse.gz"])
    model = json.loads((files / "worse.json").read_text())
    false = model["search"]["objective"]
    model["search"] |= {"status": "optimal", "lower_bound": false}
    (files / "worse.json").write_text(json.dumps(model))
    code, said = fit_and_verify(capsys, model="worse.json")
    assert code == 1
    assert f"its tree costs 48, but that of the model {false:g}" in said[-2 if code == 0 else -3]

    # Its own certificate proves only what is true, and a forged one proves nothing.
    code, said = fit_and_verify(capsys, model="worse.json", proof="worse.gz")
    assert code == 1
    assert f"but the model says {false:g}" in said[-2 if code == 0 else -3]
    own, other = (
        [json.loads(line) for line in gzip.decompress((files / name).read_bytes()).splitlines()]
        for name in ("worse.gz", "proof.gz")
    )
    other[-1][2] = int(false)
    with gzip.open(files / "forged.gz", "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in [own[0], *other[1:]])
    code, said = fit_and_verify(capsys, model="worse.json", proof="forged.gz")
    assert code == 1
    assert "refused: claim 0: " in said[-2 if code == 0 else -3]


def test_other_rows_and_other_problems_are_refused(files, capsys):
    from beamtree.cli import main

    fit = ["fit", "monks.csv", "--target", "class", "--depth"]
    main([*fit, "3", "--save", "model.json", "--certificate", "proof.gz"])
    main([*fit, "2", "--save", "shallow.json", "--certificate", "shallow.gz"])
    code, said = fit_and_verify(capsys, proof="shallow.gz")
    assert code == 1
    assert "of depth at most 2" in said[-2 if code == 0 else -3]
    rows = (files / "monks.csv").read_text().splitlines()
    (files / "monks.csv").write_text("\n".join([rows[0], *rows[2:], rows[-1]]) + "\n")
    code, said = fit_and_verify(capsys)
    assert code == 1
    assert (
        "refused: the header: the table is not the one of the certificate"
        in said[-2 if code == 0 else -3]
    )
    code, said = fit_and_verify(capsys, proof="model.json")
    assert code == 1
    assert "refused: Not a gzipped file" in said[-2 if code == 0 else -3]


def test_names_that_collide_and_durations_are_refused(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": [0, 1, 2], "z": [1, 0, 1]})
    path = tmp_path / "proof"
    with pytest.raises(ValueError, match="'y' is there twice"):
        OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1, 1], certificate=path)
    search = Search(frame, [0, 1, 1], max_depth=1)
    search.run()
    search.certificate(path, target="label")
    frame["y"] = pandas.to_timedelta(frame["y"], "D")
    with pytest.raises(ValueError, match="durations"):
        Search(frame, [0, 1, 1], max_depth=1).certificate(path, target="label")


def test_a_table_without_tests(tmp_path):
    """Constant columns, of numbers or of text, have no tests; all trees are leaves."""
    pandas = pytest.importorskip("pandas")
    for values in (["a", "a", "a"], [1.5, 1.5, 1.5]):
        frame = pandas.DataFrame({"only": values})
        OptimalTreeClassifier(max_depth=2).fit(frame, [0, 1, 1], certificate=tmp_path / "proof")
        table = {"only": [str(value) for value in values], "y": ["0", "1", "1"]}
        assert checker.check(tmp_path / "proof", table)[1:] == (1, 1)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_small_numbers_are_compared_as_exactly(files, capsys, scale):
    """The proof of another tree is refused, whatever the unit of the numbers."""
    from beamtree.cli import main

    rows = [f"{a},{a % 3},{scale * ((a * a) % 7)}" for a in range(30)]
    (files / "monks.csv").write_text("\n".join(["a,b,price", *rows]) + "\n")
    fit = "fit monks.csv --target price --regression --depth 2 --save model.json"
    assert main([*fit.split(), "--certificate", "proof.gz"]) == 0
    assert fit_and_verify(capsys)[0] == 0
    model = json.loads((files / "model.json").read_text())
    objective = model["search"]["objective"]
    shallow = "fit monks.csv --target price --regression --depth 1 --save other.json"
    assert main([*shallow.split(), "--certificate", "other.gz"]) == 0
    code, said = fit_and_verify(capsys, proof="other.gz")
    assert code == 1
    assert f"but that of the model {objective:.12g}" in said[-3]

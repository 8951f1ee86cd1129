"""What regressors share with classifiers: the warning, Ctrl-C, words and importances."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeRegressor

from beamtree import OptimalTreeRegressor, OptimalTreeRegressorCV, leaf_path, penalty_path
from beamtree.export import export_text, leaf_rules, to_sql


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.fixture(scope="module")
def visits():
    """Return days, some of which are missing, and numbers that depend on both."""
    day = pd.Series(pd.date_range("2024-01-01", periods=40)).astype("datetime64[s]")
    day[::5] = pd.NaT
    y = np.where(day.isna(), 9.0, np.where(day < pd.Timestamp("2024-01-21"), 1.0, 4.0))
    return pd.DataFrame({"day": day, "city": list("abcd") * 10}), y


def test_a_fit_without_a_proof_is_announced_at_its_line(diabetes):
    reg = OptimalTreeRegressor(node_limit=2)
    with pytest.warns(ConvergenceWarning) as heard:
        reg.fit(*diabetes)
    assert [one.filename for one in heard] == [__file__]
    helps = "A larger node_limit or a smaller max_depth may give a proof"
    assert str(heard[0].message).startswith(f"{reg.proof_}. {helps}")


def test_many_fits_are_announced_once(diabetes):
    X, y = diabetes
    reg = OptimalTreeRegressor(node_limit=2)
    for call in (
        lambda: cross_val_score(reg, X, y),
        lambda: OptimalTreeRegressorCV(reg, max_depths=[4], leaf_penalties=[0.0]).fit(X, y),
        lambda: leaf_path(X, y, regression=True, max_leaf_nodes=9, max_depth=5, time_limit=0.01),
        lambda: penalty_path(X, y, regression=True, max_depth=5, time_limit=0.01),
    ):
        with pytest.warns(ConvergenceWarning) as heard:
            call()
        assert [one.filename for one in heard] == [__file__]


def test_ctrl_c_keeps_the_tree_or_ends_the_cross_validation(diabetes):
    X, y = diabetes
    pressed = []

    def press(_):
        pressed.append(1)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        reg = OptimalTreeRegressor(callback=press)
        assert reg.fit(X, y).status_ == "interrupted"
        assert reg.predict(X).shape == y.shape
        pressed.clear()
        with pytest.raises(KeyboardInterrupt):
            cross_val_score(reg, X, y)
        assert len(pressed) == 1
    finally:
        signal.signal(signal.SIGINT, before)


def test_importances_are_those_of_scikit_learn(diabetes):
    X, y = diabetes
    reg = OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert reg.feature_importances_ == pytest.approx(reg.to_sklearn().feature_importances_)
    again = OptimalTreeRegressor.from_json(reg.to_json())
    assert again.feature_importances_ == pytest.approx(reg.feature_importances_)
    cv = OptimalTreeRegressorCV(max_depths=[2], leaf_penalties=[0.0], cv=2).fit(X, y)
    assert cv.feature_importances_ == pytest.approx(reg.feature_importances_)
    assert cv.cv_results_["n_proved"].tolist() == [2]


TEXT = """\
day is missing?
  yes: 9 (8 rows, ± 0)
  no: day <= 2024-01-21?
    yes: 1 (16 rows, ± 0)
    no: 4 (16 rows, ± 0)"""
RULES = [
    "If day is missing then 9 (8 rows, ± 0)",
    "If day <= 2024-01-21 then 1 (16 rows, ± 0)",
    "If day > 2024-01-21 and day is known then 4 (16 rows, ± 0)",
]


def test_dates_and_missing_values_are_in_the_words(visits):
    reg = OptimalTreeRegressor(max_depth=2).fit(*visits)
    assert reg.objective_ == 0.0
    assert export_text(reg) == TEXT
    assert leaf_rules(reg) == RULES
    assert "DATE '2024-01-22'" in to_sql(reg)
    assert export_text(OptimalTreeRegressor.from_json(reg.to_json())) == TEXT
    scope = {}
    exec(reg.to_python(), scope)
    rows = visits[0].astype(object).where(visits[0].notna(), None)
    assert [scope["predict"](row) for row in rows.to_dict("records")] == visits[1].tolist()
    either = OptimalTreeRegressor(max_depth=1).fit(visits[0], np.where(visits[1] == 1, 1, 4))
    assert "no or missing: 4 (24 rows, ± 0)" in export_text(either)
    for export in (reg.to_sklearn, reg.to_onnx):
        with pytest.raises(ValueError, match="takes numbers, and 'day' has"):
            export()


def test_scikit_learn_takes_categories(visits):
    frame = visits[0][["city"]].assign(size=np.arange(40.0))
    y = frame["city"].isin(["b", "d"]) * 4.0 + (frame["size"] > 20)
    reg = OptimalTreeRegressor(max_depth=2).fit(frame, y)
    twin = reg.to_sklearn()
    assert isinstance(twin, Pipeline)
    assert isinstance(twin.named_steps["tree"], DecisionTreeRegressor)
    assert twin.predict(frame).tolist() == reg.predict(frame).tolist() == y.tolist()

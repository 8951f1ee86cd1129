"""Cross validation of tables of any kind, and exports of the chosen tree."""

from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from beamtree import AnytimeDisplay, OptimalTreeClassifier, OptimalTreeClassifierCV, export_text


@pytest.fixture(scope="module")
def people():
    """Return rows with missing values, text, and a column that is missing in most folds."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 120).astype(float),
            "city": rng.choice(["Bern", "Oslo", "Rome"], 120),
            "member": rng.random(120) < 0.5,
            "title": pd.Series([None] * 120, dtype=object),
        }
    )
    frame.loc[rng.random(120) < 0.2, "age"] = np.nan
    frame.loc[rng.random(120) < 0.1, "city"] = None
    frame.loc[7, "title"] = "Dr"
    noise = rng.random(120) < 0.1
    return frame, ((frame.city == "Rome") & (frame.age > 40) | noise).to_numpy()


def as_lists(frame):
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


@pytest.mark.parametrize("penalties", ["path", (0.0, 0.02)])
def test_any_table(people, penalties):
    frame, y = people
    makes = {"object": frame.to_numpy(dtype=object), "lists": as_lists(frame)}
    if find_spec("polars"):
        polars = import_module("polars")
        makes["polars"] = polars.DataFrame(as_lists(frame), schema=[*frame], orient="row")
    clf = OptimalTreeClassifierCV(max_depths=(1, 2), leaf_penalties=penalties, cv=3)
    first = clf.fit(frame, y)
    assert "city == Rome" in export_text(first)
    scores, predicted = first.cv_results_["mean_test_score"], first.predict(frame)
    for table in makes.values():
        other = clone(clf).fit(table, y)
        assert_array_equal(other.cv_results_["mean_test_score"], scores)
        assert_array_equal(other.predict(table), predicted)


def test_the_tree_is_that_of_the_best_estimator(people):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = people[0][["age", "member"]], people[1]
    clf = OptimalTreeClassifierCV(max_depths=(2,), leaf_penalties=(0.0,), cv=3)
    with pytest.raises(NotFittedError):
        clf.leaf_rules()
    assert str(clf) == repr(clf)
    best = clf.fit(X, y).best_estimator_
    assert best.get_n_leaves() > 2
    assert clf.leaf_rules() == best.leaf_rules()
    assert clf.to_json() == best.to_json()
    assert clf.to_sql("t") == best.to_sql("t")
    assert clf.to_python() == best.to_python()
    assert export_text(clf) == export_text(best)
    assert str(clf) == f"{best.proof_}\n{clf!r}\n{export_text(best)}"
    assert clf._repr_html_().startswith(f"<p>{best.proof_}</p>")
    assert clf._repr_html_().endswith("</pre></details>")
    assert_array_equal(clf.to_sklearn().predict(X), best.predict(X))
    texts = [[text.get_text() for text in one.plot().texts] for one in (clf, best)]
    assert texts[0] == texts[1]
    assert AnytimeDisplay.from_estimator(clf).proof == best.proof_
    pyplot.close("all")
    assert not hasattr(clf, "from_json")


def test_trees_of_other_searches(people):
    X, y = people[0][["age", "member"]], people[1]
    grid = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(X, y)
    assert export_text(grid) == export_text(grid.best_estimator_)
    message = "classifier must have a tree of beamtree, got DecisionTreeClassifier"
    with pytest.raises(ValueError, match=message):
        export_text(DecisionTreeClassifier().fit(X, y))

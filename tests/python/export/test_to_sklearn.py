"""Trees as scikit-learn's classifiers, used by scikit-learn and by other packages."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree

from beamtree import OptimalTreeClassifier
from beamtree.datasets import load_binarized
from beamtree.export import TreeEncoder, to_sklearn
from tests.python.export.shown_trees import (
    grown,
    mixed_tree,
    number_columns,
    number_tree,
    random_rows,
    random_tree,
)


@pytest.fixture(scope="module")
def iris():
    data = load_binarized("iris")
    frame = pd.DataFrame(data.X, columns=data.feature_names)
    clf = OptimalTreeClassifier(max_depth=3).fit(frame, data.y)
    return clf, clf.to_sklearn(), frame, data.y


def test_the_result_is_a_fitted_classifier(iris):
    clf, twin, frame, y = iris
    assert type(twin) is DecisionTreeClassifier
    assert_array_equal(twin.predict(frame), clf.predict(frame))
    assert_array_equal(twin.predict_proba(frame), clf.predict_proba(frame))
    assert_array_equal(twin.decision_path(frame).toarray(), clf.decision_path(frame).toarray())
    assert_array_equal(twin.classes_, clf.classes_)
    assert_array_equal(twin.feature_names_in_, frame.columns)
    assert twin.n_features_in_ == frame.shape[1]
    assert twin.get_depth() == clf.get_depth()
    assert twin.get_n_leaves() == clf.get_n_leaves()
    assert twin.score(frame, y) == clf.score(frame, y)


def test_importances_and_pruning_path(iris):
    _, twin, frame, y = iris
    assert_allclose(twin.feature_importances_.sum(), 1.0)
    found = permutation_importance(twin, frame, y, n_repeats=2, random_state=0)
    assert (found.importances_mean > 0).any()
    assert twin.cost_complexity_pruning_path(frame, y).ccp_alphas[0] == 0


def test_it_can_be_copied_and_fitted_again(iris):
    clf, twin, frame, y = iris
    again = pickle.loads(pickle.dumps(twin))
    assert_array_equal(again.predict(frame), clf.predict(frame))
    assert clone(twin).fit(frame, y).get_depth() <= 3


def test_scikit_learn_exports_it(iris):
    _, twin, frame, _ = iris
    text = export_text(twin, feature_names=list(frame.columns))
    assert text.count("class:") == twin.get_n_leaves()
    pyplot = pytest.importorskip("matplotlib.pyplot")
    drawn = plot_tree(twin)
    pyplot.close("all")
    assert len([box for box in drawn if "gini" in box.get_text()]) == twin.tree_.node_count


def test_one_leaf():
    clf = OptimalTreeClassifier(max_depth=0, leaf_smoothing=None)
    twin = to_sklearn(clf.fit([[0], [1], [1]], ["a", "b", "b"]))
    assert twin.predict([[0]]).tolist() == ["b"]
    assert_allclose(twin.predict_proba([[0]]), [[1 / 3, 2 / 3]])


@pytest.mark.filterwarnings("ignore")
def test_shap(iris):
    shap = pytest.importorskip("shap")
    clf, twin, frame, _ = iris
    explainer = shap.TreeExplainer(twin)
    values = explainer.shap_values(frame.to_numpy(dtype=np.float32))
    total = values.sum(axis=1) + explainer.expected_value
    assert_allclose(total, clf.predict_proba(frame), atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_skl2onnx():
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    columns = number_columns()
    clf = grown(columns, random_tree(np.random.default_rng(3), columns, 4), [3, 5, 9], named=False)
    rows = np.random.default_rng(4).normal(size=(500, 4)).astype(np.float32)
    model = skl2onnx.to_onnx(clf.to_sklearn(), rows[:1], options={"zipmap": False})
    label, probabilities = runtime.InferenceSession(model.SerializeToString()).run(
        None, {"X": rows}
    )
    assert_array_equal(label, clf.predict(rows))
    assert_allclose(probabilities, clf.predict_proba(rows), rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_dtreeviz(iris):
    pytest.importorskip("dtreeviz")
    from dtreeviz.models.sklearn_decision_trees import ShadowSKDTree

    clf, twin, frame, y = iris
    shadow = ShadowSKDTree(
        twin, frame.to_numpy(), np.asarray(y), list(frame.columns), "kind", [0, 1, 2]
    )
    assert shadow.nnodes() == clf.tree_.node_count
    leaves = [shadow.predict_path(row)[-1].id for row in frame.to_numpy()]
    assert_array_equal(leaves, clf.apply(frame))


@pytest.mark.parametrize("seed", range(4))
def test_categories_are_encoded(seed):
    """Every kind of test, with missing values and unseen categories, in all rows."""
    clf, _ = mixed_tree(seed)
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, clf.columns_, 2_000, unseen=False)
    unseen = ["Blue", 99, "?"]  # for the columns 3, 4 and 6
    for number, row in enumerate(rows[:300]):
        row[(3, 4, 6)[number % 3]] = unseen[number % 3]
    twin = to_sklearn(clf)
    assert_array_equal(twin[-1].apply(twin[0].transform(rows)), clf.apply(rows))
    assert_array_equal(twin.predict(rows), clf.predict(rows))
    assert_array_equal(twin.predict_proba(rows), clf.predict_proba(rows))
    again = pickle.loads(pickle.dumps(twin))
    assert_array_equal(again.predict(rows), clf.predict(rows))


def people():
    """Return rows with numbers, text, ordered categories and missing values, and their labels."""
    rng = np.random.default_rng(5)
    sizes = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", "Bonn", "Lyon", "Bern"], 300),
            "age": rng.integers(18, 80, 300).astype(float),
            "size": pd.Series(rng.choice(sizes.categories, 300)).astype(sizes),
        }
    )
    y = np.where(frame.city.isin(["Rome", "Bern"]), "no", "buy")
    y = np.where(frame["size"] >= "medium", y, np.where(frame.age > 40, "no", "maybe"))
    frame.loc[::9, "city"] = None
    frame.loc[::7, "size"] = None
    return frame, y


@pytest.fixture(scope="module")
def shoppers():
    frame, y = people()
    return OptimalTreeClassifier(max_depth=3).fit(frame, y), frame, y


def test_the_pipeline_has_an_encoder_and_a_tree(shoppers):
    clf, frame, y = shoppers
    twin = clf.to_sklearn()
    assert type(twin) is Pipeline
    assert [*twin.named_steps] == ["encoder", "tree"]
    assert isinstance(twin["encoder"], TreeEncoder)
    names = twin[:-1].get_feature_names_out().tolist()
    assert names == ["age", "size <= small", "city is missing", "city in (Bonn, Lyon, Oslo)"]
    encoded = twin[0].transform(frame)
    assert np.isin(encoded[:, 1:], (0, 1)).all()
    assert_array_equal(twin.predict(frame), clf.predict(frame))
    new = frame.iloc[:4].assign(city=["Paris", None, "Rome", "Oslo"])
    assert_array_equal(twin.predict_proba(new), clf.predict_proba(new))
    with pytest.raises(ValueError, match="feature names should match"):
        twin.predict(frame.rename(columns={"age": "years"}))
    # Copies can be fitted: the tree of scikit-learn then learns from the encoded columns.
    assert clone(twin).fit(frame, y).score(frame, y) > 0.8
    text = export_text(twin[-1], feature_names=names)
    assert text.count("class:") == clf.get_n_leaves()


@pytest.mark.filterwarnings("ignore")
def test_shap_with_categories(shoppers):
    shap = pytest.importorskip("shap")
    clf, frame, _ = shoppers
    twin = clf.to_sklearn()
    new = pd.concat([frame.iloc[:50], frame.iloc[:3].assign(city=["Paris", None, "Kyiv"])])
    explainer = shap.TreeExplainer(twin[-1])
    values = explainer.shap_values(twin[0].transform(new))
    total = values.sum(axis=1) + explainer.expected_value
    assert_allclose(total, clf.predict_proba(new), atol=1e-6)


def test_a_leaf_over_categories_alone():
    clf = OptimalTreeClassifier(max_depth=0).fit([["a"], ["b"], ["b"]], [0, 1, 1])
    assert clf.to_sklearn().predict([["a"], ["c"], [None]]).tolist() == [1, 1, 1]


def test_trees_that_scikit_learn_cannot_represent():
    with pytest.raises(NotFittedError):
        to_sklearn(OptimalTreeClassifier())
    clf, _ = number_tree(1)
    prediction = clf.tree_.value[:, 0, :].argmin(axis=1)
    object.__setattr__(clf.tree_, "prediction", prediction)
    with pytest.raises(ValueError, match="trees predict the most frequent class of a leaf"):
        to_sklearn(clf)

"""The classifier on valid data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from beamtree import OptimalTreeClassifier
from beamtree.datasets import load_binarized, monks, multiplexer, parity, tic_tac_toe

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize(
    ("data", "max_depth", "errors"),
    [
        (tic_tac_toe(), 0, 332),
        (tic_tac_toe(), 3, 216),
        (monks(2), 1, 142),
        (monks(3), 3, 0),
        (multiplexer(2), 3, 0),
        (multiplexer(2), 2, 16),
        (parity(3, 2), 2, 16),
        (parity(3, 2), 3, 0),
        (load_binarized("iris"), 1, 50),
    ],
)
def test_known_optima(data, max_depth, errors):
    clf = OptimalTreeClassifier(max_depth=max_depth).fit(data.X, data.y)
    assert clf.status_ == "optimal"
    assert clf.objective_ == clf.lower_bound_ == clf.n_errors_ == errors
    assert clf.gap_ == clf.rounding_ == 0.0
    assert (clf.predict(data.X) != data.y).sum() == errors
    assert clf.score(data.X, data.y) == (len(data.y) - errors) / len(data.y)
    assert clf.get_depth() <= max_depth
    assert clf.get_n_leaves() == clf.tree_.n_leaves


LABELS = {
    "minus one and one": [-1, 1],
    "strings": ["no", "yes"],
    "objects": np.array(["no", "yes"], dtype=object),
    "booleans": [False, True],
    "floats": [0.0, 2.0],
    "far apart": [-(2**62), 2**62],
    "bytes at the ends": np.array([-128, 127], dtype=np.int8),
    "unsigned": np.array([3, 2**64 - 1], dtype=np.uint64),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind(kind):
    labels = np.asarray(LABELS[kind])
    y = labels[[0, 1, 1, 0]]
    clf = OptimalTreeClassifier(max_depth=2).fit(XOR, y)
    assert clf.classes_.dtype == labels.dtype
    assert_array_equal(clf.classes_, labels)
    assert clf.n_classes_ == 2
    predicted = clf.predict(XOR)
    assert predicted.dtype == labels.dtype
    assert_array_equal(predicted, y)


def test_labels_are_sorted_and_need_not_be_neighbours():
    clf = OptimalTreeClassifier(max_depth=2).fit(XOR, [30, 7, -2, 7])
    assert clf.classes_.tolist() == [-2, 7, 30]
    assert clf.predict(XOR).tolist() == [30, 7, -2, 7]


@pytest.mark.parametrize(
    "X",
    [
        XOR.astype(bool),
        XOR.astype(np.uint8),
        XOR.astype(np.int8),
        XOR.astype(np.uint64),
        XOR.astype(np.float16),
        XOR.astype(np.float64),
        XOR.astype(object),
        XOR.astype(bool).astype(object),
        XOR.astype(np.float64).astype(object),
        np.asfortranarray(XOR.astype(np.uint8)),
        np.asfortranarray(XOR.astype(bool)),
        np.repeat(XOR.astype(np.uint8), 2, axis=1)[:, ::2],
        XOR.astype(">i4"),
        XOR.tolist(),
        pd.DataFrame(XOR, columns=["a", "b"]),
        pd.DataFrame({"a": XOR[:, 0].astype(bool), "b": XOR[:, 1]}),
        pd.DataFrame({"a": XOR[:, 0].astype(float), "b": XOR[:, 1].astype(object)}),
        pd.DataFrame(XOR, columns=["a", "b"], dtype="Int8"),
        pd.DataFrame(XOR, columns=["a", "b"], dtype="boolean"),
    ],
    ids=lambda X: f"{type(X).__name__}-{getattr(X, 'dtype', '')}",
)
def test_features_of_any_type(X):
    clf = OptimalTreeClassifier(max_depth=2).fit(X, [0, 1, 1, 0])
    assert clf.n_errors_ == 0
    assert clf.predict(X).tolist() == [0, 1, 1, 0]
    assert clf.n_features_in_ == 2


def test_data_is_not_changed_and_may_be_read_only():
    X, y, _, _ = monks(1)
    weight = np.ones(len(y))
    for array in (X, y, weight):
        array.flags.writeable = False
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y, weight)
    clf.predict(X)
    assert_array_equal(X, monks(1).X)


def test_feature_names():
    frame = pd.DataFrame(XOR, columns=["left", "right"])
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, [0, 1, 1, 0])
    assert clf.feature_names_in_.tolist() == ["left", "right"]
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[["right", "left"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        clf.predict(XOR)


def test_one_row():
    clf = OptimalTreeClassifier().fit([[1, 0]], ["only"])
    assert clf.predict([[0, 0], [1, 1]]).tolist() == ["only", "only"]
    assert clf.predict_proba([[0, 0]]).tolist() == [[1.0]]
    assert (clf.status_, clf.objective_, clf.gap_) == ("optimal", 0.0, 0.0)


def test_one_class():
    clf = OptimalTreeClassifier().fit(XOR, ["a"] * 4)
    assert clf.classes_.tolist() == ["a"]
    assert clf.get_n_leaves() == 1
    assert clf.predict_proba(XOR).tolist() == [[1.0]] * 4
    assert clf.predict_log_proba(XOR).tolist() == [[0.0]] * 4


def test_constant_columns():
    X = np.column_stack([np.zeros(6), np.ones(6)])
    clf = OptimalTreeClassifier().fit(X, [0, 1, 1, 2, 1, 0])
    assert (clf.get_depth(), clf.n_errors_, clf.status_) == (0, 3, "optimal")
    np.testing.assert_allclose(clf.tree_.value[0], [[2 / 6, 3 / 6, 1 / 6]])


def test_contradictory_rows_tie_to_the_first_label():
    clf = OptimalTreeClassifier().fit([[0], [0], [1], [1]], ["b", "a", "d", "c"])
    assert clf.n_errors_ == 2
    assert clf.predict([[0], [1]]).tolist() == ["a", "c"]


def test_min_samples_leaf():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=3, min_samples_leaf=90).fit(X, y)
    leaves = clf.tree_.feature < 0
    assert clf.tree_.n_node_samples[leaves].min() >= 90
    assert clf.objective_ > 216
    assert OptimalTreeClassifier(min_samples_leaf=480).fit(X, y).get_n_leaves() == 1


def test_leaf_penalty():
    X, y, _, _ = tic_tac_toe()
    free = OptimalTreeClassifier(max_depth=3).fit(X, y)
    priced = OptimalTreeClassifier(max_depth=3, leaf_penalty=0.02).fit(X, y)
    assert priced.get_n_leaves() < free.get_n_leaves()
    price = 0.02 * len(y) * (priced.get_n_leaves() - 1)
    assert priced.objective_ == pytest.approx(priced.n_errors_ + price, rel=1e-12)
    assert priced.objective_ == priced.lower_bound_
    assert priced.objective_ <= free.n_errors_ + 0.02 * len(y) * (free.get_n_leaves() - 1)


@pytest.mark.parametrize("leaf_penalty", [1, 3.5, 1e300])
def test_a_penalty_that_no_split_is_worth(leaf_penalty):
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(leaf_penalty=leaf_penalty).fit(X, y)
    assert (clf.get_n_leaves(), clf.objective_, clf.status_) == (1, 216.0, "optimal")


@pytest.mark.parametrize("exact_levels", [0, 1, 2, 3])
def test_exact_levels_do_not_change_the_objective(exact_levels):
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=3, exact_levels=exact_levels).fit(X, y)
    assert (clf.objective_, clf.status_) == (48.0, "optimal")


def test_no_time_still_gives_a_tree():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 40))
    y = rng.integers(0, 3, 300)
    clf = OptimalTreeClassifier(max_depth=8, time_limit=0).fit(X, y)
    assert clf.status_ == "time_limit"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()
    assert clf.objective_ < 300 - np.bincount(y).max()
    assert clf.lower_bound_ < clf.objective_
    assert clf.gap_ == (clf.objective_ - clf.lower_bound_) / clf.objective_


@pytest.mark.parametrize("time_limit", [None, np.inf, 1000])
def test_a_time_limit_that_is_not_reached(time_limit):
    X, y, _, _ = monks(1)
    assert OptimalTreeClassifier(2, time_limit=time_limit).fit(X, y).status_ == "optimal"


def test_trace():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    trace = clf.trace_
    assert trace.dtype.names == (
        "seconds",
        "nodes",
        "objective",
        "lower_bound",
        "restart",
        "threshold",
    )
    assert trace["objective"][-1] == clf.objective_
    assert (np.diff(trace["objective"]) <= 0).all()
    assert (np.diff(trace["seconds"]) >= 0).all()
    assert (trace["lower_bound"] <= clf.objective_).all()
    assert trace["lower_bound"][-1] == clf.lower_bound_
    assert (np.diff(trace["lower_bound"]) >= 0).all()
    assert (np.diff(trace["restart"]) >= 0).all()
    assert (trace["restart"][0], trace["threshold"][0]) == (0, 0.0)


def test_trace_without_a_rule():
    X, y, _, _ = tic_tac_toe()
    trace = OptimalTreeClassifier(max_depth=4, rule=None).fit(X, y).trace_
    assert (trace["restart"] == 0).all()
    assert np.isinf(trace["threshold"]).all()


def test_verbose_prints_one_line_per_improvement(capsys):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=3, verbose=2).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(clf.trace_)
    assert "objective          216" in lines[-1]
    restart, threshold = clf.trace_[["restart", "threshold"]][-1]
    assert lines[-1].endswith(f"pass {restart:3d}  threshold {threshold:g}")
    OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert capsys.readouterr().out == ""


def test_probabilities_without_smoothing_are_the_shares_of_the_leaf():
    X, y, _, _ = load_binarized("wine")
    clf = OptimalTreeClassifier(max_depth=2, leaf_smoothing=None).fit(X, y)
    leaf = clf.apply(X)
    proba = clf.predict_proba(X)
    for row in range(len(X)):
        inside = y[leaf == leaf[row]]
        np.testing.assert_allclose(proba[row], np.bincount(inside, minlength=3) / len(inside))
    assert_array_equal(clf.predict(X), clf.classes_[proba.argmax(axis=1)])
    with np.errstate(divide="ignore"):
        assert_array_equal(clf.predict_log_proba(X), np.log(proba))
    assert_array_equal(clf.decision_path(X).indices[clf.decision_path(X).indptr[1:] - 1], leaf)


def test_a_second_fit_forgets_the_first():
    clf = OptimalTreeClassifier(max_depth=2).fit(XOR, [0, 1, 1, 0])
    clf.fit(np.ones((3, 1)), ["a", "b", "b"])
    assert clf.n_features_in_ == 1
    assert clf.predict([[1]]).tolist() == ["b"]
    assert clf.get_depth() == 0


def test_results_do_not_take_over_the_types_of_parameters():
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=2, leaf_penalty=np.float32(0.01)).fit(X, y)
    assert type(clf.objective_) is float
    assert type(clf.lower_bound_) is float


def test_any_leaf_size_is_possible():
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=2, min_samples_leaf=10**30).fit(X, y)
    assert clf.get_n_leaves() == 1
    assert clf.status_ == "optimal"


def test_a_refused_fit_keeps_the_earlier_fit():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    other = pd.DataFrame({"a": [0, 1, 0], "b": [1, 1, 0], "c": [0, 0, 1]})
    clf = OptimalTreeClassifier(max_depth=2)
    fitted = OptimalTreeClassifier(max_depth=2).fit(X, ["p", "q", "q", "p"])
    for init, weight in ((None, [-1, 1, 1]), (fitted.tree_, None)):
        for each in (clf, fitted):
            each.set_params(init=init)
            with pytest.raises(ValueError, match=r"Negative|init must have as many features"):
                each.fit(other, [1, 2, 3], weight)
            each.set_params(init=None)
        with pytest.raises(NotFittedError):
            clf.predict(X)
        assert not hasattr(clf, "n_features_in_")
        assert fitted.classes_.tolist() == ["p", "q"]
        assert (fitted.n_classes_, fitted.n_features_in_) == (2, 2)
        assert not hasattr(fitted, "feature_names_in_")
        assert fitted.predict(X).tolist() == ["p", "q", "q", "p"]

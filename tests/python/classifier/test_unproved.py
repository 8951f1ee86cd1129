"""A limit that ends a search before the proof is announced once, at the line of the user."""

import inspect
import pickle
import threading
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from beamtree import (
    CancelToken,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    Search,
    leaf_path,
    penalty_path,
)
from beamtree.rules import Discrepancy

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 2, (300, 40)), RNG.integers(0, 2, 300)
TOGETHER = (
    "At least one tree is not proved to be optimal: its fit ended at its node_limit. A larger "
    "node_limit or a smaller max_depth may give a proof; gap_limit=0.05 accepts a gap of 5%. Other "
    "fits of the same call are not announced."
)


@pytest.fixture
def clf():
    return OptimalTreeClassifier(max_depth=6, node_limit=2)


def heard(call):
    """Return the warnings of a call that users see, as the interpreter's own filters let them."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        call()
    return found


@pytest.mark.parametrize(
    ("given", "why", "helps"),
    [
        ({"time_limit": 0.001}, "time limit of 0.001 s", "A larger time_limit"),
        ({"node_limit": 2}, "node limit of 2", "A larger node_limit"),
        (
            {"memory_limit": "1 kB"},
            "too little memory for a search",
            "A larger memory_limit, a smaller max_thresholds",
        ),
        (
            {"rule": Discrepancy(limit=0)},
            "limit of the rule",
            "A larger limit of the rule, rule='auto'",
        ),
    ],
)
def test_the_warning_says_what_is_proved_and_what_helps(given, why, helps):
    clf = OptimalTreeClassifier(max_depth=6, **given)
    with pytest.warns(ConvergenceWarning) as found:
        clf.fit(X, Y)
    (warning,) = found
    assert str(warning.message) == (
        f"Not proved: {clf.n_errors_} errors, at least {clf.lower_bound_:g} ({why}). {helps} or a "
        f"smaller max_depth may give a proof; gap_limit=0.05 accepts a gap of 5%."
    )
    assert warning.filename == __file__


def test_trees_of_any_depth_are_made_smaller_by_fewer_leaves():
    clf = OptimalTreeClassifier(max_depth=None, leaf_penalty=0.001, node_limit=1)
    with pytest.warns(ConvergenceWarning, match=r"or fewer leaves \(max_leaf_nodes\) may give"):
        clf.fit(X, Y)


def test_the_line_is_that_of_the_user(clf):
    (found,) = heard(lambda: clf.fit(X, Y))
    line = inspect.currentframe().f_lineno - 1
    assert (found.filename, found.lineno) == (__file__, line)


@pytest.mark.parametrize("given", ["gap", "no time", "callback", "token", "proof"])
def test_no_warning_where_the_user_asked_for_the_end(given):
    token = CancelToken()
    parameters = {
        "gap": {"gap_limit": 1.0},
        "no time": {"time_limit": 0},
        "callback": {"callback": lambda _: True},
        "token": {"cancel": token},
        "proof": {"max_depth": 1},
    }
    clf = OptimalTreeClassifier(**{"max_depth": 6} | parameters[given])
    threading.Timer(0.05, token.cancel).start()
    assert clf.fit(X, Y).status_ in ("gap_reached", "time_limit", "interrupted", "optimal")


def test_the_explicit_loop_does_not_warn():
    assert Search(X, Y, max_depth=6).run(node_limit=2).status == "node_limit"


CALLS = {
    "cross_val_score": lambda clf: cross_val_score(clf, X, Y, cv=4),
    "GridSearchCV": lambda clf: GridSearchCV(clf, {"max_depth": [5, 6]}, cv=2).fit(X, Y),
    "pipeline": lambda clf: make_pipeline(MinMaxScaler(), clf).fit(X, Y),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_one_warning_per_call_of_a_library(clf, call):
    for _ in range(2):  # each call has its own
        (found,) = heard(lambda: call(clf))
        assert (str(found.message), found.filename) == (TOGETHER, __file__)


def test_one_warning_for_all_threads_of_a_call(clf):
    def call():
        with joblib.parallel_config("threading", n_jobs=2):
            cross_val_score(clf, X, Y, cv=6)

    for _ in range(2):
        (found,) = heard(call)
        assert (str(found.message), found.filename) == (TOGETHER, __file__)


def test_one_warning_per_process_of_a_call(clf, capfd):
    """The processes of joblib do not know of each other."""
    for _ in range(2):
        with joblib.parallel_config("loky", n_jobs=2):
            heard(lambda: cross_val_score(clf, X, Y, cv=6))
        # Not one per fold. joblib may replace a process in between.
        assert 1 <= capfd.readouterr().err.count(TOGETHER) < 6


def test_pickles_are_the_same_inside_a_call(clf):
    """Only what joblib sends to a process knows its call; caches compare pickles."""
    for backend in ("sequential", "threading"):
        with joblib.parallel_config(backend, n_jobs=2):
            (data,) = joblib.Parallel()([joblib.delayed(pickle.dumps)(clf)])
        assert vars(pickle.loads(data)) == vars(clf)


def test_a_filter_that_makes_errors_of_warnings_holds_for_every_fold(clf):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ValueError, match="All the 4 fits failed"):
            cross_val_score(clf, X, Y, cv=4)


def test_our_own_cross_validation_counts_the_fits(clf):
    model = OptimalTreeClassifierCV(clf, max_depths=(1, 6), leaf_penalties=[0.0], cv=3)
    (found,) = heard(lambda: model.fit(X, Y))
    wrong = 3 + (model.best_params_["max_depth"] == 6)
    assert str(found.message) == (
        f"{wrong} of 7 fits ended at a limit before their trees were proved to be optimal. A "
        f"larger node_limit or smaller max_depths may give a proof; gap_limit=0.05 accepts a gap "
        f"of 5%."
    )
    assert found.filename == __file__


@pytest.mark.parametrize("given", [{}, {"max_leaf_nodes": 3}])
def test_a_path_that_is_cut_short_is_announced(given, monkeypatch):
    """Its candidates may not be all, although the fits of those that it has are proved."""
    name = "leaf_path" if given else "penalty_path"
    whole = {"leaf_path": leaf_path, "penalty_path": penalty_path}[name]
    monkeypatch.setattr(
        f"beamtree.model_selection._size_chooser.{name}",
        lambda *args, **params: replace(whole(*args, **params), status="time_limit"),
    )
    model = OptimalTreeClassifierCV(max_depths=(1,), cv=2, **given)
    (found,) = heard(lambda: model.fit(X, Y))
    fits = 2 * len(model.cv_results_["params"]) + 1
    assert str(found.message).startswith(f"1 of {fits + 1} paths and fits ended at a limit before")


def test_a_cross_validation_of_cross_validations_has_one_warning(clf):
    model = OptimalTreeClassifierCV(clf, max_depths=(6,), leaf_penalties=[0.0], cv=2)
    (found,) = heard(lambda: cross_val_score(model, X, Y, cv=3))
    assert "fits ended at a limit" in str(found.message)


@pytest.mark.parametrize("path", [penalty_path, leaf_path])
def test_one_warning_per_path(path):
    (found,) = heard(lambda: path(X, Y, max_depth=6, node_limit=2))
    assert str(found.message).startswith("Not proved: ")
    assert "(node limit of 2). A larger node_limit or a smaller max_depth" in str(found.message)
    assert found.filename == __file__
    assert heard(lambda: path(X, Y, max_depth=6, time_limit=0)) == []


def test_the_command_line_prints_no_warning(tmp_path, capsys):
    from beamtree.cli.fit import fit

    names = [f"x{k}" for k in range(X.shape[1])]
    lines = [",".join(map(str, (*row, label))) for row, label in zip(X, Y, strict=True)]
    data = tmp_path / "data.csv"
    data.write_text("\n".join([",".join([*names, "y"]), *lines]))
    assert fit(data, target="y", depth=5, time=0.05) == 0
    out, err = capsys.readouterr()
    assert "Not proved" in out
    assert "Warning" not in err
    assert fit(data, target="y", depth=6, time=0.5, cv=2) == 0
    assert "Warning" not in capsys.readouterr().err

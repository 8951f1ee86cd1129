"""The parameter `callback`, and the callbacks of scikit-learn 1.9 and later."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from beamtree import Incumbent, OptimalTreeClassifier, Search
from beamtree.datasets import tic_tac_toe


@pytest.fixture(scope="module")
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


def test_the_callback_gets_every_improvement(boards):
    heard = []
    clf = OptimalTreeClassifier(max_depth=5, callback=heard.append).fit(*boards)
    assert all(isinstance(incumbent, Incumbent) for incumbent in heard)
    assert [incumbent.objective for incumbent in heard] == clf.trace_["objective"].tolist()
    assert [incumbent.lower_bound for incumbent in heard] == clf.trace_["lower_bound"].tolist()
    assert heard[-1].tree.value is clf.tree_.value
    assert clf.status_ == "optimal"


@pytest.mark.parametrize("answer", [True, 1, "stop", np.True_])
def test_a_true_answer_stops_the_search(boards, answer):
    clf = OptimalTreeClassifier(max_depth=5, callback=lambda _: answer).fit(*boards)
    assert clf.status_ == "interrupted"
    assert len(clf.trace_) == 1
    X, y = boards
    assert clf.n_errors_ == (clf.predict(X) != y).sum()


@pytest.mark.parametrize("answer", [None, False, 0, "", np.False_])
def test_a_false_answer_does_not_stop_the_search(boards, answer):
    clf = OptimalTreeClassifier(max_depth=4, callback=lambda _: answer).fit(*boards)
    assert clf.status_ == "optimal"


def test_stopping_at_the_proof_is_a_proof(boards):
    clf = OptimalTreeClassifier(max_depth=3, callback=lambda found: found.gap == 0).fit(*boards)
    assert (clf.status_, clf.objective_) == ("optimal", 216)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_exception_leaves_a_fitted_classifier(boards, at):
    heard = []

    def fail(incumbent):
        heard.append(incumbent)
        if len(heard) == at:
            raise KeyError("enough")

    clf = OptimalTreeClassifier(max_depth=5, callback=fail)
    with pytest.raises(KeyError, match="enough"):
        clf.fit(*boards)
    X, y = boards
    assert clf.n_errors_ == (clf.predict(X) != y).sum() == heard[-1].objective
    assert len(clf.trace_) == at
    assert clf.status_ == "interrupted"


def test_the_callback_of_a_search(boards):
    heard = []
    search = Search(*boards, max_depth=5, callback=lambda found: heard.append(found) or True)
    assert search.run().status == "interrupted"
    assert search.run(time_limit=60).status == "interrupted"
    assert len(heard) == 2


def heard_by(heard):
    return lambda found: heard.append(found)  # noqa: PLW0108 (a clone would copy the list)


def test_a_clone_keeps_the_callback(boards):
    heard = []
    clf = OptimalTreeClassifier(max_depth=3, callback=heard_by(heard))
    clone(clf).fit(*boards)
    assert heard


# scikit-learn has callbacks since version 1.9.

callback = pytest.importorskip("sklearn.callback")


class Recorder:  # scikit-learn chose the names.
    """Records every call, and stops after some improvements."""

    def __init__(self, stop_after=None, fail_after=None):
        self.heard, self.stop_after, self.fail_after = [], stop_after, fail_after

    def setup(self, estimator, context):  # noqa: ARG002
        self.heard.append(("setup", context.task_name))

    def teardown(self, estimator, context):  # noqa: ARG002
        self.heard.append(("teardown", context.task_name))

    def on_fit_task_begin(self, estimator, context):  # noqa: ARG002
        self.heard.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):  # noqa: ARG002
        self.heard.append(("end", context.task_name))
        assert (fitted_estimator.predict(X) != y).sum() == fitted_estimator.n_errors_
        assert fitted_estimator is not estimator
        count = self.heard.count(("end", "improvement"))
        if self.fail_after == count:
            raise KeyError("enough")
        return self.stop_after == count


def test_tasks(boards):
    recorder = Recorder()
    clf = OptimalTreeClassifier(max_depth=5).set_callbacks(recorder).fit(*boards)
    assert clf.status_ == "optimal"
    # One task per improvement, and one for the improvement that did not come.
    task = [("begin", "improvement"), ("end", "improvement")]
    assert recorder.heard == [
        ("setup", "fit"),
        ("begin", "fit"),
        *task * (len(clf.trace_) + 1),
        ("end", "fit"),
        ("teardown", "fit"),
    ]


def test_early_stop(boards):
    recorder = Recorder(stop_after=2)
    clf = OptimalTreeClassifier(max_depth=5).set_callbacks(recorder).fit(*boards)
    assert clf.status_ == "interrupted"
    assert len(clf.trace_) == 2
    assert recorder.heard[-2:] == [("end", "fit"), ("teardown", "fit")]


def test_an_exception_in_a_hook_leaves_a_fitted_classifier(boards):
    recorder = Recorder(fail_after=2)
    clf = OptimalTreeClassifier(max_depth=5).set_callbacks(recorder)
    with pytest.raises(KeyError, match="enough"):
        clf.fit(*boards)
    assert (clf.status_, len(clf.trace_)) == ("interrupted", 2)
    assert recorder.heard[-1] == ("teardown", "fit")


def test_scoring_monitor(boards):
    X, y = boards
    monitor = callback.ScoringMonitor(scoring="accuracy")
    clf = OptimalTreeClassifier(max_depth=5).set_callbacks(monitor)
    clf.fit(X, y, sample_weight=np.ones(len(y)))
    scores = [row["accuracy"] for row in monitor.get_logs().data if row["task_id_path"][1:]]
    expected = 1 - clf.trace_["objective"] / len(y)
    np.testing.assert_allclose(scores, [*expected, clf.score(X, y)])


def test_progress_bar(boards, capsys):
    pytest.importorskip("rich")
    bar = callback.ProgressBar()
    clf = OptimalTreeClassifier(max_depth=4).set_callbacks(bar).fit(*boards)
    assert clf.status_ == "optimal"
    assert "OptimalTreeClassifier - fit" in capsys.readouterr().out


def test_in_a_pipeline_and_a_grid_search(boards, capsys):
    pytest.importorskip("rich")
    bar = callback.ProgressBar(max_propagation_depth=None)
    pipeline = make_pipeline(OptimalTreeClassifier(max_depth=2))
    pipeline.set_callbacks(bar).fit(*boards)
    assert "OptimalTreeClassifier" in capsys.readouterr().out
    grid = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    grid.set_callbacks(bar).fit(*boards)
    assert grid.best_params_ == {"max_depth": 2}


WITHOUT = """
    import sklearn.callback, sklearn.model_selection, sklearn.pipeline
    del sklearn.callback.CallbackSupportMixin  # as before version 1.9
    from beamtree import OptimalTreeClassifier
    clf = OptimalTreeClassifier(max_depth=1, callback=lambda found: print(found.objective))
    clf.fit([[0], [1]], [0, 1])
    assert clf.status_ == "optimal" and not hasattr(clf, "set_callbacks")
"""


def test_versions_without_callbacks():
    program = [sys.executable, "-c", textwrap.dedent(WITHOUT)]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "0.0\n"), done.stderr

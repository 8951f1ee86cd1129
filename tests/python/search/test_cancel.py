"""Ending searches from another thread."""

import copy
import gc
import pickle
import threading

import numpy as np
import pytest
from sklearn.base import clone

from beamtree import CancelToken, OptimalTreeClassifier, Search


@pytest.fixture(scope="module")
def endless():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (1500, 60)), rng.integers(0, 2, 1500)


def test_cancel_from_a_thread(endless):
    X, y = endless
    token = CancelToken()
    begun = threading.Event()
    # The thread cancels as soon as the search has reported its first tree.
    thread = threading.Thread(target=lambda: (begun.wait(), token.cancel()))
    thread.start()
    clf = OptimalTreeClassifier(
        max_depth=8, time_limit=60, cancel=token, callback=lambda _: begun.set()
    ).fit(X, y)
    thread.join()
    assert clf.status_ == "interrupted"
    assert clf.n_errors_ == (clf.predict(X) != y).sum() == clf.objective_
    assert token.cancelled


def test_a_fit_in_another_thread_is_cancelled(endless):
    token, begun = CancelToken(), threading.Event()
    clf = OptimalTreeClassifier(
        max_depth=8, time_limit=60, cancel=token, callback=lambda _: begun.set()
    )
    thread = threading.Thread(target=clf.fit, args=endless)
    thread.start()
    assert begun.wait(30)
    token.cancel()
    thread.join(30)
    assert clf.status_ == "interrupted"


def test_a_cancelled_token_leaves_greedy_trees(endless):
    token = CancelToken()
    token.cancel()
    token.cancel()
    clf = OptimalTreeClassifier(max_depth=5, cancel=token).fit(*endless)
    greedy = OptimalTreeClassifier(max_depth=5, time_limit=0).fit(*endless)
    assert (clf.status_, clf.objective_) == ("interrupted", greedy.objective_)
    assert len(clf.trace_) == 1
    search = Search(*endless, max_depth=5, cancel=token)
    assert search.step().objective == clf.objective_
    assert search.step() is None
    assert search.run().status == "interrupted"


def test_one_token_for_several_searches(endless):
    token = CancelToken()
    searches = [Search(*endless, max_depth=6, cancel=token) for _ in range(3)]
    for search in searches:
        search.step()
    token.cancel()
    assert [search.run().status for search in searches] == ["interrupted"] * 3


def test_a_proof_stays_a_proof():
    token = CancelToken()
    search = Search([[0], [1]], [0, 1], max_depth=1, cancel=token)
    assert search.run().status == "optimal"
    token.cancel()
    assert search.run().status == "optimal"


def test_copies_are_the_token_itself():
    token = CancelToken()
    clf = OptimalTreeClassifier(cancel=token)
    assert clone(clf).cancel is token
    assert copy.deepcopy(clf).cancel is token
    assert copy.copy(token) is token


def test_a_pickle_is_another_token():
    token = CancelToken()
    other = pickle.loads(pickle.dumps(token))
    token.cancel()
    assert not other.cancelled
    assert pickle.loads(pickle.dumps(token)).cancelled
    assert repr(token) == "<CancelToken, cancelled>"


def test_a_token_does_not_keep_searches_alive(endless):
    token = CancelToken()
    gc.disable()
    try:
        Search(*endless, max_depth=2, cancel=token).step()
        OptimalTreeClassifier(max_depth=2, cancel=token).fit(*endless)
        # Not even until the next garbage collection, because searches are large.
        assert len(token._running) == 0
    finally:
        gc.enable()

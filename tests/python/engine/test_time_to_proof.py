"""A search estimates how long its proof will take, and says it in several places."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from beamtree import OptimalTreeClassifier, OptimalTreeRegressor, Search
from beamtree._engine.progress import progress_text
from beamtree._sklearn.unproved import advice
from beamtree.rules import Discrepancy

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 2, (400, 40)), RNG.integers(0, 2, 400)


def estimates(search):
    """Return the estimates between the improvements of a search until its end, said twice."""
    return [
        (search.progress().time_to_proof, search.result().statistics["time_to_proof"])
        for _ in search
    ]


def test_nothing_is_left_after_the_proof():
    clf = OptimalTreeClassifier(max_depth=3).fit(X, Y)
    assert clf.status_ == "optimal"
    assert clf.statistics_["time_to_proof"] == 0.0
    reg = OptimalTreeRegressor(max_depth=2).fit(X, Y + 0.5)
    assert reg.statistics_["time_to_proof"] == 0.0


def test_the_estimate_appears_with_the_first_rung():
    search = Search(X, Y, max_depth=5, n_jobs=1)
    assert search.progress().time_to_proof is None
    found = estimates(search)
    assert all(now == then for now, then in found)
    known = [seconds for seconds, _ in found if seconds is not None]
    assert found[0][0] is None
    assert len(known) >= 2
    assert all(seconds > 0 for seconds in known[:-1])
    assert known[-1] == 0.0


def test_an_estimate_is_shown():
    search = Search(X, Y, max_depth=5, n_jobs=1)
    search.step()
    assert " | time to proof unknown | " in progress_text(search.progress())
    for _ in search:
        if search.progress().time_to_proof:
            break
    assert " | proof in about " in progress_text(search.progress())


def test_a_search_that_was_stopped_has_an_estimate():
    def stop(incumbent):
        return incumbent.lower_bound > incumbent.objective / 2

    clf = OptimalTreeClassifier(max_depth=5, n_jobs=1, callback=stop).fit(X, Y)
    assert clf.status_ == "interrupted"
    assert clf.statistics_["time_to_proof"] > 0
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert again.statistics_ == clf.statistics_


def test_the_warning_names_the_estimate():
    said = advice("time_limit", "a smaller max_depth", 170.0)
    assert said.startswith("A larger time_limit (by about 3 min) or a smaller max_depth may give")
    assert "about" not in advice("time_limit", "a smaller max_depth")
    assert "about" not in advice("node_limit", "a smaller max_depth", 170.0)


def test_it_is_unknown_before_the_bound_rises():
    with pytest.warns(ConvergenceWarning):
        clf = OptimalTreeClassifier(max_depth=6, node_limit=2).fit(X, Y)
    assert clf.lower_bound_ == 0.0
    assert clf.statistics_["time_to_proof"] is None
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert again.statistics_.items() < clf.statistics_.items()


def test_more_time_does_not_help_a_search_that_has_ended():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = OptimalTreeClassifier(max_depth=5, rule=Discrepancy(limit=0)).fit(X, Y)
    assert clf.status_ == "rule_limit"
    assert clf.statistics_["time_to_proof"] is None

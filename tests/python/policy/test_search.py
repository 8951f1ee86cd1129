"""`Search` for policies: steps, checkpoints, and the policy tree of a search."""

import numpy as np
import pandas as pd
import pytest

from beamtree import CheckpointError, OptimalPolicyTree, Search
from tests.python.policy.test_policy import AGES, REWARDS, noisy

ACTIONS = ["none", "treat", "wait"]


def test_a_search_finds_what_the_policy_tree_finds():
    X, rewards = noisy()
    search = Search(X, rewards, policy=True, actions=ACTIONS, max_depth=2)
    assert search.policy
    assert not search.regression
    incumbents = list(search)
    fitted = OptimalPolicyTree(max_depth=2, actions=ACTIONS).fit(X, rewards)
    assert incumbents[-1].proof == fitted.proof_
    assert incumbents[-1].reward == fitted.reward_
    assert "<svg" in search._repr_html_()
    assert search.classes.tolist() == ACTIONS
    policy = search.to_policy_tree()
    assert (policy.predict(X) == fitted.predict(X)).all()
    assert policy.get_params() == fitted.get_params()
    assert vars(fitted).keys() == vars(policy).keys()


@pytest.mark.parametrize("names", [ACTIONS, [0.5, 0.25, 1.0], [True, False], None])
def test_a_saved_search_goes_on(names, tmp_path):
    X, rewards = noisy(actions=2 if names == [True, False] else 3)
    path = tmp_path / "search"
    weight = np.linspace(1, 2, len(X))
    search = Search(X, rewards, weight, policy=True, actions=names, max_depth=3)
    first = search.run(node_limit=3)
    search.save(path)
    again = Search.load(path, X, rewards, weight, policy=True)
    assert again.policy
    assert again.classes.tolist() == search.classes.tolist()
    assert again.result().objective == first.objective
    assert again.run().status == "optimal"
    assert again.result().reward == search.run(node_limit=10**9).reward
    other = rewards.copy()
    other[0] += [2.0, 0.0, 0.0][: rewards.shape[1]]
    with pytest.raises(CheckpointError, match="it belongs to other data: the rewards differ"):
        Search.load(path, X, other, weight)
    with pytest.raises(CheckpointError, match="a tree that predicts actions, not labels"):
        Search.load(path, X, rewards, weight, policy=False)
    with pytest.raises(CheckpointError, match="a tree that predicts actions, not numbers"):
        Search.load(path, X, rewards, weight, regression=True)


def test_columns_in_another_order_are_refused(tmp_path):
    table = pd.DataFrame(REWARDS, columns=["none", "treat"])
    search = Search(AGES, table, policy=True, max_depth=1)
    search.save(tmp_path / "search")
    assert Search.load(tmp_path / "search", AGES, table).classes.tolist() == ["none", "treat"]
    with pytest.raises(ValueError, match=r"columns in the order \['none', 'treat'\], got \['treat"):
        Search.load(tmp_path / "search", AGES, table[["treat", "none"]])
    plain = Search([[0], [1]], [0, 1], max_depth=1)
    plain.save(tmp_path / "labels")
    with pytest.raises(CheckpointError, match="a tree that predicts labels, not actions"):
        Search.load(tmp_path / "labels", [[0], [1]], [0, 1], policy=True)


def test_the_other_kind_is_refused():
    search = Search(AGES, REWARDS, policy=True, max_depth=1)
    with pytest.raises(ValueError, match=r"to_classifier\(\) needs a search for labels, and this"):
        search.to_classifier()
    with pytest.raises(ValueError, match=r"is for labels: use to_classifier\(\)"):
        Search([[0], [1]], [0, 1], max_depth=1).to_policy_tree()
    with pytest.raises(
        ValueError, match="cost_matrix must be None for a tree that chooses actions"
    ):
        Search(AGES, REWARDS, policy=True, cost_matrix=np.eye(2))
    with pytest.raises(
        ValueError, match="Search requires y to be passed, but the target y is None"
    ):
        Search(AGES, None, policy=True)
    with pytest.raises(ValueError, match="actions must be None or a sequence of different texts"):
        Search(AGES, REWARDS, policy=True, actions="treat")

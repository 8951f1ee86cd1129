"""`leaf_path` and `penalty_path` for policies."""

from fractions import Fraction

import numpy as np
import pytest

from beamtree import OptimalPolicyTree, leaf_path, penalty_path
from tests.oracle import largest_reward

AGES = [[25], [31], [47], [62]]
REWARDS = [[0, 3], [0, 2], [0, -1], [0, 4]]


@pytest.mark.parametrize("seed", range(16))
def test_the_paths_have_the_largest_rewards(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    X = rng.integers(0, 4, (n, 2))
    shape = n, int(rng.integers(2, 4))
    rewards = rng.integers(-5, 6, shape) * 1.0 if seed % 2 else rng.normal(size=shape)
    rewards *= rng.choice([1.0, 1e-9, 1e12])
    weight = rng.integers(1, 4, n) if seed % 3 else rng.random(n) + 0.1
    columns = [("numbers", column.tolist()) for column in X.T]
    noise = 1e-9 * np.abs(rewards).max() * weight.sum()
    best_possible = weight @ rewards.max(axis=1)
    given = {"policy": True, "sample_weight": weight, "max_depth": 3}
    path = leaf_path(X, rewards, **given, max_leaf_nodes=6)
    assert path.status == "optimal"
    for row in path.table:
        limits = {"max_depth": 3, "max_leaf_nodes": int(row["max_leaf_nodes"])}
        most = largest_reward(columns, rewards.tolist(), weight.tolist(), **limits)
        assert row["reward"] == pytest.approx(float(most), abs=noise)
        assert row["error"] == pytest.approx(best_possible - float(most), abs=noise)
        assert Fraction(float(row["reward_bound"])) >= most - Fraction(noise * 1e-3)
    hull = penalty_path(X, rewards, **given)
    assert hull.status == "optimal"
    for row in hull.table:
        penalty = float(row["leaf_penalty"])
        limits = {"max_depth": 3, "leaf_penalty": penalty}
        most = largest_reward(columns, rewards.tolist(), weight.tolist(), **limits)
        paid = penalty * weight.sum() * (row["leaves"] - 1)
        assert row["reward"] - paid == pytest.approx(float(most), abs=noise)
        assert row["lower_bound"] <= row["error"]


def test_a_path_is_shown_and_gives_policy_trees():
    actions = ["none", "treat"]
    path = leaf_path(AGES, REWARDS, policy=True, actions=actions, max_leaf_nodes=3, max_depth=2)
    assert repr(path).splitlines() == [
        "Proved optimal: the best trees of 1 to 3 leaves and depth at most 2",
        "at most  leaves  depth        reward   upper bound",
        "      1       1      0             8             8",
        "      2       1      0             8             8",
        "      3       3      2             9             9",
    ]
    assert "<th>reward</th><th>upper bound</th>" in path._repr_html_()
    assert (path.table["n_errors"] == -1).all()
    assert path.classes.tolist() == actions
    policy = path.policy_tree(3)
    same = OptimalPolicyTree(max_depth=2, actions=actions, max_leaf_nodes=3).fit(AGES, REWARDS)
    assert policy.get_params() == same.get_params()
    assert vars(policy).keys() == vars(same).keys()
    assert policy.proof_ == same.proof_ == "Proved optimal with at most 3 leaves: total reward 9"
    for name in ("reward_", "reward_bound_", "regret_", "objective_", "lower_bound_"):
        assert getattr(policy, name) == getattr(same, name), name
    assert policy.predict(AGES).tolist() == ["treat", "treat", "none", "treat"]
    assert OptimalPolicyTree.from_json(policy.to_json()).proof_ == policy.proof_
    assert path.policy_tree(1).proof_ == "Proved optimal with at most 1 leaf: total reward 8"
    hull = penalty_path(AGES, REWARDS, policy=True, max_depth=2)
    assert hull.table["reward"].tolist() == [8.0, 9.0]
    assert hull.policy_tree().actions_.tolist() == [0, 1]
    assert hull.policy_tree().actions is None


def test_the_plot_is_about_regrets():
    pytest.importorskip("matplotlib")
    assert leaf_path(AGES, REWARDS, policy=True).plot().get_ylabel() == "regret"


def test_a_stopped_path_has_upper_bounds():
    rng = np.random.default_rng(0)
    X, rewards = rng.normal(size=(300, 6)), rng.normal(size=(300, 3))
    path = leaf_path(X, rewards, policy=True, max_depth=3, time_limit=0)
    assert path.status == "time_limit"
    assert (path.table["reward_bound"] >= path.table["reward"]).all()
    assert path.table["reward_bound"][-1] > path.table["reward"][-1]
    assert path.policy_tree().proof_.startswith("Not proved: total reward ")


def test_what_does_not_belong_together_is_refused():
    path = leaf_path(AGES, REWARDS, policy=True)
    with pytest.raises(ValueError, match=r"the trees of this path predict actions: use policy_tr"):
        path.classifier(2)
    with pytest.raises(ValueError, match=r"the trees of this path predict labels: use classifier"):
        leaf_path([[0], [1]], [0, 1]).policy_tree()
    for paths in (leaf_path, penalty_path):
        with pytest.raises(ValueError, match="regression must be False if policy is True"):
            paths(AGES, REWARDS, policy=True, regression=True)
        with pytest.raises(
            ValueError, match=r"actions must be None unless policy is True, got \['a"
        ):
            paths(AGES, [0, 1, 0, 1], actions=["a", "b"])
        with pytest.raises(ValueError, match="policy must be True or False, got 1"):
            paths(AGES, REWARDS, policy=1)
        with pytest.raises(ValueError, match="class_weight must be None for a tree that chooses"):
            paths(AGES, REWARDS, policy=True, class_weight="balanced")
        with pytest.raises(ValueError, match="min_weight_fraction_leaf must be 0 for a tree that"):
            paths(AGES, REWARDS, policy=True, min_weight_fraction_leaf=0.1)

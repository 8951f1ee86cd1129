"""The policy tree: rewards, bounds, words, names of actions, and the ways to end a search."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from beamtree import CancelToken, OptimalPolicyTree, OptimalTreeClassifier
from tests.unfinished import unfinished

AGES = [[25], [31], [47], [62]]
A_TABLE = (
    "rewards must be a table with one line per row and one column per action, got an array of "
    "shape "
)
REWARDS = [[0, 3], [0, 2], [0, -1], [0, -4]]


def noisy(rows=200, columns=4, actions=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    rewards = rng.normal(size=(rows, actions))
    rewards[:, 0] += X[:, 0] * np.sign(X[:, 1])
    return X, rewards


def test_the_best_policy_and_its_numbers():
    policy = OptimalPolicyTree(max_depth=1).fit(AGES, REWARDS)
    assert policy.proof_ == "Proved optimal: total reward 5"
    assert (policy.status_, policy.reward_, policy.reward_bound_) == ("optimal", 5.0, 5.0)
    assert (policy.regret_, policy.objective_, policy.lower_bound_, policy.gap_) == (0, 0, 0, 0)
    assert policy.actions_.tolist() == [0, 1]
    assert policy.predict([[20], [50]]).tolist() == [1, 0]
    assert policy.tree_.reward.tolist() == [[0, 0], [0, 2.5], [0, -2.5]]
    assert policy.tree_.n_node_samples.tolist() == [4, 2, 2]
    assert not is_classifier(policy)
    assert not is_regressor(policy)
    assert not hasattr(policy, "predict_proba")


def test_penalties_are_rewards_per_row():
    """The split earns 5 more on four rows, which is 1.25 per row."""
    for penalty, leaves in ((1.24, 2), (1.26, 1)):
        policy = OptimalPolicyTree(max_depth=1, leaf_penalty=penalty).fit(AGES, REWARDS)
        assert policy.get_n_leaves() == leaves
        assert policy.reward_ == 5 * (leaves - 1)
        assert policy.reward_bound_ == pytest.approx((leaves - 1) * (5 - 4 * penalty))
        words = f"total reward less penalties {policy.reward_bound_:.6g}"
        assert policy.proof_ == f"Proved optimal: {words}"


def test_weights_multiply_rewards_and_zeros_do_not_count():
    policy = OptimalPolicyTree(max_depth=0).fit(AGES, REWARDS, [2, 0, 1, 1])
    assert (policy.reward_, policy.predict([[0]])[0]) == (1.0, 1)
    assert policy.tree_.n_node_samples.tolist() == [3]
    assert policy.value(AGES, REWARDS, [2, 0, 1, 1]) == 0.25
    assert policy.value(AGES, REWARDS) == 0.0


@pytest.mark.parametrize("shift", [-1000, 17, 10**6])
def test_the_zero_of_rewards_does_not_matter(shift):
    X, rewards = noisy()
    rewards = np.rint(10 * rewards)
    plain = OptimalPolicyTree(max_depth=2).fit(X, rewards)
    shifted = OptimalPolicyTree(max_depth=2).fit(X, rewards + shift)
    assert shifted.regret_ == plain.regret_
    assert shifted.reward_ == plain.reward_ + len(X) * shift
    each = np.arange(len(X))[:, None]
    assert OptimalPolicyTree(max_depth=2).fit(X, rewards + each).regret_ == plain.regret_
    assert shifted.status_ == plain.status_ == "optimal"


def test_large_negative_rewards_in_words():
    policy = OptimalPolicyTree(max_depth=0).fit([[0], [1]], [[-1e6, -3e6]] * 2)
    assert policy.proof_ == "Proved optimal: total reward -2,000,000"


def test_real_rewards_are_rounded_and_the_bounds_know_it():
    X, rewards = noisy()
    policy = OptimalPolicyTree(max_depth=2).fit(X, rewards)
    assert policy.proof_.startswith("Proved optimal")
    assert policy.reward_ <= policy.reward_bound_ <= policy.reward_ + 2 * policy.rounding_ + 1e-9
    assert_allclose(policy.reward_ + policy.regret_, rewards.max(axis=1).sum())
    assert_allclose(policy.value(X, rewards) * len(X), policy.reward_)


def test_names_of_actions():
    X, rewards = noisy()
    names = ["wait", "drug", "advice"]
    policy = OptimalPolicyTree(max_depth=2, actions=names).fit(X, rewards)
    assert policy.actions_.tolist() == names
    assert set(policy.predict(X)) <= set(names)
    frame = pd.DataFrame(rewards, columns=names)
    by_columns = OptimalPolicyTree(max_depth=2).fit(X, frame)
    assert_array_equal(by_columns.predict(X), policy.predict(X))
    assert policy.value(X, frame) == policy.value(X, rewards)
    mixed = OptimalPolicyTree(max_depth=1, actions=["none", 1, 2.5]).fit(X, rewards)
    assert mixed.actions_.tolist() == ["none", 1, 2.5]


def test_one_action_and_equal_rewards_are_a_leaf():
    for rewards in ([[3]] * 4, [[1, 1, 1]] * 4):
        for size in (1, 2):
            policy = OptimalPolicyTree(min_samples_leaf=size).fit(AGES, rewards)
            assert (policy.get_n_leaves(), policy.status_) == (1, "optimal")
            assert policy.reward_ == 4 * rewards[0][0]
            assert policy.predict([[0]]).tolist() == [0]


def test_leaf_sizes_count_rows_also_where_actions_tie():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (40, 2))
    rewards = rng.integers(0, 2, (40, 3))  # many ties, and many rows without a preference
    policy = OptimalPolicyTree(max_depth=3, min_samples_leaf=7).fit(X, rewards)
    leaves = policy.tree_.feature < 0
    assert policy.tree_.n_node_samples[leaves].min() >= 7
    assert policy.tree_.n_node_samples[0] == 40


def test_no_time_gives_a_greedy_policy():
    X, rewards = noisy(400)
    policy = OptimalPolicyTree(max_depth=3, time_limit=0).fit(X, rewards)
    best = max(rewards.sum(axis=0))
    assert policy.status_ == "time_limit"
    assert best < policy.reward_ < policy.reward_bound_
    assert re.fullmatch(
        r"Not proved: total reward [\d.]+, at most [\d.]+ \(time limit of 0 s\)", policy.proof_
    )


def test_a_limit_warns_with_the_rewards():
    X, rewards = noisy(400)
    with pytest.warns(ConvergenceWarning, match=r"^Not proved: total reward [\d.]+, at most"):
        OptimalPolicyTree(max_depth=4, node_limit=1).fit(X, rewards)


@unfinished
def test_callbacks_and_tokens_end_the_search():
    X, rewards = noisy(300)
    seen = []
    policy = OptimalPolicyTree(max_depth=3, callback=lambda found: seen.append(found) or True)
    policy.fit(X, rewards)
    assert (policy.status_, len(seen)) == ("interrupted", 1)
    assert seen[0].reward == policy.reward_ <= seen[0].reward_bound
    assert "total reward" in seen[0]._repr_html_()
    token = CancelToken()
    token.cancel()
    policy = OptimalPolicyTree(max_depth=3, cancel=token).fit(X, rewards)
    assert policy.status_ == "interrupted"

    def fail(_):
        msg = "enough"
        raise RuntimeError(msg)

    failed = OptimalPolicyTree(max_depth=3, callback=fail)
    with pytest.raises(RuntimeError, match="enough"):
        failed.fit(X, rewards)
    assert failed.predict(X).shape == (300,)


def test_ctrl_c_keeps_the_tree():
    X, rewards = noisy(300)

    def press(_):
        raise KeyboardInterrupt

    policy = OptimalPolicyTree(max_depth=3, callback=press).fit(X, rewards)
    assert policy.status_ == "interrupted"
    policy = OptimalPolicyTree(max_depth=3, callback=press, on_interrupt="raise")
    with pytest.raises(KeyboardInterrupt):
        policy.fit(X, rewards)
    assert policy.reward_ <= policy.reward_bound_


def test_the_tree_to_start_from():
    X, rewards = noisy(300)
    best = OptimalPolicyTree(max_depth=2).fit(X, rewards)
    for init in (best, best.tree_):
        again = OptimalPolicyTree(max_depth=2, init=init, time_limit=0).fit(X, rewards)
        assert again.reward_ == pytest.approx(best.reward_)
    labels = OptimalTreeClassifier(max_depth=2).fit(X, rewards.argmax(axis=1))
    from_labels = OptimalPolicyTree(max_depth=2, init=labels, time_limit=0).fit(X, rewards)
    taken = labels.predict(X)
    assert from_labels.reward_ >= rewards[np.arange(len(X)), taken].sum() - from_labels.rounding_


def test_a_warm_start_continues_with_equal_rewards_only():
    X, rewards = noisy(100)
    policy = OptimalPolicyTree(max_depth=2, warm_start=True).fit(X, rewards)
    nodes = policy.statistics_["nodes"]
    assert policy.fit(X, rewards.copy()).statistics_["nodes"] == nodes
    assert (
        policy.fit(X, -rewards).reward_ == OptimalPolicyTree(max_depth=2).fit(X, -rewards).reward_
    )


def test_few_thresholds_are_never_worse_than_greedy():
    X, rewards = noisy(300)
    greedy = OptimalPolicyTree(max_depth=2, time_limit=0).fit(X, rewards)
    few = OptimalPolicyTree(max_depth=2, max_thresholds=2).fit(X, rewards)
    assert few.reward_ >= greedy.reward_ - few.rounding_
    assert "over at most 2 thresholds per column" in few.proof_


def test_groups_of_categories_are_named_in_the_proof():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"city": rng.choice(list("abcdefg"), 80)})
    policy = OptimalPolicyTree(max_depth=1).fit(X, rng.integers(-5, 6, (80, 3)))
    expected = "Proved optimal over groups of categories by share of the best action: total reward"
    assert policy.proof_.startswith(expected)


def test_scikit_learn():
    X, rewards = noisy(120)
    policy = OptimalPolicyTree(max_depth=1, actions=["a", "b", "c"], min_samples_leaf=5)
    policy.fit(X, rewards)
    assert clone(policy).get_params() == policy.get_params()
    twin = pickle.loads(pickle.dumps(policy))
    assert_array_equal(twin.predict(X), policy.predict(X))
    assert policy.score(X, rewards) == policy.value(X, rewards)
    scores = cross_val_score(OptimalPolicyTree(max_depth=1), X, rewards, cv=3)
    assert scores.shape == (3,)
    piped = make_pipeline(StandardScaler(), OptimalPolicyTree(max_depth=1)).fit(X, rewards)
    assert piped.score(X, rewards) == pytest.approx(
        OptimalPolicyTree(max_depth=1).fit(X, rewards).score(X, rewards)
    )
    assert policy.feature_importances_.sum() == pytest.approx(1)
    assert policy.apply(X).shape == (120,)


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        (
            [0, 1, 2, 3],
            f"{A_TABLE}(4,)",
        ),
        (
            np.empty((4, 0)),
            f"{A_TABLE}(4, 0)",
        ),
        (
            [[0, 1], [0, np.nan], [0, 1], [0, 1]],
            "rewards must have finite numbers only, got nan (infinity or NaN) in row 1, column 1",
        ),
        ([["a", "b"]] * 4, "rewards must have finite numbers only: could not convert string to"),
        ([[1, 1e250]] * 4, "rewards must be from -1e+200 to 1e+200, got 1e+250: scale them"),
        ([[0, 1]] * 3, "Found input variables with inconsistent numbers of samples: [4, 3]"),
        (None, "OptimalPolicyTree requires y to be passed, but the target y is None"),
    ],
)
def test_rewards_that_are_not_allowed(rewards, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        OptimalPolicyTree().fit(AGES, rewards)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("ab", "actions must be None or a sequence of different texts, numbers or booleans, got"),
        (3, "actions must be None or a sequence of different texts, numbers or booleans, got 3"),
        (["a"], "rewards must have a column for each action: there are 2 columns, and the"),
        (["a", "a"], "actions must have different names, got ['a', 'a']"),
    ],
)
def test_actions_that_are_not_allowed(actions, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        OptimalPolicyTree(actions=actions).fit(AGES, REWARDS)


def test_a_value_needs_the_rewards_of_all_actions():
    policy = OptimalPolicyTree(max_depth=1, actions=["a", "b"]).fit(AGES, REWARDS)
    message = (
        "rewards must have a column for each action: there are 1 columns, and the actions are "
        "['a', 'b']"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        policy.value(AGES, [[1]] * 4)


def test_frames_must_have_the_actions_in_their_order():
    frame = pd.DataFrame(REWARDS, columns=["none", "treat"])
    policy = OptimalPolicyTree(max_depth=1).fit(AGES, frame)
    message = "rewards must have the columns in the order ['none', 'treat'], got ['treat', 'none']"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        policy.value(AGES, frame[["treat", "none"]])
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalPolicyTree(actions=["none", "treat"]).fit(AGES, frame[["treat", "none"]])
    assert policy.value(AGES, frame.rename(columns=str.upper)) == policy.value(AGES, REWARDS)

"""
A policy: which action for whom?
================================

A policy tree names actions instead of classes. It takes what each row would earn with each action,
and finds the tree of the largest total reward.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from beamtree import OptimalPolicyTree


def generate(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(20, 80, n_rows), "pressure": rng.normal(130, 15, n_rows)})
    rewards = pd.DataFrame(
        {
            "wait": np.zeros(n_rows),
            "drug": (X["pressure"] - 135) / 15,
            "advice": (50 - X["age"]) / 40,
        }
    )
    return X, rewards + rng.normal(0, 0.5, rewards.shape)  # estimates have errors


X, rewards = generate(400, seed=2)
policy = OptimalPolicyTree(max_depth=2, min_samples_leaf=20).fit(X, rewards)
print(policy)
ax = policy.plot()

# %%
# On the training rows a policy looks better than it is, so it is judged on new rows, beside the
# same action for all.
X_new, rewards_new = generate(2000, seed=1)
values = {f"{name} for all": rewards_new[name].mean() for name in rewards_new}
values["the tree"] = policy.value(X_new, rewards_new)
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.bar(list(values), list(values.values()), color=["tab:grey"] * 3 + ["tab:blue"])
ax.axhline(0, color="black", linewidth=0.8)
ax.set_ylabel("mean reward on new rows")

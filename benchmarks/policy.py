"""Measure how long proofs of policy trees take on one core, alone and beside pystreed.

    python benchmarks/policy.py --rows 500 1000 2000 --depths 2 3

generates tables of 10 columns with rewards of 3 actions, and proves the best tree over all
thresholds. The rewards are doubly robust scores: see `generate`. With ``--noise`` they are noise,
which no tree explains: the hardest case, since no bound helps before the last trees are counted.

    python benchmarks/policy.py --binary 5 --depths 2 3 4

cuts each column at 5 quantiles first, and runs pystreed's solver for costs per row, if it is
installed, on the same zeros and ones. The costs are the regrets: the best reward of the row less
that of the action. The last column compares the regrets of both trees.
"""

import argparse
import statistics
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from _report import Table, environment, write_json

from beamtree import OptimalPolicyTree

ACTIONS = 3


def generate(n_rows, n_columns=10, seed=0, *, noise=False):
    """Return a table of normal numbers, and doubly robust scores of three actions.

    The mean rewards of the actions are 0, ``x0 + max(x1, 0) - 1/2`` and ``x2 * sign(x3)``. Each row
    got one action A at random, and its outcome Y is the mean reward of A plus a normal number. The
    model of the outcomes is the mean reward plus 0.3 times a normal number, and the score of action
    a is ``model_a + 3 * (A == a) * (Y - model_a)``.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    if noise:
        return X, rng.normal(size=(n_rows, ACTIONS))
    treated = X[:, 0] + np.maximum(X[:, 1], 0.0) - 0.5
    mean = np.column_stack([np.zeros(n_rows), treated, X[:, 2] * np.sign(X[:, 3])])
    action = rng.integers(0, ACTIONS, n_rows)
    rows = np.arange(n_rows)
    outcome = mean[rows, action] + rng.normal(size=n_rows)
    scores = mean + 0.3 * rng.normal(size=mean.shape)
    scores[rows, action] += ACTIONS * (outcome - scores[rows, action])
    return X, scores


def cut(X, cuts):
    """Return zeros and ones: whether a value is above each of some quantiles of its column."""
    inner = np.linspace(0.0, 1.0, cuts + 2)[1:-1]
    return np.column_stack(
        [X[:, [j]] > np.quantile(X[:, j], inner) for j in range(X.shape[1])]
    ).astype(np.int32)


def measure(fit, repeats):
    """Return what a function returns, and the median of its processor and clock seconds."""
    spent = []
    for _ in range(repeats):
        begin, cpu_begin = time.perf_counter(), time.process_time()
        found = fit()
        spent.append((time.process_time() - cpu_begin, time.perf_counter() - begin))
    cpu, seconds = (statistics.median(column) for column in zip(*spent, strict=True))
    return found, {"cpu_seconds": cpu, "seconds": seconds}


def prove(X, rewards, depth, options):
    """Return a fitted policy tree, and what it took."""
    policy = OptimalPolicyTree(max_depth=depth, time_limit=options.limit, n_jobs=1)
    policy, spent = measure(lambda: policy.fit(X, rewards), options.repeats)
    spent |= {
        "proved": policy.proof_.startswith("Proved"),
        "status": policy.status_,
        "reward": policy.reward_,
        "reward_bound": policy.reward_bound_,
        "regret": policy.regret_,
        "rounding": policy.rounding_,
        "nodes": policy.statistics_["nodes"],
    }
    return policy, spent


def peer():
    """Return pystreed's solver for costs per row, or None if it is not installed."""
    try:
        version("pystreed")
    except PackageNotFoundError:
        return None
    from pystreed import STreeDInstanceCostSensitiveClassifier

    return STreeDInstanceCostSensitiveClassifier


def compare(X, rewards, depth, options, kind):
    """Return what pystreed took for the same problem, and the regret of its tree."""
    regret = rewards.max(axis=1)[:, np.newaxis] - rewards
    solver = kind(max_depth=depth, time_limit=options.limit)
    solver, spent = measure(lambda: solver.fit(X, regret), options.repeats)
    taken = np.asarray(solver.predict(X), dtype=np.intp)
    spent["regret"] = float(regret[np.arange(len(taken)), taken].sum())
    spent["proved"] = spent["seconds"] < options.limit
    return spent


def main(argv=None):
    """Print one row per problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 1000, 2000])
    parser.add_argument("--columns", type=int, default=10, help="at least 4")
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--noise", action="store_true", help="rewards that no tree explains")
    parser.add_argument("--binary", type=int, metavar="CUTS", help="cut columns at quantiles")
    parser.add_argument("--limit", type=float, default=600.0)
    parser.add_argument("--repeats", type=int, default=1, help="the median is reported")
    parser.add_argument("--json", metavar="FILE", default=None)
    options = parser.parse_args(argv)
    kind = peer() if options.binary else None
    table = Table(
        "rows", "seed", "depth", "cpu s", "clock s", "proved", "reward", "at most", "nodes",
        *(("pystreed cpu s", "ratio", "its regret less ours") if kind else ()),
    )  # fmt: skip
    rows = []
    for depth in options.depths:
        for n_rows in options.rows:
            for seed in options.seeds:
                X, rewards = generate(n_rows, options.columns, seed, noise=options.noise)
                X = cut(X, options.binary) if options.binary else X
                _, ours = prove(X, rewards, depth, options)
                cells = [
                    n_rows, seed, depth, f"{ours['cpu_seconds']:.2f}", f"{ours['seconds']:.2f}",
                    "yes" if ours["proved"] else "no", f"{ours['reward']:.3f}",
                    f"{ours['reward_bound']:.3f}", ours["nodes"],
                ]  # fmt: skip
                row = {"rows": n_rows, "seed": seed, "depth": depth, "beamtree": ours}
                if kind:
                    theirs = row["pystreed"] = compare(X, rewards, depth, options, kind)
                    ratio = theirs["cpu_seconds"] / ours["cpu_seconds"]
                    more = theirs["regret"] - ours["regret"]
                    cells += [f"{theirs['cpu_seconds']:.2f}", f"{ratio:.1f}", f"{more:.6f}"]
                table.row(*cells)
                rows.append(row)
    about = environment(["beamtree", *(["pystreed"] if kind else [])])
    write_json(options.json, {"environment": about, "problems": rows})


if __name__ == "__main__":
    main()

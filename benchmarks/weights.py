"""Measure the cost of sample weights: ones, small integers and real numbers.

    python benchmarks/weights.py --depths 4 [--data DIR]

Each dataset is solved without weights, with the weight 1 for each row, with integers of 8 bits, and
with the real weights after ten rounds of boosting. The last two are different problems with other
optima, so the means over the datasets say more than a single ratio.
"""

import numpy as np
from _report import Table, environment, geometric_mean, seconds, write_json
from _runner import Job, Runner
from proof_time import arguments, chosen_data, data_arguments
from sklearn.tree import DecisionTreeClassifier

KINDS = ("unit", "8 bits", "real")


def boosted(data, rounds=10):
    """Return the weights of AdaBoost (SAMME) after some rounds with trees of depth 2."""
    classes = data.shape["classes"]
    weight = np.full(len(data.y), 1 / len(data.y))
    for _ in range(rounds):
        tree = DecisionTreeClassifier(max_depth=2, random_state=0)
        wrong = tree.fit(data.X, data.y, sample_weight=weight).predict(data.X) != data.y
        error = weight[wrong].sum()
        if not 0 < error < 1 - 1 / classes:
            break
        weight[wrong] *= (1 - error) / error * (classes - 1)
        weight /= weight.sum()
    return weight


def weighted_jobs(data):
    """Return one job per kind of weights; the first has no weights."""
    small = np.random.default_rng(8).integers(1, 256, len(data.y)).astype(float)
    weights = (np.ones(len(data.y)), small, boosted(data))
    jobs = [Job("none", solver="beamtree")]
    return jobs + [Job(k, solver="beamtree", weight=w) for k, w in zip(KINDS, weights, strict=True)]


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[4])
    data_arguments(parser)
    options = parser.parse_args(argv)
    datasets = chosen_data(options)
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table(
        "dataset", "depth", "none s", *(f"{kind} s" for kind in KINDS),
        *(f"x {kind}" for kind in KINDS), widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows = []
    for depth in options.depths:
        for data in datasets:
            found = runner.compare(weighted_jobs(data), data, depth)
            ratios = {kind: times(found["none"], found[kind]) for kind in KINDS}
            cells = [f"{ratios[kind]:.2f}" if ratios[kind] else "-" for kind in KINDS]
            table.row(data.name, depth, *(seconds(m) for m in found.values()), *cells)
            solvers = {name: m.as_json() for name, m in found.items()}
            shown = {"dataset": data.name, "depth": depth, **data.shape}
            rows.append(shown | {"ratios": ratios, "solvers": solvers})
    print()
    for kind in KINDS:
        ratios = [row["ratios"][kind] for row in rows if row["ratios"][kind]]
        if ratios:
            print(f"{kind}: {geometric_mean(ratios):.2f} times (largest {max(ratios):.2f})")
    write_json(options.json, {"environment": environment(["beamtree"]), "problems": rows})


def times(without, measured):
    """Return the seconds of the weighted run divided by the other's; None if one did not end."""
    if not (without.runs and measured.runs) or without.stopped or measured.stopped:
        return None
    return measured.seconds / without.seconds


if __name__ == "__main__":
    main()

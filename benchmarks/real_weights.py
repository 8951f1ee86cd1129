"""Measure what real sample weights cost that are rounded to 15 bits, to more, or as they are.

    python benchmarks/real_weights.py --depths 3 [--data DIR]
    python benchmarks/real_weights.py --depths 2 --numbers [--data DIR]

Each problem is solved in one process with all roundings in turn, and the medians of the processor's
seconds of whole fits are compared. The weights are random numbers, those of boosting, inverse
propensities, and numbers of very different sizes. The column "as it is" has the rounding that
beamtree chooses, "rounding" the share of the total weight that it can change, and "of 15 bits" what
15 bits would change.
"""

from statistics import median
from time import process_time
from warnings import catch_warnings, simplefilter

import numpy as np
from _data import numbers
from _report import Table, environment, geometric_mean, write_json
from proof_time import arguments, chosen, chosen_data, data_arguments
from weights import boosted

from beamtree import OptimalTreeClassifier
from beamtree._engine import integer_weights

BITS = (15, 20, 24, 30, 40)


def propensities(data, rng):
    """Return the inverse probabilities of a treatment that depends on five columns."""
    X = np.asarray(data.X[:, :5], dtype=float)
    score = ((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)).sum(axis=1) / 2
    treated = np.clip(1 / (1 + np.exp(-score)), 0.05, 0.95)
    return np.where(rng.random(len(X)) < treated, 1 / treated, 1 / (1 - treated))


def kinds(data):
    """Return weights of several kinds."""
    rng, rows = np.random.default_rng(5), len(data.y)
    return {
        "random": rng.random(rows) + 1e-3,
        "boosted": boosted(data),
        "propensity": propensities(data, rng),
        "lognormal": np.exp(rng.normal(0, 2, rows)),
    }


def scale_of_bits(bits):
    """Return a function that gives all weights at most this number of bits."""
    return lambda weight, _, **__: (2**bits - 1) / float(weight.max())


def fit(data, depth, weight, limit):
    """Return the processor's seconds of a fit, and the classifier."""
    clf = OptimalTreeClassifier(max_depth=depth, time_limit=limit)
    with catch_warnings():
        simplefilter("ignore")
        begin = process_time()
        clf.fit(data.X, data.y, weight)
        return process_time() - begin, clf


def compare(data, depth, weight, options):
    """Return the median seconds and the share that rounding can change, per rounding."""
    chosen_scale = integer_weights._fine_scale
    scales = {f"{bits} bits": scale_of_bits(bits) for bits in BITS} | {"as it is": chosen_scale}
    spent, changed = {name: [] for name in scales}, {}
    try:
        for _ in range(options.repeats):
            for name, scale in scales.items():
                integer_weights._fine_scale = scale
                seconds, clf = fit(data, depth, weight, options.limit)
                if clf.status_ != "optimal":
                    return None
                spent[name].append(seconds)
                changed[name] = clf.rounding_ / float(weight.sum())
    finally:
        integer_weights._fine_scale = chosen_scale
    return {name: median(times) for name, times in spent.items()}, changed


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[3])
    data_arguments(parser)
    parser.add_argument("--numbers", action="store_true", help="columns of numbers")
    options = parser.parse_args(argv)
    datasets = chosen(numbers(options.data), options) if options.numbers else chosen_data(options)
    names = [*(f"{bits} bits" for bits in BITS[1:]), "as it is"]
    table = Table(
        "dataset", "depth", "weights", "15 bits s", *(f"x {name}" for name in names),
        "rounding", "of 15 bits", widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows = []
    for depth in options.depths:
        for data in datasets:
            for kind, weight in kinds(data).items():
                found = compare(data, depth, weight, options)
                if found is None:
                    table.row(data.name, depth, kind, *("-" for _ in range(len(names) + 3)))
                    continue
                seconds, changed = found
                ratios = {name: seconds[name] / seconds["15 bits"] for name in names}
                shares = (f"{changed[name]:.0e}" for name in ("as it is", "15 bits"))
                cells = (f"{ratios[name]:.2f}" for name in names)
                table.row(data.name, depth, kind, f"{seconds['15 bits']:.4f}", *cells, *shares)
                shown = {"dataset": data.name, "depth": depth, "weights": kind, **data.shape}
                rows.append(shown | {"seconds": seconds, "rounding": changed})
    print()
    for name in names:
        ratios = [row["seconds"][name] / row["seconds"]["15 bits"] for row in rows]
        if ratios:
            print(f"{name}: {geometric_mean(ratios):.2f} times (largest {max(ratios):.2f})")
    fine = [row for row in rows if row["rounding"]["as it is"] < 1e-9]
    print(f"rounding below 1e-9 of the total: {len(fine)} of {len(rows)}")
    write_json(options.json, {"environment": environment(["beamtree"]), "problems": rows})


if __name__ == "__main__":
    main()

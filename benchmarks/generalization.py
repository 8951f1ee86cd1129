"""Accuracy and log loss on new rows, beside CART, random forests and gradient boosting.

``python benchmarks/generalization.py --json scores.json`` runs five folds of fifteen datasets of
scikit-learn and of this package, and ``--times`` measures how long proofs take by rows, columns and
depth. ``--write docs/when-to-use.md`` puts both tables into the page.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from _pages import fill, made
from _report import environment
from sklearn import datasets as generators
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from beamtree import OptimalTreeClassifier, datasets

DEPTHS = (2, 3, 4, 5)


def loaded(load):
    return load(return_X_y=True)


def packaged(data):
    return np.asarray(data[0], dtype=float), np.asarray(data[1])


def generated(**settings):
    return generators.make_classification(random_state=0, **settings)


def noisy_parity():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 8)).astype(float)
    y = X[:, 0].astype(int) ^ X[:, 1].astype(int)
    return X, np.where(rng.random(600) < 0.1, 1 - y, y)


def few_digits():
    X, y = generators.load_digits(return_X_y=True)
    keep = (y == 3) | (y == 8)
    return X[keep], y[keep]


DATASETS = {
    "iris": lambda: loaded(generators.load_iris),
    "wine": lambda: loaded(generators.load_wine),
    "breast cancer": lambda: loaded(generators.load_breast_cancer),
    "digits 3 and 8": few_digits,
    "tic-tac-toe": lambda: packaged(datasets.tic_tac_toe()),
    "monks 1": lambda: packaged(datasets.monks(1)),
    "monks 2": lambda: packaged(datasets.monks(2)),
    "monks 3": lambda: packaged(datasets.monks(3)),
    "balance scale": lambda: packaged(datasets.balance_scale()),
    "moons": lambda: generators.make_moons(500, noise=0.3, random_state=0),
    "circles": lambda: generators.make_circles(500, noise=0.15, factor=0.5, random_state=0),
    "clusters": lambda: generated(n_samples=500, n_features=10, n_informative=4, class_sep=0.8),
    "label noise": lambda: generated(n_samples=500, n_features=10, n_informative=4, flip_y=0.3),
    "three classes": lambda: generated(
        n_samples=500, n_features=8, n_informative=5, n_classes=3, n_clusters_per_class=1
    ),
    "noisy parity": noisy_parity,
}


def models(limit):
    for depth in DEPTHS:
        yield (
            f"optimal {depth}",
            OptimalTreeClassifier(max_depth=depth, min_samples_leaf=5, time_limit=limit),
        )
        yield (
            f"CART {depth}",
            DecisionTreeClassifier(max_depth=depth, min_samples_leaf=5, random_state=0),
        )
    yield "forest", RandomForestClassifier(200, random_state=0)
    yield "boosting", HistGradientBoostingClassifier(random_state=0)


def measure(name, limit, folds):
    X, y = DATASETS[name]()
    found = {}
    for model, estimator in models(limit):
        rows = []
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
            start = time.perf_counter()
            estimator.fit(X[train], y[train])
            seconds = time.perf_counter() - start
            rows.append(
                {
                    "train": float(estimator.score(X[train], y[train])),
                    "accuracy": float(estimator.score(X[test], y[test])),
                    "log_loss": float(
                        log_loss(y[test], estimator.predict_proba(X[test]), labels=np.unique(y))
                    ),
                    "seconds": seconds,
                    "proved": getattr(estimator, "status_", "") == "optimal",
                }
            )
        found[model] = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    shape = f"{X.shape[0]} x {X.shape[1]}"
    print(name, shape, {k: round(v["accuracy"], 3) for k, v in found.items()}, flush=True)
    return {"shape": shape, "models": found}


def measure_times(limit):
    OptimalTreeClassifier(max_depth=2).fit([[0.0], [1.0]], [0, 1])  # late imports
    for depth in (2, 3, 4):
        for columns in (5, 20):
            for rows in (200, 1000, 5000, 20000):
                rng = np.random.default_rng(0)
                X = rng.normal(size=(rows, columns))
                chance = 1 / (1 + np.exp(-3 * (X[:, 0] * X[:, 1] + X[:, 2])))
                y = (rng.random(rows) < chance).astype(int)
                start = time.perf_counter()
                clf = OptimalTreeClassifier(max_depth=depth, time_limit=limit).fit(X, y)
                seconds = time.perf_counter() - start
                cell = {"rows": rows, "columns": columns, "depth": depth, "seconds": seconds}
                print(cell, clf.proof_, flush=True)
                yield {**cell, "proved": clf.status_ == "optimal", "gap": float(clf.gap_)}


def scores_table(data):
    lines = [
        "| dataset | size | CART 3 | optimal 3 | CART 4 | optimal 4 | forest | boosting |",
        "| :-- | --: " + "| --: " * 6 + "|",
    ]
    shown = ["CART 3", "optimal 3", "CART 4", "optimal 4", "forest", "boosting"]

    def cell(models, model):
        one = models[model]
        return f"{100 * one['accuracy']:.1f} ({one['log_loss']:.2f})"

    for name, one in data["datasets"].items():
        cells = [cell(one["models"], model) for model in shown]
        lines.append(f"| {name} | {one['shape']} | {' | '.join(cells)} |")
    every = [one["models"] for one in data["datasets"].values()]
    mean = {
        m: {k: float(np.mean([o[m][k] for o in every])) for k in ("accuracy", "log_loss")}
        for m in shown
    }
    lines.append(f"| **mean** | | {' | '.join(cell(mean, model) for model in shown)} |")
    parts = []
    for depth in (3, 4):
        pairs = [
            (one[f"optimal {depth}"]["accuracy"], one[f"CART {depth}"]["accuracy"]) for one in every
        ]
        better, worse = sum(a > b + 1e-9 for a, b in pairs), sum(a < b - 1e-9 for a, b in pairs)
        parts.append(f"at depth {depth} on {better} and worse on {worse} of the {len(pairs)}")
    return "\n".join(lines) + (
        "\n\nOn new rows, the optimal tree is more accurate than CART "
        f"{parts[0]} datasets, and {parts[1]}."
    )


def depth_table(data):
    lines = [
        "| depth | CART, training | optimal, training | CART, new | optimal, new | proved |",
        "| --: " * 6 + "|",
    ]
    every = [one["models"] for one in data["datasets"].values()]
    for depth in DEPTHS:
        cells = [
            f"{100 * np.mean([one[f'{kind} {depth}'][key] for one in every]):.1f}"
            for key in ("train", "accuracy")
            for kind in ("CART", "optimal")
        ]
        proved = 100 * np.mean([one[f"optimal {depth}"]["proved"] for one in every])
        lines.append(f"| {depth} | {' | '.join(cells)} | {proved:.0f}% of fits |")
    return "\n".join(lines)


def times_table(data):
    cells = data["times"]
    rows = sorted({cell["rows"] for cell in cells})
    head = " | ".join(f"{n:,} rows" for n in rows)
    lines = [f"| depth | columns | {head} |", "| --: | --: " + "| --: " * len(rows) + "|"]
    for depth, columns in sorted({(cell["depth"], cell["columns"]) for cell in cells}):
        texts = []
        for n in rows:
            [cell] = [
                c for c in cells if (c["rows"], c["columns"], c["depth"]) == (n, columns, depth)
            ]
            open_ = f"not proved, gap {100 * cell['gap']:.0f}%"
            digits = 2 if cell["seconds"] >= 0.1 else 3
            texts.append(f"{cell['seconds']:.{digits}f}" if cell["proved"] else open_)
        lines.append(f"| {depth} | {columns} | {' | '.join(texts)} |")
    return "\n".join(lines)


def draw_times(data, path):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    for ax, columns in zip(axes, (5, 20), strict=True):
        for depth in (2, 3, 4):
            cells = [c for c in data["times"] if (c["columns"], c["depth"]) == (columns, depth)]
            rows, seconds = [c["rows"] for c in cells], [c["seconds"] for c in cells]
            [line] = ax.loglog(rows, seconds, label=f"depth {depth}")
            for cell in cells:
                face = line.get_color() if cell["proved"] else "white"
                ax.plot(
                    cell["rows"], cell["seconds"], "o", color=line.get_color(), markerfacecolor=face
                )
        ax.axhline(data["times_limit"], color="grey", linewidth=1, linestyle="--")
        ax.set(title=f"{columns} columns of doubles", xlabel="rows")
    axes[0].set_ylabel("seconds of fit")
    axes[0].legend()
    fig.savefig(path)


def write(data, page):
    parts = {
        "machine": made(data["environment"]),
        "scores": scores_table(data),
        "depths": depth_table(data),
        "times": times_table(data),
    }
    fill(page, "generalization.py", parts)
    draw_times(data, page.parent / "images" / "fit-times.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("build/generalization.json"))
    parser.add_argument("--limit", type=float, default=2.0, help="seconds of one fit")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--times", type=float, metavar="LIMIT", help="measure the times of fits")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="only write the page")
    options = parser.parse_args()
    data = json.loads(options.json.read_text()) if options.json.exists() else {}
    if options.write:
        write(data, options.write)
        return
    data["environment"] = environment(["beamtree"])
    if options.times:
        data["times_limit"] = options.times
        data["times"] = list(measure_times(options.times))
    else:
        data |= {"limit": options.limit, "folds": options.folds}
        data["datasets"] = {name: measure(name, options.limit, options.folds) for name in DATASETS}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(data, indent=1))


if __name__ == "__main__":
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    main()

"""Data for the benchmarks: from a folder, from scikit-learn, or generated."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)

from beamtree import datasets


@dataclass(frozen=True)
class Data:
    """Features (n, m), all 0 or 1 except in `numbers`, and class codes (n,)."""

    name: str
    X: np.ndarray
    y: np.ndarray

    @property
    def shape(self):
        """Numbers of rows, features and classes, for the reports."""
        return {
            "rows": len(self.y),
            "features": self.X.shape[1],
            "classes": len(np.unique(self.y)),
        }


def from_folder(folder):
    """Load all files ``*.txt`` and ``*.txt.gz``: the class first, then features of 0 and 1.

    Parameters
    ----------
    folder : path
        The folder of the files, whose columns are separated by spaces.

    Returns
    -------
    list of Data
        The datasets, sorted by name.
    """
    files = [p for p in Path(folder).iterdir() if p.name.endswith((".txt", ".txt.gz"))]
    if not files:
        raise SystemExit(f"no *.txt or *.txt.gz in {folder}")
    return [binary(path.name.split(".txt")[0], datasets.load_dl8(path)) for path in sorted(files)]


def _data(name, X, labels):
    codes = np.unique(labels, return_inverse=True)[1]
    return Data(name, np.ascontiguousarray(X, dtype=np.uint8), codes.astype(np.int32))


def shipped():
    """Return two-class data that need no download: generated, or from scikit-learn."""
    cancer, digits = (
        datasets.load_binarized("breast_cancer", 2),
        datasets.load_binarized("digits", 1),
    )
    return [
        binary("tic-tac-toe", datasets.tic_tac_toe()),
        binary("monks-2", datasets.monks(2)),
        binary("breast-cancer", cancer),
        _data("digits-even", digits.X, digits.y % 2),
        correlated(2000, 40, name="correlated"),
    ]


def many_classes():
    """Return iris, wine and digits, binarised at four quantiles."""
    names = ("iris", "wine", "digits")
    return [binary(name, datasets.load_binarized(name, 4)) for name in names]


def numbers(folder=None):
    """Return breast cancer, wine, iris and digits as numbers, and the files ``numeric-*``."""
    found = []
    for load in (load_breast_cancer, load_wine, load_iris, load_digits):
        X, y = load(return_X_y=True)
        found.append(_numbers(load.__name__.removeprefix("load_"), X, y))
    for path in sorted(Path(folder).glob("numeric-*.txt*")) if folder else []:
        table = np.loadtxt(path, ndmin=2)
        found.append(_numbers(path.name.split(".txt")[0], table[:, 1:], table[:, 0]))
    return found


def _numbers(name, X, labels):
    codes = np.unique(labels, return_inverse=True)[1]
    return Data(name, np.ascontiguousarray(X, dtype=np.float64), codes.astype(np.int32))


def classification(rows):
    """Generate 20 columns of numbers, of which 10 say something about the label."""
    X, y = make_classification(rows, 20, n_informative=10, flip_y=0.1, random_state=0)
    return _numbers("classification", X, y)


def binary(name, data):
    """Return a dataset of the package under a name."""
    return _data(name, data.X, data.y)


def correlated(rows, features, *, seed=1, noise=0.2, name=None):
    """Generate thresholds of correlated numbers, five per number, and noisy labels.

    The numbers are mixtures of ten hidden factors. The label is the sign of the product of two
    factors plus a third one, and the share `noise` of the labels is flipped.
    """
    rng = np.random.default_rng(seed)
    numbers = -(-features // 5)
    mixing = rng.normal(size=(10, numbers)).astype(np.float32)
    X = np.empty((rows, numbers * 5), dtype=np.uint8)
    y = np.empty(rows, dtype=np.int32)
    cuts = None
    for begin in range(0, rows, 100_000):  # blocks, so that a million rows stay small
        block = slice(begin, min(rows, begin + 100_000))
        count = block.stop - begin
        hidden = rng.normal(size=(count, 10)).astype(np.float32)
        values = hidden @ mixing + rng.normal(size=(count, numbers)).astype(np.float32)
        if cuts is None:
            cuts = np.quantile(values, [0.1, 0.3, 0.5, 0.7, 0.9], axis=0).T
        X[block] = (values[:, :, None] > cuts[None]).reshape(count, -1)
        label = hidden[:, 0] * hidden[:, 1] + hidden[:, 2] > 0
        y[block] = label ^ (rng.random(count) < noise)
    name = name or f"{rows} x {features}"
    return Data(name, np.ascontiguousarray(X[:, :features]), y)


def sequences(rows, features, *, seed=1, noise=0.05, name=None):
    """Generate DNA-like data: a base at each position, with one column per base.

    The class is whether a row has a motif. Half of the rows have it in the middle, each of its
    bases with a probability that depends on the position; half of the others have only its two
    surest bases. Elsewhere, neighbouring bases are correlated. Some labels are flipped.
    """
    rng = np.random.default_rng(seed)
    length = -(-features // 4)
    if length < 12:
        raise ValueError(f"the motif has 12 positions of 4 features, and there are {features}")
    follows = rng.dirichlet(np.full(4, 4.0), size=4)  # each row: probabilities of the next base
    bases = np.empty((rows, length), dtype=np.int64)
    bases[:, 0] = rng.integers(0, 4, rows)
    for position in range(1, length):
        chances = follows[bases[:, position - 1]].cumsum(axis=1)
        drawn = (rng.random(rows)[:, None] > chances).sum(axis=1)
        bases[:, position] = np.minimum(drawn, 3)  # rounding may leave the sum just below 1
    motif = rng.integers(0, 4, 12)
    fidelity = rng.uniform(0.5, 0.85, 12)
    fidelity[5:7] = 0.97
    carries = rng.random(rows) < 0.5
    decoy = ~carries & (rng.random(rows) < 0.5)
    placed = (rng.random((rows, 12)) < fidelity) & carries[:, None]
    placed[:, 5:7] |= decoy[:, None]
    middle = slice(length // 2 - 6, length // 2 + 6)
    bases[:, middle] = np.where(placed, motif, bases[:, middle])
    X = (bases[:, :, None] == np.arange(4)).reshape(rows, -1)[:, :features]
    y = carries ^ (rng.random(rows) < noise)
    name = name or f"sequences {rows} x {features}"
    return Data(name, np.ascontiguousarray(X, dtype=np.uint8), y.astype(np.int32))


def categories(rows, features, *, seed=1, noise=0.2, name=None):
    """Generate one-hot columns of categorical ones, eight categories each, and noisy labels.

    Each category has an effect. The label is the sign of the product of the effects of the first
    two columns, plus half the sum of those of the next four; the share `noise` of the labels is
    flipped.
    """
    rng = np.random.default_rng(seed)
    count = -(-features // 8)
    chances = rng.dirichlet(np.full(8, 2.0), size=count)
    codes = np.stack([rng.choice(8, size=rows, p=chance) for chance in chances], axis=1)
    effect = rng.normal(size=(count, 8))[np.arange(count), codes]
    label = effect[:, 0] * effect[:, 1] + effect[:, 2:6].sum(axis=1) / 2 > 0
    X = (codes[:, :, None] == np.arange(8)).reshape(rows, -1)[:, :features]
    y = label ^ (rng.random(rows) < noise)
    name = name or f"one-hot {rows} x {features}"
    return Data(name, np.ascontiguousarray(X, dtype=np.uint8), y.astype(np.int32))


def noise(rows, features, *, seed=1, name=None):
    """Generate random features and labels: nothing can be learned, and bounds hardly help."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features), dtype=np.uint8)
    y = rng.integers(0, 2, rows, dtype=np.int32)
    return Data(name or f"noise {rows} x {features}", X, y)

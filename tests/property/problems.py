"""Small and medium problems of every kind, drawn from a seed or by hypothesis."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

PENALTIES = (0.0, 1e-9, 1e-4, 0.003, 0.01, 0.1, 0.037, 1 / 3, np.pi / 1000, np.sqrt(2) / 300)
WEIGHTS = (
    "none",
    "unit",
    "small",
    "zeros",
    "large",
    "huge",
    "equal",
    "fractions",
    "real",
    "boosted",
)


@dataclass(frozen=True)
class Problem:
    """One problem for the engine and for the oracle."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    n_classes: int
    depth: int
    min_samples_leaf: int = 1
    leaf_penalty: float = 0.0

    @property
    def rows(self):
        return self.X.tolist()

    @property
    def weight_list(self):
        return [1] * len(self.y) if self.weight is None else self.weight.tolist()

    @property
    def total(self):
        return float(sum(self.weight_list))

    @property
    def question(self):
        """Return the arguments of ``oracle.best``."""
        weights = None if self.weight is None else self.weight.tolist()
        return (
            self.rows,
            self.y.tolist(),
            weights,
            self.n_classes,
            self.depth,
            self.min_samples_leaf,
            self.leaf_penalty,
        )

    @property
    def whole(self):
        """Return whether all objectives are integers that floats hold exactly."""
        whole = all(float(w).is_integer() for w in self.weight_list)
        return whole and self.leaf_penalty == 0 and self.total < 2**53

    def but(self, **changes):
        return replace(self, **changes)

    def __str__(self):
        """Return the problem as a few lines of Python, for a bug report."""
        weight = None if self.weight is None else f"np.array({self.weight.tolist()})"
        return (
            f"X = np.array({self.rows}, np.uint8)\n"
            f"y = np.array({self.y.tolist()}, np.int32)\n"
            f"weight = {weight}\n"
            f"run(X, y, weight, {self.n_classes}, max_depth={self.depth}, "
            f"min_samples_leaf={self.min_samples_leaf}, leaf_penalty={self.leaf_penalty!r})"
        )


def random_problem(
    rng, *, rows=(1, 40), features=(6, 9), depth=None, classes=None, weight=None, hard=False
):
    """Return a random problem; arguments that are None are drawn, too.

    Some columns are constant, duplicate or complementary; some rows are repeated or contradict each
    other; labels follow a rule, are noise, or both. A hard problem has noise, and rarely a penalty
    or large leaves, so that its best tree is full and the bounds have work.
    """
    n_classes = classes or int(rng.choice([2, 2, 2, 3, 4, 5]))
    n, m = int(rng.integers(rows[0], rows[1] + 1)), int(rng.integers(features[0], features[1] + 1))
    X = _columns(rng, n, m)
    y = _labels(rng, X, n_classes, rng.choice([0.3, 1.0] if hard else [0.0, 0.1, 0.3, 1.0]))
    plain = rng.random(2) < ((0.7, 0.8) if hard else (0.5, 0.5))
    kind = weight or str(rng.choice(WEIGHTS))
    return Problem(
        X=X,
        y=y,
        weight=draw_weights(rng, n, kind),
        n_classes=n_classes,
        depth=int(rng.integers(0, 6)) if depth is None else depth,
        min_samples_leaf=1 if plain[0] else int(rng.integers(2, 6)),
        leaf_penalty=0.0 if plain[1] else float(rng.choice(PENALTIES)),
    )


def _columns(rng, n, m):
    # Sparse columns split off few rows, which makes the similarity bounds tight.
    densities = [0.03, 0.06, 0.1, 0.95] if rng.random() < 0.3 else [0.5, 0.5, 0.3, 0.8, 0.1]
    X = (rng.random((n, m)) < rng.choice(densities, size=m)).astype(np.uint8)
    if rng.random() < 0.4:  # few distinct rows, some of which contradict each other
        X = X[rng.integers(0, max(1, n // 3), n)]
    for column in range(1, m):
        kind, other = rng.random(), rng.integers(0, column)
        if kind < 0.04:
            X[:, column] = rng.integers(0, 2)
        elif kind < 0.10:
            X[:, column] = X[:, other]
        elif kind < 0.16:
            X[:, column] = 1 - X[:, other]
    return X


def _labels(rng, X, n_classes, share):
    n, m = X.shape
    noise = rng.integers(0, n_classes, n)
    picked = X[:, rng.integers(0, m, 3)].astype(int)
    rule = (picked[:, 0] * 2 + (picked[:, 1] ^ picked[:, 2])) % n_classes
    return np.where(rng.random(n) < share, noise, rule).astype(np.int32)


def draw_weights(rng, n, kind):
    """Return weights of one of the kinds in `WEIGHTS`; at least one is positive."""
    draw = {
        "none": lambda: None,
        "unit": lambda: np.ones(n),
        "equal": lambda: np.full(n, rng.choice([0.1, 3.0, 1 / 3, 7e5])),
        "small": lambda: rng.integers(1, 9, n).astype(float),
        "zeros": lambda: rng.integers(0, 3, n).astype(float),
        "large": lambda: rng.integers(1, 100_000, n).astype(float),
        "huge": lambda: rng.integers(1, 2**40, n).astype(float),
        "fractions": lambda: rng.choice([0.5, 1.0, 2 / 3, 0.75, 5 / 7], n),
        "real": lambda: rng.random(n) * rng.integers(0, 2, n) + rng.random(n),
        "boosted": lambda: np.exp(rng.normal(0, 2, n)) * (rng.random(n) < 0.9),
    }[kind]
    weight = draw()
    if weight is not None and not (weight > 0).any():
        weight[0] = 1.0
    return weight


@st.composite
def problems(draw, max_rows=24, max_features=7, max_depth=4):
    """Draw problems that shrink: a row is a number whose bits are the features."""
    m = draw(st.integers(1, max_features))
    n = draw(st.integers(1, max_rows))
    n_classes = draw(st.integers(2, 5))
    codes = draw(st.lists(st.integers(0, 2**m - 1), min_size=n, max_size=n))
    X = np.array([[code >> j & 1 for j in range(m)] for code in codes], dtype=np.uint8)
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    one = st.one_of(st.integers(0, 3), st.integers(1, 2**30), st.floats(1e-3, 1e3))
    weight = draw(st.none() | st.lists(one, min_size=n, max_size=n).filter(any))
    return Problem(
        X=X,
        y=np.array(y, dtype=np.int32),
        weight=None if weight is None else np.array(weight, dtype=float),
        n_classes=n_classes,
        depth=draw(st.integers(0, max_depth)),
        min_samples_leaf=draw(st.integers(1, 5)),
        leaf_penalty=draw(st.sampled_from(PENALTIES) | st.floats(0, 0.5)),
    )


def medium_problem(
    rng, *, rows, features, depth, classes=2, weight="none", leaf=1, penalty=0.0, noise=0.15
):
    """Return a problem like real data: thresholds of correlated numbers, and noisy labels.

    It is too large for the oracle, so that settings of the engine are compared with each other.
    """
    per_number = 4
    hidden = rng.normal(size=(rows, 4))
    numbers = -(-features // per_number)
    values = hidden @ rng.normal(size=(4, numbers)) + rng.normal(size=(rows, numbers))
    cuts = np.quantile(values, np.linspace(0.15, 0.85, per_number), axis=0)
    X = (values[:, :, None] > cuts.T[None]).reshape(rows, -1)[:, :features]
    score = hidden[:, 0] * hidden[:, 1] + hidden[:, 2]
    edges = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    y = np.digitize(score, edges)
    flipped = rng.random(rows) < noise
    y[flipped] = rng.integers(0, classes, int(flipped.sum()))
    return Problem(
        X=np.ascontiguousarray(X, dtype=np.uint8),
        y=y.astype(np.int32),
        weight=draw_weights(rng, rows, weight),
        n_classes=classes,
        depth=depth,
        min_samples_leaf=leaf,
        leaf_penalty=penalty,
    )

"""The generated datasets are those of the literature."""

from itertools import combinations

import numpy as np
import pytest

from beamtree.datasets import (
    balance_scale,
    catalogue,
    load,
    load_binarized,
    monks,
    multiplexer,
    names,
    parity,
    tic_tac_toe,
)

ALL = {
    "balance_scale": balance_scale(),
    "tic_tac_toe": tic_tac_toe(),
    **{f"monks {k}": monks(k) for k in (1, 2, 3)},
    "multiplexer": multiplexer(2),
    "parity": parity(3, 2),
    **{name: load_binarized(name) for name in ("breast_cancer", "digits", "iris", "wine")},
}


@pytest.mark.parametrize("name", ALL)
def test_zeros_and_ones_with_names(name):
    X, y, feature_names, class_names = ALL[name]
    assert X.dtype == np.uint8
    assert X.flags.c_contiguous
    assert set(np.unique(X)) == {0, 1}
    assert X.shape == (len(y), len(feature_names))
    assert len(set(feature_names)) == len(feature_names)
    assert set(y) == set(range(len(class_names)))
    assert ((X.min(axis=0) == 0) & (X.max(axis=0) == 1)).all()


def test_tic_tac_toe():
    X, y, names, _ = tic_tac_toe()
    assert X.shape == (958, 27)
    assert len(np.unique(X, axis=0)) == 958
    assert np.bincount(y).tolist() == [332, 626]
    squares = X.reshape(958, 9, 3)
    assert (squares.sum(axis=2) == 1).all()
    crosses, noughts = squares[:, :, 0].sum(axis=1), squares[:, :, 1].sum(axis=1)
    assert set(crosses - noughts) == {0, 1}
    assert names[12:15] == ["centre = x", "centre = o", "centre = blank"]


def test_monks():
    X, y, names, _ = monks(1)
    assert X.shape == (432, 17)
    column = {name: X[:, i] for i, name in enumerate(names)}
    equal = sum(column[f"a1 = {v}"] & column[f"a2 = {v}"] for v in (1, 2, 3))
    np.testing.assert_array_equal(y, equal | column["a5 = 1"])
    with pytest.raises(ValueError, match="problem must be 1, 2 or 3, got 4"):
        monks(4)


def test_balance_scale():
    X, y, names, classes = balance_scale()
    assert X.shape == (625, 20)
    assert len(np.unique(X, axis=0)) == 625
    values = X.reshape(625, 4, 5) @ np.arange(1, 6)
    assert (X.reshape(625, 4, 5).sum(axis=2) == 1).all()
    left, right = values[:, 0] * values[:, 1], values[:, 2] * values[:, 3]
    expected = np.where(left == right, "balanced", np.where(left > right, "left", "right"))
    assert [classes[label] for label in y] == expected.tolist()
    assert names[::5] == [f"{side} {what} = 1" for side, what in SIDES]


SIDES = [("left", "weight"), ("left", "distance"), ("right", "weight"), ("right", "distance")]


def test_multiplexer():
    X, y, _, _ = multiplexer(3)
    assert X.shape == (2048, 11)
    for row, label in zip(X, y, strict=True):
        assert label == row[3 + int("".join(map(str, row[:3])), 2)]


def test_parity_is_independent_of_every_smaller_set_of_bits():
    X, y, _, _ = parity(3, 1)
    assert X.shape == (16, 4)
    for pair in combinations(range(4), 2):
        for values in np.unique(X[:, pair], axis=0):
            assert y[(X[:, pair] == values).all(axis=1)].mean() == 0.5


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("iris", (150, 16), 3),
        ("wine", (178, 52), 3),
        ("digits", (1797, 166), 10),
        ("breast_cancer", (569, 120), 2),
    ],
)
def test_binarized(name, shape, classes):
    data = load_binarized(name)
    assert data.X.shape == shape
    assert len(data.class_names) == classes


def test_binarized_at_the_median():
    data = load_binarized("iris", n_thresholds=1)
    assert data.X.shape == (150, 4)
    np.testing.assert_allclose(data.X.mean(axis=0), 0.5, atol=0.06)
    with pytest.raises(ValueError, match=r"name must be one of .*, got 'boston'"):
        load_binarized("boston")


@pytest.mark.parametrize("entry", [e for e in catalogue() if "CP4IM" not in e.source], ids=str)
def test_the_catalogue_describes_the_datasets(entry):
    data = load(entry.name)
    assert (*data.X.shape, len(data.class_names)) == (entry.rows, entry.features, entry.classes)


def test_names():
    assert len(set(names())) == len(names()) == 11 + 24
    with pytest.raises(ValueError, match=r"name must be one of .*; did you mean 'monks-1' or"):
        load("monk-1")
    with pytest.raises(ValueError, match=r"got 'cp4im/nowhere'"):
        load("cp4im/nowhere")

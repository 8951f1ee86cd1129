"""Reading and writing datasets as files."""

import gzip

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier
from beamtree.datasets import (
    balance_scale,
    load_csv,
    load_dl8,
    monks,
    multiplexer,
    save_csv,
    save_dl8,
)


@pytest.mark.parametrize("name", ["data.txt", "data.txt.gz"])
def test_rows_of_a_class_and_zeros_and_ones(tmp_path, name):
    data = balance_scale()
    save_dl8(data, tmp_path / name)
    found = load_dl8(str(tmp_path / name))
    np.testing.assert_array_equal(found.X, data.X)
    np.testing.assert_array_equal(found.y, data.y)
    assert found.X.dtype == np.uint8
    assert found.class_names == ["balanced", "left", "right"]
    assert found.feature_names[-1] == "x19"
    assert ((tmp_path / name).read_bytes()[:2] == b"\x1f\x8b") == name.endswith("gz")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_gzip_is_recognized_by_its_content(tmp_path):
    path = tmp_path / "data.txt"
    path.write_bytes(gzip.compress(b"1 0\n0 1\n"))
    assert load_dl8(path).X.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("text", "classes", "y"),
    [
        ("10 0\n9 1\n-1 0\n", ["-1", "9", "10"], [2, 1, 0]),
        ("b 0\na 1\nb 1\n", ["a", "b"], [1, 0, 1]),
        ("10 0\n9 1\nx 0\n", ["10", "9", "x"], [0, 1, 2]),
        ("\n1\t0\r\n\n 0  1 \n\n", ["0", "1"], [1, 0]),
        ("only 0\nonly 1", ["only"], [0, 0]),
    ],
)
def test_classes_are_integers_or_words(tmp_path, text, classes, y):
    path = tmp_path / "data.txt"
    path.write_text(text)
    data = load_dl8(path)
    assert data.class_names == classes
    assert data.y.tolist() == y


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"data.txt' must have rows, got none"),
        (b" \n\n", r"data.txt' must have rows, got none"),
        (b"1\n0\n", r"line 1 of '.*data.txt' must have features beside the class, got none"),
        (b"\n1 0 1\n0 1\n", r"line 3 of .* must have 3 values, as line 2 has, got 2"),
        (b"1 0 1\n0 1 2\n", r"line 2 of .* must have 0 or 1 after the class, got '2' as value 3"),
        (b"1 0 1\n0 11 \n", r"line 2 of .* must have 3 values"),
        (b"1 0 1\n0 11 1\n", r"line 2 of .*, got '11' as value 2"),
        (b"1 0.0 1\n", r"got '0.0' as value 2"),
        (b"1 " + b"7" * 99, r"got '7{40}\.\.\.' as value 2"),
        (b"1 \xe9\n", r"must be text in UTF-8"),
        (gzip.compress(b"1 0\n" * 99)[:-9], r"must be a whole gzip file"),
        (gzip.compress(b"1 0\n" * 99)[:-5] + b"12345", r"must be a whole gzip file"),
    ],
    ids=range(12),
)
def test_errors_say_what_is_wrong(tmp_path, content, message):
    path = tmp_path / "data.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load_dl8(path)


def test_not_gzip(tmp_path):
    path = tmp_path / "data.txt.gz"
    path.write_text("1 0\n")
    with pytest.raises(ValueError, match=r"must be a gzip file, because its name ends in .gz"):
        load_dl8(path)
    with pytest.raises(FileNotFoundError):
        load_dl8(tmp_path / "nowhere.txt")


def test_csv(tmp_path):
    path = tmp_path / "data.csv"
    save_csv(monks(1), path, target="label")
    X, y, names = load_csv(str(path), "label")
    assert names == monks(1).feature_names
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert (clf.n_errors_, clf.columns_.names, clf.classes_.tolist()) == (
        48,
        tuple(names),
        ["no", "yes"],
    )
    assert (clf.predict(X) == y).sum() == 432 - 48
    with pytest.raises(ValueError, match=r"^target must be a column of .*; did you mean 'label'"):
        load_csv(path, "labels")
    with pytest.raises(ValueError, match=r"target must not be the name of a feature, got 'data0'"):
        save_csv(multiplexer(1), path, "data0")

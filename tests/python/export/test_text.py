"""Trees as text."""

import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from beamtree import OptimalTreeClassifier, export_text

ROWS = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]]
LABELS = ["b", "b", "a", "c", "a"]


def test_names_of_the_frame_and_labels():
    frame = pd.DataFrame(ROWS, columns=["rain", "wind"])
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, LABELS)
    assert export_text(clf).splitlines() == [
        "rain?",
        "  yes: wind?",
        "    yes: a (1 row, 100%)",
        "    no: c (1 row, 100%)",
        "  no: b (3 rows, 67%)",
    ]


def test_given_names():
    clf = OptimalTreeClassifier(max_depth=1).fit(ROWS, LABELS)
    assert export_text(clf).startswith("x0?\n  yes: a (2 rows, 50%)")
    text = export_text(clf, feature_names=["rain", "wind"], class_names=["A", "B", "C"])
    assert text == "rain?\n  yes: A (2 rows, 50%)\n  no: B (3 rows, 67%)"


def test_a_leaf():
    assert export_text(OptimalTreeClassifier().fit([[1]], ["only"])) == "only (1 row, 100%)"


def test_wrong_names_and_unfitted():
    clf = OptimalTreeClassifier().fit(ROWS, LABELS)
    with pytest.raises(ValueError, match="feature_names must have 2 entries, got 1"):
        export_text(clf, feature_names=["rain"])
    with pytest.raises(ValueError, match="class_names must have 3 entries, got 4"):
        export_text(clf, class_names="abcd")
    with pytest.raises(NotFittedError):
        export_text(OptimalTreeClassifier())

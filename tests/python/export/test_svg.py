"""The picture of a tree in SVG: well formed, readable, and the same nodes as the plot's."""

import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier
from beamtree.datasets import tic_tac_toe
from beamtree.export import export_svg
from beamtree.export.svg import text_width
from tests.python.export.shown_trees import mixed_tree
from tests.unfinished import unfinished

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture, name):
    return ET.fromstring(picture).iter(SVG + name)


def texts(picture):
    return ["".join(part.itertext()) for part in parts(picture, "text")]


def boxes(picture):
    """Return the left, upper, right and lower sides of the boxes."""
    found = []
    for part in parts(picture, "rect"):
        x, y, width, height = (float(part.get(name)) for name in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def weather():
    X = pd.DataFrame({"rain": [0, 0, 1, 1], "wind": [0.1, 0.4, 0.1, 0.4]})
    return OptimalTreeClassifier(max_depth=2).fit(X, ["dry", "dry", "wet", "storm"])


def test_the_texts_of_a_picture():
    picture = weather().to_svg()
    assert sorted(texts(picture)) == sorted(
        [
            *("rain?", "4 rows", "wind <= 0.25?", "2 rows", "dry", "2 rows, 100%"),
            *("wet", "1 row, 100%", "storm", "1 row, 100%", "yes", "no", "yes", "no"),
        ]
    )
    root = ET.fromstring(picture)
    assert (root.get("role"), root.get("aria-label")) == ("img", "Proved optimal: 0 errors")
    titles = ["".join(title.itertext()) for title in parts(picture, "title")]
    assert "rain?\n4 rows: dry 2, storm 1, wet 1" in titles
    assert "wind <= 0.25?\n2 rows: storm 1, wet 1" in titles
    assert export_svg(weather(), feature_names=["a", "b"], class_names="xyz").count("a?") == 2


def test_weighted_rows_have_shares():
    clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], ["a", "b"], [3.0, 0.5])
    assert "2 rows: a 86%, b 14%" in clf.to_svg()


@unfinished
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_no_box_overlaps_another(orientation):
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=5, node_limit=1).fit(X, y)
    picture = clf.to_svg(orientation=orientation)
    found = boxes(picture)
    assert len(found) == clf.tree_.node_count
    for k, (x0, y0, x1, y1) in enumerate(found):
        for a0, b0, a1, b1 in found[:k]:
            assert x0 >= a1 or a0 >= x1 or y0 >= b1 or b0 >= y1
    whole = ET.fromstring(picture)
    assert max(x1 for _, _, x1, _ in found) < float(whole.get("width"))
    assert max(y1 for _, _, _, y1 in found) < float(whole.get("height"))


def test_the_first_levels():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=4).fit(X, y)
    assert len(boxes(clf.to_svg(max_depth=1))) == 3
    notes = [text for text in texts(clf.to_svg(max_depth=1)) if "below" in text]
    counts = [int(re.search(r"(\d+) leaves below", note)[1]) for note in notes]
    assert sum(counts) == clf.get_n_leaves()
    assert clf.to_svg(max_depth=4) == clf.to_svg(max_depth=9) == clf.to_svg()
    with pytest.raises(ValueError, match="max_depth must be None or an integer of at least 0"):
        clf.to_svg(max_depth=-1)
    with pytest.raises(ValueError, match="orientation must be None, 'down' or 'right'"):
        clf.to_svg(orientation="up")


def test_any_text_is_well_formed():
    names = ['</svg><script>alert("1")</script>', "a\0b\x1bc\ud800 & more"]
    clf = OptimalTreeClassifier(max_depth=2)
    clf.fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["<b>", "&amp;", "&amp;", "<b>"])
    picture = clf.to_svg(feature_names=names)
    assert "<script>" not in picture
    picture.encode()
    shown = texts(picture)
    assert "<b>" in shown
    assert "&amp;" in shown
    assert "a\ufffdb\ufffdc\ufffd & more?" in shown


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_test(seed):
    clf, _ = mixed_tree(seed)
    assert len(boxes(clf.to_svg())) == clf.tree_.node_count


def test_the_widths_of_texts():
    assert text_width("ill", 9, False) < text_width("age", 9, False) < text_width("MWM", 9, False)
    assert text_width("age", 9, False) < text_width("age", 9, True)
    assert text_width("年齢", 9, False) > text_width("ag", 9, False)
    assert text_width("e\N{COMBINING ACUTE ACCENT}", 9, False) == text_width("e", 9, False)

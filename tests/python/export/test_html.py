"""The interactive page of a tree: what it has, without a browser."""

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV
from beamtree.export import to_html
from beamtree.export._course import course_svg
from tests.python.export.shown_trees import mixed_tree

pytest.importorskip("jinja2")


class Page(HTMLParser):
    """A parser that collects what a page refers to, and its elements by name."""

    def __init__(self, html):
        super().__init__()
        self.links, self.names, self.text = [], [], []
        self.feed(html)

    def handle_starttag(self, name, attributes):
        self.names.append(name)
        kinds = ("src", "href", "xlink:href", "srcset", "data", "action")
        self.links += [value for kind, value in attributes if kind in kinds]

    def handle_data(self, text):
        self.text.append(text)


@pytest.fixture(scope="module")
def weather():
    return OptimalTreeClassifier(max_depth=1).fit([[0], [1], [1]], ["dry", "wet", "wet"])


def test_the_page_has_the_rows_and_the_classes_of_each_node(weather):
    text = " ".join(" ".join(Page(weather.to_html(feature_names=["rain"])).text).split())
    assert "Proved optimal: 0 errors" in text
    assert "rain? 3 rows: wet 2, dry 1" in text
    assert "yes wet 2 rows: wet 2" in text
    assert "no dry 1 row: dry 1" in text
    assert "first test objective lower bound rain? 0 0" in text


def test_class_names_are_used(weather):
    html = weather.to_html(class_names=["sun", "drizzle"])
    assert "drizzle 2, sun 1" in html
    assert "wet" not in html


def test_a_path_is_written(weather, tmp_path):
    path = tmp_path / "tree.html"
    assert weather.to_html(path) == path.read_text(encoding="utf-8")
    assert to_html(weather, str(path)) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (3, "path must be None or the path of a file, got 3"),
        ("no/such/folder/x.html", "path must be in a folder that exists, got 'no/such"),
    ],
)
def test_errors_of_the_path(weather, path, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        weather.to_html(path)


def test_the_error_without_jinja2(weather, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"to_html needs jinja2: pip install beamtree\[html\]"):
        weather.to_html()


def test_the_page_refers_to_no_other_file():
    html = to_html(mixed_tree(0)[0])
    assert set(Page(html).links) == {"data:,"}
    assert not re.findall(r"@import|url\(", html)
    assert "default-src 'none'" in html


def test_names_are_escaped_and_can_be_written(tmp_path):
    nasty = "</script><b>"
    clf = OptimalTreeClassifier(max_depth=1).fit([["<i>"], ["\ud800\0"]], [nasty, "<img src=x>"])
    html = clf.to_html(tmp_path / "tree.html", feature_names=[nasty])
    names = Page(html).names
    assert names.count("script") == 2
    assert not {"b", "i", "img"} & set(names)
    assert "\0" not in html


def test_a_tree_of_one_leaf_has_no_form():
    html = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], [0, 0]).to_html()
    assert "form" not in Page(html).names
    assert "There are none." in html


def test_the_chosen_tree_of_a_cross_validation():
    X = np.arange(40)[:, np.newaxis] % 2
    clf = OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=1)).fit(X, X[:, 0])
    assert "20 rows: 1 20" in clf.to_html()


@pytest.mark.parametrize("seconds", [[0.0], [1e-9, 1e-9], [0.5, 1e5]])
@pytest.mark.parametrize("objective", [0.0, 1e-7, 3.0, 1e12])
def test_the_course_stays_inside_the_picture(seconds, objective):
    lines = [np.full(len(seconds), height) for height in (objective, objective / 2)]
    picture = course_svg(np.array(seconds), *lines, seconds[-1])
    (corners,) = re.findall(r'class="objective" d="M([^"]*)"', picture)
    for corner in corners.split("L"):
        x, y = map(float, corner.split())
        assert 0 < x < 440
        assert 0 < y < 270
    assert 3 <= picture.count("<text") <= 15

"""What consoles and notebooks show of searches, results, trees and paths."""

import re

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search, leaf_path, penalty_path
from beamtree.datasets import tic_tac_toe
from tests.unfinished import unfinished

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "<yes>", "<yes>", "no"]


def cells(html):
    """Return the rows of the table in HTML."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[dh]>(.*?)</t[dh]>", row) for row in rows]


def test_a_search():
    search = Search(*XOR, max_depth=2)
    words = "Not started: 4 rows, 2 columns, 2 tests: every threshold and category of 2 columns"
    assert repr(search) == f"Search({words})"
    assert search._repr_html_() == f"<p>{words}</p>"
    search.run()
    assert repr(search) == "Search(Proved optimal: 0 errors)"
    html = search._repr_html_()
    assert html.startswith("<p>Proved optimal: 0 errors</p><div")
    assert html.count("<rect") == 7
    assert "&lt;yes&gt;" in html
    assert "<yes>" not in html


def test_incumbent_and_result():
    X, y, _, _ = tic_tac_toe()
    search = Search(X, y, max_depth=2)
    incumbent = search.step()
    assert repr(incumbent) == f"Incumbent({incumbent.proof})"
    assert f"<p>{incumbent.proof}</p><table>" in incumbent._repr_html_()
    result = search.run()
    assert repr(result) == "Result(Proved optimal: 282 errors)"
    shown = dict(cells(result._repr_html_()))
    last = shown.pop("last improvement")
    assert re.fullmatch(r"after \d+\.\d{3} s and [\d,]+ nodes", last)
    assert shown == {
        "status": "optimal",
        "objective": "282",
        "lower bound": "282",
        "gap": "0.0%",
        "errors": "282 of 958 rows",
        "tree": f"{result.tree.n_leaves} leaves, depth 2",
    }


@unfinished
def test_a_tree():
    tree = OptimalTreeClassifier(max_depth=1).fit([[20.5], [30.5]], [0, 1]).tree_
    assert repr(tree) == "Tree(node_count=3, max_depth=1)"
    assert tree._repr_html_().startswith("<p>3 nodes, 2 leaves, depth 1</p><table>")
    assert cells(tree._repr_html_()) == [
        ["node", "left", "right", "column", "threshold", "rows", "class"],
        ["0", "1", "2", "0", "25.5", "2", "0"],
        ["1", "", "", "", "", "1", "0"],
        ["2", "", "", "", "", "1", "1"],
    ]
    X, y, _, _ = tic_tac_toe()
    large = OptimalTreeClassifier(max_depth=6, node_limit=1).fit(X, y).tree_
    assert "; the first 20 nodes</p>" in large._repr_html_()
    assert len(cells(large._repr_html_())) == 21
    colours = OptimalTreeClassifier(max_depth=1).fit([["red"], ["blue"]], [0, 1]).tree_
    assert "category" in cells(colours._repr_html_())[1]


def test_paths():
    path = penalty_path(*XOR, max_depth=2)
    assert cells(path._repr_html_())[0] == [
        *("leaves", "depth", "error", "lower bound", "best for leaf_penalty")
    ]
    assert path._repr_html_().startswith(f"<p>{path.proof}</p><table>")
    path = leaf_path(*XOR, max_depth=2)
    assert cells(path._repr_html_()) == [
        ["at most", "leaves", "depth", "error", "lower bound"],
        ["1", "1", "0", "2", "2"],
        ["2", "1", "0", "2", "2"],
        ["3", "3", "2", "1", "1"],
        ["4", "4", "2", "0", "0"],
    ]


def test_a_long_path_is_cut():
    X = np.arange(30).reshape(-1, 1)
    path = leaf_path(X, X[:, 0] % 2, max_depth=5, max_leaf_nodes=28, time_limit=0)
    assert len(path) == 28
    lines = repr(path).splitlines()
    assert len(lines) == 27
    assert lines[-1] == "... and 4 more"
    assert path._repr_html_().endswith("<p>... and 4 more</p>")


@pytest.mark.parametrize("find", [penalty_path, leaf_path])
def test_anything_can_be_shown_in_one_line_at_most_as_long_as_a_screen(find):
    X, y, _, _ = tic_tac_toe()
    assert all(len(line) <= 100 for line in repr(find(X, y, max_depth=2)).splitlines())

"""Pictures of trees and of searches: nothing overlaps, and nothing is missing."""

import re
import sys
from itertools import combinations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from beamtree import AnytimeDisplay, OptimalTreeClassifier
from beamtree.datasets import load_binarized, parity, tic_tac_toe
from beamtree.export import plot_tree
from beamtree.export._layout import node_positions
from beamtree.export._short_names import LONGEST, short_names
from tests.python.export.shown_trees import mixed_tree
from tests.unfinished import unfinished

pytestmark = unfinished
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def tic_tac_toe_trees():
    X, y, names, _ = tic_tac_toe()
    names = [f"the state of the square of the board that is called {name}" for name in names]
    fits = {
        depth: OptimalTreeClassifier(max_depth=depth, node_limit=5).fit(X, y) for depth in (2, 4, 6)
    }
    return fits, names


def boxes_and_texts(ax):
    """Return the extents of the boxes and of the texts, in pixels."""
    ax.figure.canvas.draw()
    boxes = [patch for patch in ax.patches if hasattr(patch, "get_boxstyle")]
    return (
        [box.get_window_extent() for box in boxes],
        [text.get_window_extent() for text in ax.texts],
    )


def overlap(one, other):
    return min(one.x1, other.x1) > max(one.x0, other.x0) and (
        min(one.y1, other.y1) > max(one.y0, other.y0)
    )


def assert_readable(ax, n_nodes):
    boxes, texts = boxes_and_texts(ax)
    assert len(boxes) == n_nodes
    title = ax.title.get_window_extent()
    assert not any(overlap(title, box) for box in boxes)
    assert ax.figure.bbox.x0 <= title.x0
    assert title.x1 <= ax.figure.bbox.x1
    assert title.y1 <= ax.figure.bbox.y1
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    for k, box in enumerate(boxes):
        for text in texts[2 * k : 2 * k + 2]:
            assert box.x0 <= text.x0
            assert text.x1 <= box.x1
            assert box.y0 <= text.y0 + 2
            assert text.y1 - 2 <= box.y1
    whole = ax.get_window_extent()
    assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 for box in boxes)
    assert all(whole.y0 <= box.y0 and box.y1 <= whole.y1 for box in boxes)
    answers = texts[2 * n_nodes :]
    assert not any(overlap(answer, box) for answer in answers for box in boxes)
    assert not any(overlap(one, other) for one, other in combinations(answers, 2))


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("depth", [2, 4, 6])
def test_nothing_overlaps(tic_tac_toe_trees, depth, orientation):
    fits, names = tic_tac_toe_trees
    clf = fits[depth]
    ax = clf.plot(feature_names=names, class_names=["other", "won"], orientation=orientation)
    assert_readable(ax, clf.tree_.node_count)


@pytest.mark.parametrize(("seed", "orientation"), [(0, "down"), (1, "right"), (2, "down")])
def test_every_kind_of_test(seed, orientation):
    clf, _ = mixed_tree(seed)
    assert_readable(clf.plot(orientation=orientation), clf.tree_.node_count)


def test_large_trees_grow_to_the_right(tic_tac_toe_trees):
    fits, _ = tic_tac_toe_trees
    for depth, orientation in ((2, "down"), (6, "right")):
        axes = (fits[depth].plot(), fits[depth].plot(orientation=orientation))
        sizes = [ax.figure.get_size_inches().tolist() for ax in axes]
        assert sizes[0] == sizes[1]


def test_texts_of_the_nodes():
    data = load_binarized("iris")
    clf = OptimalTreeClassifier(max_depth=1).fit(data.X, data.y)
    names = ["cost in $ of $x$"] * data.X.shape[1]
    ax = plot_tree(clf, feature_names=names, class_names=["a", "b", "c"])
    texts = [text.get_text() for text in ax.texts]
    assert texts[:2] == ["cost in $ of $x$?", "150 rows"]
    assert texts[-2:] == ["yes", "no"]
    rows = clf.tree_.n_node_samples
    assert [text.partition(",")[0] for text in texts[1:6:2]] == [f"{count} rows" for count in rows]
    ax.figure.canvas.draw()


def test_yes_is_to_the_left_or_above(tic_tac_toe_trees):
    fits, _ = tic_tac_toe_trees
    for orientation, axis in (("down", 0), ("right", 1)):
        ax = fits[2].plot(orientation=orientation)
        answers = ax.texts[2 * fits[2].tree_.node_count :]
        at = {text.get_text(): text.get_position() for text in answers[:2]}
        assert at["yes"][axis] < at["no"][axis]  # the vertical axis points down


def test_the_figure_grows_with_the_tree_and_letters_fit_into_given_axes(tic_tac_toe_trees):
    fits, names = tic_tac_toe_trees
    small = fits[2].plot(feature_names=names).figure.get_size_inches()
    large = fits[6].plot(feature_names=names).figure.get_size_inches()
    assert small.prod() * 4 < large.prod()
    _, axes = pyplot.subplots(1, 2, figsize=(9, 5))
    assert fits[4].plot(axes[1], feature_names=names) is axes[1]
    assert not axes[0].texts
    assert_readable(axes[1], fits[4].tree_.node_count)
    assert axes[1].texts[0].get_fontsize() < 9


@pytest.mark.parametrize("size", [(12, 4), (4, 12)])
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_a_tree_fills_the_given_axes(tic_tac_toe_trees, size, orientation):
    clf = tic_tac_toe_trees[0][2]
    _, ax = pyplot.subplots(figsize=size)
    clf.plot(ax, orientation=orientation)
    assert_readable(ax, clf.tree_.node_count)
    boxes, _ = boxes_and_texts(ax)
    whole = ax.get_window_extent()
    assert max(box.x1 for box in boxes) - min(box.x0 for box in boxes) > 0.85 * whole.width
    assert max(box.y1 for box in boxes) - min(box.y0 for box in boxes) > 0.85 * whole.height


def test_purer_nodes_have_stronger_colours():
    X, y, _, _ = parity(2, 1)
    ax = OptimalTreeClassifier(max_depth=2).fit(X, y).plot()
    paleness = [min(patch.get_facecolor()[:3]) for patch in ax.patches[:7]]
    assert paleness[0] > 0.9
    assert max(paleness[2], paleness[3], paleness[5], paleness[6]) < 0.5


def test_a_single_leaf():
    ax = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], ["no", "no"]).plot()
    assert [text.get_text() for text in ax.texts] == ["no", "2 rows, 100%"]


def test_refusals(monkeypatch):
    with pytest.raises(NotFittedError):
        OptimalTreeClassifier().plot()
    clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="orientation must be None, 'down' or 'right', got 'up'"):
        clf.plot(orientation="up")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"plot needs matplotlib: pip install beamtree\[plot\]"):
        clf.plot()


def test_short_names_stay_different():
    stem = "the very long beginning of a name that says nothing of its own"
    names = [f"{stem} {middle} {stem}" for middle in ("one", "two", "three")]
    names += [*(f"{stem} {stem} {k}{'x' * 60}{k % 2} {stem}" for k in range(20)), "short", ""]
    shown = short_names(names)
    assert len(set(shown)) == len(names)
    assert max(len(name) for name in shown) <= LONGEST + 8
    assert shown[-2:] == ["short", "''"]


def test_the_layout_is_tidy():
    # A leaf beside a deep subtree may stand above it; nodes of one level do not overlap.
    middle = node_positions({0: (1, 2), 1: (3, 4), 4: (5, 6)}, [1.0] * 7, gap=0.5)
    assert middle[0] == (middle[1] + middle[2]) / 2
    assert middle[4] == (middle[5] + middle[6]) / 2
    assert middle[2] - middle[1] == 1.5
    assert middle[4] - middle[3] == 1.5
    assert min(middle.values()) == 0.5


@pytest.mark.parametrize("limit", [None, 0.0])
def test_the_title_says_what_is_proved(limit):
    """Even a single leaf has room for it; the user's own axes have it, too."""
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=0 if limit is None else 3, time_limit=limit).fit(X, y)
    ax = clf.plot()
    assert ax.get_title() == clf.proof_
    assert_readable(ax, clf.tree_.node_count)
    _, own = pyplot.subplots()
    assert clf.plot(own).get_title() == clf.proof_
    clf.proof_ += " $x$ and so on" * 9
    title = clf.plot().get_title()
    assert title.count("\n") > 1
    assert title.replace("\n", " ") == clf.proof_


def test_a_search_over_time():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=5).fit(X, y)
    display = AnytimeDisplay.from_estimator(clf)
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_title() == "Proved optimal: 63 errors"
    assert display.line_.get_drawstyle() == "steps-post"
    np.testing.assert_array_equal(display.line_.get_ydata()[:-1], clf.trace_["objective"])
    np.testing.assert_array_equal(display.bound_line_.get_ydata()[:-1], clf.trace_["lower_bound"])
    assert len(display.ax_.collections) == 1
    _, ax = pyplot.subplots()
    again = display.plot(ax=ax, color="black")
    assert again.ax_ is ax
    assert again.line_.get_color() == again.bound_line_.get_color() == "black"


@pytest.mark.parametrize("saved", [False, True])
def test_the_lines_reach_the_end_of_the_search(saved):
    """Usually a search goes on for some time after its last improvement."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (2000, 40)), rng.integers(0, 2, 2000)
    clf = OptimalTreeClassifier(max_depth=8, time_limit=0.5).fit(X, y)
    assert clf.status_ == "time_limit"
    if saved:
        clf = OptimalTreeClassifier.from_json(clf.to_json())
    assert 0.45 < clf.statistics_["seconds"] < 1.0
    assert clf.statistics_["seconds"] >= clf.trace_["seconds"][-1]
    display = AnytimeDisplay.from_estimator(clf)
    for line in (display.line_, display.bound_line_):
        assert line.get_xdata()[-1] == display.end == clf.statistics_["seconds"]
    (corners,) = re.findall(r'class="objective" d="M([^"]*)"', clf.to_html())
    assert corners.split("L")[-1].startswith("426.0 ")  # the right edge of the plot
    assert f"After {display.end:.3g} seconds the objective is" in clf.to_html()


def test_a_search_that_ended_at_its_first_improvement_is_visible():
    clf = OptimalTreeClassifier(max_depth=1, time_limit=0).fit([[0], [1]], [0, 1])
    first, last = AnytimeDisplay.from_estimator(clf).line_.get_xdata()
    assert last >= 1.25 * first


def test_a_long_proof_is_wrapped():
    proof = "Not proved over at most 32 thresholds per column: 4 errors, at least 3 (interrupted)"
    display = AnytimeDisplay(seconds=[1, 2], objective=[4, 4], lower_bound=[0, 3], proof=proof)
    first, second = display.plot().ax_.get_title().splitlines()
    assert f"{first} {second}" == proof


def test_the_search_of_a_tree_that_was_read():
    clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    twin = OptimalTreeClassifier.from_json(clf.to_json())
    titles = [AnytimeDisplay.from_estimator(one).ax_.get_title() for one in (clf, twin)]
    assert titles == ["Proved optimal: 0 errors"] * 2


def test_no_search_to_draw():
    with pytest.raises(NotFittedError):
        AnytimeDisplay.from_estimator(OptimalTreeClassifier())
    with pytest.raises(ValueError, match="must have one entry per improvement"):
        AnytimeDisplay(seconds=[1.0], objective=[1.0, 2.0], lower_bound=[1.0])
    for end in (0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"end must be .* last improvement, 1, got {end}"):
            AnytimeDisplay(seconds=[1.0], objective=[1.0], lower_bound=[1.0], end=end)

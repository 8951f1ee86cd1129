"""The interactive page of a tree in a browser, where rows go as `predict` says.

The tests are skipped without Chromium, unless CI_CHROMIUM is "required".
"""

import json
import os

import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier
from tests.python.export.shown_trees import encoded, exact_tree, mixed_tree
from tests.python.study.chromium import Chromium, find
from tests.python.table.test_times import CLOCK, DAYS, LATE, MONTHS, ZONED

pytest.importorskip("jinja2")
if os.environ.get("CI_CHROMIUM") != "required":
    pytestmark = pytest.mark.skipif(find() is None, reason="no Chromium")

NASTY = '</script><script>document.title = "broken"</script><b><img src="http://beamtree.test/x">'
LARGE = 2**60


@pytest.fixture(scope="module")
def browser():
    with Chromium() as chromium:
        yield chromium


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that shows the page of a classifier; the page may request nothing."""
    path = tmp_path / "tree.html"

    def shown(clf, **names):
        clf.to_html(path, **names)
        browser.open(path)
        return browser

    yield shown
    assert browser.complaints() == []
    assert browser.requests() == [path.resolve().as_uri()]


@pytest.fixture(scope="module")
def parity():
    """Return a tree of two levels: whether the two columns are equal."""
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    return OptimalTreeClassifier(max_depth=2).fit(X, ["same", "differ", "differ", "same"])


def texts(browser, selector):
    found = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return browser.evaluate(f"{found}.map((one) => one.textContent)")


def opened(browser):
    return browser.evaluate("document.querySelectorAll('#tree details[open]').length")


def on_path(browser):
    nodes = "[...document.querySelectorAll('#tree [aria-current]')]"
    return browser.evaluate(f"{nodes}.map((one) => Number(one.id.slice(5)))")


def fill(browser, values):
    """Fill the form with texts, and send it."""
    browser.evaluate(
        f"""{json.dumps(values)}.forEach((text, place) => {{
            document.getElementById(`value-${{place}}`).value = text;
        }});
        form.requestSubmit();"""
    )


def typed(columns, row, used):
    """Return what a user enters for a row: digits, or the position of a category."""
    entered = []
    for column in used:
        value, known = row[column], columns.categories[column]
        if value is None:
            entered.append("")
        elif known is not None:
            known = known.tolist()
            entered.append(str(known.index(value)) if value in known else "-1")
        else:
            entered.append(repr(value))
    return entered


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [mixed_tree, exact_tree])
def test_rows_go_where_predict_sends_them(show, make, seed):
    clf, rows = make(seed)
    rows, tree = rows[:1000], clf.tree_
    browser = show(clf)
    used = sorted(set(tree.feature[tree.feature >= 0].tolist()))
    entered = [typed(clf.columns_, row, used) for row in rows]
    # The values go through the fields of the form, as those of a user do.
    found = browser.evaluate(
        f"""{json.dumps(entered)}.map((row) => {{
            row.forEach((text, place) => {{
                document.getElementById(`value-${{place}}`).value = text;
            }});
            form.requestSubmit();
            const nodes = [...document.querySelectorAll("#tree [aria-current]")];
            return nodes.map((one) => Number(one.id.slice(5)));
        }})"""
    )
    leaves = tree.apply(encoded(clf.columns_, rows)).tolist()
    path = tree.decision_path(encoded(clf.columns_, rows))
    assert len(set(leaves)) > 4
    assert [sorted(nodes) for nodes in found] == [sorted(row.indices.tolist()) for row in path]
    assert [max(nodes) for nodes in found] == leaves
    labels = clf.predict(rows).tolist()
    assert texts(browser, "#path p")[0].startswith(f"Prediction: {labels[-1]} (")


def test_integers_beyond_2_to_the_53_and_signs(show):
    X = [[LARGE], [LARGE + 2]]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, ["low", "high"])
    assert clf.predict([[LARGE + 1], [LARGE + 2]]).tolist() == ["low", "high"]
    browser = show(clf)
    for text, label in ((LARGE + 1, "low"), (f" +{LARGE + 2} ", "high"), (-LARGE, "low")):
        fill(browser, [str(text)])
        assert texts(browser, "#path p") == [f"Prediction: {label} (1 row, 100%)"]
    fill(browser, ["1.5"])
    assert texts(browser, ".error") == ["This must be an integer, such as 12, or empty."]
    assert texts(browser, "#path p") == []


@pytest.mark.parametrize("text", ["a", "1,5", "1e999", "Infinity", "0x10", "1_0", "1 2"])
def test_a_field_that_is_no_number_is_named(show, parity, text):
    browser = show(parity)
    fill(browser, ["1", text])
    assert texts(browser, ".error") == ["", "This must be a number, such as 2.5, or empty."]
    assert browser.evaluate("document.activeElement.id") == "value-1"
    assert on_path(browser) == []


def test_the_path_of_a_row_with_a_missing_value(show, parity):
    browser = show(parity, feature_names=["left", "right"])
    fill(browser, ["0", ""])
    assert texts(browser, "#path p") == ["Prediction: differ (1 row, 100%)"]
    assert parity.predict([[0, None]]) == ["differ"]
    assert texts(browser, "#path li") == ["left? no", "right? yes (the value is missing)"]
    browser.click("#row [type=reset]")
    assert texts(browser, "#path li") == on_path(browser) == []


def test_a_path_is_unfolded_and_goes_when_a_value_changes(show, parity):
    browser = show(parity)
    browser.click("#fold")
    assert opened(browser) == 0
    fill(browser, ["1", "1"])
    assert (opened(browser), len(on_path(browser))) == (2, 3)
    browser.click("#value-0")
    browser.call("Input.insertText", text="0")
    assert on_path(browser) == []


def test_folding_with_the_mouse(show, parity):
    browser = show(parity)
    assert opened(browser) == 3
    browser.click("#node-0 > summary")
    assert opened(browser) == 2
    browser.click("#fold")
    assert opened(browser) == 0
    browser.click("#unfold")
    assert opened(browser) == 3


def test_everything_works_with_the_keyboard(show, parity):
    browser = show(parity)
    focus = "document.activeElement.id || document.activeElement.parentElement.id"
    passed = []
    for _ in range(7):
        tab(browser)
        passed.append(browser.evaluate(focus))
    assert passed[:3] == ["unfold", "fold", "node-0"]
    assert passed[5:] == ["value-0", "value-1"]
    browser.call("Input.insertText", text="1")
    browser.key("Enter")
    assert texts(browser, "#path p") == ["Prediction: same (1 row, 100%)"]
    browser.evaluate("document.querySelector('#node-0 > summary').focus()")
    browser.key("Enter")
    assert opened(browser) == 2


def tab(browser):
    for kind in ("rawKeyDown", "keyUp"):
        browser.call(
            "Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9
        )


TIMES = {
    "dates": (DAYS, ["2024-03-01", "2024-03-02", "2024-02", "2024-03-01 23:59"], "2024-02-30"),
    "times": (
        DAYS + pd.Timedelta("1h"),
        ["2024-03-01 23:59:59.999999999", "2024-03-02", "2024-02-28T10:00"],
        "2024-03-01 12:00Z",
    ),
    "zones": (
        ZONED,
        ["2024-03-01 23:59+01:00", "2024-03-01 23:00Z", "2024-03-02 07:59+09:00"],
        "2024-03-02",
    ),
    "durations": (
        DAYS - DAYS[0],
        ["20 days 23 h", "21 days", "-5 min", "0.5 s", "1d 3h"],
        "3 weeks",
    ),
    "clock": (CLOCK, ["10:14:59", "10:15", "00:00"], "24:00"),
    "months": (MONTHS, ["2022-09", "2022-10-01", "2021-01-05"], "September"),
}


@pytest.mark.parametrize("name", TIMES)
def test_dates_are_entered_as_people_write_them(show, name):
    series, entered, wrong = TIMES[name]
    clf = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"when": series}), LATE)
    browser = show(clf)
    labels = []
    for text in entered:
        fill(browser, [text])
        labels.append(texts(browser, "#path p")[0].split()[1])
    assert labels == ["early", "late", "early", *["early"] * 2][: len(entered)]
    fill(browser, [""])
    assert texts(browser, "#path p")[0].startswith("Prediction: late")
    fill(browser, [wrong])
    assert texts(browser, ".error")[0].startswith("This must be written like ")


def test_names_do_no_harm(show):
    X = [[NASTY], ["<i>other</i>"]]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, [NASTY, "<img src=x>"])
    browser = show(clf, feature_names=[NASTY])
    fill(browser, ["0"])
    assert browser.evaluate("document.title") == "Decision tree"
    assert browser.evaluate("document.querySelectorAll('b, i, img').length") == 0
    assert texts(browser, "#row label") == [NASTY]
    assert texts(browser, "#path p") == [f"Prediction: {NASTY} (1 row, 100%)"]


def test_a_phone_scrolls_only_down(show, browser):
    size = {"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": True}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    try:
        for clf, _ in (mixed_tree(0), exact_tree(1, depth=9)):
            show(clf, feature_names=[f"{name}_" * 20 for name in clf.columns_.names])
            assert browser.evaluate("document.documentElement.scrollWidth") == 320
            assert browser.evaluate("document.querySelectorAll('#tree summary').length") > 5
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


def test_both_themes_can_be_read(show, parity, browser):
    colours = {}
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        show(parity)
        colours[scheme] = browser.evaluate(
            "((style) => [style.color, style.backgroundColor])(getComputedStyle(document.body))"
        )
    assert colours["light"] == ["rgb(27, 30, 35)", "rgb(255, 255, 255)"]
    assert colours["dark"] == ["rgb(228, 231, 236)", "rgb(21, 24, 29)"]


def test_without_a_form_the_rest_works(show):
    browser = show(OptimalTreeClassifier(max_depth=0).fit([[0], [1]], ["dry", "dry"]))
    assert texts(browser, "#node-0 strong") == ["dry"]

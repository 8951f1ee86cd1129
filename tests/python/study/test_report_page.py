"""The page of a report in a browser: it sorts, zooms and hides, and requests no other file.

The tests are skipped without Chromium, unless CI_CHROMIUM is "required".
"""

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from beamtree.study import report
from tests.python.study.chromium import Chromium, find
from tests.python.study.study_runs import small_campaign, stored

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
if os.environ.get("CI_CHROMIUM") != "required":
    pytestmark = pytest.mark.skipif(find() is None, reason="no Chromium")

TABLE = "[aria-labelledby=integral-depth-3-10s-hard]"
SOLVED = "[data-chart=solved-depth-3-10s]"
ERROR = "[data-chart=error-depth-3-10s]"
NASTY = '</script><script>document.title = "broken"</script><img src="http://beamtree.test/x">'


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    nasty = [replace(run, dataset=NASTY) for run in small_campaign() if run.dataset == "hard"]
    return report(stored([*small_campaign(), *nasty], tmp_path_factory.mktemp("study")))


@pytest.fixture(scope="module")
def browser():
    with Chromium() as chromium:
        yield chromium


@pytest.fixture
def opened(browser, page):
    browser.open(page)
    yield browser
    assert browser.complaints() == []
    assert browser.requests() == [page.resolve().as_uri()]


class Links(HTMLParser):
    """A parser that collects everything that a page refers to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, _, attributes):
        names = ("src", "href", "xlink:href", "srcset", "data", "action")
        self.found += [value for name, value in attributes if name in names]


def column(browser, table, number):
    cells = f"document.querySelectorAll('{table} tbody td:nth-child({number})')"
    return browser.evaluate(f"[...{cells}].map((cell) => cell.textContent)")


def sorted_by(browser, table):
    heads = f"document.querySelectorAll('{table} th')"
    return browser.evaluate(f"[...{heads}].map((head) => head.getAttribute('aria-sort'))")


def path(browser, chart, system):
    lines = f"{chart} path[data-system={system}]"
    return browser.evaluate(f"document.querySelector('{lines}')?.getAttribute('d')")


def test_the_page_refers_to_no_other_file(page):
    html = page.read_text()
    links = Links()
    links.feed(html)
    assert "#how" in links.found
    assert [link for link in links.found if not link.startswith(("#", "data:"))] == []
    assert not re.findall(r"@import|url\((?!#)", html.replace("url(#${clip})", ""))
    assert "default-src 'none'" in html


def test_the_page_loads_without_messages(opened):
    assert opened.evaluate("document.title") == "Anytime decision trees, compared"
    assert opened.evaluate("document.documentElement.className") == "scripted"
    assert opened.evaluate("document.querySelectorAll('.plot path').length") > 4
    labels = f"[...document.querySelectorAll('{SOLVED} .plot text')].map((one) => one.textContent)"
    assert {"0.01", "0.1", "0.5", "1", "5", "10", "seconds"} <= set(opened.evaluate(labels))


def test_a_click_sorts_numbers_as_numbers(opened):
    # As a number, "100.00" comes after "43.75"; as text it would come before.
    assert column(opened, TABLE, 5) == ["62.50", "100.00", "62.50", "25.00"]
    opened.click(f"{TABLE} th:nth-child(5) button")
    assert column(opened, TABLE, 5) == ["25.00", "62.50", "62.50", "100.00"]
    assert column(opened, TABLE, 1) == ["beamtree", "C4.5", "CA-Gain", "DL8.5"]
    assert sorted_by(opened, TABLE)[4] == "ascending"
    opened.click(f"{TABLE} th:nth-child(5) button")
    assert column(opened, TABLE, 5) == ["100.00", "62.50", "62.50", "25.00"]
    assert sorted_by(opened, TABLE) == [*["none"] * 4, "descending", *["none"] * 3]


def test_decimals_are_sorted_by_their_value(opened):
    """By the number of their digits, 0.45 would come before 0.325."""
    runs = "[aria-labelledby=runs]"
    opened.click(f"{runs} th:nth-child(13) button")
    values = [float(value) for value in column(opened, runs, 13)]
    assert values == sorted(values)
    assert {0.325, 0.45} <= set(values)


def test_a_click_sorts_words(opened):
    opened.click(f"{TABLE} th:nth-child(1) button")
    assert column(opened, TABLE, 1) == ["beamtree", "C4.5", "CA-Gain", "DL8.5"]


def test_the_keyboard_sorts(opened):
    opened.evaluate(f"document.querySelector('{TABLE} th:nth-child(6) button').focus()")
    opened.key("Enter")
    assert column(opened, TABLE, 6) == ["12.50", "31.25", "43.75", "75.00"]


def test_the_wheel_zooms_and_a_double_click_goes_back(opened):
    before = path(opened, SOLVED, "beamtree")
    opened.wheel(f"{SOLVED} .plot", -120)
    zoomed = path(opened, SOLVED, "beamtree")
    assert zoomed != before
    opened.wheel(f"{SOLVED} .plot", -120)
    assert path(opened, SOLVED, "beamtree") not in (before, zoomed)
    opened.click(f"{SOLVED} .plot", times=2)
    assert path(opened, SOLVED, "beamtree") == before


def test_zooming_out_of_all_scrolls_the_page(opened):
    before = path(opened, SOLVED, "beamtree")
    stopped = opened.evaluate(
        f"document.querySelector('{SOLVED} .plot').dispatchEvent("
        "new WheelEvent('wheel', {deltaY: 120, cancelable: true}))"
    )
    assert stopped is True  # The default action of the wheel was not prevented.
    assert path(opened, SOLVED, "beamtree") == before


def test_dragging_moves(opened):
    opened.wheel(f"{SOLVED} .plot", -120)
    zoomed = path(opened, SOLVED, "beamtree")
    x, y = opened.middle(f"{SOLVED} .plot")
    opened.mouse("mousePressed", x, y, button="left", clickCount=1)
    opened.mouse("mouseMoved", x + 40, y, button="left", buttons=1)
    opened.mouse("mouseReleased", x + 40, y, button="left", clickCount=1)
    moved = path(opened, SOLVED, "beamtree")
    first = [float(re.match(r"M([-\d.]+)", line).group(1)) for line in (zoomed, moved)]
    assert first[1] > first[0]
    opened.mouse("mouseMoved", x, y)
    assert path(opened, SOLVED, "beamtree") == moved


def test_keys_zoom_and_reset(opened):
    before = path(opened, SOLVED, "beamtree")
    opened.evaluate(f"document.querySelector('{SOLVED} .plot').focus()")
    opened.key("+")
    zoomed = path(opened, SOLVED, "beamtree")
    assert zoomed != before
    opened.key("ArrowRight")
    assert path(opened, SOLVED, "beamtree") not in (before, zoomed)
    opened.key("0")
    assert path(opened, SOLVED, "beamtree") == before


def test_the_legend_hides_and_shows(opened):
    button = f"{ERROR} .legend button[data-system=dl85]"
    assert path(opened, ERROR, "dl85")
    opened.click(button)
    assert path(opened, ERROR, "dl85") is None
    assert path(opened, ERROR, "c45")
    pressed = f"document.querySelector('{button}').getAttribute('aria-pressed')"
    assert opened.evaluate(pressed) == "false"
    opened.click(button)
    assert path(opened, ERROR, "dl85")


def test_hovering_reads_the_values(opened):
    choose(opened, "hard")
    value = f"document.querySelector('{ERROR} .legend button[data-system=dl85] .value').textContent"
    assert opened.evaluate(value) == "8"
    # The axis goes from 0.01 to 10 s: a place at 1 - log10(10 / 3) / 3 of it is 3 s.
    share = (52 + (860 - 52 - 12) * (1 - 0.5229 / 3)) / 860
    opened.mouse("mouseMoved", *opened.middle(f"{ERROR} .plot", right=share))
    assert opened.evaluate(value) == "12"
    moment = opened.evaluate(f"document.querySelector('{ERROR} .cursor + text').textContent")
    assert float(moment.removesuffix(" s")) == pytest.approx(3.0, rel=0.05)


def choose(browser, dataset):
    browser.evaluate(
        f"{{const select = document.querySelector('{ERROR} select');"
        f"select.value = {json.dumps(dataset)};"
        "select.dispatchEvent(new Event('change'));}"
    )


def test_another_dataset(opened):
    choose(opened, "hard")
    hard = path(opened, ERROR, "dl85")
    choose(opened, "easy")
    assert path(opened, ERROR, "dl85") != hard
    assert opened.evaluate(f"document.querySelectorAll('{ERROR} .bound').length") == 1


def test_names_do_no_harm(opened):
    choose(opened, NASTY)
    assert opened.evaluate(f"document.querySelector('{ERROR} select').value") == NASTY
    assert opened.evaluate("document.title") == "Anytime decision trees, compared"
    assert opened.evaluate("document.images.length") == 0


def test_light_and_dark(browser, page):
    grounds = set()
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.open(page)
        grounds.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    browser.prefer("light")
    assert len(grounds) == 2


def test_without_a_script(browser, page):
    """Without JavaScript, the page has its tables and static curves."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page)
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    visible = "document.querySelector('.instead svg').getBoundingClientRect().height > 100"
    assert browser.evaluate(visible)
    assert column(browser, TABLE, 8) == ["32.50", "45.00", "12.50", "5.00"]
    assert (
        browser.evaluate(f"getComputedStyle(document.querySelector('{ERROR}')).display") == "none"
    )

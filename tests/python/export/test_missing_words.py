"""Trees in words say where missing values go, if a column had any, in every format that is read."""

import re
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier, export_graphviz, export_text

SIZES = ["small", "medium", "large", "huge"]


def fitted(name, values, labels, **options):
    """Return a classifier that is fitted on one column."""
    table = pd.DataFrame({name: values})
    return OptimalTreeClassifier(max_depth=1, **options).fit(table, labels), table


def ages(*, missing):
    """Return a classifier of ages, in which missing ages have the label that is given, if any."""
    values, labels = [20.0, 30, 40, 59, 60, 70], ["no"] * 4 + ["buy"] * 2
    if missing is not None:
        values, labels = [*values, None, None, None], labels + [missing] * 3
    return fitted("age", values, labels)[0]


def colours(values, labels):
    return fitted("colour", values, labels)[0]


def sizes(missing):
    values = pd.Categorical([*SIZES, None], SIZES, ordered=True)
    return fitted("size", values, ["no", "no", "buy", "buy", missing])[0]


GROUPS = ["blue", "red", "green", "pink"]
# Each classifier with its question, its second answer, and its rules without the numbers of rows.
SHOWN = {
    "a number, right": (
        lambda: ages(missing="buy"),
        ("age <= 59.5?", "no or missing"),
        ["If age <= 59.5 then no", "If age > 59.5 or missing then buy"],
    ),
    "a number, left": (
        lambda: ages(missing="no"),
        ("age <= 59.5 or missing?", "no"),
        ["If age <= 59.5 or missing then no", "If age > 59.5 and age is known then buy"],
    ),
    "a number, none missing": (
        lambda: ages(missing=None),
        ("age <= 59.5?", "no"),
        ["If age <= 59.5 then no", "If age > 59.5 then buy"],
    ),
    "a category, right": (
        lambda: colours(["blue", "red", "green", None], ["no", "buy", "buy", "buy"]),
        ("colour == blue?", "no or missing"),
        ["If colour == blue then no", "If colour != blue or missing then buy"],
    ),
    "a category, left": (
        lambda: colours(["blue", "red", "green", None], ["no", "buy", "buy", "no"]),
        ("colour == blue or missing?", "no"),
        ["If colour == blue or missing then no", "If colour != blue and colour is known then buy"],
    ),
    "a category, none missing": (
        lambda: colours(["blue", "red", "green"], ["no", "buy", "buy"]),
        ("colour == blue?", "no"),
        ["If colour == blue then no", "If colour != blue then buy"],
    ),
    "categories, right": (
        lambda: colours([*GROUPS, None], ["no", "no", "buy", "buy", "buy"]),
        ("colour in (blue, red)?", "no or missing"),
        ["If colour in (blue, red) then no", "If colour not in (blue, red) or missing then buy"],
    ),
    "categories, left": (
        lambda: colours([*GROUPS, None], ["no", "no", "buy", "buy", "no"]),
        ("colour in (blue, red) or missing?", "no"),
        [
            "If colour in (blue, red) or missing then no",
            "If colour not in (blue, red) and colour is known then buy",
        ],
    ),
    "an order, right": (
        lambda: sizes("buy"),
        ("size <= medium?", "no or missing"),
        ["If size <= medium then no", "If size > medium or missing then buy"],
    ),
    "an order, left": (
        lambda: sizes("no"),
        ("size <= medium or missing?", "no"),
        ["If size <= medium or missing then no", "If size > medium and size is known then buy"],
    ),
}
all_kinds = pytest.mark.parametrize(("make", "asked", "rules"), SHOWN.values(), ids=[*SHOWN])


@all_kinds
def test_text_and_rules(make, asked, rules):
    clf = make()
    assert clf.n_errors_ == 0
    found = [re.sub(r" \(\d+ rows?, 100%\)$", "", line) for line in export_text(clf).splitlines()]
    assert found == [asked[0], "  yes: no", f"  {asked[1]}: buy"]
    assert [re.sub(r" \(\d+ rows?, 100%\)$", "", rule) for rule in clf.leaf_rules()] == rules


@all_kinds
def test_pictures_page_and_graph(make, asked, rules):
    clf = make()
    assert len(rules) == clf.get_n_leaves()
    question, answer = asked
    graph = export_graphviz(clf)
    assert f'0 [label="{question}\\n' in graph
    assert f'0 -> 2 [label="{answer}"];' in graph
    written = clf.to_html()
    escaped = question.replace("<", "&lt;")
    assert f"<strong>{escaped}</strong>" in written
    assert f'<span class="answer">{answer}</span>' in written
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", clf.to_svg())
    assert answer in texts
    assert escaped == " ".join(texts[2 : texts.index(next(t for t in texts if "rows" in t))])
    drawn = [text.get_text().replace("\n", " ") for text in clf.plot().texts]
    assert drawn[0] == question
    assert drawn[-2:] == ["yes", answer]


@all_kinds
def test_comments_in_sql(make, asked, rules):
    clf = make()
    comments = re.findall(r"\n  /\* (.*) \*/\n  ELSE 'buy'\n", clf.to_sql())
    said = rules[1].removeprefix("If ").removesuffix(" then buy")
    assert comments == ([said] if asked[1] != "no" else [])


def test_a_name_cannot_end_a_comment_in_sql():
    name = "a */ 1\n/* b"
    clf, _ = fitted(name, [1.0, 2.0, None], ["x", "y", "y"])
    assert "\n  /* a * / 1 / * b > 1.5 or missing */\n" in clf.to_sql()
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f'CREATE TABLE t ("{name}")')
        base.executemany("INSERT INTO t VALUES (?)", [[1.0], [2.0], [None]])
        assert [row[-1] for row in base.execute(clf.to_sql("t"))] == ["x", "y", "y"]


def test_nothing_is_said_where_no_missing_value_can_arrive():
    ages = [10, 20, 30, 40, 50, 60, None, None]
    clf = OptimalTreeClassifier(max_depth=2)
    clf.fit(pd.DataFrame({"age": ages}), ["a", "a", "b", "b", "a", "a", "b", "b"])
    assert export_text(clf).splitlines() == [
        "age <= 25?",
        "  yes: a (2 rows, 100%)",
        "  no or missing: age <= 45 or missing?",
        "    yes: b (4 rows, 100%)",
        "    no: a (2 rows, 100%)",
    ]
    assert clf.leaf_rules() == [
        "If age <= 25 then a (2 rows, 100%)",
        "If 25 < age <= 45 or missing then b (4 rows, 100%)",
        "If age > 45 and age is known then a (2 rows, 100%)",
    ]
    clf.fit(pd.DataFrame({"age": ages}), ["a", "b", "b", "b", "a", "a", "c", "c"])
    assert export_text(clf).splitlines() == [
        "age <= 45?",
        "  yes: age <= 15?",
        "    yes: a (1 row, 100%)",
        "    no: b (3 rows, 100%)",
        "  no or missing: age is missing?",
        "    yes: c (2 rows, 100%)",
        "    no: a (2 rows, 100%)",
    ]
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert export_text(again) == export_text(clf)
    assert again.leaf_rules() == clf.leaf_rules()

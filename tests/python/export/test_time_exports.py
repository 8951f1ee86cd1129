"""Trees over dates, times of day, durations and periods in every format."""

import copy
import json
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from beamtree import OptimalTreeClassifier
from beamtree.export import export_graphviz, export_text, from_json, to_json
from tests.python.table.test_times import CLOCK, DAYS, LATE, SERIES, ZONED

pl = pytest.importorskip("polars")

FRAME = pl.DataFrame(
    {
        "day": pl.Series(DAYS.date.tolist()),
        "seen": pl.Series(DAYS + pd.Timedelta("7h3min20.25s")),
        "zoned": pl.Series(ZONED.tz_convert("UTC")) + timedelta(hours=5),
        "wait": pl.Series((DAYS - DAYS[0]) / 7),
        "clock": pl.Series(CLOCK),
    }
)
NAMES = FRAME.columns


def shuffled(seed):
    """Return rows of all kinds, some of them missing, and labels that need a deep tree."""
    rng = np.random.default_rng(seed)
    columns = [FRAME[name].gather(rng.permutation(40)) for name in NAMES]
    gone = rng.random((40, len(NAMES))) < 0.1
    frame = pl.DataFrame(
        [pl.select(pl.when(~pl.lit(pl.Series(gone[:, j]))).then(c).alias(c.name)).to_series()
         for j, c in enumerate(columns)]
    )  # fmt: skip
    return frame, rng.integers(0, 3, 40)


def deep_tree(seed):
    frame, y = shuffled(seed)
    clf = OptimalTreeClassifier(max_depth=4, node_limit=20).fit(frame, y)
    more = pl.concat([frame, *(shuffled(seed)[0] for seed in range(10, 14))])
    return clf, more, clf.predict(more).tolist()


DEEP = [deep_tree(seed) for seed in range(4)]


@pytest.fixture(params=range(4))
def deep(request):
    return DEEP[request.param]


def test_the_trees_test_all_columns_and_missing_values():
    tested = {
        (clf.columns_.names[j] if j >= 0 else "") for clf, *_ in DEEP for j in clf.tree_.feature
    }
    assert tested == {"", *NAMES}
    assert any(clf.tree_.missing_go_to_left.any() for clf, *_ in DEEP)


def compiled(source):
    names = {}
    exec(source, names)
    return names["predict"]


def test_python(deep):
    clf, rows, expected = deep
    predict = compiled(clf.to_python())
    assert [predict(row) for row in rows.rows()] == expected
    assert [predict(row) for row in rows.to_dicts()] == expected
    assert [predict(row) for row in rows.to_pandas().to_dict("records")] == expected


@pytest.mark.skipif(pl.__version__.startswith("1."), reason="its SQL has no such intervals")
def test_sql(deep):
    clf, rows, expected = deep
    found = pl.SQLContext(rows=rows).execute(clf.to_sql("rows"), eager=True)
    assert found["prediction"].to_list() == expected


def test_json(deep):
    clf, rows, expected = deep
    twin = from_json(to_json(clf), OptimalTreeClassifier())
    assert twin.columns_.times == clf.columns_.times
    assert twin.predict(rows).tolist() == expected
    assert export_text(twin) == export_text(clf)
    assert [one.test for one in twin.alternatives_] == [one.test for one in clf.alternatives_]


@pytest.mark.parametrize("name", SERIES)
def test_every_kind_survives_json_and_python(name):
    series, question = SERIES[name]
    frame = pl.DataFrame if isinstance(series, pl.Series) else pd.DataFrame
    X = frame({"signup": series})
    clf = OptimalTreeClassifier(max_depth=1).fit(X, LATE)
    twin = from_json(clf.to_json(), OptimalTreeClassifier())
    assert str(twin).splitlines()[2] == question
    assert_array_equal(twin.predict(X), LATE)
    predict = compiled(clf.to_python())
    values = series.to_list() if isinstance(series, pl.Series) else list(series)
    if not isinstance(values[0], np.datetime64):
        assert [predict([value]) for value in values] == LATE.tolist()
    assert predict([None]) == predict([pd.NaT]) == "late"


def test_the_words_of_sql_and_python():
    frame = pd.DataFrame({"when": DAYS})
    clf = OptimalTreeClassifier(max_depth=1).fit(frame, LATE)
    assert clf.to_sql().splitlines()[1] == "  WHEN \"when\" < DATE '2024-03-02' THEN 'early'"
    predict = compiled(clf.to_python())
    assert predict([date(2024, 3, 1)]) == predict([datetime(2024, 3, 1, 23, 59)]) == "early"
    assert predict([pd.Timestamp("2024-03-02")]) == "late"
    quarters = pd.DataFrame({"quarter": SERIES["quarters"][0]})
    sql = OptimalTreeClassifier(max_depth=1).fit(quarters, LATE).to_sql()
    assert sql.splitlines()[1] == "  WHEN \"quarter\" < DATE '2026-04-01' THEN 'early'"
    clf = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"when": ZONED}), LATE)
    assert "CAST('2024-03-01 23:00:00+00:00' AS TIMESTAMP WITH TIME ZONE)" in clf.to_sql()
    with pytest.raises(TypeError, match="offset-naive and offset-aware"):
        compiled(clf.to_python())([datetime(2024, 3, 1)])
    assert compiled(clf.to_python())([datetime(2024, 3, 1, tzinfo=UTC)]) == "early"


def test_negative_durations():
    X = np.array([[-1500], [-500]], dtype="timedelta64[ms]")
    clf = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1])
    assert clf.alternatives_[0].test == "x0 < -1 s?"
    assert "\"x0\" < INTERVAL '-1' SECOND" in clf.to_sql()
    predict = compiled(clf.to_python())
    assert [predict([timedelta(milliseconds=ms)]) for ms in (-1001, -1000)] == [0, 1]


def test_nanoseconds_in_python():
    start = pd.Timestamp("2024-03-01 12:00:00.000001").as_unit("ns")
    for base in (start, pd.Timedelta(5, "us").as_unit("ns")):
        values = [base + pd.Timedelta(k, "ns") for k in range(6)]
        y = [0, 0, 0, 1, 1, 1]
        clf = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"a": values}), y)
        predict = compiled(clf.to_python())
        assert [predict([value]) for value in values] == y
        fine = base.to_pydatetime() if base is start else base.to_pytimedelta()
        assert predict([fine]) == 0
        assert predict([fine + timedelta(microseconds=1)]) == 1


def test_dates_that_python_does_not_have():
    X = np.array([["9999-12-30"], ["12000-01-01"]], dtype="datetime64[s]")
    clf = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1])
    assert clf.alternatives_[0].test == "x0 <= 10999-12-30?"
    with pytest.raises(ValueError, match="no dates before the year 1 or after 9999"):
        clf.to_python()


def test_pictures_and_pages_show_dates():
    X = pd.DataFrame({"when": DAYS + pd.Timedelta("1h")})
    clf = OptimalTreeClassifier(max_depth=1).fit(X, LATE)
    assert export_text(clf).startswith("when < 2024-03-02?\n  yes: early")
    assert "when < 2024-03-02?" in export_graphviz(clf)
    for picture in (clf.to_svg(), clf.to_html()):
        assert "when &lt; 2024-03-02?" in picture
    pytest.importorskip("matplotlib")
    assert any("2024-03-02?" in text.get_text() for text in clf.plot().texts)


@pytest.mark.parametrize("system", ["scikit-learn", "ONNX"])
def test_systems_of_numbers_refuse_dates(system):
    clf = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"when": DAYS}), LATE)
    message = f"{system} takes numbers, and 'when' has dates. Turn the column into a number before"
    if system == "ONNX":
        pytest.importorskip("onnx")
    with pytest.raises(ValueError, match=message):
        clf.to_sklearn() if system == "scikit-learn" else clf.to_onnx()


WRITTEN = json.loads(
    to_json(OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"when": ZONED}), LATE))
)


def edited(key, value, *, at=None):
    content = copy.deepcopy(WRITTEN)
    place = content["columns"][0]["time"] if at is None else at(content)
    place[key] = value
    return content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (edited("kind", "date"), "kind must be 'datetime' or 'time' or 'duration' or 'period'"),
        (edited("kind", "duration"), r"columns\[0\].time.zone must be null, got 'Europe/Zurich'"),
        (
            edited("kind", "period"),
            "unit must be a frequency of pandas, got 'us'|zone must be null",
        ),
        (edited("unit", "h"), "unit must be 'D' or 's' or 'ms' or 'us' or 'ns', got 'h'"),
        (edited("zone", "Europe/Atlantis"), "zone must be None or the name of a time zone, got"),
        (edited("zone", "+99:99"), "zone must be None or the name of a time zone, got"),
        (edited("zone", 7), "zone must be None or the name of a time zone, got 7"),
        (edited("more", 7), "has the unknown key 'more'"),
        (edited("time", 7, at=lambda c: c["columns"][0]), "time must be an object, got 7"),
        (edited("integral", False, at=lambda c: c["columns"][0]), "must be null unless"),
        (edited("binary", True, at=lambda c: c["columns"][0]), "binary must be false, got True"),
        (edited("at_most_integer", 2**63, at=lambda c: c["nodes"][0]), "an integer of 64 bits"),
        (edited("at_most_integer", None, at=lambda c: c["nodes"][0]), "an integer of 64 bits"),
    ],
    ids=range(13),
)
def test_wrong_kinds_in_json_are_refused(content, message):
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps(content), OptimalTreeClassifier())

"""Columns of dates, times of day, durations and periods, from fit to predict."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from beamtree import Binarizer, OptimalTreeClassifier, Search
from beamtree._table.time_thresholds import time_thresholds
from beamtree._table.time_words import time_comparison
from beamtree._table.times import TimeKind

pl = pytest.importorskip("polars")

DAYS = pd.date_range("2024-02-10", periods=40)
LATE = np.where(DAYS > "2024-03-01", "late", "early")
CLOCK = [time(k // 2, 30 * (k % 2)) for k in range(40)]
ZONED = DAYS.tz_localize("Europe/Zurich")
IN_DAYS = "signup <= 2024-03-01?"

# What the user gives, and the first question of the tree.
SERIES = {
    "dates of pandas": (pd.Series(DAYS), IN_DAYS),
    "nanoseconds": (pd.Series(DAYS).astype("datetime64[ns]"), IN_DAYS),
    "seconds": (pd.Series(DAYS).astype("datetime64[s]"), IN_DAYS),
    "times in the day": (pd.Series(DAYS + pd.Timedelta("5h3min")), "signup < 2024-03-02?"),
    "a time zone": (pd.Series(ZONED), "signup < 2024-03-02 00:00+01:00?"),
    "UTC": (pd.Series(DAYS.tz_localize("UTC")), "signup < 2024-03-02 00:00 UTC?"),
    "a fixed offset": (
        pd.Series(DAYS.tz_localize(timezone(timedelta(hours=-3)))),
        "signup < 2024-03-02 00:00-03:00?",
    ),
    "durations": (pd.Series(DAYS - DAYS[0]), "signup < 21 days?"),
    "short durations": (
        pd.Series(pd.to_timedelta(np.arange(40) * 617, unit="ms")),
        "signup < 12.6 s?",
    ),
    "days as periods": (pd.Series(DAYS.to_period("D")), IN_DAYS),
    "months": (pd.Series(pd.period_range("2021-01", periods=40, freq="M")), "signup <= 2022-09?"),
    "quarters": (pd.Series(pd.period_range("2021Q1", periods=40, freq="Q")), "signup <= 2026Q1?"),
    "dates of Python": (pd.Series(DAYS.date, dtype=object), IN_DAYS),
    "times of Python": (pd.Series(CLOCK, dtype=object), "signup < 10:15?"),
    "objects of pandas": (pd.Series(list(ZONED), dtype=object), "signup < 2024-03-02 00:00+01:00?"),
    "objects of NumPy": (pd.Series(list(DAYS.to_numpy()), dtype=object), IN_DAYS),
    "periods as objects": (
        pd.Series(list(pd.period_range("2021-01", periods=40, freq="M")), dtype=object),
        "signup <= 2022-09?",
    ),
    "categories": (pd.Series(DAYS).astype("category"), IN_DAYS),
    "dates of arrow": (pd.Series(DAYS).astype("timestamp[us][pyarrow]"), IN_DAYS),
    "a zone of arrow": (
        pd.Series(DAYS).astype("timestamp[ns, tz=Europe/Zurich][pyarrow]"),
        "signup < 2024-03-02 00:00+01:00?",
    ),
    "dates of polars": (pl.Series(DAYS.date.tolist()), IN_DAYS),
    "times of polars": (pl.Series(DAYS + pd.Timedelta("5h3min")), "signup < 2024-03-02?"),
    "a zone of polars": (
        pl.Series(DAYS).dt.replace_time_zone("Asia/Tokyo"),
        "signup < 2024-03-02 00:00+09:00?",
    ),
    "durations of polars": (pl.Series(DAYS - DAYS[0]), "signup < 21 days?"),
    "clocks of polars": (pl.Series(CLOCK), "signup < 10:15?"),
}


@pytest.mark.parametrize("name", SERIES)
def test_trees_speak_of_dates(name):
    series, question = SERIES[name]
    frame = pl.DataFrame if isinstance(series, pl.Series) else pd.DataFrame
    X = frame({"other": [1.5] * 40, "signup": series})
    clf = OptimalTreeClassifier(max_depth=1).fit(X, LATE)
    assert str(clf).splitlines()[2] == question
    assert clf.alternatives_[0].test == question
    assert_array_equal(clf.predict(X), LATE)
    assert "39 tests: every threshold and category of 2 columns" in str(clf.search_space_)


def test_arrays_and_lists_of_dates():
    for X in (DAYS.to_numpy()[:, None], [[day] for day in DAYS.date]):
        clf = OptimalTreeClassifier(max_depth=1).fit(X, LATE)
        assert clf.leaf_rules() == [
            "If x0 <= 2024-03-01 then early (21 rows, 100%)",
            "If x0 > 2024-03-01 then late (19 rows, 100%)",
        ]
        assert_array_equal(clf.predict(X), LATE)


def frame_of(series):
    return pd.DataFrame({"when": series})


def tree_of(series, y, depth=1):
    clf = OptimalTreeClassifier(max_depth=depth).fit(frame_of(series), y)
    assert_array_equal(clf.predict(frame_of(series)), y)
    return clf


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ("2024-03-01 22:15", "2024-03-09 07:00", "2024-03-06"),
        ("2024-03-01 22:15", "2024-03-02 07:00", "2024-03-02"),
        ("2024-03-01 12:15", "2024-03-01 19:10", "2024-03-01 16:00"),
        ("2024-03-01 12:15:30", "2024-03-01 12:16", "2024-03-01 12:16"),
        ("2024-03-01 12:15:30", "2024-03-01 12:15:31", "2024-03-01 12:15:31"),
        ("2024-03-01 12:15:30.12", "2024-03-01 12:15:30.19", "2024-03-01 12:15:30.16"),
        ("2024-03-01 12:15:30.000000001", *["2024-03-01 12:15:30.000000002"] * 2),
        ("1677-09-22 01:00", "1677-09-22 01:01", "1677-09-22 01:01"),
        ("2262-04-11 23:47:16.854775806", *["2262-04-11 23:47:16.854775807"] * 2),
    ],
)
def test_a_threshold_has_as_few_parts_as_separate_the_values(low, high, words):
    times = pd.Series(np.array([low, high], dtype="datetime64[ns]"))
    clf = tree_of(times, [0, 1])
    assert clf.leaf_rules() == [
        f"If when < {words} then 0 (1 row, 100%)",
        f"If when >= {words} then 1 (1 row, 100%)",
    ]
    # The words are exactly what predict does.
    border = np.datetime64(words, "ns")
    around = pd.Series([border - np.timedelta64(1, "ns"), border])
    assert clf.predict(frame_of(around)).tolist() == [0, 1]


def test_thresholds_are_between_their_values():
    rng = np.random.default_rng(0)
    for unit in ("D", "s", "ms", "us", "ns"):
        for zone in (None, "Asia/Kolkata", "America/New_York"):
            kind = TimeKind("datetime", unit, zone)
            low = rng.integers(-(10**12), 10**12, 300)
            high = low + 10 ** rng.integers(0, 15, 300)
            chosen = time_thresholds(low, high, kind)
            assert ((low <= chosen) & (chosen < high)).all()
            assert all(time_comparison(kind, one)[2] for one in chosen.tolist())


def test_rules_have_both_ends():
    y = np.where((DAYS > "2024-02-20") & (DAYS <= "2024-03-10"), 1, 0)
    rules = tree_of(DAYS, y, 2).leaf_rules()
    assert "If 2024-02-20 < when <= 2024-03-10 then 1 (19 rows, 100%)" in rules
    rules = tree_of(DAYS + pd.Timedelta("1h"), y, 2).leaf_rules()
    assert "If 2024-02-21 <= when < 2024-03-11 then 1 (19 rows, 100%)" in rules


def test_missing_dates_go_to_the_better_side():
    times = pd.Series(DAYS).where(np.arange(40) % 5 > 0)
    y = np.where(times.isna() | (times <= "2024-03-01"), 0, 1)
    clf = tree_of(times, y)
    assert clf.alternatives_[0].test == "when <= 2024-03-01 or missing?"
    clf = tree_of(times, np.where(times.isna(), 1, y))
    assert clf.leaf_rules()[0] == "If when <= 2024-03-01 then 0 (16 rows, 100%)"
    clf = tree_of(times, times.isna().to_numpy())
    assert clf.alternatives_[0].test == "when is missing?"
    only = pd.Series(pd.NaT, index=range(4)).astype("datetime64[us]")
    assert OptimalTreeClassifier().fit(frame_of(only), [0, 1, 1, 1]).n_errors_ == 1


def test_local_midnight_in_summer_and_winter():
    zone = "Europe/Zurich"
    for day, offset in (("2024-01-15", "+01:00"), ("2024-07-15", "+02:00")):
        times = pd.Series(pd.to_datetime([f"{day} 21:00"]).tz_localize(zone))
        both = pd.concat([times, times + pd.Timedelta("7h")], ignore_index=True)
        after = pd.Timestamp(day) + pd.Timedelta("1D")
        words = tree_of(both, [0, 1]).alternatives_[0].test
        assert words == f"when < {after.date()} 00:00{offset}?"


def test_predict_takes_other_units_and_other_zones():
    clf = tree_of(ZONED, LATE)
    for same in (ZONED.as_unit("ns"), ZONED.as_unit("s"), ZONED.tz_convert("UTC")):
        assert_array_equal(clf.predict(frame_of(same)), LATE)
    assert_array_equal(clf.predict(pl.DataFrame({"when": pl.Series(ZONED)})), LATE)
    clf = tree_of(DAYS.as_unit("ns"), LATE)
    for same in (DAYS.as_unit("s"), DAYS.date, DAYS + pd.Timedelta("23h59min")):
        assert_array_equal(clf.predict(frame_of(same)), LATE)
    far = pd.Series(np.array(["9999-01-01", "0001-01-01"], dtype="datetime64[s]"))
    clf = tree_of((DAYS + pd.Timedelta("1h")).as_unit("ns"), LATE)
    assert clf.predict(frame_of(far)).tolist() == ["late", "early"]
    all_missing = frame_of([None, None])
    assert clf.predict(all_missing).tolist() == ["late", "late"]


MONTHS = pd.Series(pd.period_range("2021-01", periods=40, freq="M"))


@pytest.mark.parametrize(
    ("known", "given", "message"),
    [
        (DAYS, ["2024-01-01"], "must have dates, as it had in fit, got '2024-01-01'; turn text in"),
        (DAYS, [7], "column 'when' of X must have dates, as it had in fit, got 7"),
        (DAYS, DAYS - DAYS[0], "must have dates, as it had in fit, got durations"),
        (DAYS, ZONED, "must have dates without a time zone, as it had in fit, got dates with a"),
        (ZONED, DAYS, "must have dates with a time zone, as it had in fit, got dates without a"),
        (MONTHS, MONTHS.dt.asfreq("Q"), "periods of the frequency M, .* of the frequency Q-DEC"),
        (np.arange(40), DAYS, "must have numbers, as it had in fit, got dates"),
        (LATE, DAYS, "must have text, as it had in fit, got dates"),
    ],
)
def test_another_kind_at_predict_is_refused(known, given, message):
    clf = OptimalTreeClassifier(max_depth=1).fit(frame_of(known), LATE)
    with pytest.raises(ValueError, match=message):
        clf.predict(frame_of(given))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([datetime(2024, 1, 1), datetime(2024, 1, 2, tzinfo=UTC)], "all have a time zone, or none"),
        (
            [datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=h))) for h in (1, 2)],
            r"must have one time zone, got 2024-.*\+01:00 and .*\+02:00; turn them into UTC",
        ),
        ([datetime(2024, 1, 1), timedelta(1)], "must have values of one kind, got datetime"),
        ([time(1), time(2, tzinfo=UTC)], "times of day without a time zone"),
        ([date(2024, 1, 1), 5], "all numbers or all dates, got 5 and datetime.date"),
        ([pd.Period("2024", "Y"), pd.Period("2024", "M")], "periods of one frequency"),
        (np.array([1, 2], "timedelta64[Y]"), "in days, hours, .* got the type timedelta64"),
    ],
    ids=range(7),
)
def test_mixtures_are_refused(values, message):
    X = np.asarray(values)[:, None] if isinstance(values, np.ndarray) else [[v] for v in values]
    with pytest.raises(ValueError, match=f"column 0 of X must .*{message}|{message}"):
        OptimalTreeClassifier().fit(X, [0, 1])


def test_dates_as_tests_of_a_binarizer():
    X = pd.DataFrame({"when": DAYS[:4]})
    binarizer = Binarizer().fit(X)
    names = binarizer.get_feature_names_out().tolist()
    assert names == [f"when <= 2024-02-{day}" for day in (10, 11, 12)]
    assert binarizer.transform(X).tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    guess = Binarizer(2, "guess").fit(frame_of(DAYS), LATE)
    assert all(name.startswith("when <= 2024-0") for name in guess.get_feature_names_out())


def test_searches_start_from_trees_over_dates():
    start = tree_of(DAYS, LATE)
    fine = frame_of(DAYS + pd.Timedelta("3h"))
    for settings in ({}, {"max_thresholds": 1}):
        search = Search(fine, LATE, max_depth=1, init=start, **settings)
        assert search.step().n_errors == 0
    with pytest.raises(ValueError, match="column 'when' for dates, and X has dates with a time z"):
        Search(frame_of(ZONED), LATE, init=start).step()
    with pytest.raises(ValueError, match="column 'when' for dates, and X has numbers there"):
        Search(frame_of(np.arange(40)), LATE, init=start).step()
    numbers = tree_of(np.arange(40), LATE)
    with pytest.raises(ValueError, match="column 'when' for numbers, and X has dates there"):
        Search(frame_of(DAYS), LATE, init=numbers).step()


def test_checkpoints_know_the_kind(tmp_path):
    path = tmp_path / "dates.checkpoint"
    search = Search(frame_of(DAYS), LATE, max_depth=1)
    search.run()
    search.save(path)
    assert Search.load(path, frame_of(DAYS.as_unit("s")), LATE).incumbent.n_errors == 0
    with pytest.raises(ValueError, match="other data: tests differs"):
        Search.load(path, frame_of(DAYS.to_period("D")), LATE)

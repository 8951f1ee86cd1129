"""Groups of categories by class share, and categories with an order, as users see them."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from beamtree import Binarizer, OptimalTreeClassifier, Search, export_graphviz, export_text
from beamtree._table.category_groups import class_shares, nested_groups

SIZES = ["tiny", "small", "medium", "large", "huge"]


def cities(n_rows=1000):
    """Return twenty cities in two groups of ten, and the group of each row."""
    rng = np.random.default_rng(0)
    group = rng.permutation(20) < 10
    chosen = rng.integers(0, 20, n_rows)
    names = np.array([f"city {k:02}" for k in range(20)], dtype=object)
    return pd.DataFrame({"city": names[chosen]}), group[chosen].astype(int)


def sizes(values, **more):
    return pd.DataFrame({"size": pd.Categorical(values, SIZES, ordered=True), **more})


def test_twenty_cities_in_two_groups_need_one_test():
    X, y = cities()
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert clf.n_errors_ == 0
    assert clf.proof_ == "Proved optimal over groups of categories by class share: 0 errors"
    space = "37 tests: groups by class share of the 20 categories of 'city'"
    assert str(clf.search_space_) == space
    assert not clf.search_space_.lossless
    assert clf.search_space_.possible_per_column == (2**19 - 1,)
    assert len(clf.tree_.categories[0]) == 10
    assert list(clf.predict(pd.DataFrame({"city": ["unseen", None]}))) == [0, 0]


def test_text_rules_and_alternatives():
    X = pd.DataFrame({"city": ["Bern", "Genf", "Basel", "Zug"] * 3})
    clf = OptimalTreeClassifier(max_depth=1).fit(X, ["fr", "fr", "de", "de"] * 3)
    assert export_text(clf).splitlines() == [
        "city in (Bern, Genf)?",
        "  yes: fr (6 rows, 100%)",
        "  no: de (6 rows, 100%)",
    ]
    assert clf.leaf_rules() == [
        "If city in (Bern, Genf) then fr (6 rows, 100%)",
        "If city not in (Bern, Genf) then de (6 rows, 100%)",
    ]
    assert clf.alternatives_[0].test == "city in (Bern, Genf)?"
    assert "IN ('Bern', 'Genf')" in clf.to_sql()
    assert "x0 in ('Bern', 'Genf')" in clf.to_python()


def test_a_category_with_a_comma_is_quoted_in_a_group():
    city = ["Basel", "Bern, BE", "Genf", "Sion"] * 5
    labels = [name in ("Basel", "Bern, BE") for name in city]
    clf = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"city": city}), labels)
    assert export_text(clf).startswith("city in (Basel, 'Bern, BE')?")
    assert "city not in (Basel, 'Bern, BE')" in str(clf.leaf_rules()[1])


def test_rules_join_the_tests_of_a_column():
    X = pd.DataFrame({"city": list("abcdef") * 2 + [None] * 4})
    y = [0, 1, 2, 0, 1, 2] * 2 + [1] * 4
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert clf.n_errors_ == 0
    rules = [rule.removeprefix("If ").split(" then ") for rule in clf.leaf_rules()]
    assert len(rules) == 3
    for value, label in zip([*"abcdef", None], [*y[:6], 1], strict=True):
        assert [leaf[0] for words, leaf in rules if holds(words, value)] == [str(label)]


def holds(words, value):
    """Return whether a rule about the column city is true of a value."""
    if value is None and words.endswith(" or missing"):
        return True
    for part in words.removesuffix(" or missing").split(" and "):
        verb, _, rest = part.removeprefix("city ").partition(" ")
        if verb == "is":
            true = (value is None) == (rest == "missing")
        else:
            names = rest.removeprefix("in ").strip("()").split(", ")
            true = (value in names) == (verb in ("in", "=="))
        if not true:
            return False
    return True


@pytest.mark.parametrize(
    ("values", "n_tests"),
    [("ab", 1), ("abc", 3), (["a", "b", None], 3), (["a", "b", "c", None], 7), (["a", None], 1)],
)
def test_up_to_three_categories_have_all_tests(values, n_tests):
    X = pd.DataFrame({"x": list(values) * 2})
    space = OptimalTreeClassifier().fit(X, np.arange(len(X)) % 2).search_space_
    assert (space.n_tests, space.lossless) == (n_tests, True)


def test_orders_of_several_classes_have_no_set_twice():
    shares = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.1, 0.3, 0.2, 0.4]])
    assert list(nested_groups(shares, np.arange(4), is_whole=True)) == [((3, 2),), ((3, 1),)]
    assert len(list(nested_groups(shares, np.arange(4), is_whole=False))) == 3


def test_shares_do_not_depend_on_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    place, label, weight = rng.integers(0, 5, 200), rng.integers(0, 3, 200), rng.random(200)
    mixed = rng.permutation(200)
    shares = class_shares(place, label, weight, 5)
    assert (shares == class_shares(place[mixed], label[mixed], weight[mixed], 5)).all()
    assert np.allclose(shares.sum(axis=0), 1)


def test_a_bound_on_categories_is_named_beside_the_groups():
    X = pd.DataFrame({"id": [f"n{k % 300}" for k in range(900)]})
    y = np.random.default_rng(0).integers(0, 2, 900)
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert clf.proof_.startswith(
        "Proved optimal over at most 128 categories per column and groups of categories by class"
    )
    assert "groups by class share of 128 of the 300 categories of 'id'" in str(clf.search_space_)


def test_very_many_categories_are_written_and_read():
    X = pd.DataFrame({"id": [f"n{k}" for k in range(20_000)]})
    clf = OptimalTreeClassifier(max_depth=1).fit(X, np.arange(20_000) % 2)
    twin = OptimalTreeClassifier.from_json(clf.to_json())
    assert twin.search_space_ == clf.search_space_
    assert clf.search_space_.possible_per_column == (2**1000 - 1,)


def test_an_order_needs_one_threshold():
    X = sizes(SIZES * 20)
    y = X["size"] >= "large"
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert clf.n_errors_ == 0
    assert clf.proof_ == "Proved optimal: 0 errors"
    assert export_text(clf).splitlines()[0] == "size <= medium?"
    assert clf.leaf_rules() == [
        "If size <= medium then False (60 rows, 100%)",
        "If size > medium then True (40 rows, 100%)",
    ]
    assert clf.columns_.ordered.tolist() == [True]
    assert clf.predict(pd.DataFrame({"size": ["tiny", "huge", "giant"]})).tolist() == [0, 1, 1]


def test_declared_categories_that_do_not_occur_are_halfway():
    clf = OptimalTreeClassifier(max_depth=1).fit(sizes(["tiny", "huge"] * 3), [0, 1] * 3)
    assert clf.predict(sizes(SIZES)).tolist() == [0, 0, 0, 1, 1]


def test_an_order_with_missing_values():
    X = sizes(["small", "large", None, "huge", "tiny", None])
    clf = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1, 0, 1, 0, 0])
    assert clf.n_errors_ == 0
    assert export_text(clf).splitlines()[0] == "size <= medium or missing?"


def test_intervals_are_ordered_categories():
    numbers = np.linspace(0, 10, 101)
    bins = pd.cut(numbers, [-1, 2, 4, 6, 8, 10])
    for column in (bins, pd.Series(pd.arrays.IntervalArray(bins))):
        X = pd.DataFrame({"n": column})
        clf = OptimalTreeClassifier(max_depth=1).fit(X, numbers > 6)
        assert clf.n_errors_ == 0
        assert export_text(clf).splitlines()[0].startswith("n <= (4")
        assert (clf.predict(X) == (numbers > 6)).all()


def test_enums_of_polars_are_ordered():
    polars = pytest.importorskip("polars")
    values = [*SIZES, None] * 5
    X = polars.DataFrame({"size": polars.Series(values, dtype=polars.Enum(SIZES))})
    y = [value in ("tiny", "small", None) for value in values]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert clf.n_errors_ == 0
    assert (clf.predict(X) == y).all()
    assert export_text(clf).splitlines()[0] == "size <= small or missing?"


def mixed(n_rows=60):
    """Return a table with groups, an order, missing values and labels that need two levels."""
    rng = np.random.default_rng(3)
    city = rng.choice(list("abcdef"), n_rows)
    X = sizes(rng.choice(SIZES, n_rows), city=city.astype(object))
    y = np.where(np.isin(city, ["a", "d", "e"]), X["size"] <= "small", 2).astype(int)
    X.loc[rng.random(n_rows) < 0.2, "city"] = None
    X.loc[rng.random(n_rows) < 0.2, "size"] = None
    return X, y


def test_exports_agree_with_predict():
    X, y = mixed()
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    rows += [["giant", "z"], [None, "z"], ["tiny", None]]
    expected = clf.predict(pd.DataFrame(rows, columns=X.columns)).tolist()
    names = {}
    exec(clf.to_python(), names)
    assert [names["predict"](row) for row in rows] == expected
    twin = OptimalTreeClassifier.from_json(clf.to_json())
    assert twin.predict(pd.DataFrame(rows, columns=X.columns)).tolist() == expected
    assert twin.leaf_rules() == clf.leaf_rules()
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute('CREATE TABLE t ("size", "city")')
        base.executemany("INSERT INTO t VALUES (?, ?)", rows)
        assert [row[-1] for row in base.execute(clf.to_sql("t"))] == expected
    assert "city" in export_graphviz(clf)


def test_a_search_starts_from_a_tree_with_sets(tmp_path):
    X, y = mixed()
    best = OptimalTreeClassifier(max_depth=3).fit(X, y)
    again = OptimalTreeClassifier(max_depth=3, init=best, time_limit=0).fit(X, y)
    assert again.n_errors_ == best.n_errors_
    # The sets are kept among fewer categories, and where the rows come in another order.
    few = OptimalTreeClassifier(max_depth=3, init=best, time_limit=0, max_thresholds=1)
    assert few.fit(X[::-1], y[::-1]).n_errors_ <= best.n_errors_
    search = Search(X, y, max_depth=3, init=best)
    search.save(tmp_path / "state")
    assert Search.load(tmp_path / "state", X, y).run().objective == best.objective_


def test_binarizer_has_groups_if_it_has_labels():
    X = pd.DataFrame({"city": list("abcd") * 2})
    names = ["city == a", "city == b", "city == c", "city == d"]
    alone = Binarizer().fit(X)
    assert alone.get_feature_names_out().tolist() == names
    assert not alone.lossless_
    y = [0, 1, 1, 0] * 2
    grouped = Binarizer().fit(X, y)
    assert grouped.get_feature_names_out().tolist() == [*names, "city in (b, c)"]
    assert grouped.transform(X)[:, -1].tolist() == y
    assert len(Binarizer().fit(X, np.linspace(0, 1, 8)).tests_) == 4
    ordered = Binarizer().fit(sizes(["tiny", "large", None]))
    words = ["size <= small", "size is missing", "size <= small or missing"]
    assert ordered.get_feature_names_out().tolist() == words
    assert ordered.lossless_

"""The report of a study: numbers as computed by hand, all problems shown, all names escaped."""

import csv
import json
import re
import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from beamtree.study import Run, report, run
from beamtree.study.report._doubts import contradictions, unfinished
from beamtree.study.report._figures import ranks_figure, settings
from beamtree.study.report._files import ReportFiles
from beamtree.study.report._ranks import Ranks, _friedman, average_ranks, scores
from beamtree.study.report._styles import FAMILIES, SCHEDULES, is_peer, style
from beamtree.study.report._summary import Summary
from beamtree.study.report._table import Table, text, to_markdown
from beamtree.study.report._tables import integral_tables, ranks_caption, ratio_table, solved_table
from beamtree.study.systems import SYSTEMS
from tests.python.study.study_runs import made, small_campaign, stored

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return the folder of the report of the small campaign."""
    return report(stored(small_campaign(), tmp_path_factory.mktemp("study"))).parent


def shown(table):
    return [[cell.shown for cell in row] for row in table.rows]


# The means of P(T)/T over one dataset, see `small_campaign`. "hard" at 4 s, for example: c45 has
# (1 * 1 + 3 * 0.25) / 4 = 0.4375, dl85 (2 * 1 + 2 * 0.5) / 4 = 0.75, ca-gain-luby
# (1 * 1 + 1 * 0.25) / 4 = 0.3125, beamtree 0.5 / 4 = 0.125.
HARD = """\
### Primal integral, depth 3, 10 s, hard datasets

100 times the mean of P(T)/T over 1 dataset of 2; less is better. As in the paper, without \
the datasets that dl85 proves in less than a second: easy.

| approach | schedule | 0.5 s | 1 s | 2 s | 4 s | 8 s | 10 s |
| :-- | :-- | --: | --: | --: | --: | --: | --: |
| C4.5 |  | **100.00** | 100.00 | 62.50 | 43.75 | 34.38 | 32.50 |
| DL8.5 |  | **100.00** | 100.00 | 100.00 | 75.00 | 50.00 | 45.00 |
| CA-Gain | luby | **100.00** | 100.00 | 62.50 | 31.25 | 15.62 | 12.50 |
| beamtree |  | **100.00** | **50.00** | **25.00** | **12.50** | **6.25** | **5.00** |
"""
# Means of both. "easy" at 10 s: 1, 0.25 / 10, 0.5 / 10, 0.0625 / 10; so c45 has (32.5 + 100) / 2.
ALL = """\
| C4.5 |  | 100.00 | 100.00 | 81.25 | 71.88 | 67.19 | 66.25 |
| DL8.5 |  | 75.00 | 62.50 | 56.25 | 40.62 | 26.56 | 23.75 |
| CA-Gain | luby | 100.00 | 75.00 | 43.75 | 21.88 | 10.94 | 8.75 |
| beamtree |  | **56.25** | **28.12** | **14.06** | **7.03** | **3.52** | **2.81** |
"""
# 5 / 12.5 and 2.8125 / 8.75.
RATIO = """\
| depth | budget | datasets | which | beamtree | others | best | its integral | ratio |
| --: | --: | --: | :-- | --: | :-- | :-- | --: | --: |
| 3 | 10 s | 1 | hard | 5.00 | of the paper | CA-Gain luby | 12.50 | **0.400** |
| 3 | 10 s | 2 | all | 2.81 | of the paper | CA-Gain luby | 8.75 | **0.321** |
"""
# Places on "hard" and "easy": beamtree 1, 1; ca-gain-luby 2, 3; dl85 4, 2; c45 3, 4. Nemenyi for 4
# systems: 2.569 * sqrt(4 * 5 / (6 * 2)). Friedman: 12 / (2 * 4 * 5) * (2^2 + 5^2 + 6^2 + 7^2) -
# 3 * 2 * 5 = 4.2, which chi-square with 3 degrees of freedom exceeds with p = 0.24.
RANKS = """\
Ranks by the primal integral over 2 problems on which all systems have a run (Friedman's test: p = \
0.24). Systems differ at the level 0.05 if their ranks are more than 3.32 apart (Nemenyi). \
Fewer than 5 problems are too few for conclusions.

| system | rank |
| :-- | --: |
| beamtree | **1.00** |
| CA-Gain luby | 2.50 |
| DL8.5 | 3.00 |
| C4.5 | 3.50 |
"""
WINS = """\
| system | C4.5 | DL8.5 | CA-Gain luby | beamtree |
| :-- | :-- | :-- | :-- | :-- |
| C4.5 |  | 1/0/1 | 0/0/2 | 0/0/2 |
| DL8.5 | 1/0/1 |  | 1/0/1 | 0/0/2 |
| CA-Gain luby | **2/0/0** | 1/0/1 |  | 0/0/2 |
| beamtree | **2/0/0** | **2/0/0** | **2/0/0** |  |
"""
SOLVED = """\
| approach | schedule | depth 3, 10 s: of 2 | depth 3, 10 s: of 1 hard |
| :-- | :-- | --: | --: |
| C4.5 |  | 0 | 0 |
| DL8.5 |  | 1 | 0 |
| CA-Gain | luby | **2** | **1** |
| beamtree |  | **2** | **1** |
"""


@pytest.mark.parametrize("part", [HARD, ALL, RATIO, RANKS, WINS, SOLVED])
def test_markdown(written, part):
    assert part in (written / "report.md").read_text()


def test_markdown_has_the_origin_and_no_contradictions(written):
    words = (written / "report.md").read_text()
    assert "Machine: A processor, 2 cores, 16 GiB, Linux 6.1" in words
    assert "Versions: beamtree 0.1.0, python 3.11.7" in words
    assert (
        "    beamtree study run --data DIR --depths 3 --budget 10 "
        "--systems c45 dl85 ca-gain-luby beamtree --out repeated" in words
    )
    assert "ontradiction" not in words
    for figure in re.findall(r"\]\((.*?)\)", words):
        assert (written / figure).stat().st_size > 1000


def test_csv_has_all_digits(written):
    with (written / "integral-depth-3-10s-hard.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["approach"] for row in rows] == ["C4.5", "DL8.5", "CA-Gain", "beamtree"]
    assert [float(row["8 s"]) for row in rows] == [34.375, 50.0, 15.625, 6.25]
    with (written / "runs.csv").open() as file:
        runs = list(csv.DictReader(file))
    assert len(runs) == 8
    found = {(run["dataset"], run["system"]): run for run in runs}
    ours = found["hard", "beamtree"]
    assert float(ours["primal integral"]) == pytest.approx(0.05)
    # 1 until 0.5 s and until the bound is 5 at 0.75 s, (6 - 5) / 6 until 1 s, then 0; of 10 s.
    assert float(ours["gap integral"]) == pytest.approx((0.75 + 0.25 / 6) / 10)
    assert (ours["status"], ours["objective"], ours["memory MB"]) == ("optimal", "6.0", "100.0")


def test_every_table_and_figure_is_a_file(written):
    names = {path.name for path in written.iterdir()}
    tables = [
        "best",
        "ratio",
        "runs",
        "solved",
        "ranks-10s",
        "wins-10s",
        "integral-depth-3-10s-all",
    ]
    figures = ["solved-depth-3-10s", "error-depth-3-10s", "ranks-10s"]
    assert {f"{name}.csv" for name in tables} | {"index.html", "report.md"} <= names
    assert {f"{name}.{form}" for name in figures for form in ("png", "svg")} <= names


def test_the_same_runs_give_the_same_files(written, tmp_path):
    again = report(stored(small_campaign(), tmp_path / "study"), out=tmp_path / "out").parent
    assert again == tmp_path / "out"
    for path in written.iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_commands_are_complete(tmp_path, monkeypatch):
    """Every option of `run` that is not the default is in the report, as it is typed in a shell."""
    monkeypatch.setattr("beamtree.study._cores.lock_folder", lambda: tmp_path / "cores")
    folder = tmp_path / "my data"
    folder.mkdir()
    (folder / "or.csv").write_text("a,b,class\n0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n")
    options = {"depths": [1, 1], "target": "class", "systems": ["c4*"], "jobs": -1, "seed": 7}
    out = run(folder, out=tmp_path / "out", budget=9.5, **options)
    stored(small_campaign()[:1], out)  # by an older version
    words = report(out).parent.joinpath("report.md").read_text()
    known, unknown = re.findall("^    beamtree (.*)$", words, re.MULTILINE)
    assert known == (
        f"study run --data '{folder}' --target class --depths 1 --budget 9.5 --systems c45 "
        "--jobs -1 --seed 7 --out repeated"
    )
    assert unknown == ("study run --data DIR --depths 3 --budget 10 --systems c45 --out repeated")


def test_runs_of_older_versions_name_no_command():
    line = json.loads(small_campaign()[0].as_line())
    del line["command"]
    assert Run.from_line(json.dumps(line)) == small_campaign()[0]


def test_old_files_of_a_report_go(tmp_path):
    """Only files that a report made, and that nobody has changed since."""
    out = tmp_path / "out"
    others = [replace(run, depth=4) for run in small_campaign()]
    report(stored([*small_campaign(), *others], tmp_path / "both"), out=out)
    before = {path.name for path in out.iterdir()}
    changed, notes = out / "solved-depth-4-10s.svg", out / "integral-depth-9-10s-all.csv"
    changed.write_text("with my own colours")
    notes.write_text("my own notes")
    report(stored(small_campaign(), tmp_path / "one"), out=out)
    after = {path.name for path in out.iterdir()}
    gone = before - after
    assert "error-depth-4-10s.png" in gone
    assert "integral-depth-4-10s-all.csv" in gone
    assert all("depth-4" in name for name in gone)
    assert {name for name in after if "depth-4" in name} == {changed.name}
    assert notes.read_text() == "my own notes"


@pytest.mark.parametrize(
    "listed",
    ["no list", "[1]", '{"../own.txt": "DIGEST", "/etc/x": "DIGEST", "sub": "DIGEST", "own": 1}'],
)
def test_a_list_of_files_that_no_report_wrote_does_no_harm(tmp_path, listed):
    out = tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    own = tmp_path / "own.txt"
    own.write_text("own")
    (out / "files.json").write_text(listed.replace("DIGEST", sha256(b"own").hexdigest()))
    files = ReportFiles(out)
    files.write("index.html", b"own")
    files.finish()
    assert own.exists()
    assert (out / "sub").is_dir()
    assert list(json.loads((out / "files.json").read_text())) == ["index.html"]


# --- Contradictions, failures and missing runs


def test_contradictions():
    runs = [
        made("anneal", "beamtree", "time_limit", 91.0, 10.0, [(0.1, 91, 50)]),
        made("anneal", "pytrees-rs", "optimal", 92.0, 0.5),
        made("anneal", "pystreed", "time_limit", 93.0, 10.0, lower_bound=91.5),
        made("anneal", "dl85", "time_limit", 95.0, 10.0, [(1, 90, 0), (2, 94, 0)]),
        made("anneal", "c45", "finished", 99.0, 0.1, data_hash="another"),
    ]
    summary = Summary(runs)
    found = contradictions(summary)
    assert len(found) == 4
    assert (
        "anneal, depth 3: pytrees-rs (10 s) claims optimal with 92, but beamtree has a tree of 91"
        in found
    )
    assert (
        "anneal, depth 3: pystreed (10 s) has the lower bound 91.5, but beamtree has a tree of 91"
        in found
    )
    assert "anneal, depth 3: dl85 (10 s) reported 90, but its last tree has 95" in found
    assert "anneal: 2 different tables have this name" in found
    assert summary.best == {("anneal", 3): 91.0}
    # A refuted claim does not count as a proof.
    solved = {row[0].shown: row[2].value for row in solved_table(summary.groups).rows}
    assert solved["pytrees-rs"] == 0


def test_contradictions_come_first(tmp_path):
    runs = [made("a", "dl85", "optimal", 9.0, 0.5), made("a", "beamtree", "optimal", 8.0, 0.1)]
    page = report(stored(runs, tmp_path))
    html, words = page.read_text(), page.with_name("report.md").read_text()
    line = "dl85 (10 s) claims optimal with 9, but beamtree has a tree of 8"
    assert html.index(line) < html.index("<main>")
    assert 'class="alarm"' in html
    assert words.index(line) < words.index("Primal integral")


def test_a_refuted_claim_does_not_make_a_dataset_easy():
    runs = [made("a", "dl85", "optimal", 9.0, 0.5), made("a", "beamtree", "optimal", 8.0, 0.1)]
    (group,) = Summary(runs).groups
    assert group.quick == frozenset()


def test_failed_and_killed_runs():
    runs = small_campaign()
    runs[3] = replace(runs[3], status="failed", objective=None, failure="out of memory")
    runs[2] = replace(runs[2], status="killed", objective=None)
    summary = Summary(runs)
    hard = integral_tables(summary.groups[0])[0]
    assert shown(hard)[3] == ["beamtree", "", *["100.00"] * 6]
    # It reported 8 after 1 s and 6 later. The best rescored tree has 8, and no gap is below 0.
    assert shown(hard)[2][-1] == "10.00"
    killed, failed = unfinished(summary)
    assert killed.startswith("hard, depth 3: ca-gain-luby (10 s) was killed after its budget")
    assert failed == "hard, depth 3: beamtree (10 s) failed and counts as a gap of 1: out of memory"


def test_a_tree_that_was_not_rescored_is_not_the_best():
    """A killed run reported 2; the best rescored tree has 5, which is no contradiction."""
    runs = [made("a", "dl85", "optimal", 5.0, 0.5), made("a", "pytrees-rs", "killed", 2.0, 12.0)]
    summary = Summary(runs)
    assert summary.best == {("a", 3): 5.0}
    assert contradictions(summary) == []


def test_without_any_tree():
    (group,) = Summary([made("a", "dl85", "failed", None, 1.0, failure="x")]).groups
    assert shown(integral_tables(group)[1])[0][2:] == ["100.00"] * 6


def test_missing_runs_are_listed():
    runs = [run for run in small_campaign() if (run.dataset, run.system) != ("easy", "c45")]
    (group,) = Summary(runs).groups
    hard, everything = integral_tables(group)
    assert "missing" not in hard.caption
    assert everything.caption == (
        "100 times the mean of P(T)/T over 1 dataset of 2; less is better. All datasets. Runs are "
        "missing (c45: easy). Only the datasets on which all systems have a run are counted."
    )
    assert [cell.shown for cell in everything.rows[0]][-1] == "32.50"
    assert "At depth 3, 10 s: Runs are missing (c45: easy)." in solved_table([group]).caption


def test_no_dataset_has_all_systems():
    keep = {("hard", "c45"), ("easy", "beamtree"), ("easy", "dl85")}
    runs = [run for run in small_campaign() if (run.dataset, run.system) in keep]
    (group,) = Summary(runs).groups
    hard, everything = integral_tables(group)
    assert "No dataset has runs of all systems: each mean is over" in everything.caption
    assert shown(everything)[0][0] == "C4.5 (1 of 2 datasets)"
    assert shown(hard)[2] == ["beamtree (0 of 1 datasets)", "", *["-"] * 6]
    assert ratio_table([group]).rows == ()
    assert average_ranks([group]) is None


def test_no_dataset_is_hard():
    runs = [run for run in small_campaign() if run.dataset == "easy"]
    hard, everything = integral_tables(Summary(runs).groups[0])
    assert hard.caption.startswith("No dataset is left. As in the paper, without the datasets that")
    assert "|" not in to_markdown(hard)
    assert len(everything.rows) == 4


def test_without_dl85_the_caption_says_so():
    runs = [run for run in small_campaign() if run.system != "dl85"]
    hard = integral_tables(Summary(runs).groups[0])[0]
    assert "over 2 datasets of 2" in hard.caption
    assert "These datasets have no run of dl85 and are kept: easy, hard." in hard.caption


def test_every_budget_has_its_tables_and_the_best_is_over_all():
    longer = [replace(run, budget=300.0) for run in small_campaign()]
    longer[3] = replace(longer[3], objective=4.0, lower_bound=4.0)
    summary = Summary([*small_campaign(), *longer])
    assert [group.name for group in summary.groups] == ["depth-3-10s", "depth-3-300s"]
    assert summary.groups[1].times == [15, 30, 60, 120, 240, 300]
    assert summary.best["hard", 3] == 4.0
    # If the best objective is 4, an objective of 6 has the gap 1/3 from 0.5 s on.
    ours = integral_tables(summary.groups[0])[0].rows[3]
    assert ours[-1].value == pytest.approx(100 * (0.5 + 9.5 / 3) / 10)


def test_seeds_are_averaged():
    other = replace(small_campaign()[0], seed=1, seconds=2.0)
    (group,) = Summary([*small_campaign(), other]).groups
    # (1 + 9 * 0.25) / 10 with one seed, (2 + 8 * 0.25) / 10 with the other.
    assert group.mean("c45", ["hard"])[-1] == pytest.approx((32.5 + 40.0) / 2)


def test_peers_have_a_ratio_of_their_own():
    runs = small_campaign() + [
        replace(run, system="pystreed") for run in small_campaign() if run.system == "beamtree"
    ]
    rows = shown(ratio_table(Summary(runs).groups))
    assert [row[5:7] for row in rows[:2]] == [["of the paper", "CA-Gain luby"], ["all", "pystreed"]]
    assert rows[1][-1] == "1.000"


# --- Ranks


def test_equal_integrals_are_a_draw():
    twins = [replace(run, system="lgdt") for run in small_campaign() if run.system == "beamtree"]
    groups = Summary([*small_campaign(), *twins]).groups
    assert scores(groups)["lgdt", "beamtree"] == (0, 2, 0)
    ranks = average_ranks(groups)
    assert dict(zip(ranks.systems, ranks.ranks, strict=True))["lgdt"] == 1.5


def test_friedman_agrees_with_scipy():
    ranked = np.array([[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4], [1.5, 1.5, 3, 4]])
    assert _friedman(ranked) == pytest.approx(friedmanchisquare(*ranked.T).pvalue)
    assert _friedman(np.full((3, 4), 2.5)) == 1.0


def test_cliques_are_the_longest():
    # 1 to 1.8 and 1.5 to 2.5 are within 1; 4 is alone, and 1.8 to 2.5 is within the second.
    ranks = Ranks(("a", "b", "c", "d", "e"), (1.0, 1.5, 1.8, 2.5, 4.0), 9, 1.0, 0.01)
    assert ranks.cliques == [(0, 2), (1, 3)]
    assert "too few" not in ranks_caption(ranks)


# --- Names


def test_every_system_of_the_study_has_a_style():
    looks = set()
    for name in SYSTEMS:
        family = name.rsplit("-", 1)[0] if name.endswith(SCHEDULES) else name
        assert family in FAMILIES, name
        looks.add((style(name).colour, style(name).dashes))
    assert len(looks) == len(SYSTEMS)


def test_systems_that_differ_in_more_than_their_settings_have_different_colours():
    assert style("c45").colour != style("dl85").colour == style("lds-dl85").colour
    # In the figure of the ranks, all lines are solid.
    with settings() as figure:
        drawn = ranks_figure(figure, Ranks(("c45", "dl85"), (1.0, 2.0), 9, 0.5, 0.1), "")
    colours = [line.get_color() for line in drawn.axes[0].lines if len(line.get_xdata()) == 3]
    assert colours == [style("c45").colour, style("dl85").colour]


def test_a_system_of_the_users_own():
    assert style("my.module:solve").label == "my.module:solve"
    assert is_peer("my.module:solve")
    assert not is_peer("ca-top-k-star-luby")


NASTY = ['<script>alert("x")</script>', "</script><img src=x onerror=alert(1)>", "a|b *c* $x$ & d"]


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    runs = [
        replace(run, dataset=name, failure=name if run.system == "c45" else None)
        for name in NASTY
        for run in small_campaign()[:4]
    ]
    runs = [replace(run, status="failed") if run.system == "c45" else run for run in runs]
    return report(stored(runs, tmp_path_factory.mktemp("nasty")))


def test_names_are_escaped(nasty):
    html = nasty.read_text()
    assert "<script>alert" not in html
    assert "<img" not in html
    assert html.count("<script") == html.count("</script") == 2
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html).group(1)
    panels = json.loads(data)["charts"]["error-depth-3-10s"]["panels"]
    assert [panel["name"] for panel in panels] == sorted(NASTY)


def test_names_are_escaped_in_markdown(nasty):
    words = nasty.with_name("report.md").read_text()
    assert "<script" not in words
    assert r"a\|b \*c\* $x$ &amp; d" in words
    table = to_markdown(Table("t", "t", "", ("a",), ((text("x\ny|z"),),)))
    assert r"| x y\|z |" in table


# --- Bad input


def test_a_campaign_without_runs(tmp_path):
    stored([], tmp_path)
    with pytest.raises(ValueError, match="folder must hold at least one finished run, got"):
        report(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        report(tmp_path / "nowhere")


def test_a_missing_package_is_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"report needs jinja2: pip install beamtree\[study\]"):
        report(stored(small_campaign(), tmp_path))
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("budget", [0.01, 0.5, 10.0, 3600.0])
def test_the_axis_of_time_begins_before_it_ends(budget):
    runs = [replace(run, budget=budget) for run in small_campaign()]
    (group,) = Summary(runs).groups
    assert 1e-4 <= group.start([]) <= budget / 100
    assert group.start([0.0, 5.0]) == 1e-4
    assert group.start([0.002]) == min(0.002, budget / 100)

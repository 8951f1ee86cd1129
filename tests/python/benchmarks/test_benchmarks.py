"""The benchmarks run on tiny data, without other solvers, and notice what is wrong.

Every run of a solver starts a process, so that most scripts run as a whole only in `make soak`.
"""

import gzip
import importlib
import json
import os
import re
import runpy
import stat
import subprocess
import sys
from time import perf_counter

import numpy as np
import pytest

from tests import ROOT

FOLDER = ROOT / "benchmarks"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


@pytest.fixture
def data(tmp_path):
    """Return a folder with one dataset as text and one compressed."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "data"
    folder.mkdir()
    X = rng.integers(0, 2, (60, 6))
    table = np.column_stack([X[:, 0] ^ X[:, 1], X])
    np.savetxt(folder / "xor.txt", table, fmt="%d")
    table[:, 0] = rng.integers(0, 3, 60)
    with gzip.open(folder / "noise.txt.gz", "wt") as file:
        np.savetxt(file, table, fmt="%d")
    return folder


def run(script, *arguments):
    """Run a benchmark and return its output."""
    command = [sys.executable, str(FOLDER / script), "--repeats", "1", "--limit", "20"]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_every_script_has_help(script, monkeypatch, capsys):
    """A script with help has working imports, too."""
    if "plot" in script.stem:
        pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.startswith("usage: ")


def test_proof_time(data, tmp_path):
    file = tmp_path / "out.json"
    output = run(
        "proof_time.py", "--depths", 2, "--data", data, "--peers", "greedy", "--json", file
    )
    assert "no disagreements" in output
    content = json.loads(file.read_text())
    optima = {(p["dataset"], p["depth"]): p["optimum"] for p in content["problems"]}
    assert list(optima) == [("noise", 2), ("xor", 2)]
    assert optima["xor", 2] == "0"
    assert str(tmp_path) not in json.dumps(content)
    run_of = content["problems"][0]["solvers"]["beamtree"]["runs"][0]
    assert run_of["optimal"]
    assert run_of["errors"] == run_of["found"] == run_of["lower"]
    assert run_of["seconds"] > 0


def test_an_executable_beside(data, tmp_path):
    """The benchmark notices an executable that claims one error less than its tree has."""
    script = tmp_path / "claims.sh"
    script.write_text('#!/bin/sh\necho "first line"\necho "xor d2 t=0.004 err=-1 opt=1 tree=0"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    chosen = ("--data", data, "--only", "xor", "--peers")
    output = run("proof_time.py", "--depths", 2, *chosen, "--sketch", script)
    assert "beamtree claims that 0 is optimal, sketch has -1" in output


def test_two_builds(data, tmp_path):
    """Compare this build with itself, so that the ratios are noise."""
    file = tmp_path / "out.json"
    chosen = ("--depths", 2, "--data", data, "--only", "xor", "--json", file)
    output = run("proof_time.py", *chosen, "--against", sys.executable)
    assert "Both are the same build" in output
    assert "no problem that both proved took the older build 5 ms or more" in output
    assert "no disagreements" in output
    content = json.loads(file.read_text())
    [problem] = content["problems"]
    assert problem["ratio"] > 0
    assert problem["solvers"].keys() == {"new", "old"}
    assert problem["solvers"]["old"]["runs"][0]["solves"] > 1
    assert str(tmp_path) not in json.dumps(content)
    assert sys.executable not in json.dumps(content)


def test_an_environment_without_beamtree(tmp_path):
    builds = importlib.import_module("_builds")
    with pytest.raises(SystemExit, match="neither an interpreter nor the folder of an environment"):
        builds.interpreter(tmp_path)
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "ModuleNotFoundError: beamtree" >&2\nexit 1\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    assert builds.interpreter(tmp_path) == builds.interpreter(python) == str(python)
    with pytest.raises(SystemExit, match="has no beamtree that can be imported: ModuleNotFound"):
        builds.found(tmp_path)


def test_a_build_is_what_is_installed(tmp_path, monkeypatch):
    """A build is not replaced by a package in PYTHONPATH or in the current folder."""
    builds, runner = importlib.import_module("_builds"), importlib.import_module("_runner")
    data = importlib.import_module("_data").correlated(50, 5)
    other = tmp_path / "beamtree"
    other.mkdir()
    (other / "__init__.py").write_text("raise ImportError('not this one')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    new = builds.build("new", sys.executable)
    assert str(tmp_path) not in new.place
    jobs = [new, runner.Job("beamtree")]
    found = runner.Runner(limit=20.0, repeats=1).compare(jobs, data, 2)
    assert found["new"].optimal
    assert "not this one" in found["beamtree"].failure


def test_ratios_of_builds():
    builds = importlib.import_module("_builds")

    def both(new, old, optimal=True):
        def runs(name, seconds):
            found = [measured(name, s, 5, optimal, cpu_seconds=s) for s in seconds]
            found[0].runs = [run for one in found for run in one.runs]
            return found[0]

        return {"new": runs("new", new), "old": runs("old", old)}

    noisy = both([0.3, 0.22, 0.4], [0.1, 0.2, 0.2])
    assert builds.ratio(**noisy) == pytest.approx(2.2)
    assert builds.spread_of(**noisy) == pytest.approx((3 - 1.1) / 2)
    unproved = both([0.1], [0.1], optimal=False)
    assert builds.ratio(**unproved) is builds.spread_of(**unproved) is None
    fast, halved, quadrupled = both([0.1], [0.001]), both([0.1], [0.2]), both([0.4], [0.1])
    problems = [("a", fast), ("b", halved), ("c", quadrupled), ("d", unproved)]
    line = builds.mean_line(problems)
    assert line.startswith("new/old: 1.414 (geometric mean of 2 problems")
    assert line.endswith("smallest 0.500 (b), largest 4.000 (c)")


def same_search(*arguments):
    """Run the comparison of searches, and return its exit code and its output."""
    command = [sys.executable, str(FOLDER / "same_search.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def test_same_search(data, tmp_path):
    """Two runs agree, and a change by hand is found."""
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    chosen = ("--data", data, "--depths", 3, 5)
    assert same_search(*chosen, "--out", first) == (0, "")
    assert same_search(*chosen, "--out", second, "--against", first) == (0, "no line differs\n")
    assert first.read_text() == second.read_text()
    lines = first.read_text().splitlines()
    assert "raised" not in first.read_text()
    assert re.fullmatch(r"\d+ searches, sha256 [0-9a-f]{64}", lines[-1])
    names = {line.split("\t")[2] for line in lines[:-1]}
    module = importlib.import_module("same_search")
    assert names >= {"data", "default", *(variant.name for variant in module.variants())}

    line = next(line for line in lines if line.startswith("xor\t3\tdefault\t"))
    assert "optimal\tnodes=" in line
    assert "\tobjective=0.0\tlower_bound=0.0\ttree=" in line
    first.write_text(
        first.read_text().replace(line, line.replace("objective=0.0", "objective=1.0"))
    )
    chosen = ("--data", data, "--only", "xor", "--depths", 3, "--variants", "default")
    code, output = same_search(*chosen, "--against", first)
    assert code == 1
    assert f"+ {line}\n" in output
    assert output.endswith("1 of 2 lines differ\n")


def test_searches_cover_every_variant():
    """The default runs on every dataset and depth, and every variant on at least three datasets."""
    module = importlib.import_module("same_search")
    problems = module.packaged()
    assert len(problems) == 17
    assert sum(problem.classes > 2 for problem in problems) >= 5
    met = {}
    for problem, depth, variant in module.plan(problems, module.DEPTHS):
        met.setdefault(variant.name, set()).add((problem.name, depth))
    assert len(met["default"]) == 17 * 5
    for places in met.values():
        assert len({name for name, _ in places}) >= 3
        assert {depth for _, depth in places} == {3, 4, 5, 6, 7}


@pytest.mark.soak
def test_scaling():
    output = run("scaling.py", "--depths", 1, "--rows", 50, 100, "--features", "--peers")
    assert "100 x 50" in output
    assert "no disagreements" in output


@pytest.mark.soak
def test_weights(data, tmp_path):
    file = tmp_path / "out.json"
    run("weights.py", "--depths", 2, "--data", data, "--only", "xor", "--json", file)
    for problem in json.loads(file.read_text())["problems"]:
        assert problem["ratios"].keys() == {"unit", "8 bits", "real"}
        solvers = problem["solvers"]
        assert solvers["unit"]["found"] == solvers["none"]["found"]


@pytest.mark.soak
def test_real_weights(data, tmp_path):
    file = tmp_path / "out.json"
    given = ("--depths", 2, "--repeats", 1, "--data", data, "--only", "xor", "--json", file)
    assert "as it is: " in run("real_weights.py", *given)
    for problem in json.loads(file.read_text())["problems"]:
        assert problem["rounding"]["as it is"] < 1e-9
        assert problem["seconds"].keys() >= {"15 bits", "as it is"}


@pytest.mark.soak
def test_classes():
    output = run("classes.py", "--depths", 1, "--only", "iris", "--peers")
    assert "| iris " in output


@pytest.mark.soak
def test_thresholds(tmp_path):
    rng = np.random.default_rng(0)
    folder, file = tmp_path / "data", tmp_path / "out.json"
    folder.mkdir()
    X = rng.normal(size=(80, 3)).round(1)
    inside = (X[:, 1] > 0) & (X[:, 1] <= 0.75)
    np.savetxt(folder / "numeric-band.txt", np.column_stack([inside, X]))
    np.savetxt(folder / "other.txt", np.column_stack([inside, X]))
    chosen = ("--data", folder, "--only", "iris", "numeric-band")
    output = run("thresholds.py", *chosen, "--depths", 2, "--peers", "greedy", "--json", file)
    assert "no disagreements" in output
    problems = {p["dataset"]: p for p in json.loads(file.read_text())["problems"]}
    assert problems.keys() == {"iris", "numeric-band"}
    assert problems["numeric-band"]["optimum"] == "0"
    assert problems["numeric-band"]["features"] == 3
    assert problems["iris"]["optimum"] == "6"
    for solvers in (problem["solvers"] for problem in problems.values()):
        assert solvers["beamtree"]["optimal"]
        assert solvers["beamtree"]["found"] <= solvers["greedy"]["found"]


@pytest.mark.soak
def test_thresholds_over_time():
    chosen = ("--anytime", "--only", "iris", "--depths", 3, "--peers", "greedy")
    output = run("thresholds.py", *chosen)
    assert "| iris " in output
    assert "at some time more errors than over 32 per column: 0 of 1" in output
    assert "more errors after 1 s than greedy after 20 s: 0 of 1" in output


@pytest.mark.soak
def test_thresholds_of_many_rows():
    output = run("thresholds.py", "--rows", 300, "--depths", 1, "--repeats", 1)
    assert " optimal |" in output


def measured(name, seconds, found, optimal, **more):
    runner = importlib.import_module("_runner")
    run = {"seconds": seconds, "growth_bytes": 1 << 20, "found": found, "optimal": optimal}
    return runner.Measured(name, 10.0, [run | {"errors": found, "lower": None} | more])


def test_ratios_and_their_bounds():
    report = importlib.import_module("_report")
    ours, slow = measured("beamtree", 0.1, 5, True), measured("peer", 2.0, 5, True)
    late, quick = measured("peer", 10.1, 6, False), measured("peer", 0.01, 5, True)
    assert report.ratio_cell(ours, slow) == "20.0"
    assert report.ratio_cell(ours, late) == ">101.0"
    assert report.ratio_cell(late, ours) == "<0.0"
    assert report.seconds(late) == ">10"
    pairs = [("a", ours, slow), ("b", ours, late), ("c", ours, quick)]
    found = report.compared("peer", pairs)
    assert (found["problems"], found["stopped"], found["where"]) == (2, 1, "a")
    line = report.summary("peer", found)
    assert "44.9 times faster" in line
    assert "of 2 problems" in line
    assert "smallest 20.0 (a)" in line
    assert report.compared("peer", pairs[2:]) is None
    assert report.summary("peer", None) == "peer: no problem took it 50 ms or more"


def test_disagreements():
    report = importlib.import_module("_report")
    good = measured("beamtree", 0.1, 5, True, lower=5)
    assert report.disagreements("x", {"beamtree": good, "peer": measured("peer", 1, 5, True)}) == []
    wrong = measured("peer", 1, 6, True)
    liar = measured("liar", 1, 5, True, errors=4)
    better = measured("better", 1, 4, False)
    found = report.disagreements("x", {"peer": wrong, "liar": liar})
    assert found == [
        "x: liar claims 4 errors, its tree makes 5",
        "x: peer claims that 6 is optimal, liar has 5",
    ]
    found = report.disagreements("x", {"beamtree": good, "better": better})
    assert found == [
        "x: beamtree claims at least 5, better has 4",
        "x: beamtree claims that 5 is optimal, better has 4",
    ]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no pinning on this system")
def test_all_run_on_one_core():
    runner = importlib.import_module("_runner").Runner()
    assert runner.core in os.sched_getaffinity(0)


def test_generated_data_is_the_same_every_time():
    make = importlib.import_module("_data").correlated
    first, second = make(500, 23), make(500, 23)
    assert first.X.shape == (500, 23)
    np.testing.assert_array_equal(first.X, second.X)
    assert 0.2 < first.y.mean() < 0.8
    assert make(500, 23, seed=2).y.tolist() != first.y.tolist()


def test_generated_sequences():
    make = importlib.import_module("_data").sequences
    data = make(400, 255)
    np.testing.assert_array_equal(data.X, make(400, 255).X)
    np.testing.assert_array_equal(data.y, make(400, 255).y)
    assert (make(400, 255, seed=2).X != data.X).any()
    assert data.X.shape == (400, 255)
    assert data.X.dtype == np.uint8
    assert 0.3 < data.y.mean() < 0.7
    bases = data.X[:, :252].reshape(400, 63, 4)
    assert (bases.sum(axis=2) == 1).all()  # one base at each position
    clean = make(400, 255, noise=0.0)
    assert 0 < (clean.y != data.y).mean() < 0.15
    middle = clean.X[:, 4 * 26 : 4 * 38]
    inside = np.abs(np.corrcoef(middle.T, clean.y)[-1, :-1]).max()
    outside = np.abs(np.corrcoef(clean.X[:, :100].T, clean.y)[-1, :-1]).max()
    assert inside > 2 * outside
    with pytest.raises(ValueError, match="12 positions"):
        make(400, 44)


def anytime_run(trace, seconds=5.0, found=4.0, **more):
    run = {"seconds": seconds, "growth_bytes": 1 << 20, "found": found, "optimal": False}
    return run | {"errors": int(found), "trace": trace} | more


def traced(*runs, name="peer", limit=5.0):
    return importlib.import_module("_runner").Measured(name, limit, list(runs))


def test_value_at_a_time():
    trace = importlib.import_module("_trace")
    rows = [[0.01, 9.0, 0.0], [0.2, 6.0, 0.0], [0.2, 5.0, 2.0], [4.0, 4.0, 3.0]]
    assert trace.row_at(rows, 0.001) is None
    assert trace.row_at(rows, 0.01) == rows[0]
    assert trace.row_at(rows, 0.2) == rows[2]
    one = traced(anytime_run(rows))
    assert trace.error_at(one, 0.001) is None
    assert [trace.error_at(one, t) for t in (0.05, 0.2, 3.9, 4.0, 60.0)] == [9, 5, 5, 4, 4]
    assert [trace.share_at(one, t) for t in (0.001, 0.2, 5.0)] == [0, 0.4, 0.75]
    assert trace.first_tree(one) == 0.01
    assert trace.error_at(traced(), 1.0) is None
    assert trace.share_at(traced(), 1.0) is None


def test_the_last_tree_counts_at_the_limit():
    """The last tree was found while the solver stopped, a little after the limit."""
    trace = importlib.import_module("_trace")
    late = traced(anytime_run([[0.5, 9.0, None]], seconds=5.2, found=7.0))
    assert trace.error_at(late, 4.9) == 9
    assert trace.error_at(late, 5.0) == 7
    assert trace.share_at(late, 5.0) == 0
    greedy = traced(anytime_run([], seconds=0.02, found=8.0))
    assert trace.error_at(greedy, 0.01) is None
    assert trace.error_at(greedy, 0.02) == 8


def test_a_proof_has_a_share_of_one():
    trace = importlib.import_module("_trace")
    done = anytime_run([[0.1, 2.0, 0.0]], seconds=0.5, found=0.0, optimal=True)
    assert [trace.share_at(traced(done), t) for t in (0.2, 0.5)] == [0, 1]


def test_the_median_of_the_runs():
    trace = importlib.import_module("_trace")
    runs = [anytime_run([[t, 9.0, 0.0]], found=4.0) for t in (0.1, 0.2, 0.3)]
    assert trace.error_at(traced(*runs), 0.15) is None
    assert trace.error_at(traced(*runs), 0.25) == 9


def test_contradicted_reports_do_not_count():
    trace = importlib.import_module("_trace")
    liar = traced(anytime_run([[0.1, 9.0, None], [0.2, 6.0, None]], found=8.0))
    assert [trace.error_at(liar, t) for t in (0.1, 0.3, 5.0)] == [9, 8, 8]
    assert trace.contradicted(liar)
    assert trace.contradictions("x", liar) == ["x: peer reported 6 errors, its last tree makes 8"]
    assert trace.reported(liar.runs[0]) == 6
    assert not trace.contradicted(traced(anytime_run([[0.1, 9.0, None]])))


def problem(name, ours, theirs):
    """Return a problem of anytime.py with times 0.3 and 5 s."""
    anytime, data = importlib.import_module("anytime"), importlib.import_module("_data")
    table = data.Data(name, np.zeros((2, 1), np.uint8), np.array([0, 1], np.int32))
    measured = {
        "beamtree": traced(ours, name="beamtree"),
        "peer": traced(*([theirs] if theirs else [])),
    }
    return anytime.Problem(table, 6, measured, [0.3, 5.0])


def test_anytime_shares():
    anytime = importlib.import_module("anytime")
    lower = {"lower": 4.0}
    proved = anytime_run([[0.1, 5.0, 0.0]], seconds=2.0, found=4.0, optimal=True, **lower)
    problems = [
        problem("a", proved, anytime_run([[0.1, 9.0, None]], found=5.0)),
        problem("b", proved, anytime_run([[0.1, 9.0, None]], found=4.0)),
        # the reported 4 counts, although the last tree has 9
        problem("c", proved, anytime_run([[0.1, 4.0, None]], found=9.0)),
        problem("d", anytime_run([[0.1, 8.0, 2.0]], found=8.0), None),
    ]
    line = anytime.early_line(problems, [0.3, 5.0], 5.0)
    assert "on 1 of 3 problems (33%)" in line
    assert "above: b, depth 6 (5, best peer 4), c, depth 6 (5, best peer 4)" in line
    assert problems[0].gaps("beamtree") == [0.2, 0]
    assert problems[0].gaps("peer") == [5 / 9, 0.2]
    assert problems[3].gaps("peer") == [1, 1]
    assert anytime.cells(problems[0], 0) == "5 / 9"
    assert anytime.cells(problems[2], 0) == "5 / 9*"
    assert anytime.cells(problems[3], 1) == "8 / -"
    line = anytime.proof_line(problems, 6, 5.0)
    assert "3 of 4 proved within 5 s, median 2.00 s" in line
    assert line.endswith("bounds of the others: d (25% of 8)")


def test_restart_ratios():
    restarts = importlib.import_module("restarts")
    pair = (restarts.DEFAULT, restarts.SINGLE_PASS)
    found = {"default": measured("default", 0.3, 5, True)}
    found["one pass"] = measured("one pass", 0.2, 5, True)
    assert restarts.compared(found, *pair) == pytest.approx(1.5)
    found["one pass"] = measured("one pass", 0.04, 5, True)
    assert restarts.compared(found, *pair) is None
    line = restarts.mean_line("x", [(2.0, "a"), (0.5, "b"), (None, "c")])
    assert line == "x: 1.00 times (geometric mean of 2 problems; largest 2.00, a)"
    assert "no problem" in restarts.mean_line("x", [(None, "c")])


def test_error_ratio():
    ratio = importlib.import_module("width").error_ratio
    assert ratio(5, 10) == 0.5
    assert ratio(0, 10) == 0
    assert ratio(0, 0) is ratio(None, 3) is None


@pytest.mark.soak
def test_anytime(data, tmp_path):
    file = tmp_path / "out.json"
    output = run("anytime.py", "--depths", 4, "--data", data, "--peers", "greedy", "--json", file)
    assert "no disagreements" in output
    assert "depth 4: 2 of 2 proved within 20 s" in output
    content = json.loads(file.read_text())
    assert content["times"] == [0.03, 0.1, 0.3, 1, 3, 10, 20]
    for shown in content["problems"]:
        ours = shown["solvers"]["beamtree"]["runs"][0]
        assert ours["trace"][-1][1:] == [ours["found"], ours["found"]]
        assert ours["trace"][-1][0] > 0
        assert shown["bound_share"][-1] == 1
        assert shown["errors"]["greedy"][-1] >= ours["found"]
    assert str(tmp_path) not in json.dumps(content)

    pytest.importorskip("matplotlib")
    picture = tmp_path / "out.svg"
    command = [sys.executable, str(FOLDER / "plot_anytime.py"), str(file), str(picture)]
    subprocess.run(command, check=True)
    assert "<svg" in picture.read_text()


def test_reports_of_other_solvers_during_a_run():
    class Model:
        def fit(self, *_):
            print("After 0.1 seconds (3 terminal calls) Solution =   112")
            print("Total time elapsed: 0.2")

    solvers = importlib.import_module("_solvers")
    peer = object.__new__(solvers.Pystreed)
    peer.model = Model()
    begin = perf_counter()
    peer.fit(None, None, None)
    [[when, errors, lower]] = peer.improvements(begin)
    assert 0.0 < when <= perf_counter() - begin
    assert (errors, lower) == (112, None)


@pytest.mark.soak
def test_restarts_gap_and_width(data, tmp_path):
    file = tmp_path / "out.json"
    chosen = ("--data", data, "--only", "noise", "--json", file)
    output = run("restarts.py", "--depths", 3, *chosen, "--probing")
    assert "no problem took 50 ms" in output
    solvers = json.loads(file.read_text())["problems"][0]["solvers"]
    assert solvers.keys() == {"default", "one pass", "no probing"}
    assert len({solver["found"] for solver in solvers.values()}) == 1

    run("gap.py", "--depths", 4, *chosen, "--times", 0.0, 1.0)
    shares = json.loads(file.read_text())["problems"][0]["shares"]
    assert [values[-1] for values in shares.values()] == [1, 1]

    options = ("--features", 48, "--rows", 60, "--seeds", 1, "--times", 3)
    output = run("width.py", "--depths", 2, *options)
    assert "48 features after 3 s" in output


def test_estimates_and_their_ratios():
    import proof_estimate

    run = {"seconds": 10.0, "estimates": [[0.9, None], [1.9, 4.0], [4.9, 10.2], [9.0, 5.0]]}
    ratios = [proof_estimate.ratio_at(run, share) for share in (0.05, 0.1, 0.2, 0.5, 0.95)]
    assert ratios == pytest.approx([None, None, 4.0 / 8.1, 2.0, 5.0])
    assert [proof_estimate.is_good(ratio) for ratio in ratios] == [False, False, True, True, False]
    rows = [{"ratios": [None, 2.0]}, {"ratios": [4.0, 0.5]}]
    early, late = proof_estimate.conclusions(rows, [0.1, 0.2])
    assert early == (
        "after 10% of the time: 0 of 2 within a factor of 3, 1 unknown; the others are off by a "
        "factor of 4.00 (geometric mean)"
    )
    assert "2 of 2 within a factor of 3, 0 unknown" in late


def test_proof_estimate(data, tmp_path):
    file = tmp_path / "out.json"
    options = ("--only", "xor", "--depths", 3, "--limit", 20, "--json", file, "--data", data)
    script = [sys.executable, str(FOLDER / "proof_estimate.py"), *map(str, options)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("within a factor of 3") == 4
    (problem,) = json.loads(file.read_text())["problems"]
    assert problem["seconds"] > 0
    assert len(problem["ratios"]) == 4


@pytest.mark.soak
def test_rows_for_dask(tmp_path):
    file = tmp_path / "out.json"
    options = ("--rows", 300, 600, "--rows-of-file", 200, "--depth", 2, "--out", file)
    script = [sys.executable, str(FOLDER / "dask_rows.py"), *map(str, options)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" same |") == 2
    assert [row["rows"] for row in json.loads(file.read_text())["rows"]] == [300, 600]


@pytest.mark.soak
def test_distributed_searches(tmp_path):
    file = tmp_path / "out.json"
    script = [sys.executable, str(FOLDER / "distributed_search.py"), "--small", "--repeats", "1"]
    done = subprocess.run(
        [*script, "--out", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(file.read_text())["rows"]
    assert {run["status"] for run in row["runs"][0].values()} == {"optimal"}


def test_parts_of_pages(tmp_path):
    """A part is replaced, the rest of the page stays, and a page without the part is refused."""
    pages = importlib.import_module("_pages")
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- a: written by x.py -->\nold\n<!-- end of a -->\nbelow\n")
    pages.fill(page, "x.py", {"a": r"new \1"})
    assert page.read_text() == (
        "above\n<!-- a: written by x.py -->\nnew \\1\n<!-- end of a -->\nbelow\n"
    )
    with pytest.raises(SystemExit, match="expected one part 'b'"):
        pages.fill(page, "x.py", {"b": "new"})


def test_the_page_of_benchmarks(tmp_path, monkeypatch):
    """Tables stay as they are, other lines become a list, and the README gets one row per peer."""
    page = importlib.import_module("page")
    environment = {"date": "2026-01-02", "python": "3.11.7", "processor": "CPU"}
    environment |= {"versions": {"beamtree": "0.2.0", "pystreed": "1.4.0"}}
    environment |= {"command": "python /some/where/benchmarks/a.py --x --data DIR --json FILE"}
    found = {"peer": "pystreed", "times": 24.6, "problems": 3, "stopped": 1, "smallest": 9.87}
    content = {"environment": environment, "comparisons": [found, None]}
    monkeypatch.setattr(page, "BENCHMARKS", {"one": page.Benchmark("0/1", "a.py --x", "data")})
    (tmp_path / "one.json").write_text(json.dumps(content))
    (tmp_path / "one.txt").write_text("| a |\n| --: |\n\n\nsaid\nbeamtree 0.2.0, pystreed 1.4.0\n")
    assert page.part("one", tmp_path) == (
        "Made on 2026-01-02 with beamtree 0.2.0, pystreed 1.4.0 and Python 3.11.7, on one core "
        "(CPU).\n\n    python benchmarks/a.py --x --data DIR\n\n| a |\n| --: |\n\n- said"
    )
    row = page.readme_table(tmp_path).splitlines()[-1]
    assert row == "| 0/1 | pystreed 1.4.0 | 25 | 9.9 | 3 (1 stopped) | `a.py` |"


def test_inputs(capsys, monkeypatch):
    pytest.importorskip("pandas")
    inputs = importlib.import_module("inputs")
    monkeypatch.setattr(inputs, "LIBRARIES", {"beamtree": inputs.LIBRARIES["beamtree"]})
    inputs.main([])
    row = capsys.readouterr().out.splitlines()[2]
    assert row.replace(" ", "") == "|beamtree|0|0|0|0|6|26|26|"

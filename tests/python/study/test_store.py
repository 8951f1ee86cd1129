"""The file of a campaign has whole lines and each run once, with any number of writers."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from beamtree.study import Run, read_runs
from beamtree.study.store import FILE, Store

RUN = Run(
    dataset="anneal",
    depth=6,
    system="ca-gain-luby",
    budget=10.0,
    seed=0,
    rows=812,
    features=93,
    classes=2,
    data_hash="0" * 64,
    status="time_limit",
    objective=53.0,
    lower_bound=2.0,
    seconds=10.02,
    trace=[[0.1, 60.0, 0.0], [3.0, 53.0, 2.0]],
    machine={"cpu": "é"},
    versions={"beamtree": "0.1.0"},
)


def of(system):
    return replace(RUN, system=system)


def test_a_run_comes_back_as_it_was(tmp_path):
    assert Store(tmp_path / "new").append(RUN)
    assert read_runs(tmp_path / "new") == [RUN]
    (line,) = (tmp_path / "new" / FILE).read_text().splitlines()
    record = json.loads(line)
    assert record["format"] == 1
    assert record["trace"] == [[0.1, 60.0, 0.0], [3.0, 53.0, 2.0]]


def test_a_run_is_not_written_twice(tmp_path):
    first, second = Store(tmp_path), Store(tmp_path)
    assert first.append(RUN)
    assert RUN.identity in first
    assert RUN.identity not in second  # the second store has not read the file again
    assert not second.append(replace(RUN, objective=1.0))
    assert RUN.identity in second
    assert read_runs(tmp_path) == [RUN]
    changes = {"dataset": "b", "depth": 7, "system": "c45", "budget": 9.0, "seed": 1}
    others = [replace(RUN, **{name: value}) for name, value in changes.items()]
    assert all(second.append(other) for other in others)
    assert Store(tmp_path).runs == [RUN, *others]


def test_a_line_that_was_cut_off_is_left_out_and_then_replaced(tmp_path):
    Store(tmp_path).append(of("a"))
    path = tmp_path / FILE
    whole = path.read_bytes()
    path.write_bytes(whole + of("b").as_line().encode()[:100])
    with pytest.warns(UserWarning, match="the last line of .*runs.jsonl' is cut off"):
        assert read_runs(tmp_path) == [of("a")]
    with pytest.warns(UserWarning, match="is cut off"):
        store = Store(tmp_path)
    assert store.runs == [of("a")]
    assert store.append(of("b"))
    assert read_runs(tmp_path) == [of("a"), of("b")]
    assert path.read_bytes().startswith(whole)


def test_a_cut_that_comes_later_is_seen_by_the_next_append(tmp_path):
    store = Store(tmp_path)
    store.append(of("a"))
    with (tmp_path / FILE).open("ab") as file:
        file.write(of("b").as_line().encode()[:-20])
    with pytest.warns(UserWarning, match="is cut off"):
        assert store.append(of("b"))
    assert read_runs(tmp_path) == [of("a"), of("b")]


def test_a_last_line_that_lacks_its_end_alone_is_a_run(tmp_path):
    (tmp_path / FILE).write_text(of("a").as_line().rstrip("\n"))
    assert read_runs(tmp_path) == [of("a")]
    assert Store(tmp_path).append(of("b"))
    assert read_runs(tmp_path) == [of("a"), of("b")]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"format": 1', "Expecting"),
        ("[]", "must be an object of format 1"),
        ('{"format": 2}', "must be an object of format 1"),
        ('{"format": 1, "dataset": "a"}', "must have 'depth'"),
        ("", "Expecting"),
    ],
)
def test_other_broken_lines_are_errors(tmp_path, line, why):
    (tmp_path / FILE).write_text(of("a").as_line() + line + "\n" + of("b").as_line())
    with pytest.raises(ValueError, match=f"line 2 of .*runs.jsonl' is not a run of a study: {why}"):
        read_runs(tmp_path)


def test_a_folder_without_runs(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_runs(tmp_path)
    assert Store(tmp_path).runs == []
    assert read_runs(tmp_path) == []


WRITER = """
import sys
from dataclasses import replace
from beamtree.study.store import Store
from tests.python.study.test_store import RUN
store = Store(sys.argv[1])
print(flush=True)
sys.stdin.readline()
for number in range(100):
    store.append(replace(RUN, seed=number, system=sys.argv[2] if number % 2 else "both"))
"""


def test_two_processes_write_at_once(tmp_path):
    """Each process writes 50 runs of its own, and 50 that the other one writes, too."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]
    for writer in writers:  # wait until both have started
        writer.stdout.readline()
    for writer in writers:
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    identities = [run.identity for run in read_runs(tmp_path)]
    assert len(identities) == len(set(identities)) == 150

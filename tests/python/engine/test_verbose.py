"""Output of a search: a live line on a terminal, few lines in logs, or one per improvement."""

import io
import re
import sys
import threading
from contextlib import redirect_stdout

import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree._engine import progress
from beamtree.datasets import tic_tac_toe


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Log(io.StringIO):
    """An output that is no terminal, and that knows when it has three lines."""

    def __init__(self):
        super().__init__()
        self.third = threading.Event()

    def write(self, text):
        count = super().write(text)
        if self.getvalue().count("\n") >= 3:
            self.third.set()
        return count


@pytest.fixture
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def test_one_live_line_on_a_terminal(boards, terminal):
    pytest.importorskip("rich")
    with redirect_stdout(terminal):
        OptimalTreeClassifier(max_depth=4, verbose=1).fit(*boards)
    text = terminal.getvalue()
    for word in (" s | ", "objective 137", "bound 137", "gap 0.0%", "pass", "nodes/s", "B"):
        assert word in text


def test_the_live_line_of_a_search(boards, terminal):
    pytest.importorskip("rich")
    with redirect_stdout(terminal):
        Search(*boards, max_depth=4, verbose=True).run()
    assert "objective 137" in terminal.getvalue()


def test_no_output_of_short_searches_without_a_terminal(boards, capsys):
    OptimalTreeClassifier(max_depth=4, verbose=1).fit(*boards)
    assert capsys.readouterr() == ("", "")


def test_one_line_at_regular_intervals_without_a_terminal(boards, monkeypatch):
    assert progress.LOG_SECONDS == 10.0
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.01)
    log = Log()
    with redirect_stdout(log):
        # The first improvement waits for the third line.
        clf = OptimalTreeClassifier(
            max_depth=4, verbose=1, callback=lambda _: not log.third.wait(10)
        ).fit(*boards)
    assert clf.status_ == "optimal"
    lines = log.getvalue().splitlines()
    assert len(lines) >= 4  # and one at the end
    assert all(re.match(r"\d+\.\d s \| .*pass \d+ \| .* nodes/s \| ", line) for line in lines)
    assert "objective 137 | bound 137 | gap 0.0%" in lines[-1]


def test_the_thread_ends_with_an_exception(boards, monkeypatch):
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.05)

    def fail(incumbent):
        raise ValueError(incumbent.n_errors)

    with pytest.raises(ValueError, match=r"\d+"):
        OptimalTreeClassifier(max_depth=4, verbose=1, callback=fail).fit(*boards)
    assert "beamtree-progress" not in [thread.name for thread in threading.enumerate()]


def test_without_rich_there_is_one_warning(boards, terminal, monkeypatch):
    monkeypatch.setattr(progress, "_reported", set())
    for name in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    with redirect_stdout(terminal):
        for _ in range(2):
            assert OptimalTreeClassifier(max_depth=2, verbose=1).fit(*boards).status_ == "optimal"
    assert terminal.getvalue() == "verbose=1 needs rich: pip install beamtree[progress]\n"


@pytest.mark.parametrize("verbose", [2, 3])
def test_one_line_per_improvement(boards, capsys, verbose):
    clf = OptimalTreeClassifier(max_depth=4, verbose=verbose).fit(*boards)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(clf.trace_)
    Search(*boards, max_depth=4, verbose=verbose).run()
    assert len(capsys.readouterr().out.splitlines()) == len(clf.trace_)


def test_progress_before_the_first_tree():
    search = Search([[0], [1]], [0, 1], max_depth=1)
    text = progress.progress_text(search.progress())
    assert "objective" not in text
    assert text.endswith("B")


def test_sizes():
    sizes = [progress._size(number) for number in (0, 999, 1500, 2e6, 3e9, 4e12, 5e15)]
    assert sizes == ["0.0 B", "999.0 B", "1.5 kB", "2.0 MB", "3.0 GB", "4.0 TB", "5000.0 TB"]

"""What a cross validation prints while it runs."""

import io
import re

import numpy as np
import pytest

from beamtree import OptimalTreeClassifierCV
from beamtree.model_selection import _fit_progress
from beamtree.model_selection._fit_progress import FitProgress
from beamtree.model_selection._folds import Candidate


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (90, 5))
    return X, np.where(rng.random(90) < 0.2, rng.integers(0, 2, 90), X[:, 0] & X[:, 1])


GIVEN = {"max_depths": (1, 2), "leaf_penalties": (0.0, 0.01), "cv": 3}


def lines_of(text):
    """Return the lines without their times, which must not decrease."""
    seconds = [float(line.split(" s | ")[0]) for line in text.splitlines()]
    assert seconds == sorted(seconds)
    return [line.split(" s | ")[1] for line in text.splitlines()]


def test_every_fit_has_a_line_if_lines_may_follow_each_other(noisy, monkeypatch, capsys):
    monkeypatch.setattr(_fit_progress, "PLAIN_EVERY", 0.0)
    OptimalTreeClassifierCV(**GIVEN, verbose=1).fit(*noisy)
    lines = lines_of(capsys.readouterr().out)
    assert lines[0] == "0 of 12 fits | depth 1, penalty 0, fold 1 of 3"
    assert lines[1] == "1 of 12 fits | depth 1, penalty 0.01, fold 1 of 3"
    assert [line.split(" of ")[0] for line in lines[:12]] == [str(at) for at in range(12)]
    assert re.fullmatch(r"12 of 12 fits \| depth \d, penalty [\d.]+, all rows", lines[12])
    assert lines[13:] == lines[12:13]  # the last line is printed in any case


@pytest.mark.parametrize("leaves", [None, 3])
def test_paths_are_named(noisy, leaves, monkeypatch, capsys):
    monkeypatch.setattr(_fit_progress, "PLAIN_EVERY", 0.0)
    OptimalTreeClassifierCV(max_depths=(1, 2), max_leaf_nodes=leaves, cv=2, verbose=1).fit(*noisy)
    lines = lines_of(capsys.readouterr().out)
    assert lines[:2] == ["path of depth 1", "path of depth 2"]
    assert re.match("0 of [1-9][0-9]* fits | depth 1, ", lines[2])


def test_lines_come_at_most_every_ten_seconds(noisy, capsys):
    OptimalTreeClassifierCV(**GIVEN, verbose=1, refit=False).fit(*noisy)
    assert lines_of(capsys.readouterr().out) == [
        "12 of 12 fits | depth 2, penalty 0.01, fold 3 of 3"
    ]
    OptimalTreeClassifierCV(**GIVEN).fit(*noisy)
    assert capsys.readouterr().out == ""


def test_fits_in_other_processes_are_counted(noisy, monkeypatch, capsys):
    monkeypatch.setattr(_fit_progress, "PLAIN_EVERY", 0.0)
    OptimalTreeClassifierCV(**GIVEN, verbose=1, n_jobs=2, refit=False).fit(*noisy)
    lines = lines_of(capsys.readouterr().out)
    assert lines == [*(f"{4 * at} of 12 fits | 3 folds" for at in range(4)), lines[-1]]
    assert lines[-1] == lines[-2]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_a_live_line():
    pytest.importorskip("rich")
    stream = Terminal()
    with FitProgress(1, stream) as progress:
        progress.total = 8
        progress.begin("depth 3, fold 2 of 5")
        progress.done += 3
    assert "3 of 8 fits | depth 3, fold 2 of 5" in stream.getvalue()
    assert "path" not in stream.getvalue()


def test_no_last_line_after_an_error():
    stream = io.StringIO()
    with pytest.raises(KeyboardInterrupt), FitProgress(1, stream):
        raise KeyboardInterrupt
    assert stream.getvalue() == ""


def test_candidates_in_words():
    assert str(Candidate(3, 0.0123456)) == "depth 3, penalty 0.0123"
    assert str(Candidate(None, 0.0, 4)) == "any depth, at most 4 leaves"
    assert str(Candidate(2, 0.5, 4)) == "depth 2, at most 4 leaves, penalty 0.5"

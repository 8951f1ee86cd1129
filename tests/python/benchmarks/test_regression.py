"""The benchmark of regression trees proves small problems, alone and over time."""

import importlib
import json

import numpy as np
import pytest


@pytest.fixture
def regression():
    return importlib.import_module("regression")


def test_small_problems_are_proved(regression, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(regression, "find_spec", lambda _: None)  # without another solver
    file = tmp_path / "out.json"
    for given in (["--raw", "--rows", "20"], ["--cuts", "2"]):
        regression.main(["--depths", "1", "--repeats", "1", "--json", str(file), *given])
        found = json.loads(file.read_text())["problems"]
        assert all(proved for problem in found for _, _, proved in problem["runs"])
    assert capsys.readouterr().out.count("True") == 5


def test_the_memory_of_a_fit_is_that_of_a_new_process(regression):
    X, y = np.eye(8, dtype=np.int32), np.arange(8.0)
    assert 0.0 <= regression.grown(regression.ours, X, y, 2, 10.0) < 100.0

"""The benchmark of objectives in Python proves small problems, and compares the objectives."""

import importlib
import json


def test_small_problems_are_proved(tmp_path, capsys, monkeypatch):
    benchmark = importlib.import_module("own_objective")
    problems = list(importlib.import_module("regression").raw_problems([30]))[1:3]
    monkeypatch.setattr(benchmark, "raw_problems", lambda _: problems)
    file = tmp_path / "out.json"
    benchmark.main(["--depths", "1", "--repeats", "1", "--json", str(file)])
    found = json.loads(file.read_text())["problems"]
    assert len(found) == 2
    assert all(all(problem["proved"].values()) for problem in found)
    assert capsys.readouterr().out.count("slower by") == 2

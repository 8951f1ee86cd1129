"""Fixtures of the command line's tests."""

import pytest

from beamtree.datasets import monks, save_csv


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with a table with labels, and with its first rows without labels."""
    monkeypatch.chdir(tmp_path)
    save_csv(monks(1), tmp_path / "data.csv", "y")
    lines = (tmp_path / "data.csv").read_text().splitlines()
    new = [line.partition(",")[2] for line in lines[:5]]
    (tmp_path / "new.csv").write_text("\n".join(new) + "\n")
    return tmp_path


@pytest.fixture
def model(folder, capsys):
    """Return the path of a model that was fitted on the table."""
    from tests.python.cli.command_lines import run

    assert run("fit data.csv --target y --depth 3 --save model.json") == 0
    capsys.readouterr()
    return folder / "model.json"

"""Helpers of the command line's tests: tables, a model, and calls with the words of a line."""

import json
import shlex

from beamtree.cli import main
from beamtree.datasets import monks, save_csv


def run(words, *more):
    """Run a command line; `more` are further words, which are not split."""
    return main([*shlex.split(words), *more])


def printed(capsys):
    """Return the JSON object that was printed."""
    return json.loads(capsys.readouterr().out)


def write_tables(folder):
    """Write a table with labels, and its first rows without labels."""
    save_csv(monks(1), folder / "data.csv", "y")
    lines = (folder / "data.csv").read_text().splitlines()
    new = [line.partition(",")[2] for line in lines[:5]]
    (folder / "new.csv").write_text("\n".join(new) + "\n")


def write_model(capsys):
    """Write a model that was fitted on the table."""
    assert run("fit data.csv --target y --depth 3 --save model.json") == 0
    capsys.readouterr()

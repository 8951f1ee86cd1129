"""What the tests of commands share: tables, and command lines as words."""

import json
import shlex

from beamtree.cli import main
from beamtree.datasets import monks, save_csv


def run(words, *more):
    """Run a command line, with what follows it as it is."""
    return main([*shlex.split(words), *more])


def printed(capsys):
    """Return the object that was printed."""
    return json.loads(capsys.readouterr().out)


def write_tables(folder):
    """Write a table, and the start of it without labels."""
    save_csv(monks(1), folder / "data.csv", "y")
    lines = (folder / "data.csv").read_text().splitlines()
    new = [line.partition(",")[2] for line in lines[:5]]
    (folder / "new.csv").write_text("\n".join(new) + "\n")


def write_model(capsys):
    """Write a model of the table."""
    assert run("fit data.csv --target y --depth 3 --save model.json") == 0
    capsys.readouterr()

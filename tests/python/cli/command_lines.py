"""Calls of commands with the words of a command line."""

import json
import shlex

from beamtree.cli import main


def run(words, *more):
    """Run a command line; `more` are further words, which are not split."""
    return main([*shlex.split(words), *more])


def printed(capsys):
    """Return the JSON object that was printed."""
    return json.loads(capsys.readouterr().out)

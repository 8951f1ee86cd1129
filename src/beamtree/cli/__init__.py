"""The command line: ``beamtree fit data.csv --target y --depth 4 --time 60``.

To add a command: 1. write a file in this folder with a function that is decorated with `command`
and whose docstring is the help text, and with ``EXAMPLES``, which the tests run; 2. add it to `app`
below.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Parameter

from beamtree.cli import datasets, fit, predict, score, show, study, verify
from beamtree.cli._command import in_words, quietly, say, warnings_in_a_line

__all__ = ["app", "main"]

# The help text is printed with the line breaks that it has here, so its lines must be short.
EPILOGUE = """Examples:

  beamtree datasets export monks-1 monks.csv
  beamtree fit monks.csv --target class --depth 3 --save model.json
  beamtree score model.json monks.csv
  beamtree verify model.json monks.csv

Exit status: 0 for success, 1 if verify finds a difference, 2 for an error,
130 after Ctrl-C, 143 after SIGTERM."""

# Options whose value may be a hyphen.
TAKE_ANY = ("--delimiter", "--drop", "--na")


def _version() -> str:
    import beamtree

    return beamtree.__version__


app = App(
    name="beamtree",
    help="Decision trees that are provably the best of their size.",
    help_format="plaintext",
    help_epilogue=EPILOGUE,
    default_parameter=Parameter(negative=()),
    version=_version,
    print_error=False,
    exit_on_error=False,
)
app.command(fit.fit, help_epilogue=fit.EXAMPLES)
app.command(predict.predict, help_epilogue=predict.EXAMPLES)
app.command(score.score, help_epilogue=score.EXAMPLES)
app.command(show.show, help_epilogue=show.EXAMPLES)
app.command(verify.verify, help_epilogue=verify.EXAMPLES)
app.command(datasets.app)
app.command(study.app)


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    tokens : sequence of str or None, default=None
        The arguments after ``beamtree``; None for those of the running program.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from beamtree.cli import main
    >>> main(["verify", "model.json"])
    2
    """
    try:
        with quietly(), warnings_in_a_line():
            return _run(sys.argv[1:] if tokens is None else list(tokens))
    except BrokenPipeError:
        return 141
    except KeyboardInterrupt:
        return 130


def _run(tokens: list[str]) -> int:
    try:
        code = app(_with_standard_input(tokens), result_action="return_value")
    except CycloptsError as error:
        say(in_words(error))
        return 2
    return code if isinstance(code, int) else 0


def _with_standard_input(tokens: list[str]) -> list[str]:
    """Replace the file ``-`` by the same path in a form that the parser takes for a path."""
    before = ["", *tokens]
    return [
        "./-" if token == "-" and last not in TAKE_ANY else token
        for last, token in zip(before, tokens, strict=False)
    ]

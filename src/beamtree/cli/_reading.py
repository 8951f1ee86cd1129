"""The options of all commands that read tables."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from beamtree._util.validation import finite

if TYPE_CHECKING:
    from beamtree._table.files import Reading

DATA = (
    "File with the table: csv, also compressed with gzip, or parquet; - for the standard input. "
    "The first line of a csv file has the names of the columns."
)
Data = Annotated[Path, Parameter(help=DATA)]
Delimiter = Annotated[
    str | None,
    Parameter(
        help="Character between two fields of a csv file, or 'tab'; by default it is recognised.",
        allow_leading_hyphen=True,
    ),
]
Na = Annotated[
    list[str] | None,
    Parameter(
        help="Text that stands for a missing value, besides the empty one. May be repeated; "
        "replaces the usual texts, such as NA, NaN, null, None and ?.",
        allow_leading_hyphen=True,
    ),
]
Rewards = Annotated[
    list[str] | None,
    Parameter(
        help="Names of the columns that have the rewards, in the order of the actions, with commas "
        "between them; by default the names of the actions.",
        allow_leading_hyphen=True,
    ),
]
# What people write for a delimiter that is hard to type.
NAMED = {"tab": "\t", "\\t": "\t"}


def reading_of(
    delimiter: str | None, na: Sequence[str] | None, problem: dict[str, Any] | None = None
) -> Reading:
    """Return how a table is read.

    Parameters
    ----------
    delimiter : str or None
        The option ``--delimiter``.
    na : sequence of str or None
        The option ``--na``.
    problem : dict or None, default=None
        The attribute ``problem_`` of a model, with the texts that stood for missing values when it
        was learned.

    Returns
    -------
    Reading
        What the functions of `beamtree._table.files` need.
    """
    from beamtree._table.files import Reading
    from beamtree._table.text_values import MISSING_TEXTS

    character = None if delimiter is None else NAMED.get(delimiter.lower(), delimiter)
    if character is not None and (len(character) != 1 or character in '"\r\n '):
        msg = (
            f"--delimiter must be one character, other than a quote or a blank, or 'tab', got "
            f"{delimiter!r}"
        )
        raise ValueError(msg)
    if na is None:
        na = (problem or {}).get("na", MISSING_TEXTS)
    return Reading(character, tuple(text.strip() for text in na), "--")


def rewards_of(given: Sequence[str] | None) -> list[str]:
    """Return the value of ``--rewards``: the names of columns.

    Parameters
    ----------
    given : sequence of str or None
        The texts that were given, each with commas between the names. A name with a comma is in
        quotes.

    Returns
    -------
    list of str
        The names; none if the option was not given.

    Examples
    --------
    >>> from beamtree.cli._reading import rewards_of
    >>> rewards_of(["none, treat"]), rewards_of(['"no, thanks"', "treat"]), rewards_of(None)
    (['none', 'treat'], ['no, thanks', 'treat'], [])
    """
    if not given:
        return []
    lines = csv.reader(given, skipinitialspace=True)
    names = [name.strip() for line in lines for name in line]
    if len(names) < 2 or not all(names) or max(Counter(names).values()) > 1:
        msg = (
            "--rewards must be the names of at least two different columns, such as none,treat, "
            f"got {', '.join(map(repr, given))}"
        )
        raise ValueError(msg)
    return names


def class_weight_of(given: Sequence[str] | None) -> dict[str, float] | str | None:
    """Return the value of ``--class-weight``: ``"balanced"``, or weights by label.

    Parameters
    ----------
    given : sequence of str or None
        The texts that were given, one per use of the option.

    Returns
    -------
    dict, str or None
        The setting `class_weight`.

    Examples
    --------
    >>> from beamtree.cli._reading import class_weight_of
    >>> class_weight_of(["balanced"]), class_weight_of(["yes=5", "no=0.5"])
    ('balanced', {'yes': 5.0, 'no': 0.5})
    """
    if not given:
        return None
    if list(given) == ["balanced"]:
        return "balanced"
    weights: dict[str, float] = {}
    for text in given:
        label, equals, number = text.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not equals or label in weights or not finite(0.0).test(weight):
            msg = (
                "--class-weight must be 'balanced', or LABEL=NUMBER once per label, such as "
                f"yes=5, with numbers of at least 0, got {text!r}"
            )
            raise ValueError(msg)
        weights[label] = weight
    return weights


def check_labels(class_weight: dict[str, float] | str | None, labels: Sequence[str]) -> None:
    """Raise a ValueError if class weights name a label that does not occur.

    Parameters
    ----------
    class_weight : dict, str or None
        The setting.
    labels : sequence of str
        The labels that occur, sorted.
    """
    from beamtree._table.table import listed
    from beamtree._util.suggestions import did_you_mean

    for label in class_weight if isinstance(class_weight, dict) else ():
        if label not in labels:
            msg = f"--class-weight must name labels of the target ({listed(labels)}), got {label!r}"
            raise ValueError(msg + did_you_mean(label, labels))

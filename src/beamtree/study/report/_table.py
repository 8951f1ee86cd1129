"""A table, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

# What Markdown would take for more than text.
MARKS = re.compile(r"([\\`*_\[\]|~#])")


class Cell(NamedTuple):
    """A value, how it is written, and whether it is the best of its column."""

    value: str | float | None
    shown: str
    best: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is written to the right."""
        return not isinstance(self.value, str)


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    name : str
        Its name in the names of files.
    title, caption : str
        What it is, and what must be known to read it.
    columns : tuple of str
        The heads.
    rows : tuple of tuple of Cell
        The rows.
    """

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def numeric(self) -> list[bool]:
        """Whether each column has numbers."""
        return [
            bool(self.rows) and all(row[i].is_number for row in self.rows)
            for i in range(len(self.columns))
        ]


def text(value: str) -> Cell:
    """Return a cell of words."""
    return Cell(value, value)


def number(value: float | None, shown: str = "{:g}", *, best: bool = False) -> Cell:
    """Return a cell of a number; None and infinity, for none, are written as a dash."""
    if value is None or value == inf:
        return Cell(None, "-")
    return Cell(value, shown.format(value), best)


def to_csv(table: Table) -> str:
    """Return a table as CSV, with all digits.

    Parameters
    ----------
    table : Table
        The table.

    Returns
    -------
    str
        A line of heads, and one a row; what is not there is empty.

    Examples
    --------
    >>> from beamtree.study.report._table import Table, number, text, to_csv
    >>> rows = ((text("a, b"), number(0.123)), (text("c"), number(None)))
    >>> print(to_csv(Table("t", "", "", ("name", "value"), rows)))
    name,value
    "a, b",0.123
    c,
    <BLANKLINE>
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(
        [["" if cell.value is None else cell.value for cell in row] for row in table.rows]
    )
    return out.getvalue()


def to_markdown(table: Table) -> str:
    r"""Return a table as Markdown, the best in bold.

    Parameters
    ----------
    table : Table
        The table.

    Returns
    -------
    str
        Title, caption and, if it has rows, the table.

    Examples
    --------
    >>> from beamtree.study.report._table import Cell, Table, text, to_markdown
    >>> rows = ((text("a|b"), Cell(2, "2", best=True)),)
    >>> print(to_markdown(Table("t", "Two", "", ("name", "n"), rows)))
    ### Two
    <BLANKLINE>
    | name | n |
    | :-- | --: |
    | a\|b | **2** |
    <BLANKLINE>
    """
    rules = ["--:" if is_number else ":--" for is_number in table.numeric]
    rows = [_line(_cell(cell) for cell in row) for row in table.rows]
    body = [_line(map(escape, table.columns)), _line(rules), *rows]
    head = [f"### {escape(table.title)}", ""]
    caption = [escape(table.caption), ""] if table.caption else []
    return "\n".join([*head, *caption, *(body if table.rows else []), ""])


def escape(words: str) -> str:
    """Return words in which Markdown sees nothing but words."""
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKS.sub(r"\\\1", " ".join(words.split()))


def _cell(cell: Cell) -> str:
    return f"**{escape(cell.shown)}**" if cell.best else escape(cell.shown)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"

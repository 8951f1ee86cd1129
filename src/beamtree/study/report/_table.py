"""A table of the report, which can be written as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

# Characters that have a meaning in Markdown.
MARKS = re.compile(r"([\\`*_\[\]|~#])")


class Cell(NamedTuple):
    """A value, its text, and whether it is the best value of its column."""

    value: str | float | None
    shown: str
    best: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the cell is aligned to the right."""
        return not isinstance(self.value, str)


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    name : str
        Name of the table in names of files.
    title, caption : str
        The title, and a text that explains the numbers.
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuple of Cell
        The cells of each row.
    """

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def numeric(self) -> list[bool]:
        """For each column, whether it holds numbers."""
        return [
            bool(self.rows) and all(row[i].is_number for row in self.rows)
            for i in range(len(self.columns))
        ]


def text(value: str) -> Cell:
    """Return a cell with a text."""
    return Cell(value, value)


def number(value: float | None, shown: str = "{:g}", *, best: bool = False) -> Cell:
    """Return a cell with a number; None and infinity are written as a dash."""
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
        A header and one line per row; missing values are empty.

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
    r"""Return a table as Markdown, with the best values in bold.

    Parameters
    ----------
    table : Table
        The table.

    Returns
    -------
    str
        Title, caption and, if there are rows, the table.

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
    """Return a text in which all characters with a meaning in Markdown are escaped."""
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKS.sub(r"\\\1", " ".join(words.split()))


def _cell(cell: Cell) -> str:
    return f"**{escape(cell.shown)}**" if cell.best else escape(cell.shown)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"

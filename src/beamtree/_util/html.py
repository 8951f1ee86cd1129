"""Text and tables in HTML, for what notebooks show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Characters that XML does not allow, even if they are escaped.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def html_text(text: str) -> str:
    """Return a text for elements and attributes of HTML and XML.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The text with its special characters escaped, and with a replacement character for those
        that XML does not allow.

    Examples
    --------
    >>> from beamtree._util.html import html_text
    >>> html_text('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return escape(FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a line of text and a table below it.

    Parameters
    ----------
    title : str
        The line.
    head : sequence of str
        The names of the columns; none for a table without them.
    rows : iterable of sequences of str
        The cells, row by row.

    Returns
    -------
    str
        HTML, with all texts escaped.

    Examples
    --------
    >>> from beamtree._util.html import html_table
    >>> html_table("Ages", ["name", "age"], [["Ada", "36"]])
    '<p>Ages</p><table><tr><th>name</th><th>age</th></tr><tr><td>Ada</td><td>36</td></tr></table>'
    """
    lines = [_row(head, "th")] if head else []
    lines += [_row(row, "td") for row in rows]
    return f"<p>{html_text(title)}</p><table>{''.join(lines)}</table>"


def _row(cells: Sequence[str], name: str) -> str:
    return "<tr>" + "".join(f"<{name}>{html_text(cell)}</{name}>" for cell in cells) + "</tr>"

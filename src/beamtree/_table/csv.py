"""Text files with one row per line: encoding, compression, delimiter, quotes, line numbers."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from numpy.typing import NDArray

from beamtree._table.text_values import (
    is_missing,
    known_column,
    learn_column,
    number_of,
)
from beamtree._table.times import TimeKind
from beamtree._table.values import Column

# The delimiters that are recognised; the first of equally good ones is taken.
DELIMITERS = ",;\t|"
# The number of lines from which the delimiter is recognised.
SAMPLE = 50
GZIP = b"\x1f\x8b"
# How other kinds of files begin that people take for text.
FOREIGN = {
    b"PK\x03\x04": "an Excel or zip file",
    b"\xd0\xcf\x11\xe0": "an Excel file",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
}
UTF16 = (b"\xff\xfe", b"\xfe\xff")


class TextFile:
    """A table in a text file, of which the line of names has been read.

    Parameters
    ----------
    source : str
        Name of the file, for errors.
    content : bytes
        The content of the file, which may be compressed with gzip.
    delimiter : str or None
        The character between two fields; None to recognise it.

    Attributes
    ----------
    source : str
        Name of the file, for errors.
    names : list of str
        Names of the columns, without blanks around them. A column without a name is called
        ``"Unnamed: 0"`` if it is the first, as in pandas.
    n_rows : int
        Number of rows, after `load`.

    Raises
    ------
    ValueError
        If the file is not such a table.
    """

    def __init__(self, source: str, content: bytes, delimiter: str | None) -> None:
        self.source = source
        self.n_rows = 0
        self._text = _decoded(source, content)
        self.delimiter = recognised(self._text) if delimiter is None else delimiter
        self._records = self._lines()
        _, names = next(self._records, (0, []))
        self.names = [name.strip() or f"Unnamed: {j}" for j, name in enumerate(names)]
        self.unnamed = [j for j, name in enumerate(names) if not name.strip()]
        self._numbers: list[int] = []
        self._columns: dict[int, Sequence[str]] = {}

    def load(self, at: Sequence[int]) -> None:
        """Read the rows, and keep the columns at the given positions."""
        rows = []
        for number, row in self._records:
            if len(row) != len(self.names):
                self._refuse_length(number, row)
            self._numbers.append(number)
            rows.append([row[j] for j in at])
        self.n_rows = len(rows)
        self._columns = dict(zip(at, zip(*rows, strict=True), strict=True)) if rows else {}
        self._text = ""

    def place(self, row: int) -> str:
        """Return where a row is in the file."""
        return f"line {self._numbers[row]}"

    def learned(self, j: int, na: Sequence[str]) -> tuple[Column, str | None]:
        """Return a column of a training table, and a notice about it or None."""
        return learn_column(self.names[j], self._columns[j], na, self.place)

    def known(
        self,
        j: int,
        known: NDArray[Any] | None,
        na: Sequence[str],
        time: TimeKind | None = None,
    ) -> Column:
        """Return a column in the type that a tree knows."""
        return known_column(self.names[j], self._columns[j], known, na, self.place, time)

    def labels(self, j: int, na: Sequence[str]) -> list[str | None]:
        """Return a column as labels, None where the label is missing."""
        return [None if is_missing(text, na) else text.strip() for text in self._columns[j]]

    def numbers(self, j: int) -> list[float | None]:
        """Return a column as numbers, None where a field is not a finite number."""
        return [number_of(text) for text in self._columns[j]]

    def shown(self, j: int, row: int) -> str:
        """Return a field as errors show it."""
        return repr(self._columns[j][row])

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the fields of every line that is not blank."""
        # strict: an unclosed quote is an error
        reader = csv.reader(
            io.StringIO(self._text, newline=""),
            delimiter=self.delimiter,
            skipinitialspace=True,
            strict=True,
        )
        try:
            for row in reader:
                if len(row) > 1 or "".join(row).strip():
                    yield reader.line_num, row
        except csv.Error as error:
            msg = f"line {reader.line_num} of {self.source} cannot be read: {error}"
            raise ValueError(msg) from error

    def _refuse_length(self, number: int, row: list[str]) -> None:
        shown = "a tab" if self.delimiter == "\t" else repr(self.delimiter)
        msg = f"line {number} of {self.source} must have {len(self.names)} values, got {len(row)}"
        if len(row) > len(self.names):
            msg += f"; a value that contains the delimiter, {shown}, must be in double quotes"
        raise ValueError(msg)


def recognised(text: str) -> str:
    r"""Return the delimiter of a table.

    It is the one with which the first lines have the same number of fields, at least two. If there
    are several, or none, it is the one that gives the most names of columns.

    Parameters
    ----------
    text : str
        The content of a file.

    Returns
    -------
    str
        One of `DELIMITERS`.

    Examples
    --------
    >>> from beamtree._table.csv import recognised
    >>> recognised("a;b\n1,5;2\n"), recognised("name,note\nAnn,x;y;z\n")
    (';', ',')
    """
    best, most = DELIMITERS[0], (False, 1)
    for delimiter in DELIMITERS:
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True
        )
        try:
            widths = [len(row) for row in islice(filter(any, reader), SAMPLE)] or [0]
        except csv.Error:
            continue
        fit = (len({*widths}) == 1 and widths[0] > 1, widths[0])
        if fit > most:
            best, most = delimiter, fit
    return best


def _decoded(source: str, content: bytes) -> str:
    if content.startswith(GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            msg = f"{source} cannot be decompressed: {error}"
            raise ValueError(msg) from error
    for magic, kind in FOREIGN.items():
        if content.startswith(magic):
            msg = f"{source} must be a csv or parquet file, but it is {kind}"
            raise ValueError(msg)
    encoding = "utf-16" if content.startswith(UTF16) else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = (
            f"{source} must be text in UTF-8, got the byte 0x{content[error.start]:02x} in line "
            f"{line}; if it is in Latin-1, convert it with iconv -f latin1 -t utf-8"
        )
        raise ValueError(msg) from error

"""Tables in parquet files, whose columns have types; pyarrow reads them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.read_times import times_of_arrow
from beamtree._table.times import TimeKind
from beamtree._table.values import Column, as_numbers, column_of_objects
from beamtree._util.optional import import_optional

MAGIC = b"PAR1"
# pandas writes the index of a data frame as columns whose names begin like this.
INDEX = "__index_level_"


class ParquetFile:
    """A table in a parquet file, with the interface of `beamtree._table.csv.TextFile`.

    Null is missing, and so is NaN in a column of floats. Text is text, even if it looks like a
    number or like one of the texts that stand for a missing value in text files.

    Parameters
    ----------
    source : str
        Name of the file, for errors.
    content : bytes
        The content of the file.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ValueError
        If the file is damaged.
    """

    def __init__(self, source: str, content: bytes) -> None:
        parquet = import_optional("pyarrow.parquet", f"reading {source}", "parquet")
        self.source = source
        self.unnamed: list[int] = []
        try:
            self._file = parquet.ParquetFile(io.BytesIO(content))
        except (OSError, ValueError) as error:
            msg = f"{source} is not a valid parquet file: {error}"
            raise ValueError(msg) from error
        self.names = [n for n in self._file.schema_arrow.names if not n.startswith(INDEX)]
        self.n_rows: int = self._file.metadata.num_rows
        self._columns: dict[int, Any] = {}

    def load(self, at: Sequence[int]) -> None:
        """Read the columns at the given positions."""
        names = [self.names[j] for j in at]
        table = self._file.read(columns=names, use_pandas_metadata=False)
        self._columns = {j: table.column(self.names[j]).combine_chunks() for j in at}

    def place(self, row: int) -> str:
        """Return where a row is in the file."""
        return f"row {row + 1}"

    def learned(self, j: int, na: Sequence[str]) -> tuple[Column, str | None]:  # noqa: ARG002
        """Return a column of a training table, and None: the file says what its type is."""
        return self._column(j), None

    def known(
        self,
        j: int,
        known: NDArray[Any] | None,  # noqa: ARG002
        na: Sequence[str],  # noqa: ARG002
        time: TimeKind | None = None,  # noqa: ARG002
    ) -> Column:
        """Return a column; the tree refuses types that it does not know."""
        return self._column(j)

    def labels(self, j: int, na: Sequence[str]) -> list[str | None]:  # noqa: ARG002
        """Return a column as labels, None where the label is missing."""
        values = self._columns[j].to_pylist()
        return [None if value is None or value != value else str(value) for value in values]

    def numbers(self, j: int) -> list[float | None]:
        """Return a column as numbers, None where a value is not a finite number."""
        return [
            value if isinstance(value, int | float) and isfinite(value) else None
            for value in self._columns[j].to_pylist()
        ]

    def shown(self, j: int, row: int) -> str:
        """Return a value as errors show it."""
        return repr(self._columns[j][row].as_py())

    def _column(self, j: int) -> Column:
        types = import_optional("pyarrow.types", self.source, "parquet")
        array, where = self._columns[j], f"column {self.names[j]!r}"
        kind = array.type
        if types.is_floating(kind):
            return as_numbers(array.to_numpy(zero_copy_only=False), where)
        if types.is_integer(kind) or types.is_boolean(kind):
            filled = array.fill_null(False if types.is_boolean(kind) else 0)
            missing = array.is_null().to_numpy(zero_copy_only=False)
            return as_numbers(filled.to_numpy(zero_copy_only=False), where, missing)
        if types.is_temporal(kind) and not types.is_interval(kind):
            return times_of_arrow(array)
        values = np.empty(len(array), dtype=object)
        values[:] = array.to_pylist()
        return column_of_objects(values, where)

"""The rows of Dask collections, partition by partition, and what runs their passes."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from beamtree._util.optional import import_optional
from beamtree._util.validation import Allowed

# Each merge takes the results of this many partitions, or of earlier merges.
MERGED_AT_ONCE = 8

CLIENT = Allowed(
    "None or a distributed.Client",
    lambda value: value is None or all(hasattr(value, name) for name in ("compute", "scatter")),
)


def check_client(client: Any) -> None:
    """Raise a ValueError unless a client can be used.

    Parameters
    ----------
    client : distributed.Client or None
        The client.
    """
    CLIENT.check("client", client)
    if getattr(client, "status", "running") in ("closing", "closed"):
        msg = f"client must be connected to a cluster, got one that is {client.status}"
        raise ValueError(msg)
    if getattr(client, "asynchronous", False):
        msg = (
            "client must not be asynchronous, because fit waits for its result: use "
            "Client(...) without asynchronous=True, in a thread of its own"
        )
        raise ValueError(msg)


class Chunk(NamedTuple):
    """The rows of one partition: their table, their labels or numbers, and their weights."""

    X: Any
    y: Any
    weight: Any


def is_collection(value: Any) -> bool:
    """Return whether a value is a Dask DataFrame, Series or Array.

    Parameters
    ----------
    value : object
        Any value; Dask need not be installed.

    Returns
    -------
    bool
        Whether it has partitions.
    """
    return is_frame(value) or _is_array(value)


def is_frame(value: Any) -> bool:
    """Return whether a value is a Dask DataFrame or Series."""
    module = sys.modules.get("dask.dataframe")  # it has been imported if there is a frame
    return module is not None and isinstance(value, (module.DataFrame, module.Series))


def _is_array(value: Any) -> bool:
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(value, module.Array)


def whole_rows(X: Any) -> Any:
    """Return a Dask Array whose partitions have whole rows; a DataFrame as it is."""
    if is_frame(X):
        return X
    return X if X.ndim == 2 and len(X.chunks[1]) == 1 else X.rechunk({1: -1})


class Collections:
    """Collections that have the same rows in the same partitions.

    Parameters
    ----------
    X : Dask DataFrame, or Dask Array of shape (n_rows, n_columns)
        The table.
    y : Dask Series, or Dask Array of shape (n_rows,)
        Labels or numbers.
    weight : Dask Series, Dask Array of shape (n_rows,), number or None
        Weights of the rows.
    client : distributed.Client or None
        The cluster on which passes run; None for threads of this process.
    """

    def __init__(self, X: Any, y: Any, weight: Any, client: Any) -> None:
        check_client(client)
        if y is None:
            msg = "y must be a Dask Series or Array with the labels of the rows, got None"
            raise ValueError(msg)
        if getattr(X, "ndim", 2) != 2:
            msg = f"X must have two dimensions, got {X.ndim}: a table has rows and columns"
            raise ValueError(msg)
        self._dask = import_optional("dask", "fitting a Dask collection", "dask")
        self._client = client
        self._X = whole_rows(X)
        _check_categories(self._X)
        n_partitions = _n_partitions(self._X)
        self._y = self._column("y", y, n_partitions)
        self._weight = (
            [weight] * n_partitions
            if weight is None or (np.ndim(weight) == 0 and not is_collection(weight))
            else self._column("sample_weight", weight, n_partitions)
        )

    @property
    def example(self) -> Any:
        """A table in memory with the names and types of the columns, and few rows."""
        if is_frame(self._X):
            return self._X._meta_nonempty
        return np.zeros((1, self._X.shape[1]), dtype=self._X.dtype)

    def _column(self, name: str, value: Any, n_partitions: int) -> list[Any]:
        """Return the partitions of labels or weights."""
        if not is_collection(value) or getattr(value, "ndim", 1) != 1:
            shown = f"a {type(value).__name__}"
            if is_collection(value):
                shown += f" of {value.ndim} dimensions"
            msg = (
                f"{name} must be a Dask Series or a Dask Array of one dimension, because X is a "
                f"Dask collection; got {shown}"
            )
            raise ValueError(msg)
        if _n_partitions(value) != n_partitions:
            msg = (
                f"{name} must have the partitions of X, which has {n_partitions}; got "
                f"{_n_partitions(value)}: repartition or rechunk one of them"
            )
            raise ValueError(msg)
        return _delayed(value)

    def reduce(
        self,
        task: Callable[[Chunk, Any], Any],
        merge: Callable[[Sequence[Any]], Any],
        columns: Sequence[int] | None = None,
        shared: Any = None,
    ) -> Any:
        """Run a task where each partition is, and merge the results in a tree.

        Parameters
        ----------
        task : callable
            Takes a `Chunk` and the shared object, and returns a result, or None for nothing.
        merge : callable
            Takes a sequence of results, at least one, and returns one result.
        columns : sequence of int or None, default=None
            The columns of the table that the task needs, which alone are read; None for all.
        shared : object, default=None
            What all tasks need.

        Returns
        -------
        object
            The result of all partitions; None if no partition has one.
        """
        if self._client is None:
            shared = self._dask.delayed(shared, name=f"shared-{id(shared)}", traverse=False)
        elif shared is not None:
            shared = self._client.scatter([shared], hash=False)[0]
        run = self._dask.delayed(_run, pure=False)
        chunks = zip(_delayed(self._selected(columns)), self._y, self._weight, strict=True)
        parts = [run(task, k, *chunk, shared) for k, chunk in enumerate(chunks)]
        join = self._dask.delayed(_join, pure=False)
        while True:
            groups = range(0, len(parts), MERGED_AT_ONCE)
            parts = [join(merge, parts[start : start + MERGED_AT_ONCE]) for start in groups]
            if len(parts) == 1:
                break
        found = compute(parts[0], self._client)
        del parts
        if self._client is None:
            _give_back_memory()
        return found

    def _selected(self, columns: Sequence[int] | None) -> Any:
        if columns is None:
            return self._X
        if is_frame(self._X):
            return self._X[[self._X.columns[j] for j in columns]]
        return self._X[:, list(columns)]


def compute(value: Any, client: Any) -> Any:
    """Compute a Dask object.

    Parameters
    ----------
    value : Delayed or collection
        The object.
    client : distributed.Client or None
        The cluster that computes it; None for threads of this process.

    Returns
    -------
    object
        The result.
    """
    if client is None:
        return value.compute(scheduler="threads")
    return client.compute(value, sync=True)


def _give_back_memory() -> None:
    """Give memory that freed arrays have left behind back to the system.

    The threads of Dask allocate many arrays of some megabytes. glibc keeps their memory, a separate
    part for each thread, and pyarrow does so, too: without this, it is missing in the search.
    """
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another system, or another C library
        return
    trim(0)


def _n_partitions(collection: Any) -> int:
    return int(collection.npartitions if is_frame(collection) else collection.numblocks[0])


def _delayed(collection: Any) -> list[Any]:
    """Return the partitions one by one.

    The columns that are not needed are not read. But Dask's further optimisations would join the
    partitions of a few columns of a file, so that they would differ from those of the labels.
    """
    if is_frame(collection):
        return list(collection.simplify().to_delayed(optimize_graph=False))
    blocks: list[Any] = collection.to_delayed().ravel().tolist()
    return blocks


def _check_categories(X: Any) -> None:
    """Refuse categories that are not the same in all partitions."""
    if not is_frame(X):
        return
    for name, dtype in X._meta.dtypes.items():
        if getattr(dtype, "name", "") == "category" and not X[name].cat.known:
            msg = (
                f"column {name!r} of X must have categories that Dask knows, got unknown ones, "
                f"which may differ between partitions: call .cat.as_known() first"
            )
            raise ValueError(msg)


def _run(task: Callable[..., Any], number: int, X: Any, y: Any, weight: Any, shared: Any) -> Any:
    """Run the task on one partition, unless it has no rows."""
    sizes = {"X": len(X), "y": len(y)}
    if np.ndim(weight):
        sizes["sample_weight"] = len(weight)
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{size} in {name}" for name, size in sizes.items())
        msg = (
            f"{' and '.join(sizes)} must have the same number of rows in every partition, got "
            f"{shown} in partition {number}"
        )
        raise ValueError(msg)
    return task(Chunk(X, y, weight), shared) if len(X) else None


def _join(merge: Callable[[Sequence[Any]], Any], parts: Sequence[Any]) -> Any:
    found = [part for part in parts if part is not None]
    return merge(found) if found else None

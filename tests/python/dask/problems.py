"""Random tables, divided into random partitions."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd


def random_column(rng, n_rows):
    """Return a column of a random kind, with many ties and often with missing values."""
    kind = rng.choice(["float", "int", "bool", "text", "ordered", "date", "objects", "nullable"])
    codes = rng.integers(0, rng.choice([2, 3, 6, 30]), n_rows)
    missing = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.3])
    if kind == "float":
        return pd.Series(np.where(missing, np.nan, codes / 3 - 1.0))
    if kind == "int":
        return pd.Series(codes - 2)
    if kind == "bool":
        return pd.Series(codes % 2 == 0)
    if kind == "text":
        return pd.Series([f"c{code}" for code in codes], dtype="str").mask(missing)
    if kind == "ordered":
        names = [f"c{code}" for code in range(8)]
        return pd.Series(pd.Categorical.from_codes(codes % 8, names, ordered=rng.random() < 0.5))
    if kind == "date":
        days = np.datetime64("2026-01-01") + codes.astype("timedelta64[D]")
        return pd.Series(days.astype("datetime64[s]")).mask(missing)
    if kind == "objects":
        return pd.Series(
            [None if m else int(c) for c, m in zip(codes, missing, strict=True)], dtype=object
        )
    return pd.Series(codes, dtype="Int64").mask(missing)


def random_table(rng):
    """Return a data frame, or an array of numbers."""
    n_rows, n_columns = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    if rng.random() < 0.3:
        X = rng.integers(0, rng.choice([2, 4]), (n_rows, n_columns))
        return X if rng.random() < 0.5 else X / 2.0
    return pd.DataFrame({f"column {j}": random_column(rng, n_rows) for j in range(n_columns)})


def random_weight(rng, n_rows, *, exact):
    """Return weights of rows, or None."""
    kind = rng.choice(["none", "none", "integers", "zeros", "real"])
    if kind == "none" or n_rows < 2:
        return None
    if kind == "real" and not exact:
        return rng.random(n_rows) + 0.1
    weight = rng.integers(0 if kind == "zeros" else 1, 4, n_rows).astype(float)
    weight[rng.integers(n_rows)] = 1.0
    return weight


def random_sizes(rng, n_rows):
    """Return the numbers of rows of some partitions, one of which may be empty."""
    ends = np.sort(rng.integers(0, n_rows + 1, rng.integers(0, 4)))
    return np.diff([0, *ends.tolist(), n_rows])


def divided(values, sizes):
    """Return a table, or one value per row, as a Dask collection with these partitions."""
    if isinstance(values, np.ndarray):
        chunks = tuple(int(size) for size in sizes)
        rest = tuple((width,) for width in values.shape[1:])
        return da.from_array(values, chunks=(chunks, *rest))
    ends = np.cumsum(sizes)
    parts = [values.iloc[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    return dd.from_map(lambda part: part, parts, meta=values.iloc[:0])

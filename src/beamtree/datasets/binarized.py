"""Datasets that ship with scikit-learn, as zeros and ones."""

from __future__ import annotations

import numpy as np

from beamtree.datasets.binary import BinaryData


def load_binarized(name: str, n_thresholds: int = 4) -> BinaryData:
    """Return a dataset that ships with scikit-learn, cut at quantiles.

    Parameters
    ----------
    name : {"breast_cancer", "digits", "iris", "wine"}
        The dataset.
    n_thresholds : int, default=4
        Number of thresholds a column, at evenly spaced quantiles; fewer where quantiles
        coincide. The default cuts at 20, 40, 60 and 80 percent.

    Returns
    -------
    BinaryData
        One feature ``column <= threshold`` a threshold; constant features are left out.

    Examples
    --------
    >>> from beamtree.datasets import load_binarized
    >>> data = load_binarized("iris")
    >>> data.X.shape, data.feature_names[0]
    ((150, 16), 'sepal length (cm) <= 5')
    """
    # Imported here: sklearn.datasets takes longer to import than the rest of this package.
    from sklearn import datasets

    names = ("breast_cancer", "digits", "iris", "wine")
    if name not in names:
        msg = f"name must be one of {', '.join(names)}, got {name!r}"
        raise ValueError(msg)
    bunch = getattr(datasets, f"load_{name}")()
    levels = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    columns = []
    feature_names = []
    for column, title in zip(bunch.data.T, bunch.feature_names, strict=True):
        for threshold in np.unique(np.quantile(column, levels)):
            below = column <= threshold
            if not below.all():
                columns.append(below)
                feature_names.append(f"{title} <= {threshold:g}")
    X = np.column_stack(columns).astype(np.uint8)
    class_names = [str(label) for label in bunch.target_names]
    return BinaryData(X, bunch.target.astype(np.intp), feature_names, class_names)

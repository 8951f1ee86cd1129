"""Datasets that ship with scikit-learn, converted to zeros and ones."""

from __future__ import annotations

import numpy as np

from beamtree.datasets.binary import BinaryData


def load_binarized(name: str, n_thresholds: int = 4) -> BinaryData:
    """Return a dataset that ships with scikit-learn, with its columns cut at quantiles.

    Parameters
    ----------
    name : {"breast_cancer", "digits", "iris", "wine"}
        The dataset.
    n_thresholds : int, default=4
        The number of thresholds per column, at evenly spaced quantiles. Columns in which
        quantiles coincide get fewer. The default cuts at 20, 40, 60 and 80 percent.

    Returns
    -------
    BinaryData
        One feature ``column <= threshold`` per threshold, without constant features.

    Examples
    --------
    >>> from beamtree.datasets import load_binarized
    >>> data = load_binarized("iris")
    >>> data.X.shape, data.feature_names[0]
    ((150, 16), 'sepal length (cm) <= 5')
    """
    # Imported here because sklearn.datasets takes longer to import than the rest of the package.
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

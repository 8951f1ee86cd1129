"""Estimators for tables that do not fit into memory, and searches that a cluster does.

>>> from beamtree.dask import DaskOptimalTreeClassifier
>>> DaskOptimalTreeClassifier(max_depth=3)
DaskOptimalTreeClassifier(max_depth=3)

They need ``pip install beamtree[dask]``. The modules are used in this order: `_collections` knows
the partitions, and runs tasks over them; `_distinct` merges equal values and equal rows; `_columns`
learns the tests of the columns; `_rows` ranks the rows and collects them; `_read` does all this
for a fit, and `_predict` predicts by partition. `_distributed_search` leaves the work of a search
to the workers of a cluster, where `_helper` does it.
"""

from beamtree.dask.classifier import DaskOptimalTreeClassifier
from beamtree.dask.regressor import DaskOptimalTreeRegressor

__all__ = ["DaskOptimalTreeClassifier", "DaskOptimalTreeRegressor"]

"""A mark for tests whose fits end at a limit on purpose."""

import pytest

# Such fits warn, and warnings are errors in the tests. tests/python/classifier/test_unproved.py
# tests the warning itself.
unfinished = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

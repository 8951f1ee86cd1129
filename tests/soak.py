"""Long versions of tests, which only `make soak` runs."""

import pytest


def trials(usual, soak):
    """Return the values of a parameter that counts trials.

    Parameters
    ----------
    usual : int
        Number of trials of `make test`.
    soak : int
        Number of all trials. The trials after the usual ones have the marker `soak`: `make test`
        leaves them out, and `make soak` runs them.
    """
    more = (pytest.param(trial, marks=pytest.mark.soak) for trial in range(usual, soak))
    return [*range(usual), *more]

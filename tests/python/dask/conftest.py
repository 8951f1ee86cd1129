import pytest

dask = pytest.importorskip("dask")


@pytest.fixture(autouse=True)
def objects_stay_objects():
    """Keep Dask from turning objects into text, and run tasks one after the other."""
    with dask.config.set({"dataframe.convert-string": False}):
        yield

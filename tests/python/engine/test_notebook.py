"""A real notebook: live lines are updated in place, and boxes are shown."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FIT = """
from threading import Event
from beamtree import OptimalTreeClassifier, Search
from beamtree._engine import progress
from beamtree.datasets import tic_tac_toe

progress.UPDATE_SECONDS = 0.02
X, y, _, _ = tic_tac_toe()
# The first improvement waits for updates of the line.
clf = OptimalTreeClassifier(max_depth=4, verbose=1, callback=lambda _: Event().wait(0.1)).fit(X, y)
"""


# The first fold waits for updates of the line.
CHOOSE = """
from beamtree import OptimalTreeClassifierCV

estimator = OptimalTreeClassifier(callback=lambda _: Event().wait(0.05))
chooser = OptimalTreeClassifierCV(
    estimator, max_depths=[1], leaf_penalties=[0.0, 0.01], cv=2, verbose=1
).fit(X, y)
"""


class Client(nbclient.NotebookClient):
    """A client that keeps the types of the messages from the kernel."""

    def process_message(self, message, cell, index):
        self.kinds = [*getattr(self, "kinds", []), message["msg_type"]]
        return super().process_message(message, cell, index)


@pytest.mark.filterwarnings("ignore")  # of the packages that run the notebook
def test_the_live_line_and_the_box_in_a_notebook(tmp_path):
    cells = [nbformat.v4.new_code_cell(source) for source in (FIT, "clf", "Search(X, y)", CHOOSE)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = Client(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    fit, box, search, choose = (cell.outputs for cell in notebook.cells)
    assert client.kinds.count("update_display_data") >= 4
    # All updates go to the same output, and nothing else is printed.
    assert [output.output_type for output in fit] == ["display_data"]
    line = fit[0].data["text/plain"]
    assert " s | objective 137 | bound 137 | gap 0.0% | pass " in line
    assert [output.output_type for output in choose] == ["display_data"]
    last = choose[0].data["text/plain"]
    assert re.fullmatch(r"\d+\.\d s \| 4 of 4 fits \| depth 1, penalty [\d.]+, all rows", last)
    html = box[0].data["text/html"]
    assert html.startswith("<p>Proved optimal: 137 errors</p>")
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in html
    assert '<pre style="font-family: monospace">' in html
    assert box[0].data["text/plain"].startswith("Proved optimal: 137 errors\n")
    assert search[0].data["text/html"].startswith("<p>Not started: 958 rows")

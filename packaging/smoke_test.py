"""Use an installed beamtree as a user would, to see that a wheel works; needs nothing but it.

`make wheel` and the workflow of the wheels run this file in an environment that has the wheel, and
from a folder that does not have the source.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from sklearn.datasets import load_breast_cancer

import beamtree
from beamtree import OptimalTreeClassifier
from beamtree.rules import Rule


class FewRanks(Rule):
    """Admits the best splits of a node only, and more of them in each pass."""

    def __init__(self):
        self.most = 1

    def initial_state(self, ctx):  # noqa: ARG002
        return 0

    def update(self, state, ctx):
        return max(state, ctx.rank)

    def prune(self, state):
        return state >= self.most

    def relax(self, step):
        self.most += step
        return True


def check_package():
    folder = Path(beamtree.__file__).parent
    assert beamtree.__version__ == version("beamtree")
    for name in ("py.typed", "_core.pyi", "cli/page.html", "export/page.html.j2"):
        assert (folder / name).is_file(), f"the package lacks {name}"
    return folder


def check_fit():
    X, y = load_breast_cancer(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert clf.status_ == "optimal", clf.proof_
    assert clf.n_errors_ == clf.lower_bound_ == (clf.predict(X) != y).sum()
    own = OptimalTreeClassifier(max_depth=2, rule=FewRanks()).fit(X.mean(axis=0) < X, y)
    best = OptimalTreeClassifier(max_depth=2, rule=None).fit(X.mean(axis=0) < X, y)
    assert (own.status_, own.n_errors_) == ("optimal", best.n_errors_)
    return clf.proof_


def run(*arguments, status=0):
    """Run the command line, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "beamtree", *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def check_command_line():
    with tempfile.TemporaryDirectory() as name:
        table, model = Path(name, "data.csv"), Path(name, "model.json")
        run("datasets", "export", "monks-1", table)
        run("fit", table, "--target", "class", "--depth", 3, "--save", model)
        run("predict", model, table, "--out", Path(name, "predictions.csv"))
        run("verify", model, table)
        assert Path(name, "predictions.csv").read_text().count("\n") > 100
        return json.loads(run("score", model, table, "--json"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--without-cli",
        action="store_true",
        help="the optional packages of the command line are missing, and it says so",
    )
    without_cli = parser.parse_args().without_cli
    print("Installed in", check_package())
    print("Fit:", check_fit())
    if without_cli:
        text = run("--help", status=2)
        assert "pip install beamtree[cli]" in text, text
        print("Command line:", text.strip())
    else:
        print("Command line:", check_command_line())


if __name__ == "__main__":
    main()

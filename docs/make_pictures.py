"""Draw pictures of the pages: ``python docs/make_pictures.py``.

The last one is the diagram of docs/internals/architecture.md, which a code host draws by itself. On
the site it is this picture, or the text of the diagram if that has changed. It needs Graphviz.
"""

import re
import shutil
import subprocess
from hashlib import sha256
from itertools import product
from pathlib import Path
from textwrap import wrap

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from beamtree import AnytimeDisplay, OptimalTreeClassifier
from beamtree.datasets import tic_tac_toe

IMAGES = Path(__file__).with_name("images")
CHOICES, LEVELS = 3, 3


def place(path: tuple[int, ...]) -> tuple[float, int]:
    """Return the position of the node at the end of a path of ranks."""
    x, width = 0.5, 1.0
    for rank in path:
        width /= CHOICES
        x += (rank - (CHOICES - 1) / 2) * width
    return x, -len(path)


def draw_passes() -> None:
    """Draw what three passes with a growing discrepancy look at."""
    fig, axes = plt.subplots(1, 3, figsize=(10, 2.9), layout="constrained")
    for budget, ax in enumerate(axes):
        for level in range(1, LEVELS + 1):
            for path in product(range(CHOICES), repeat=level):
                (x0, y0), (x1, y1) = place(path[:-1]), place(path)
                seen = sum(path) <= budget
                new = seen and sum(path) == budget
                colour = "tab:orange" if new and budget else "tab:blue" if seen else "lightgrey"
                order = 2 if seen else 1
                ax.plot([x0, x1], [y0, y1], color=colour, linewidth=2 if seen else 1, zorder=order)
                ax.plot(x1, y1, "o", color=colour, markersize=5 if seen else 3, zorder=order + 1)
        ax.plot(*place(()), "o", color="tab:blue", markersize=6, zorder=4)
        ax.set_title(f"pass {budget + 1}: ranks add up to at most {budget}", fontsize=10)
        ax.axis("off")
    save(fig, "passes.svg")


def save(fig: Figure, name: str) -> None:
    """Write a picture without a date, so that equal pictures are equal files."""
    dated = {"metadata": {"Date": None}} if name.endswith("svg") else {}
    fig.savefig(IMAGES / name, **dated)
    plt.close(fig)


def draw_trees() -> None:
    """Draw the trees of the README, of start.md and of trees.md, and the progress of one search."""
    iris, cancer = load_iris(as_frame=True), load_breast_cancer(as_frame=True)
    tables = {2: iris, 3: cancer, 4: cancer, 6: cancer}
    for depth, data in tables.items():
        clf = OptimalTreeClassifier(max_depth=depth)
        clf.fit(data.data, data.target_names[data.target])
        save(clf.plot().figure, f"tree-depth-{depth}.png")
        if depth == 3:
            display = AnytimeDisplay.from_estimator(clf)
            display.ax_.set_title(f"breast cancer\n{display.ax_.get_title()}")
            save(display.ax_.figure, "anytime-display.png")


def draw_passes_over_time() -> None:
    """Draw errors and lower bounds of a search with passes and of one complete pass."""
    X, y, *_ = tic_tac_toe()
    fig, ax = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
    for rule, label, colour in ((None, "one pass", "tab:orange"), ("auto", "passes", "tab:blue")):
        clf = OptimalTreeClassifier(max_depth=6, rule=rule).fit(X, y)
        end = clf.statistics_["seconds"]
        for column, style, text in (("objective", "-", "errors"), ("lower_bound", "--", "bound")):
            seconds = np.append(clf.trace_["seconds"], end)
            values = np.append(clf.trace_[column], clf.trace_[column][-1])
            name = f"{label}: {text}"
            ax.step(seconds, values, style, where="post", color=colour, label=name)
    ax.set(xscale="log", xlabel="seconds", ylabel="errors", ylim=(0, None))
    ax.legend()
    save(fig, "passes-over-time.svg")


def draw_chessboard() -> None:
    """Draw a chessboard of four fields, with the tests of CART and of the best tree."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (200, 2))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    greedy = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    best = OptimalTreeClassifier(max_depth=2).fit(X, y)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 300)] * 2), axis=-1)
    fig, axes = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True, layout="constrained")
    for ax, name, tree in zip(axes, ("CART", "the best tree"), (greedy, best), strict=True):
        shown = tree.predict(grid.reshape(-1, 2)).reshape(300, 300)
        ax.imshow(shown, origin="lower", extent=(-1, 1, -1, 1), cmap="coolwarm", alpha=0.3)
        ax.scatter(*X.T, c=y, cmap="coolwarm", s=12)
        ax.set_title(f"{name} of depth 2: {(tree.predict(X) != y).sum()} errors", fontsize=10)
    save(fig, "chessboard.svg")


def draw_cache() -> None:
    """Draw how two orders of the same tests lead to the same rows."""
    fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
    texts = {
        (0.5, 1.0): "all rows",
        (0.2, 0.5): "a holds",
        (0.8, 0.5): "b holds",
        (0.5, 0.0): "a and b hold:\none entry of the cache",
    }
    for start, end, test in (
        ((0.5, 1.0), (0.2, 0.5), "a"),
        ((0.5, 1.0), (0.8, 0.5), "b"),
        ((0.2, 0.5), (0.5, 0.0), "b"),
        ((0.8, 0.5), (0.5, 0.0), "a"),
    ):
        ax.plot(*zip(start, end, strict=True), color="grey", zorder=1)
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        ax.text(*middle, test, ha="center", va="center", backgroundcolor="white", fontsize=11)
    for (x, y), text in texts.items():
        box = {"boxstyle": "round", "facecolor": "tab:orange" if y == 0 else "lightblue"}
        ax.text(x, y, text, ha="center", va="center", bbox=box, zorder=2)
    ax.set(xlim=(0, 1), ylim=(-0.2, 1.15))
    ax.axis("off")
    save(fig, "cache.svg")


def dot_of(diagram: str) -> str:
    """Return a flowchart of mermaid, of the kind that our page has, in the language of dot."""
    lines = [
        "digraph {",
        "bgcolor=white; nodesep=0.15; ranksep=0.3;",
        'node [shape=box, style="rounded,filled", fillcolor="#eef4fa"];',
        'node [fontname="sans-serif", fontsize=14];',
        'edge [fontname="sans-serif", fontsize=12, color="#666666", fontcolor="#444444"];',
    ]
    node = re.compile(r'(\w+)(?:\["(.*?)"\]|\[\("(.*?)"\)\])')
    for name, text, store in node.findall(diagram):
        head, colon, rest = (text or store).partition(": ")
        parts = [head + colon.strip(), *wrap(rest, 22)] if colon else wrap(head, 22)
        words = "\\n".join(parts)
        lines.append(f'{name} [label="{words}"{", shape=cylinder" if store else ""}];')
    edge = re.compile(r'^(\w+) (<?-->)(?:\|"(.*?)"\|)? (\w+)$', re.MULTILINE)
    plain = re.sub(r"^ +", "", node.sub(r"\1", diagram), flags=re.MULTILINE)
    for start, arrow, label, end in edge.findall(plain):
        both = ", dir=both" if arrow.startswith("<") else ""
        words = "\\n".join(wrap(label, 24))
        lines.append(f'{start} -> {end} [label=" {words}"{both}];')
    return "\n".join([*lines, "}"])


def draw_architecture() -> None:
    """Draw the diagram of the page on the architecture."""
    page = IMAGES.parent / "internals" / "architecture.md"
    [diagram] = re.findall(r"^```mermaid\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    command = [shutil.which("dot") or "dot", "-Tsvg"]
    text = dot_of(diagram)
    drawn = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    # The site shows the picture only if it was drawn from the diagram as it is.
    mark = f"<!-- of {sha256(diagram.encode()).hexdigest()} -->\n"
    (IMAGES / "architecture.svg").write_text(drawn.stdout + mark)


if __name__ == "__main__":
    mpl.rcParams["svg.hashsalt"] = "beamtree"
    draw_trees()
    draw_chessboard()
    draw_cache()
    draw_passes()
    draw_passes_over_time()
    draw_architecture()

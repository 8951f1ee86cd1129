"""Draw pictures of the pages: ``python docs/make_pictures.py``.

One is the diagram of docs/internals/architecture.md, which a code host draws by itself. On the site
it is this picture, or the text of the diagram if that has changed. It needs Graphviz.
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
    fig.savefig(IMAGES / "passes.svg", metadata={"Date": None})
    plt.close(fig)


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
    draw_passes()
    draw_architecture()

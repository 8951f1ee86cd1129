"""Recipes of docs/internals/extending.md, followed to the letter."""

import re
from textwrap import dedent

from tests import ROOT

PAGE = (ROOT / "docs" / "internals" / "extending.md").read_text()
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"(new file\s+)?`([\w./]+\.\w+)`", re.IGNORECASE)


def section(title):
    """The text below a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def follow(title, root):
    """Make the changes of a recipe in a copy of the repository, and return the changed paths.

    A block belongs to the last file that is named before it.
    """
    text, end, changed = section(title), 0, []
    for block in BLOCK.finditer(text):
        names = FILE.findall(text[end : block.start()])
        if names:
            new, path = names[-1]
            changed.append(path)
        end = block.end()
        code = dedent(block[3])
        if block[2] == "diff":
            change(root / path, code)
        else:
            assert new, f"{path}: a block that is neither a new file nor a change"
            assert not (root / path).exists(), path
            (root / path).write_text(code)
    return list(dict.fromkeys(changed))


def change(path, diff):
    """Replace the lines of a block without those that begin with + by its lines without -."""
    signs = {line[:1] or " " for line in diff.splitlines()}
    assert signs <= {" ", "+", "-"}, f"{path}: {diff}"
    before, after = (
        "".join(f"{line[1:]}\n" for line in diff.splitlines() if line[:1] != left_out)
        for left_out in "+-"
    )
    text = path.read_text()
    assert text.count(before) == 1, f"{path} has {text.count(before)} times:\n{before}"
    path.write_text(text.replace(before, after))

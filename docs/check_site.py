"""Check the built site: ``python docs/check_site.py build/docs``.

Every link inside the site leads to a file that exists, and to an anchor of it, and every public
name of the package is documented. No network is needed.
"""

import importlib
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util.inventory import InventoryFile

import beamtree

MODULES = (
    "datasets",
    "export",
    "heuristics",
    "metrics",
    "model_selection",
    "objectives",
    "rules",
    "schedules",
    "study",
)


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors = {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the anchor of one tag."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """Return a line for each link that leads nowhere."""
    paths = [path.resolve() for path in sorted(site.rglob("*.html"))]
    pages = {path: Page(path) for path in paths if "_static" not in path.parts}  # templates
    lines = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            where = f"{path.relative_to(site.resolve())}: {link}"
            if not target.is_file():
                lines.append(f"{where}: there is no such file")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                lines.append(f"{where}: there is no such anchor")
    return lines


def public_names() -> list[tuple[str, str]]:
    """Return the module and the name of everything public."""
    names = [("beamtree", name) for name in beamtree.__all__ if not name.startswith("_")]
    for module in (f"beamtree.{name}" for name in MODULES):
        values = vars(importlib.import_module(module))
        own = [n for n, v in values.items() if getattr(v, "__module__", "") == module]
        names += [(module, n) for n in values.get("__all__", own) if not n.startswith("_")]
    return names


def missing_names(site: Path) -> list[str]:
    """Return a line for each public name that has no place in the reference."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    known = {name for kind in inventory.data.values() for name in kind}
    return [
        f"docs/api: {module}.{name} is missing"
        for module, name in public_names()
        if not known & {f"{module}.{name}", f"beamtree.{name}", f"beamtree.export.{name}"}
    ]


if __name__ == "__main__":
    site = Path(sys.argv[1])
    problems = broken_links(site) + missing_names(site)
    print("\n".join(problems) or "All links inside the site hold, and every public name is there.")
    sys.exit(bool(problems))

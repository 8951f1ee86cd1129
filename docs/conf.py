"""The documentation site: ``make docs`` builds it into build/docs.

The pages are those of this folder, which read well on a code host, too. Three of them, `LISTS`, are
tables of contents: each line ``- [title](page)`` becomes an entry of the navigation. The changelog,
the guide for contributors, the gallery and the pages of the API are written to docs/generated.

Inventories of other projects need a network. They are fetched only if the environment variable
BEAMTREE_INVENTORIES is set.
"""

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

import beamtree

HERE = Path(__file__).parent
GENERATED = HERE / "generated"

# The navigation follows the lists of links of these pages.
LISTS = ("index", "guide", "how-it-works")
# Where the links that leave this folder lead on the site.
MOVED = {
    "CHANGELOG.md": "generated/changelog.md",
    "CONTRIBUTING.md": "generated/contributing.md",
    "examples/gallery/README.rst": "generated/gallery/index.rst",
}

project = "beamtree"
author = "The beamtree developers"
project_copyright = author
version = release = beamtree.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["README.md", "generated/gallery/**.py", "generated/gallery/**.ipynb"]
default_role = "py:obj"
toc_object_entries_show_parents = "hide"
highlight_language = "text"

myst_heading_anchors = 4

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "matplotlib": ("https://matplotlib.org/stable", None),
    }
    if os.environ.get("BEAMTREE_INVENTORIES")
    else {}
)

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["generated/gallery"],
    "backreferences_dir": "generated/backreferences",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("beamtree",),
    "reference_url": {"beamtree": None},
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "beamtree"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {
    name: []
    for name in ("index", "start", "when-to-use", "benchmarks", "faq", "generated/changelog")
}
html_theme_options = {
    "logo": {"text": f"beamtree {release}"},
    # Pages with wide tables have no list of their sections beside them.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        **{page: [] for page in ("settings", "anytime", "benchmarks", "study", "probabilities")},
    },
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def copy_pages() -> None:
    """Copy the pages at the top of the repository, with links that hold in docs/generated."""
    GENERATED.mkdir(exist_ok=True)
    for name, page in MOVED.items():
        source, target = HERE.parent / name, HERE / page
        if target.parent != GENERATED:
            continue
        text = source.read_text().replace("](docs/", "](../")
        if not target.exists() or target.read_text() != text:
            target.write_text(text)


def read_page(_app: Sphinx, name: str, content: list[str]) -> None:
    """Lead links out of this folder to their pages on the site, and add the navigation."""
    folder = "../" * name.count("/")
    for outside, inside in MOVED.items():
        content[0] = content[0].replace(f"]({folder}../{outside}", f"]({folder}{inside}")
    for diagram in re.findall(r"^```mermaid\n(.*?)^```$", content[0], re.DOTALL | re.MULTILINE):
        if (
            sha256(diagram.encode()).hexdigest()
            in (HERE / "images" / "architecture.svg").read_text()
        ):
            picture = f"![How a table becomes a tree]({folder}images/architecture.svg)"
            content[0] = content[0].replace(f"```mermaid\n{diagram}```", picture)
    if name in LISTS:
        links = re.findall(r"^- \*{0,2}\[([^]]+)\]\(([^)#]+)\)", content[0], re.MULTILINE)
        entries = "\n".join(f"{title} <{page.rpartition('.')[0]}>" for title, page in links)
        content[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def skip_member(_app: Sphinx, _what: str, name: str, value: Any, skip: bool, _options: Any) -> bool:  # noqa: FBT001
    """Leave out what other packages and the classes of Python hand down."""
    home = getattr(value, "__module__", None) or getattr(
        getattr(value, "fget", None), "__module__", ""
    )
    foreign = not str(home).startswith("beamtree")
    return skip or name.startswith("_") or (callable(value) and foreign)


def escape_shapes(
    _app: Sphinx, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]
) -> None:
    """Keep ``n_classes_`` in the shape of an array from being read as a link."""
    for number, line in enumerate(lines):
        if "shape (" in line:
            lines[number] = re.sub(r"(\w)_(?=[,)])", r"\1\\_", line)


def setup(app: Sphinx) -> None:
    """Register what is particular to this site."""
    copy_pages()
    app.add_lexer("mermaid", TextLexer)  # for a diagram without a picture of its present form
    app.connect("source-read", read_page)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", escape_shapes, priority=900)  # after numpydoc

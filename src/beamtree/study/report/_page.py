"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from beamtree._util.optional import import_optional


def page(content: dict[str, Any]) -> str:
    """Return the page.

    All that comes from data is escaped, and the page's own policy lets no script run but ours and
    no request leave.

    Parameters
    ----------
    content : dict
        What the template names. SVG of ours is under the keys ``"svg"``.

    Returns
    -------
    str
        HTML.
    """
    jinja2 = import_optional("jinja2", "report", "study")
    markup = import_optional("markupsafe", "report", "study").Markup
    script = "\n" + _part("page.js")
    digest = hashlib.sha256(script.encode()).digest()
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}  # in the order given
    template = environment.from_string(_part("template.html.j2"))
    html: str = template.render(
        _marked(content, markup),
        style=markup(_part("page.css")),
        script=markup(script),
        script_hash="sha256-" + base64.b64encode(digest).decode(),
    )
    return html.strip() + "\n"


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _marked(content: Any, markup: Any) -> Any:
    """Return the content with our own SVG marked as what needs no escape."""
    if isinstance(content, dict):
        return {
            key: markup(value) if key == "svg" else _marked(value, markup)
            for key, value in content.items()
        }
    return [_marked(value, markup) for value in content] if type(content) is list else content

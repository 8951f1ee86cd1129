"""The report as one HTML page that needs no other file."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from beamtree._util.optional import import_optional


def page(content: dict[str, Any]) -> str:
    """Return the page.

    Everything that comes from the data is escaped. The page's security policy allows no other
    script than ours, and no request.

    Parameters
    ----------
    content : dict
        The values that the template names. SVG from our own figures is under the keys ``"svg"``.

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
    # Jinja would sort the keys; the curves keep the order of the systems.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
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
    """Return the content with our own SVG marked as safe, so that it is not escaped."""
    if isinstance(content, dict):
        return {
            key: markup(value) if key == "svg" else _marked(value, markup)
            for key, value in content.items()
        }
    return [_marked(value, markup) for value in content] if type(content) is list else content

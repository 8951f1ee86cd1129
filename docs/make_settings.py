"""Write the tables of settings in docs/settings.md: ``python docs/make_settings.py``."""

import re
from pathlib import Path

from beamtree._engine.settings import SETTINGS, Setting

PAGE = Path(__file__).with_name("settings.md")


def row(setting: Setting) -> str:
    """Return the line of a setting."""
    words = setting.allowed.words.replace("|", r"\|")
    option = "" if setting.option is None else f"`{setting.option}`"
    cells = [f"`{setting.name}`", f"`{setting.default!r}`", words, setting.meaning, option]
    return f"| {' | '.join(cells)} |"


def table(part: str) -> str:
    """Return the table of the settings of a part."""
    lines = ["| setting | default | allowed values | meaning | option |", "| :-- " * 5 + "|"]
    lines += [row(setting) for setting in SETTINGS.values() if setting.part == part]
    return "\n".join(lines)


def with_table(page: str) -> str:
    """Return the text of the page, with tables that agree with the declaration."""
    for part in ("problem", "strategy", "control"):
        begin, end = f"<!-- {part}: written by make_settings.py -->\n", f"<!-- end of {part} -->"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        block = f"{begin}{table(part)}\n{end}"
        page, found = re.subn(pattern, lambda _, block=block: block, page, flags=re.DOTALL)
        assert found == 1, part
    return page


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))

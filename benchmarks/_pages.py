"""Write measured parts into pages: each stands between two comments that name it."""

import re


def fill(page, script, parts):
    """Replace parts of a page.

    Parameters
    ----------
    page : Path
        A Markdown file that has, for each part, the comments ``<!-- NAME: written by SCRIPT -->``
        and ``<!-- end of NAME -->``.
    script : str
        The file name of the script that writes.
    parts : dict of str
        The new text of each part.
    """
    text = page.read_text()
    for name, new in parts.items():
        begin, end = f"<!-- {name}: written by {script} -->", f"<!-- end of {name} -->"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        whole = f"{begin}\n{new}\n{end}"
        text, found = re.subn(pattern, lambda _, whole=whole: whole, text, flags=re.DOTALL)
        if found != 1:
            raise SystemExit(f"{page}: expected one part {name!r} of {script}, found {found}")
    page.write_text(text)


def made(environment):
    """Return a sentence with the date, the versions and the machine of a measurement."""
    versions = {**environment["versions"], "Python": environment["python"]}
    *others, last = [f"{name} {number}" for name, number in versions.items()]
    return (
        f"Made on {environment['date']} with {', '.join(others)} and {last}, on one core "
        f"({environment['processor']})."
    )

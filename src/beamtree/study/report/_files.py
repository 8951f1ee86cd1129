"""The files of a report, and the removal of those that an earlier report made."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from beamtree._util.atomic_files import write_whole

# The list of the files that a report made, in the same folder.
LIST = "files.json"


class ReportFiles:
    """The files of a report, in one folder.

    Parameters
    ----------
    folder : Path
        The folder, which is made if it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.study.report._files import ReportFiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("old.csv", "new.csv"):
    ...         files = ReportFiles(Path(folder))
    ...         files.write(name, b"1")
    ...         files.finish()
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['files.json', 'new.csv']
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._hashes: dict[str, str] = {}

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the report; an existing one is replaced."""
        write_whole(self.folder / name, content)
        self._hashes[name] = sha256(content).hexdigest()

    def finish(self) -> None:
        """Remove the files of earlier reports that this one has not, and write the list.

        A file is removed only if it is in the list of the earlier report and was not changed since.
        """
        for name, digest in self._earlier().items():
            path = self.folder / name
            if name in self._hashes or Path(name).name != name or not path.is_file():
                continue
            if sha256(path.read_bytes()).hexdigest() == digest:
                path.unlink()
        listed = json.dumps(dict(sorted(self._hashes.items())), indent=1) + "\n"
        write_whole(self.folder / LIST, listed.encode())

    def _earlier(self) -> dict[str, str]:
        """Return the files of the last report with their SHA-256; none if the list is not ours."""
        try:
            listed = json.loads((self.folder / LIST).read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(listed, dict):
            return {}
        return {name: digest for name, digest in listed.items() if isinstance(digest, str)}

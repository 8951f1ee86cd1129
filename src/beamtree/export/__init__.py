"""Trees in other forms."""

from beamtree.export.text import export_text

__all__ = ["export_text"]

"""Replacement of operators of other vendors, and of those of ONNX that have no function body."""

from pathlib import Path

from ...discovery import import_folder


def load_rules() -> None:
    """Import every module of this folder, so that `site.REPLACEMENTS` holds the rules of all of them."""
    import_folder(Path(__file__).parent)

"""Rules by which operators that exporters wrote out are recognised, one file a family."""

from pathlib import Path

from ...discovery import import_folder


def load_rules() -> None:
    """Import every module of this folder, so that `rules.RULES` holds the rules of all of them."""
    import_folder(Path(__file__).parent)

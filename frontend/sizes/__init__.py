"""Resolution of operators with data-dependent sizes: a rule per operator."""

from pathlib import Path

from ...discovery import import_folder


def load_rules() -> None:
    """Import every module of this folder, so that `sized.RULES` holds the rules of all of them."""
    import_folder(Path(__file__).parent)

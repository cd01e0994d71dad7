"""Rules by which operators that exporters wrote out are recognised, one file a family."""

from importlib import import_module
from pathlib import Path


def load_rules() -> None:
    """Import every module of this folder, so that `rules.RULES` holds the rules of all of them."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem != "__init__":
            import_module(f"{__name__}.{file.stem}")

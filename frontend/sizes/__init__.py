"""What becomes of operators whose tensors have, or decide, sizes that depend on data: a rule per operator."""

from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def load_rules() -> None:
    """Import every module of this folder, so that `sized.RULES` holds the rules of all of them."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem != "__init__":
            import_module(f"{__name__}.{file.stem}")

"""Operators that others make up: those of ONNX Runtime, and those of ONNX that have no function body."""

from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def load_rules() -> None:
    """Import every module of this folder, so that `site.REPLACEMENTS` holds the rules of all of them."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem != "__init__":
            import_module(f"{__name__}.{file.stem}")

"""From onnx to the tensor level: ranges of integers, a rule per operator, simplification of scalar code."""

from importlib import import_module
from pathlib import Path


def load_rules() -> None:
    """Import every module of this folder, so that `lowerer.LOWERINGS` holds the rules of all of them."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem != "__init__":
            import_module(f"{__name__}.{file.stem}")

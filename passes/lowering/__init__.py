"""From onnx to the tensor level: ranges of integers, a rule per operator, simplification of scalar code."""

from pathlib import Path

from ...discovery import import_folder


def load_rules() -> None:
    """Import every module of this folder, so that `lowerer.LOWERINGS` holds the rules of all of them."""
    import_folder(Path(__file__).parent)

"""Modules found by where their files lie, so that nothing lists passes, dialects or rules."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0]
_ROOT = Path(__file__).parent


def files(*patterns: str) -> list[Path]:
    """Return the files of the package that match one of these patterns, but for `__init__.py`, sorted."""
    found = {file for pattern in patterns for file in _ROOT.glob(pattern)}
    return sorted(file for file in found if file.stem != "__init__")


def module_at(file: Path) -> ModuleType:
    """Import the module of the package that a file holds."""
    return import_module(".".join((_PACKAGE, *file.relative_to(_ROOT).with_suffix("").parts)))


@cache
def import_folder(folder: Path) -> None:
    """Import every module of a folder of the package, whose rules then are in their tables."""
    for file in files(f"{folder.relative_to(_ROOT).as_posix()}/*.py"):
        module_at(file)

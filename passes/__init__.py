"""
The passes, discovered: `passes/foo_bar.py` and `targets/*/passes/foo_bar.py` define `FooBarPass`, named `foo-bar`.

xDSL's own passes are known too; where a name is taken twice, Tilewright's pass is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from xdsl.passes import ModulePass

from ..discovery import files, module_at


def own_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return a factory for each of Tilewright's passes, by the pass's name."""
    return {file.stem.replace("_", "-"): partial(_load, file) for file in files("passes/*.py", "targets/*/passes/*.py")}


def all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return a factory for each known pass, xDSL's included, by the pass's name."""
    from xdsl.transforms import get_all_passes

    return get_all_passes() | own_passes()


@cache
def _load(file: Path) -> type[ModulePass]:
    words = file.stem.split("_")
    return getattr(module_at(file), "".join(word.capitalize() for word in words) + "Pass")

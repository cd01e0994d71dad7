"""
The passes, discovered: `passes/foo_bar.py` and `targets/*/passes/foo_bar.py` define `FooBarPass`, named `foo-bar`.

xDSL's own passes are known too; where a name is taken twice, Tilewright's pass is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from xdsl.passes import ModulePass

_PACKAGE = __name__.rpartition(".")[0]
_ROOT = Path(__file__).parent.parent


def own_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return a factory for each of Tilewright's passes, by the pass's name."""
    files = [*_ROOT.glob("passes/*.py"), *_ROOT.glob("targets/*/passes/*.py")]
    return {file.stem.replace("_", "-"): partial(_load, file) for file in sorted(files) if file.stem != "__init__"}


def all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return a factory for each known pass, xDSL's included, by the pass's name."""
    from xdsl.transforms import get_all_passes

    return get_all_passes() | own_passes()


@cache
def _load(file: Path) -> type[ModulePass]:
    module = ".".join((_PACKAGE, *file.relative_to(_ROOT).with_suffix("").parts))
    words = file.stem.split("_")
    return getattr(import_module(module), "".join(word.capitalize() for word in words) + "Pass")

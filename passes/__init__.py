"""
Registry of passes: `passes/foo_bar.py`, here or in a target's folder, defines `FooBarPass` with the name `foo-bar`.

Passes of plug-ins (`plugins.py`) and of xDSL are registered too; Tilewright's take precedence over those of xDSL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from xdsl.passes import ModulePass

from ..discovery import files, is_inside, module_at, target_files, unique
from ..errors import Diagnostic
from ..plugins import plugins

Factory = Callable[[], type[ModulePass]]


def own_passes() -> dict[str, Factory]:
    """
    Return a factory for each pass of Tilewright and of its targets, by name. Raises Diagnostic for a duplicate name.
    """
    return {name: partial(_load, file) for name, file in _files().items()}


def passes_by_origin() -> dict[str, Mapping[str, Factory]]:
    """Return the factories of all passes by origin: Tilewright, each plug-in, xDSL."""
    from xdsl.transforms import get_all_passes

    own, hidden = own_passes(), {name for name, file in _files().items() if is_inside(file)}
    others = {plugin.origin: plugin.passes for plugin in plugins()}
    left = {name: partial(_of_xdsl, load) for name, load in get_all_passes().items() if name not in hidden}
    return {"Tilewright": own, **others, "xDSL": left}


def _of_xdsl(load: Factory) -> type[ModulePass]:
    """Load a pass of xDSL, whose rewrite patterns are corrected before."""
    from .core.mended import correct_rewrites

    correct_rewrites()
    return load()


def all_passes() -> dict[str, Factory]:
    """Return a factory for each pass by its name. Raises Diagnostic for a duplicate name."""
    return unique(passes_by_origin(), "passes")


def _files() -> dict[str, Path]:
    paths = [*files("passes/*.py"), *target_files("passes/*.py")]
    return unique({str(file): {_name(file): file} for file in paths}, "passes")


def _name(file: Path) -> str:
    return file.stem.replace("_", "-")


def _load(file: Path) -> type[ModulePass]:
    words = "".join(word.capitalize() for word in file.stem.split("_"))
    pass_class = getattr(module_at(file), f"{words}Pass", None)
    if getattr(pass_class, "name", None) == _name(file):
        return pass_class  # pyright: ignore[reportReturnType]
    raise Diagnostic(
        "the file does not define its pass",
        where=str(file),
        expected=f'class {words}Pass(Pass) with name = "{_name(file)}"',
        found=f"the name '{getattr(pass_class, 'name', None)}'" if pass_class is not None else f"no {words}Pass",
    )

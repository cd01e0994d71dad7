"""
The output formats of `opt-tool -t`, discovered.

A file `passes/formats/foo.py`, or `formats/foo.py` of a target's folder, defines `FooTarget`, an
`xdsl.utils.target.Target` named `foo`. Nothing here lists them, and a file is imported when its format is first used.
Those of plug-ins and xDSL's own are known too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...discovery import files, module_at, target_files, unique
from ...plugins import plugins

if TYPE_CHECKING:
    from xdsl.utils.target import Target


def own_formats() -> dict[str, Callable[[], type[Target]]]:
    """Return a factory for each of Tilewright's output formats and those of targets, by the format's name."""
    paths = [*files("passes/formats/*.py"), *target_files("formats/*.py")]
    return {file.stem.replace("_", "-"): partial(_load, file) for file in paths}


def all_formats() -> dict[str, Callable[[], type[Target]]]:
    """Return a factory for each known output format by its name. Raises Diagnostic where two have the same name."""
    return unique(formats_by_origin(), "output formats")


def formats_by_origin() -> dict[str, Mapping[str, Callable[[], type[Target]]]]:
    """Return the factories of the known output formats: Tilewright's, those of each plug-in, xDSL's, in sections."""
    from xdsl.targets import get_all_targets

    own = own_formats()
    others = {plugin.origin: plugin.formats for plugin in plugins()}
    left = {name: load for name, load in get_all_targets().items() if name not in own}
    return {"Tilewright": own, **others, "xDSL": left}


def _load(file: Path) -> type[Target]:
    return getattr(module_at(file), "".join(word.capitalize() for word in file.stem.split("_")) + "Target")

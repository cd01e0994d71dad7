"""
Passes, dialects and output formats from outside: of installed packages, and of files.

A package registers an `xdsl.universe.Universe` as an entry point of the group `xdsl.universe`. A file that
`--load-pass` names defines classes of passes and objects of dialects. Names are unique: none replaces another's.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, TypeGuard

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from .discovery import imported, is_inside, load_file, loaded_files, shown, unique
from .errors import Diagnostic

_GROUP = "xdsl.universe"
_KNOWN = (f"{__name__.rpartition('.')[0]}.", "xdsl.")
"""Packages whose universes are known without being loaded."""


@dataclass(frozen=True)
class Plugin:
    """Factories of passes, dialects and output formats by name, and the `origin` that they come from."""

    origin: str
    passes: Mapping[str, Callable[[], type[ModulePass]]]
    dialects: Mapping[str, Callable[[], Dialect]]
    formats: Mapping[str, Callable[[], type[Target]]]


def plugins() -> list[Plugin]:
    """Return the plug-ins of installed packages and of loaded files. Raises Diagnostic where one cannot be imported."""
    return [*_installed(tuple(sys.path)), *(_of_module(file, module) for file, module in loaded_files().items())]


def load_passes(file: str | Path) -> None:
    """Make known the passes and dialects that a file defines. Raises Diagnostic where it defines neither."""
    path = Path(file)
    module = load_file(path)
    plugin = _of_module(path, module)
    if not plugin.passes and not plugin.dialects:
        raise Diagnostic(
            "the file defines no pass and no dialect",
            where=str(path),
            expected="a class derived from ModulePass with a name, or an object Dialect(...)",
            remedy="docs/tutorial/4-write-an-op.md shows a file of each",
        )


# Failures


_FRAMES = 4
"""The frames of a plug-in's own code that an error shows: a pass, its pattern, and two functions of that."""


def author_place(error: BaseException) -> str:
    """Return file:line of the innermost frame in a plug-in's own code that an exception passed, empty if none."""
    frames = [frame for frame in traceback.walk_tb(error.__traceback__) if _is_of_author(frame[0])]
    return _place_of(*frames[-1]) if frames else ""


def author_frames(error: BaseException) -> list[str]:
    """
    Return the last frames of a plug-in's own code that an exception passed, the innermost last, with their lines.

    The frame that raised it comes after them, where it is that of another's code.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [frame for frame in frames if _is_of_author(frame[0])][-_FRAMES:]
    last = frames[-1:] if own and frames[-1] is not own[-1] else []
    return [f"{_place_of(*frame)}, in {frame[0].f_code.co_name}: {_line_of(*frame)}" for frame in (*own, *last)]


def _is_of_author(frame: FrameType) -> bool:
    return _is_authors(frame.f_code.co_filename, str(frame.f_globals.get("__name__", "")))


def _place_of(frame: FrameType, line: int) -> str:
    return f"{shown(frame.f_code.co_filename)}:{line}"


def _line_of(frame: FrameType, line: int) -> str:
    return linecache.getline(frame.f_code.co_filename, line, frame.f_globals).strip()


def _is_authors(file: str, module: str) -> bool:
    """Return whether a file is neither of this package, xDSL, Python, nor of a library without plug-ins."""
    package = module.partition(".")[0]
    is_own = is_inside(Path(file)) or Path(file).resolve().is_relative_to(Path(__file__).resolve().parent)
    if file.startswith("<") or is_own or package in sys.stdlib_module_names:
        return False
    if "site-packages" not in Path(file).parts and "dist-packages" not in Path(file).parts:
        return package != "xdsl"
    points = entry_points(group=_GROUP)
    return package in {point.value.partition(":")[0].partition(".")[0] for point in points} - {"xdsl"}


# Installed packages


@cache
def _installed(path: tuple[str, ...]) -> list[Plugin]:
    """Return the plug-ins of the packages on a module path."""
    points = [point for point in entry_points(group=_GROUP) if not point.value.startswith(_KNOWN)]
    return [_of_universe(point) for point in sorted(points, key=lambda point: point.name)]


def _of_universe(point: EntryPoint) -> Plugin:
    package = f" of the package {point.dist.name}" if point.dist is not None else ""
    origin = f"entry point '{point.name}'{package}"
    universe: object = imported(point.load, origin)
    if not isinstance(universe, Universe):
        raise Diagnostic(
            "the entry point is no universe",
            where=origin,
            expected="an object of xdsl.universe.Universe",
            found=f"{point.value}, of the type {type(universe).__name__}",
        )
    passes = {name: partial(_pass, load, name, origin) for name, load in universe.all_passes.items()}
    dialects = {name: partial(_dialect, load, name, origin) for name, load in universe.all_dialects.items()}
    return Plugin(origin, passes, dialects, universe.all_targets)


def _pass(load: Callable[[], type[ModulePass]], name: str, origin: str) -> type[ModulePass]:
    """Return the class of a pass. Raises Diagnostic where it has another name than the one it is registered by."""
    loaded = imported(load, origin)
    if loaded.name != name:
        raise _misnamed("pass", name, loaded.name, origin)
    return loaded


def _dialect(load: Callable[[], Dialect], name: str, origin: str) -> Dialect:
    return checked_dialect(imported(load, origin), name, origin)


def checked_dialect(dialect: Dialect, name: str, origin: str) -> Dialect:
    """Return a dialect from outside. Raises Diagnostic for another name, and for two ops or attributes of one name."""
    if dialect.name != name:
        raise _misnamed("dialect", name, dialect.name, origin)
    for kind, classes in (("ops", dialect.operations), ("attributes", dialect.attributes)):
        names = [definition.name for definition in classes]
        twice = len(set(names)) < len(names)
        for member in names:
            if twice and names.count(member) > 1:
                raise Diagnostic(
                    f"two {kind} of the dialect '{name}' have the name '{member}'",
                    where=origin,
                    remedy="list each class once, and give each a name of its own",
                )
            if not member.startswith(f"{name}."):
                raise Diagnostic(
                    f"'{member}' is none of the {kind} of the dialect '{name}'",
                    where=origin,
                    expected=f"a name that begins with '{name}.'",
                    found=member,
                )
    return dialect


def _misnamed(kind: str, expected: str, actual: str, origin: str) -> Diagnostic:
    return Diagnostic(
        f"the {kind} is registered by another name than it has",
        where=origin,
        expected=f"a {kind} named '{expected}'",
        found=f"'{actual}'",
    )


# Files


def _of_module(file: Path, module: ModuleType) -> Plugin:
    """Return the passes and dialects that a module defines, imported ones left out."""
    values = list({id(value): value for value in vars(module).values()}.values())
    origin = str(file)
    passes = {value.__name__: value for value in values if isinstance(value, type) and _is_pass(value, module)}
    dialects = [value for value in values if isinstance(value, Dialect) and _is_own(value, module)]
    named = {f"{origin}: {name}": {cls.name: partial(_same, cls)} for name, cls in passes.items()}
    loads = {f"{origin}: {place}": _checked(dialect, origin) for place, dialect in enumerate(dialects, 1)}
    return Plugin(origin, unique(named, "passes"), unique(loads, "dialects"), {})


def _checked(dialect: Dialect, origin: str) -> dict[str, Callable[[], Dialect]]:
    return {dialect.name: partial(checked_dialect, dialect, dialect.name, origin)}


def _is_pass(cls: type[Any], module: ModuleType) -> TypeGuard[type[ModulePass]]:
    is_own = cls.__module__ == module.__name__
    return is_own and issubclass(cls, ModulePass) and isinstance(getattr(cls, "name", None), str)


def _is_own(dialect: Dialect, module: ModuleType) -> bool:
    """Return whether a file or its neighbours define an op or attribute of a dialect, or it has none."""
    package = f"{module.__name__.rpartition('.')[0]}."
    members = [*dialect.operations, *dialect.attributes]
    return not members or any(f"{member.__module__}.".startswith(package) for member in members)


def _same(cls: type[ModulePass]) -> type[ModulePass]:
    return cls

"""Machine files: TOML that may build on another machine, and whose engines may be those of other machines."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, cast

from ....discovery import adopt, target_files, target_folders
from ....errors import Diagnostic, did_you_mean
from ....files import read_description
from .checks import unused_levels
from .model import Machine
from .schema import machine_from

FILE = "machine.toml"
_USED = ("holds", "preloaded")
"""Keys of a level that some engine has to make use of."""


def find_machine(name_or_path: str | Path) -> Machine:
    """
    Return a machine by the name of its target, or by the path of its folder or of a machine file.

    A target's folder outside of the package is a target from then on.

    Raises Diagnostic for an unknown name, for a file that cannot be read, and for one that does not describe a machine.
    """
    path = machine_path(name_or_path)
    adopt(path)
    return load_machine(path)


def machine_path(name_or_path: str | Path, base: Path | None = None) -> Path:
    """
    Return the path of a machine's file.

    A name is that of a target, or `target/variant` for another file in its folder; what else ends in `.toml`, has a `/`
    or is a folder is a path, relative to `base`.
    """
    text, folders = str(name_or_path), target_folders()
    target, _, variant = text.partition("/")
    if text in variants():
        return folders[target] / f"{variant}.toml"
    path = (base or Path()) / text
    names = sorted(name for name, folder in folders.items() if (folder / FILE).is_file())
    if text in names and not isinstance(name_or_path, Path):
        return folders[text] / FILE
    is_variant = target in names and base is None and not path.exists()
    if (
        text.endswith(".toml")
        or ("/" in text and not is_variant)
        or isinstance(name_or_path, Path)
        or (path / FILE).is_file()
    ):
        return path / FILE if path.is_dir() else path
    kind = f", a folder without {FILE}" if path.is_dir() else ", a file of another kind" if path.exists() else ""
    raise Diagnostic(
        f"there is no machine '{text}'",
        expected=f"one of {', '.join([*names, *variants()])}, or the path of a folder with {FILE} or of a .toml file",
        found=f"{text}{kind}",
        remedy=did_you_mean(text, [*names, *variants()]),
    )


def variants() -> list[str]:
    """Return the names of the machines that are beside a target's own, as `target/variant`."""
    return [f"{file.parent.name}/{file.stem}" for file in target_files("*.toml") if file.name != FILE]


def load_machine(path: str | Path) -> Machine:
    """
    Return the machine that a file describes, named after the file, or its folder where it is called `machine.toml`.

    Raises Diagnostic that lists all that is wrong with it.
    """
    path = Path(path)
    return _load(path.resolve(), str(path))


@cache
def _load_text(path: Path, shown: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        where = f"{shown}:{place[1]}:{place[2]}" if place else shown
        raise Diagnostic(f"not a TOML file: {error}", where, remedy="docs/machines.md shows one") from error


def _load(path: Path, shown: str) -> Machine:
    table = merged_table(path, shown)
    name = path.parent.name if path.name == FILE else path.stem
    machine = machine_from(table, name, shown)
    # A level that only a machine it builds on describes may be left without the engine that used it.
    said: Any = _parse(path, shown).get("levels", {})
    levels = [level for level, keys in said.items() if isinstance(keys, dict) and not keys.keys().isdisjoint(_USED)]
    if problems := list(unused_levels(machine, levels)):
        raise Diagnostic(problems[0], shown, remedy="docs/machines.md describes the keys", notes=problems[1:])
    return machine


def merged_table(path: Path, shown: str = "", inside: tuple[Path, ...] = ()) -> dict[str, Any]:
    """
    Return the table of a machine file, with what it includes.

    A table of `include` is the base of the one that includes it: tables are merged key by key, other values replaced,
    and what is `false` is left out. An engine with `like = "MACHINE.ENGINE"` is based on that engine in the same way.
    Raises Diagnostic where a file cannot be read or includes itself.
    """
    shown = shown or str(path)
    table = _parse(path, shown)
    if path in inside:
        chain = " -> ".join(file.name for file in (*inside[inside.index(path) :], path))
        raise Diagnostic("the machine includes itself", shown, found=chain)
    include = table.pop("include", None)
    if include is not None:
        if not isinstance(include, str):
            raise Diagnostic(
                "include: expected the name of a machine or the path of its file", shown, found=str(include)
            )
        base = _included(include, path, shown)
        table = _merge(merged_table(base, inside=(*inside, path)), table)
        if (base.parent / "pipeline.txt").is_file():
            table.setdefault("pipeline", base.parent.name)
    engines = table.get("engines")
    if isinstance(engines, dict):
        named = cast("dict[str, Any]", engines)
        table["engines"] = {name: _like(name, engine, path, shown, inside) for name, engine in named.items()}
    return table


def _parse(path: Path, shown: str) -> dict[str, Any]:
    return dict(_load_text(path, shown, read_description(path, shown)))


def _included(name: str, path: Path, shown: str) -> Path:
    try:
        return machine_path(name, path.parent).resolve()
    except Diagnostic as error:
        error.message, error.where = f"include: {error.message}", shown
        raise


def _like(name: str, engine: Any, path: Path, shown: str, inside: tuple[Path, ...]) -> Any:
    """Return an engine's table, merged with that of its base engine (`like`)."""
    if not isinstance(engine, dict) or "like" not in engine:
        return cast("object", engine)
    own = dict(cast("dict[str, Any]", engine))
    machine, dot, other = str(own.pop("like")).rpartition(".")
    where = f"engines.{name}.like"
    if not dot:
        raise Diagnostic(f'{where}: expected MACHINE.ENGINE, found "{other}"', shown)
    base = merged_table(_included(machine, path, shown), inside=(*inside, path)).get("engines", {})
    if other not in base:
        hint = did_you_mean(other, base)
        raise Diagnostic(f'{where}: the machine "{machine}" has no engine "{other}"', shown, remedy=hint)
    return _merge(base[other], own)


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = _merge(cast("dict[str, Any]", old), cast("dict[str, Any]", value)) if both else value
    return {key: value for key, value in result.items() if value is not False}

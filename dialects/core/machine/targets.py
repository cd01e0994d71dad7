"""
The machines, discovered.

A machine is a folder `targets/<name>/`, or one that lies anywhere, with a `machine.toml` or a `pipeline.txt`, or a
file of any name that has the form of `machine.toml`. Nothing here lists them.
"""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from ....discovery import adopt, folders_in, target_folders
from ....errors import Diagnostic, did_you_mean
from ....files import read_description

_ATTACH = re.compile(r"attach-machine\{[^}]*\}")


@dataclass(frozen=True)
class Phase:
    """A named part of a machine's pipeline: `text` is a list of passes, `line` where it begins in the file."""

    name: str
    text: str
    line: int


@dataclass(frozen=True)
class Machine:
    """
    A machine that networks are compiled for.

    `phases` are those of its `pipeline.txt`, in order; empty where it has none. They make up the pass pipeline named
    `<name>-pipeline`.
    """

    name: str
    folder: Path
    summary: str = ""
    phases: tuple[Phase, ...] = ()

    @property
    def runtime(self) -> Path:
        """The folder of the C runtime: the machine's own `c`, else that of the target that its file includes."""
        from .file import FILE, merged_table

        own, file = self.folder / "c", self.folder / FILE
        if own.is_dir() or not file.is_file():
            return own
        base = target_folders().get(str(merged_table(file).get("pipeline")))
        return own if base is None else base / "c"


def machines(root: Path | None = None) -> dict[str, Machine]:
    """Return the known machines, or those with folders in `root`, by name. Raises Diagnostic for a malformed file."""
    folders = target_folders() if root is None else folders_in(root)
    return {name: machine_at(folder) for name, folder in folders.items()}


def machine_at(folder: Path) -> Machine:
    """Return the machine that a folder describes. Raises Diagnostic where a file of it is malformed."""
    pipeline = folder / "pipeline.txt"
    phases = parse_phases(read_description(pipeline), str(pipeline)) if pipeline.exists() else ()
    return Machine(folder.name, folder, _summary(folder), phases)


def machine_named(name_or_path: str) -> Machine:
    """
    Return a machine by its name, `target` or `target/variant`, or by the path of its folder or its file.

    A file that is not a target's own has the folder and the pipeline of the target that it names as `pipeline`, or else
    includes; the pass attach-machine in it then attaches what the file describes, not what the target does. A folder
    outside of the package is a target from then on. Raises Diagnostic for an unknown name, and where a file is
    malformed.
    """
    from .file import FILE, machine_path, merged_table, variants

    folder = target_folders().get(name_or_path)
    if folder is not None and (folder / "pipeline.txt").is_file():
        return machine_at(folder)
    path = machine_path(name_or_path).resolve()
    adopt(path)
    if path.name == FILE and (path.parent / "pipeline.txt").is_file():
        return machine_at(path.parent)
    pipeline = merged_table(path, name_or_path).get("pipeline")
    folders = target_folders()
    if not isinstance(pipeline, str) or pipeline not in folders:
        raise Diagnostic(
            "the machine has no pipeline",
            name_or_path,
            expected=f'pipeline = "NAME", one of {", ".join(folders)}',
            found=str(pipeline or "nothing"),
            remedy=did_you_mean(str(pipeline), folders) or 'give it a pipeline, or include a target: include = "host"',
        )
    base = machine_at(folders[pipeline])
    name = re.sub(r"[^\w.+-]", "_", path.stem)
    attached = name_or_path if name_or_path in variants() else str(path)
    return Machine(name, base.folder, _description_at(path), _attaching(base.phases, attached))


def _attaching(phases: tuple[Phase, ...], target: str) -> tuple[Phase, ...]:
    """Return the phases of a pipeline with another machine in its pass attach-machine, or that pass before the rest."""
    from ....grammar import quote

    attach = f"attach-machine{{target={quote(target)}}}"
    changed = tuple(replace(phase, text=_ATTACH.sub(lambda _: attach, phase.text)) for phase in phases)
    return changed if any(attach in phase.text for phase in changed) else (Phase("machine", attach, 0), *phases)


def parse_phases(text: str, source: str) -> tuple[Phase, ...]:
    """
    Parse a `pipeline.txt`: lines `phase: pass1,pass2{..}`, `#` comments; an indented line continues the one before.

    Raises Diagnostic where a line is none of these, or a phase is empty or named twice.
    """
    phases: dict[str, Phase] = {}
    last = ""
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("#")[0].rstrip()
        if not code:
            continue
        if code[0].isspace() and last:
            phases[last] = Phase(last, f"{phases[last].text} {code.strip()}".strip(), phases[last].line)
            continue
        last, colon, passes = code.partition(":")
        if not colon or not last.strip().replace("-", "_").isidentifier():
            raise Diagnostic("not a phase", f"{source}:{number}", "phase: pass1,pass2", code)
        if last in phases:
            raise Diagnostic(f"the phase '{last}' occurs twice", f"{source}:{number}")
        phases[last] = Phase(last, passes.strip(), number)
    for phase in phases.values():
        if not phase.text:
            raise Diagnostic(f"the phase '{phase.name}' has no pass", f"{source}:{phase.line}")
    return tuple(phases.values())


def _summary(folder: Path) -> str:
    """Return one line about a machine: `description =`, else the first comment of a file, else the docstring."""
    toml, init, pipeline = folder / "machine.toml", folder / "__init__.py", folder / "pipeline.txt"
    if toml.is_file() and (text := _description_at(toml)):
        return text
    if init.is_file() and (text := ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")))):
        return text.splitlines()[0]
    return _first_comment(pipeline) if pipeline.is_file() else ""


def _description_at(toml: Path) -> str:
    return _description(toml) or _first_comment(toml)


def _description(toml: Path) -> str:
    try:
        return _described(read_description(toml))
    except tomllib.TOMLDecodeError as error:
        raise Diagnostic(f"not a TOML file: {error}", str(toml)) from error


@cache
def _described(text: str) -> str:
    table = tomllib.loads(text)
    machine: Any = table.get("machine")
    inner = cast("dict[str, Any]", machine) if isinstance(machine, dict) else {}
    return str(table.get("description") or inner.get("description") or "")


def _first_comment(file: Path) -> str:
    first = read_description(file).lstrip().partition("\n")[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""

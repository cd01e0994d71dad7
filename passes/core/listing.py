"""What `--list-passes`, `--help-pass`, `--list-dialects` and `--list-targets` show."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import did_you_mean
from ...targets import Machine
from .grammar import UsageError
from .options import option_infos
from .pipeline import Registry


def list_passes(registry: Registry, own: Sequence[str]) -> str:
    """Return the passes with the first lines of their docstrings, those named in `own` first."""
    mine = {name: _summary(registry[name]) for name in sorted(own) if name in registry}
    others = {name: _summary(registry[name]) for name in sorted(registry) if name not in mine}
    return _sections({"Tilewright's passes": mine, "xDSL's passes": others})


def help_pass(name: str, registry: Registry) -> str:
    """Return a pass's docstring and its options with types and defaults. Raises UsageError for an unknown name."""
    if name not in registry:
        remedy = did_you_mean(name, registry) or "opt-tool --list-passes shows what there is"
        raise UsageError(f"no pass '{name}'", remedy=remedy)
    cls = registry[name]()
    infos = option_infos(cls)
    rows = {
        f"{info.name}": f"{info.type}; {f'default {info.default}' if info.default else 'required'}" for info in infos
    }
    text = "\n\n".join(part for part in (name, _docstring(cls)) if part)
    return f"{text}\n\n{_sections({'Options': rows}) if rows else 'It has no options.'}"


def list_dialects(own: Mapping[str, Any], others: Sequence[str], root: Path) -> str:
    """Return the dialects by name; Tilewright's, whose files lie under `root`, with what they say of themselves."""
    files = {file.stem: file for file in [*root.glob("dialects/*.py"), *root.glob("targets/*/dialects/*.py")]}
    mine = {name: _module_summary(files[name]) if name in files else "" for name in sorted(own)}
    return _sections({"Tilewright's dialects": mine, "xDSL's dialects": dict.fromkeys(sorted(others), "")})


def list_targets(machines: Mapping[str, Machine], formats: Mapping[str, Callable[[], type]], own: Sequence[str]) -> str:
    """Return the machines and the output formats, with one line about each."""
    boards = {name: machine.summary for name, machine in sorted(machines.items())}
    mine = {name: _summary(formats[name]) for name in sorted(own) if name in formats}
    others = {name: _summary(formats[name]) for name in sorted(formats) if name not in mine}
    return _sections({"Machines": boards, "Output formats (-t)": mine, "xDSL's output formats": others})


def _sections(sections: Mapping[str, Mapping[str, str]]) -> str:
    width = max((len(name) for rows in sections.values() for name in rows), default=0)
    parts: list[str] = []
    for title, rows in sections.items():
        lines = [f"  {name:<{width}}  {text}".rstrip() for name, text in rows.items()] or ["  none"]
        parts.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join(parts) + "\n"


def _summary(factory: Callable[[], type]) -> str:
    try:
        return _docstring(factory()).partition("\n")[0]
    except Exception as error:
        return f"(cannot be loaded: {type(error).__name__}: {error})"


def _docstring(cls: type) -> str:
    """Return a class's docstring; empty where it is the one that `dataclass` makes up."""
    text = inspect.cleandoc(cls.__doc__ or "")
    return "" if text.startswith(f"{cls.__name__}(") else text


def _module_summary(file: Path) -> str:
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]

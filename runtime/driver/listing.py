"""Listings of `--list-passes`, `--help-pass`, `--list-dialects` and `--list-targets`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ...dialects.core.machine.targets import Machine
from ...errors import did_you_mean
from ...grammar import UsageError
from ...passes.core.options import option_infos
from ...passes.core.pipeline import Registry
from ...passes.core.upstream_names import UPSTREAM_NAMES, known_name


def list_passes(registry: Registry, origins: Mapping[str, Iterable[str]]) -> str:
    """Return the passes of each origin with the first lines of their docstrings; those of none come last."""
    named = {name for names in origins.values() for name in names}
    sections = {_title("passes", origin): _rows(registry, names) for origin, names in origins.items()}
    others = _rows(registry, [name for name in registry if name not in named])
    aliases = {name: f"the same as {own}" for name, own in sorted(UPSTREAM_NAMES.items()) if own in registry}
    rest = {"Other passes": others, "Upstream's names": aliases}
    return _sections(sections | {title: rows for title, rows in rest.items() if rows})


def help_pass(name: str, registry: Registry) -> str:
    """Return a pass's docstring and its options with types and defaults. Raises UsageError for an unknown name."""
    name = name if name in registry else known_name(name)
    if name not in registry:
        remedy = (
            did_you_mean(name, registry)
            or "opt-tool --list-passes lists the passes; --load-pass FILE.py adds those of a file"
        )
        raise UsageError(f"no pass '{name}'", remedy=remedy)
    cls = registry[name]()
    infos = option_infos(cls)
    rows = {
        f"{info.name}": f"{info.type}; {f'default {info.default}' if info.default else 'required'}" for info in infos
    }
    text = "\n\n".join(part for part in (name, _docstring(cls)) if part)
    return f"{text}\n\n{_sections({'Options': rows}) if rows else 'It has no options.'}"


def list_dialects(origins: Mapping[str, Iterable[str]], files: Mapping[str, Path]) -> str:
    """Return the names of the dialects of each origin; those that have a file in `files` with its first line."""
    summaries = {name: _module_summary(file) for name, file in files.items()}
    rows = {origin: {name: summaries.get(name, "") for name in sorted(names)} for origin, names in origins.items()}
    return _sections({_title("dialects", origin): named for origin, named in rows.items()})


def list_targets(machines: Mapping[str, Machine], origins: Mapping[str, Mapping[str, Callable[[], type]]]) -> str:
    """Return the machines, and the output formats of each origin, with one line about each."""
    boards = {name: machine.summary for name, machine in sorted(machines.items())}
    formats = {_title("output formats (-t)", origin): _rows(loaders, loaders) for origin, loaders in origins.items()}
    return _sections({"Machines": boards, **{title: rows for title, rows in formats.items() if rows}})


def _title(kind: str, origin: str) -> str:
    return f"{origin}'s {kind}" if origin.isidentifier() else f"{kind.capitalize()} of {origin}"


def _rows(loaders: Mapping[str, Callable[[], type]], names: Iterable[str]) -> dict[str, str]:
    return {name: _summary(loaders[name]) for name in sorted(names) if name in loaders}


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

"""List of ONNX operators: the opsets that changed each, its facts, and the places that treat it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from onnx import defs
from rich.table import Table

from ...console import table_console
from ...dialects.onnx.facts import Facts, facts_of
from ...dialects.onnx.registry import RuleLine, key_of, places, treated
from ...discovery import files, module_at
from ...errors import Diagnostic, did_you_mean
from ...files import path_of, write_text
from ...frontend.onnx_graph import OLDEST_OPSET

_ROOT = Path(__file__).parents[2]
_TREATING = (
    *("dialects/onnx/*.py", "frontend/*.py", "frontend/[!z]*/*.py", "passes/**/*.py"),
    *("runtime/*.py", "runtime/interpreter/*.py", "runtime/tools/*.py"),
)
"""Modules that may treat operators: all of the way from ONNX to C, but for the networks of the zoo."""


@dataclass(frozen=True)
class Entry:
    """One operator: its key, the opsets from the oldest imported one on that define it anew, facts, and places."""

    operator: str
    versions: tuple[int, ...]
    facts: Facts
    places: Sequence[RuleLine]

    def numbers(self) -> Mapping[str, Any]:
        """Return the entry as values of JSON; files are relative to the package."""
        return {
            "operator": self.operator,
            "opsets": self.versions,
            "facts": facts_as_text(self.facts),
            "places": [
                {"aspect": place.aspect, "at": shown(place), "function": place.function} for place in self.places
            ],
        }


@cache
def load() -> None:
    """Import every module that may treat an operator."""
    for pattern in _TREATING:
        for file in files(pattern):
            if file.stem != "__main__":
                module_at(file)


def entry_of(operator: str) -> Entry:
    """Return the entry of an operator by its key."""
    load()
    return Entry(operator, versions_of(operator), facts_of(operator), places(operator))


def versions_of(operator: str) -> tuple[int, ...]:
    """Return the opsets in which ONNX defines an operator anew, as far as they are imported; none for others'."""
    domain, _, name = operator.rpartition(".")
    schemas = [schema for schema in _schemas().get(name, ()) if key_of((schema.domain, "")) == domain]
    versions = sorted({schema.since_version for schema in schemas})
    if domain:
        return tuple(versions)
    oldest = max((version for version in versions if version <= OLDEST_OPSET), default=0)
    return tuple(max(version, OLDEST_OPSET) for version in versions if version >= oldest)


@cache
def _schemas() -> Mapping[str, Sequence[defs.OpSchema]]:
    """Return all schemas of ONNX, by the operator's name."""
    schemas: dict[str, list[defs.OpSchema]] = {}
    for schema in defs.get_all_schemas_with_history():
        schemas.setdefault(schema.name, []).append(schema)
    return schemas


def facts_as_text(facts: Facts) -> Mapping[str, str]:
    """Return the facts that an operator has, by name; its traits are one line each."""
    texts = {"traits": "\n".join(sorted(trait.value for trait in facts.traits))}
    for field in fields(facts)[1:]:
        value = getattr(facts, field.name)
        texts[field.name.replace("_", " ")] = "" if value in (None, {}) else str(value)
    return {name: text for name, text in texts.items() if text}


def shown(place: RuleLine) -> str:
    """Return file:line of a place, relative to the package."""
    return f"{place.file.relative_to(_ROOT).as_posix()}:{place.line}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `tilewright operators`."""
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="Conv, ml.Binarizer, com.microsoft.QMoE (all)")
    parser.add_argument("--json", type=path_of, metavar="FILE.json", help="write versions, facts and places")


def run(options: argparse.Namespace) -> int:
    """Run `tilewright operators`. Raises Diagnostic for an operator that nothing treats."""
    load()
    names = [key_of(name) for name in options.operators] or sorted(treated(), key=str.lower)
    for name in names:
        if name not in treated():
            raise Diagnostic(
                f"there is no operator '{name}'",
                expected="an operator that `tilewright operators` lists",
                remedy=did_you_mean(name, treated()),
            )
    entries = [entry_of(name) for name in names]
    if options.json:
        write_text(options.json, json.dumps([entry.numbers() for entry in entries], indent=1) + "\n")
    if not options.operators:
        table_console().print(_table(entries))
        return 0
    for entry in entries:
        _print(entry)
    return 0


def _table(entries: Sequence[Entry]) -> Table:
    table = Table("operator", "changed in opset", "treated by")
    for entry in entries:
        aspects = dict.fromkeys(place.aspect for place in entry.places)
        table.add_row(entry.operator, ", ".join(map(str, entry.versions)), ", ".join(aspects))
    return table


def _print(entry: Entry) -> None:
    console, versions = table_console(), ", ".join(map(str, entry.versions)) or "none of ONNX"
    facts = Table("fact", "value", title=f"{entry.operator}, changed in opset: {versions}", title_justify="left")
    for name, value in facts_as_text(entry.facts).items():
        facts.add_row(name, value)
    console.print(facts)
    table = Table("aspect")
    table.add_column("place", no_wrap=True)  # an editor opens it: other columns break first
    table.add_column("function", overflow="fold")
    for place in entry.places:
        table.add_row(place.aspect, shown(place), place.function)
    console.print(table)

"""Import graph of the package from its sources: modules, circles, and packages in their order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDERS = ("dialects", "frontend", "passes", "runtime", "targets")
ORDER = (
    *("errors", "discovery", "files", "console", "interruption", "grammar", "locations", "ir", "plugins"),
    *("dialects", "runtime.interpreter", "frontend", "passes", "runtime", "targets", "compiler"),
    *("runtime.driver", "runtime.tools", "runtime.testing.new_pass", "api", "completion", "opt_tool", "runtime.lsp"),
    *("commands", "targets.commands", "runtime.testing", "testing", "cli", "universe", ""),
)
"""
The packages, from below: a module imports from its own and those before it. The last is the root, `__init__`.

`targets.commands` are the commands of targets, with the modules of their folder that serve these alone.
"""

Graph = Mapping[str, set[str]]
"""Module -> the modules that it imports."""


def sources(root: Path = ROOT, folders: Sequence[str] = FOLDERS) -> dict[str, Path]:
    """The package's modules by dotted name, a package by its folder's."""
    files = [*root.glob("*.py"), *(file for folder in folders for file in (root / folder).rglob("*.py"))]
    return {_name(file.relative_to(root)): file for file in files}


def _name(file: Path) -> str:
    return ".".join(file.parent.parts if file.stem == "__init__" else file.with_suffix("").parts)


class Import(NamedTuple):
    """Import of a module of the package; `typing` if it stands under `if TYPE_CHECKING`."""

    module: str
    name: str
    """Name imported from the module; empty if it is the module itself that gets a name."""
    alias: str
    typing: bool


def imports(module: str, file: Path, tree: ast.Module, modules: Mapping[str, Path]) -> Iterator[Import]:
    """Yield the imports of a module, in functions too: `from .a import b` is `a.b` where that is a module."""
    inside = [part for part in module.split(".") if part]
    package = inside if file.stem == "__init__" else inside[:-1]
    for node, typing in statements(tree.body):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
        for alias in node.names:
            inner = ".".join([*base, alias.name])
            origin = (inner, "") if inner in modules else (".".join(base), alias.name)
            yield Import(*origin, alias.asname or alias.name, typing)


def statements(body: Sequence[ast.AST], typing: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the statements and those inside them, each with whether it stands under `if TYPE_CHECKING`."""
    for node in body:
        yield node, typing
        guards = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, ()), typing or (guards and part == "body"))


def graph_of(modules: Mapping[str, Path], typing: bool = False) -> dict[str, set[str]]:
    """Return the modules that each one imports at run time; with `typing` also those under `if TYPE_CHECKING`."""
    graph: dict[str, set[str]] = {}
    for name, file in modules.items():
        imported = imports(name, file, ast.parse(file.read_bytes()), modules)
        graph[name] = {one.module for one in imported if typing or not one.typing}
    return graph


@cache
def import_graph() -> dict[str, set[str]]:
    """Return the modules of the package that each of them imports at run time."""
    return graph_of(sources())


def circles(graph: Graph) -> list[set[str]]:
    """The sets of modules each of which imports, through others, every one of its set; in the order of their names."""
    reached = {name: reachable(graph, name) for name in graph}
    mutual = {frozenset(other for other in reached[name] if name in reached[other]) for name in graph}
    return [set(names) for names in sorted(mutual - {frozenset()}, key=sorted)]


def reachable(graph: Graph, start: str) -> set[str]:
    """The modules that one imports, directly or not."""
    reached: set[str] = set()
    pending = [start]
    while pending:
        new = graph[pending.pop()] - reached
        reached |= new
        pending += new
    return reached


def package_of(module: str) -> str:
    """The innermost package of ORDER that a module belongs to."""
    return max((package for package in ORDER if f"{module}.".startswith(f"{package}.") or not package), key=len)


_COMMAND = re.compile(r"targets\.\w+\.commands\b")
_PART = re.compile(r"targets\.\w+\.(?:passes|dialects|formats|simulators|costs|emission|explore|emulation|bare)\b")
"""Modules of a target that the compiler finds by where they lie."""


def of_commands(graph: Graph) -> set[str]:
    """Return the commands of targets, and the modules of targets that these import and no part of a target does."""
    commands, parts = (
        {other for name in graph if kind.match(name) for other in {name, *reachable(graph, name)}}
        for kind in (_COMMAND, _PART)
    )
    return {name for name in commands - parts if name.startswith("targets.")}


def packages_of(graph: Graph) -> dict[str, str]:
    """Return the package of ORDER of each module."""
    of_targets = of_commands(graph)
    return {name: "targets.commands" if name in of_targets else package_of(name) for name in graph}


def upward(graph: Graph) -> list[tuple[str, str]]:
    """The imports against the order of the packages."""
    rank = {name: ORDER.index(package) for name, package in packages_of(graph).items()}
    return [(name, other) for name in graph for other in sorted(graph[name]) if rank[other] > rank[name]]

"""Figures of sources by `ast` alone: sizes, packages, circles of imports, classes, names and hidden state."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, cast

from tilewright.test.import_graph import circles, imports, upward
from tilewright.test.machine_walk import Walk

ROOMS = ("passes.memory", "passes.tiles", "passes.timing", "passes.grids", "passes.overlap", "runtime.simulator")
CONCEPTS = {
    "tile": r"Tile|Tiling|^_?Parts?$",
    "clock": r"Clock|Timeline|Makespan|Schedule|^_?Times?$",
    "queue": r"Queue",
    "builder": r"Builder|^_?(Body|Code|Nest|Writer|Lowerer)$",
}
"""Concept -> the names of its classes."""
LONG = 50
"""Lines of a function above which it is listed."""
VAGUE = {"found", "each", "made", "known", "given", "held"}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
MODEL = "dialects.core.machine.model"


@dataclass(frozen=True)
class Place:
    """A place that counts for a figure."""

    module: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.name}"


@dataclass
class Size:
    """Size of a package."""

    files: int = 0
    lines: int = 0
    code: int = 0
    functions: int = 0


@dataclass
class Survey:
    """Figures of a set of modules: `sizes` by package, `places` by figure, `graph` with imports for types."""

    sizes: dict[str, Size] = field(default_factory=lambda: defaultdict[str, Size](Size))
    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict[str, list[Place]](list))
    graph: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    folders: dict[str, str] = field(default_factory=dict[str, str])
    """Module -> its package, the module itself if it is one."""
    classes: list[Place] = field(default_factory=list[Place])
    walk: Walk = field(default_factory=lambda: Walk([], []))

    @property
    def circles(self) -> list[list[str]]:
        return [sorted(names) for names in circles(self.graph)]

    @property
    def repeated_classes(self) -> dict[str, list[Place]]:
        """Class name -> its definitions, of which there are several."""
        by_name: dict[str, list[Place]] = defaultdict(list)
        for place in self.classes:
            by_name[place.name].append(place)
        return {name: places for name, places in sorted(by_name.items()) if len(places) > 1}

    def classes_of(self, concept: str) -> list[Place]:
        """Return the classes of the package that a concept's pattern names."""
        return [place for place in self.classes if re.search(CONCEPTS[concept], place.name)]

    def classes_in(self, package: str) -> list[Place]:
        """Return the classes of a package, such as `passes.memory`."""
        return [place for place in self.classes if f"{place.module}.".startswith(f"{package}.")]

    def counts(self) -> dict[str, int]:
        """Return every figure that is one number, by its name."""
        rooms = {f"classes of {room}": len(self.classes_in(room)) for room in ROOMS}
        concepts = {f"classes named {concept}": len(self.classes_of(concept)) for concept in CONCEPTS}
        return {
            "circles of modules": len(self.circles),
            "modules in circles": sum(map(len, self.circles)),
            "circles of packages": len(circles(packages(self, 2))),
            "imports upward": len(upward(self.graph)),
            "users of the machine model": len(users(self.graph, MODEL)),
            **rooms,
            "classes of these packages": sum(rooms.values()),
            **concepts,
            "class names defined twice": len(self.repeated_classes),
            **{figure: len(self.places[figure]) for figure in FIGURES},
            "modules with a machine": len(self.walk.machine),
            "modules with an object of it": len(self.walk.objects),
        }


FIGURES = (
    *("long functions", "helpers named once", "vague locals", "nested comprehensions", "several comprehensions"),
    *("calls of id", "state in vars"),
)
"""Figures that have a list of places."""


def survey(modules: Mapping[str, Path]) -> Survey:
    """Return the figures of modules, but for the walk."""
    result = Survey()
    for name, file in modules.items():
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        result.graph[name] = {imported.module for imported in imports(name, file, tree, modules)}
        result.folders[name] = name if file.stem == "__init__" else name.rpartition(".")[0]
        _measure(result, name, text, tree)
    return result


def package(folder: str, levels: int) -> str:
    """Return the outer `levels` of a package's name, `root` for that of the whole."""
    return ".".join(folder.split(".")[:levels]) or "root"


def packages(result: Survey, levels: int) -> dict[str, set[str]]:
    """Return the packages that each package imports; a module of the root is one."""
    of = {name: package(folder, levels) if folder else name for name, folder in result.folders.items()}
    arrows: dict[str, set[str]] = {name: set() for name in sorted(of.values())}
    for name, imported in result.graph.items():
        arrows[of[name]] |= {of[other] for other in imported} - {of[name]}
    return arrows


def users(graph: Mapping[str, set[str]], module: str) -> list[str]:
    """Return the modules that import one."""
    return sorted(name for name, imported in graph.items() if module in imported)


Nodes = Mapping[type[ast.AST], list[Any]]
"""Kind -> the nodes of a tree that are of it."""


def _by_kind(tree: ast.Module) -> Nodes:
    """Return the nodes of a tree, contexts of names aside, in half the time of `ast.walk`."""
    kinds: dict[type[ast.AST], list[Any]] = defaultdict(list)
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # grows
        kinds[type(node)].append(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if type(value) is list:
                nodes += [child for child in cast("list[object]", value) if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST) and name != "ctx":
                nodes.append(value)
    return kinds


def _measure(result: Survey, module: str, text: str, tree: ast.Module) -> None:
    lines = text.splitlines()
    nodes = _by_kind(tree)
    functions = [*nodes[ast.FunctionDef], *nodes[ast.AsyncFunctionDef]]
    size = result.sizes[package(result.folders[module], 2)]
    size.files += 1
    size.lines += len(lines)
    size.code += _code_lines(lines, nodes)
    size.functions += len(functions)
    result.classes += [Place(module, node.lineno, node.name) for node in nodes[ast.ClassDef]]
    for figure, node, name in chain(_of_functions(functions, nodes), _of_expressions(nodes), _of_statements(nodes)):
        result.places[figure].append(Place(module, node.lineno, name))


def _code_lines(lines: Sequence[str], nodes: Nodes) -> int:
    other = {number for number, line in enumerate(lines, 1) if not line.strip() or line.lstrip()[0] == "#"}
    docstrings = [node for node in nodes[ast.Expr] if isinstance(node.value, ast.Constant)]
    for node in chain(docstrings, nodes[ast.Import], nodes[ast.ImportFrom]):
        other.update(range(node.lineno, node.end_lineno + 1))
    return len(lines) - len(other)


def _of_functions(functions: Sequence[Any], nodes: Nodes) -> Iterator[tuple[str, Any, str]]:
    mentions = Counter(node.id for node in nodes[ast.Name])
    mentions.update(node.attr for node in nodes[ast.Attribute])
    for node in functions:
        length = node.end_lineno - node.lineno + 1
        if length > LONG:
            yield "long functions", node, f"{node.name} ({length})"
        if node.name.startswith("_") and not node.name.startswith("__") and mentions[node.name] == 1:
            yield "helpers named once", node, node.name


def _of_expressions(nodes: Nodes) -> Iterator[tuple[str, Any, str]]:
    for node in nodes[ast.Name]:
        if node.id in VAGUE and isinstance(node.ctx, ast.Store):
            yield "vague locals", node, node.id
    for node in chain(nodes[ast.Call], nodes[ast.Subscript], nodes[ast.Attribute]):
        if (figure := _hidden_state(node)) is not None:
            yield figure, node, ast.unparse(node)


def _hidden_state(node: ast.expr) -> str | None:
    """Return the figure for which an expression counts: identity of an object, or state in its dictionary."""
    match node:
        case (
            ast.Call(func=ast.Name(id="id"), args=[_]) | ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="id"), *_])
        ):
            return "calls of id"
        case ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[_])):
            return "state in vars"
        case ast.Attribute(value=ast.Call(func=ast.Name(id="vars"), args=[_]), attr="get" | "setdefault" | "pop"):
            return "state in vars"
        case _:
            return None


def _of_statements(nodes: Nodes) -> Iterator[tuple[str, ast.stmt, str]]:
    """Yield the statements with several comprehensions, and with one in another; those of inner statements aside."""
    lines = sorted(node.lineno for kind in COMPREHENSIONS for node in nodes[kind])
    statements = (node for kind in nodes if issubclass(kind, ast.stmt) for node in nodes[kind])
    for node in statements if len(lines) > 1 else ():
        if bisect_right(lines, node.end_lineno) - bisect_left(lines, node.lineno) < 2:
            continue
        own = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr | ast.keyword)]
        inside = [part for child in own for part in ast.walk(child) if isinstance(part, COMPREHENSIONS)]
        if len(inside) > 1:
            yield "several comprehensions", node, f"{len(inside)}"
        if any(_is_nested(part) for part in inside):
            yield "nested comprehensions", node, f"{len(inside)}"


def _is_nested(comprehension: ast.AST) -> bool:
    inner = list(ast.walk(comprehension))[1:]
    return any(isinstance(node, COMPREHENSIONS) for node in inner)

"""
The way of a `Machine` through the package: modules in which a function reached from `plan_memory` holds one.

Calls are followed in the sources by the types that annotations state: a name is resolved through imports, a method by
its receiver's class. The type of a receiver is that of a parameter, of a field, of what a call returns, of the
elements of a collection, or of a local that one of these is assigned to. A function that is named counts as called, a
property that is read too. What no annotation tells is not followed: calls through tables, of functions in variables,
of overriding methods. An expression is a machine by its type, or, where that is not known, by the name `machine`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from tilewright.test.import_graph import imports

START = "passes.plan_memory", "plan_memory"
MACHINE = "dialects.core.machine.model", "Machine"

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Annotated(NamedTuple):
    """Type: an annotation and the module in whose names it is written."""

    module: str
    annotation: ast.expr | None


class Definition(NamedTuple):
    """Function, method or class of a module; `owner` is the class of a method."""

    module: str
    node: ast.stmt
    owner: str = ""


@dataclass
class Module:
    """Names that a module defines at its level, and those that it imports: alias -> module, name there."""

    definitions: dict[str, ast.stmt] = field(default_factory=dict[str, ast.stmt])
    imported: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])


class Program:
    """Definitions of modules, read when they are first asked for."""

    def __init__(self, sources: Mapping[str, Path], machine: tuple[str, str]) -> None:
        self.sources = sources
        self.machine = machine
        self.module = cache(self._module)
        self.define = cache(self._define)
        self._owners: dict[tuple[str, str], bool] = {}

    def _module(self, name: str) -> Module:
        tree = ast.parse(self.sources[name].read_bytes())
        module = Module()
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and node in tree.body and isinstance(node, Function | ast.ClassDef):
                module.definitions[node.name] = node
        for imported in imports(name, self.sources[name], tree, self.sources):
            module.imported[imported.alias] = imported.module, imported.name
        return module

    def _define(self, module: str, name: str) -> Definition | None:
        """Return what a name of a module means, through the modules that import it from each other."""
        for _ in range(8):  # packages hand on names of their modules
            if module not in self.sources:
                return None
            names = self.module(module)
            if name in names.definitions:
                return Definition(module, names.definitions[name])
            if name not in names.imported or not names.imported[name][1]:
                return None
            module, name = names.imported[name]
        return None

    def attribute(self, module: str, alias: str, name: str) -> Definition | None:
        """Return what `alias.name` means, where the alias is an imported module."""
        origin = self.module(module).imported.get(alias)
        return self.define(origin[0], name) if origin is not None and not origin[1] else None

    def class_of(self, type: Annotated | None) -> Definition | None:
        """Return the class of the package that an annotation names; of a union the first."""
        if type is None or (expr := _plain(type.annotation)) is None:
            return None
        match expr:
            case ast.Name(id=name):
                definition = self.define(type.module, name)
            case ast.Attribute(value=ast.Name(id=alias), attr=name):
                definition = self.attribute(type.module, alias, name)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                sides = (self.class_of(Annotated(type.module, side)) for side in (left, right))
                return next((side for side in sides if side is not None), None)
            case _:
                return None
        return definition if definition is not None and isinstance(definition.node, ast.ClassDef) else None

    def is_machine(self, definition: Definition) -> bool:
        """Return whether a class is that of machines."""
        return (definition.module, name_of(definition)) == self.machine

    def has_machine(self, owner: Definition) -> bool:
        """Return whether a field of a class is a machine, or an object with one."""
        key = owner.module, name_of(owner)
        if key in self._owners:
            return self._owners[key]
        self._owners[key] = False  # of a class in its own fields
        assert isinstance(owner.node, ast.ClassDef)
        fields = [statement for statement in owner.node.body if isinstance(statement, ast.AnnAssign)]
        kinds = [self.class_of(Annotated(owner.module, statement.annotation)) for statement in fields]
        self._owners[key] = any(
            kind is not None and (self.is_machine(kind) or self.has_machine(kind)) for kind in kinds
        )
        return self._owners[key]

    def member(self, owner: Definition, name: str) -> tuple[Definition, Annotated | None] | None:
        """Return the method or field of a class or of its bases, with the type of its value or result."""
        node = owner.node
        assert isinstance(node, ast.ClassDef)
        for statement in node.body:
            match statement:
                case ast.FunctionDef(name=own, returns=returns) if own == name:
                    return Definition(owner.module, statement, node.name), Annotated(owner.module, returns)
                case ast.AnnAssign(target=ast.Name(id=own), annotation=annotation) if own == name:
                    return owner, Annotated(owner.module, annotation)
                case _:
                    pass
        for statement in ast.walk(node):  # self.field: T = ...
            match statement:
                case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=own), annotation=annotation):
                    if own == name:
                        return owner, Annotated(owner.module, annotation)
                case _:
                    pass
        for base in node.bases:
            parent = self.class_of(Annotated(owner.module, base))
            if parent is not None and (member := self.member(parent, name)) is not None:
                return member
        return None


def _plain(annotation: ast.expr | None) -> ast.expr | None:
    """Return an annotation without quotes."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def element_of(type: Annotated | None) -> Annotated | None:
    """Return the type of the elements of a collection, of the values of a mapping."""
    annotation = _plain(type.annotation) if type is not None else None
    if type is None or not isinstance(annotation, ast.Subscript):
        return None
    inner = annotation.slice
    if isinstance(inner, ast.Tuple):
        typed = [part for part in inner.elts if not isinstance(part, ast.Constant)]
        inner = typed[-1] if typed else None
    return Annotated(type.module, inner)


def name_of(definition: Definition) -> str:
    """Return the name of a class or function."""
    assert isinstance(definition.node, Function | ast.ClassDef)
    return definition.node.name


@dataclass
class Body:
    """Expressions of a function, with the types of its locals."""

    program: Program
    definition: Definition
    reached: list[Definition] = field(default_factory=list[Definition])
    holds_machine: bool = False
    holds_owner: bool = False
    """True if an object with a machine as a field is held."""

    @cached_property
    def _locals(self) -> dict[str, Annotated | None]:
        node = self.definition.node
        assert isinstance(node, Function)
        names: dict[str, Annotated | None] = {}
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for argument in arguments:
            names[argument.arg] = Annotated(self.definition.module, argument.annotation)
        if self.definition.owner and arguments:
            names[arguments[0].arg] = Annotated(self.definition.module, ast.Name(self.definition.owner))
        return names

    def walk(self) -> Body:
        """Follow all expressions."""
        node = self.definition.node
        assert isinstance(node, Function)
        for statement in _in_order(node.body):
            self._bind(statement)
            self._visit(statement)
        return self

    def _bind(self, node: ast.AST) -> None:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                self._locals[name] = self._type(value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                self._locals[name] = Annotated(self.definition.module, annotation)
            case (
                ast.For(target=ast.Name(id=name), iter=items) | ast.comprehension(target=ast.Name(id=name), iter=items)
            ):
                self._locals[name] = element_of(self._type(items))
            case _:
                pass

    def _visit(self, node: ast.AST) -> None:
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return
        named = self._named(node)
        if named is not None and isinstance(named.node, Function):
            self.reached.append(named)
        elif named is not None and isinstance(named.node, ast.ClassDef):
            for method in ("__init__", "__post_init__"):
                if (member := self.program.member(named, method)) is not None:
                    self.reached.append(member[0])
        kind = self.program.class_of(self._type(node))
        name = node.id if isinstance(node, ast.Name) else node.attr
        self.holds_machine |= self.program.is_machine(kind) if kind is not None else name == "machine"
        self.holds_owner |= kind is not None and self.program.has_machine(kind)

    def _named(self, node: ast.expr) -> Definition | None:
        """Return the function, method or class that an expression names."""
        module = self.definition.module
        match node:
            case ast.Name(id=name) if name not in self._locals:
                return self.program.define(module, name)
            case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias not in self._locals:
                if (definition := self.program.attribute(module, alias, name)) is not None:
                    return definition
            case _:
                pass
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.program.class_of(self._type(node.value))
        member = self.program.member(owner, node.attr) if owner is not None else None
        return member[0] if member is not None and isinstance(member[0].node, Function) else None

    def _type(self, node: ast.expr) -> Annotated | None:
        match node:
            case ast.Name(id=name):
                return self._locals.get(name)
            case ast.Attribute(value=value, attr=name):
                owner = self.program.class_of(self._type(value))
                member = self.program.member(owner, name) if owner is not None else None
                return member[1] if member is not None else None
            case ast.Call(func=callee):
                return self._result(callee)
            case ast.Subscript(value=value):
                return element_of(self._type(value))
            case ast.IfExp(body=value) | ast.NamedExpr(value=value):
                return self._type(value)
            case _:
                return None

    def _result(self, callee: ast.expr) -> Annotated | None:
        named = self._named(callee)
        if named is None:
            return None
        if isinstance(named.node, ast.ClassDef):
            return Annotated(named.module, ast.Name(named.node.name))
        return Annotated(named.module, named.node.returns) if isinstance(named.node, Function) else None


def _in_order(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of statements in the order of the text, a comprehension's loops before its element."""
    for node in body:
        yield from _nodes(node)


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.AnnAssign):
        children = [node.value] if node.value is not None else []
    for child in sorted(children, key=lambda child: not isinstance(child, ast.comprehension)):
        yield from _nodes(child)


class Walk(NamedTuple):
    """Modules in which a reached function holds a machine; in `objects` also an object with one, at any depth."""

    machine: list[str]
    objects: list[str]


def walk(sources: Mapping[str, Path], start: tuple[str, str] = START, machine: tuple[str, str] = MACHINE) -> Walk:
    """Return the modules that a machine enters by calls from the start; both are given by module and name."""
    program = Program(sources, machine)
    first = program.define(*start)
    assert first is not None, f"{start} is not defined"
    pending, seen = [first], set[tuple[str, int]]()
    holding, objects = set[str](), set[str]()
    while pending:
        definition = pending.pop()
        if (definition.module, definition.node.lineno) in seen:
            continue
        seen.add((definition.module, definition.node.lineno))
        body = Body(program, definition).walk()
        pending += body.reached
        holding |= {definition.module} if body.holds_machine else set()
        objects |= {definition.module} if body.holds_machine or body.holds_owner else set()
    return Walk(sorted(holding), sorted(objects))

"""`--explain`: the remarks that concern a value, an ONNX node or a line of the input, in the order of the passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ...dialects.core.syntax.printer import IrPrinter, Text
from ...errors import Diagnostic, did_you_mean
from ...locations import InferredLoc, node_names, positions, where
from ...passes.core.remarks import Remark, function_of


def keep_positions(module: ModuleOp) -> None:
    """Let passes keep the positions of ops in their file as they keep those that the text gives."""
    for op in module.walk():
        if isinstance(op.location, InferredLoc):
            op.location = FileLineColLoc(op.location.filename, op.location.line, op.location.column)


def explanation(subject: str, module: ModuleOp, remarks: Sequence[Remark]) -> str:
    """
    Return what passes remarked on a subject.

    `subject` is a value of `module` as its text names it, `%5` or `@function::%5`, the name of an ONNX node, or a place
    `file:line` or `file:line:column`. Raises Diagnostic where there is no such value or node, or several.
    """
    if subject.lstrip("@").rpartition("::")[2].startswith("%"):
        op = _defining_op(subject, module)
        own = {*node_names(op)} or {*positions(op)}
        title = f"{subject}: '{op.name}' in @{function_of(op)}, {where(op)}"
    else:
        others = [place for op in module.walk() for place in (*node_names(op), *positions(op))]
        return explanation_of_place(subject, remarks, others)
    return _text(title, own, op.name, remarks)


def explanation_of_place(subject: str, remarks: Sequence[Remark], others: Iterable[str] = ()) -> str:
    """
    Return what passes remarked on an ONNX node, or on a place `file:line` or `file:line:column`.

    `others` are nodes and places without remarks. Raises Diagnostic where there is no such one.
    """
    places = dict.fromkeys([*(place for remark in remarks for place in (*remark.nodes, *remark.positions)), *others])
    own = {subject} if subject in places else {place for place in places if f"{place}:".startswith(f"{subject}:")}
    if not own:
        remedy = did_you_mean(subject, places) or "name a value as %5 or @function::%5, a node, or a place as f.mlir:3"
        raise Diagnostic(f"--explain: no op comes from '{subject}'", remedy=remedy)
    return _text(subject, own, "", remarks)


def _text(title: str, own: Set[str], op: str, remarks: Sequence[Remark]) -> str:
    """Return a title, and below it the remarks on some nodes and places; those on other ops than `op` name theirs."""
    related = [remark for remark in remarks if not own.isdisjoint((*remark.nodes, *remark.positions))]
    lines = [*_lines(related, op)] or ["  no pass remarks on it"]
    return "\n".join([title, *lines]) + "\n"


def _lines(remarks: Iterable[Remark], op: str) -> Iterator[str]:
    """Yield the remarks below their passes; those on other ops than the one asked for name theirs."""
    for (number, name), group in groupby(remarks, lambda remark: (remark.pass_number, remark.pass_name)):
        yield f"  {name}, pass {number}"
        yield from dict.fromkeys(_line(remark, op) for remark in group)


def _line(remark: Remark, op: str) -> str:
    other = "" if remark.op == op else f" of '{remark.op}'"
    return f"    {remark.kind} {remark.name}{other}: {remark.message}"


class _NamingPrinter(IrPrinter):
    """Printer that notes the names of values."""

    def __init__(self):
        super().__init__(Text(), elide=0)
        self.names: dict[SSAValue, str] = {}

    def print_ssa_value(self, value: SSAValue) -> str:
        name = super().print_ssa_value(value)
        self.names[value] = f"%{name}"
        return name


def _defining_op(subject: str, module: ModuleOp) -> Operation:
    """Return the op that defines the value which a text names. Raises Diagnostic."""
    function, _, name = subject.rpartition("::")
    printer = _NamingPrinter()
    printer.print_op(module)
    named = {value: _qualified(value, text) for value, text in printer.names.items()}
    values = [value for value, (symbol, text) in named.items() if text == name and function in ("", f"@{symbol}")]
    if not values:
        names = [text if not function else f"@{symbol}::{text}" for symbol, text in named.values()]
        remedy = did_you_mean(subject, names) or "name a value of the IR that the pipeline ends with"
        raise Diagnostic(f"--explain: no value '{subject}'", remedy=remedy)
    symbols = dict.fromkeys(named[value][0] for value in values)
    if len(symbols) > 1:
        choices = " or ".join(f"@{symbol}::{name}" for symbol in symbols)
        raise Diagnostic(f"--explain: {len(symbols)} functions have a value '{name}'", expected=choices)
    owners = [value.owner for value in values if not isinstance(value, BlockArgument)]
    if not owners:
        remedy = "name a value that an op defines, or an ONNX node"
        raise Diagnostic(f"--explain: '{name}' is an argument, which no op defines", remedy=remedy)
    owner: Any = owners[0]
    return owner


def _qualified(value: SSAValue, name: str) -> tuple[str, str]:
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return "" if op is None else function_of(op), name

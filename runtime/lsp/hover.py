"""Texts that are shown for an op, a value, a symbol or an alias under the cursor, in Markdown."""

from __future__ import annotations

import inspect
from typing import Any, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, StringAttr, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.irdl import IRDLOperation, OpDef

from ...dialects.core.layouts import buffer_bytes
from ...dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ...errors import Diagnostic
from ...ir import has_arrays, integer_width
from .analysis import Analysis
from .index import Entity, EntityKind, Occurrence, OpText, TextRange

_SHOWN = 400
"""Characters of a definition that are shown: constants may be long."""


def hover_at(analysis: Analysis, offset: int) -> tuple[TextRange, str] | None:
    """Return the name under a position and the text about it; None where there is none."""
    occurrence = analysis.index.occurrence_at(offset)
    if occurrence is not None:
        return occurrence.range, _of_occurrence(analysis, occurrence)
    op = analysis.index.op_named_at(offset)
    if op is None or op.kind is None:
        return None
    return TextRange(op.name_start, op.name_end), op_documentation(op.kind, _op_name(op))


def op_documentation(kind: type[Operation], name: str) -> str:
    """Return the name, the signature and the docstring of an op, with the IR that it shows as code."""
    if issubclass(kind, UnregisteredOp):
        return f"`{name}` is not registered"
    signature = _signature(kind.get_irdl_definition()) if issubclass(kind, IRDLOperation) else ""
    documentation = inspect.cleandoc(kind.__doc__ or "")
    return "\n\n".join(part for part in (f"**{name}**", documentation, signature) if part)


def _op_name(op: OpText) -> str:
    if isinstance(op.op, UnregisteredOp):
        return op.op.op_name.data
    return op.kind.name if op.kind is not None else ""


def _signature(definition: OpDef) -> str:
    """Return the names of operands, results, properties and attributes, a line each."""
    rows = {
        "operands": [name for name, _ in definition.operands],
        "results": [name for name, _ in definition.results],
        "regions": [name for name, _ in definition.regions],
        "attributes": [*definition.properties, *definition.attributes],
    }
    return "  \n".join(f"{kind}: {', '.join(f'`{name}`' for name in names)}" for kind, names in rows.items() if names)


def _of_occurrence(analysis: Analysis, occurrence: Occurrence) -> str:
    entity = occurrence.entity
    if entity.kind is EntityKind.VALUE:
        values = (occurrence.value,) if occurrence.value is not None else entity.values
        return "\n\n---\n\n".join(_of_value(analysis, entity, value) for value in values)
    if entity.kind is EntityKind.ALIAS and entity.body is not None:
        body = analysis.index.text[slice(*entity.body)].strip()
        return _code(f"{entity.name} = {_short(body)}")
    if entity.kind is EntityKind.SYMBOL and entity.owner is not None:
        return _of_symbol(analysis, entity, entity.owner)
    return _code(entity.name)


def _of_value(analysis: Analysis, entity: Entity, value: SSAValue) -> str:
    number = f"#{entity.values.index(value)}" if len(entity.values) > 1 else ""
    parts = [_code(f"{entity.name}{number} : {value.type}")]
    if isinstance(value, BlockArgument):
        parts.append(f"argument {value.index} of a block")
    module = analysis.module_at(entity.definition.start)
    if (level := level_text(value)) is not None:
        parts.append(f"memory level: {level}{_size_of_level(module, value)}")
    if integer_width(value.type) is not None and (interval := analysis.value_range(value, entity.definition.start)):
        parts.append(f"value range: [{interval.low}, {interval.high}]")
    return "  \n".join(parts)


def _of_symbol(analysis: Analysis, entity: Entity, owner: OpText) -> str:
    op = owner.op
    if isinstance(op, FuncOp):
        return _code(f"func.func {entity.name}{op.function_type}")
    line = analysis.index.text[owner.start : owner.end].split("\n", 1)[0]
    return _code(_short(line.strip()))


def level_text(value: SSAValue) -> str | None:
    """Return the memory level of a memref, with its bytes where these are known; None of other values."""
    kind = value.type
    if not isinstance(kind, MemRefType) or not isinstance(kind.memory_space, StringAttr):
        return None
    buffer = cast("MemRefType[Any]", kind)
    if DYNAMIC_INDEX in buffer.get_shape() or not has_arrays(buffer.get_element_type()):
        return kind.memory_space.data
    try:
        return f"{kind.memory_space.data}, {buffer_bytes(buffer)} bytes"
    except Diagnostic:  # elements of a dialect's own type
        return kind.memory_space.data


def _size_of_level(module: ModuleOp | None, value: SSAValue) -> str:
    """Return the size of a value's memory level, where the module has a machine with it."""
    if module is None or ATTRIBUTE not in module.attributes:
        return ""
    space = cast("MemRefType[Any]", value.type).memory_space
    try:
        levels = machine_of(module).levels
    except Diagnostic:
        return ""
    sizes = [level.size for level in levels if isinstance(space, StringAttr) and level.name == space.data]
    return f" of {sizes[0]}" if sizes else ""


def _code(text: str) -> str:
    return f"```mlir\n{text}\n```"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

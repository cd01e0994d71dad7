"""The memory of the levels that a function's tiles, scratch and resident buffers lie in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, NoneAttr, StringAttr, UnitAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.hier import GridOp
from ...errors import Diagnostic
from ...ir import where
from ..memory.views import bytes_of
from .streams import stage_bytes
from .writer import Writer

ADDRESS = "hier.address"
"""The attribute of an allocation that lies at this byte of its level for as long as the function runs."""


def define_memories(module: ModuleOp, function: FuncOp) -> dict[str, SSAValue]:
    """
    Define the memory of each level that a function uses, as large as anything reaches in it.

    Returns the memories as seen in the function, memrefs of bytes.
    """
    reach: dict[str, int] = {}
    for op in function.walk():
        for level, end in _ends(op):
            reach[level] = max(reach.get(level, 0), end)
    first = function.body.block.first_op
    assert first is not None
    memories: dict[str, SSAValue] = {}
    for level, size in sorted(reach.items()):
        name = _free_name(module, f"{function.sym_name.data}_{level}")
        kind = MemRefType(i8, [size], NoneAttr(), StringAttr(level))
        definition = memref.GlobalOp.get(StringAttr(name), kind, UnitAttr(), alignment=16)
        get = memref.GetGlobalOp(name, kind)
        definition.location = get.location = function.location
        Rewriter.insert_op(definition, InsertPoint.before(function))
        Rewriter.insert_op(get, InsertPoint.before(first))
        memories[level] = get.results[0]
    return memories


def place_residents(function: FuncOp, memories: dict[str, SSAValue]) -> None:
    """Replace each allocation that has an address by a view of its level's memory."""
    for op in list(function.walk()):
        if not isinstance(op, memref.AllocOp) or (address := address_of(op)) is None:
            continue
        writer = Writer(InsertPoint.before(op), op.location)
        kind = cast("MemRefType[Any]", op.memref.type)
        view = memref.ViewOp(memories[_level_of(op)], writer.value(address), [], kind)
        view.location = op.location
        view.result.name_hint = op.memref.name_hint
        view.attributes |= {name: value for name, value in op.attributes.items() if name != ADDRESS}
        Rewriter.replace_op(op, view)


def address_of(op: memref.AllocOp) -> int | None:
    """Return the byte of its level that an allocation has been given, None where it has none."""
    address = op.attributes.get(ADDRESS)
    return cast("IntegerAttr[Any]", address).value.data if isinstance(address, IntegerAttr) else None


def _ends(op: Operation) -> Iterator[tuple[str, int]]:
    """Yield the levels that an op has buffers in, each with the byte after the buffer."""
    if isinstance(op, memref.AllocOp) and (address := address_of(op)) is not None:
        yield _level_of(op), address + bytes_of(op.memref.type)
    if not isinstance(op, GridOp):
        return
    for tile, operand in zip(op.tiles, op.operands, strict=True):
        if tile.level_name is not None and tile.place is not None:
            yield tile.level_name, tile.place + tile.stages.data * stage_bytes(tile.bytes_of(operand))
    for index, scratch in enumerate(op.scratches):
        if scratch.place is None:
            raise Diagnostic(f"scratch {index} has no address", where=where(op), remedy="run plan-memory before")
        yield scratch.level_name, scratch.place + scratch.bytes


def _level_of(op: memref.AllocOp) -> str:
    space = cast("MemRefType[Any]", op.memref.type).memory_space
    if isinstance(space, StringAttr):
        return space.data
    raise Diagnostic(
        f"an allocation with '{ADDRESS}' lies in no level",
        where=where(op),
        expected='a memory space such as memref<16xi8, "L1">',
        found=str(op.memref.type),
    )


def _free_name(module: ModuleOp, wanted: str) -> str:
    taken = {str(name) for op in module.body.block.ops if (name := op.properties.get("sym_name")) is not None}
    name, number = wanted, 0
    while str(StringAttr(name)) in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name

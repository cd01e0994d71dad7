"""The pass `place-addressed`: place data that the program addresses in a memory level that it can address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, NoneAttr, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects.core.effects import is_view, root_of
from ..dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..ir import functions
from .core.base import Pass
from .memory.views import move
from .verify_levels import parts_of, too_much


def place_addressed(module: ModuleOp, machine: Machine) -> None:
    """
    Place buffers that the program addresses in the farthest addressable level, if others are farther.

    These are inputs, outputs, state, constants that kernels do not access by tiles, and allocations that plan-memory
    leaves as they are: those of a function without kernels, of loops and branches, and operands of calls. Raises
    Diagnostic if the level is too small.
    """
    if not machine.far.external:
        return
    level = StringAttr(machine.home.name)
    touched: set[str] = set()
    for function in functions(module):
        touched |= {get.name_.string_value() for get in _constants_touched(function)}
    placed = {op.sym_name.data: op for op in _globals(module) if op.constant is None or op.sym_name.data in touched}
    for definition in placed.values():
        definition.properties["type"] = _at(definition.type, level)
    for function in functions(module):
        has_tiles = any(map(is_tiled, nested_ops(function)))
        for op in nested_ops(function):
            if isinstance(op, memref.GetGlobalOp) and op.name_.string_value() in placed:
                move(op.memref, level)
            elif isinstance(op, memref.AllocOp) and _is_nowhere(op.memref.type) and not (has_tiles and _is_planned(op)):
                move(op.memref, level)
        for argument in function.body.block.args:
            if is_shaped(argument) and _is_nowhere(argument.type):
                move(argument, level)
        types = [argument.type for argument in function.body.block.args]
        outputs = function.function_type.outputs.data
        function.properties["function_type"] = FunctionType.from_lists(types, outputs)
    _verify_capacity(module, machine)


def _verify_capacity(module: ModuleOp, machine: Machine) -> None:
    level = machine.home
    parts = [part for part in parts_of(module, machine.far.name) if part.level == level.name]
    needed = sum(level.aligned(part.bytes) for part in parts)
    if needed > level.size:
        raise too_much(parts, needed, level, machine)


def is_tiled(op: Operation) -> bool:
    """Return whether plan-memory tiles an op: a kernel in a function's outermost block."""
    is_outermost = isinstance(op.parent_op(), FuncOp)
    return is_outermost and is_kernel(op) and not kernel_of(op).tables


def _is_planned(alloc: memref.AllocOp) -> bool:
    """Return whether plan-memory chooses the level of an allocation: one of the outermost block that no call takes."""
    is_outermost = isinstance(alloc.parent_op(), FuncOp)
    return is_outermost and not _is_passed(alloc.memref)


def _is_passed(buffer: SSAValue) -> bool:
    """Return whether a call takes a buffer or a view of it: the callee has it in one level."""
    users = [use.operation for use in buffer.uses]
    views = [user.results[0] for user in users if is_view(user)]
    return any(isinstance(user, CallOp) for user in users) or any(map(_is_passed, views))


def _globals(module: ModuleOp) -> Iterator[memref.GlobalOp]:
    """Yield the globals without a level."""
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp) and _is_nowhere(op.type):
            yield op


def _is_nowhere(type: Attribute) -> bool:
    return isinstance(type, MemRefType) and isinstance(cast("MemRefType[Any]", type).memory_space, NoneAttr)


def _at(type: Attribute, level: StringAttr) -> MemRefType[Any]:
    memory = cast("MemRefType[Any]", type)
    return MemRefType(memory.element_type, memory.get_shape(), memory.layout, level)


def _constants_touched(function: FuncOp) -> Iterator[memref.GetGlobalOp]:
    """Yield the globals whose elements the program accesses directly."""
    for op in nested_ops(function):
        if isinstance(op, ReturnOp) or is_view(op) or is_tiled(op):
            continue
        for value in op.operands:
            owner = root_of(value).owner
            if isinstance(owner, memref.GetGlobalOp):
                yield owner


@dataclass(frozen=True)
class PlaceAddressedPass(Pass):
    """
    Place inputs, outputs, state, and untiled buffers in a level that programs address.

    If the machine's farthest level is `external`, that is the level before it; otherwise nothing changes. Run it after
    place-weights.
    """

    name = "place-addressed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        place_addressed(op, machine_of(op))

"""The pass `permute-operands`: store operands so that transfers read their blocks in contiguous rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StridedLayoutAttr, StringAttr, UnitAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.affine_form import linear
from ..dialects.core.analysis.constants import has_constant_elements
from ..dialects.core.kernel import is_kernel, kernel_of
from ..dialects.core.kernel_parts import ints
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..ir import array_of, dense, free_symbol, functions, shape_of
from .core.base import Pass
from .map_engines import ATTRIBUTE, engine_of, mapped_engine
from .memory.views import is_dense, layout_of, row_major


@dataclass
class _Constants:
    """Constants of a module by name, and those that are permuted, by name and last axis."""

    module: ModuleOp
    originals: dict[str, memref.GlobalOp] = field(default_factory=dict[str, memref.GlobalOp])
    permuted: dict[tuple[str, int], memref.GlobalOp] = field(default_factory=dict[tuple[str, int], memref.GlobalOp])


def permute_operands(module: ModuleOp, machine: Machine) -> None:
    """
    Store each operand that an engine needs in blocks with the axis of the blocks innermost.

    The kernel reads a strided view of it, with the shape and the elements of the operand. What is no constant is copied
    by `linalg.transpose`.
    """
    globals_ = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp) and has_constant_elements(op)]
    constants = _Constants(module, {op.sym_name.data: op for op in globals_})
    for function in functions(module):
        for op in [inner for inner in nested_ops(function) if is_kernel(inner)]:
            for number, axis in _blocked(op, machine):
                _permute(op, number, axis, constants, machine)
    for (name, _), _ in constants.permuted.items():
        if name in constants.originals and not _is_read(module, name):
            Rewriter.erase_op(constants.originals.pop(name))


def _is_read(module: ModuleOp, name: str) -> bool:
    reads = (op for function in functions(module) for op in nested_ops(function) if isinstance(op, memref.GetGlobalOp))
    return any(op.name_.string_value() == name for op in reads)


def _blocked(op: Operation, machine: Machine) -> Iterator[tuple[int, int]]:
    """Yield the operands that the engine of a kernel needs in blocks, each with the axis of the blocks."""
    support = mapped_engine(op, machine).support(op)
    if support is None or not support.blocked:
        return
    kernel = kernel_of(op)
    names = kernel.loop_names
    for role, loop in support.blocked:
        number = 1 if role == "weights" else 0
        exprs = kernel.inputs[number].map.results
        axes = [axis for axis, expr in enumerate(exprs) if loop in names and names.index(loop) in linear(expr).dims()]
        if axes:
            yield number, axes[0]


def _permute(op: Operation, number: int, axis: int, constants: _Constants, machine: Machine) -> None:
    """Let a kernel read an operand through a view of a buffer whose last axis is the given one."""
    operand = op.operands[number]
    old = cast("MemRefType[Any]", operand.type)
    rank = len(old.get_shape())
    strides, _ = layout_of(operand)
    if old.get_shape()[axis] == 1 or strides[axis] == 1:
        return
    order = [*(dim for dim in range(rank) if dim != axis), axis]
    get = operand.owner if isinstance(operand.owner, memref.GetGlobalOp) and is_dense(operand) else None
    if get is not None and (name := get.name_.string_value()) in constants.originals:
        definition = constants.permuted.get((name, axis)) or _define(name, order, constants)
        sources: list[Operation] = [memref.GetGlobalOp(definition.sym_name.data, definition.type)]
    else:
        shape = [old.get_shape()[dim] for dim in order]
        alloc = memref.AllocOp([], [], MemRefType(old.element_type, shape, NoneAttr(), old.memory_space))
        copy = linalg.TransposeOp(operand, alloc.memref, ints(order))
        copy.attributes[ATTRIBUTE] = StringAttr(engine_of(copy, machine).name)
        sources = [alloc, copy]
    source = sources[0].results[0]
    source.name_hint = operand.name_hint
    physical = row_major(shape_of(source))
    steps = [physical[order.index(dim)] for dim in range(rank)]
    there = MemRefType(old.element_type, old.get_shape(), StridedLayoutAttr(steps), old.memory_space)
    view = memref.ReinterpretCastOp.from_dynamic(source, [0], list(old.get_shape()), steps, there)
    for new in (*sources, view):
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
    op.operands[number] = view.result
    if get is not None and not operand.uses:
        Rewriter.erase_op(get)


def _define(name: str, order: list[int], constants: _Constants) -> memref.GlobalOp:
    """Define a constant with its axes in another order."""
    source = constants.originals[name]
    values = np.ascontiguousarray(array_of(cast(Any, source.initial_value)).transpose(order))
    old = cast("MemRefType[Any]", source.type)
    shape = [old.get_shape()[dim] for dim in order]
    type = MemRefType(old.element_type, shape, old.layout, old.memory_space)
    title = StringAttr(free_symbol(constants.module, f"{name}_last{order[-1]}"))
    permuted = memref.GlobalOp.get(title, type, cast(Attribute, dense(values, old.element_type)), constant=UnitAttr())
    permuted.location = source.location
    Rewriter.insert_op(permuted, InsertPoint.after(source))
    constants.permuted[name, order[-1]] = permuted
    return permuted


@dataclass(frozen=True)
class PermuteOperandsPass(Pass):
    """
    Store operands so that transfers read their blocks in contiguous rows.

    Run it on buffers, after map-engines and before plan-memory. Where an engine needs an operand in blocks (`blocked`
    in the machine), the axis of the blocks becomes the innermost: OHWI weights in blocks of features become HWIO. A
    constant is stored so; another operand is copied by `linalg.transpose`, on an engine of its own. Kernels read them
    through a strided view of the old shape. Other operands are unchanged.
    """

    name = "permute-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        permute_operands(op, machine_of(op))

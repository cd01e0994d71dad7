"""The pass `permute-constants`: store constants so that transfers read their blocks in contiguous rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StridedLayoutAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.affine_form import linear
from ..dialects.core.kernel import is_kernel, kernel_of
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.machine.operations import dimension_names
from ..dialects.core.nesting import nested_ops
from ..ir import array_of, dense, functions
from .core.base import Pass
from .map_engines import mapped_engine
from .memory.views import is_dense, row_major


@dataclass
class _Constants:
    """Constants of a module by name, and those that are permuted, by name and last axis."""

    module: ModuleOp
    known: dict[str, memref.GlobalOp] = field(default_factory=dict[str, memref.GlobalOp])
    permuted: dict[tuple[str, int], memref.GlobalOp] = field(default_factory=dict[tuple[str, int], memref.GlobalOp])


def permute_constants(module: ModuleOp, machine: Machine) -> None:
    """
    Store each constant that an engine needs in blocks with the axis of the blocks innermost.

    The kernel reads a strided view of it, with the shape and the elements of the constant.
    """
    globals_ = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp) and op.constant is not None]
    constants = _Constants(module, {op.sym_name.data: op for op in globals_})
    for function in functions(module):
        for op in [each for each in nested_ops(function) if is_kernel(each)]:
            for number, axis in _blocked(op, machine):
                _permute(op, number, axis, constants)
    for (name, _), _ in constants.permuted.items():
        if name in constants.known and not _is_read(module, name):
            Rewriter.erase_op(constants.known.pop(name))


def _is_read(module: ModuleOp, name: str) -> bool:
    reads = (op for function in functions(module) for op in nested_ops(function) if isinstance(op, memref.GetGlobalOp))
    return any(op.name_.string_value() == name for op in reads)


def _blocked(op: Operation, machine: Machine) -> Iterator[tuple[int, int]]:
    """Yield the operands that the engine of a kernel needs in blocks, each with the axis of the blocks."""
    support = mapped_engine(op, machine).support(op)
    if support is None or not support.blocked:
        return
    kernel = kernel_of(op)
    names = dimension_names(kernel)
    for role, loop in support.blocked:
        number = 1 if role == "weights" else 0
        exprs = kernel.inputs[number].map.results
        axes = [axis for axis, expr in enumerate(exprs) if loop in names and names.index(loop) in linear(expr).dims()]
        if axes:
            yield number, axes[0]


def _permute(op: Operation, number: int, axis: int, constants: _Constants) -> None:
    """Let a kernel read a constant through a view of one whose last axis is the given one; leave other operands."""
    get = op.operands[number].owner
    if not isinstance(get, memref.GetGlobalOp) or (name := get.name_.string_value()) not in constants.known:
        return
    old = cast("MemRefType[Any]", get.memref.type)
    rank = len(old.get_shape())
    if axis == rank - 1 or not is_dense(get.memref):
        return
    order = [*(each for each in range(rank) if each != axis), axis]
    definition = constants.permuted.get((name, axis)) or _define(name, order, constants)
    type = cast("MemRefType[Any]", definition.type)
    physical = row_major(type.get_shape())
    strides = [physical[order.index(each)] for each in range(rank)]
    shape = list(old.get_shape())
    there = MemRefType(old.element_type, shape, StridedLayoutAttr(strides), old.memory_space)
    again = memref.GetGlobalOp(definition.sym_name.data, type)
    again.memref.name_hint = get.memref.name_hint
    view = memref.ReinterpretCastOp.from_dynamic(again.memref, [0], shape, strides, there)
    for each in (again, view):
        each.location = op.location
        Rewriter.insert_op(each, InsertPoint.before(op))
    op.operands[number] = view.result
    if not get.memref.uses:
        Rewriter.erase_op(get)


def _define(name: str, order: list[int], constants: _Constants) -> memref.GlobalOp:
    """Define a constant with its axes in another order."""
    source = constants.known[name]
    values = np.ascontiguousarray(array_of(cast(Any, source.initial_value)).transpose(order))
    old = cast("MemRefType[Any]", source.type)
    shape = [old.get_shape()[each] for each in order]
    type = MemRefType(old.element_type, shape, old.layout, old.memory_space)
    title = StringAttr(f"{name}_last{order[-1]}")
    made = memref.GlobalOp.get(title, type, cast(Attribute, dense(values, old.element_type)), constant=UnitAttr())
    made.location = source.location
    Rewriter.insert_op(made, InsertPoint.after(source))
    constants.permuted[name, order[-1]] = made
    return made


@dataclass(frozen=True)
class PermuteConstantsPass(Pass):
    """
    Store constants so that transfers read their blocks in contiguous rows.

    Run it on buffers, after map-engines and before plan-memory. Where an engine needs an operand in blocks (`blocked`
    in the machine), the axis of the blocks becomes the innermost of the constant: OHWI weights in blocks of features
    become HWIO. Kernels read them through a strided view of the old shape. Other operands are unchanged.
    """

    name = "permute-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        permute_constants(op, machine_of(op))

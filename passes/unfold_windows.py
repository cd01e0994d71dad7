"""The pass `unfold-windows`: view the points of a window's row as channels, for convolutions of few channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseArrayBase, MemRefType, ModuleOp, StridedLayoutAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.constants import has_constant_elements
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp
from ..ir import array_of, dense, free_symbol, functions, numbers_of, shape_of
from .core.base import Pass
from .map_engines import engine_of
from .memory.views import is_dense, layout_of


def unfold_windows(module: ModuleOp, machine: Machine) -> None:
    """Give convolutions a view of windows' rows as channels, where their engine then takes fewer cycles."""
    globals_ = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp) and has_constant_elements(op)]
    names = {op.sym_name.data: op for op in globals_}
    unfolded: dict[tuple[str, tuple[int, ...]], memref.GlobalOp] = {}
    unused: set[str] = set()
    for function in functions(module):
        for op in [inner for inner in nested_ops(function) if isinstance(inner, ConvOp)]:
            weights = op.inputs[1].owner
            definition = names.get(weights.name_.string_value()) if isinstance(weights, memref.GetGlobalOp) else None
            if definition is not None and _has_rows(op) and _unfold(op, definition, machine, unfolded):
                assert isinstance(weights, memref.GetGlobalOp)
                if not weights.memref.uses:
                    Rewriter.erase_op(weights)
                unused.add(definition.sym_name.data)
    gets = (op for function in functions(module) for op in nested_ops(function) if isinstance(op, memref.GetGlobalOp))
    for name in sorted(unused - {op.name_.string_value() for op in gets}):
        Rewriter.erase_op(names[name])


def _has_rows(op: ConvOp) -> bool:
    """Return whether each row of a window is one run of elements: channels last, in one group, neither padded."""
    if op.channels_last is None or op.groups.value.data != 1 or op.packed_bits or op.im2col is not None:
        return False
    axes, pads = len(numbers_of(op.strides)), numbers_of(op.pads)
    strides, shape = layout_of(op.inputs[0])[0], shape_of(op.inputs[0])
    is_contiguous = strides[-1] == 1 and strides[-2] == shape[-1]
    alone = not pads[axes - 1] and not pads[-1] and numbers_of(op.dilations)[-1] == 1
    return is_contiguous and alone and shape_of(op.inputs[1])[-2] > 1 and is_dense(op.inputs[1])


def _unfold(
    op: ConvOp,
    weights: memref.GlobalOp,
    machine: Machine,
    unfolded: dict[tuple[str, tuple[int, ...]], memref.GlobalOp],
) -> bool:
    """
    Replace the operands of a convolution by views of windows' rows; return whether that takes fewer cycles.

    `unfolded` are the reshaped weights by name and shape, which kernels with the same weights share.
    """
    before = machine.cost(engine_of(op, machine), op)
    operands, steps = list(op.operands), op.strides
    *outer, width, channels = shape_of(op.inputs[1])
    view = _rows(op, width)
    key = weights.sym_name.data, (*outer, 1, width * channels)
    kernel = unfolded.get(key) or _reshaped(weights, key[1])
    get = memref.GetGlobalOp(kernel.sym_name.data, kernel.type)
    for new in (view, get):
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
    op.operands[0], op.operands[1] = view.results[0], get.memref
    op.properties["strides"] = DenseArrayBase.from_list(i64, [*numbers_of(steps)[:-1], 1])
    after = machine.cost(engine_of(op, machine), op)
    if before is not None and after is not None and after < before:
        if key not in unfolded:
            Rewriter.insert_op(kernel, InsertPoint.before(weights))
        unfolded[key] = kernel
        return True
    op.operands[0], op.operands[1], op.properties["strides"] = operands[0], operands[1], steps
    for new in (view, get):
        Rewriter.erase_op(new)
    return False


def _rows(op: ConvOp, width: int) -> memref.ReinterpretCastOp:
    """Return a view of the rows of all windows: neighbours overlap where the stride is less than the width."""
    source = op.inputs[0]
    type, (strides, offset) = cast("MemRefType[Any]", source.type), layout_of(source)
    *outer, _, channels = shape_of(source)
    sizes = [*outer, shape_of(op.output)[-2], width * channels]
    steps = [*strides[:-2], numbers_of(op.strides)[-1] * channels, 1]
    there = MemRefType(type.element_type, sizes, StridedLayoutAttr(steps, offset), type.memory_space)
    return memref.ReinterpretCastOp.from_dynamic(source, [offset], sizes, steps, there)


def _reshaped(source: memref.GlobalOp, shape: Sequence[int]) -> memref.GlobalOp:
    """Return a constant with the elements of another in their order."""
    old = cast("MemRefType[Any]", source.type)
    values = array_of(cast(Any, source.initial_value)).reshape(shape)
    type = MemRefType(old.element_type, shape, old.layout, old.memory_space)
    module = source.parent_op()
    assert isinstance(module, ModuleOp)
    title = StringAttr(free_symbol(module, f"{source.sym_name.data}_rows"))
    reshaped = memref.GlobalOp.get(title, type, cast(Attribute, dense(values, old.element_type)), constant=UnitAttr())
    reshaped.location = source.location
    return reshaped


@dataclass(frozen=True)
class UnfoldWindowsPass(Pass):
    """
    View the points of a window's row as channels, for convolutions of few channels.

    Run it on buffers, before map-engines. A convolution with a window of 7 x 7 x 3 becomes one of 7 x 1 x 21. It reads
    a view of the image in which neighbouring windows overlap; its weights are reshaped. Others are kept whose engine
    takes no fewer cycles then; engines that multiply in blocks of channels do.
    """

    name = "unfold-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        unfold_windows(op, machine_of(op))

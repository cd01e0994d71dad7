"""The pass `collapse-pixels`: view images as one line of pixels, for convolutions of one point."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StridedLayoutAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp
from ..ir import functions, numbers_of, shape_of
from .core.base import Pass
from .map_engines import engine_of
from .memory.views import layout_of


def collapse_pixels(op: ConvOp, machine: Machine) -> bool:
    """Give a convolution of one point views of one line of pixels; return whether that takes less."""
    if not _is_pointwise(op) or not all(_is_line(value) for value in (op.inputs[0], op.output)):
        return False
    before, number = _cost(op, machine), len(op.operands) - 1
    images = {0: op.inputs[0], number: op.output}
    views = {place: _line(value) for place, value in images.items()}
    for place, view in views.items():
        view.location = op.location
        Rewriter.insert_op(view, InsertPoint.before(op))
        op.operands[place] = view.results[0]
    after = _cost(op, machine)
    if before is not None and after is not None and after < before:
        return True
    for place, view in views.items():
        op.operands[place] = images[place]
        Rewriter.erase_op(view)
    return False


def _cost(op: ConvOp, machine: Machine) -> tuple[int, int] | None:
    """Return the cycles of a convolution on its engine, then its instructions; None where the engine cannot run it."""
    engine = engine_of(op, machine)
    cycles, counter = machine.cost(engine, op), machine.counter(engine, op)
    return None if cycles is None else (cycles, (counter() if counter is not None else None) or 0)


def _is_pointwise(op: ConvOp) -> bool:
    """Return whether each pixel of a convolution with channels last depends on one, and its epilogue on no place."""
    axes = len(numbers_of(op.strides))
    if op.channels_last is None or axes < 2 or any(numbers_of(op.pads)) or set(numbers_of(op.strides)) != {1}:
        return False
    maps = [attribute.data for attribute in op.epilogue_maps or ()]
    places = set(range(1, 1 + axes))
    used = {dim for index_map in maps for expr in index_map.results for dim in expr.used_dims()}
    return set(shape_of(op.inputs[1])[1 : 1 + axes]) == {1} and not used & places


def _is_line(value: SSAValue) -> bool:
    """Return whether the pixels of an image have one stride over all its lines."""
    strides, shape = layout_of(value)[0], shape_of(value)
    return all(strides[axis] == strides[axis + 1] * shape[axis + 1] for axis in range(1, len(shape) - 2))


def _line(value: SSAValue) -> memref.ReinterpretCastOp:
    """Return a view of images whose spatial axes before the last one have extent 1."""
    type, (strides, offset), shape = cast("MemRefType[Any]", value.type), layout_of(value), shape_of(value)
    sizes = [shape[0], *([1] * (len(shape) - 3)), prod(shape[1:-1]), shape[-1]]
    there = MemRefType(type.element_type, sizes, StridedLayoutAttr(strides, offset), type.memory_space)
    return memref.ReinterpretCastOp.from_dynamic(value, [offset], sizes, strides, there)


@dataclass(frozen=True)
class CollapsePixelsPass(Pass):
    """
    View images as one line of pixels, for convolutions of one point with the stride 1.

    Run it on buffers, before map-engines. A convolution of 7 x 7 pixels becomes one of 1 x 49, where its engine takes
    fewer cycles then, or as many with fewer instructions: one that multiplies in blocks of rows, of which a line of 7
    pixels fills no whole one.
    """

    name = "collapse-pixels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            for convolution in nested_ops(function):
                if isinstance(convolution, ConvOp):
                    collapse_pixels(convolution, machine)

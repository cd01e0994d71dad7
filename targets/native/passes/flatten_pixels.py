"""The pass `flatten-pixels`: view images as one row of pixels, for packed convolutions of one tap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StridedLayoutAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.nesting import nested_ops
from ....dialects.core.scalars import is_float
from ....ir import element_of, functions, shape_of
from ....passes.core.base import Pass
from ....passes.memory.views import BufferType, layout_of, row_major
from ..dialects.packed import PackedConvOp


def flatten_pixels(op: PackedConvOp) -> None:
    """Give a convolution views of one row, of all pixels of all images, where it computes each pixel by itself."""
    images = _images(op)
    if not is_float(op.accumulator) or not _is_pointwise(op) or images is None:
        return
    values = [op.operands[place] for place in images]
    if prod(shape_of(op.output)[:-2]) == 1 or not all(map(_is_row, values)):
        return
    for place, value in zip(images, values, strict=True):
        view = _row(value)
        view.location = op.location
        Rewriter.insert_op(view, InsertPoint.before(op))
        op.operands[place] = view.results[0]


def _is_pointwise(op: PackedConvOp) -> bool:
    strides, _, kernel = op.geometry()
    return len(kernel) > 0 and set(strides) == set(kernel) == {1}


def _images(op: PackedConvOp) -> list[int] | None:
    """Return the operands that have an element for each pixel; None where the epilogue reads others by pixels."""
    rank = len(shape_of(op.output))
    images, first = [0], len(op.inputs)
    for number, attribute in enumerate(op.epilogue_maps or ()):
        used = {dim for result in attribute.data.results for dim in result.used_dims()}
        if attribute.data == AffineMap.identity(rank):
            images.append(first + number)
        elif used - {rank - 1}:
            return None
    return [*images, len(op.operands) - 1]


def _is_row(value: SSAValue) -> bool:
    """Return whether all pixels are equally far apart, from one row or image to the next too."""
    (strides, _), shape = layout_of(value), shape_of(value)
    axes = [axis for axis in range(len(shape) - 1) if shape[axis] > 1]
    return all(strides[a] == strides[b] * shape[b] for a, b in pairwise(axes))


def _row(value: SSAValue) -> memref.ReinterpretCastOp:
    """Return a view of images as one, of one row."""
    (strides, offset), shape = layout_of(value), shape_of(value)
    pixels = prod(shape[:-1])
    step = next((strides[axis] for axis in reversed(range(len(shape) - 1)) if shape[axis] > 1), shape[-1])
    sizes = [*([1] * (len(shape) - 2)), pixels, shape[-1]]
    steps = [*([pixels * step] * (len(shape) - 2)), step, strides[-1]]
    dense = offset == 0 and steps == row_major(sizes)
    layout = NoneAttr() if dense else StridedLayoutAttr(steps, offset)
    flat = MemRefType(element_of(value), sizes, layout, cast(BufferType, value.type).memory_space)
    return memref.ReinterpretCastOp.from_dynamic(value, [offset], sizes, steps, flat)


@dataclass(frozen=True)
class FlattenPixelsPass(Pass):
    """
    View images as one row of pixels, for `packed.conv` of floats of one tap with the stride 1.

    Run it on buffers. Rows of 14 pixels leave two over in tiles of 12; a row of 196 has 16 of these and one of four.
    """

    name = "flatten-pixels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for convolution in nested_ops(function):
                if isinstance(convolution, PackedConvOp):
                    flatten_pixels(convolution)

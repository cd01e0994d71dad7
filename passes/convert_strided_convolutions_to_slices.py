"""The pass `convert-strided-convolutions-to-slices`: let convolutions of one point read a slice with steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType, i64
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp
from ..ir import element_of, functions, numbers_of, shape_of
from .core.base import Pass


def read_slice(op: ConvOp) -> bool:
    """Replace the strides of a 1x1 convolution by a slice of its input; return whether it has strides."""
    steps = numbers_of(op.strides)
    if set(steps) <= {1} or any(numbers_of(op.pads)) or op.packed_bits or op.im2col is not None:
        return False
    first = 1 if op.channels_last is not None else 2
    if any(extent > 1 for extent in _spatial(shape_of(op.inputs[1]), first, len(steps))):
        return False
    x = op.inputs[0]
    sizes, strides = list(shape_of(x)), [1] * len(shape_of(x))
    sizes[first : first + len(steps)] = _spatial(shape_of(op.output), first, len(steps))
    strides[first : first + len(steps)] = steps
    places = {"static_offsets": [0] * len(sizes), "static_sizes": sizes, "static_strides": strides}
    part = tensor.ExtractSliceOp.build(
        operands=[x, [], [], []],
        result_types=[TensorType(cast(Any, element_of(x)), sizes)],
        properties={name: DenseArrayBase.from_list(i64, place) for name, place in places.items()},
    )
    part.location = op.location
    Rewriter.insert_op(part, InsertPoint.before(op))
    op.operands[0] = part.results[0]
    op.properties["strides"] = DenseArrayBase.from_list(i64, [1] * len(steps))
    return True


def _spatial(shape: Sequence[int], first: int, count: int) -> Sequence[int]:
    return shape[first : first + count]


@dataclass(frozen=True)
class ConvertStridedConvolutionsToSlicesPass(Pass):
    """
    Replace the strides of convolutions of one point by a slice of the input with steps.

    Run it on tensors. The slice becomes a view, of which transfers bring those pixels only that the convolution reads.
    """

    name = "convert-strided-convolutions-to-slices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for convolution in nested_ops(function):
                if isinstance(convolution, ConvOp):
                    read_slice(convolution)

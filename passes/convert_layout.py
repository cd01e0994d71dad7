"""Layout conversion to channels-last: convolutions and the ops between them work on [N, spatial..., C]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, OpResult

from ..dialects.nn import ConvOp, MatmulOp
from ..ir import element_of, shape_of
from .core.base import Pass
from .layout.channels import convert_channels
from .layout.state import WORTH_MOVING, Layout, constant_of, rebuilt, swapped, weights_like


def _is_taken(op: ConvOp) -> bool:
    return op.channels_last is None and constant_of(op.inputs[1]) is not None


def _convert(state: Layout, op: Operation) -> bool:
    """Convert a contraction; return False for other ops."""
    if isinstance(op, ConvOp) and _is_taken(op):
        _move_channels(state, op)
    elif isinstance(op, MatmulOp) and _is_of_bytes(op):
        _transpose_matrix(state, op)
    else:
        return False
    return True


def _move_channels(state: Layout, op: ConvOp) -> None:
    """Convert a convolution with constant weights and its own padding."""
    x, w = op.inputs
    weight = weights_like(op, np.ascontiguousarray(np.moveaxis(constant_of(w), 1, -1)), w)
    names = ("strides", "dilations", "pads", "groups", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    properties["channels_last"] = UnitAttr()
    state.replace(op, rebuilt(state, op, ConvOp, [state.last(x), weight], properties))


def _is_of_bytes(op: MatmulOp) -> bool:
    a, b = op.inputs
    integers = element_of(a) == i8 and element_of(b) == i8 and op.accumulator == i32
    return integers and op.wraps is None and not op.is_unsigned(1)


def _transpose_matrix(state: Layout, op: MatmulOp) -> None:
    """Transpose the second matrix to make its reduced axis contiguous, if that is free or amortised over the rows."""
    b = op.inputs[1]
    if op.transpose_b is not None or op.transpose_a is not None:
        return
    source = b.owner if isinstance(b, OpResult) else None
    if constant_of(b) is not None:
        op.operands[1] = weights_like(op, np.ascontiguousarray(np.swapaxes(constant_of(b), -1, -2)), b)
    elif isinstance(source, linalg.TransposeOp) and b.has_one_use():
        op.operands[1] = swapped(state, b)
    elif shape_of(op.inputs[0])[-2] >= WORTH_MOVING:
        op.operands[1] = swapped(state, b)
    else:
        return
    op.properties["transpose_b"] = UnitAttr()


@dataclass(frozen=True)
class ConvertLayoutPass(Pass):
    """
    Convert convolutions with constant weights, and the ops between them, to channels-last layout.

    They become `nn.conv` with `channels_last`; poolings, elementwise kernels and padding between them follow. Matrix
    products of bytes get `transpose_b`, so that the reduced axis is contiguous. Transposes remain at the inputs and
    outputs of the network. Run it after fuse-epilogues.
    """

    name = "convert-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_channels(op, _is_taken, _convert)

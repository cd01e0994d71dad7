"""Layout conversion: convolutions work on [N, spatial..., C], with the fewest transposes between them and the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from ..dialects.nn import ConvOp, MatmulOp
from ..ir import element_of, shape_of
from .core.base import Pass
from .core.remarks import missed, wanted
from .layout.convert import convert_layouts
from .layout.orders import channels_last, identity, swapped
from .layout.report import transposes_of
from .layout.rules import LayoutForm, LayoutRule, kernel_form, own_properties, where_moved
from .layout.state import WORTH_MOVING, Layouts, constant_of, rebuilt, weights_like


def _is_taken(op: Operation) -> bool:
    return isinstance(op, ConvOp) and op.channels_last is None and constant_of(op.inputs[1]) is not None


def _channels_last(op: ConvOp) -> list[LayoutForm]:
    order = channels_last(len(shape_of(op.output)))
    return [kernel_form(op, [order, None], order)]


def _move_channels(state: Layouts, op: ConvOp, form: LayoutForm) -> None:
    """Convert a convolution with constant weights and its own padding."""
    x, w = op.inputs
    weight = weights_like(op, np.ascontiguousarray(np.moveaxis(constant_of(w), 1, -1)), w)
    properties = own_properties(op, "strides", "dilations", "pads", "groups", "accumulator", "wraps")
    properties["channels_last"] = UnitAttr()
    twin = rebuilt(state, op, ConvOp, [state.given(x, form.result), weight], properties, form.result)
    state.replace(op, twin, form.result)


def _is_of_bytes(op: Operation) -> bool:
    if not isinstance(op, MatmulOp) or op.transpose_b is not None or op.transpose_a is not None:
        return False
    a, b = op.inputs
    integers = element_of(a) == i8 and element_of(b) == i8 and op.accumulator == i32
    return integers and op.wraps is None


def _matrices(op: MatmulOp) -> list[LayoutForm]:
    """
    Return the layouts of a product's matrices.

    The reduced axis of the second one is contiguous if that is free or amortised over the rows, else either will do.
    """
    a, b = op.inputs
    plain, moved = identity(len(shape_of(b))), swapped(len(shape_of(b)))
    is_free = constant_of(b) is not None or (isinstance(b.owner, linalg.TransposeOp) and b.has_one_use())
    orders = [moved] if is_free or shape_of(a)[-2] >= WORTH_MOVING else [plain, moved]
    result = identity(len(shape_of(op.output)))
    return [kernel_form(op, [identity(len(shape_of(a))), order], result) for order in orders]


def _transpose_matrix(state: Layouts, op: MatmulOp, form: LayoutForm) -> None:
    """Take the second matrix of a product transposed."""
    b = op.inputs[1]
    if constant_of(b) is not None:
        op.operands[1] = weights_like(op, np.ascontiguousarray(np.swapaxes(constant_of(b), -1, -2)), b)
    else:
        op.operands[1] = state.given(b, form.operands[1] or ())
    op.properties["transpose_b"] = UnitAttr()


_RULES = (
    LayoutRule(_is_taken, _move_channels, forms=_channels_last),
    LayoutRule(_is_of_bytes, where_moved(_transpose_matrix), forms=_matrices),
)


def _remark(module: ModuleOp) -> None:
    """Remark on the transposes that are left, with the demands on both of their sides."""
    for transpose in transposes_of(module):
        text = "{bytes:,} bytes are transposed, between {source} and {target}"
        sides = {"source": transpose.source, "target": transpose.target}
        missed(transpose.op, "layout", text, bytes=transpose.size, **sides)


@dataclass(frozen=True)
class ConvertLayoutPass(Pass):
    """
    Convert kernels to the layouts that need the fewest transposes: channels-last convolutions, rows of matrices.

    Convolutions with constant weights become `nn.conv` with `channels_last`, their weights packed to match; matrix
    products of bytes get `transpose_b`, so that the reduced axis is contiguous. Ops free in their layout follow:
    elementwise kernels, poolings, reductions, padding, concatenations, slices, reshapes that keep what they merge
    contiguous, and transposes. The number of transposes is minimal, then the bytes that they move. Run it after
    fuse-epilogues.
    """

    name = "convert-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_layouts(op, _RULES)
        if wanted():
            _remark(op)

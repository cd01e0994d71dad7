"""The pass `space-to-depth`: convert strided convolutions of few channels to stride 1, with the pixels as channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.body import scalar_attr
from ..dialects.core.kernel_parts import ints
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp
from ..ir import Array, array_of, dense, element_of, functions, numbers_of, shape_of
from .core.base import Pass
from .loops.shapes import Shapes
from .map_engines import engine_of, mapped_engine


def space_to_depth(op: ConvOp, machine: Machine) -> bool:
    """Replace a convolution of stride s by one of stride 1 over blocks of s x s pixels; return whether it is faster."""
    weights = op.inputs[1].owner
    constant = weights.value if isinstance(weights, arith.ConstantOp) else None
    step = numbers_of(op.strides)[0]
    if not isinstance(constant, DenseIntOrFPElementsAttr) or not _is_plain(op) or step == 1:
        return False
    values = _in_blocks(array_of(cast("DenseIntOrFPElementsAttr[Any]", constant)), step)
    out = shape_of(op.output)
    sides = [step * (size + taps - 1) for size, taps in zip(out[1:3], values.shape[1:3], strict=True)]
    if any(side < size for side, size in zip(sides, shape_of(op.inputs[0])[1:3], strict=True)):
        return False
    before, start = machine.cost(mapped_engine(op, machine), op), op.prev_op
    shapes = Shapes(op, on_tensors=True)
    image, made = _blocks_of(shapes, op.inputs[0], step, sides)
    conv = _on_blocks(shapes, op, image, values)
    costs = [machine.cost(engine_of(each, machine), each) for each in (conv, *made)]
    if before is None or any(cost is None for cost in costs) or sum(cost or 0 for cost in costs) >= before:
        while op.prev_op is not None and op.prev_op is not start:
            Rewriter.erase_op(op.prev_op)
        return False
    Rewriter.replace_op(op, [], list(conv.results))
    return True


def _is_plain(op: ConvOp) -> bool:
    """Return whether a convolution of images has channels last, one group, equal strides, and no more."""
    strides = numbers_of(op.strides)
    alone = op.groups.value.data == 1 and not op.packed_bits and op.im2col is None and op.channels_last is not None
    return (
        alone
        and len(strides) == 2
        and len({*strides}) == 1
        and {*numbers_of(op.dilations)} == {1}
        and not any(numbers_of(op.pads))
    )


def _in_blocks(weights: Array, step: int) -> Array:
    """Return weights [F, h, w, C] of blocks of pixels: [F, h / s, w / s, s * s * C], with zeros beyond the window."""
    features, height, width, channels = weights.shape
    rows, cols = -(-height // step), -(-width // step)
    padded = np.pad(weights, ((0, 0), (0, rows * step - height), (0, cols * step - width), (0, 0)))
    blocks = padded.reshape(features, rows, step, cols, step, channels).transpose(0, 1, 3, 2, 4, 5)
    return blocks.reshape(features, rows, cols, step * step * channels)


def _blocks_of(
    shapes: Shapes, image: SSAValue, step: int, sides: Sequence[int]
) -> tuple[SSAValue, list[linalg.TransposeOp]]:
    """Insert the image [N, h / s, w / s, s * s * C] of blocks of pixels; also return the copies that it needs."""
    batch, height, width, channels = shape_of(image)
    origin = _origin(image)
    axes = [origin.order.index(axis) for axis in range(4)]
    high = [each + more for each, more in zip(origin.high, (0, sides[0] - height, sides[1] - width, 0), strict=True)]
    source = origin.source
    if any((*origin.low, *high)):
        source = shapes.padded(source, [origin.low[a] for a in axes], [high[a] for a in axes], origin.fill)
    rows, cols = sides[0] // step, sides[1] // step
    groups = [[batch], [rows, step], [cols, step], [channels]]
    split = shapes.expanded(source, [groups[axis] for axis in axes])
    parts = [(axis, part) for axis in axes for part in range(len(groups[axis]))]
    order = [parts.index(each) for each in ((0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (3, 0))]
    target = shapes.empty([batch, rows, cols, step, step, channels], element_of(image))
    turned = linalg.TransposeOp(split, target, ints(order), target.type)
    shapes.emit(turned)
    type = TensorType(cast(Any, element_of(image)), [batch, rows, cols, step * step * channels])
    merged = ArrayAttr(ArrayAttr(IntegerAttr(axis, i64) for axis in group) for group in ([0], [1], [2], [3, 4, 5]))
    collapse = tensor.CollapseShapeOp.build(
        operands=[turned.results[0]], result_types=[type], properties={"reassociation": merged}
    )
    return shapes.emit(collapse).results[0], [turned]


class _Origin(NamedTuple):
    """
    Tensor of which an image is the padded transpose: the image's axis `i` is axis `order[i]` of `source`.

    The padding, with the number `fill`, is by the image's axes.
    """

    source: SSAValue
    order: list[int]
    low: list[int]
    high: list[int]
    fill: Attribute


def _origin(image: SSAValue) -> _Origin:
    low, high, fill = [0] * 4, [0] * 4, scalar_attr(0, element_of(image))
    pad = image.owner
    if isinstance(pad, tensor.PadOp) and (number := _number(pad)) is not None and image.has_one_use():
        image, low, high, fill = pad.source, [*numbers_of(pad.static_low)], [*numbers_of(pad.static_high)], number
    turn = image.owner
    if isinstance(turn, linalg.TransposeOp) and image.has_one_use():
        return _Origin(turn.inputs[0], [*numbers_of(turn.permutation)], low, high, fill)
    return _Origin(image, [0, 1, 2, 3], low, high, fill)


def _number(op: tensor.PadOp) -> Attribute | None:
    """Return the number that an op of static padding pads with, None if it is no constant."""
    last = op.region.block.last_op
    number = last.operands[0].owner if last is not None else None
    return number.value if isinstance(number, arith.ConstantOp) and not op.low and not op.high else None


def _on_blocks(shapes: Shapes, op: ConvOp, image: SSAValue, values: Array) -> ConvOp:
    """Insert the convolution of blocks of pixels."""
    constant = arith.ConstantOp(cast(Any, dense(values, element_of(op.inputs[1]))))
    constant.result.name_hint = op.inputs[1].name_hint
    shapes.emit(constant)
    kept: dict[str, Attribute] = {name: each for name, each in op.properties.items() if name != "operandSegmentSizes"}
    regions = [[op.epilogue.clone()] if op.epilogue is not None else []]
    made = ConvOp.create_from(
        [image, constant.result],
        list(op.extras),
        list(op.outputs),
        kept | {"strides": ints([1, 1])},
        regions,
        dict(op.attributes),
    )
    assert isinstance(made, ConvOp)
    shapes.emit(made)
    return made


@dataclass(frozen=True)
class SpaceToDepthPass(Pass):
    """
    Convert strided convolutions of few channels to stride 1, with the pixels of s x s blocks as channels.

    On tensors with a machine (attach-machine). A convolution of 7 x 7 windows, stride 2 and 3 channels becomes one of
    4 x 4 windows over 12 channels, whose image is rearranged and whose weights have zeros beyond the window. It fills
    the blocks of channels that an engine computes at once. Done where the modelled cycles of convolution and
    rearrangement are fewer; channels last, one group, constant weights. Others are unchanged.
    """

    name = "space-to-depth"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            for each in [inner for inner in nested_ops(function) if isinstance(inner, ConvOp)]:
                space_to_depth(each, machine)

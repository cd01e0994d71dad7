"""The pass `materialize-padding`: pad the inputs of convolutions and of max pooling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseArrayBase, IndexType, ModuleOp, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import kernel_of
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp, PoolOp
from ..ir import element_of, functions, numbers_of, shape_of
from .core.base import Pass


def materialize_padding(op: ConvOp | PoolOp) -> bool:
    """Replace a kernel with padding by one of a padded tensor; return whether the op has any."""
    pads, source = numbers_of(op.pads), op.inputs[0]
    fill = kernel_of(op).inputs[0].fill
    is_sum = isinstance(op, PoolOp) and op.kind.data != "max"
    if is_sum or not any(pads) or fill is None or not isinstance(source.type, TensorType):
        return False
    rank, first = len(pads) // 2, 1 if op.channels_last else 2
    low, high = ([0] * len(shape_of(source)) for _ in range(2))
    low[first : first + rank], high[first : first + rank] = pads[:rank], pads[rank:]
    number = arith.ConstantOp(cast(Any, fill))
    shape = [a + extent + b for a, extent, b in zip(low, shape_of(source), high, strict=True)]
    body = Block([tensor.YieldOp(number.result)], arg_types=[IndexType()] * len(shape))
    result = TensorType(cast(Any, element_of(source)), shape)
    padded = tensor.PadOp(source, [], [], Region(body), low, high, result)
    none: Attribute = DenseArrayBase.from_list(i64, [0] * len(pads))
    regions: list[list[Region]] = [[op.epilogue.clone()] if op.epilogue is not None else []]
    properties = {name: value for name, value in op.properties.items() if name != "operandSegmentSizes"}
    properties["pads"] = none
    unpadded = type(op).create_from(
        [padded.results[0], *op.inputs[1:]], list(op.extras), list(op.outputs), properties, regions, dict(op.attributes)
    )
    new: list[Operation] = [number, padded, unpadded]
    for inserted in new:
        inserted.location = op.location
        Rewriter.insert_op(inserted, InsertPoint.before(op))
    Rewriter.replace_op(op, [], list(unpadded.results))
    return True


@dataclass(frozen=True)
class MaterializePaddingPass(Pass):
    """
    Pad the input of convolutions with zeros, and that of max pooling with the lowest number of its type.

    On tensors. `nn.conv` or `nn.pool` with `pads = array<i64: 1, 1, 1, 1>` becomes `tensor.pad` and that op without;
    bufferize lets the producer write the interior of the padded tensor. Engines that know no padding, or only that of
    zeros, then run them. Other kernels are unchanged.
    """

    name = "materialize-padding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for kernel in [inner for inner in nested_ops(function) if isinstance(inner, ConvOp | PoolOp)]:
                materialize_padding(kernel)

"""The pass `fuse-widening`: let products and gathers read narrow constants, and convert elements as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, ModuleOp, TensorType, bf16, f32, i8
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.body import Body
from ..dialects.core.kernel import is_shaped
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp, MatmulOp, ints
from ..ir import element_of, functions, numbers_of, shape_of
from .core.base import Pass
from .core.remarks import missed, wanted
from .fuse_epilogues import is_elementwise, is_identity

_NARROW = (bf16, i8)
"""Element types of constants that stay narrow; all their numbers are numbers of f32."""
_CONVERSIONS = (arith.ExtFOp, arith.ExtSIOp, arith.SIToFPOp)


@dataclass(frozen=True)
class _Widening:
    """
    Conversion of a narrow constant to f32, times a scale.

    `scale` is a tensor with a factor for each index of `axis`, or the constant op of one factor without an axis; None
    for no scale.
    """

    op: linalg.GenericOp
    narrow: SSAValue
    scale: SSAValue | None
    axis: int | None


def fuse_widening(block: Block) -> None:
    """Fuse the conversions of narrow constants in a block into the products, gathers and slices that read them."""
    widenings = [widening for op in nested_ops(block) if (widening := _widening_of(op)) is not None]
    for widening in widenings:
        result = widening.op.results[0]
        for use in list(result.uses):
            if use.index == 1 and _is_fusable_product(use.operation, widening):
                _fuse_product(cast(MatmulOp | ConvOp, use.operation), widening)
            elif use.index == 0 and isinstance(use.operation, tensor.ExtractOp):
                _fuse_gather(use.operation, widening)
            elif use.index == 0 and isinstance(use.operation, tensor.ExtractSliceOp) and _keeps_rank(use.operation):
                _fuse_slice(use.operation, widening)
        if not result.uses:
            Rewriter.erase_op(widening.op)
        elif wanted():
            readers = ", ".join(dict.fromkeys(use.operation.name for use in result.uses))
            text = "the widened constant is stored for {readers}, which do not read {element}"
            missed(widening.op, "fusion", text, readers=readers, element=element_of(widening.narrow))


def _widening_of(op: Operation) -> _Widening | None:
    """Match an elementwise kernel that converts one narrow constant to f32, and multiplies it by one scale at most."""
    if not is_elementwise(op) or element_of(op.results[0]) != f32:
        return None
    generic = cast(linalg.GenericOp, op)
    if not 0 < len(generic.inputs) <= 2:
        return None
    narrow, *scales = generic.inputs
    is_constant = isinstance(narrow, OpResult) and isinstance(narrow.op, arith.ConstantOp)
    if not is_constant or not is_shaped(narrow) or element_of(narrow) not in _NARROW:
        return None
    if not is_identity(generic.indexing_maps.data[0].data):
        return None
    number, factor = _factors(generic.body.block)
    if number is not generic.body.block.args[0]:
        return None
    if factor is None or not isinstance(factor, BlockArgument):
        is_number = factor is None or isinstance(factor.owner, arith.ConstantOp)
        return _Widening(generic, narrow, factor, None) if is_number and not scales else None
    axis = _axis_of(generic.indexing_maps.data[1].data)
    return None if axis is None else _Widening(generic, narrow, scales[0], axis)


def _factors(body: Block) -> tuple[SSAValue, SSAValue | None]:
    """Return the number that a body converts, and the factor that it multiplies the result by, None without one."""
    assert body.last_op is not None
    number, factor = body.last_op.operands[0], None
    if isinstance(number.owner, arith.MulfOp):
        number, factor = number.owner.operands
    while isinstance(number.owner, _CONVERSIONS):
        number = number.owner.operands[0]
    return number, factor


def _axis_of(map: AffineMap) -> int | None:
    """Return the one dimension that a map to a vector takes, None for other maps."""
    if len(map.results) != 1 or not isinstance(map.results[0], AffineDimExpr):
        return None
    return map.results[0].position


def _is_fusable_product(op: Operation, widening: _Widening) -> bool:
    """
    Return whether an op multiplies by a widened weight in f32, and its results may be scaled in the weight's place.

    The weight is one matrix, or that of a convolution of one group.
    """
    if isinstance(op, MatmulOp):
        is_one = len(shape_of(op.inputs[1])) == 2
    else:
        is_one = isinstance(op, ConvOp) and op.groups.value.data == 1
    if not is_one or cast(MatmulOp, op).accumulator != f32 or element_of(op.results[0]) != f32:
        return False
    if widening.scale is None:
        return True
    is_plain = cast(MatmulOp, op).epilogue is None
    return is_plain and widening.axis in (None, _features(cast(MatmulOp | ConvOp, op))[0])


def _features(op: MatmulOp | ConvOp) -> tuple[int, int]:
    """Return the axis of a product's weight that its output features are along, and that of its output."""
    rank = len(shape_of(op.output))
    if isinstance(op, MatmulOp):
        return (0 if op.transpose_b is not None else 1), rank - 1
    return 0, (rank - 1 if op.channels_last is not None else 1)


def _fuse_product(op: MatmulOp | ConvOp, widening: _Widening) -> None:
    """Let a product read the narrow weight; where there is a scale, multiply its sums by it."""
    op.operands[1] = widening.narrow
    if widening.scale is not None:
        _scale_sums(op, widening)


def _scale_sums(op: MatmulOp | ConvOp, widening: _Widening) -> None:
    """Append the product of an op's results and a scale: one for each feature, or one for all."""
    total, identity = op.results[0], AffineMap.identity(len(shape_of(op.output)))
    factor, inputs, maps = widening.scale, list[SSAValue]([total]), [identity]
    assert factor is not None
    if widening.axis is not None:
        inputs.append(factor)
        maps.append(AffineMap(identity.num_dims, 0, (identity.results[_features(op)[1]],)))
    body = Body([f32] * (len(inputs) + 1))
    scale = body.args[1] if widening.axis is not None else body.op(cast(Operation, factor.owner).clone())
    block = body.finish(body.mul(body.args[0], scale))
    out = tensor.EmptyOp([], total.type)
    kinds = [IteratorTypeAttr.parallel()] * identity.num_dims
    attributes = [AffineMapAttr(map) for map in (*maps, identity)]
    scaled = linalg.GenericOp(inputs, [out.tensor], Region(block), attributes, kinds, [total.type])
    scaled.location = widening.op.location
    scaled.results[0].name_hint = total.name_hint
    total.replace_all_uses_with(scaled.results[0])
    scaled.operands[0] = total
    Rewriter.insert_op([out, scaled], InsertPoint.after(op))


def _fuse_gather(op: tensor.ExtractOp, widening: _Widening) -> None:
    """Convert an element where it is looked up."""
    body, indices = widening.op.body.block, list(op.indices)
    elements: list[Operation] = [_extract(widening.narrow, indices)]
    if widening.axis is not None and widening.scale is not None:
        elements.append(_extract(widening.scale, [indices[widening.axis]]))
    pairs = zip(body.args, elements, strict=False)
    values: dict[SSAValue, SSAValue] = {argument: element.results[0] for argument, element in pairs}
    *computing, end = body.ops
    clones = [inner.clone(values) for inner in computing]
    new = [*elements, *clones]
    for inner in new:
        inner.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(op))
    op.results[0].replace_all_uses_with(values[end.operands[0]])
    Rewriter.erase_op(op)


def _extract(source: SSAValue, indices: list[SSAValue]) -> tensor.ExtractOp:
    return tensor.ExtractOp(source, indices, cast(Any, element_of(source)))


def _keeps_rank(op: tensor.ExtractSliceOp) -> bool:
    return len(shape_of(op.result)) == len(shape_of(op.source))


def _fuse_slice(op: tensor.ExtractSliceOp, widening: _Widening) -> None:
    """Replace a slice of a converted constant by the conversion of a slice of the narrow constant."""
    generic, kind = widening.op, cast("TensorType[Any]", op.result.type)
    slices = [_sliced(op, widening.narrow, range(len(shape_of(op.source))))]
    if widening.axis is not None and widening.scale is not None:
        slices.append(_sliced(op, widening.scale, [widening.axis]))
    inputs = [part.result for part in slices]
    out = tensor.EmptyOp([], kind)
    body, maps = generic.body.clone(), list(generic.indexing_maps.data)
    wide = linalg.GenericOp(inputs, [out.tensor], body, maps, list(generic.iterator_types), [kind])
    wide.location = op.location
    wide.results[0].name_hint = op.result.name_hint
    Rewriter.insert_op([*slices, out, wide], InsertPoint.before(op))
    op.result.replace_all_uses_with(wide.results[0])
    Rewriter.erase_op(op)


def _sliced(op: tensor.ExtractSliceOp, source: SSAValue, axes: Sequence[int]) -> tensor.ExtractSliceOp:
    """Return the slice of a tensor that has these axes of the sliced one alone."""
    operands: list[list[SSAValue]] = []
    properties: dict[str, Attribute] = {}
    for name in ("offsets", "sizes", "strides"):
        numbers = numbers_of(op.properties[f"static_{name}"])
        operands_left = iter(getattr(op, name))
        dynamic = {axis: next(operands_left) for axis, number in enumerate(numbers) if number == DYNAMIC_INDEX}
        operands.append([dynamic[axis] for axis in axes if axis in dynamic])
        properties[f"static_{name}"] = ints([numbers[axis] for axis in axes])
    kind = TensorType(cast(Any, element_of(source)), [shape_of(op.result)[axis] for axis in axes])
    part = tensor.ExtractSliceOp.build(operands=[source, *operands], result_types=[kind], properties=properties)
    part.location = op.location
    return part


@dataclass(frozen=True)
class FuseWideningPass(Pass):
    """
    Fuse the conversion of constants of bf16 and i8 to f32 into the products and gathers that read them.

        %w = linalg.generic ... ins(%c : tensor<64x32xbf16>) outs(%e : tensor<64x32xf32>) { arith.extf }
        %y = nn.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x32xf32>) outs(%o : tensor<1x32xf32>) {accumulator = f32}

    becomes `nn.matmul ins(%x, %c : tensor<1x64xf32>, tensor<64x32xbf16>)`, with the same sums of the same products. A
    scale of each output feature, as DequantizeLinear has it, multiplies the sums instead: x (w s) is (x w) s.
    """

    name = "fuse-widening"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            fuse_widening(function.body.block)

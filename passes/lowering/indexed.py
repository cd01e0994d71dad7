"""Lowerings of operators that choose: by comparison, by a mask, by an index that is known only at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, TensorType, i1, i64
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.intervals import Range, range_of_element
from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float, scalar_attr
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, integer_width, is_unsigned_type, numbers_of, shape_of
from .code import FLOAT_PREDICATES, Code, computed
from .index_ranges import CARRIERS, RANGE, carried
from .lowerer import Lowerer, constant_of, is_unsigned, lowers, unsupported
from .rules import passed_on, result_element

_PREDICATES = Registry(
    "predicate", {"Less": "slt", "LessOrEqual": "sle", "Greater": "sgt", "GreaterOrEqual": "sge", "Equal": "eq"}
)


def _comparison(name: str) -> Callable[[Lowerer, OnnxOp], Sequence[SSAValue]]:
    """Return the rule for a comparison: operands of any one type, elements of i1."""

    def rule(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        operands = list(op.operands)
        widest = [is_unsigned(value) and integer_width(element_of(value)) == 64 for value in operands]
        if any(widest) and not all(widest):
            raise unsupported(op, "of unsigned integers of 64 bits with others", "use signed ones")

        def body(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
            if is_float(a.type):
                return body.op(arith.CmpfOp(a, b, FLOAT_PREDICATES[_PREDICATES[name]]))
            wide = i64
            a, b = (
                body.convert(x, wide, unsigned=is_unsigned(v)) if x.type != wide else x
                for x, v in zip((a, b), operands, strict=True)
            )
            predicate = _PREDICATES[name]
            return body.compare(a, predicate.replace("s", "u") if widest[0] else predicate, b)

        return [lower.elementwise(operands, shape_of(op.results[0]), i1, body)]

    return rule


for _name in _PREDICATES:
    lowers(_name)(_comparison(_name))


@lowers("Where")
def _where(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    if (chosen := passed_on(op)) is not None:
        return [lower[chosen]]

    def body(body: Body, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return body.select(condition, a, b)

    return [lower.elementwise(list(op.operands), shape_of(op.results[0]), result_element(op), body)]


def known_range(value: SSAValue) -> Range | None:
    """Return the value range of a value of the graph level: as inferred, declared, or that of its type."""
    if integer_width(element_of(value)) is None:
        return None
    own, source = range_of_element(element_of(value)), _source_range(value)
    # A conversion to a type that does not hold all of them wraps around.
    return source if source is not None and source in own else own


def _source_range(value: SSAValue) -> Range | None:
    if isinstance(value, BlockArgument):
        function = cast(Any, value.block.parent_op())
        declared = function.arg_attrs.data[value.index].data.get(RANGE) if function.arg_attrs else None
        return Range(*numbers_of(declared)) if declared is not None else None
    if (values := constant_of(value)) is not None:
        return Range.of_array(values) if values.dtype.kind in "iu" else None
    if not isinstance(value, OpResult):
        return None
    if "range" in value.op.attributes:
        return Range(*numbers_of(value.op.attributes["range"]))
    return known_range(value.op.operands[0]) if value.op.name in CARRIERS else None


def index_at(lower: Lowerer, value: SSAValue, place: Sequence[int], *, unsigned: bool = False) -> SSAValue:
    """Append the element of a tensor-level value at a constant place, as an index."""
    indices = [lower.op(arith.ConstantOp(scalar_attr(i, IndexType()))) for i in place]
    element = lower.op(tensor.ExtractOp(value, indices, cast(Any, element_of(value))))
    cast_op = arith.IndexCastOp
    if unsigned and (integer_width(element.type) or 64) < 64:
        element = lower.op(arith.ExtUIOp(element, i64))
    return lower.op(cast_op(element, IndexType()))


@lowers("TensorScatter")
def _tensor_scatter(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a write of rows at an index, as an insertion of a slice where the rows are consecutive."""
    whole, rows = op.operands[:2]
    shape, index = shape_of(whole), op.node_input(2)
    axis = int(op.attribute("axis")) % len(shape)
    if index is not None and (op.attribute("mode") == "circular" or shape[0] != 1):
        return [_scattered(lower, op)]
    offsets: list[int] = [0] * len(shape)
    dynamic: list[SSAValue] = []
    if index is not None:
        interval = known_range(index)
        if interval is None or interval not in Range(0, shape[axis] - shape_of(rows)[axis]):
            raise unsupported(op, "at an index that may leave the tensor", "limit the index, for example with Clip")
    values = constant_of(carried(index)) if index is not None else None
    if values is not None:
        offsets[axis] = int(values.flat[0])
    elif index is not None:
        offsets[axis] = DYNAMIC_INDEX
        dynamic = [index_at(lower, lower[index], [0], unsigned=is_unsigned(index))]
    inserted = tensor.InsertSliceOp.build(
        operands=[lower[rows], lower[whole], dynamic, [], []],
        result_types=[lower[whole].type],
        properties={
            "static_offsets": DenseArrayBase.from_list(i64, offsets),
            "static_sizes": DenseArrayBase.from_list(i64, shape_of(rows)),
            "static_strides": DenseArrayBase.from_list(i64, [1] * len(shape)),
        },
    )
    return [lower.op(inserted)]


def _scattered(lower: Lowerer, op: OnnxOp) -> SSAValue:
    """Append the whole with rows written at an index of its own for each batch, the first axis; perhaps in a circle."""
    whole, rows, index = (lower[value] for value in op.operands)
    shape, unsigned = shape_of(whole), is_unsigned(op.operands[2])
    axis = int(op.attribute("axis")) % len(shape)
    extent, count = shape[axis], shape_of(rows)[axis]

    def build(code: Code, old: SSAValue) -> SSAValue:
        place = [code.index(i) for i in range(len(shape))]
        offset = code.sub(place[axis], code.as_index(code.take(index, [place[0]]), unsigned=unsigned))
        if op.attribute("mode") == "circular":
            offset = code.op(arith.RemSIOp(offset, code.value(extent)))
            offset = code.select(code.compare(offset, "slt", 0), code.add(offset, extent), offset)
        near = [code.clip(offset, 0, count - 1) if i == axis else at for i, at in enumerate(place)]
        return code.select(code.is_inside(offset, count), code.take(rows, near), old)

    return computed(lower, [whole], [AffineMap.identity(len(shape))], shape, element_of(whole), build)


def gather_rows(lower: Lowerer, op: OnnxOp) -> SSAValue:
    """
    Append the selection of parts of a tensor along an axis by indices of the run, which are known to be inside; returns
    the parts, joined.
    """
    x, indices = op.operands
    shape, axis = list(shape_of(x)), int(op.attribute("axis")) % len(shape_of(x))
    flat = lower.reshape(lower[indices], [max(1, _count(indices))])
    parts = [
        _part(lower, op, index_at(lower, flat, [i], unsigned=is_unsigned_type(element_of(indices))))
        for i in range(_count(indices))
    ]
    if len(parts) == 1:
        return parts[0]
    kind = TensorType(cast(Any, element_of(parts[0])), [len(parts) if i == axis else n for i, n in enumerate(shape)])
    return lower.op(
        tensor.ConcatOp.build(operands=[parts], result_types=[kind], properties={"dim": scalar_attr(axis, i64)})
    )


def _count(value: SSAValue) -> int:
    count = 1
    for extent in shape_of(value):
        count *= extent
    return count


def _part(lower: Lowerer, op: OnnxOp, index: SSAValue) -> SSAValue:
    """Append the part of a Gather's tensor at one index."""
    x = lower[op.operands[0]]
    shape, axis = list(shape_of(x)), int(op.attribute("axis")) % len(shape_of(x))
    sizes = [1 if i == axis else extent for i, extent in enumerate(shape)]
    return lower.op(
        tensor.ExtractSliceOp.build(
            operands=[x, [index], [], []],
            result_types=[TensorType(cast(Any, element_of(x)), sizes)],
            properties={
                "static_offsets": DenseArrayBase.from_list(
                    i64, [DYNAMIC_INDEX if i == axis else 0 for i in range(len(shape))]
                ),
                "static_sizes": DenseArrayBase.from_list(i64, sizes),
                "static_strides": DenseArrayBase.from_list(i64, [1] * len(shape)),
            },
        )
    )

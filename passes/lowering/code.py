"""Scalar code with indices: for kernels that look elements up, and for loops over tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, IndexType, i1, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.builder import Builder
from ...ir import element_of, integer_width, shape_of
from .lowerer import Lowerer

INDEX = IndexType()

FLOAT_PREDICATES = {"slt": "olt", "sle": "ole", "sgt": "ogt", "sge": "oge", "eq": "oeq", "ne": "une"}
_UNSIGNED_PREDICATES = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge", "eq": "eq", "ne": "ne"}

Turn = Callable[["Code", SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""`(code, index, carried) -> carried`: makes the body of a loop."""


class Code(Builder):
    """
    Builder of scalar code on indices and elements of tensors: of a kernel's body, or of a function or loop.

    Indices are of type `index`; those of ONNX, of any integer type, are brought into it by `as_index`.
    """

    @staticmethod
    def after(lower: Lowerer, *, wraps: bool = False) -> Code:
        """Return a builder at the end of a lowerer's block."""
        return Code.at_end(lower.block, lower.location, wraps=wraps)

    # Indices

    def index(self, dim: int) -> SSAValue:
        """Append the index of the point along a dimension of the kernel."""
        return self.op(linalg.IndexOp(dim))

    def as_index(self, value: SSAValue, *, unsigned: bool = False) -> SSAValue:
        """Append an integer as an index."""
        if value.type == INDEX:
            return value
        if unsigned and (integer_width(value.type) or 64) < 64:
            value = self.op(arith.ExtUIOp(value, i64))
        return self.op(arith.IndexCastOp(value, INDEX))

    def from_index(self, index: SSAValue, type: Attribute) -> SSAValue:
        """Append an index as a number of another type."""
        return self.convert(self.op(arith.IndexCastOp(index, i64)), type)

    def limited(self, value: SSAValue, low: int, high: int, *, unsigned: bool = False) -> SSAValue:
        """Append the nearest index within limits: an index may have fewer bits than the number."""
        if value.type != INDEX:
            value = self.convert(value, i64, unsigned=unsigned)
        return self.as_index(self.clip(value, low, high))

    def within(
        self, value: SSAValue, extent: int, interval: Range | None = None, *, unsigned: bool = False
    ) -> SSAValue:
        """
        Append the index that a number means along an axis: from the end, if negative.

        One outside of the axis, an error in ONNX, means the nearest element there is. `interval` are the numbers that
        it can be, which spares tests.
        """
        if interval is None or interval not in Range(-extent, extent - 1):
            index = self.limited(value, -extent, extent - 1, unsigned=unsigned)
        else:
            index = self.as_index(value, unsigned=unsigned)
        if interval is None or interval.low < 0:
            index = self.select(self.compare(index, "slt", 0), self.add(index, extent), index)
        return index

    def is_inside(self, index: SSAValue, extent: int) -> SSAValue:
        """Append whether 0 <= index < extent."""
        return self.both(self.compare(index, "sge", 0), self.compare(index, "slt", extent))

    def all_of(self, conditions: Sequence[SSAValue]) -> SSAValue:
        """Append whether all conditions hold."""
        result = conditions[0] if conditions else self.constant(1, i1)
        for condition in conditions[1:]:
            result = self.both(result, condition)
        return result

    # Tensors

    def take(self, table: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Append an element of a tensor."""
        return self.op(tensor.ExtractOp(table, list(indices), cast(Any, element_of(table))))

    def put(self, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Append a tensor with another element at an index."""
        return self.op(tensor.InsertOp(value, target, list(indices)))

    def iterate(self, count: int | SSAValue, carried: Sequence[SSAValue], turn: Turn) -> Sequence[SSAValue]:
        """Append a loop from 0 to `count` and return the final carried values."""
        with self.carried_loop(None, 0, count, carried) as loop:
            loop.values = turn(self, self.value(loop.index), loop.values)
        return loop.values

    def nest(
        self,
        counts: Sequence[int],
        carried: Sequence[SSAValue],
        turn: Callable[[Code, Sequence[SSAValue], Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Append loops over a box, the last axis innermost; `turn(code, indices, carried)` makes the body."""
        if not counts:
            return turn(self, [], carried)

        def outer(code: Code, index: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return code.nest(counts[1:], values, lambda inner, rest, own: turn(inner, [index, *rest], own))

        return self.iterate(counts[0], carried, outer)


def computed(
    lower: Lowerer,
    inputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    shape: Sequence[int],
    element: Attribute,
    build: Callable[..., SSAValue],
    *,
    wraps: bool = False,
) -> SSAValue:
    """
    Append a kernel that computes each element of a tensor by `build(code, *elements) -> element`.

    `inputs` are values of the tensor level, one element of which is taken at each point, by `maps`. The code may know
    the point's index and take elements of other tensors. A tensor without elements is not computed.
    """
    if 0 in shape:
        return lower.empty(shape, element)
    block = Block(arg_types=[*(element_of(value) for value in inputs), element])
    code = Code.at_end(block, lower.location, wraps=wraps)
    block.add_op(linalg.YieldOp(build(code, *block.args[:-1])))
    return lower.generic(inputs, maps, shape, element, block)


def filled(lower: Lowerer, shape: Sequence[int], value: float, element: Attribute) -> SSAValue:
    """Append a splat tensor."""

    def build(code: Code) -> SSAValue:
        return code.constant(value, element)

    return computed(lower, [], [], shape, element, build)


def copied(lower: Lowerer, value: SSAValue, map: AffineMap, shape: Sequence[int]) -> SSAValue:
    """Append a tensor whose element at p is that of another at `map(p)`."""
    return computed(lower, [value], [map], shape, element_of(value), same)


def same(code: Code, element: SSAValue) -> SSAValue:
    """Return an element unchanged."""
    return element


def converted(lower: Lowerer, value: SSAValue, element: Attribute, *, unsigned: bool = False) -> SSAValue:
    """Append a tensor in another element type; `unsigned` says how integers are read."""
    if element_of(value) == element:
        return value

    def build(code: Code, x: SSAValue) -> SSAValue:
        return code.convert(x, element, unsigned=unsigned)

    return computed(lower, [value], [AffineMap.identity(rank_of(value))], shape_of(value), element, build)


def folded(
    lower: Lowerer,
    inputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    shape: Sequence[int],
    starts: Sequence[SSAValue],
    target: AffineMap,
    build: Callable[..., Sequence[SSAValue]],
) -> Sequence[SSAValue]:
    """
    Append a kernel that folds the points of a box: `build(code, *elements, *accumulators) -> accumulators`.

    The dimensions of `shape` that `target` does not name are folded, into the tensors `starts`. Returns their new
    values.
    """
    block = Block(arg_types=[element_of(value) for value in (*inputs, *starts)])
    block.add_op(linalg.YieldOp(*build(Code.at_end(block, lower.location), *block.args)))
    kept = target.used_dims()
    kinds = [IteratorTypeAttr.parallel() if d in kept else IteratorTypeAttr.reduction() for d in range(len(shape))]
    all_maps = list(map(AffineMapAttr, (*maps, *[target] * len(starts))))
    kernel = linalg.GenericOp(
        list(inputs), list(starts), Region(block), all_maps, kinds, [value.type for value in starts]
    )
    lower.op(kernel)
    return kernel.results


def rank_of(value: SSAValue) -> int:
    """Return the number of axes of a tensor."""
    return len(shape_of(value))

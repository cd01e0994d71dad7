"""The pass `center-weights`: products of bytes instead of those of weights less a zero point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, ModuleOp, TensorType, i8, i16, i32, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.body import Body
from ..dialects.core.kernel import single_block
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp, MatmulOp
from ..ir import Array, array_of, dense, element_of, functions, shape_of
from .core.base import Pass

_LARGEST = (1 << 31) // (255 * 255)
"""Products of a sum for which no part of it overflows 32 bits."""


class Centered(NamedTuple):
    """Weights as bytes, of which each is less by `offset`; `is_unsigned` tells how the bytes are read."""

    weight: Array
    offset: int
    is_unsigned: bool


def centered(weight: Array) -> Centered | None:
    """Return weights as bytes and an offset; None if they span more than 256 numbers."""
    low, high = (int(weight.min()), int(weight.max())) if weight.size else (0, 0)
    if high - low > 255:
        return None
    if low >= 0 and 127 < high <= 255:
        return Centered(weight.astype(np.uint8).view(np.int8), 0, is_unsigned=True)
    offset = 0 if low >= -128 and high <= 127 else low + 128
    return Centered((weight - offset).astype(np.int8), offset, is_unsigned=False)


def center_weights(op: ConvOp | MatmulOp) -> None:
    """
    Replace 16-bit weights of a product with bytes by bytes: `sum x * w = sum x * (w - c) + c * sum x`.

    The sums of x are a product with weights of 1, of one feature for each group, and join the epilogue.
    """
    x, w = op.inputs
    constant = w.owner.value if isinstance(w, OpResult) and isinstance(w.owner, arith.ConstantOp) else None
    if constant is None or element_of(x) != i8 or element_of(w) != i16 or op.accumulator != i32:
        return
    stored = array_of(cast(Any, constant)).astype(np.int64)
    narrowed = centered(stored)
    if narrowed is None or op.wraps is not None or op.is_unsigned(1) or _terms(op) > _LARGEST:
        return
    weight = _constant(op, narrowed.weight, w.name_hint)
    properties = {name: value for name, value in op.properties.items() if name not in _REBUILT}
    unsigned = [*([0] if op.is_unsigned(0) else []), *([1] if narrowed.is_unsigned else [])]
    extras, maps, epilogue = list(op.extras), list(op.epilogue_maps.data if op.epilogue_maps else ()), op.epilogue
    region = epilogue.clone() if epilogue is not None else None
    if narrowed.offset:
        sums, map = _sums(op, properties)
        extras, maps, region = [*extras, sums], [*maps, AffineMapAttr(map)], Region(_with_sums(op, narrowed.offset))
    properties |= {"epilogue_maps": ArrayAttr(maps)} if region is not None else {}
    properties |= {"unsigned": DenseArrayBase.from_list(i64, unsigned)} if unsigned else {}
    regions = [[region] if region is not None else []]
    twin = type(op).create_from([x, weight], extras, list(op.outputs), properties, regions, dict(op.attributes))
    _insert(op, twin)
    twin.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, [], list(twin.results))


_REBUILT = ("epilogue_maps", "unsigned", "operandSegmentSizes")


def _terms(op: ConvOp | MatmulOp) -> int:
    """Return the products of a sum."""
    shape = shape_of(op.inputs[1])
    return int(np.prod(shape[1:])) if isinstance(op, ConvOp) else shape[-1 if op.transpose_b is not None else -2]


def _sums(op: ConvOp | MatmulOp, properties: dict[str, Attribute]) -> tuple[SSAValue, AffineMap]:
    """Insert the sums of x over the terms of each output; return them with the map from outputs to them."""
    shape, out = list(shape_of(op.inputs[1])), list(shape_of(op.output))
    if isinstance(op, ConvOp):
        axis, own = (len(out) - 1 if op.channels_last is not None else 1), 0
        groups = op.groups.value.data
        # Each group has a sum of its own; if its features do not share it by their number, each has one.
        features = groups if groups in (1, out[axis]) else out[axis]
    else:
        axis, own, features = len(out) - 1, len(shape) - (2 if op.transpose_b is not None else 1), 1
    shape[own] = out[axis] = features
    ones = _constant(op, np.ones(shape, np.int8), "ones")
    empty = _insert(op, tensor.EmptyOp((), TensorType(i32, out))).results[0]
    flags = {"unsigned": DenseArrayBase.from_list(i64, [0])} if op.is_unsigned(0) else {}
    product = type(op).create_from([op.inputs[0], ones], [], [empty], properties | flags, [[]], {})
    dims = list(AffineMap.identity(len(out)).results)
    dims[axis] = AffineConstantExpr(0) if features == 1 else dims[axis]
    return _insert(op, product).results[0], AffineMap(len(out), 0, tuple(dims))


def _with_sums(op: ConvOp | MatmulOp, offset: int) -> Block:
    """Return the epilogue that adds `offset` times its last operand to the sum first."""
    old = single_block(op.epilogue)
    types = [arg.type for arg in old.args] if old is not None else [i32]
    body = Body([*types, i32])
    total, *others, sums = body.args
    total = body.add(total, body.mul(sums, offset))
    if old is None:
        return body.finish(total)
    values: dict[SSAValue, SSAValue] = dict(zip(old.args, [total, *others], strict=True))
    for inner in old.ops:
        if isinstance(inner, linalg.YieldOp):
            return body.finish(*(values[value] if value in values else value for value in inner.operands))
        body.block.add_op(inner.clone(values))
    raise AssertionError("an epilogue ends with linalg.yield")


def _constant(op: Operation, values: Array, hint: str | None) -> SSAValue:
    value = _insert(op, arith.ConstantOp(cast(Any, dense(values, i8)))).results[0]
    value.name_hint = hint
    return value


def _insert(before: Operation, op: Operation) -> Operation:
    for nested in op.walk():
        nested.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op


@dataclass(frozen=True)
class CenterWeightsPass(Pass):
    """
    Store constant weights of 16 bits that span 256 numbers as bytes, in products with bytes.

    Weights less a zero point have 9 bits. Machines whose products are those of bytes add `c * sum x` to sums of
    `x * (w - c)`, exactly; the sums of x are a product of one feature. Run it on tensors, after fuse-epilogues.
    """

    name = "center-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for kernel in [inner for inner in nested_ops(function) if isinstance(inner, ConvOp | MatmulOp)]:
                if kernel.results:
                    center_weights(kernel)

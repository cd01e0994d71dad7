"""Expansion of scalar ops of `nn` to `arith` and `math`, and of concatenations to insertions."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import IntegerType, f64, i64
from xdsl.ir import SSAValue

from ...dialects.arith import RemFOp
from ...dialects.core.arithmetic import Arithmetic
from ...ir import element_of, shape_of
from .shapes import Shapes


def expand_integer_sqrt(x: SSAValue, emit: Arithmetic) -> SSAValue:
    """
    Emit the integer square root of `x` and return it.

    For integers of up to 64 bits, sqrt in f64 is off by less than 1, so its floor is the integer root or one off. Its
    square may wrap around; the difference from `x` then wraps back.
    """
    type = cast("IntegerType[Any, Any]", x.type)
    wide = x if type == i64 else emit.op(arith.ExtSIOp(x, i64))
    near = emit.op(arith.FPToSIOp(emit.op(math.SqrtOp(emit.op(arith.SIToFPOp(wide, f64)))), i64))
    one = emit.constant(1, i64)
    rest = emit.op(arith.SubiOp(wide, emit.op(arith.MuliOp(near, near))))
    above = emit.op(arith.CmpiOp(rest, emit.op(arith.AddiOp(near, near)), "sgt"))
    root = emit.op(arith.SelectOp(above, emit.op(arith.AddiOp(near, one)), near))
    below = emit.op(arith.CmpiOp(rest, emit.constant(0, i64), "slt"))
    root = emit.op(arith.SelectOp(below, emit.op(arith.SubiOp(near, one)), root))
    return root if type == i64 else emit.op(arith.TruncIOp(root, type))


def expand_remainder(a: SSAValue, b: SSAValue, emit: Arithmetic) -> SSAValue:
    """Emit the float remainder and return it."""
    return emit.op(RemFOp(a, b))


def expand_concat(op: tensor.ConcatOp) -> SSAValue:
    """
    Emit a static `tensor.concat` as insertions into an empty tensor, and return the last one.

    Upstream's bufferization has no rule for the op before LLVM 20.
    """
    shapes, axis = Shapes(op, on_tensors=True), op.dim.value.data
    joined = shapes.empty(shape_of(op.result), element_of(op.result))
    offsets = [0] * len(shape_of(op.result))
    for part in op.inputs:
        sizes = shape_of(part)
        insert = tensor.InsertSliceOp.from_static_parameters(part, joined, offsets, sizes)
        joined = shapes.emit(insert).results[0]
        offsets[axis] += sizes[axis]
    return joined

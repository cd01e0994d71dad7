"""Lowerings of operators that convert, name or copy: casts, constants, identities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, integer_width, numpy_type, shape_of
from .lowerer import Lowerer, constant_of, is_unsigned, lowers, signless, unsupported
from .rules import result_element


def converted(
    body: Body, x: SSAValue, type: Attribute, *, unsigned: bool = False, to_unsigned: bool = False, bits: int = 8
) -> SSAValue:
    """
    Append ONNX's Cast of a number: floats truncate to integers, integers wrap around, non-zero is true.

    `unsigned` says how an integer's bits are read, `to_unsigned` how those of the result will be. Where `bits` are
    fewer than 8, the result is an integer of so many, in a byte.
    """
    if bits < 8 and type != i1:
        return _narrowed(body, converted(body, x, type, unsigned=unsigned), bits, to_unsigned=to_unsigned)
    source = x.type
    if type == i1 and source != i1:
        zero = body.constant(0, source)
        return body.op(arith.CmpfOp(x, zero, "une")) if is_float(source) else body.compare(x, "ne", zero)
    if not is_float(source) or is_float(type):
        return body.convert(x, type, unsigned=unsigned)
    width = integer_width(type) or 0
    if to_unsigned and width == 64:
        return body.op(arith.FPToUIOp(x, i64))
    # In a wider type, numbers around those that the result holds wrap around as in NumPy.
    wide = i64 if width >= 32 and to_unsigned else type if width >= 32 else i32
    return body.convert(body.convert(x, wide), type)


def _narrowed(body: Body, byte: SSAValue, bits: int, *, to_unsigned: bool) -> SSAValue:
    """Append the lowest bits of a byte, extended to a byte."""
    if to_unsigned:
        return body.op(arith.AndIOp(byte, body.constant((1 << bits) - 1, byte.type)))
    # The bits above are pushed out, and made again of the sign.
    up = body.op(arith.ShLIOp(byte, body.constant(8 - bits, byte.type)))
    return body.shift_right(up, 8 - bits)


@lowers("Cast", "CastLike")
def _cast(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, element = op.operands[0], result_element(op)
    bits = integer_width(element_of(op.results[0])) or 64
    if element == signless(element_of(x)) and (bits >= 8 or element_of(x) == element_of(op.results[0])):
        return [lower[x]]

    def convert(body: Body, scalar: SSAValue) -> SSAValue:
        to_unsigned = is_unsigned(op.results[0])
        return converted(body, scalar, element, unsigned=is_unsigned(x), to_unsigned=to_unsigned, bits=bits)

    return [lower.elementwise([x], shape_of(x), element, convert)]


@lowers("BitCast")
def _bit_cast(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, element = op.operands[0], result_element(op)
    source = signless(element_of(x))
    if source == element:
        return [lower[x]]

    def reread(body: Body, scalar: SSAValue) -> SSAValue:
        # Truth is a byte, 0 or 1, which no other type of integers is.
        if source == i1:
            return body.convert(scalar, element)
        if element == i1:
            return converted(body, scalar, i1)
        bits = IntegerType(numpy_type(source).itemsize * 8)
        scalar = scalar if source == bits else body.op(arith.BitcastOp(scalar, bits))
        return scalar if element == bits else body.op(arith.BitcastOp(scalar, element))

    return [lower.elementwise([x], shape_of(x), element, reread)]


@lowers("Identity")
def _identity(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [lower[op.operands[0]]]


@lowers("Dropout")
def _dropout(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a dropout at inference, which drops nothing; the mask says that all is kept."""
    training, ratio = op.node_input(2), constant_of(op.node_input(1))
    flag = constant_of(training)
    drops = training is not None and (flag is None or bool(flag.any()))
    if drops and (ratio is None or bool(ratio.any())):
        raise unsupported(op, "in training", "export the model for inference")
    kept = [np.ones(shape_of(mask), np.bool_) for mask in op.results[1:]]
    return [lower[op.operands[0]], *(lower.array(mask, i1) for mask in kept)]


@lowers("Constant")
def _constant(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    values = constant_of(op.results[0])
    assert values is not None
    element = result_element(op)
    bits = values.view(f"i{values.itemsize}") if values.dtype.kind == "u" else values
    return [lower.array(bits, element)]

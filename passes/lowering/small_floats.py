"""Lowerings of the conversions between floats and the bits of floats of 8 and 4 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, f64, i8, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.small_floats import FORMATS, SmallFloat
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, numpy_type, shape_of
from .code import Code, computed, rank_of
from .lowerer import Lowerer, lowers
from .rules import result_element

_LAYOUTS: dict[Attribute, tuple[Attribute, int, int]] = {f32: (i32, 23, 127), f64: (i64, 52, 1023)}
"""Float type -> the integer type of its bits, its mantissa's width, its exponent's bias."""


@lowers("DecodeFloat")
def _decode(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower to a table of the numbers of all codes."""
    codes, element, kind = lower[op.operands[0]], result_element(op), FORMATS[op.attribute("format")]
    count = 1 << kind.bits
    table = lower.array(kind.decoded(np.arange(count), numpy_type(element)), element)

    def build(code: Code, bits: SSAValue) -> SSAValue:
        place = code.op(arith.AndIOp(code.convert(bits, i32), code.constant(count - 1, i32)))
        return code.take(table, [code.as_index(place)])

    shape = shape_of(codes)
    return [computed(lower, [codes], [AffineMap.identity(len(shape))], shape, element, build)]


@lowers("EncodeFloat")
def _encode(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, kind, saturates = lower[op.operands[0]], FORMATS[op.attribute("to")], bool(op.attribute("saturate"))
    compute = f64 if element_of(x) == f64 and kind.is_signed else f32

    def build(code: Code, value: SSAValue) -> SSAValue:
        wide = code.convert(value, compute)
        if kind.is_signed:
            return code.convert(_encoded(code, wide, kind, saturates=saturates), i8)
        return code.convert(_power(code, wide, kind, op.attribute("round_mode"), saturates=saturates), i8)

    return [computed(lower, [x], [AffineMap.identity(rank_of(x))], shape_of(x), i8, build, wraps=True)]


def _encoded(code: Code, x: SSAValue, kind: SmallFloat, *, saturates: bool) -> SSAValue:
    """
    Append the code of a number, as an integer as wide as it.

    The number is scaled so that the bits of its mantissa become an integer, which is rounded: what then carries over
    into the exponent is right as it is, and so are subnormal numbers.
    """
    integer, width, bias = _LAYOUTS[x.type]
    lowest = 1 - kind.bias
    size = code.magnitude(x)
    top = kind.largest >> kind.mantissa
    finite = code.compare(size, "slt", 2.0 ** (top - kind.bias + 2))
    size = code.select(finite, size, code.constant(0.0, x.type))
    exponent = code.sub(code.shift_right(code.op(arith.BitcastOp(size, integer)), width), bias)
    exponent = code.max(exponent, lowest)
    scale = code.shift_left(code.sub(code.constant(bias + kind.mantissa, integer), exponent), width)
    scaled = code.mul(size, code.op(arith.BitcastOp(scale, x.type)))
    whole = code.convert(code.op(math.RoundEvenOp(scaled)), integer)
    bits = code.add(code.shift_left(code.sub(exponent, lowest), kind.mantissa), whole)
    over = code.constant(kind.largest if saturates else kind.overflow, integer)
    fits = code.both(finite, code.compare(bits, "sle", kind.largest))
    bits = code.select(fits, bits, over)
    bits = code.select(code.op(arith.CmpfOp(x, x, "uno")), code.constant(kind.nan, integer), bits)
    negative = code.compare(code.op(arith.BitcastOp(x, integer)), "slt", 0)
    if kind.unsigned_zero:
        negative = code.both(negative, code.compare(bits, "ne", 0))
    sign = code.constant(1 << (kind.bits - 1), integer)
    return code.op(arith.OrIOp(bits, code.select(negative, sign, code.constant(0, integer))))


def _power(code: Code, x: SSAValue, kind: SmallFloat, mode: str, *, saturates: bool) -> SSAValue:
    """Append the biased exponent of the power of two near a number, as i32; the sign does not count."""
    bits = code.op(arith.BitcastOp(code.magnitude(x), i32))
    exponent = code.shift_right(bits, 23)
    rest = code.op(arith.AndIOp(bits, code.constant((1 << 23) - 1, i32)))
    if mode == "up":
        exponent = code.add(exponent, code.convert(code.compare(rest, "ne", 0), i32))
    elif mode == "nearest":
        # A tie goes up, but for the smallest number, which has no even one below.
        tie = code.select(
            code.compare(exponent, "sgt", 0), code.constant(1 << 22, i32), code.constant((1 << 22) + 1, i32)
        )
        exponent = code.add(exponent, code.convert(code.compare(rest, "sge", tie), i32))
    power = code.min(exponent, kind.largest if saturates else kind.nan)
    return code.select(code.op(arith.CmpfOp(x, x, "uno")), code.constant(kind.nan, i32), power)

"""
Lowerings of the integer operators that quantisers emit; their arithmetic is stated in `dialects/onnx/custom.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.intervals import levels_range
from ...dialects.core.body import Body
from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.scalars import is_float, scalar_attr
from ...dialects.nn import IntLayerNormOp, IntRmsNormOp, IntSoftmaxOp, ItaMaxOp
from ...dialects.onnx.schema import OnnxOp
from ...dialects.quant import RequantizeOp
from ...errors import Diagnostic
from ...ir import element_of, integer_width, shape_of, where
from .indexed import known_range
from .lowerer import Lowerer, Rule, broadcast_map, is_unsigned, lowers, unsupported
from .rules import compute_type, result_element, scalar_rule, unsigned_positions


def _lowers_integers(name: str) -> Callable[[Rule], Rule]:
    """Register the lowering of an operator whose operands must be integers; it raises Diagnostic for floats."""

    def register(rule: Rule) -> Rule:
        @lowers(name)
        @wraps(rule)
        def checked(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
            if any(is_float(element_of(value)) for value in op.operands):
                raise unsupported(op, "of floats", "run infer-integer-types first")
            return rule(lower, op)

        return checked

    return register


def _exponent(op: OnnxOp, name: str) -> int:
    return int(op.attribute(name)).bit_length() - 1


def parameter_map(op: OnnxOp, parameter: Sequence[int], shape: Sequence[int]) -> AffineMap:
    """
    Return the map from an element of x to its `mul` or `add`.

    [C] and [C, 1, 1, ...] lie along axis 1, [C] on a matrix along its last axis; other shapes broadcast as in NumPy.
    """
    rank = len(shape)
    dims = AffineMap.identity(rank).results
    if len(parameter) == 1 and parameter[0] != 1:
        return AffineMap(rank, 0, (dims[1] if rank > 2 else dims[-1],))
    if len(parameter) <= rank and _broadcasts(parameter, shape):
        return broadcast_map(parameter, shape)
    if rank > 1 and parameter[0] == shape[1] and all(extent == 1 for extent in parameter[1:]):
        zero = AffineMap.constant_map(0).results[0]
        return AffineMap(rank, 0, (dims[1], *[zero] * (len(parameter) - 1)))
    raise Diagnostic(
        f"the factors of shape {list(parameter)} do not fit a tensor of shape {list(shape)}",
        where=where(op),
        expected="one number, one per channel, or a shape that broadcasts",
    )


def _broadcasts(shape: Sequence[int], target: Sequence[int]) -> bool:
    aligned = target[len(target) - len(shape) :]
    return all(extent in (1, full) for extent, full in zip(shape, aligned, strict=True))


@_lowers_integers("RequantShift")
def _requant_shift(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, mul, add = op.operands
    shape = shape_of(x)
    clip = levels_range(int(op.attribute("n_levels")), signed=bool(op.attribute("signed")))
    compute, element = compute_type(op), result_element(op)

    def build(body: Body, x_: SSAValue, mul_: SSAValue, add_: SSAValue) -> SSAValue:
        values = [
            body.convert(v, compute, unsigned=True) if is_unsigned(source) and v.type != compute else v
            for v, source in zip((x_, mul_, add_), (x, mul, add), strict=True)
        ]
        shift = _exponent(op, "div")
        return body.op(RequantizeOp(*values, shift=shift, low=clip.low, high=clip.high, compute=compute, type=element))

    maps = [AffineMap.identity(len(shape)), *(parameter_map(op, shape_of(value), shape) for value in (mul, add))]
    return [lower.elementwise([x, mul, add], shape, element, build, maps=maps, constants=compute)]


def _integers(op: OnnxOp, **names: str) -> dict[str, Attribute | None]:
    """Return integer properties, each read from the attribute of that name."""
    return {key: scalar_attr(int(op.attribute(name)), i64) for key, name in names.items()}


def _rows(
    lower: Lowerer, op: OnnxOp, kernel: type[KernelOp], properties: dict[str, Attribute | None]
) -> Sequence[SSAValue]:
    types: dict[str, Attribute | None] = {"accumulator": compute_type(op), "element": result_element(op)}
    out = lower.empty(shape_of(op.results[0]), result_element(op))
    values = list(op.operands)
    inputs = [lower[value] for value in values]
    return [lower.op(kernel(inputs, out, properties | types, unsigned=unsigned_positions(values)))]


@_lowers_integers("iSoftmax")
def _int_softmax(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    names = _integers(op, a="coeffA", b="coeffB", c="coeffC", log2="log2", levels="n_levels")
    return _rows(lower, op, IntSoftmaxOp, names | _span(op.operands[0]))


def _span(value: SSAValue) -> dict[str, Attribute | None]:
    """Return the largest difference of elements, where they are wider than bytes and closer than their type allows."""
    interval, width = known_range(value), integer_width(element_of(value)) or 0
    if interval is None or width <= 8 or interval.high - interval.low >= (1 << width) - 1:
        return {}
    return {"span": scalar_attr(interval.high - interval.low, i64)}


@_lowers_integers("ITAMax")
def _ita_max(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return _rows(lower, op, ItaMaxOp, _integers(op, levels="n_levels") | _span(op.operands[0]))


@_lowers_integers("iRMSNorm")
def _rms_norm(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    numbers = {"shift": _exponent(op, "D"), "low": -128, "high": 127}
    return _rows(lower, op, IntRmsNormOp, {name: scalar_attr(value, i64) for name, value in numbers.items()})


@_lowers_integers("iLayerNorm")
def _layer_norm(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return _rows(lower, op, IntLayerNormOp, {"shift": scalar_attr(_exponent(op, "D"), i64)})


@_lowers_integers("iNoNorm")
def _no_norm(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    def build(body: Body, x: SSAValue, w: SSAValue, b: SSAValue) -> SSAValue:
        scaled = body.mul(body.add(body.mul(x, w), b), int(op.attribute("mul")))
        return body.shift_right(scaled, _exponent(op, "D"))

    return scalar_rule(build)(lower, op)


@_lowers_integers("iGELU")
def _gelu(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    b, one = int(op.attribute("b")), int(op.attribute("one"))

    def build(body: Body, x: SSAValue) -> SSAValue:
        bent = body.add(body.min(body.absolute(x), -b), b)
        gate = body.mul(body.sign(x), body.sub(body.constant(one, x.type), body.mul(bent, bent)))
        return body.mul(x, body.shift_right(body.add(gate, one), 1))

    return scalar_rule(build)(lower, op)


@lowers("iHardswish")
def _hardswish(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    three, six, sixth = (int(op.attribute(name)) for name in ("three", "six", "one_over_six"))

    def build(body: Body, x: SSAValue) -> SSAValue:
        return body.mul(x, body.mul(body.clip(body.add(x, three), 0, six), sixth))

    return scalar_rule(build)(lower, op)


@_lowers_integers("TrueIntegerDiv")
def _true_integer_div(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    delta, eps, eta, y = (int(op.attribute(name)) for name in ("Delta", "eps", "eta", "y"))
    divisor = y * eta + eps
    if divisor == 0:
        raise Diagnostic("the divisor y * eta + eps is zero", where=where(op), remedy="give another y, eta or eps")

    def build(body: Body, x: SSAValue) -> SSAValue:
        return body.floordiv(body.mul(x, delta * eta), divisor)

    return scalar_rule(build)(lower, op)


@_lowers_integers("IntegerDiv")
def _integer_div(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    delta, eps, eta = (int(op.attribute(name)) for name in ("Delta", "eps", "eta"))

    def build(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
        divisor, scaled = body.add(body.mul(b, eta), eps), body.mul(a, delta * eta)
        half = body.mul(body.sign(scaled), body.shift_right(divisor, 1))
        return body.div(body.add(scaled, half), divisor)

    return scalar_rule(build)(lower, op)


@lowers("Quant")
def _quant(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    scale, zero = float(op.attribute("scale")), float(op.attribute("zero_point"))
    low, high = int(op.attribute("min")), int(op.attribute("max"))
    element = result_element(op)

    def build(body: Body, x: SSAValue) -> SSAValue:
        scaled = body.add(body.mul(x, scale), zero)
        rounded = body.clip(body.op(math.RoundOp(scaled)), low, high)
        wide = element if element == f32 or low < 0 or high < 128 else signless_wider(element)
        return body.convert(body.convert(rounded, wide), element)

    return [lower.elementwise([op.operands[0]], shape_of(op.results[0]), element, build)]


def signless_wider(element: Attribute) -> Attribute:
    """Return i32 in place of a narrower integer, so that a conversion from float may pass the signed range."""
    from xdsl.dialects.builtin import i32

    return element if element == i64 else i32


@lowers("Dequant")
def _dequant(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    scale, zero, x = float(op.attribute("scale")), float(op.attribute("zero_point")), op.operands[0]

    def build(body: Body, value: SSAValue) -> SSAValue:
        number = body.convert(value, f32, unsigned=is_unsigned(x))
        return body.mul(body.sub(number, zero), scale)

    return [lower.elementwise([x], shape_of(op.results[0]), result_element(op), build)]

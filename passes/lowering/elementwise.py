"""Lowerings of elementwise arithmetic: of any number of operands, which broadcast as in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float
from ...dialects.nn import RemainderOp
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, integer_width, shape_of
from .lowerer import Build, Lowerer, Rule, constant_of, is_unsigned, lowers
from .rules import compute_type, result_element, scalar_rule, wraps


def _fold_pairs(combine: Build) -> Build:
    def build(body: Body, first: SSAValue, *rest: SSAValue) -> SSAValue:
        for value in rest:
            first = combine(body, first, value)
        return first

    return build


def unary(op: Any) -> Build:
    """Return the scalar code that is one op of `math` on its only operand."""

    def build(body: Body, x: SSAValue) -> SSAValue:
        return body.op(op(x))

    return build


def _bits(op: Any) -> Build:
    def build(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
        return body.op(op(a, b))

    return build


def _mean(body: Body, *values: SSAValue) -> SSAValue:
    return body.div(_fold_pairs(Body.add)(body, *values), len(values))


def _sign(body: Body, x: SSAValue) -> SSAValue:
    if not is_float(x.type):
        return body.sign(x)
    # Zero and NaN are their own sign.
    zero, one, minus = (body.constant(number, x.type) for number in (0, 1, -1))
    negative = body.select(body.compare(x, "slt", zero), minus, x)
    return body.select(body.compare(x, "sgt", zero), one, negative)


def _reciprocal(body: Body, x: SSAValue) -> SSAValue:
    return body.div(body.constant(1, x.type), x)


ELEMENTWISE: Registry[str, Build] = Registry(
    "scalar code",
    {
        "Add": Body.add,
        "Sub": Body.sub,
        "Mul": Body.mul,
        "Div": Body.div,
        "Max": _fold_pairs(Body.max),
        "Min": _fold_pairs(Body.min),
        "Sum": _fold_pairs(Body.add),
        "Mean": _mean,
        "Neg": Body.negate,
        "Abs": Body.magnitude,
        "Sign": _sign,
        "Reciprocal": _reciprocal,
        "Exp": unary(math.ExpOp),
        "Log": unary(math.LogOp),
        "Sqrt": unary(math.SqrtOp),
        "Erf": unary(math.ErfOp),
        "Floor": unary(math.FloorOp),
        "Ceil": unary(math.CeilOp),
        "Round": unary(math.RoundEvenOp),
        "Sin": unary(math.SinOp),
        "Cos": unary(math.CosOp),
        "Tan": unary(math.TanOp),
        "Asin": unary(math.AsinOp),
        "Acos": unary(math.AcosOp),
        "Atan": unary(math.AtanOp),
        "Sinh": unary(math.SinhOp),
        "Cosh": unary(math.CoshOp),
        "Tanh": unary(math.TanhOp),
        "Asinh": unary(math.AsinhOp),
        "Acosh": unary(math.AcoshOp),
        "Atanh": unary(math.AtanhOp),
    },
)
_WIDEST: Registry[str, Build] = Registry(
    "scalar code of 64 bits",
    {
        **{name: ELEMENTWISE[name] for name in ("Add", "Sub", "Mul", "Sum")},
        "Div": _bits(arith.DivUIOp),
        "Mod": _bits(arith.RemUIOp),
        "Max": _fold_pairs(_bits(arith.MaxUIOp)),
        "Min": _fold_pairs(_bits(arith.MinUIOp)),
    },
)
"""Operator -> its scalar code on unsigned integers of 64 bits, which no signed type holds."""


def _on_widest(name: str, rule: Rule) -> Rule:
    """Return a rule that also handles unsigned integers of 64 bits."""
    if name not in _WIDEST:
        return rule

    def either(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        if not all(is_unsigned(value) and integer_width(element_of(value)) == 64 for value in op.operands):
            return rule(lower, op)
        shape, element = shape_of(op.results[0]), result_element(op)
        return [lower.elementwise(list(op.operands), shape, element, _WIDEST[name], wraps=True)]

    return either


for _name, _build in ELEMENTWISE.items():
    lowers(_name)(_on_widest(_name, scalar_rule(_build)))


@lowers("Clip")
def _clip(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    compute, element = compute_type(op), result_element(op)
    bounds = [op.node_input(1), op.node_input(2)]
    present = [value for value in bounds if value is not None]

    def build(body: Body, x: SSAValue, *limits: SSAValue) -> SSAValue:
        values = zip([op.operands[0], *present], [x, *limits], strict=True)
        x, *wide = [body.convert(value, compute, unsigned=is_unsigned(source)) for source, value in values]
        rest = iter(wide)
        for bound, combine in zip(bounds, (Body.max, Body.min), strict=True):
            x = x if bound is None else combine(body, x, next(rest))
        return body.convert(x, element)

    operands = [op.operands[0], *present]
    return [lower.elementwise(operands, shape_of(op.results[0]), element, build, constants=compute)]


# Powers and remainders, whose operands are of any types


def _joint(build: Callable[[Body, SSAValue, SSAValue], SSAValue], *, floats: bool = False) -> Any:
    """
    Return the rule for an operator on two operands of any types, brought to that of the first.

    With `floats`, integers are f64 where the other operand is a float.
    """

    def rule(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        operands, element = list(op.operands), result_element(op)
        compute = compute_type(op)
        mixed = floats and not is_float(compute) and is_float(element_of(operands[1]))
        compute = f64 if mixed else compute
        signs = [is_unsigned(value) for value in operands]

        def body(body: Body, *elements: SSAValue) -> SSAValue:
            wide = [body.convert(e, compute, unsigned=sign) for e, sign in zip(elements, signs, strict=True)]
            return body.convert(build(body, *wide), element)

        return [lower.elementwise(operands, shape_of(op.results[0]), element, body, wraps=wraps(op))]

    return rule


def _power(body: Body, x: SSAValue, exponent: SSAValue) -> SSAValue:
    return body.op((math.PowFOp if is_float(x.type) else math.IPowIOp)(x, exponent))


@lowers("Pow")
def _pow(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a power; squares, which norms are full of, are products."""
    exponent = constant_of(op.operands[1])
    if exponent is None or not exponent.size or not bool((exponent == 2).all()) or not _same_shape(op):
        return _joint(_power, floats=True)(lower, op)
    x, compute, element = op.operands[0], compute_type(op), result_element(op)

    def square(body: Body, x_: SSAValue) -> SSAValue:
        wide = body.convert(x_, compute, unsigned=is_unsigned(x))
        return body.convert(body.mul(wide, wide), element)

    return [lower.elementwise([x], shape_of(x), element, square, wraps=wraps(op))]


def _same_shape(op: OnnxOp) -> bool:
    return shape_of(op.operands[0]) == shape_of(op.results[0])


def _remainder(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
    return body.op((RemainderOp if is_float(a.type) else arith.RemSIOp)(a, b))


def _modulo(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
    """Append the remainder that has the sign of the divisor."""
    rest = _remainder(body, a, b)
    zero = body.constant(0, rest.type)
    differs = body.op(arith.XOrIOp(body.compare(rest, "slt", zero), body.compare(b, "slt", zero)))
    shifted = body.select(differs, body.add(rest, b), rest)
    return body.select(body.compare(rest, "eq", zero), rest, shifted)


@lowers("Mod")
def _mod(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return _on_widest("Mod", _joint(_remainder if op.attribute("fmod") else _modulo))(lower, op)


# Bits and truth values


def _complement(body: Body, x: SSAValue) -> SSAValue:
    return body.op(arith.XOrIOp(x, body.constant(-1, x.type)))


_BITS: Registry[str, Build] = Registry(
    "scalar code",
    {
        "And": _bits(arith.AndIOp),
        "Or": _bits(arith.OrIOp),
        "Xor": _bits(arith.XOrIOp),
        "Not": _complement,
        "BitwiseAnd": _bits(arith.AndIOp),
        "BitwiseOr": _bits(arith.OrIOp),
        "BitwiseXor": _bits(arith.XOrIOp),
        "BitwiseNot": _complement,
    },
)
"""Operators on bits, which no type has to be widened for."""


def _on_bits(build: Build) -> Callable[[Lowerer, OnnxOp], Sequence[SSAValue]]:
    def rule(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        return [lower.elementwise(list(op.operands), shape_of(op.results[0]), result_element(op), build)]

    return rule


for _name, _build in _BITS.items():
    lowers(_name)(_on_bits(_build))


@lowers("BitShift")
def _bit_shift(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a shift; one by the width or more shifts everything out, but for the sign of a signed number."""
    left, unsigned = op.attribute("direction") == "LEFT", is_unsigned(op.operands[0])
    last = (integer_width(element_of(op.results[0])) or 1) - 1

    def build(body: Body, x: SSAValue, amount: SSAValue) -> SSAValue:
        inside = body.op(arith.MinUIOp(amount, body.constant(last, amount.type)))
        if not left and not unsigned:
            return body.shift_right(x, inside)
        shifted = body.shift_left(x, inside) if left else body.op(arith.ShRUIOp(x, inside))
        return body.select(body.compare(amount, "eq", inside), shifted, body.constant(0, x.type))

    return [lower.elementwise(list(op.operands), shape_of(op.results[0]), result_element(op), build, wraps=True)]


@lowers("IsNaN")
def _is_nan(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    def build(body: Body, x: SSAValue) -> SSAValue:
        return body.op(arith.CmpfOp(x, x, "uno"))

    return _on_bits(build)(lower, op)


@lowers("IsInf")
def _is_inf(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    negative, positive = bool(op.attribute("detect_negative")), bool(op.attribute("detect_positive"))

    def build(body: Body, x: SSAValue) -> SSAValue:
        ends = [
            body.op(arith.CmpfOp(x, body.constant(sign * float("inf"), x.type), "oeq"))
            for sign, wanted in ((-1, negative), (1, positive))
            if wanted
        ]
        return _fold_pairs(_bits(arith.OrIOp))(body, *ends) if ends else body.constant(0, result_element(op))

    return _on_bits(build)(lower, op)

"""Scalar functions of the named ops of `linalg` as ops of `arith`, `math` and `complex`: the regions that they hide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType, f64, i1, i32
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ..core.scalars import is_float, scalar_attr

_FLOATS: dict[str, Any] = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "max": arith.MaximumfOp,
    "max_unsigned": arith.MaximumfOp,
    "min": arith.MinimumfOp,
    "min_unsigned": arith.MinimumfOp,
    "powf": math.PowFOp,
}
_INTEGERS: dict[str, Any] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "div": arith.DivSIOp,
    "div_unsigned": arith.DivUIOp,
    "max": arith.MaxSIOp,
    "max_unsigned": arith.MaxUIOp,
    "min": arith.MinSIOp,
    "min_unsigned": arith.MinUIOp,
}
_TRUTHS: dict[str, Any] = _INTEGERS | {"add": arith.OrIOp, "mul": arith.AndIOp}
_COMPLEX: dict[str, Any] = {"add": complex.AddOp, "sub": complex.SubOp, "mul": complex.MulOp, "div": complex.DivOp}
_UNARY: dict[str, Any] = {
    "abs": math.AbsFOp,
    "ceil": math.CeilOp,
    "erf": math.ErfOp,
    "exp": math.ExpOp,
    "floor": math.FloorOp,
    "log": math.LogOp,
    "negf": arith.NegfOp,
    "round": math.RoundOp,
    "rsqrt": math.RsqrtOp,
    "sqrt": math.SqrtOp,
    "tanh": math.TanhOp,
}
_MULTIPLIER, _INCREMENT = 1103515245, 12345
"""The linear congruential generator of `linalg.fill_rng_2d`."""
_SHIFT, _SCALE = 2147483647.0, 2.3283063999999999e-10
"""They map its 32 bits to 0..1."""


class ScalarCode:
    """
    The body of a named op while it is built: a block with an argument for an element of each operand.

    `is_unsigned` says that integers are converted as unsigned ones. Methods raise ValueError where upstream has no
    such function of the types.
    """

    def __init__(self, types: Sequence[Attribute], *, is_unsigned: bool = False):
        self.block = Block(arg_types=types)
        self._is_unsigned = is_unsigned

    def region(self, value: SSAValue) -> Region:
        """Return the region that yields a value."""
        self.block.add_op(YieldOp(value))
        return Region(self.block)

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The elements of the inputs."""
        return self.block.args[:-1]

    @property
    def output(self) -> SSAValue:
        """The element of the output."""
        return self.block.args[-1]

    def converted(self, value: SSAValue) -> SSAValue:
        """Return an element in the type of the output."""
        return self.cast(value, self.output.type)

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Return a number in another type: rounded, truncated or extended."""
        if value.type == type:
            return value
        op = _conversion(value.type, type, is_unsigned=self._is_unsigned)
        return self._add(op(value, type))

    def binary(self, function: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return a binary function of numbers of one type."""
        table = _functions(a.type)
        if a.type != b.type or function not in table:
            raise ValueError(f"'{function}' is not defined for {a.type} and {b.type}")
        return self._add(table[function](a, b))

    def unary(self, function: str, a: SSAValue) -> SSAValue:
        """Return a unary function of a float."""
        if not is_float(a.type):
            raise ValueError(f"'{function}' is not defined for {a.type}")
        if function == "square":
            return self.binary("mul", a, a)
        if function == "reciprocal":
            return self.binary("div", self.constant(1.0, a.type), a)
        return self._add(_UNARY[function](a))

    def constant(self, number: float, type: Attribute) -> SSAValue:
        """Return a number."""
        return self._add(arith.ConstantOp(scalar_attr(number, type)))

    def random(self, low: SSAValue, high: SSAValue, seed: SSAValue) -> SSAValue:
        """Return a number in f64 between two others, by the position in two loops and a seed in i32."""
        shift = self.constant(_SHIFT, f64)
        column, row = (self._add(arith.IndexCastOp(self._add(IndexOp(dim)), i32)) for dim in (1, 0))
        state = self._next(self.binary("add", row, seed))
        state = self._next(self.binary("add", column, state))
        shifted = self.binary("add", shift, self._add(arith.SIToFPOp(state, f64)))
        scale = self.binary("mul", self.binary("sub", high, low), self.constant(_SCALE, f64))
        return self.binary("add", self.binary("mul", shifted, scale), low)

    def _next(self, state: SSAValue) -> SSAValue:
        product = self.binary("mul", state, self.constant(_MULTIPLIER, i32))
        return self.binary("add", product, self.constant(_INCREMENT, i32))

    def _add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]


def _functions(type: Attribute) -> dict[str, Any]:
    if is_float(type):
        return _FLOATS
    if isinstance(type, ComplexType):
        return _COMPLEX
    return _TRUTHS if type == i1 else _INTEGERS if isinstance(type, IntegerType | IndexType) else {}


def _conversion(source: Any, target: Any, *, is_unsigned: bool) -> Any:
    kinds = tuple("float" if is_float(type) else "integer" for type in (source, target))
    if not all(is_float(type) or isinstance(type, IntegerType) for type in (source, target)):
        raise ValueError(f"{source} is not converted to {target}")
    widens = source.bitwidth < target.bitwidth
    match kinds:
        case "float", "float":
            return arith.ExtFOp if widens else arith.TruncFOp
        case "float", "integer":
            return arith.FPToUIOp if is_unsigned else arith.FPToSIOp
        case "integer", "float":
            return arith.UIToFPOp if is_unsigned else arith.SIToFPOp
        case _:
            extension = arith.ExtUIOp if is_unsigned else arith.ExtSIOp
            return extension if widens else arith.TruncIOp


def _multiply_accumulate(code: ScalarCode) -> SSAValue:
    a, b = (code.converted(value) for value in code.inputs)
    return code.binary("add", code.output, code.binary("mul", a, b))


def _with_zero_points(code: ScalarCode) -> SSAValue:
    a, b, zero_a, zero_b = code.inputs
    differences = [
        code.binary("sub", code.converted(value), code.converted(zero)) for value, zero in ((a, zero_a), (b, zero_b))
    ]
    return code.binary("add", code.output, code.binary("mul", *differences))


def _random(code: ScalarCode) -> SSAValue:
    return code.converted(code.random(*code.inputs))


def _first(code: ScalarCode) -> SSAValue:
    return code.converted(code.inputs[0])


def _select(code: ScalarCode) -> SSAValue:
    op = arith.SelectOp(*code.inputs)
    code.block.add_op(op)
    return op.result


_SPECIAL: dict[str, Callable[[ScalarCode], SSAValue]] = {
    "broadcast": _first,
    "copy": _first,
    "fill": _first,
    "mac": _multiply_accumulate,
    "mac_zero_points": _with_zero_points,
    "random": _random,
    "select": _select,
}
_CONVERTING = "elemwise_"
_POOLS = {f"pool_{name}": fold for name, fold in {"sum": "add", "max": "max", "min": "min"}.items()} | {
    f"pool_{name}_unsigned": f"{name}_unsigned" for name in ("max", "min")
}


def hidden_region(function: str, types: Sequence[Attribute], *, is_unsigned: bool = False) -> Region:
    """
    Return the region of a named op of a function, whose operands have elements of these types, the output last.

    Inputs of functions of several types (`elemwise_exp`) become of the output's type first. Raises ValueError where
    upstream has no such function of the types.
    """
    code = ScalarCode(types, is_unsigned=is_unsigned or (function.startswith("pool") and function.endswith("unsigned")))
    value = _value(function, code)
    if value.type != code.output.type:
        raise ValueError(f"expected the output to hold {value.type}, found {code.output.type}")
    return code.region(value)


def _value(function: str, code: ScalarCode) -> SSAValue:
    if function in _SPECIAL:
        return _SPECIAL[function](code)
    if function in _POOLS:
        return code.binary(_POOLS[function], code.output, code.converted(code.inputs[0]))
    name = function.removeprefix(_CONVERTING)
    values = [code.converted(value) for value in code.inputs] if name != function else code.inputs
    return code.unary(name, *values) if len(values) == 1 else code.binary(name, *values)

"""
Conversion of the scalar ops of `arith`, `math` and `nn` to C: a table from op names to rules.

MLIR's integer arithmetic wraps around, and signed overflow is undefined in C. So 32- and 64-bit sums and products are
formed in unsigned types, except for `nsw` and where interval analysis excludes overflow. Narrower types are promoted to
`int`, which cannot overflow, and truncated. Indices have 32 bits where interval analysis shows that these suffice, else
64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import AnyFloat, Float32Type, IndexType, IntegerAttr, IntegerType, f32, f64, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import emitc
from ...discovery import registering
from ...errors import Diagnostic
from ...ir import where
from .builder import INDEX, SIGNED, UNSIGNED, WIDE_INDEX, EmitcBuilder, scalar_type, suffix
from .half import is_half

Rule = Callable[[EmitcBuilder, Operation], SSAValue]
RULES: dict[str, Rule] = {}
"""Op name -> rule that returns the C value of the op's only result."""

LIBM = tuple(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf exp exp2 expm1 fma fpowi log log10 log1p log2 powf rsqrt "
    "sin sinh sqrt tan tanh".split()
)
"""Ops of `math` that call C's mathematical library."""

_LIBM_OPS = frozenset({"arith.remf", "nn.remainder", *(f"math.{name}" for name in LIBM)})

FREESTANDING = tuple("absf ceil copysign floor round roundeven trunc".split())
"""Float ops of `math` that the runtime header implements."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the conversion rule of ops of these names."""
    return registering(RULES, names)


_CLOSED = frozenset(f"arith.{name}" for name in "andi cmpi maxui minui ori remsi select xori".split())
"""Ops of which the result, or the comparison, is the same for narrow indices as for wide ones."""


_UNSIGNED = frozenset(f"arith.{name}" for name in "ceildivui divui remui shrui".split())
"""Ops that differ on unsigned readings of 32 and of 64 bits, for negative numbers."""


def _width(b: EmitcBuilder, op: Operation) -> int:
    """Return the width in C of the op's first operand. Raises Diagnostic unless it is an integer or index."""
    type_ = scalar_type(op.operands[0].type, op)
    if isinstance(op.operands[0].type, IndexType):
        return (WIDE_INDEX if _is_wide(b, op) else INDEX).width.data
    if isinstance(type_, IntegerType):
        return type_.width.data
    raise Diagnostic(f"'{op.name}' is for integers", where(op), found=str(type_))


def _is_wide(b: EmitcBuilder, op: Operation) -> bool:
    """Return whether arithmetic on indices needs 64 bits: a wide operand, or a result that may be one."""
    if any(b.is_wide(operand) for operand in op.operands):
        return True
    if op.name.startswith("arith.sh") and not b.is_within(op.operands[1], 0, INDEX.width.data - 1):
        return True
    if op.name in _UNSIGNED and not all(b.is_within(operand, 0, (1 << 31) - 1) for operand in op.operands):
        return True
    return op.name not in _CLOSED and not b.fits_narrow(op)


def _both(b: EmitcBuilder, op: Operation, type_: IntegerType | None = None) -> list[SSAValue]:
    """Return the operands in a type, else in their own; indices are all narrow or all wide."""
    if type_ is not None:
        return [b.as_type(operand, type_) for operand in op.operands]
    index = WIDE_INDEX if any(b.is_wide(operand) for operand in op.operands) else INDEX
    if isinstance(op.operands[-1].type, IndexType) and op.name not in _CLOSED and _is_wide(b, op):
        index = WIDE_INDEX
    return [_operand(b, operand, index) for operand in op.operands]


def _operand(b: EmitcBuilder, source: SSAValue, index: IntegerType) -> SSAValue:
    return b.as_type(source, index) if isinstance(source.type, IndexType) else b.value(source)


def _narrowed(b: EmitcBuilder, kind: type[Operation], operands: list[SSAValue], width: int) -> SSAValue:
    """Emit an operator on operands of one type, truncated to a signed integer of `width` bits."""
    type_ = cast(IntegerType, operands[0].type)
    result = type_ if type_.width.data >= 32 else i32
    return b.cast(b.emit(kind, operands, result), SIGNED[width])


# Integers

_WRAPPING = {"arith.addi": emitc.AddOp, "arith.subi": emitc.SubOp, "arith.muli": emitc.MulOp}


def _no_signed_wrap(b: EmitcBuilder, op: Operation) -> bool:
    flags = op.properties.get("overflowFlags")
    return (flags is not None and "nsw" in {str(flag) for flag in cast(Any, flags).data}) or b.fits(op)


@rule("arith.addi", "arith.subi", "arith.muli")
def _wrapping(b: EmitcBuilder, op: Operation) -> SSAValue:
    width, kind = _width(b, op), _WRAPPING[op.name]
    if width == 1:
        operands = _both(b, op)
        return b.emit(emitc.LogicalAndOp, operands, i1) if kind is emitc.MulOp else b.compare("ne", *operands)
    if width < 32 or _no_signed_wrap(b, op):
        return _narrowed(b, kind, _both(b, op), width)
    return _narrowed(b, kind, _both(b, op, UNSIGNED[width]), width)


@rule("arith.divsi", "arith.remsi", "arith.divui", "arith.remui")
def _division(b: EmitcBuilder, op: Operation) -> SSAValue:
    kind = emitc.DivOp if "div" in op.name else emitc.RemOp
    width = _width(b, op)
    if width == 1:
        raise Diagnostic("a division of truth values", where(op), remedy="fold it")
    return _narrowed(b, kind, _both(b, op, None if op.name.endswith("si") else UNSIGNED[width]), width)


@rule("arith.ceildivsi", "arith.floordivsi", "arith.ceildivui")
def _rounded_division(b: EmitcBuilder, op: Operation) -> SSAValue:
    width = _width(b, op)
    types = UNSIGNED if op.name.endswith("ui") else SIGNED
    wide = types[max(width, 32)]
    function = f"tw_{op.name[6:-2]}_{suffix(wide)}"
    operands = [b.cast(b.as_type(operand, types[width]), wide) for operand in op.operands]
    return b.cast(b.call(function, operands, wide), SIGNED[width])


_BITWISE: dict[str, tuple[type[Operation], type[Operation]]] = {
    "arith.andi": (emitc.BitwiseAndOp, emitc.LogicalAndOp),
    "arith.ori": (emitc.BitwiseOrOp, emitc.LogicalOrOp),
}


@rule("arith.andi", "arith.ori")
def _bitwise(b: EmitcBuilder, op: Operation) -> SSAValue:
    bits, logical = _BITWISE[op.name]
    width = _width(b, op)
    if width == 1:
        return b.emit(bits if _prevents_vectors(op.operands[1]) else logical, _both(b, op), i1)
    return _narrowed(b, bits, _both(b, op), width)


def _prevents_vectors(condition: SSAValue) -> bool:
    """
    Return whether compilers make no vectors of a loop in which `&&` or `||` decides if a condition is computed.

    They do not read memory, or compute a float, that C does not: that might trap. The source program computes both
    conditions. A value with several uses is computed in any case, and a function of libm is worth a branch.
    """
    guarded = _guarded_by(condition)
    is_trapping = any(isinstance(op, memref.LoadOp) or _has_floats(op) for op in guarded)
    return is_trapping and not any(op.name in _LIBM_OPS for op in guarded)


def _guarded_by(condition: SSAValue) -> list[Operation]:
    """Return the ops that are computed for a condition alone."""
    guarded, pending = list[Operation](), [condition]
    while pending:
        value = pending.pop()
        if isinstance(value.owner, Operation) and value.has_one_use():
            guarded.append(value.owner)
            pending += value.owner.operands
    return guarded


def _has_floats(op: Operation) -> bool:
    return any(isinstance(operand.type, AnyFloat) for operand in op.operands)


@rule("arith.xori")
def _exclusive_or(b: EmitcBuilder, op: Operation) -> SSAValue:
    if (width := _width(b, op)) != 1:
        return _narrowed(b, emitc.BitwiseXorOp, _both(b, op), width)
    left, right = op.operands
    if left is right:
        return b.integer(False, i1)
    for value, other in ((left, right), (right, left)):
        if (constant := b.known(other)) is not None:
            return b.emit(emitc.LogicalNotOp, [b.value(value)], i1) if constant else b.value(value)
    return b.compare("ne", *_both(b, op))


@rule("arith.shli", "arith.shrsi", "arith.shrui")
def _shift(b: EmitcBuilder, op: Operation) -> SSAValue:
    width, left = _width(b, op), op.name == "arith.shli"
    value, amount = op.operands
    # A left shift of a negative number is undefined in C.
    type_ = UNSIGNED[max(width, 32)] if left else UNSIGNED[width] if op.name == "arith.shrui" else SIGNED[width]
    kind = emitc.BitwiseLeftShiftOp if left else emitc.BitwiseRightShiftOp
    constant = b.known(amount)
    by = b.value(amount) if constant is None else b.integer(constant & 1 if width == 1 else constant, i32)
    shifted = b.emit(kind, [b.as_type(value, type_), by], type_ if type_.width.data >= 32 else i32)
    return b.cast(shifted, SIGNED[width])


@rule("arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui")
def _extremum(b: EmitcBuilder, op: Operation) -> SSAValue:
    width, unsigned, least = _width(b, op), op.name.endswith("ui"), "min" in op.name
    if width == 1:
        # As a signed number, true is -1.
        return b.emit(emitc.LogicalAndOp if least == unsigned else emitc.LogicalOrOp, _both(b, op), i1)
    type_ = (UNSIGNED if unsigned else SIGNED)[width]
    function = f"tw_{'min' if least else 'max'}_{suffix(type_)}"
    return b.cast(b.call(function, _both(b, op, type_), type_), SIGNED[width])


_INTEGER_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


@rule("arith.cmpi")
def _compare_integers(b: EmitcBuilder, op: Operation) -> SSAValue:
    number = cast("IntegerAttr[Any]", op.properties["predicate"]).value.data
    predicate, width, unsigned = _INTEGER_PREDICATES[number], _width(b, op), number >= 6
    if width == 1:
        # A bit is 0 or 1 in C; as a signed integer it is 0 or -1.
        signed = 2 <= number < 6
        predicate, unsigned = _SWAPPED[predicate] if signed else predicate, True
    if (always := _tautology(b, predicate, op)) is not None:
        return b.integer(always, i1)
    return b.compare(predicate, *_both(b, op, UNSIGNED[width] if unsigned and width > 1 else None))


def _tautology(b: EmitcBuilder, predicate: str, op: Operation) -> bool | None:
    """
    Return the value of a comparison that compilers warn of, None for other ones.

    They do of a value with itself, of one with a number beyond the type that it is widened from, and of bits that a
    mask excludes. `EmitcBuilder.compare` folds comparisons with the ends of a type.
    """
    left, right = op.operands
    if left is right:
        return predicate in ("eq", "le", "ge")
    if _width(b, op) > 1 and (outcome := b.outcome(op)) is not None:
        return bool(outcome)
    if predicate in ("eq", "ne") and (_excludes(b, left, right) or _excludes(b, right, left)):
        return predicate == "ne"
    return None


def _excludes(b: EmitcBuilder, masked: SSAValue, number: SSAValue) -> bool:
    """Return whether the constant operand of `arith.andi` or `arith.ori` excludes a bit of a constant."""
    op, constant = masked.owner, b.known(number)
    if constant is None or not isinstance(op, Operation) or op.name not in _BITWISE:
        return False
    masks = [mask for operand in op.operands if (mask := b.known(operand)) is not None]
    return any(constant & ~mask if op.name == "arith.andi" else mask & ~constant for mask in masks)


@rule("math.absi")
def _absolute_integer(b: EmitcBuilder, op: Operation) -> SSAValue:
    width = _width(b, op)
    wide = SIGNED[max(width, 32)]
    return b.cast(b.call(f"tw_abs_{suffix(wide)}", [b.as_type(op.operands[0], wide)], wide), SIGNED[width])


@rule("nn.isqrt")
def _integer_root(b: EmitcBuilder, op: Operation) -> SSAValue:
    if (width := _width(b, op)) not in (32, 64):
        raise Diagnostic("nn.isqrt is for i32 and i64", where(op), found=f"i{width}")
    return b.call(f"tw_isqrt{width}", _both(b, op), SIGNED[width])


def _full_width(b: EmitcBuilder, op: Operation) -> int:
    """Return the width in C of an op whose results depend on it: of indices 64."""
    return WIDE_INDEX.width.data if isinstance(op.operands[0].type, IndexType) else _width(b, op)


def products(b: EmitcBuilder, op: Operation) -> list[SSAValue]:
    """Emit the low and high half of the product of `arith.mulsi_extended` and `arith.mului_extended`."""
    width, unsigned = _full_width(b, op), op.name == "arith.mului_extended"
    types = UNSIGNED if unsigned else SIGNED
    if width == 64:
        low = _narrowed(b, emitc.MulOp, _both(b, op, UNSIGNED[64]), 64)
        high = b.call(f"tw_mulhi_{suffix(types[64])}", _both(b, op, types[64]), types[64])
        return [low, b.cast(high, SIGNED[64])]
    wide = types[64 if width == 32 else 32]
    product = b.emit(emitc.MulOp, [b.cast(b.as_type(o, types[width]), wide) for o in op.operands], wide)
    high = b.emit(emitc.BitwiseRightShiftOp, [product, b.integer(width, i32)], wide)
    return [b.cast(product, SIGNED[width]), b.cast(high, SIGNED[width])]


def sum_and_carry(b: EmitcBuilder, op: Operation) -> list[SSAValue]:
    """Emit the sum of `arith.addui_extended` and its unsigned overflow flag."""
    width = _full_width(b, op)
    if width == 1:
        operands = _both(b, op)
        return [b.compare("ne", *operands), b.emit(emitc.LogicalAndOp, operands, i1)]
    total = _narrowed(b, emitc.AddOp, _both(b, op, UNSIGNED[width]), width)
    return [total, _carry(b, op, total, width)]


def _carry(b: EmitcBuilder, op: Operation, total: SSAValue, width: int) -> SSAValue:
    """Emit the overflow flag of the sum of two numbers; of a number and a constant, a comparison of the number."""
    unsigned, limit = UNSIGNED[width], 1 << width
    ranges = [b.range_of(operand).unsigned(width) for operand in op.operands]
    sums = ranges[0] + ranges[1]
    if sums.high < limit or sums.low >= limit:
        return b.integer(sums.low >= limit, i1)
    for value, other in (op.operands, reversed(op.operands)):
        if (constant := b.known(other)) is not None:
            return b.compare("gt", b.as_type(value, unsigned), b.integer(-1 - constant, unsigned))
    return b.compare("lt", b.cast(total, unsigned), b.as_type(op.operands[0], unsigned))


# Conversions


def _result(op: Operation) -> Any:
    return scalar_type(op.results[0].type, op)


def _signed_operand(b: EmitcBuilder, op: Operation) -> SSAValue:
    """Return the operand as a signed number; true is -1."""
    value = b.full_value(op.operands[0])
    return b.emit(emitc.UnaryMinusOp, [b.cast(value, i32)], i32) if value.type == i1 else value


@rule("arith.extsi", "arith.sitofp")
def _from_signed(b: EmitcBuilder, op: Operation) -> SSAValue:
    constant, result = b.known(op.operands[0]), _result(op)
    if constant is not None and isinstance(result, IntegerType):
        return b.integer(-(constant & 1) if _width(b, op) == 1 else constant, cast(IntegerType, result))
    return b.cast(_signed_operand(b, op), result)


@rule("arith.index_cast")
def _index_cast(b: EmitcBuilder, op: Operation) -> SSAValue:
    result = _result(op)
    if isinstance(op.results[0].type, IndexType) and not b.fits_narrow(op):
        result = WIDE_INDEX
    return _truncated(b, op) if result == i1 else b.cast(_signed_operand(b, op), result)


@rule("arith.index_castui")
def _unsigned_index_cast(b: EmitcBuilder, op: Operation) -> SSAValue:
    operand, width = op.operands[0], _width(b, op)
    if isinstance(operand.type, IndexType) or width == WIDE_INDEX.width.data:
        return _index_cast(b, op)
    unsigned = b.as_type(operand, UNSIGNED[width] if width > 1 else i1)
    return b.cast(unsigned, INDEX if b.fits_narrow(op) else WIDE_INDEX)


@rule("arith.extui", "arith.uitofp")
def _from_unsigned(b: EmitcBuilder, op: Operation) -> SSAValue:
    constant, wide = b.known(op.operands[0]), _result(op)
    if constant is not None and isinstance(wide, IntegerType):
        return b.integer(constant & ((1 << _width(b, op)) - 1), cast(IntegerType, wide))
    return b.cast(b.as_type(op.operands[0], UNSIGNED[width] if (width := _width(b, op)) > 1 else i1), _result(op))


@rule("arith.trunci")
def _truncated(b: EmitcBuilder, op: Operation) -> SSAValue:
    result = _result(op)
    if result != i1:
        return b.as_type(op.operands[0], result)
    value = b.full_value(op.operands[0])
    type_ = cast(IntegerType, value.type)
    wide = type_ if type_.width.data >= 32 else i32
    return b.compare("ne", b.emit(emitc.BitwiseAndOp, [value, b.integer(1, type_)], wide), b.integer(0, wide))


@rule("arith.extf", "arith.truncf")
def _resized_float(b: EmitcBuilder, op: Operation) -> SSAValue:
    value, result = b.value(op.operands[0]), _result(op)
    if is_half(value.type):
        return b.cast(b.call(f"tw_extf_{suffix(value.type)}_f32", [value], f32), result)
    if is_half(result):
        return b.call(f"tw_truncf_{suffix(value.type)}_{suffix(result)}", [value], result)
    return b.cast(value, result)


@rule("arith.fptosi")
def _cast(b: EmitcBuilder, op: Operation) -> SSAValue:
    return b.cast(b.value(op.operands[0]), _result(op))


@rule("arith.fptoui")
def _to_unsigned(b: EmitcBuilder, op: Operation) -> SSAValue:
    result = _result(op)
    value = b.value(op.operands[0])
    return b.cast(value if result == i1 else b.cast(value, UNSIGNED[result.width.data]), result)


@rule("arith.bitcast")
def _bitcast(b: EmitcBuilder, op: Operation) -> SSAValue:
    source, result = scalar_type(op.operands[0].type, op), _result(op)
    value = b.value(op.operands[0])
    return value if source == result else b.call(f"tw_bitcast_{suffix(source)}_{suffix(result)}", [value], result)


@rule("arith.select")
def _select(b: EmitcBuilder, op: Operation) -> SSAValue:
    operands, result = _both(b, op), _result(op)
    if result in (f32, f64) and any(_may_trap(value) for value in op.operands[1:]):
        return b.call(f"tw_select_{suffix(result)}", operands, result)
    return b.emit(emitc.ConditionalOp, operands, operands[1].type if result == INDEX else result)


def _may_trap(value: SSAValue) -> bool:
    """Return whether a float is computed by an instruction that may trap."""
    owner = value.owner
    return isinstance(owner, Operation) and (owner.name in _FLOAT_OPERATORS or owner.name.startswith("math."))


# Floats

_FLOAT_OPERATORS: dict[str, type[Operation]] = {
    "arith.addf": emitc.AddOp,
    "arith.subf": emitc.SubOp,
    "arith.mulf": emitc.MulOp,
    "arith.divf": emitc.DivOp,
}


@rule(*_FLOAT_OPERATORS)
def _float_operator(b: EmitcBuilder, op: Operation) -> SSAValue:
    return b.emit(_FLOAT_OPERATORS[op.name], _both(b, op), _result(op))


@rule("arith.negf")
def _negation(b: EmitcBuilder, op: Operation) -> SSAValue:
    return b.emit(emitc.UnaryMinusOp, _both(b, op), _result(op))


@rule("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf", *(f"math.{name}" for name in FREESTANDING))
def _float_function(b: EmitcBuilder, op: Operation) -> SSAValue:
    name = op.name.partition(".")[2]
    if op.name.startswith("arith."):
        name = name.removesuffix("f")
    result: Attribute = _result(op)
    return b.call(f"tw_{name}_{suffix(result)}", _both(b, op), result)


@rule(*(f"math.{name}" for name in LIBM))
def _library_function(b: EmitcBuilder, op: Operation) -> SSAValue:
    result: Attribute = _result(op)
    operands = [b.cast(operand, result) for operand in _both(b, op)]
    name = op.name.partition(".")[2].replace("fpowi", "powf")
    return b.call(f"tw_{name}_{suffix(result)}", operands, result)


_ORDERED = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"}
# Unordered comparisons are the negations of ordered ones.
_NEGATED = {9: "le", 10: "lt", 11: "ge", 12: "gt"}


@rule("arith.cmpf")
def _compare_floats(b: EmitcBuilder, op: Operation) -> SSAValue:
    number = cast("IntegerAttr[Any]", op.properties["predicate"]).value.data
    if number in (0, 15):
        return b.integer(number == 15, i1)
    operands = _both(b, op)
    if number in _ORDERED:
        return b.compare(_ORDERED[number], *operands)
    if number in _NEGATED:
        return b.emit(emitc.LogicalNotOp, [b.compare(_NEGATED[number], *operands)], i1)
    kind = "f32" if isinstance(operands[0].type, Float32Type) else "f64"
    names = {6: "differ", 7: "unordered", 8: "differ", 14: "unordered"}
    holds = b.call(f"tw_{names[number]}_{kind}", operands, i1)
    return b.emit(emitc.LogicalNotOp, [holds], i1) if number in (7, 8) else holds


@rule("math.ipowi")
def _integer_power(b: EmitcBuilder, op: Operation) -> SSAValue:
    wide = SIGNED[max(_width(b, op), 32)]
    operands = [b.cast(operand, wide) for operand in _both(b, op)]
    return b.cast(b.call(f"tw_ipow_{suffix(wide)}", operands, wide), _result(op))


@rule("nn.remainder", "arith.remf")
def _float_remainder(b: EmitcBuilder, op: Operation) -> SSAValue:
    result: Attribute = _result(op)
    return b.call(f"tw_fmod_{suffix(result)}", _both(b, op), result)


def is_half_function(function: str) -> bool:
    """Return whether a function of the runtime is one of 16-bit floats."""
    return function.startswith(("tw_extf_", "tw_truncf_")) or (function.startswith("tw_bitcast_") and "f16" in function)


def is_libm(function: str) -> bool:
    """Return whether a function of the runtime calls C's mathematical library."""
    name = function.removeprefix("tw_").rpartition("_")[0]
    return name in LIBM or name == "fmod"

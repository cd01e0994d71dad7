"""C expressions from `emitc` ops: types, literals, operators and parentheses by precedence."""

from __future__ import annotations

from enum import IntEnum
from math import isinf, isnan
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.dialects.emitc import (
    EmitC_ArrayType,
    EmitC_LValueType,
    EmitC_OpaqueAttr,
    EmitC_OpaqueType,
    EmitC_PointerType,
    EmitC_PtrDiffT,
    EmitC_SizeT,
)
from xdsl.ir import Attribute, Operation

from ....dialects import emitc
from ....dialects.emitc.expressions import CMP_PREDICATES
from ....errors import Diagnostic
from ..builder import as_integer, is_unsigned, suffix


class Precedence(IntEnum):
    """Precedence of the outermost operator of an expression."""

    PRIMARY = 0
    UNARY = 1
    MUL = 2
    ADD = 3
    SHIFT = 4
    COMPARE = 5
    EQUAL = 6
    BIT_AND = 7
    BIT_XOR = 8
    BIT_OR = 9
    LOGICAL_AND = 10
    LOGICAL_OR = 11
    CONDITIONAL = 12


Expression = tuple[str, Precedence]

_TIGHT = frozenset({Precedence.PRIMARY, Precedence.UNARY})
_SUMS = _TIGHT | {Precedence.MUL, Precedence.ADD}
_TRUTHS = _TIGHT | {Precedence.COMPARE, Precedence.EQUAL}

OPERATORS: dict[type[Operation], tuple[str, Precedence, frozenset[Precedence], frozenset[Precedence]]] = {
    emitc.MulOp: ("*", Precedence.MUL, _TIGHT | {Precedence.MUL}, _TIGHT),
    emitc.DivOp: ("/", Precedence.MUL, _TIGHT | {Precedence.MUL}, _TIGHT),
    emitc.RemOp: ("%", Precedence.MUL, _TIGHT | {Precedence.MUL}, _TIGHT),
    emitc.AddOp: ("+", Precedence.ADD, _SUMS, _TIGHT | {Precedence.MUL}),
    emitc.SubOp: ("-", Precedence.ADD, _SUMS, _TIGHT | {Precedence.MUL}),
    emitc.BitwiseLeftShiftOp: ("<<", Precedence.SHIFT, _TIGHT, _TIGHT),
    emitc.BitwiseRightShiftOp: (">>", Precedence.SHIFT, _TIGHT, _TIGHT),
    emitc.BitwiseAndOp: ("&", Precedence.BIT_AND, _TIGHT | {Precedence.BIT_AND}, _TIGHT),
    emitc.BitwiseOrOp: ("|", Precedence.BIT_OR, _TIGHT | {Precedence.BIT_OR}, _TIGHT),
    emitc.BitwiseXorOp: ("^", Precedence.BIT_XOR, _TIGHT | {Precedence.BIT_XOR}, _TIGHT),
    emitc.LogicalAndOp: ("&&", Precedence.LOGICAL_AND, _TRUTHS | {Precedence.LOGICAL_AND}, _TRUTHS),
    emitc.LogicalOrOp: ("||", Precedence.LOGICAL_OR, _TRUTHS | {Precedence.LOGICAL_OR}, _TRUTHS),
}
"""Op class -> operator, its precedence, and the precedences of operands that need no parentheses."""

_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def within(expression: Expression, allowed: frozenset[Precedence]) -> str:
    """Return an expression's text, in parentheses unless its precedence is allowed."""
    text, level = expression
    return text if level in allowed else f"({text})"


def binary(op: Operation, left: Expression, right: Expression) -> Expression:
    """Return the expression of a binary operator."""
    symbol, level, lefts, rights = OPERATORS[type(op)]
    if symbol == "+" and right[0][0] == "-" and right[0][1:].isdigit():
        symbol, right = "-", (right[0][1:], Precedence.PRIMARY)
    return f"{within(left, lefts)} {symbol} {within(right, rights)}", level


def comparison(op: emitc.CmpOp, left: Expression, right: Expression) -> Expression:
    """Return the expression of `emitc.cmp`; compilers warn of one of the same two integers, which is a constant."""
    predicate = CMP_PREDICATES[op.predicate.value.data]
    if predicate not in _COMPARISONS:
        raise Diagnostic("C has no three-way comparison")
    if left == right and as_integer(op.operands[0].type) is not None:
        return "true" if predicate in ("eq", "le", "ge") else "false", Precedence.PRIMARY
    level = Precedence.EQUAL if predicate in ("eq", "ne") else Precedence.COMPARE
    return f"{within(left, _SUMS)} {_COMPARISONS[predicate]} {within(right, _SUMS)}", level


def conditional(test: Expression, yes: Expression, no: Expression) -> Expression:
    """Return `test ? yes : no`."""
    arms = frozenset(Precedence) - {Precedence.CONDITIONAL}
    return f"{within(test, _TRUTHS)} ? {within(yes, arms)} : {within(no, arms)}", Precedence.CONDITIONAL


def unary(symbol: str, operand: Expression) -> Expression:
    """Return the expression of a prefix operator."""
    text = within(operand, _TIGHT)
    return (f"{symbol}({text})" if text[0] == symbol[-1] else f"{symbol}{text}"), Precedence.UNARY


def cast_to(type_: str, operand: Expression) -> Expression:
    """Return `(type_)operand`."""
    return f"({type_}){within(operand, _TIGHT)}", Precedence.UNARY


# Types


def c_type(type_: Attribute) -> str:
    """Return the C type of a scalar. Raises Diagnostic for a type without one."""
    match type_:
        case IntegerType():
            width = type_.width.data
            return "bool" if width == 1 else f"{'u' if is_unsigned(type_) else ''}int{width}_t"
        case Float32Type():
            return "float"
        case Float64Type():
            return "double"
        case Float16Type() | BFloat16Type():
            return f"tw_{type_}"
        case IndexType() | EmitC_SizeT():
            return "size_t"
        case EmitC_PtrDiffT():
            return "ptrdiff_t"
        case EmitC_OpaqueType():
            return type_.value.data
        case EmitC_LValueType():
            return c_type(type_.value_type)
        case EmitC_PointerType():
            return pointer_type(type_, constant=False)
        case _:
            raise Diagnostic("a type has no name in C11", found=str(type_), remedy="run convert-to-emitc first")


def pointer_type(type_: EmitC_PointerType, *, constant: bool) -> str:
    """Return the C type of a pointer, whose elements may alias those of other types."""
    element, integer = type_.pointee_type, as_integer(type_.pointee_type)
    name = c_type(element)
    if integer is not None and integer.width.data != 8:
        name = "tw_bool" if integer.width.data == 1 else f"tw_{suffix(integer)}"
    elif isinstance(element, Float32Type | Float64Type):
        name = f"tw_{suffix(element)}"
    elif isinstance(element, Float16Type | BFloat16Type):
        name = "tw_u16"
    return f"{'const ' if constant else ''}{name} *"


def declaration(type_: Attribute, name: str, *, constant: bool) -> str:
    """Return the declaration of an argument or array; `constant` marks read-only elements."""
    if isinstance(type_, EmitC_PointerType):
        return pointer_type(type_, constant=constant) + name
    if not isinstance(type_, EmitC_ArrayType):
        return f"{c_type(type_)} {name}"
    array = cast("EmitC_ArrayType[Any]", type_)
    extents = "".join(f"[{size}]" for size in array.get_shape())
    return f"{'const ' if constant else ''}{c_type(array.get_element_type())} {name}{extents}"


# Literals


def literal(value: Attribute, type_: Attribute) -> Expression:
    """Return the text of a constant. Raises Diagnostic for an unsupported attribute."""
    if isinstance(value, EmitC_OpaqueAttr):
        return value.value.data, Precedence.PRIMARY
    if isinstance(value, FloatAttr) and isinstance(type_, Float16Type | BFloat16Type):
        bits = type_.pack((cast("FloatAttr[Any]", value).value.data,))
        return f"0x{int.from_bytes(bits, 'little'):04x}", Precedence.PRIMARY
    if isinstance(value, FloatAttr):
        return _float(cast("FloatAttr[Any]", value).value.data, single=isinstance(type_, Float32Type))
    if isinstance(value, IntegerAttr):
        return _integer(cast("IntegerAttr[Any]", value).value.data, type_)
    raise Diagnostic("a constant has no text in C", found=str(value))


def _float(value: float, *, single: bool) -> Expression:
    kind = "F32" if single else "F64"
    if isnan(value):
        return _nan(value, kind), Precedence.PRIMARY
    if isinf(value):
        return f"{'-' if value < 0 else ''}TW_INF_{kind}", Precedence.UNARY if value < 0 else Precedence.PRIMARY
    # The shortest text that reads back as the same number.
    text = str(np.float32(value)) if single else repr(float(value))
    return f"{text}{'f' if single else ''}", Precedence.UNARY if text[0] == "-" else Precedence.PRIMARY


def _nan(value: float, kind: str) -> str:
    """Return the text of a NaN: a macro for that without sign and payload, else its bits."""
    if kind == "F32":
        bits, width, plain = int(np.float32(value).view(np.uint32)), 32, 0x7FC00000
    else:
        bits, width, plain = int(np.float64(value).view(np.uint64)), 64, 0x7FF8000000000000
    if bits == plain:
        return f"TW_NAN_{kind}"
    signed = bits - (bits >> (width - 1) << width)
    return f"tw_bitcast_i{width}_{kind.lower()}({_integer(signed, IntegerType(width))[0]})"


def _integer(value: int, type_: Attribute) -> Expression:
    integer = as_integer(type_)
    width = integer.width.data if integer is not None else 32
    if width == 1:
        return ("true" if value else "false"), Precedence.PRIMARY
    if integer is not None and is_unsigned(integer):
        value &= (1 << width) - 1
        text = f"UINT64_C({value})" if width == 64 else f"{value}{'u' if width == 32 else ''}"
        return text, Precedence.PRIMARY
    if width >= 32 and value == -(1 << width - 1):
        return f"INT{width}_MIN", Precedence.PRIMARY
    if width == 64:
        return f"INT64_C({value})", Precedence.PRIMARY
    return str(value), Precedence.UNARY if value < 0 else Precedence.PRIMARY

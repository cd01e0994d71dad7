"""The ops of `emitc` that are operators of C: each prints one."""

from __future__ import annotations

from typing import ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, i64
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

BOOL = IntegerType(1)
CMP_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "three_way")


class Expression(IRDLOperation):
    """A C expression without side effects, of one value."""

    result = result_def()
    traits = traits_def(Pure())


class BinaryOperation(Expression):
    """`%r = emitc.mul %a, %b : (i32, i32) -> i32`: one binary C operator."""

    lhs = operand_def()
    rhs = operand_def()
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


class UnaryOperation(Expression):
    """`%r = emitc.unary_minus %a : (i32) -> i32`: one unary C operator."""

    operand = operand_def()
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


class LogicalOperation(IRDLOperation):
    """`%r = emitc.logical_and %a, %b : i1, i1`: a binary C operator on truth values."""

    lhs = operand_def()
    rhs = operand_def()
    result = result_def(BOOL)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)"


_Operator = TypeVar("_Operator", bound=IRDLOperation)


def _operator(base: type[_Operator], name: str, doc: str) -> type[_Operator]:
    """Return the op class of a C operator: `name` without the dialect, the expression in C as its docstring."""
    title = "".join(word.capitalize() for word in name.split("_")) + "Op"
    members = {"name": f"emitc.{name}", "__doc__": doc, "__module__": __name__}
    return irdl_op_definition(cast("type[_Operator]", type(title, (base,), members)))


SubOp = _operator(BinaryOperation, "sub", "`a - b`, in `%r = emitc.sub %a, %b : (i32, i32) -> i32`.")
MulOp = _operator(BinaryOperation, "mul", "`a * b`, in `%r = emitc.mul %a, %b : (i32, i32) -> i32`.")
DivOp = _operator(
    BinaryOperation, "div", "`a / b`, in `%r = emitc.div %a, %b : (f32, f32) -> f32`; integers truncate towards zero."
)
RemOp = _operator(
    BinaryOperation, "rem", "`a % b`, in `%r = emitc.rem %a, %b : (i32, i32) -> i32`; the sign is that of `a`."
)
BitwiseAndOp = _operator(
    BinaryOperation, "bitwise_and", "`a & b`, in `%r = emitc.bitwise_and %a, %b : (i32, i32) -> i32`."
)
BitwiseOrOp = _operator(
    BinaryOperation, "bitwise_or", "`a | b`, in `%r = emitc.bitwise_or %a, %b : (i32, i32) -> i32`."
)
BitwiseXorOp = _operator(
    BinaryOperation, "bitwise_xor", "`a ^ b`, in `%r = emitc.bitwise_xor %a, %b : (i32, i32) -> i32`."
)
BitwiseLeftShiftOp = _operator(
    BinaryOperation, "bitwise_left_shift", "`a << b`, in `%r = emitc.bitwise_left_shift %a, %b : (ui32, i32) -> ui32`."
)
BitwiseRightShiftOp = _operator(
    BinaryOperation,
    "bitwise_right_shift",
    "`a >> b`, in `%r = emitc.bitwise_right_shift %a, %b : (i32, i32) -> i32`; signed types keep their sign.",
)
BitwiseNotOp = _operator(UnaryOperation, "bitwise_not", "`~a`, in `%r = emitc.bitwise_not %a : (i32) -> i32`.")
UnaryMinusOp = _operator(UnaryOperation, "unary_minus", "`-a`, in `%r = emitc.unary_minus %a : (f32) -> f32`.")
UnaryPlusOp = _operator(UnaryOperation, "unary_plus", "`+a`, in `%r = emitc.unary_plus %a : (i8) -> i32`.")
LogicalAndOp = _operator(LogicalOperation, "logical_and", "`a && b`, in `%r = emitc.logical_and %a, %b : i1, i1`.")
LogicalOrOp = _operator(LogicalOperation, "logical_or", "`a || b`, in `%r = emitc.logical_or %a, %b : i1, i1`.")


@irdl_op_definition
class LogicalNotOp(IRDLOperation):
    """`!a`, in `%r = emitc.logical_not %a : i1`."""

    name = "emitc.logical_not"

    operand = operand_def()
    result = result_def(BOOL)

    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class CmpOp(Expression):
    """`a < b`, in `%r = emitc.cmp lt, %a, %b : (i32, i32) -> i1`; the predicates are eq, ne, lt, le, gt, ge."""

    name = "emitc.cmp"

    predicate = prop_def(IntegerAttr)
    lhs = operand_def()
    rhs = operand_def()

    def verify_(self) -> None:
        if not 0 <= self.predicate.value.data < len(CMP_PREDICATES):
            raise VerifyException(f"the predicate is one of {', '.join(CMP_PREDICATES)}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        predicate = CMP_PREDICATES.index(parser.parse_optional_keyword_in(CMP_PREDICATES) or _no_predicate(parser))
        parser.parse_punctuation(",")
        unresolved = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        unresolved.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(unresolved, function_type.inputs.data, parser.pos),
            result_types=function_type.outputs.data,
            properties={"predicate": IntegerAttr(predicate, i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {CMP_PREDICATES[self.predicate.value.data]}, ")
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)


def _no_predicate(parser: Parser) -> str:
    parser.raise_error(f"expected one of {', '.join(CMP_PREDICATES)}")


@irdl_op_definition
class ConditionalOp(IRDLOperation):
    """`c ? a : b`, in `%r = emitc.conditional %c, %a, %b : i32`."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    name = "emitc.conditional"

    condition = operand_def(BOOL)
    true_value = operand_def(T)
    false_value = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$condition `,` $true_value `,` $false_value attr-dict `:` type($result)"


@irdl_op_definition
class CastOp(Expression):
    """`(int64_t)a`, in `%r = emitc.cast %a : i32 to i64`."""

    name = "emitc.cast"

    source = operand_def()
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """`42`, in `%r = "emitc.constant"() <{value = 42 : i32}> : () -> i32`."""

    name = "emitc.constant"

    value = prop_def()
    result = result_def()

    traits = traits_def(Pure(), ConstantLike())


@irdl_op_definition
class LiteralOp(Expression):
    """`M_PI`, in `%r = emitc.literal "M_PI" : f32`."""

    name = "emitc.literal"

    value = prop_def(StringAttr)
    assembly_format = "$value attr-dict `:` type($result)"

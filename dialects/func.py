"""
Upstream's `func`: xDSL's with function constants and indirect calls.

    %f = func.constant @double : (i32) -> i32
    %r = func.call_indirect %f(%x) : (i32) -> i32

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/Func/.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, FunctionType, SymbolRefAttr
from xdsl.dialects.func import Func, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from .core.extended import extended


class _NamesFunction(SymbolUserOpInterface):
    """Verifier: the symbol of the op is a function of the type of its result."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, ConstantOp)
        function = SymbolTable.lookup_symbol(op, op.value)
        if not isinstance(function, FuncOp):
            raise VerifyException(f"{op.value} does not name a function")
        if function.function_type != op.res.type:
            raise VerifyException(
                f"{op.value} has another type: expected {op.res.type}, found {function.function_type}"
            )


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """
    A function as a value.

        %f = func.constant @double : (i32) -> i32
    """

    name = "func.constant"
    value = prop_def(FlatSymbolRefAttrConstr)
    res = result_def(FunctionType)
    traits = traits_def(_NamesFunction(), ConstantLike(), Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        name = SymbolRefAttr(parser.parse_symbol_name())
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], properties={"value": name}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class CallIndirectOp(IRDLOperation):
    """
    A call of a function that is a value; its effects are unknown.

        %r = func.call_indirect %f(%x) : (i32) -> i32
    """

    name = "func.call_indirect"
    callee = operand_def(base(FunctionType))
    callee_operands = var_operand_def()
    res = var_result_def()

    def verify_(self) -> None:
        type = cast(FunctionType, self.callee.type)
        _check("operands", type.inputs.data, self.callee_operands.types)
        _check("results", type.outputs.data, self.res.types)

    @classmethod
    def parse(cls, parser: Parser) -> CallIndirectOp:
        callee = parser.parse_unresolved_operand()
        start = parser.pos
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        operands = parser.resolve_operands([callee, *arguments], [type, *type.inputs], start)
        return cls.create(operands=operands, result_types=type.outputs.data, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.callee)
        with printer.in_parens():
            printer.print_list(self.callee_operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.callee.type)


def _check(kind: str, expected: Any, actual: tuple[Attribute, ...]) -> None:
    if tuple(expected) != tuple(actual):
        names = [", ".join(map(str, types)) or "none" for types in (expected, actual)]
        raise VerifyException(f"the {kind} are not those of the callee's type: expected {names[0]}, found {names[1]}")


FUNC = extended(Func, [ConstantOp, CallIndirectOp])

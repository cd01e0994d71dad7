"""C's control flow, as ops of `emitc`."""

from __future__ import annotations

from typing import Any, Self

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from .expressions import BOOL


def _body(parser: Parser, arguments: list[Parser.Argument] | None = None) -> Region:
    """Parse a region of one block, to which an `emitc.yield` is added where it ends with none."""
    region = parser.parse_region(arguments or [])
    if not region.blocks:
        region.add_block(Block())
    block = region.block
    if not isinstance(block.last_op, YieldOp):
        block.add_op(YieldOp.create())
    return region


@irdl_op_definition
class ForOp(IRDLOperation):
    """
    `for (int32_t i = 0; i < n; ++i) { .. }`.

    ```mlir
    emitc.for %i = %zero to %n step %one : i32 {
      ..
    }
    ```
    """

    name = "emitc.for"

    lower_bound = operand_def()
    upper_bound = operand_def()
    step = operand_def()
    region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        types = {self.lower_bound.type, self.upper_bound.type, self.step.type, *self.region.block.arg_types}
        if len(types) != 1 or len(self.region.block.args) != 1:
            raise VerifyException("the bounds, the step and the one block argument have one type")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variable = parser.parse_argument(expect_type=False)
        bounds: list[Any] = []
        for lead in ("=", "to", "step"):
            parser.parse_characters(lead)
            bounds.append(parser.parse_unresolved_operand())
        type_ = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
        operands = [parser.resolve_operand(bound, type_) for bound in bounds]
        region = _body(parser, [variable.resolve(type_)])
        return cls.create(operands=operands, regions=[region], attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        (variable,) = self.region.block.args
        for lead, value in zip((" ", " = ", " to ", " step "), (variable, *self.operands), strict=True):
            printer.print_string(lead)
            printer.print_ssa_value(value)
        if not isinstance(variable.type, IndexType):
            printer.print_string(" : ")
            printer.print_attribute(variable.type)
        printer.print_string(" ")
        printer.print_region(self.region, print_entry_block_args=False, print_block_terminators=False)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class IfOp(IRDLOperation):
    """`if (c) { .. } else { .. }`, in `emitc.if %c { .. } else { .. }`; it has no results."""

    name = "emitc.if"

    condition = operand_def(BOOL)
    then_region = region_def("single_block")
    else_region = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), BOOL)
        then_region = _body(parser)
        else_region = _body(parser) if parser.parse_optional_keyword("else") else Region()
        return cls.create(
            operands=[condition],
            regions=[then_region, else_region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(" ")
        printer.print_region(self.then_region, print_entry_block_args=False, print_block_terminators=False)
        if self.else_region.blocks:
            printer.print_string(" else ")
            printer.print_region(self.else_region, print_entry_block_args=False, print_block_terminators=False)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class DoOp(IRDLOperation):
    """
    `do { .. } while (c);`, whose condition is an expression in a region of its own.

    ```mlir
    emitc.do {
      ..
    } while {
      %c = emitc.load %flag : !emitc.lvalue<i1>
      emitc.yield %c : i1
    }
    ```
    """

    name = "emitc.do"

    body = region_def("single_block")
    condition = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        last = self.condition.block.last_op
        if not isinstance(last, YieldOp) or [value.type for value in last.operands] != [BOOL]:
            raise VerifyException("the condition yields one i1")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        body = _body(parser)
        parser.parse_keyword("while")
        return cls.create(regions=[body, _body(parser)], attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)
        printer.print_string(" while ")
        printer.print_region(self.condition, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The end of a region of control flow, written `emitc.yield`, or left out where it gives nothing."""

    name = "emitc.yield"

    result = opt_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ForOp, IfOp, DoOp), Pure()))
    assembly_format = "attr-dict ($result^ `:` type($result))?"

"""
C as IR, with upstream MLIR's names and syntax; see https://mlir.llvm.org/docs/Dialects/EmitC/.

xDSL 0.74 has the types and three ops, which are used as they are. The rest of what Tilewright emits is defined here.

An op prints one C operator, so its result type is the C type of that expression: `emitc.add` of two `i8` gives `i32`,
as C promotes, and an `emitc.cast` narrows it. Signless integers are C's signed types (`i32` is `int32_t`), `ui32` is
`uint32_t`, `i1` is `bool`. `int` is taken to have 32 bits, which the runtime header asserts.

These discardable attributes say what the C shows and upstream has no place for:

- on arguments of `emitc.func`: `tilewright.const` (points to what is only read), `tilewright.name` (C identifier),
  `onnx.name`, `tilewright.output`, `tilewright.shape = array<i64: ..>`;
- on `emitc.func`: `tilewright.comment`; on `emitc.global`: `tilewright.alignment` (bytes), `tilewright.shape`.
"""

from __future__ import annotations

from typing import Any, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IndexType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
)
from xdsl.dialects.emitc import (
    EmitC,
    EmitC_AddOp,
    EmitC_ApplyOp,
    EmitC_CallOpaqueOp,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Dialect, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from .core.emitc_expressions import (
    BOOL as BOOL,
)
from .core.emitc_expressions import (
    CMP_PREDICATES as CMP_PREDICATES,
)
from .core.emitc_expressions import (
    BitwiseAndOp as BitwiseAndOp,
)
from .core.emitc_expressions import (
    BitwiseLeftShiftOp as BitwiseLeftShiftOp,
)
from .core.emitc_expressions import (
    BitwiseNotOp as BitwiseNotOp,
)
from .core.emitc_expressions import (
    BitwiseOrOp as BitwiseOrOp,
)
from .core.emitc_expressions import (
    BitwiseRightShiftOp as BitwiseRightShiftOp,
)
from .core.emitc_expressions import (
    BitwiseXorOp as BitwiseXorOp,
)
from .core.emitc_expressions import (
    CastOp as CastOp,
)
from .core.emitc_expressions import (
    CmpOp as CmpOp,
)
from .core.emitc_expressions import (
    ConditionalOp as ConditionalOp,
)
from .core.emitc_expressions import (
    ConstantOp as ConstantOp,
)
from .core.emitc_expressions import (
    DivOp as DivOp,
)
from .core.emitc_expressions import (
    LiteralOp as LiteralOp,
)
from .core.emitc_expressions import (
    LogicalAndOp as LogicalAndOp,
)
from .core.emitc_expressions import (
    LogicalNotOp as LogicalNotOp,
)
from .core.emitc_expressions import (
    LogicalOrOp as LogicalOrOp,
)
from .core.emitc_expressions import (
    MulOp as MulOp,
)
from .core.emitc_expressions import (
    RemOp as RemOp,
)
from .core.emitc_expressions import (
    SubOp as SubOp,
)
from .core.emitc_expressions import (
    UnaryMinusOp as UnaryMinusOp,
)
from .core.emitc_expressions import (
    UnaryPlusOp as UnaryPlusOp,
)
from .core.emitc_memory import (
    AssignOp as AssignOp,
)
from .core.emitc_memory import (
    GetGlobalOp as GetGlobalOp,
)
from .core.emitc_memory import (
    GlobalOp as GlobalOp,
)
from .core.emitc_memory import (
    LoadOp as LoadOp,
)
from .core.emitc_memory import (
    SubscriptOp as SubscriptOp,
)
from .core.emitc_memory import (
    VariableOp as VariableOp,
)

# Those of xDSL.
AddOp = EmitC_AddOp
ApplyOp = EmitC_ApplyOp
CallOpaqueOp = EmitC_CallOpaqueOp


# Control flow


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


# Functions and files


@irdl_op_definition
class FuncOp(IRDLOperation):
    """
    A C function.

    ```mlir
    emitc.func @relu(%x: !emitc.ptr<i8> {tilewright.const}, %y: !emitc.ptr<i8>) attributes {specifiers = ["static"]} {
      ..
      emitc.return
    }
    ```
    """

    name = "emitc.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    specifiers = opt_prop_def(ArrayAttr[StringAttr])
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def verify_(self) -> None:
        block = self.body.blocks.first
        if block is not None and tuple(block.arg_types) != self.function_type.inputs.data:
            raise VerifyException("the block arguments have the types of the function's inputs")
        if len(self.function_type.outputs) > 1:
            raise VerifyException("a C function has at most one result")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name, inputs, outputs, region, extra, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        attributes = dict(extra.data) if extra is not None else {}
        properties: dict[str, Attribute | None] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(inputs, outputs),
            "specifiers": attributes.pop("specifiers", None),
            "arg_attrs": arg_attrs,
            "res_attrs": res_attrs,
        }
        given = {key: value for key, value in properties.items() if value is not None}
        return cls.create(properties=given, attributes=attributes, regions=[region])

    def print(self, printer: Printer) -> None:
        specifiers = {} if self.specifiers is None else {"specifiers": self.specifiers}
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {**specifiers, **self.attributes},
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=("sym_name", "function_type", "arg_attrs", "res_attrs"),
        )


class _CalleeInterface(SymbolUserOpInterface):
    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, FuncOp):
            raise VerifyException(f"{op.callee} is no emitc.func")
        expected = (callee.function_type.inputs.data, callee.function_type.outputs.data)
        if expected != (tuple(op.operand_types), tuple(op.result_types)):
            raise VerifyException(f"{op.callee} has the type {callee.function_type}")


@irdl_op_definition
class CallOp(IRDLOperation):
    """`relu(x, y);`, in `emitc.call @relu(%x, %y) : (!emitc.ptr<i8>, !emitc.ptr<i8>) -> ()`."""

    name = "emitc.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def()
    res = var_result_def()

    traits = traits_def(_CalleeInterface())
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, results)"


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """`return v;`, in `emitc.return %v : i32`."""

    name = "emitc.return"

    operand = opt_operand_def()

    traits = traits_def(IsTerminator(), HasParent(FuncOp), Pure())
    assembly_format = "attr-dict ($operand^ `:` type($operand))?"


@irdl_op_definition
class IncludeOp(IRDLOperation):
    """`#include <stdint.h>`, in `emitc.include <"stdint.h">`; without the angle brackets, C's quoted form."""

    name = "emitc.include"

    include = prop_def(StringAttr)
    is_standard_include = opt_prop_def(UnitAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        standard = parser.parse_optional_punctuation("<") is not None
        properties: dict[str, Attribute] = {"include": StringAttr(parser.parse_str_literal())}
        if standard:
            parser.parse_punctuation(">")
            properties["is_standard_include"] = UnitAttr()
        return cls.create(properties=properties, attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        left, right = ("<", ">") if self.is_standard_include is not None else ("", "")
        printer.print_string(f" {left}")
        printer.print_string_literal(self.include.data)
        printer.print_string(right)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class VerbatimOp(IRDLOperation):
    """Text that is printed as it is: `emitc.verbatim "#pragma once"`; each `{}` of it is the next operand."""

    name = "emitc.verbatim"

    value = prop_def(StringAttr)
    fmt_args = var_operand_def()

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$value (`args` $fmt_args^ `:` type($fmt_args))? attr-dict"


EMITC = Dialect(
    "emitc",
    [
        AddOp,
        ApplyOp,
        AssignOp,
        BitwiseAndOp,
        BitwiseLeftShiftOp,
        BitwiseNotOp,
        BitwiseOrOp,
        BitwiseRightShiftOp,
        BitwiseXorOp,
        CallOp,
        CallOpaqueOp,
        CastOp,
        CmpOp,
        ConditionalOp,
        ConstantOp,
        DivOp,
        DoOp,
        ForOp,
        FuncOp,
        GetGlobalOp,
        GlobalOp,
        IfOp,
        IncludeOp,
        LiteralOp,
        LoadOp,
        LogicalAndOp,
        LogicalNotOp,
        LogicalOrOp,
        MulOp,
        RemOp,
        ReturnOp,
        SubOp,
        SubscriptOp,
        UnaryMinusOp,
        UnaryPlusOp,
        VariableOp,
        VerbatimOp,
        YieldOp,
    ],
    list(EmitC.attributes),
)

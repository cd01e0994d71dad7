"""Ops of `emitc` for C functions, calls, includes and verbatim text."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
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

from ..core.effect_traits import Calls


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
        present = {key: value for key, value in properties.items() if value is not None}
        return cls.create(properties=present, attributes=attributes, regions=[region])

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

    traits = traits_def(_CalleeInterface(), Calls())
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

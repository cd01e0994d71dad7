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

from typing import Any, ClassVar, Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.emitc import (
    EmitC,
    EmitC_ArrayType,
    EmitC_LValueType,
    EmitC_OpaqueType,
    EmitC_PointerType,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Dialect, Operation, Region
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

AddOp, ApplyOp, CallOpaqueOp = list(EmitC.operations)
"""xDSL's own `emitc.add`, `emitc.apply` and `emitc.call_opaque`."""

BOOL = IntegerType(1)
CMP_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "three_way")


# Expressions


class BinaryOperation(IRDLOperation):
    """`%r = emitc.mul %a, %b : (i32, i32) -> i32`: one binary C operator."""

    lhs = operand_def()
    rhs = operand_def()
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


class UnaryOperation(IRDLOperation):
    """`%r = emitc.unary_minus %a : (i32) -> i32`: one unary C operator."""

    operand = operand_def()
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


class LogicalOperation(IRDLOperation):
    """`%r = emitc.logical_and %a, %b : i1, i1`: a binary C operator that gives a truth value."""

    lhs = operand_def()
    rhs = operand_def()
    result = result_def(BOOL)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)"


@irdl_op_definition
class SubOp(BinaryOperation):
    """`a - b`, in `%r = emitc.sub %a, %b : (i32, i32) -> i32`."""

    name = "emitc.sub"


@irdl_op_definition
class MulOp(BinaryOperation):
    """`a * b`, in `%r = emitc.mul %a, %b : (i32, i32) -> i32`."""

    name = "emitc.mul"


@irdl_op_definition
class DivOp(BinaryOperation):
    """`a / b`, in `%r = emitc.div %a, %b : (f32, f32) -> f32`; integers are cut off towards zero."""

    name = "emitc.div"


@irdl_op_definition
class RemOp(BinaryOperation):
    """`a % b`, in `%r = emitc.rem %a, %b : (i32, i32) -> i32`; the sign is that of `a`."""

    name = "emitc.rem"


@irdl_op_definition
class BitwiseAndOp(BinaryOperation):
    """`a & b`, in `%r = emitc.bitwise_and %a, %b : (i32, i32) -> i32`."""

    name = "emitc.bitwise_and"


@irdl_op_definition
class BitwiseOrOp(BinaryOperation):
    """`a | b`, in `%r = emitc.bitwise_or %a, %b : (i32, i32) -> i32`."""

    name = "emitc.bitwise_or"


@irdl_op_definition
class BitwiseXorOp(BinaryOperation):
    """`a ^ b`, in `%r = emitc.bitwise_xor %a, %b : (i32, i32) -> i32`."""

    name = "emitc.bitwise_xor"


@irdl_op_definition
class BitwiseLeftShiftOp(BinaryOperation):
    """`a << b`, in `%r = emitc.bitwise_left_shift %a, %b : (ui32, i32) -> ui32`."""

    name = "emitc.bitwise_left_shift"


@irdl_op_definition
class BitwiseRightShiftOp(BinaryOperation):
    """`a >> b`, in `%r = emitc.bitwise_right_shift %a, %b : (i32, i32) -> i32`; signed types keep their sign."""

    name = "emitc.bitwise_right_shift"


@irdl_op_definition
class BitwiseNotOp(UnaryOperation):
    """`~a`, in `%r = emitc.bitwise_not %a : (i32) -> i32`."""

    name = "emitc.bitwise_not"


@irdl_op_definition
class UnaryMinusOp(UnaryOperation):
    """`-a`, in `%r = emitc.unary_minus %a : (f32) -> f32`."""

    name = "emitc.unary_minus"


@irdl_op_definition
class UnaryPlusOp(UnaryOperation):
    """`+a`, in `%r = emitc.unary_plus %a : (i8) -> i32`."""

    name = "emitc.unary_plus"


@irdl_op_definition
class LogicalAndOp(LogicalOperation):
    """`a && b`, in `%r = emitc.logical_and %a, %b : i1, i1`."""

    name = "emitc.logical_and"


@irdl_op_definition
class LogicalOrOp(LogicalOperation):
    """`a || b`, in `%r = emitc.logical_or %a, %b : i1, i1`."""

    name = "emitc.logical_or"


@irdl_op_definition
class LogicalNotOp(IRDLOperation):
    """`!a`, in `%r = emitc.logical_not %a : i1`."""

    name = "emitc.logical_not"

    operand = operand_def()
    result = result_def(BOOL)

    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class CmpOp(IRDLOperation):
    """`a < b`, in `%r = emitc.cmp lt, %a, %b : (i32, i32) -> i1`; the predicates are eq, ne, lt, le, gt, ge."""

    name = "emitc.cmp"

    predicate = prop_def(IntegerAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()

    traits = traits_def(Pure())

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
class CastOp(IRDLOperation):
    """`(int64_t)a`, in `%r = emitc.cast %a : i32 to i64`."""

    name = "emitc.cast"

    source = operand_def()
    dest = result_def()

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """`42`, in `%r = "emitc.constant"() <{value = 42 : i32}> : () -> i32`."""

    name = "emitc.constant"

    value = prop_def()
    result = result_def()

    traits = traits_def(Pure(), ConstantLike())


@irdl_op_definition
class LiteralOp(IRDLOperation):
    """`M_PI`, in `%r = emitc.literal "M_PI" : f32`."""

    name = "emitc.literal"

    value = prop_def(StringAttr)
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($result)"


# Memory


@irdl_op_definition
class VariableOp(IRDLOperation):
    """
    `int32_t acc = 0;`, in `%acc = "emitc.variable"() <{value = 0 : i32}> : () -> !emitc.lvalue<i32>`.

    The value `#emitc.opaque<"">` stands for no initial value.
    """

    name = "emitc.variable"

    value = prop_def()
    result = result_def()

    def verify_(self) -> None:
        if not isinstance(self.result.type, EmitC_LValueType | EmitC_ArrayType):
            raise VerifyException("the result is an lvalue or an array")


@irdl_op_definition
class LoadOp(IRDLOperation):
    """The value of a variable or element, in `%r = emitc.load %x : !emitc.lvalue<i32>`."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    name = "emitc.load"

    operand = operand_def(ParamAttrConstraint(EmitC_LValueType, (T,)))
    result = result_def(T)

    assembly_format = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class AssignOp(IRDLOperation):
    """`x = v;`, in `emitc.assign %v : i32 to %x : !emitc.lvalue<i32>`."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    name = "emitc.assign"

    var = operand_def(ParamAttrConstraint(EmitC_LValueType, (T,)))
    value = operand_def(T)

    assembly_format = "$value `:` type($value) `to` $var `:` type($var) attr-dict"


@irdl_op_definition
class SubscriptOp(IRDLOperation):
    """`x[i]`, in `%r = emitc.subscript %x[%i] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>`."""

    name = "emitc.subscript"

    value = operand_def()
    indices = var_operand_def()
    result = result_def(EmitC_LValueType)

    traits = traits_def(Pure())
    assembly_format = "$value `[` $indices `]` attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        if not isinstance(self.value.type, EmitC_ArrayType | EmitC_PointerType | EmitC_OpaqueType):
            raise VerifyException("only arrays, pointers and opaque values have elements")


def _parse_typed_initial_value(parser: Parser) -> tuple[Attribute, Attribute | None]:
    type_ = parser.parse_type()
    if not parser.parse_optional_punctuation("="):
        return type_, None
    if not isinstance(type_, EmitC_ArrayType):
        return type_, parser.parse_attribute()
    # Upstream writes no type after the value: it is the array's.
    array = cast("EmitC_ArrayType[Any]", type_)
    parser.parse_keyword("dense")
    tensor = TensorType(cast(Any, array.get_element_type()), array.get_shape())
    return type_, parser.parse_dense_int_or_fp_elements_attr(tensor)


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """
    A global variable: `emitc.global static const @w : !emitc.array<4xi8> = dense<[1, 2, 3, 4]>`.

    `tilewright.alignment` (bytes, a power of two) and `tilewright.shape` (of the tensor that the array holds) stand in
    the attribute dictionary after it.
    """

    name = "emitc.global"

    sym_name = prop_def(SymbolNameConstraint())
    type = prop_def()
    initial_value = opt_prop_def()
    extern_specifier = opt_prop_def(UnitAttr)
    static_specifier = opt_prop_def(UnitAttr)
    const_specifier = opt_prop_def(UnitAttr)

    traits = traits_def(SymbolOpInterface())

    def verify_(self) -> None:
        if self.extern_specifier is not None and self.static_specifier is not None:
            raise VerifyException("a global is static or extern, not both")
        value, array = self.initial_value, self.type
        if not (isinstance(value, DenseIntOrFPElementsAttr) and isinstance(array, EmitC_ArrayType)):
            return
        if value.get_shape() != cast("EmitC_ArrayType[Any]", array).get_shape():
            raise VerifyException(f"the initial value has the shape {value.get_shape()}, the array {array}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {
            f"{word}_specifier": UnitAttr()
            for word in ("extern", "static", "const")
            if parser.parse_optional_keyword(word)
        }
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        properties["type"], value = _parse_typed_initial_value(parser)
        if value is not None:
            properties["initial_value"] = value
        return cls.create(properties=properties, attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        for word in ("extern", "static", "const"):
            if f"{word}_specifier" in self.properties:
                printer.print_string(f" {word}")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if self.initial_value is not None:
            printer.print_string(" = ")
            _print_initial_value(printer, self.initial_value)
        printer.print_op_attributes(self.attributes)


def _print_initial_value(printer: Printer, value: Attribute) -> None:
    if not isinstance(value, DenseIntOrFPElementsAttr):
        printer.print_attribute(value)
        return
    constant = cast("DenseIntOrFPElementsAttr[Any]", value)
    data, width = constant.data.data, constant.get_element_type().compile_time_size
    elide = cast("int | None", getattr(printer, "_elide", None))
    if len(data) <= 100 * width:
        constant.print_without_type(printer)
    elif elide is not None and len(data) > elide * width:
        printer.print_string("dense_resource<__elided__>")
    else:
        printer.print_string(f'dense<"0x{data.hex().upper()}">')


@irdl_op_definition
class GetGlobalOp(IRDLOperation):
    """Access to a global: `%w = emitc.get_global @w : !emitc.array<4xi8>`."""

    name = "emitc.get_global"

    name_ = prop_def(FlatSymbolRefAttrConstr, prop_name="name")
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$name `:` type($result) attr-dict"


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
class YieldOp(IRDLOperation):
    """The end of a region of `emitc.for` and `emitc.if`, written `emitc.yield` or left out."""

    name = "emitc.yield"

    result = opt_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ForOp, IfOp), Pure()))
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

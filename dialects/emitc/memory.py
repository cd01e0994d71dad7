"""Ops of `emitc` on C storage: variables, elements of arrays, globals."""

from __future__ import annotations

from typing import Any, Self, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FlatSymbolRefAttrConstr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueType, EmitC_PointerType
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ...ir import DenseAttr
from ..core.effect_traits import OperandEffects, ResultAllocation, ViewLike
from ..core.syntax.constants import print_dense

_T = VarConstraint("T", AnyAttr())
_VARIABLE = ParamAttrConstraint(EmitC_LValueType, (_T,))


@irdl_op_definition
class VariableOp(IRDLOperation):
    """
    `int32_t acc = 0;`, in `%acc = "emitc.variable"() <{value = 0 : i32}> : () -> !emitc.lvalue<i32>`.

    The value `#emitc.opaque<"">` stands for no initial value.
    """

    name = "emitc.variable"

    value = prop_def()
    result = result_def()
    traits = traits_def(ResultAllocation())

    def verify_(self) -> None:
        if not isinstance(self.result.type, EmitC_LValueType | EmitC_ArrayType):
            raise VerifyException("the result is an lvalue or an array")


@irdl_op_definition
class LoadOp(IRDLOperation):
    """The value of a variable or element, in `%r = emitc.load %x : !emitc.lvalue<i32>`."""

    name = "emitc.load"

    operand = operand_def(_VARIABLE)
    result = result_def(_T)

    traits = traits_def(OperandEffects(reads=("operand",)))
    assembly_format = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class AssignOp(IRDLOperation):
    """`x = v;`, in `emitc.assign %v : i32 to %x : !emitc.lvalue<i32>`."""

    name = "emitc.assign"

    var = operand_def(_VARIABLE)
    value = operand_def(_T)

    traits = traits_def(OperandEffects(writes=("var",)))
    assembly_format = "$value `:` type($value) `to` $var `:` type($var) attr-dict"


@irdl_op_definition
class SubscriptOp(IRDLOperation):
    """`x[i]`, in `%r = emitc.subscript %x[%i] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>`."""

    name = "emitc.subscript"

    value = operand_def()
    indices = var_operand_def()
    result = result_def(EmitC_LValueType)

    traits = traits_def(Pure(), ViewLike())
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
    tensor = TensorType(array.get_element_type(), array.get_shape())
    value: Any = parser.parse_dense_int_or_fp_elements_attr(tensor)
    return array, value


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
    if isinstance(value, DenseIntOrFPElementsAttr):
        print_dense(printer, cast(DenseAttr, value))
    else:
        printer.print_attribute(value)


@irdl_op_definition
class GetGlobalOp(IRDLOperation):
    """Access to a global: `%w = emitc.get_global @w : !emitc.array<4xi8>`."""

    name = "emitc.get_global"

    name_ = prop_def(FlatSymbolRefAttrConstr, prop_name="name")
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$name `:` type($result) attr-dict"

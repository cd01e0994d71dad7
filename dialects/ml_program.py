"""
Globals of a program: state that outlives a call, and constants. xDSL's `ml_program` with upstream's ops and syntax.

    ml_program.global private mutable @k0(dense<0> : tensor<1x16x256x4xi8>) : tensor<1x16x256x4xi8>
    %old = ml_program.global_load @k0 : tensor<1x16x256x4xi8>
    ml_program.global_store @k0 = %new : tensor<1x16x256x4xi8>
    %table = ml_program.global_load_const @table : tensor<256xi8>

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/MLProgramOps/.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from xdsl.dialects import ml_program
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    IRDLOperation,
    OpDef,
    PropertyDef,
    ResultDef,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from .core.effect_traits import GlobalEffect
from .core.extended import extended


class GlobalOp(ml_program.GlobalOp):
    """
    A global of a module, by default with its first value.

        ml_program.global private mutable @k0(dense<0> : tensor<1x16x256x4xi8>) : tensor<1x16x256x4xi8>
    """

    # xDSL reads attributes where upstream has none, and prints none.
    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.sym_visibility.data} " + ("mutable " if self.is_mutable else ""))
        printer.print_symbol_name(self.sym_name.data)
        if self.value is not None:
            printer.print_string("(")
            printer.print_attribute(self.value)
            printer.print_string(")")
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        visibility = parser.parse_visibility_keyword()
        mutable = UnitAttr() if parser.parse_optional_keyword("mutable") else None
        name = parser.parse_symbol_name()
        value = parser.parse_attribute() if parser.parse_optional_punctuation("(") else None
        if value is not None:
            parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        op = cls(name, parser.parse_type(), mutable, value, visibility)
        op.attributes |= parser.parse_optional_attr_dict()
        return op


def _module_of(op: Operation) -> ModuleOp | None:
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    return module


def definition_of(op: Operation, symbol: str) -> GlobalOp | None:
    """Return the global of that name in the module around an op, None where there is none."""
    module = _module_of(op)
    found = module.body.block.ops if module is not None and module.body.blocks else ()
    return next((each for each in found if isinstance(each, GlobalOp) and each.sym_name.data == symbol), None)


def _verify_access(op: _Access, type: Attribute) -> None:
    """Raise VerifyException where a global is not there, has another type, or is or is not mutable as it must be."""
    if op.parent is None:
        return
    definition = definition_of(op, op.symbol)
    if definition is None:
        raise VerifyException(f"there is no ml_program.global @{op.symbol}")
    if definition.type != type:
        raise VerifyException(f"@{op.symbol} has the type {definition.type}, not {type}")
    if isinstance(op, GlobalStoreOp) and definition.is_mutable is None:
        raise VerifyException(f"@{op.symbol} is not mutable")
    if isinstance(op, GlobalLoadConstOp) and definition.is_mutable is not None:
        raise VerifyException(f"@{op.symbol} is mutable: ml_program.global_load reads it")


@irdl_op_definition
class GlobalLoadOp(IRDLOperation):
    """
    The value of a global at this point of the program.

        %old = ml_program.global_load @k0 : tensor<1x16x256x4xi8>
    """

    name = "ml_program.global_load"
    global_ = prop_def(SymbolRefAttr, prop_name="global")
    result = result_def(AnyAttr())
    traits = traits_def(GlobalEffect(MemoryEffectKind.READ, "global"))

    def __init__(self, symbol: str, type: Attribute):
        super().__init__(properties={"global": SymbolRefAttr(symbol)}, result_types=[type])

    @property
    def symbol(self) -> str:
        """The global's name."""
        return self.global_.root_reference.data

    def verify_(self) -> None:
        _verify_access(self, self.result.type)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.global_)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> GlobalLoadOp:
        symbol = parser.parse_symbol_name()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(symbol.data, parser.parse_type())
        op.attributes |= attributes
        return op


@irdl_op_definition
class GlobalStoreOp(IRDLOperation):
    """
    Lets a mutable global have another value from here on.

        ml_program.global_store @k0 = %new : tensor<1x16x256x4xi8>
    """

    name = "ml_program.global_store"
    global_ = prop_def(SymbolRefAttr, prop_name="global")
    value = operand_def(AnyAttr())
    traits = traits_def(GlobalEffect(MemoryEffectKind.WRITE, "global"))

    def __init__(self, symbol: str, value: SSAValue):
        super().__init__(properties={"global": SymbolRefAttr(symbol)}, operands=[value])

    @property
    def symbol(self) -> str:
        """The global's name."""
        return self.global_.root_reference.data

    def verify_(self) -> None:
        _verify_access(self, self.value.type)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.global_)
        printer.print_string(" = ")
        printer.print_ssa_value(self.value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> GlobalStoreOp:
        symbol = parser.parse_symbol_name()
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(symbol.data, parser.resolve_operand(value, type))
        op.attributes |= attributes
        return op


_LOAD_CONST = OpDef(
    "ml_program.global_load_const",
    results=[("result", ResultDef(AnyAttr()))],
    properties={"global": PropertyDef(BaseAttr(SymbolRefAttr))},
)


class GlobalLoadConstOp(ml_program.GlobalLoadConstantOp):
    """
    The value of a global that never changes.

        %table = ml_program.global_load_const @table : tensor<256xi8>
    """

    # xDSL calls the property by another name than upstream, so that neither reads the other's generic form.
    def __init__(self, symbol: Attribute, type: Attribute):
        IRDLOperation.__init__(self, properties={"global": symbol}, result_types=[type])

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _LOAD_CONST

    @property
    def global_attr(self) -> SymbolRefAttr:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The reference to the global."""
        return cast(SymbolRefAttr, self.properties["global"])

    @property
    def symbol(self) -> str:
        """The global's name."""
        return self.global_attr.root_reference.data

    def verify_(self) -> None:
        _LOAD_CONST.verify(self)
        _verify_access(self, self.result.type)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.global_attr)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> GlobalLoadConstOp:
        symbol = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(symbol, parser.parse_type())
        op.attributes |= attributes
        return op


_Access: TypeAlias = GlobalLoadOp | GlobalLoadConstOp | GlobalStoreOp


def loads_of(op: Operation, symbol: str) -> list[GlobalLoadOp]:
    """Return the loads of a global in the module around an op."""
    module = _module_of(op)
    loads = (each for each in module.walk() if isinstance(each, GlobalLoadOp)) if module is not None else ()
    return [each for each in loads if each.symbol == symbol]


def new_global(name: str, type: Attribute, value: Attribute) -> GlobalOp:
    """Return a private mutable global with its first value."""
    return GlobalOp(StringAttr(name), type, UnitAttr(), value, cast(Any, StringAttr("private")))


ML_PROGRAM = extended(ml_program.MLProgram, [GlobalOp, GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp])

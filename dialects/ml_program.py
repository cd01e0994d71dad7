"""
Globals of a program: state that outlives a call, and constants. xDSL's `ml_program` with upstream's ops and syntax.

    ml_program.global private mutable @k0(dense<0> : tensor<1x16x256x4xi8>) : tensor<1x16x256x4xi8>
    %old = ml_program.global_load @k0 : tensor<1x16x256x4xi8>
    ml_program.global_store @k0 = %new : tensor<1x16x256x4xi8>
    %table = ml_program.global_load_const @table : tensor<256xi8>

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/MLProgramOps/.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import ml_program
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryEffectKind, Pure
from xdsl.utils.exceptions import VerifyException

from .core.effect_traits import GlobalEffect
from .core.extended import extended
from .core.nesting import module_of


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


def definition_of(op: Operation, symbol: str) -> GlobalOp | None:
    """Return the global of that name in the module around an op, None if there is none."""
    module = module_of(op)
    ops = module.body.block.ops if module is not None and module.body.blocks else ()
    return next((op for op in ops if isinstance(op, GlobalOp) and op.sym_name.data == symbol), None)


class _Access(IRDLOperation):
    """An op that reads or writes a global by its symbol, the property `global`."""

    @property
    def symbol(self) -> str:
        """The name of the global."""
        return cast(SymbolRefAttr, self.properties["global"]).root_reference.data

    def type_of_access(self) -> Attribute:
        """Return the type of the value that is read or written."""
        return (*self.operand_types, *self.result_types)[0]

    def verify_definition(self, definition: GlobalOp) -> None:
        """Raise VerifyException where the global is or is not mutable as it has to be."""

    def verify_(self) -> None:
        if self.parent is None:
            return
        definition = definition_of(self, self.symbol)
        if definition is None:
            raise VerifyException(f"there is no ml_program.global @{self.symbol}")
        if definition.type != self.type_of_access():
            raise VerifyException(f"@{self.symbol} has the type {definition.type}, not {self.type_of_access()}")
        self.verify_definition(definition)


class _Load(_Access):
    """An op whose result is the value of a global."""

    global_ = prop_def(SymbolRefAttr, prop_name="global")
    result = result_def(AnyAttr())
    assembly_format = "$global attr-dict `:` type($result)"

    @property
    def global_attr(self) -> SymbolRefAttr:
        """The symbol, under the name that xDSL has for it."""
        return cast(SymbolRefAttr, self.properties["global"])

    def __init__(self, symbol: str, type: Attribute):
        super().__init__(properties={"global": SymbolRefAttr(symbol)}, result_types=[type])


@irdl_op_definition
class GlobalLoadOp(_Load):
    """
    Read the current value of a global.

        %old = ml_program.global_load @k0 : tensor<1x16x256x4xi8>
    """

    name = "ml_program.global_load"
    traits = traits_def(GlobalEffect(MemoryEffectKind.READ, "global"))


@irdl_op_definition
class GlobalStoreOp(_Access):
    """
    Write a new value to a mutable global.

        ml_program.global_store @k0 = %new : tensor<1x16x256x4xi8>
    """

    name = "ml_program.global_store"
    global_ = prop_def(SymbolRefAttr, prop_name="global")
    value = operand_def(AnyAttr())
    traits = traits_def(GlobalEffect(MemoryEffectKind.WRITE, "global"))
    assembly_format = "$global `=` $value attr-dict `:` type($value)"

    def __init__(self, symbol: str, value: SSAValue):
        super().__init__(properties={"global": SymbolRefAttr(symbol)}, operands=[value])

    def verify_definition(self, definition: GlobalOp) -> None:
        if definition.is_mutable is None:
            raise VerifyException(f"@{self.symbol} is not mutable")


@irdl_op_definition
class GlobalLoadConstOp(_Load):
    """
    Read a global that is not mutable.

        %table = ml_program.global_load_const @table : tensor<256xi8>
    """

    # xDSL's op has another name for the property than upstream's, so that neither reads the other's generic form.
    name = "ml_program.global_load_const"
    traits = traits_def(Pure())

    def verify_definition(self, definition: GlobalOp) -> None:
        if definition.is_mutable is not None:
            raise VerifyException(f"@{self.symbol} is mutable: ml_program.global_load reads it")


def loads_of(op: Operation, symbol: str) -> list[GlobalLoadOp]:
    """Return the loads of a global in the module around an op."""
    module = module_of(op)
    loads = (load for load in module.walk() if isinstance(load, GlobalLoadOp)) if module is not None else ()
    return [load for load in loads if load.symbol == symbol]


def new_global(name: str, type: Attribute, value: Attribute | None) -> GlobalOp:
    """Return a private mutable global with its first value."""
    return GlobalOp(StringAttr(name), type, UnitAttr(), value, cast(Any, StringAttr("private")))


ML_PROGRAM = extended(ml_program.MLProgram, [GlobalOp, GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp])

"""
Upstream's `dlti`: xDSL's, whose specifications are read in the syntax of MLIR 19 too, and written so in generic form.

    #dlti.dl_spec<index = 32 : i32>                     // MLIR 20 and newer
    #dlti.dl_spec<#dlti.dl_entry<index, 32 : i32>>      // MLIR 19

https://mlir.llvm.org/docs/Dialects/DLTIDialect/
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import dlti
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

_SYSTEM = "dlti.target_system_spec"
"""Specification whose entries are `key : value` in MLIR 19; `dlti.map` does not exist there."""


def _parse_entry(parser: AttrParser) -> dlti.DataLayoutEntryAttr:
    """Parse `key = value`, or one of MLIR 19: `#dlti.dl_entry<key, value>` or, of a device, `key : value`."""
    key = parser.parse_attribute()
    if isinstance(key, dlti.DataLayoutEntryAttr):
        return key
    if parser.parse_optional_punctuation(":") is None:
        parser.parse_punctuation("=")
    return dlti.DataLayoutEntryAttr(cast(Any, key), parser.parse_attribute())


def _parse_parameters(cls: type[Attribute], parser: AttrParser) -> tuple[Attribute]:
    entries = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, lambda: _parse_entry(parser))
    return (ArrayAttr(entries),)


def _print_parameters(self: dlti.DLTIEntryMap, printer: Printer) -> None:
    is_older = printer.print_generic_format and self.name != dlti.MapAttr.name
    sign = " : " if is_older and self.name == _SYSTEM else " = "

    def print_entry(entry: dlti.DataLayoutEntryAttr) -> None:
        if is_older and self.name != _SYSTEM:
            printer.print_attribute(entry)
            return
        printer.print_attribute(entry.key)
        printer.print_string(sign)
        printer.print_attribute(entry.value)

    with printer.in_angle_brackets():
        printer.print_list(self.entries, print_entry)


for _specification in (
    dlti.DataLayoutSpecAttr,
    dlti.MapAttr,
    dlti.TargetDeviceSpecAttr,
    dlti.TargetSystemSpecAttr,
):
    setattr(_specification, "parse_parameters", classmethod(_parse_parameters))
    setattr(_specification, "print_parameters", _print_parameters)

DLTI = dlti.DLTI

"""The syntax of hints of prefetches: `, read, locality<3>, data`."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i32
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer


def parse_hint(parser: Parser) -> dict[str, Attribute]:
    """Parse `, read, locality<3>, data`."""
    parser.parse_punctuation(",")
    access = parser.expect(lambda: _one_of(parser, "read", "write"), "expected read or write")
    parser.parse_punctuation(",")
    parser.parse_keyword("locality")
    with parser.in_angle_brackets():
        locality = parser.parse_integer()
    parser.parse_punctuation(",")
    cache = parser.expect(lambda: _one_of(parser, "data", "instr"), "expected data or instr")
    return {
        "isWrite": BoolAttr.from_bool(access == "write"),
        "localityHint": IntegerAttr(locality, i32),
        "isDataCache": BoolAttr.from_bool(cache == "data"),
    }


def _one_of(parser: Parser, *words: str) -> str | None:
    return next((word for word in words if parser.parse_optional_keyword(word) is not None), None)


def print_hint(printer: Printer, op: Any) -> None:
    """Print what `parse_hint` reads."""
    access = "write" if op.isWrite.value.data else "read"
    cache = "data" if op.isDataCache.value.data else "instr"
    printer.print_string(f", {access}, locality<{op.localityHint.value.data}>, {cache}")

"""The syntax of operands with their types behind a word: `ins(%a, %b : memref<4xi8>, memref<4xi8>)`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer


def parse_operands(parser: Parser, keyword: str) -> list[SSAValue]:
    """Parse operands behind a keyword; there may be none, as in `ins()`."""
    parser.parse_keyword(keyword)
    return parse_operand_list(parser)


def parse_operand_list(parser: Parser) -> list[SSAValue]:
    """Parse operands with their types in parentheses."""
    parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")"):
        return []
    start = parser.pos
    names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, start))


def print_operands(printer: Printer, keyword: str, values: Sequence[SSAValue]) -> None:
    """Print operands with their types behind a keyword."""
    printer.print_string(f" {keyword}")
    with printer.in_parens():
        if not values:
            return
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)

"""Syntax of enum attributes of upstream, whose keyword stands in angle brackets."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer


class InAngleBrackets(Data[Any]):
    """
    Mix-in of an enum attribute whose keyword stands in angle brackets, in generic form too.

        #linalg.type_fn<cast_signed>
    """

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return super().parse_parameter(parser)  # pyright: ignore[reportAbstractUsage]

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            super().print_parameter(printer)  # pyright: ignore[reportAbstractUsage]

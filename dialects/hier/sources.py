"""Sources of the elements of a tile that are not fetched one by one from its operand."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntAttr, IntegerAttr, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class SourceAttr(ParametrizedAttribute):
    """
    Source of the elements of a tile that are not fetched one by one from the operand.

        #hier.source<broadcast [0] from neighbour [1] fill 0 : i8>

    Along the axes of `broadcast`, on which the operand has extent 1, the tile repeats that element. Elements outside of
    the operand (padding) read as `fill`, and are not written.

    A tile that does not depend on some spatial dimensions is the same in all instances along these. `from neighbour`
    names them: the instances at 0 along them fetch it from the operand, and each other one takes it from the instance
    before it, along the last of them at which it is not at 0.
    """

    name = "hier.source"

    broadcast: ArrayAttr[IntAttr]
    neighbours: ArrayAttr[IntAttr]
    fill: Attribute

    @staticmethod
    def get(
        *, broadcast: Sequence[int] = (), neighbours: Sequence[int] = (), fill: Attribute | None = None
    ) -> SourceAttr:
        """Build the attribute from Python values, None for no fill."""
        return SourceAttr(_array(broadcast), _array(neighbours), NoneAttr() if fill is None else fill)

    @property
    def broadcast_axes(self) -> tuple[int, ...]:
        """The axes along which the tile repeats one element of the operand."""
        return tuple(axis.data for axis in self.broadcast)

    @property
    def neighbour_dims(self) -> tuple[int, ...]:
        """The spatial dimensions along which instances take the tile from a neighbour."""
        return tuple(dim.data for dim in self.neighbours)

    @property
    def padding(self) -> Attribute | None:
        """The number that elements outside of the operand read as; None where there must be none."""
        return None if isinstance(self.fill, NoneAttr) else self.fill

    def verify(self) -> None:
        for what, numbers in (("broadcast", self.broadcast_axes), ("from neighbour", self.neighbour_dims)):
            if min(numbers, default=0) < 0 or len(set(numbers)) < len(numbers):
                raise VerifyException(f"expected different numbers after '{what}', found {list(numbers)}")
        if not isinstance(self.fill, IntegerAttr | FloatAttr | NoneAttr):
            raise VerifyException(f"expected a number after 'fill', found {self.fill}")

    @classmethod
    def parse_bare(cls, parser: AttrParser) -> SourceAttr:
        """Parse the attribute without its brackets; each part may be absent."""
        broadcast = _parse_numbers(parser) if parser.parse_optional_keyword("broadcast") else ()
        neighbours: Sequence[int] = ()
        if parser.parse_optional_keyword("from"):
            parser.parse_keyword("neighbour")
            neighbours = _parse_numbers(parser)
        fill = parser.parse_attribute() if parser.parse_optional_keyword("fill") else None
        if not broadcast and not neighbours and fill is None:
            return NO_SOURCE
        return cls.get(broadcast=broadcast, neighbours=neighbours, fill=fill)

    def print_bare(self, printer: Printer) -> None:
        """Print the attribute without its brackets."""
        lists = (("broadcast", self.broadcast_axes), ("from neighbour", self.neighbour_dims))
        texts = [f"{keyword} [{', '.join(map(str, numbers))}]" for keyword, numbers in lists if numbers]
        printer.print_string(" ".join(texts if self.padding is None else [*texts, "fill "]))
        if self.padding is not None:
            printer.print_attribute(self.padding)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_bare(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_bare(printer)


def _array(numbers: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(number) for number in numbers])


def _parse_numbers(parser: AttrParser) -> Sequence[int]:
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


NO_SOURCE = SourceAttr.get()
"""Source of a tile whose elements are all fetched from the operand."""

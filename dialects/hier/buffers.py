"""Buffers of grids: those of tiles in a memory level, and scratch of the body."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, IntAttr, MemRefType, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..core.layouts import buffer_bytes


@irdl_attr_definition
class BufferAttr(ParametrizedAttribute):
    """
    Buffer of a tile in a memory level.

        #hier.buffer<"L1" address 2048 stages 2>
        #hier.buffer<"ACC" as i32 layout affine_map<(d0, d1) -> (d1, d0)>>

    `address` is the byte address in the level, absent before planning. Each of the `stages` instances, used in turn,
    holds one tile from there on. Elements are of the operand's type, or of that after `as`. They are in row-major
    order, or in that of `layout`, a map from the element's index in the tile.
    """

    name = "hier.buffer"

    level: StringAttr
    element: Attribute
    """Storage type, none where it is the operand's."""
    layout: AffineMapAttr | NoneAttr
    address: IntAttr | NoneAttr
    stages: IntAttr

    @staticmethod
    def get(
        level: str,
        *,
        element: Attribute | None = None,
        layout: AffineMapAttr | None = None,
        address: int | None = None,
        stages: int = 1,
    ) -> BufferAttr:
        """Build the attribute from Python values, None for an absent parameter."""
        return BufferAttr(
            StringAttr(level),
            NoneAttr() if element is None else element,
            NoneAttr() if layout is None else layout,
            _address(address),
            IntAttr(stages),
        )

    @property
    def byte_address(self) -> int | None:
        """The address in the level, in bytes; None before planning."""
        return self.address.data if isinstance(self.address, IntAttr) else None

    def with_address(self, address: int | None) -> BufferAttr:
        """Return the buffer at another address, in bytes, or not placed yet."""
        return BufferAttr(self.level, self.element, self.layout, _address(address), self.stages)

    def with_stages(self, stages: int) -> BufferAttr:
        """Return the buffer with another number of instances."""
        return BufferAttr(self.level, self.element, self.layout, self.address, IntAttr(stages))

    def type_of(self, extents: tuple[int, ...], element: Attribute) -> MemRefType[Any]:
        """Return the type of the buffer of a tile of these extents, of an operand with this element type."""
        stored = element if isinstance(self.element, NoneAttr) else self.element
        return buffer_type(stored, extents, self.layout, self.level)

    def verify(self) -> None:
        if self.stages.data < 1:
            raise VerifyException(f"a buffer needs at least one stage, found {self.stages.data}")

    @classmethod
    def parse_bare(cls, parser: AttrParser) -> BufferAttr:
        """Parse the attribute without its brackets."""
        level = StringAttr(parser.parse_str_literal())
        element = parser.parse_type() if parser.parse_optional_keyword("as") else NoneAttr()
        layout = _parse_layout(parser) if parser.parse_optional_keyword("layout") else NoneAttr()
        address = _parse_address(parser)
        stages = parser.parse_integer() if parser.parse_optional_keyword("stages") else 1
        return cls(level, element, layout, address, IntAttr(stages))

    def print_bare(self, printer: Printer) -> None:
        """Print the attribute without its brackets."""
        printer.print_string_literal(self.level.data)
        for keyword, parameter in (("as", self.element), ("layout", self.layout)):
            if not isinstance(parameter, NoneAttr):
                printer.print_string(f" {keyword} ")
                printer.print_attribute(parameter)
        _print_address(printer, self.byte_address)
        if self.stages.data != 1:
            printer.print_string(f" stages {self.stages.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_bare(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_bare(printer)


@irdl_attr_definition
class StartsAttr(ParametrizedAttribute):
    """
    Buffer of the output that an input initialises, by its number among the outputs.

        #hier.starts<0>

    The input has no buffer of its own: its tile is brought to the output's buffer at the first point of each output
    tile, so that a reduction starts from it.
    """

    name = "hier.starts"

    output: IntAttr

    @staticmethod
    def get(output: int) -> StartsAttr:
        """Build the attribute from the number."""
        return StartsAttr(IntAttr(output))

    def verify(self) -> None:
        if self.output.data < 0:
            raise VerifyException(f"expected the number of an output, found {self.output.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.output.data))


@irdl_attr_definition
class ScratchAttr(ParametrizedAttribute):
    """
    Scratch buffer of a grid's body, such as for partial sums; it keeps its content from point to point.

        #hier.scratch<memref<8x64xi32, "L1"> address 4096>
    """

    name = "hier.scratch"

    buffer: Attribute
    address: IntAttr | NoneAttr

    @property
    def type(self) -> MemRefType[Any]:
        """The type of the buffer."""
        return cast("MemRefType[Any]", self.buffer)

    @staticmethod
    def get(
        shape: Sequence[int],
        element: Attribute,
        level: str,
        address: int | None = None,
        layout: AffineMapAttr | None = None,
    ) -> ScratchAttr:
        """Return the attribute."""
        return ScratchAttr(
            MemRefType(cast(Any, element), shape, layout or NoneAttr(), StringAttr(level)), _address(address)
        )

    @property
    def byte_address(self) -> int | None:
        """The address in the level, in bytes; None before planning."""
        return self.address.data if isinstance(self.address, IntAttr) else None

    @property
    def level_name(self) -> str:
        """The memory level of the buffer."""
        return cast(StringAttr, self.type.memory_space).data

    @property
    def bytes(self) -> int:
        """The bytes of the buffer."""
        return buffer_bytes(self.type)

    @classmethod
    def parse_bare(cls, parser: AttrParser) -> ScratchAttr:
        """Parse the attribute without its brackets."""
        return cls(parser.parse_type(), _parse_address(parser))

    def print_bare(self, printer: Printer) -> None:
        """Print the attribute without its brackets."""
        printer.print_attribute(self.type)
        _print_address(printer, self.byte_address)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_bare(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_bare(printer)

    def verify(self) -> None:
        if not isinstance(self.buffer, MemRefType) or not isinstance(self.type.memory_space, StringAttr):
            raise VerifyException("expected a memref in a named level")


@cache
def buffer_type(
    element: Attribute, extents: tuple[int, ...], layout: AffineMapAttr | NoneAttr, level: StringAttr | NoneAttr
) -> MemRefType[Any]:
    """Return the type of a buffer in a level; cached, because building it is slow."""
    return MemRefType(cast(Any, element), extents, layout, level)


def _address(address: int | None) -> IntAttr | NoneAttr:
    return NoneAttr() if address is None else IntAttr(address)


def _parse_address(parser: AttrParser) -> IntAttr | NoneAttr:
    return IntAttr(parser.parse_integer()) if parser.parse_optional_keyword("address") else NoneAttr()


def _print_address(printer: Printer, address: int | None) -> None:
    if address is not None:
        printer.print_string(f" address {address}")


def _parse_layout(parser: AttrParser) -> AffineMapAttr:
    start = parser.pos
    layout = parser.parse_attribute()
    if not isinstance(layout, AffineMapAttr):
        parser.raise_error(f"expected an affine map as layout, found {layout}", start, parser.pos)
    return layout

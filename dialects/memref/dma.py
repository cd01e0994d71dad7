"""`memref.dma_start` and `memref.dma_wait` with upstream's operands: the ranks of the memrefs tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_operand_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ...ir import shape_of

_Place = tuple[SSAValue, Sequence[SSAValue]]


class DmaOp(IRDLOperation):
    """An op of asynchronous copies: elements of memrefs and sizes, in the order of `SIZES`."""

    SIZES: ClassVar[tuple[bool, ...]]
    """For each operand in the text whether it is a size, not an element; further ones are sizes."""

    EXTRA_SIZES: ClassVar[tuple[int, ...]] = (0,)
    """The numbers of sizes that may come behind."""

    arguments = var_operand_def()
    traits = traits_def(MemoryWriteEffect(), MemoryReadEffect())

    @property
    def parts(self) -> Sequence[_Place | SSAValue]:
        """The elements of memrefs, each with its indices, and the sizes, in the order of the text."""
        rest: Sequence[SSAValue] = self.arguments
        parts: list[_Place | SSAValue] = []
        for is_size in self.SIZES:
            if is_size or not rest or not isinstance(rest[0].type, MemRefType):
                parts += rest[:1]
                rest = rest[1:]
                continue
            count = len(shape_of(rest[0])) + 1
            parts.append((rest[0], rest[1:count]))
            rest = rest[count:]
        return [*parts, *rest]

    def verify_(self) -> None:
        parts = self.parts
        shown = [isinstance(part, SSAValue) for part in parts]
        if shown[: len(self.SIZES)] != list(self.SIZES) or len(parts) - len(self.SIZES) not in self.EXTRA_SIZES:
            raise VerifyException("expected the elements of memrefs and the sizes of the op's syntax")
        if any(len(part[1]) != len(shape_of(part[0])) for part in parts if not isinstance(part, SSAValue)):
            raise VerifyException("expected an index for each axis of a memref")
        indices = [value for value in self.arguments if not isinstance(value.type, MemRefType)]
        if any(not isinstance(value.type, IndexType) for value in indices):
            raise VerifyException("expected indices and sizes of type index")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        def parse_part() -> tuple[UnresolvedOperand, Sequence[SSAValue] | None]:
            value = parser.parse_unresolved_operand()
            indices = parser.parse_optional_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
            )
            return value, indices

        parts = parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_part)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        memrefs = [value for value, indices in parts if indices is not None]
        resolved = iter(parser.resolve_operands(memrefs, types, start))
        operands: list[SSAValue] = []
        for value, indices in parts:
            if indices is None:
                operands.append(parser.resolve_operand(value, IndexType()))
            else:
                operands += [next(resolved), *indices]
        return cls.create(operands=operands, attributes=attributes)

    def print(self, printer: Printer) -> None:
        def print_part(part: _Place | SSAValue) -> None:
            if isinstance(part, SSAValue):
                printer.print_ssa_value(part)
                return
            printer.print_ssa_value(part[0])
            with printer.in_square_brackets():
                printer.print_list(part[1], printer.print_ssa_value)

        printer.print_string(" ")
        printer.print_list(self.parts, print_part)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        types = [part[0].type for part in self.parts if not isinstance(part, SSAValue)]
        printer.print_list(types, printer.print_attribute)


class _TaggedOp(DmaOp):
    """An op of asynchronous copies whose parts have the names that xDSL's classes give them."""

    def element(self, place: int) -> _Place:
        """Return a memref and the indices of its element, the part at a place of the text."""
        part = self.parts[place]
        assert not isinstance(part, SSAValue)
        return part

    @property
    def num_elements(self) -> SSAValue:
        """The number of elements to copy."""
        return next(part for part in self.parts if isinstance(part, SSAValue))

    @property
    def tag(self) -> SSAValue:
        """The memref whose element tells the end of the copy."""
        return self.element(self.SIZES.index(False, len(self.SIZES) - 2))[0]

    @property
    def tag_indices(self) -> Sequence[SSAValue]:
        """The indices of the element of the tag."""
        return self.element(self.SIZES.index(False, len(self.SIZES) - 2))[1]


@irdl_op_definition
class MemRefDmaStartOp(_TaggedOp):
    """
    The begin of an asynchronous copy of a number of elements, whose end the element of a tag memref tells.

        memref.dma_start %a[%i], %b[%j], %n, %tag[%k] : memref<64xf32>, memref<64xf32, 2>, memref<1xi32>

    With a stride and a number behind, that many elements at a time are that far apart in the slower memory.
    """

    name = "memref.dma_start"
    SIZES: ClassVar[tuple[bool, ...]] = (False, False, True, False)
    EXTRA_SIZES: ClassVar[tuple[int, ...]] = (0, 2)

    @property
    def src(self) -> SSAValue:
        """The memref to copy from."""
        return self.element(0)[0]

    @property
    def src_indices(self) -> Sequence[SSAValue]:
        """The indices of the first element to copy."""
        return self.element(0)[1]

    @property
    def dest(self) -> SSAValue:
        """The memref to copy to."""
        return self.element(1)[0]

    @property
    def dest_indices(self) -> Sequence[SSAValue]:
        """The indices of the first element to write."""
        return self.element(1)[1]


@irdl_op_definition
class MemRefDmaWaitOp(_TaggedOp):
    """
    The end of an asynchronous copy of a number of elements.

        memref.dma_wait %tag[%k], %n : memref<1xi32>
    """

    name = "memref.dma_wait"
    SIZES: ClassVar[tuple[bool, ...]] = (False, True)

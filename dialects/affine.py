"""
Upstream's `affine`: xDSL's with maxima, delinearized indices, prefetches and asynchronous copies.

    %m = affine.max affine_map<(d0)[s0] -> (d0 + s0, 512)>(%i)[%n]
    %k:2 = affine.delinearize_index %i into (%n, %w) : index, index

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/Affine/.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects import affine
from xdsl.dialects.affine import Affine
from xdsl.dialects.builtin import AffineMapAttr, BoolAttr, IndexType, IntegerAttr, MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ..ir import shape_of
from .core.extended import extended, verify_by
from .core.syntax.affine_ops import MappedAccess, parse_access, parse_mapped, print_access, print_mapped
from .core.syntax.hints import parse_hint, print_hint


@irdl_op_definition
class AffineMaxOp(IRDLOperation):
    """
    The largest of the results of a map.

        %m = affine.max affine_map<(d0)[s0] -> (d0 + s0, 512)>(%i)[%n]
    """

    name = "affine.max"
    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())
    map = prop_def(AffineMapAttr)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        count = self.map.data.num_dims + self.map.data.num_symbols
        if len(self.arguments) != count:
            raise VerifyException(f"expected {count} operands, as many as the map has dimensions and symbols")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        return parse_mapped(cls, parser)

    def print(self, printer: Printer) -> None:
        print_mapped(self, printer)


@irdl_op_definition
class DelinearizeIndexOp(IRDLOperation):
    """
    The indices along axes of an index of the flattened axes: i / (n * w), i / w mod n and i mod w in this example.

        %k:3 = affine.delinearize_index %i into (%h, %n, %w) : index, index, index
    """

    name = "affine.delinearize_index"
    linear_index = operand_def(IndexType())
    basis = var_operand_def(IndexType())
    multi_index = var_result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "$linear_index `into` `(` $basis `)` attr-dict `:` type($multi_index)"

    def verify_(self) -> None:
        if not self.basis or len(self.basis) != len(self.multi_index):
            raise VerifyException("expected as many results as axes, at least one")


@irdl_op_definition
class AffinePrefetchOp(IRDLOperation):
    """
    A hint that an element is going to be accessed, of a locality from 0, none, to 3, high.

        affine.prefetch %m[%i, %j + 5], read, locality<3>, data : memref<8x8xf32>
    """

    name = "affine.prefetch"
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr)
    isDataCache = prop_def(BoolAttr)

    def verify_(self) -> None:
        if not 0 <= self.localityHint.value.data <= 3:
            raise VerifyException(f"expected a locality of 0 to 3, found {self.localityHint.value.data}")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        access = parse_access(parser)
        hint = parse_hint(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref = parser.resolve_operand(access.memref, parser.parse_type())
        return cls.build(
            operands=[memref, access.operands], properties={"map": access.map, **hint}, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.memref, self.map.data, self.indices)
        print_hint(printer, self)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class AffineDmaStartOp(IRDLOperation):
    """
    The begin of an asynchronous copy of a number of elements, whose end the element of a tag memref tells.

        affine.dma_start %a[%i], %b[%j + 1], %tag[%k], %n : memref<64xf32>, memref<64xf32, 2>, memref<1xi32>

    With a stride and a number, that many elements at a time are that far apart in the slower memory.
    """

    name = "affine.dma_start"
    arguments = var_operand_def()
    src_map = attr_def(AffineMapAttr)
    dst_map = attr_def(AffineMapAttr)
    tag_map = attr_def(AffineMapAttr)

    MAPS: ClassVar[tuple[str, ...]] = ("src_map", "dst_map", "tag_map")

    @property
    def accesses(self) -> Sequence[tuple[SSAValue, AffineMapAttr, Sequence[SSAValue]]]:
        """Source, destination and tag, each with its map and the operands of the map."""
        return _accesses(self.arguments, [self.src_map, self.dst_map, self.tag_map])

    @property
    def sizes(self) -> Sequence[SSAValue]:
        """The number of elements, and perhaps stride and number of elements per stride."""
        return self.arguments[sum(len(operands) + 1 for _, _, operands in self.accesses) :]

    def verify_(self) -> None:
        if len(self.sizes) not in (1, 3):
            raise VerifyException("expected a number of elements, or with it a stride and the elements per stride")
        _verify_accesses(self.accesses, self.sizes)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        return _parse_dma(cls, parser, cls.MAPS)

    def print(self, printer: Printer) -> None:
        _print_dma(printer, self, self.accesses, self.sizes, self.MAPS)


@irdl_op_definition
class AffineDmaWaitOp(IRDLOperation):
    """
    The end of an asynchronous copy of a number of elements.

        affine.dma_wait %tag[%k], %n : memref<1xi32>
    """

    name = "affine.dma_wait"
    arguments = var_operand_def()
    tag_map = attr_def(AffineMapAttr)

    MAPS: ClassVar[tuple[str, ...]] = ("tag_map",)

    @property
    def accesses(self) -> Sequence[tuple[SSAValue, AffineMapAttr, Sequence[SSAValue]]]:
        """The tag with its map and the operands of the map."""
        return _accesses(self.arguments, [self.tag_map])

    @property
    def sizes(self) -> Sequence[SSAValue]:
        """The number of elements."""
        return self.arguments[sum(len(operands) + 1 for _, _, operands in self.accesses) :]

    def verify_(self) -> None:
        if len(self.sizes) != 1:
            raise VerifyException("expected a number of elements")
        _verify_accesses(self.accesses, self.sizes)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        return _parse_dma(cls, parser, cls.MAPS)

    def print(self, printer: Printer) -> None:
        _print_dma(printer, self, self.accesses, self.sizes, self.MAPS)


_Accesses = Sequence[tuple[SSAValue, AffineMapAttr, Sequence[SSAValue]]]


def _accesses(operands: Sequence[SSAValue], maps: Sequence[AffineMapAttr]) -> _Accesses:
    accesses: list[tuple[SSAValue, AffineMapAttr, Sequence[SSAValue]]] = []
    for map in maps:
        count = map.data.num_dims + map.data.num_symbols + 1
        accesses.append((operands[0], map, operands[1:count]))
        operands = operands[count:]
    return accesses


def _verify_accesses(accesses: _Accesses, sizes: Sequence[SSAValue]) -> None:
    for memref, map, _ in accesses:
        if not isinstance(memref.type, MemRefType) or len(map.data.results) != len(shape_of(memref)):
            raise VerifyException("expected memrefs with an index for each axis")
    indices = [value for _, _, operands in accesses for value in operands]
    if any(not isinstance(value.type, IndexType) for value in (*indices, *sizes)):
        raise VerifyException("expected indices and sizes of type index")


def _parse_dma(op: Any, parser: Parser, names: Sequence[str]) -> Any:
    accesses: list[MappedAccess] = []
    for _ in names:
        accesses.append(parse_access(parser))
        parser.parse_punctuation(",")
    sizes = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: parser.parse_operand(IndexType()))
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    start = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    memrefs = parser.resolve_operands([access.memref for access in accesses], types, start)
    operands = [value for memref, access in zip(memrefs, accesses, strict=True) for value in (memref, *access.operands)]
    maps = {name: access.map for name, access in zip(names, accesses, strict=True)}
    return op.create(operands=[*operands, *sizes], attributes=attributes | maps)


def _print_dma(printer: Printer, op: Any, accesses: _Accesses, sizes: Sequence[SSAValue], names: Sequence[str]) -> None:
    printer.print_string(" ")
    for memref, map, operands in accesses:
        print_access(printer, memref, map.data, operands)
        printer.print_string(", ")
    printer.print_list(sizes, printer.print_ssa_value)
    printer.print_op_attributes({name: value for name, value in op.attributes.items() if name not in names})
    printer.print_string(" : ")
    printer.print_list([memref.type for memref, _, _ in accesses], printer.print_attribute)


def _verify_parallel(op: affine.ParallelOp) -> None:
    maps = (op.lowerBoundsMap.data, op.upperBoundsMap.data)
    if len(op.operands) != sum(map.num_dims + map.num_symbols for map in maps):
        raise VerifyException("expected an operand for each dimension and symbol of the maps of the bounds")
    if len(op.reductions) != len(op.results):
        raise VerifyException("expected a kind of reduction for each result")
    for map, groups in zip(maps, (op.lowerBoundsGroups, op.upperBoundsGroups), strict=True):
        if sum(groups.get_values()) != len(map.results) or len(groups) != len(op.body.block.args):
            raise VerifyException("expected a group of bounds for each loop")


# xDSL's verifier takes the results for operands.
verify_by(affine.ParallelOp, _verify_parallel)

AFFINE = extended(Affine, [AffineDmaStartOp, AffineDmaWaitOp, AffineMaxOp, AffinePrefetchOp, DelinearizeIndexOp])

"""
Upstream's `memref`: xDSL's with the ops that it lacks.

    %t = memref.transpose %m (i, j) -> (j, i) : memref<3x4xf32> to memref<4x3xf32, strided<[1, 4]>>
    %r = memref.generic_atomic_rmw %a[%i] : memref<8xi32> {
    ^bb0(%old: i32):
      %new = arith.xori %old, %x : i32
      memref.atomic_yield %new : i32
    }

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/MemRef/.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    BoolAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnrankedMemRefType,
)
from xdsl.dialects.memref import MemRef, RankOp
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    OperandDef,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, shape_of, where
from ..core.effect_traits import OperandEffects, ViewLike
from ..core.extended import extended
from ..core.semantics import Runner, Value, semantics
from ..core.syntax.hints import parse_hint, print_hint
from .dma import MemRefDmaStartOp, MemRefDmaWaitOp


@irdl_op_definition
class AtomicYieldOp(IRDLOperation):
    """
    The end of the region of `memref.generic_atomic_rmw`: the element's new value.

        memref.atomic_yield %new : i32
    """

    name = "memref.atomic_yield"
    result = operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(GenericAtomicRMWOp), Pure()))
    assembly_format = "$result attr-dict `:` type($result)"


@irdl_op_definition
class GenericAtomicRMWOp(IRDLOperation):
    """
    An update of an element that nothing else comes between; the result is the old value, as in upstream's lowering.

        %r = memref.generic_atomic_rmw %a[%i] : memref<8xi32> {
        ^bb0(%old: i32):
          %new = arith.xori %old, %x : i32
          memref.atomic_yield %new : i32
        }
    """

    name = "memref.generic_atomic_rmw"
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    result = result_def()
    atomic_body = region_def("single_block")
    traits = traits_def(OperandEffects(reads=("memref",), writes=("memref",)))

    def verify_(self) -> None:
        element = element_of(self.memref)
        if len(self.indices) != len(shape_of(self.memref)):
            raise VerifyException("expected an index for each axis")
        block = self.atomic_body.block
        if self.result.type != element or [arg.type for arg in block.args] != [element]:
            raise VerifyException(f"the region must take {element}, the type of the result")
        if not isinstance(end := block.last_op, AtomicYieldOp) or end.result.type != element:
            raise VerifyException(f"the region must end with memref.atomic_yield of {element}")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        memref = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType()))
        type = parse_memref_type(parser)
        region = parser.parse_region()
        return cls.build(
            operands=[parser.resolve_operand(memref, type), indices],
            result_types=[type.element_type],
            regions=[region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)
        printer.print_string(" ")
        printer.print_region(self.atomic_body)
        printer.print_op_attributes(self.attributes)


def parse_memref_type(parser: Parser) -> MemRefType[Any]:
    """Parse `: memref<8xi32>`."""
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error("expected the type of a memref", start, parser.pos)
    return cast("MemRefType[Any]", type)


@irdl_op_definition
class MemRefPrefetchOp(IRDLOperation):
    """
    A hint that an element is going to be accessed, of a locality from 0, none, to 3, high.

        memref.prefetch %m[%i, %j], read, locality<3>, data : memref<8x8xf32>
    """

    name = "memref.prefetch"
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr)
    isDataCache = prop_def(BoolAttr)

    def verify_(self) -> None:
        if not 0 <= self.localityHint.value.data <= 3:
            raise VerifyException(f"expected a locality of 0 to 3, found {self.localityHint.value.data}")
        if len(self.indices) != len(shape_of(self.memref)):
            raise VerifyException("expected an index for each axis")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        memref = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType()))
        properties = parse_hint(parser)
        attributes = parser.parse_optional_attr_dict()
        operands = [parser.resolve_operand(memref, parse_memref_type(parser)), indices]
        return cls.build(operands=operands, properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        print_hint(printer, self)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class MemRefReallocOp(IRDLOperation):
    """
    A buffer of another size with the elements of one that it takes the place of, as C's realloc.

        %r = memref.realloc %m(%n) {alignment = 8 : i64} : memref<?xf32> to memref<?xf32>
    """

    name = "memref.realloc"
    source = operand_def(MemRefType)
    dynamicResultSize = opt_operand_def(IndexType())
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(MemRefType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source (`(` $dynamicResultSize^ `)`)? attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        source, target = shape_of(self.source), shape_of(self.result)
        if len(source) != 1 or len(target) != 1 or element_of(self.source) != element_of(self.result):
            raise VerifyException("expected memrefs of rank 1 with elements of one type")
        if (self.dynamicResultSize is None) != (target[0] != DYNAMIC_INDEX):
            raise VerifyException("expected a size if and only if that of the result is dynamic")


@irdl_op_definition
class MemRefReshapeOp(IRDLOperation):
    """
    A view of contiguous elements in the shape that a memref holds.

        %r = memref.reshape %m(%shape) : (memref<?x4xf32>, memref<1xindex>) -> memref<?xf32>
    """

    name = "memref.reshape"
    source = operand_def(base(MemRefType) | base(UnrankedMemRefType))
    shape = operand_def(MemRefType)
    result = result_def(base(MemRefType) | base(UnrankedMemRefType))
    traits = traits_def(ViewLike())
    assembly_format = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        if len(shape_of(self.shape)) != 1 or not isinstance(element_of(self.shape), IndexType | IntegerType):
            raise VerifyException("expected a shape that is a memref of integers of rank 1")
        if element_of(self.source) != element_of(self.result):
            raise VerifyException("expected elements of one type")
        if isinstance(self.result.type, MemRefType) and shape_of(self.shape)[0] != len(shape_of(self.result)):
            raise VerifyException("expected a shape with an extent for each axis of the result")


@irdl_op_definition
class MemRefTransposeOp(IRDLOperation):
    """
    A view with the axes in another order.

        %t = memref.transpose %m (d0, d1) -> (d1, d0) : memref<3x4xf32> to memref<4x3xf32, strided<[1, 4]>>
    """

    name = "memref.transpose"
    source = operand_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    result = result_def(MemRefType)
    traits = traits_def(ViewLike())

    @property
    def axes(self) -> Sequence[int]:
        """The axis of the source that each axis of the result is."""
        return [expr.position for expr in self.permutation.data.results if isinstance(expr, AffineDimExpr)]

    def verify_(self) -> None:
        source, target = shape_of(self.source), shape_of(self.result)
        if sorted(self.axes) != list(range(len(source))) or self.permutation.data.num_dims != len(source):
            raise VerifyException(f"expected a permutation of {len(source)} axes")
        if [source[axis] for axis in self.axes] != list(target) or element_of(self.source) != element_of(self.result):
            raise VerifyException("expected a result with the axes of the source in the order of the permutation")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        source = parser.parse_unresolved_operand()
        permutation: AffineMap = cast(Any, parser).parse_affine_map()
        attributes = parser.parse_optional_attr_dict()
        type = parse_memref_type(parser)
        parser.parse_keyword("to")
        return cls.create(
            operands=[parser.resolve_operand(source, type)],
            result_types=[parser.parse_type()],
            properties={"permutation": AffineMapAttr(permutation)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(f" {self.permutation.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


@semantics(GenericAtomicRMWOp)
def _update(runner: Runner, op: GenericAtomicRMWOp, operands: Sequence[Value]) -> Sequence[Value]:
    memref, *indices = operands
    place = tuple(int(index) for index in indices)
    _check(op, place, memref.shape)
    (value,) = runner.run_region(op.atomic_body, [memref[place]])
    old, memref[place] = memref[place], value
    return [old]


def _check(op: IRDLOperation, place: Sequence[int], shape: Sequence[int]) -> None:
    if any(not 0 <= index < extent for index, extent in zip(place, shape, strict=True)):
        expected = f"indices into the shape {list(shape)}"
        raise Diagnostic(f"'{op.name}' is out of bounds", where(op), expected, str(list(place)))


@semantics(MemRefPrefetchOp)
def _prefetch(runner: Runner, op: MemRefPrefetchOp, operands: Sequence[Value]) -> Sequence[Value]:
    return []


@semantics(MemRefReallocOp)
def _realloc(runner: Runner, op: MemRefReallocOp, operands: Sequence[Value]) -> list[Array]:
    source, *sizes = operands
    size = int(sizes[0]) if sizes else shape_of(op.result)[0]
    result = runner.interleaving.undefine(np.zeros(size, source.dtype))
    count = min(size, len(source))
    result[:count] = source[:count]
    return [result]


@semantics(MemRefReshapeOp)
def _reshape(runner: Runner, op: MemRefReshapeOp, operands: Sequence[Value]) -> list[Array]:
    source, shape = operands
    view = source.view()
    view.shape = tuple(int(extent) for extent in shape)
    return [view]


@semantics(MemRefTransposeOp)
def _transpose(runner: Runner, op: MemRefTransposeOp, operands: Sequence[Value]) -> list[Array]:
    return [operands[0].transpose(op.axes)]


# xDSL's op takes no memref of unknown rank, the only kind of which it is not known.
_operands = RankOp.get_irdl_definition().operands
_operands[:] = [(name, OperandDef(base(MemRefType) | base(UnrankedMemRefType))) for name, _ in _operands]

MEMREF = extended(
    MemRef,
    [
        AtomicYieldOp,
        GenericAtomicRMWOp,
        MemRefDmaStartOp,
        MemRefDmaWaitOp,
        MemRefPrefetchOp,
        MemRefReallocOp,
        MemRefReshapeOp,
        MemRefTransposeOp,
    ],
)

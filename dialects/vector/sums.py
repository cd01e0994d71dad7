"""Ops of `vector` that fold: contractions, products and reductions."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    IntegerAttr,
    StringAttr,
    VectorType,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag, FMAOp, ReductionOp
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ...ir import Array
from ..core.semantics import SCALAR_RULES, Runner, Value, semantics
from ..core.syntax.enums import InAngleBrackets
from .types import combine, element_type, empty, fold, integers, is_vector, shape

_ADD = CombiningKindAttr(CombiningKindFlag.ADD)


class VectorIterator(StrEnum):
    """Kind of a loop of `vector.contract`."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class VectorIteratorAttr(InAngleBrackets, EnumAttribute[VectorIterator]):
    """`#vector.iterator_type<parallel>`."""

    name = "vector.iterator_type"


@irdl_op_definition
class ContractOp(IRDLOperation):
    """
    The products of elements of two vectors, folded along the loops that the third map lacks, into an accumulator.

        %r = vector.contract {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
            affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
            %a, %b, %c : vector<4x8xf32>, vector<8xf32> into vector<4xf32>
    """

    name = "vector.contract"
    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = operand_def()
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])
    iterator_types = prop_def(base(ArrayAttr))
    kind = prop_def(CombiningKindAttr)
    result = result_def()
    traits = traits_def(Pure())

    @property
    def axes(self) -> Sequence[Sequence[int]]:
        """For each operand the loop that indexes each of its axes."""
        results = [map.data.results for map in self.indexing_maps]
        return [[expr.position for expr in exprs if isinstance(expr, AffineDimExpr)] for exprs in results]

    @property
    def extents(self) -> dict[int, int]:
        """The extent of each loop. Raises VerifyException where operands disagree."""
        extents: dict[int, int] = {}
        for value, axes in zip(self.operands, self.axes, strict=True):
            if len(axes) != len(shape(value.type)):
                raise VerifyException("expected maps that index each axis of an operand by a loop")
            for axis, extent in zip(axes, shape(value.type), strict=True):
                if extents.setdefault(axis, extent) != extent:
                    raise VerifyException(f"the extents of loop d{axis} differ: {extents[axis]} and {extent}")
        return extents

    def verify_(self) -> None:
        if len(self.indexing_maps) != 3 or self.result.type != self.acc.type:
            raise VerifyException("expected three maps, and a result of the accumulator's type")
        if sorted(self.extents) != list(range(len(self.iterator_types))):
            raise VerifyException("expected maps of as many loops as there are iterator types")
        kept = set(self.axes[2])
        kinds = [cast(VectorIteratorAttr, kind).data is VectorIterator.PARALLEL for kind in self.iterator_types]
        if any((loop in kept) != is_parallel for loop, is_parallel in enumerate(kinds)):
            raise VerifyException("expected the accumulator to have the parallel loops")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        start = parser.pos
        attributes = dict(parser.parse_optional_attr_dict())
        maps, kinds = attributes.pop("indexing_maps", None), attributes.pop("iterator_types", None)
        if maps is None or not isinstance(kinds, ArrayAttr):
            parser.raise_error("expected indexing_maps and iterator_types", start, parser.pos)
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_keyword("into")
        result = parser.parse_type()
        operands = parser.resolve_operands(names, [*types, result], start)
        iterators = [_iterator(kind) for kind in cast("ArrayAttr[Attribute]", kinds)]
        kind = attributes.pop("kind", _ADD)
        properties: dict[str, Attribute] = {
            "indexing_maps": maps,
            "iterator_types": ArrayAttr(iterators),
            "kind": kind,
        }
        return cls.create(operands=operands, result_types=[result], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        names = [StringAttr(cast(VectorIteratorAttr, kind).data.value) for kind in self.iterator_types]
        shown = {"indexing_maps": self.indexing_maps, "iterator_types": ArrayAttr(names), "kind": self.kind}
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([self.lhs.type, self.rhs.type], printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(self.result.type)


def _iterator(kind: Attribute) -> Attribute:
    return VectorIteratorAttr(VectorIterator(kind.data)) if isinstance(kind, StringAttr) else kind


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """
    The products of all pairs of elements, or of a vector with a scalar, folded into an accumulator if there is one.

        %r = vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} : vector<4xf32>, vector<2xf32>
    """

    name = "vector.outerproduct"
    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def(VectorType)
    kind = opt_prop_def(CombiningKindAttr)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        if self.result.type != _product_type(self.lhs.type, self.rhs.type):
            raise VerifyException(f"expected a result of {_product_type(self.lhs.type, self.rhs.type)}")
        if self.acc is not None and self.acc.type != self.result.type:
            raise VerifyException("expected an accumulator of the result's type")
        if element_type(self.rhs.type) != element_type(self.lhs.type):
            raise VerifyException("expected operands with elements of one type")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        start = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = dict(parser.parse_optional_attr_dict())
        parser.parse_punctuation(":")
        left = parser.parse_type()
        parser.parse_punctuation(",")
        right = parser.parse_type()
        result = _product_type(left, right)
        operands = parser.resolve_operands(names, [left, right, result][: len(names)], start)
        kind = {"kind": attributes.pop("kind")} if "kind" in attributes else {}
        return cls.create(operands=operands, result_types=[result], properties=kind, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(dict(self.properties) | self.attributes)
        printer.print_string(" : ")
        printer.print_list([self.lhs.type, self.rhs.type], printer.print_attribute)


def _product_type(left: Attribute, right: Attribute) -> Attribute:
    if not is_vector(left) or not is_vector(right):
        return left
    scalable = [*cast(Any, left).scalable_dims, *cast(Any, right).scalable_dims]
    return VectorType(cast(Any, element_type(left)), [*shape(left), *shape(right)], ArrayAttr(scalable))


@irdl_op_definition
class MultiReductionOp(IRDLOperation):
    """
    The fold of a vector along some dimensions, from an accumulator on.

        %r = vector.multi_reduction <add>, %v, %acc [1] : vector<4x8xf32> to vector<4xf32>
    """

    name = "vector.multi_reduction"
    D: ClassVar = VarConstraint("D", AnyAttr())
    kind = prop_def(CombiningKindAttr)
    source = operand_def(VectorType)
    acc = operand_def(D)
    reduction_dims = prop_def(base(ArrayAttr))
    dest = result_def(D)
    traits = traits_def(Pure())
    assembly_format = "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)"

    def verify_(self) -> None:
        whole, reduced = shape(self.source.type), integers(self.reduction_dims)
        if len(set(reduced)) != len(reduced) or not set(reduced) <= set(range(len(whole))):
            raise VerifyException(f"expected different dimensions of 0 to {len(whole) - 1}")
        kept = tuple(extent for axis, extent in enumerate(whole) if axis not in reduced)
        if shape(self.dest.type) != kept or element_type(self.dest.type) != element_type(self.source.type):
            raise VerifyException(f"expected a result of shape {list(kept)}")


@irdl_op_definition
class ScanOp(IRDLOperation):
    """
    The folds of all leading parts of a vector along a dimension, and the last of them.

        %r, %last = vector.scan <add>, %v, %first {inclusive = true, reduction_dim = 1 : i64}
            : vector<4x8xf32>, vector<4xf32>

    An exclusive scan leaves the element of its position out, and begins with `%first`; an inclusive one does not use
    `%first`.
    """

    name = "vector.scan"
    S: ClassVar = VarConstraint("S", base(VectorType))
    FIRST: ClassVar = VarConstraint("FIRST", base(VectorType))
    kind = prop_def(CombiningKindAttr)
    source = operand_def(S)
    initial_value = operand_def(FIRST)
    reduction_dim = prop_def(IntegerAttr[I64])
    inclusive = prop_def(BoolAttr)
    dest = result_def(S)
    accumulated_value = result_def(FIRST)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$kind `,` $source `,` $initial_value attr-dict `:` type($source) `,` type($initial_value)"

    def verify_(self) -> None:
        whole, axis = shape(self.source.type), self.reduction_dim.value.data
        if not 0 <= axis < len(whole):
            raise VerifyException(f"expected a dimension of 0 to {len(whole) - 1}, found {axis}")
        if shape(self.initial_value.type) != whole[:axis] + whole[axis + 1 :]:
            raise VerifyException("expected initial values of the shape without the dimension")


@irdl_op_definition
class MatrixMultiplyOp(IRDLOperation):
    """
    The product of matrices whose elements vectors of rank 1 hold column by column.

        %r = vector.matrix_multiply %a, %b {lhs_rows = 2 : i32, lhs_columns = 3 : i32, rhs_columns = 2 : i32}
            : (vector<6xf32>, vector<6xf32>) -> vector<4xf32>
    """

    name = "vector.matrix_multiply"
    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    lhs_rows = prop_def(IntegerAttr)
    lhs_columns = prop_def(IntegerAttr)
    rhs_columns = prop_def(IntegerAttr)
    res = result_def(VectorType)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($res)"

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Rows of the left matrix, its columns, and columns of the right one."""
        return self.lhs_rows.value.data, self.lhs_columns.value.data, self.rhs_columns.value.data

    def verify_(self) -> None:
        m, k, n = self.sizes
        counts = [shape(value.type) for value in (self.lhs, self.rhs, self.res)]
        if counts != [(m * k,), (k * n,), (m * n,)]:
            raise VerifyException(f"expected vectors of {m * k}, {k * n} and {m * n} elements")


@semantics(ContractOp)
def _contract(runner: Runner, op: ContractOp, operands: Sequence[Value]) -> list[Any]:
    return [contracted(op, operands, None)]


def contracted(op: ContractOp, operands: Sequence[Value], mask: Array | None) -> Any:
    """Return a contraction of the iterations at which the mask is true, of all where there is none."""
    extents = op.extents
    order = [extents[loop] for loop in range(len(extents))]
    left, right = (_spread(value, axes, order) for value, axes in zip(operands[:2], op.axes, strict=False))
    products = np.broadcast_to(left, order) * np.broadcast_to(right, order)
    kept = op.axes[2]
    reduced = [loop for loop in range(len(order)) if loop not in kept]
    ordered = sorted(kept)
    start = np.asarray(operands[2]).transpose([kept.index(loop) for loop in ordered])[()]
    total = fold(op.kind, products, reduced, start, mask)
    return np.asarray(total).transpose([ordered.index(loop) for loop in kept])[()]


def _spread(value: Array, axes: Sequence[int], order: Sequence[int]) -> Array:
    """Return an operand as an array that broadcasts over all loops."""
    ordered = value.transpose(np.argsort(axes))
    return ordered.reshape([order[loop] if loop in axes else 1 for loop in range(len(order))])


@semantics(OuterProductOp)
def _outer(runner: Runner, op: OuterProductOp, operands: Sequence[Value]) -> list[Array]:
    left, right, *rest = operands
    product = np.multiply.outer(left, right) if np.ndim(right) else left * right
    product = product.astype(left.dtype, copy=False)
    return [combine(op.kind or _ADD, rest[0], product) if rest else product]


@semantics(MultiReductionOp)
def _reduce(runner: Runner, op: MultiReductionOp, operands: Sequence[Value]) -> list[Any]:
    return [fold(op.kind, operands[0], integers(op.reduction_dims), operands[1])]


@semantics(ReductionOp)
def _fold(runner: Runner, op: ReductionOp, operands: Sequence[Value]) -> list[Any]:
    vector, *rest = operands
    return [fold(op.kind, vector, [0], rest[0] if rest else None)]


@semantics(ScanOp)
def _scan(runner: Runner, op: ScanOp, operands: Sequence[Value]) -> list[Array]:
    source, initial = operands
    axis, is_inclusive = op.reduction_dim.value.data, bool(op.inclusive.value.data)
    moved = np.moveaxis(source, axis, 0)
    result = np.empty_like(moved)
    result[0] = moved[0] if is_inclusive else initial
    for index in range(1, len(moved)):
        result[index] = combine(op.kind, result[index - 1], moved[index if is_inclusive else index - 1])
    return [np.moveaxis(result, 0, axis), result[-1]]


@semantics(MatrixMultiplyOp)
def _multiply(runner: Runner, op: MatrixMultiplyOp, operands: Sequence[Value]) -> list[Array]:
    m, k, n = op.sizes
    left, right = operands[0].reshape(k, m).T, operands[1].reshape(n, k).T
    result = empty(op, op.res.type)
    total = np.zeros((m, n), result.dtype)
    for index in range(k):
        total = total + np.multiply.outer(left[:, index], right[index])
    result[...] = total.T.ravel()
    return [result]


@semantics(FMAOp)
def _fma(runner: Runner, op: FMAOp, operands: Sequence[Value]) -> list[Array]:
    rule = SCALAR_RULES[math.FmaOp]
    return [rule(SimpleNamespace(name=math.FmaOp.name, results=op.results), *operands)]

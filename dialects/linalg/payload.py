"""`linalg.map` and `linalg.reduce`, whose text shows a region, or names the one op that the region holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, MemRefType, TensorType, i64
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    PropertyDef,
    SameVariadicOperandSize,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, numbers_of, shape_of
from ..core.kernel import Access, Kernel, bounds_from, kernel_view, result_types
from ..core.operand_lists import parse_operand_list, parse_operands, print_operands
from .names import NamedOperands

_Payload = tuple[type[Operation], dict[str, Attribute]]


def _parse_payload(parser: Parser) -> _Payload | None:
    """Parse `{ arith.addf {fastmath = #arith.fastmath<fast>} }`, if it is there."""
    if parser.parse_optional_punctuation("{") is None:
        return None
    start = parser.pos
    name = parser.parse_identifier()
    op = parser.ctx.get_optional_op(name)
    if op is None:
        parser.raise_error(f"expected the name of an op, found '{name}'", start, parser.pos)
    attributes = dict(parser.parse_optional_attr_dict())
    parser.parse_punctuation("}")
    return op, attributes


def _region_of(payload: _Payload, arguments: Sequence[Attribute], order: Sequence[int], result: Attribute) -> Region:
    """Return the region of one op on the arguments in this order, and of its yield."""
    kind, attributes = payload
    block = Block(arg_types=arguments)
    operands = [block.args[index] for index in order]
    known = _properties(kind)
    properties = {name: definition.default_value for name, definition in known.items() if definition.default_value}
    properties |= {name: attributes.pop(name) for name in list(attributes) if name in known}
    op = kind.create(operands=operands, result_types=[result], properties=properties, attributes=attributes)
    block.add_ops([op, YieldOp(*op.results)])
    return Region(block)


def _properties(kind: type[Operation]) -> dict[str, PropertyDef]:
    return cast("type[IRDLOperation]", kind).get_irdl_definition().properties


def _payload_of(block: Block, order: Sequence[int]) -> Operation | None:
    """Return the op that a region without other code applies to its arguments in this order."""
    if len(ops := list(block.ops)) != 2 or len(ops[0].results) != 1 or ops[0].regions:
        return None
    op, end = ops
    is_plain = not end.attributes and tuple(end.operands) == tuple(op.results)
    applies = tuple(op.operands) == tuple(block.args[index] for index in order)
    return op if is_plain and applies and isinstance(op, IRDLOperation) else None


def _print_payload(printer: Printer, op: Operation) -> None:
    known = _properties(type(op))
    shown = {name: value for name, value in op.properties.items() if known[name].default_value != value}
    printer.print_string(f" {{ {op.name}")
    printer.print_op_attributes(shown | op.attributes)
    printer.print_string(" }")


def _print_region(printer: Printer, region: Region) -> None:
    printer.print_string("\n")
    with printer.in_parens():
        printer.print_list(region.block.args, printer.print_block_argument)
    printer.print_string(" ")
    printer.print_region(region, print_entry_block_args=False)


def _parse_region(parser: Parser) -> Region:
    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    return parser.parse_region(arguments)


@irdl_op_definition
class MapOp(IRDLOperation):
    """
    A function of the elements of inputs at the same index, which the region computes.

        %r = linalg.map { arith.addf } ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<4xf32>)

        %r = linalg.map ins(%a : tensor<4xi8>) outs(%c : tensor<4xi32>)
          (%x: i8) {
            %y = arith.extsi %x : i8 to i32
            linalg.yield %y : i32
          }
    """

    name = "linalg.map"
    inputs = var_operand_def(base(TensorType) | base(MemRefType))
    init = operand_def(base(TensorType) | base(MemRefType))
    result = var_result_def(TensorType)
    mapper = region_def("single_block")

    def verify_(self) -> None:
        block = self.mapper.block
        if [arg.type for arg in block.args] != [element_of(value) for value in self.inputs]:
            raise VerifyException("the region must take an element of each input")
        if block.last_op is None or block.last_op.operand_types != (element_of(self.init),):
            raise VerifyException(f"the region must yield {element_of(self.init)}")
        if any(shape_of(value) != shape_of(self.init) for value in self.inputs):
            raise VerifyException("inputs and output must have one shape")
        if list(self.result_types) != result_types([self.init]):
            raise VerifyException("the result must have the type of the output tensor")

    @property
    def _order(self) -> Sequence[int]:
        return range(len(self.inputs))

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        payload = _parse_payload(parser)
        inputs = parse_operand_list(parser) if parser.parse_optional_keyword("ins") is not None else []
        (init,) = parse_operands(parser, "outs")
        attributes = parser.parse_optional_attr_dict()
        if payload is None:
            region = _parse_region(parser)
        else:
            types = [element_of(value) for value in inputs]
            region = _region_of(payload, types, range(len(types)), element_of(init))
        return cls.build(
            operands=[inputs, init], result_types=[result_types([init])], regions=[region], attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        payload = _payload_of(self.mapper.block, self._order)
        if payload is not None:
            _print_payload(printer, payload)
        if self.inputs:
            print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", [self.init])
        printer.print_op_attributes(self.attributes)
        if payload is None:
            _print_region(printer, self.mapper)


@kernel_view(MapOp)
def _map_kernel(op: MapOp) -> Kernel:
    identity = AffineMap.identity(len(shape_of(op.init)))
    accesses = [Access(value, identity) for value in op.operands]
    bounds = bounds_from(accesses, identity.num_dims, op)
    return Kernel(bounds, frozenset(), tuple(accesses[:-1]), (accesses[-1],), result=op.mapper.block)


@irdl_op_definition
class LinalgReduceOp(NamedOperands):
    """
    A fold of the elements of inputs along dimensions into outputs; the region takes elements of inputs and outputs.

        %r = linalg.reduce { arith.addf } ins(%a : tensor<4x5xf32>) outs(%b : tensor<4xf32>) dimensions = [1]

        %r = linalg.reduce ins(%a : tensor<4x5xi8>) outs(%b : tensor<5xi8>) dimensions = [0]
          (%x: i8, %sum: i8) {
            %y = arith.ori %x, %sum : i8
            linalg.yield %y : i8
          }
    """

    name = "linalg.reduce"
    inputs = var_operand_def(base(TensorType) | base(MemRefType))
    outputs = var_operand_def(base(TensorType) | base(MemRefType))
    dimensions = prop_def(DenseArrayBase.constr(i64))
    irdl_options = (SameVariadicOperandSize(),)

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        rank, reduced = len(shape_of(self.inputs[0])), numbers_of(self.dimensions)
        kept = tuple(AffineDimExpr(dim) for dim in range(rank) if dim not in reduced)
        whole, part = AffineMapAttr(AffineMap.identity(rank)), AffineMapAttr(AffineMap(rank, 0, kept))
        return ArrayAttr([whole] * len(self.inputs) + [part] * len(self.outputs))

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        rank, reduced = len(shape_of(self.inputs[0])), numbers_of(self.dimensions)
        kinds = (IteratorTypeAttr.parallel(), IteratorTypeAttr.reduction())
        return ArrayAttr([kinds[dim in reduced] for dim in range(rank)])

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("expected at least one input")
        reduced, rank = numbers_of(self.dimensions), len(shape_of(self.inputs[0]))
        if sorted(set(reduced)) != list(reduced) or not set(reduced) <= set(range(rank)):
            raise VerifyException(f"expected dimensions of 0 to {rank - 1} in ascending order, found {list(reduced)}")
        if list(self.result_types) != result_types(list(self.outputs)):
            raise VerifyException("the results must have the types of the output tensors")
        super().verify_()

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        payload = _parse_payload(parser)
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        dimensions = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        if payload is None:
            region = _parse_region(parser)
        else:
            types = [element_of(value) for value in (*inputs, *outputs)]
            region = _region_of(payload, types, _accumulator_first(len(types)), types[-1])
        return cls.build(
            operands=[inputs, outputs],
            result_types=[result_types(outputs)],
            properties={"dimensions": DenseArrayBase.from_list(i64, dimensions)},
            regions=[region],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        payload = _payload_of(self.body.block, _accumulator_first(2)) if len(self.inputs) == 1 else None
        if payload is not None:
            _print_payload(printer, payload)
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", self.outputs)
        printer.print_string(f" dimensions = {list(numbers_of(self.dimensions))}")
        printer.print_op_attributes(self.attributes)
        if payload is None:
            _print_region(printer, self.body)


def _accumulator_first(count: int) -> Sequence[int]:
    return (count - 1, *range(count - 1))

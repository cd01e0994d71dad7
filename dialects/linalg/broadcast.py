"""`linalg.broadcast` with its attributes, as a structured op with indexing maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, MemRefType, TensorType, i64
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    SameVariadicOperandSize,
    base,
    irdl_op_definition,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...ir import Array, element_of, numbers_of, shape_of
from ..core.kernel import result_types
from ..core.operand_lists import parse_operands, print_operands
from ..core.semantics import Runner, Value, semantics
from .names import NamedOperands
from .scalar_code import hidden_region


@irdl_op_definition
class LinalgBroadcastOp(NamedOperands):
    """
    The input along further dimensions of the output, which `dimensions` names.

        %r = linalg.broadcast ins(%a : tensor<4xf32>) outs(%b : tensor<4x5xf32>) dimensions = [1]
    """

    name = "linalg.broadcast"
    inputs = var_operand_def(base(TensorType) | base(MemRefType))
    outputs = var_operand_def(base(TensorType) | base(MemRefType))
    dimensions = prop_def(DenseArrayBase.constr(i64))
    irdl_options = (SameVariadicOperandSize(),)

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        rank, added = len(shape_of(self.outputs[0])), numbers_of(self.dimensions)
        kept = tuple(AffineDimExpr(dim) for dim in range(rank) if dim not in added)
        return ArrayAttr([AffineMapAttr(AffineMap(rank, 0, kept)), AffineMapAttr(AffineMap.identity(rank))])

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        return ArrayAttr([IteratorTypeAttr.parallel()] * len(shape_of(self.outputs[0])))

    def verify_(self) -> None:
        if len(self.inputs) != 1:
            raise VerifyException("expected one input and one output")
        added, rank = numbers_of(self.dimensions), len(shape_of(self.outputs[0]))
        if len(set(added)) != len(added) or not set(added) <= set(range(rank)):
            raise VerifyException(f"expected different dimensions of 0 to {rank - 1}, found {list(added)}")
        if list(self.result_types) != result_types(list(self.outputs)):
            raise VerifyException("the result must have the type of the output tensor")
        super().verify_()

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        dimensions = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        types = [element_of(value) for value in (*inputs, *outputs)]
        return cls.build(
            operands=[inputs, outputs],
            result_types=[result_types(outputs)],
            properties={"dimensions": DenseArrayBase.from_list(i64, dimensions)},
            regions=[hidden_region("broadcast", types)],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", self.outputs)
        printer.print_string(f" dimensions = {list(numbers_of(self.dimensions))}")
        printer.print_op_attributes(self.attributes)


@semantics(LinalgBroadcastOp)
def _broadcast(runner: Runner, op: LinalgBroadcastOp, operands: Sequence[Value]) -> list[Array]:
    source, output = operands
    added = numbers_of(op.dimensions)
    result = np.broadcast_to(np.expand_dims(source, added), output.shape)
    if isinstance(op.outputs[0].type, TensorType):
        return [np.array(result)]
    output[...] = result
    return []

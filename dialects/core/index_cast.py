"""The op of `arith` on unsigned indices that xDSL lacks; analyses, on which semantics depend, know it."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """
    An integer as an index, or an index as an integer: a wider result is zero-extended, a narrower one truncated.

        %i = arith.index_castui %n : i32 to index
    """

    name = "arith.index_castui"
    input = operand_def(base(IntegerType) | base(IndexType))
    result = result_def(base(IntegerType) | base(IndexType))
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, operand: SSAValue, type: Attribute):
        super().__init__(operands=[operand], result_types=[type])

    def verify_(self) -> None:
        if isinstance(self.input.type, IndexType) == isinstance(self.result.type, IndexType):
            raise VerifyException(f"expected one index, got {self.input.type} and {self.result.type}")

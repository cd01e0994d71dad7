"""
Operations on sequences, between steps: documents with a common prefix, undone tokens, pages that stay in memory.

    %copy = paged.fork @kv -> tensor<1xi32>
    paged.switch @kv to %copy : tensor<1xi32>
    paged.truncate @kv to %length : tensor<1xi32>
    paged.pin @kv from %first to %last : tensor<1xi32>, tensor<1xi32>
"""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, SymbolRefAttr, TensorType, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from ..core.effect_traits import OperandEffects, StateEffects
from .ops import STORED, PagedPoolOp, PoolUser, verify_array


@irdl_op_definition
class ForkSequenceOp(PoolUser):
    """
    Create a sequence with the tokens of the pool's current one, whose full pages both share; its number.

        %copy = paged.fork @kv -> tensor<1xi32>
        paged.fork @kv into %x : memref<1xi32>

    The current sequence stays current.
    """

    name = "paged.fork"

    pool = prop_def(SymbolRefAttr)
    out = opt_operand_def(MemRefType)
    result = opt_result_def(TensorType)

    traits = traits_def(OperandEffects(writes=("out",)), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool (`into` $out^ `:` type($out))? (`->` type($result)^)? attr-dict"

    def __init__(self, pool: str, out: SSAValue | None = None):
        result = TensorType(i32, [1]) if out is None else None
        super().__init__(operands=[out], properties={"pool": SymbolRefAttr(pool)}, result_types=[result])

    def verify_against(self, pool: PagedPoolOp) -> None:
        outputs = [value for value in (self.out, self.result) if value is not None]
        if len(outputs) != 1:
            raise VerifyException("a fork has a result or a buffer to write, and not both")
        verify_array("number of a sequence", outputs[0], (1,), i32)


class _NumberOp(PoolUser):
    """Operation with one integer."""

    number = operand_def(STORED)

    traits = traits_def(OperandEffects(reads=("number",)), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool `to` $number attr-dict `:` type($number)"

    def __init__(self, pool: str, number: SSAValue):
        super().__init__(operands=[number], properties={"pool": SymbolRefAttr(pool)})

    def verify_against(self, pool: PagedPoolOp) -> None:
        verify_array("number", self.number, (1,), i32)


@irdl_op_definition
class SwitchOp(_NumberOp):
    """
    Make a sequence the pool's current one, to which steps add.

        paged.switch @kv to %sequence : tensor<1xi32>
    """

    name = "paged.switch"

    pool = prop_def(SymbolRefAttr)


@irdl_op_definition
class TruncateOp(_NumberOp):
    """
    Keep the first tokens of the current sequence.

        paged.truncate @kv to %length : tensor<1xi32>
    """

    name = "paged.truncate"

    pool = prop_def(SymbolRefAttr)


@irdl_op_definition
class PinOp(PoolUser):
    """
    Forbid to evict the full pages of the current sequence's tokens of [first, last); with `unpin`, allow it again.

        paged.pin @kv from %first to %last : tensor<1xi32>, tensor<1xi32>
        paged.pin @kv from %first to %last {unpin} : tensor<1xi32>, tensor<1xi32>
    """

    name = "paged.pin"

    pool = prop_def(SymbolRefAttr)
    first = operand_def(STORED)
    last = operand_def(STORED)
    unpin = opt_prop_def(UnitAttr)

    traits = traits_def(OperandEffects(reads=("first", "last")), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool `from` $first `to` $last attr-dict `:` type($first) `,` type($last)"

    def __init__(self, pool: str, first: SSAValue, last: SSAValue, *, unpin: bool = False):
        properties = {"pool": SymbolRefAttr(pool), "unpin": UnitAttr() if unpin else None}
        super().__init__(operands=[first, last], properties=properties)

    def verify_against(self, pool: PagedPoolOp) -> None:
        verify_array("first token", self.first, (1,), i32)
        verify_array("end", self.last, (1,), i32)

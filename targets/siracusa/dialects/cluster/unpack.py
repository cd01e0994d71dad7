"""Rows of packed numbers as bytes, an op of `cluster`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, MemRefType, UnitAttr, i8, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from .....dialects.core.effect_traits import OperandEffects
from .....dialects.core.semantics import Runner, Value, semantics
from .....dialects.nn.unpack import WIDTHS, packed_shape, unpack
from .....ir import element_of
from .places import check_indices, strided, two_sides


@irdl_op_definition
class UnpackRowOp(IRDLOperation):
    """
    A row of numbers of 4 or 2 bits, packed as `nn.unpack` has them, as bytes.

    From the given elements on, `count` bytes are written, which are contiguous, as are the packed ones.

        cluster.unpack %packed[%f, %0], %w[%f, %0] count %n {bits = 4 : i64, unsigned}
            : memref<32x8xi8>, memref<32x13xi8>
    """

    name = "cluster.unpack"
    packed = operand_def(MemRefType)
    packed_at = var_operand_def(IndexType)
    out = operand_def(MemRefType)
    out_at = var_operand_def(IndexType)
    count = operand_def(IndexType)
    bits = prop_def(IntegerAttr[I64])
    unsigned = opt_prop_def(UnitAttr)
    """Whether the numbers are unsigned."""

    traits = traits_def(OperandEffects(reads=("packed",), writes=("out",)))
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$packed `[` $packed_at `]` `,` $out `[` $out_at `]` `count` $count attr-dict `:` type($packed) `,` type($out)"
    )

    def __init__(
        self,
        packed: tuple[SSAValue, Sequence[SSAValue]],
        out: tuple[SSAValue, Sequence[SSAValue]],
        count: SSAValue,
        *,
        bits: int,
        unsigned: bool,
    ):
        super().__init__(
            operands=[packed[0], list(packed[1]), out[0], list(out[1]), count],
            properties={"bits": IntegerAttr(bits, i64), "unsigned": UnitAttr() if unsigned else None},
        )

    def verify_(self) -> None:
        if self.bits.value.data not in WIDTHS:
            raise VerifyException(f"packed numbers have 2 or 4 bits, not {self.bits.value.data}")
        check_indices((self.packed, self.packed_at), (self.out, self.out_at))
        if element_of(self.packed) != i8 or element_of(self.out) != i8:
            raise VerifyException("expected bytes on both sides")


@semantics(UnpackRowOp)
def _unpack_row(runner: Runner, op: UnpackRowOp, operands: Sequence[Value]) -> list[Value]:
    count, bits = int(operands[-1]), op.bits.value.data
    packed, out = two_sides(operands, len(op.packed_at), others=1)
    if count == 0:
        return []
    (size,) = packed_shape((count,), bits)
    source = strided(op, *packed, [(size, 1)])
    target = strided(op, *out, [(count, 1)])
    np.copyto(target, unpack(source, count, bits, is_unsigned=op.unsigned is not None))
    return []

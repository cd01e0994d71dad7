"""Scalar ops of `cluster`: what its cores have an instruction for and `arith` has no op for."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import I32, i32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from .....dialects.core.c_call import CCall
from .....dialects.core.semantics import scalar
from .....ir import Array


@irdl_op_definition
class MacOp(CCall):
    """
    A product added to a sum, `sum + a * b`, which wraps around.

        %y = cluster.mac %a, %b, %sum : i32
    """

    name = "cluster.mac"
    C_FUNCTION: ClassVar[str] = "tw_mac_i32"
    a = operand_def(I32)
    b = operand_def(I32)
    sum = operand_def(I32)
    result = result_def(I32)
    traits = traits_def(Pure())
    assembly_format = "$a `,` $b `,` $sum attr-dict `:` type($result)"

    def __init__(self, a: SSAValue, b: SSAValue, sum: SSAValue):
        super().__init__(operands=[a, b, sum], result_types=[i32])


@scalar(MacOp)
def _mac(op: MacOp, a: Array, b: Array, sum: Array) -> Array:
    return (np.asarray(a, np.int64) * b + sum).astype(np.int32)[()]

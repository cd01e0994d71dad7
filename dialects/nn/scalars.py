"""Scalar ops of `nn` that kernels need and that `arith` and `math` lack."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import AnyFloatConstr, IntegerType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, VarConstraint, base, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from ...ir import Array
from ..core.semantics import scalar


@irdl_op_definition
class IntegerSqrtOp(IRDLOperation):
    """
    The largest integer whose square is at most a non-negative integer.

        %r = nn.isqrt %x : i64
    """

    T: ClassVar = VarConstraint("T", base(IntegerType))

    name = "nn.isqrt"
    x = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($result)"

    def __init__(self, x: SSAValue):
        super().__init__(operands=[x], result_types=[x.type])


@scalar(IntegerSqrtOp)
def _isqrt(op: IntegerSqrtOp, x: Array) -> Array:
    root = np.floor(np.sqrt(np.asarray(x, np.float64))).astype(np.int64)
    wide = np.asarray(x, np.int64)
    with np.errstate(over="ignore"):
        rest = wide - root * root  # a square that wraps around wraps back
    root = np.where(rest < 0, root - 1, np.where(rest > 2 * root, root + 1, root))
    return root.astype(np.asarray(x).dtype)


@irdl_op_definition
class RemainderOp(IRDLOperation):
    """
    The remainder of a division of floats that is rounded toward zero, exact, with the sign of the dividend: C's fmod.

        %r = nn.remainder %a, %b : f32
    """

    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    name = "nn.remainder"
    a = operand_def(T)
    b = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$a `,` $b attr-dict `:` type($result)"

    def __init__(self, a: SSAValue, b: SSAValue):
        super().__init__(operands=[a, b], result_types=[a.type])


@scalar(RemainderOp)
def _remainder(op: RemainderOp, a: Array, b: Array) -> Array:
    return np.fmod(a, b)

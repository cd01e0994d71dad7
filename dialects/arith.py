"""
Upstream's `arith`: xDSL's with the ops that it lacks.

    %r = arith.remf %a, %b : f32
    %i = arith.index_castui %n : i32 to index

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/ArithOps/.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure

from ..ir import Array
from .core.extended import extended
from .core.index_cast import IndexCastUIOp
from .core.semantics import scalar


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """
    The remainder of a division of floats that is rounded toward zero, exact, with the sign of the dividend: C's fmod.

        %r = arith.remf %a, %b : f32
    """

    name = "arith.remf"
    traits = traits_def(Pure())


@scalar(RemFOp)
def _remf(op: RemFOp, a: Array, b: Array) -> Array:
    return np.fmod(a, b)


ARITH = extended(Arith, [RemFOp, IndexCastUIOp])

"""
Upstream's `linalg`: xDSL's with all structured ops of MLIR 19.

    %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
        ins(%x, %k : tensor<1x9x3xi8>, tensor<3x3x4xi8>) outs(%y : tensor<1x4x4xi32>) -> tensor<1x4x4xi32>

A named op has the kernel view of the `linalg.generic` that it stands for, by its line in `definitions.py`. Syntax and
meaning are upstream's: https://mlir.llvm.org/docs/Dialects/Linalg/.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation, NamedOperation
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import traits_def
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of
from ..core.extended import extended
from ..core.kernel import is_shaped
from .broadcast import LinalgBroadcastOp
from .decomposed import (
    LinalgSoftmaxOp,
    WinogradFilterTransformOp,
    WinogradInputTransformOp,
    WinogradOutputTransformOp,
)
from .functions import BinaryFunctionAttr, TypeFunctionAttr, UnaryFunctionAttr
from .named import NAMED
from .payload import LinalgReduceOp, MapOp
from .scalar_code import hidden_region


def _types_of(inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> list[Attribute]:
    return [element_of(value) if is_shaped(value) else value.type for value in (*inputs, *outputs)]


def _hide_upstream_region(op: type[NamedOperation]) -> None:
    """Give a class of xDSL the region that upstream hides, which converts and knows truth values."""

    def get_hidden_region(cls: type[NamedOperation], inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return hidden_region(op.name.removeprefix("linalg."), _types_of(inputs, outputs))

    setattr(op, "get_hidden_region", classmethod(get_hidden_region))


class _InStructuredOp(OpTrait):
    """Verifier: the op is directly in the region of a structured op of `linalg`."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and not isinstance(parent, LinalgStructuredOperation | MapOp):
            raise VerifyException(f"'{op.name}' expects parent op 'linalg.generic', or another structured op of linalg")


for _op in (linalg.AddOp, linalg.FillOp, linalg.MulOp):
    _hide_upstream_region(_op)
linalg.IndexOp.traits = linalg.IndexOp.get_irdl_definition().traits = traits_def(_InStructuredOp())

_DECOMPOSED = (
    LinalgSoftmaxOp,
    WinogradFilterTransformOp,
    WinogradInputTransformOp,
    WinogradOutputTransformOp,
)
LINALG = extended(
    Linalg,
    [*NAMED, *_DECOMPOSED, LinalgBroadcastOp, LinalgReduceOp, MapOp],
    [BinaryFunctionAttr, TypeFunctionAttr, UnaryFunctionAttr],
)

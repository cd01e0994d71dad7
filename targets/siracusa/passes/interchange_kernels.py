"""Loop interchange of elementwise kernels, so that constants of channels stay in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.core.kernel import kernel_of
from ....dialects.core.nesting import nested_ops
from ....ir import functions
from ....passes.core.base import Pass
from ..loops.interchange import loop_order


def interchange(op: GenericOp, order: Sequence[int]) -> None:
    """Permute the loops of a kernel: loop `order[i]` becomes loop i."""
    places = {dim: place for place, dim in enumerate(order)}
    moved = [AffineExpr.dimension(places[dim]) for dim in range(len(order))]
    maps: list[AffineMapAttr] = []
    for attribute in op.indexing_maps.data:
        results = [expr.replace_dims_and_symbols(moved, []) for expr in attribute.data.results]
        maps.append(AffineMapAttr(AffineMap(len(order), 0, tuple(results))))
    op.properties["indexing_maps"] = ArrayAttr(maps)
    op.properties["iterator_types"] = ArrayAttr([op.iterator_types.data[dim] for dim in order])
    for inner in nested_ops(op.body):
        if isinstance(inner, IndexOp):
            inner.properties["dim"] = IntegerAttr(places[inner.dim.value.data], i64)


@dataclass(frozen=True)
class InterchangeKernelsPass(Pass):
    """
    Make the channels of elementwise kernels their outermost loop, where operands vary along them alone.

    The operands are then loaded once for all pixels. Run it on kernels on buffers, before loops.
    """

    name = "interchange-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for kernel in [inner for inner in nested_ops(function) if inner.name == GenericOp.name]:
                order = loop_order(kernel_of(kernel))
                if list(order) != sorted(order):
                    interchange(cast(GenericOp, kernel), order)

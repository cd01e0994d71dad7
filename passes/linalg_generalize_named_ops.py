"""Generalisation of the structured ops of `linalg` that have a name of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.linalg.payload import MapOp
from ..ir import element_of, shape_of
from .core.base import Pass


def linalg_generalize_named_ops(module: ModuleOp) -> None:
    """Replace each named op, `linalg.map`, `.reduce`, `.transpose` and `.broadcast` by its `linalg.generic`."""
    for op in list(nested_ops(module)):
        if isinstance(op, LinalgStructuredOperation) and not isinstance(op, GenericOp):
            maps, kinds = op.get_indexing_maps().data, op.get_iterator_types().data
            _generalize(op, op.inputs, op.outputs, maps, kinds)
        elif isinstance(op, MapOp):
            rank = len(shape_of(op.init))
            op.mapper.block.insert_arg(element_of(op.init), len(op.inputs))
            maps = [AffineMapAttr(AffineMap.identity(rank))] * (len(op.inputs) + 1)
            _generalize(op, op.inputs, [op.init], maps, [IteratorTypeAttr.parallel()] * rank)


def _generalize(
    op: Operation,
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    maps: Sequence[AffineMapAttr],
    kinds: Sequence[IteratorTypeAttr],
) -> None:
    region = op.detach_region(0)
    Rewriter.replace_op(op, GenericOp(inputs, outputs, region, maps, kinds, op.result_types))


@dataclass(frozen=True)
class LinalgGeneralizeNamedOpsPass(Pass):
    """
    Replace named structured ops, linalg.map, .reduce, .transpose and .broadcast by linalg.generic.

    Upstream's pass of that name.
    """

    name = "linalg-generalize-named-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        linalg_generalize_named_ops(op)

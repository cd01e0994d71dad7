"""The pass `widen-groups`: convolve fewer, wider groups with zeros in the weights, where an engine runs that faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, i64
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp
from ..ir import Array, array_of, dense, element_of, functions
from .core.base import Pass
from .map_engines import mapped_engine


def widen_groups(op: ConvOp, machine: Machine) -> bool:
    """Replace a grouped convolution by the fastest one of fewer groups; return whether one is faster."""
    weights = op.inputs[1].owner
    constant = weights.value if isinstance(weights, arith.ConstantOp) else None
    groups = op.groups.value.data
    if groups == 1 or op.packed_bits or not isinstance(constant, DenseIntOrFPElementsAttr) or op.im2col is not None:
        return False
    values = array_of(cast("DenseIntOrFPElementsAttr[Any]", constant))
    best, fastest = machine.cost(mapped_engine(op, machine), op), None
    for count in [divisor for divisor in range(groups - 1, 0, -1) if groups % divisor == 0]:
        wide = _widened(op, values, count)
        cost = min((cycles for _, cycles in machine.engines_for(wide)), default=None)
        if cost is not None and (best is None or cost < best):
            best, fastest = cost, wide
    if fastest is None:
        return False
    wide_weights = fastest.inputs[1].owner
    assert isinstance(wide_weights, arith.ConstantOp)
    for new in (wide_weights, fastest):
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.replace_op(op, [], list(fastest.results))
    return True


def _widened(op: ConvOp, values: Array, count: int) -> ConvOp:
    """Build the detached convolution of `count` groups."""
    is_last = op.channels_last is not None
    own = values if is_last else np.moveaxis(values, 1, -1)
    features, depth = own.shape[0], own.shape[-1]
    merged = op.groups.value.data // count
    wide = np.zeros((*own.shape[:-1], depth * merged), own.dtype)
    per_group = features // op.groups.value.data
    for feature in range(features):
        first = feature // per_group % merged * depth
        wide[feature, ..., first : first + depth] = own[feature]
    wide = wide if is_last else np.moveaxis(wide, -1, 1)
    constant = arith.ConstantOp(cast(Any, dense(wide, element_of(op.inputs[1]))))
    constant.result.name_hint = op.inputs[1].name_hint
    kept = {name: attribute for name, attribute in op.properties.items() if name != "operandSegmentSizes"}
    properties = kept | {"groups": IntegerAttr(count, i64)}
    regions = [[op.epilogue.clone()] if op.epilogue is not None else []]
    convolution = ConvOp.create_from(
        [op.inputs[0], constant.result], list(op.extras), list(op.outputs), properties, regions, dict(op.attributes)
    )
    assert isinstance(convolution, ConvOp)
    return convolution


@dataclass(frozen=True)
class WidenGroupsPass(Pass):
    """
    Convolve fewer, wider groups with zeros in the weights, where an engine runs that faster.

    On tensors with a machine (attach-machine). A depthwise convolution of 32 channels may become one of 2 groups of 16
    channels, whose weights are 0 but for the diagonal of each group: an engine for dense products then runs it. Of all
    numbers of groups the one with the least modelled cycles is chosen. Others, and weights that are no constants, are
    unchanged.
    """

    name = "widen-groups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            for convolution in [inner for inner in nested_ops(function) if isinstance(inner, ConvOp)]:
                widen_groups(convolution, machine)

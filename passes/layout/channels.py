"""Propagation of channels-last layout between contractions: pooling, padding, elementwise kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation

from ...dialects.nn import ConvOp, PoolOp
from ...ir import functions, numbers_of, shape_of
from ..fuse_epilogues import is_elementwise
from .state import Layout, empty_like, padded, permutation, permuted, rebuilt

Rule = Callable[[Layout, Operation], bool]
"""Replaces an op by one of another layout, or returns False; the op then follows its operands."""


def convert_channels(module: ModuleOp, is_taken: Callable[[ConvOp], bool], rule: Rule) -> None:
    """
    Convert the kernels of every function to channels-last layout by a rule, and propagate the layout between them.

    `is_taken` says of which convolutions the rule makes channels-last ones: their padding follows them. Values that
    others need are transposed back for them.
    """
    for function in functions(module):
        for block in _blocks(function.body.block):
            _convert(block, is_taken, rule)


def _convert(block: Block, is_taken: Callable[[ConvOp], bool], rule: Rule) -> None:
    state = Layout(is_taken)
    for op in list(block.ops):
        state.current = op
        if rule(state, op):
            continue
        if isinstance(op, PoolOp) and not op.channels_last and state.follows(op.inputs):
            _convert_pool(state, op)
        elif isinstance(op, tensor.PadOp) and len(shape_of(op.results[0])) > 2:
            _convert_pad(state, op)
        elif is_elementwise(op) and state.follows(cast(linalg.GenericOp, op).inputs):
            _convert_elementwise(state, cast(linalg.GenericOp, op))
    state.erase_unused()


def _convert_pool(state: Layout, op: PoolOp) -> None:
    names = ("window", "strides", "dilations", "pads", "kind", "accumulator", "wraps")
    properties: dict[str, Attribute | None] = {n: op.properties[n] for n in names if n in op.properties}
    properties["channels_last"] = UnitAttr()
    state.replace(op, rebuilt(state, op, PoolOp, [state.last(op.inputs[0])], properties))


def _convert_pad(state: Layout, op: tensor.PadOp) -> None:
    """Convert padding all of whose users are convolutions that become channels-last."""
    users = [use.operation for use in op.results[0].uses]
    fill = op.region.block.last_op.operands[0].owner if op.region.block.last_op is not None else None
    if not users or not all(isinstance(user, ConvOp) and state.is_taken(user) for user in users):
        return
    if not isinstance(fill, arith.ConstantOp) or op.low or op.high:
        return
    order = permutation(len(shape_of(op.results[0])))
    low, high = ([int(numbers[axis]) for axis in order] for numbers in map(numbers_of, (op.static_low, op.static_high)))
    state.replace(op, padded(state, state.last(op.source), low, high, fill.clone()))


def _convert_elementwise(state: Layout, op: linalg.GenericOp) -> None:
    rank = len(shape_of(op.results[0]))
    inputs, maps = permuted(state, list(op.inputs), op.indexing_maps.data[:-1], rank)
    out = empty_like(state, op.results[0])
    body = op.detach_region(op.body)
    twin = linalg.GenericOp(inputs, [out], body, [*maps, op.indexing_maps.data[-1]], op.iterator_types, [out.type])
    twin.attributes |= op.attributes
    state.replace(op, state.emit(twin))


def _blocks(block: Block) -> list[Block]:
    """Return a block and the blocks of its conditionals and loops."""
    nested = [op for op in block.walk() if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp)]
    return [block, *(inner for op in nested for region in op.regions for inner in region.blocks)]

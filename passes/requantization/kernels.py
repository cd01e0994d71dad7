"""Rewriting of the scalar code of kernels on tensors, with constants of channels as operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.kernel import single_block
from ...dialects.core.kernel_op import KernelOp
from ...dialects.nn import ConvOp, MatmulOp
from ...dialects.nn.contraction import ContractionOp
from ...dialects.quant import RequantizeOp, RescaleOp
from ...ir import Array, dense, numpy_type, shape_of
from ..fuse_epilogues import is_elementwise
from .channels import Channels, channel_axis, channels_of, sums_of
from .steps import Domain

Kinds: TypeAlias = tuple[type[RequantizeOp] | type[RescaleOp], ...]
"""Classes of requantisations."""
Rewrite: TypeAlias = Callable[[Block, Channels, Domain | None], "list[tuple[SSAValue, Array]] | None"]
"""
Rewrites a body, given its channels and the sums of its first argument, if these are known.

Returns new arguments, at the end of the block, with their constants [channels]; None where nothing changed.
"""


def rewrite_requantizations(op: Operation, rewrite: Rewrite, kinds: Kinds) -> None:
    """Rewrite the body of a kernel on tensors that has requantisations of these kinds."""
    block = single_block(op.epilogue) if isinstance(op, KernelOp) else None
    if is_elementwise(op):
        block = cast(GenericOp, op).body.block
    if block is None or not any(isinstance(inner, kinds) for inner in block.ops):
        return
    if isinstance(op, KernelOp):
        _rewrite_epilogue(op, block, rewrite)
    else:
        _rewrite_generic(cast(GenericOp, op), block, rewrite)


def _rewrite_epilogue(op: KernelOp, block: Block, rewrite: Rewrite) -> None:
    if not op.results:
        return
    maps = [attribute.data for attribute in op.epilogue_maps or ()]
    taken, shape = list(zip(op.extras, maps, strict=True)), shape_of(op.output)
    axis = channel_axis(op) if isinstance(op, ConvOp | MatmulOp) else -1
    channels = channels_of(block, taken, shape, axis)
    sums = sums_of(op) if isinstance(op, ContractionOp) else None
    if sums is not None and axis != channels.axis:
        sums = Domain(sums.least.min(keepdims=True), sums.most.max(keepdims=True))
    added = rewrite(block, channels, sums)
    if added is None:
        return
    taken += _constants(op, added, len(shape), channels.axis)
    kept = _kept(block, len(taken))
    properties = {k: v for k, v in op.properties.items() if k not in ("operandSegmentSizes", "epilogue_maps")}
    extras = [taken[k][0] for k in kept]
    epilogue_maps = [AffineMapAttr(taken[k][1]) for k in kept]
    epilogue = cast(Region, op.epilogue).clone()
    new = op.__class__(
        list(op.inputs),
        op.output,
        cast(Any, properties),
        extras=extras,
        epilogue_maps=epilogue_maps,
        epilogue=epilogue,
    )
    _put(new, op)


def _rewrite_generic(op: GenericOp, block: Block, rewrite: Rewrite) -> None:
    maps = [attribute.data for attribute in op.indexing_maps.data]
    taken, shape = list(zip(op.inputs, maps, strict=False)), shape_of(op.outputs[0])
    element = block.args[-1].type
    block.erase_arg(block.args[-1])
    channels = channels_of(block, taken, shape, -1)
    added = rewrite(block, channels, None)
    taken += _constants(op, added or [], len(shape), channels.axis)
    kept = range(len(taken)) if added is None else _kept(block, len(taken))
    block.insert_arg(element, len(block.args))
    if added is None:
        return
    new_maps = [AffineMapAttr(taken[k][1]) for k in kept] + [op.indexing_maps.data[-1]]
    inputs, outputs = [taken[k][0] for k in kept], list(op.outputs)
    new = GenericOp(inputs, outputs, op.body.clone(), new_maps, op.iterator_types, op.result_types)
    _put(new, op)


def _kept(block: Block, count: int) -> list[int]:
    """Erase unused arguments among the last `count` of a body; return the positions of the others."""
    arguments = block.args[len(block.args) - count :]
    kept = [index for index, argument in enumerate(arguments) if argument.uses]
    for argument in reversed(arguments):
        if not argument.uses:
            block.erase_arg(argument)
    return kept


def _constants(
    op: Operation, added: list[tuple[SSAValue, Array]], rank: int, axis: int
) -> list[tuple[SSAValue, AffineMap]]:
    """Insert the constants of new arguments before a kernel; return them with their indexing maps."""
    operands: list[tuple[SSAValue, AffineMap]] = []
    for argument, numbers in added:
        constant = arith.ConstantOp(cast(Any, dense(numbers.astype(numpy_type(argument.type)), argument.type)))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        operands.append((constant.result, AffineMap(rank, 0, (AffineMap.identity(rank).results[axis],))))
    return operands


def _put(new: Operation, old: Operation) -> None:
    """Replace a kernel by another."""
    new.location = old.location
    new.attributes |= old.attributes
    hint = old.results[0].name_hint
    Rewriter.replace_op(old, new)
    new.results[0].name_hint = hint

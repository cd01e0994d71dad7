"""Strength reduction of constant requantisation from 64 bits or floats to exact 32-bit products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import single_block
from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp, MatmulOp
from ..dialects.nn.contraction import ContractionOp
from ..dialects.quant import RequantizeOp, RescaleOp
from ..ir import Array, dense, functions, numpy_type, shape_of
from ..runtime.interpreter import load_rules
from .core.base import Pass
from .fuse_epilogues import is_elementwise
from .requantization.channels import channel_axis, channels_of, sums_of
from .requantization.narrow import narrow_body
from .requantization.steps import Domain


def narrow_requantization(op: Operation) -> None:
    """Rewrite the requantisations of a kernel on tensors in 32 bits if that is cheaper."""
    block = single_block(op.epilogue) if isinstance(op, KernelOp) else None
    if is_elementwise(op):
        block = cast(GenericOp, op).body.block
    if block is None or not any(isinstance(inner, RequantizeOp | RescaleOp) for inner in block.ops):
        return
    if isinstance(op, KernelOp):
        _narrow_epilogue(op, block)
    else:
        _narrow_generic(cast(GenericOp, op), block)


def _narrow_epilogue(op: KernelOp, block: Block) -> None:
    if not op.results:
        return
    maps = [attribute.data for attribute in op.epilogue_maps or ()]
    taken, shape = list(zip(op.extras, maps, strict=True)), shape_of(op.output)
    axis = channel_axis(op) if isinstance(op, ConvOp | MatmulOp) else -1
    channels = channels_of(block, taken, shape, axis)
    sums = sums_of(op) if isinstance(op, ContractionOp) else None
    if sums is not None and axis != channels.axis:
        sums = Domain(sums.least.min(keepdims=True), sums.most.max(keepdims=True))
    made = narrow_body(block, channels, sums)
    if made is None:
        return
    taken += _constants(op, made, len(shape), channels.axis)
    kept = _kept(block, len(taken))
    properties = {k: v for k, v in op.properties.items() if k not in ("operandSegmentSizes", "epilogue_maps")}
    new = op.__class__(
        list(op.inputs),
        op.output,
        cast(Any, properties),
        extras=[taken[k][0] for k in kept],
        epilogue_maps=[AffineMapAttr(taken[k][1]) for k in kept],
        epilogue=cast(Region, op.epilogue).clone(),
    )
    _put(new, op)


def _narrow_generic(op: GenericOp, block: Block) -> None:
    maps = [attribute.data for attribute in op.indexing_maps.data]
    taken, shape = list(zip(op.inputs, maps, strict=False)), shape_of(op.outputs[0])
    element = block.args[-1].type
    block.erase_arg(block.args[-1])
    channels = channels_of(block, taken, shape, -1)
    made = narrow_body(block, channels, None)
    taken += _constants(op, made or [], len(shape), channels.axis)
    kept = range(len(taken)) if made is None else _kept(block, len(taken))
    block.insert_arg(element, len(block.args))
    if made is None:
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
    op: Operation, made: list[tuple[SSAValue, Array]], rank: int, axis: int
) -> list[tuple[SSAValue, AffineMap]]:
    """Insert the constants of new arguments before a kernel; return them with their indexing maps."""
    found: list[tuple[SSAValue, AffineMap]] = []
    for argument, numbers in made:
        constant = arith.ConstantOp(cast(Any, dense(numbers.astype(numpy_type(argument.type)), argument.type)))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        found.append((constant.result, AffineMap(rank, 0, (AffineMap.identity(rank).results[axis],))))
    return found


def _put(new: Operation, old: Operation) -> None:
    """Replace a kernel by another."""
    new.location = old.location
    new.attributes |= old.attributes
    hint = old.results[0].name_hint
    Rewriter.replace_op(old, new)
    new.results[0].name_hint = hint


@dataclass(frozen=True)
class NarrowRequantizationPass(Pass):
    """
    Replace requantisations by constants, in 64 bits or floats, by equal products in 32 bits.

    Weights are constant, so the value range of each channel's accumulator is known. If factor, summand and rounding fit
    32 bits for this range, the result is `(sum * factor + summand) >> shift`, including a preceding bias. Otherwise,
    and for float factors, it is `(upper(sum << left, factor) + summand) >> right`, with parameters searched per channel
    such that all thresholds of the result are equal. For thresholds that no line has, since floats round what is near a
    half to even results, odd results may come later by a number of each channel, and one sum before and one behind its
    threshold be compared with. Without a solution the exact product is rounded as floats are, or the requantisation
    stays. Run it on tensors, after the last fuse-epilogues.
    """

    name = "narrow-requantization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        for function in functions(op):
            for kernel in nested_ops(function.body):
                narrow_requantization(kernel)

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
from .requantization.narrow import Kinds, narrow_body
from .requantization.steps import Domain


def narrow_requantization(op: Operation, kinds: Kinds) -> None:
    """Rewrite the requantisations of a kernel on tensors in 32 bits if that is cheaper."""
    block = single_block(op.epilogue) if isinstance(op, KernelOp) else None
    if is_elementwise(op):
        block = cast(GenericOp, op).body.block
    if block is None or not any(isinstance(inner, kinds) for inner in block.ops):
        return
    if isinstance(op, KernelOp):
        _narrow_epilogue(op, block, kinds)
    else:
        _narrow_generic(cast(GenericOp, op), block, kinds)


def _narrow_epilogue(op: KernelOp, block: Block, kinds: Kinds) -> None:
    if not op.results:
        return
    maps = [attribute.data for attribute in op.epilogue_maps or ()]
    taken, shape = list(zip(op.extras, maps, strict=True)), shape_of(op.output)
    axis = channel_axis(op) if isinstance(op, ConvOp | MatmulOp) else -1
    channels = channels_of(block, taken, shape, axis)
    sums = sums_of(op) if isinstance(op, ContractionOp) else None
    if sums is not None and axis != channels.axis:
        sums = Domain(sums.least.min(keepdims=True), sums.most.max(keepdims=True))
    made = narrow_body(block, channels, sums, kinds)
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


def _narrow_generic(op: GenericOp, block: Block, kinds: Kinds) -> None:
    maps = [attribute.data for attribute in op.indexing_maps.data]
    taken, shape = list(zip(op.inputs, maps, strict=False)), shape_of(op.outputs[0])
    element = block.args[-1].type
    block.erase_arg(block.args[-1])
    channels = channels_of(block, taken, shape, -1)
    made = narrow_body(block, channels, None, kinds)
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
    Replace requantisations by constants, in 64 bits or floats, by products in 32 bits.

    If factor, summand and rounding of an integer one fit 32 bits for all sums of a channel, it becomes
    `(sum * factor + summand) >> shift`, including a preceding bias. All else that is a function of one sum, float or
    byte, or of two bytes, becomes an integer line with a rounding test (Ziv, ACM TOMS 17, 1991): next to its steps,
    where the line may be off by one, the original code decides.

        %t = (%x >> r) * %factor + %summand
        %y = arith.select (%t mod 2^s < margin), %original, %t >> s {branch_weights = array<i32: 1, 99>}

    The margin is proved: on all bytes and pairs of bytes, and on both sides of every step of a nondecreasing function.
    Weights are constant, so the value range of each channel's sums is known. Where the line has no margin, and where a
    byte is looked up, the original code goes. Run it on tensors, after the last fuse-epilogues, and
    `convert-select-to-branch` on loops. With `rescale-only`, integer requantisations stay, for an engine that does
    them.
    """

    name = "narrow-requantization"

    rescale_only: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        kinds = (RescaleOp,) if self.rescale_only else (RequantizeOp, RescaleOp)
        for function in functions(op):
            for kernel in nested_ops(function.body):
                narrow_requantization(kernel, kinds)

"""Strength reduction of constant requantisation from 64 bits or floats to exact 32-bit products."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from ..dialects.core.nesting import nested_ops
from ..dialects.quant import RequantizeOp, RescaleOp
from ..ir import Array, functions
from ..runtime.interpreter import load_rules
from .core.base import Pass
from .requantization.channels import Channels
from .requantization.kernels import Kinds, rewrite_requantizations
from .requantization.narrow import narrow_body
from .requantization.steps import Domain


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
        kinds: Kinds = (RescaleOp,) if self.rescale_only else (RequantizeOp, RescaleOp)

        def rewrite(block: Block, channels: Channels, sums: Domain | None) -> list[tuple[SSAValue, Array]] | None:
            return narrow_body(block, channels, sums, kinds)

        for function in functions(op):
            for kernel in nested_ops(function.body):
                rewrite_requantizations(kernel, rewrite, kinds)

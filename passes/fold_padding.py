"""The pass `fold-padding`: convolutions read the tensor before a padding, where transfers fill it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64
from xdsl.ir import Attribute
from xdsl.rewriter import Rewriter

from ..dialects.core.kernel import Kernel, kernel_of
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.machine.operations import OpSupport
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import ConvOp
from ..ir import functions, numbers_of
from .core.base import Pass


def fold_padding(op: ConvOp, machine: Machine) -> bool:
    """Make the padding of a convolution's input its own, where transfers to its engine fill it; return whether so."""
    source = op.inputs[0].owner
    pads = _with_padding(op, source) if isinstance(source, tensor.PadOp) else None
    if pads is None:
        return False
    assert isinstance(source, tensor.PadOp)
    before, operand = op.properties["pads"], op.operands[0]
    op.properties["pads"], op.operands[0] = DenseArrayBase.from_list(i64, pads), source.source
    kernel, able = kernel_of(op), machine.engines_for(op)
    support = able[0][0].support(op) if able else None
    if support is None or kernel.inputs[0].fill != _fill_of(source) or not _is_filled(support, kernel):
        op.properties["pads"], op.operands[0] = before, operand
        return False
    if not source.result.uses:
        Rewriter.erase_op(source)
    return True


def _is_filled(support: OpSupport, kernel: Kernel) -> bool:
    """Return whether transfers fill the padding, and channels the engine's blocks, so that no windows are unfolded."""
    limits = zip(kernel.bounds, support.blocks(kernel), strict=True)
    wide = all(extent >= block for dim, (extent, block) in enumerate(limits) if dim in kernel.reduced)
    return "ins" in support.filled and wide


def _with_padding(op: ConvOp, source: tensor.PadOp) -> list[int] | None:
    """Return the pads of a convolution together with those before it, None where these are not of its windows' axes."""
    if source.low or source.high:
        return None
    pads, first = numbers_of(op.pads), 1 if op.channels_last is not None else 2
    rank = len(pads) // 2
    ends = [numbers_of(sizes) for sizes in (source.static_low, source.static_high)]
    if any(_outside(end, first, rank) for end in ends):
        return None
    added = [number for end in ends for number in end[first : first + rank]]
    return [a + b for a, b in zip(pads, added, strict=True)] if min(added) >= 0 else None


def _outside(ends: Sequence[int], first: int, rank: int) -> bool:
    return any(ends[:first]) or any(ends[first + rank :])


def _fill_of(source: tensor.PadOp) -> Attribute | None:
    """Return the constant that a padding has everywhere, None where it varies."""
    end = source.region.block.last_op
    assert isinstance(end, tensor.YieldOp)
    owner = end.operands[0].owner
    return owner.value if isinstance(owner, arith.ConstantOp) else None


@dataclass(frozen=True)
class FoldPaddingPass(Pass):
    """
    Fold the padding of a tensor into the convolutions that read it, where transfers to their engine fill it.

    Run it on tensors. `tensor.pad` with zeros and `nn.conv` become `nn.conv` with `pads`, if the machine says that the
    fastest engine's inputs are `filled`: no padded copy is written or read. Paddings by other numbers are kept, and
    those of fewer channels than the engine multiplies in a block, whose windows are unfolded (unfold-windows).
    """

    name = "fold-padding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            for convolution in nested_ops(function):
                if isinstance(convolution, ConvOp):
                    fold_padding(convolution, machine)

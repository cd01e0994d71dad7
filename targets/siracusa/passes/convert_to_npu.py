"""Convolutions and matrix products become kernels of the NPU where it can do them, and does them faster."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from ....errors import Diagnostic
from ....ir import element_of, functions, numpy_type, shape_of, verify, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE
from ...core.machine import Engine, Machine
from ...core.machine_attribute import machine_of
from ..npu.conversion import Conversion
from ..npu.sources import is_candidate, source_of


def convert_to_npu(module: ModuleOp, block: Block, engine: str, *, everything: bool = False) -> None:
    """
    Convert the kernels of a block of tensor-level ops that the NPU, the machine's engine of that name, is to do.

    A kernel whose attribute `engine` names it must be one that it can do, one that names another is left alone. Of the
    rest those are converted that take fewer modelled cycles so than on the fastest other engine, what is left of their
    epilogue included; with `everything` all that the NPU can do. Raises Diagnostic where the NPU cannot do a kernel
    that names it, and where there is no machine to ask.
    """
    for op in list(block.ops):
        hint = op.attributes.get(ATTRIBUTE)
        if not is_candidate(op) or (hint is not None and hint != StringAttr(engine)):
            continue
        must = hint is not None or everything
        try:
            conversion = _converted(op)
        except Diagnostic:
            if hint is not None:
                raise
            continue
        if must or _is_faster(conversion, op, engine, machine_of(module)):
            _replace(conversion, op, engine)
        else:
            conversion.undo()


def _converted(op: Operation) -> Conversion:
    """Return what stands for a kernel on the NPU, inserted before it. Raises Diagnostic where the NPU cannot do it."""
    conversion = Conversion(source_of(op))
    try:
        verify(conversion.kernel)
    except Diagnostic as error:
        conversion.undo()
        raise Diagnostic(f"the NPU cannot do '{op.name}': {error.message}", where=where(op)) from error
    return conversion


def _is_faster(conversion: Conversion, op: Operation, engine: str, machine: Machine) -> bool:
    """Return whether the NPU and, for what is left, the fastest other engine take less than that engine alone."""
    able = [each for each in machine.engines if each.name == engine]
    cycles = machine.cost(able[0], conversion.kernel) if able else None
    others = [_with_weights(cost, op, each, machine) for each, cost in machine.engines_for(op) if each.name != engine]
    if cycles is None or not others:
        return cycles is not None
    cycles = _with_weights(cycles, conversion.kernel, able[0], machine)
    if conversion.rest is not None:
        rests = [cost for each, cost in machine.engines_for(conversion.rest) if each.name != engine]
        cycles += min(rests, default=0)
    return cycles < min(others)


def _with_weights(cycles: int, op: Operation, engine: Engine, machine: Machine) -> int:
    """Return the cycles of a kernel, or of fetching its weights meanwhile, if that takes longer and has to be."""
    if any(machine.level(name).preloaded for name in engine.levels_of("weights")):
        return cycles
    weights = op.operands[1]
    size = prod(shape_of(weights)) * numpy_type(element_of(weights)).itemsize
    return max(cycles, machine.fetch_cycles(engine, size))


def _replace(conversion: Conversion, op: Operation, engine: str) -> None:
    conversion.kernel.attributes[ATTRIBUTE] = StringAttr(engine)
    conversion.result.name_hint = op.results[0].name_hint
    inputs = [value.owner for value in op.operands]
    Rewriter.replace_op(op, [], [conversion.result])
    for made in inputs:
        if isinstance(made, tensor.PadOp) and not made.results[0].uses:
            Rewriter.erase_op(made)


@dataclass(frozen=True)
class ConvertToNpuPass(Pass):
    """
    Turn convolutions and matrix products of bytes with constant weights into kernels of the NPU.

    Windows of 1x1 or 3x3, dense or depthwise, and products of rows with a matrix can be done: `npu.conv` and
    `npu.matmul`, with packed weights; strides by leaving out pixels before or after. Requantisation becomes the
    kernel's own where the NPU does it bit for bit; what it does not is left as an elementwise kernel, after bytes or
    after sums of 32 bits. Which kernels are converted say their attributes `engine`, or else the machine's costs, that
    of fetching weights included: run attach-machine before. `engine` is the name of the NPU among the machine's
    engines; `everything` converts all that it can do. Run it after fuse-epilogues, and after convert-layout, whose
    packed kernels and padding it takes too.
    """

    name = "convert-to-npu"

    engine: str = "npu"
    everything: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_to_npu(op, function.body.block, self.engine, everything=self.everything)

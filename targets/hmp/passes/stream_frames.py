"""The pass `stream-frames`: a pipeline takes frames from a source and gives them to a sink, until input ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.nesting import nested_ops
from ....dialects.hier import ConcurrentOp, ProgramOp
from ....errors import Diagnostic
from ....ir import functions, numbers_of, shape_of, where
from ....passes.core.base import Pass
from ....passes.emitc.programs import THREADS
from ..dialects.hmp import MarkOp, NextFrameOp, ReadFrameOp, WriteFrameOp
from .find_layers import layer_of
from .outline_stages import LAYERS, OUTPUT
from .pipeline_frames import SINK, SOURCE
from .submit_npu_frames import SUBMITS

HEADER = "tilewright_pipeline.h"
"""The C header of programs that take frames."""


def stream_frames(module: ModuleOp, function: FuncOp) -> None:
    """
    Make a pipeline over the frames of its arguments one over the frames of a source, without a last one.

    Ports are numbered in the order of the arguments, inputs and outputs apart.
    Raises Diagnostic for a pipeline of another form than that of pipeline-frames.
    """
    programs = [op for op in nested_ops(function) if isinstance(op, ProgramOp)]
    stages = {op.sym_name.data: op for op in functions(module) if LAYERS in op.attributes}
    submissions = {op.sym_name.data for op in functions(module) if SUBMITS in op.attributes}
    for program in programs:
        loop = _frame_loop(program)
        _stream_copies(program, loop, _ports(function))
        for call in [op for op in loop.body.block.ops if isinstance(op, func.CallOp)]:
            name = call.callee.string_value()
            if name not in stages and name not in submissions:
                continue
            _mark(call, "task", before=True)
            if name in stages:
                _mark(call, "layer", before=True, layer=_first_layer(stages[name]))
            _mark(call, "send", before=False)
        _repeat(loop)
    for stage in stages.values():
        _mark_layers(stage)
    _drop_arguments(function)
    module.attributes[THREADS] = StringAttr(HEADER)


def _ports(function: FuncOp) -> dict[SSAValue, int]:
    """Return the number of each argument among the inputs or the outputs of a network."""
    arguments = function.body.block.args
    said = cast("Sequence[DictionaryAttr]", function.arg_attrs or [DictionaryAttr({})] * len(arguments))
    ports: dict[SSAValue, int] = {}
    counts = {True: 0, False: 0}
    for argument, attributes in zip(arguments, said, strict=True):
        is_output = OUTPUT in attributes.data
        ports[argument] = counts[is_output]
        counts[is_output] += 1
    return ports


def _frame_loop(program: ProgramOp) -> scf.ForOp:
    """Return the loop of a program over frames. Raises Diagnostic for a program that does more than the loop."""
    loops = [op for op in program.body.block.ops if isinstance(op, scf.ForOp)]
    others = [op for op in program.body.block.ops if not isinstance(op, scf.ForOp) and op.name != "arith.constant"]
    if len(loops) != 1 or others or loops[0].iter_args:
        raise Diagnostic(
            f"the program '{program.title.data}' is no loop over frames",
            where=where(program),
            expected="one scf.for, as pipeline-frames makes it",
            remedy="run pipeline-frames before",
        )
    return loops[0]


def _stream_copies(program: ProgramOp, loop: scf.ForOp, ports: dict[SSAValue, int]) -> None:
    """Replace copies from and to frames of the network's arguments by reads of the source and writes to the sink."""
    filled: dict[SSAValue, SSAValue] = {}
    for op in [op for op in loop.body.block.ops if isinstance(op, memref.CopyOp)]:
        source, target = _argument_of(op.source), _argument_of(op.destination)
        if source is not None and source in filled:
            op.operands[0] = filled[source]
        elif source is not None:
            filled[source] = op.destination
            _replace(op, ReadFrameOp(op.destination, ports[source]))
        elif target is not None:
            _replace(op, WriteFrameOp(op.source, ports[target]))
    for op in [op for op in loop.body.block.ops if isinstance(op, memref.SubviewOp)]:
        if not op.result.uses:
            Rewriter.erase_op(op)
    frame = loop.body.block.args[0]
    if use := next(iter(frame.uses), None):
        raise Diagnostic(
            f"the program '{program.title.data}' depends on the number of the frame",
            where=where(use.operation),
            expected=f"copies of whole frames in the programs {SOURCE} and {SINK}",
            remedy="run stream-frames after pipeline-frames, before outline-kernels",
        )


def _argument_of(value: SSAValue) -> BlockArgument | None:
    """Return the network's argument of which a buffer is a frame, None for other buffers."""
    owner = value.owner
    if not isinstance(owner, memref.SubviewOp) or not isinstance(owner.source, BlockArgument):
        return None
    is_frame = shape_of(owner.source)[1:] == shape_of(value)
    return owner.source if is_frame and isinstance(owner.source.owner.parent_op(), FuncOp) else None


def _replace(op: Operation, new: Operation) -> None:
    new.location = op.location
    Rewriter.replace_op(op, new, [])


def _mark(op: Operation, kind: str, *, before: bool, layer: int | None = None) -> None:
    mark = MarkOp(kind, layer)
    mark.location = op.location
    Rewriter.insert_op(mark, InsertPoint.before(op) if before else InsertPoint.after(op))


def _first_layer(stage: FuncOp) -> int:
    return numbers_of(cast("DenseArrayBase[Any]", stage.attributes[LAYERS]))[0]


def _mark_layers(stage: FuncOp) -> None:
    """Mark the first op of each layer in the function of a stage but the first layer, which is marked at its call."""
    last = _first_layer(stage)
    for op in list(stage.body.block.ops):
        number = layer_of(op)
        if number is not None and number != last:
            _mark(op, "layer", before=True, layer=number)
            last = number


def _repeat(loop: scf.ForOp) -> None:
    """Replace a loop over a number of frames by one over all that come."""
    again = NextFrameOp()
    condition = scf.ConditionOp(again.more)
    block = loop.body.detach_block(0)
    block.erase_arg(block.args[0])
    endless = scf.WhileOp([], [], Region(Block([again, condition])), Region(block))
    for op in (again, condition, endless):
        op.location = loop.location
    bounds = dict.fromkeys(loop.operands)
    Rewriter.replace_op(loop, endless, [])
    for value in bounds:
        if not value.uses and isinstance(value.owner, Operation):
            Rewriter.erase_op(value.owner)


def _drop_arguments(function: FuncOp) -> None:
    """Drop the arguments of a network, which now come and go by ports."""
    block = function.body.block
    for argument in reversed(block.args):
        block.erase_arg(argument)
    function.properties["function_type"] = FunctionType.from_lists([], [])
    if function.arg_attrs is not None:
        function.properties["arg_attrs"] = ArrayAttr([])


@dataclass(frozen=True)
class StreamFramesPass(Pass):
    """
    Let a pipeline take frames from a source and give them to a sink, until input ends.

    The copies of the programs `source` and `sink` become hmp.read_frame and hmp.write_frame, and their loops those over
    hmp.next_frame, whose frames are counted in 64 bits. Marks show the profiler where stages and layers begin.
    Networks without a pipeline are unchanged. Run it after verify-memory, which proves the form with a number of
    frames: programs do the same for each of them.
    """

    name = "stream-frames"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if any(isinstance(inner, ConcurrentOp) for inner in function.body.block.ops):
                stream_frames(op, function)

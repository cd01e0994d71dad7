"""The pass `pipeline-frames`: stages run at once, each on a frame of its own, with bounded queues between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    LocationAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue

from ....dialects.core.builder import Builder
from ....dialects.hier import (
    ConcurrentOp,
    PopOp,
    ProgramOp,
    PushOp,
    ReleaseOp,
    ReserveOp,
    StreamOp,
    StreamType,
)
from ....errors import Diagnostic
from ....ir import element_of, functions, shape_of, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ....passes.memory.views import buffer_type, row_major
from .outline_stages import LAYERS, OUTPUT
from .submit_npu_frames import SUBMITS, outstanding_of

SOURCE, SINK = "source", "sink"
MODES = "pipeline", "switch"


class _FrameStream(NamedTuple):
    """A stream of frames of one buffer: from the stage that writes it to one that reads it."""

    buffer: SSAValue
    producer: int
    consumer: int
    stream: SSAValue


@dataclass
class _Stage:
    """A call of a stage, with the buffers that it reads and writes; the world has no call."""

    call: func.CallOp | None
    engine: str = ""
    reads: list[SSAValue] = field(default_factory=list[SSAValue])
    writes: list[SSAValue] = field(default_factory=list[SSAValue])
    slots: int = 0
    """Slots of the streams of what it writes, where it submits frames."""

    @property
    def title(self) -> str:
        """The name of the stage's function."""
        return self.call.callee.string_value() if self.call is not None else ""


def pipeline_frames(module: ModuleOp, function: FuncOp, frames: int, depth: int, *, switch: bool = False) -> None:
    """
    Make a function that calls stages a pipeline over `frames` frames, the first axis of its arguments.

    Each value goes by a stream of its own to each stage that reads it. `depth` slots a stream, or by default as many
    as keep all stages busy where their times are constant: one more than the stages that it spans. With `switch`, the
    source waits until the sink has taken the frame before.

    Raises Diagnostic for functions that do other than call stages.
    """
    stages = _stages(module, function)
    for stage in stages:
        assert stage.call is not None
    source, sink = _Stage(None), _Stage(None)
    said = cast("Sequence[DictionaryAttr]", function.arg_attrs or [DictionaryAttr({})] * len(function.body.block.args))
    for argument, attributes in zip(function.body.block.args, said, strict=True):
        (sink.reads if OUTPUT in attributes.data else source.writes).append(argument)
    old = function.body.block
    block = Block(arg_types=[_frames_of(argument, frames) for argument in old.args])
    for argument, before in zip(block.args, old.args, strict=True):
        argument.name_hint = before.name_hint
    world: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args, strict=True))

    writer = Builder.at_end(block, function.location)
    ends = [source, *stages, sink]
    queues = _queues(writer, ends, depth)
    turn = writer.op(StreamOp(1, StreamType.get())) if switch else None
    programs = [_program(stage, n, queues, world, frames, function.location, turn) for n, stage in enumerate(ends)]
    writer.insert(ConcurrentOp([program for program in programs if program is not None]))
    writer.insert(func.ReturnOp())
    function.body.detach_block(old)
    old.erase(safe_erase=False)
    function.body.add_block(block)
    function.properties["function_type"] = FunctionType.from_lists([argument.type for argument in block.args], [])


def _stages(module: ModuleOp, function: FuncOp) -> list[_Stage]:
    by_name = {defined.sym_name.data: defined for defined in functions(module)}
    stages: list[_Stage] = []
    for op in function.body.block.ops:
        if isinstance(op, memref.AllocOp | func.ReturnOp):
            continue
        callee = by_name.get(op.callee.string_value()) if isinstance(op, func.CallOp) else None
        if callee is None or not {LAYERS, SUBMITS} & callee.attributes.keys():
            raise Diagnostic(
                f"'{op.name}' is no stage, of which a pipeline is made",
                where=where(op),
                expected="calls of the functions that outline-stages makes, on buffers",
                remedy="run outline-stages and bufferize before, allocate-static after",
            )
        call = cast(func.CallOp, op)
        said = cast("Sequence[DictionaryAttr]", callee.arg_attrs or [])
        outputs = [OUTPUT in attributes.data for attributes in said]
        stage = _Stage(call, cast(StringAttr, callee.attributes[ENGINE]).data, slots=_slots(callee, by_name))
        for value, is_output in zip(call.arguments, outputs, strict=True):
            (stage.writes if is_output else stage.reads).append(value)
        stages.append(stage)
    if not stages:
        raise Diagnostic(
            "the network has no stages", where=where(function), remedy="run map-layers with an order, outline-stages"
        )
    return stages


def _slots(function: FuncOp, by_name: Mapping[str, FuncOp]) -> int:
    """Return the frames that a function may submit before the first is done, 0 for a stage."""
    submits = function.attributes.get(SUBMITS)
    return outstanding_of(by_name[submits.string_value()]) if isinstance(submits, SymbolRefAttr) else 0


def _frames_of(argument: SSAValue, frames: int) -> MemRefType[Any]:
    return buffer_type([frames, *shape_of(argument)], element_of(argument))


def _queues(writer: Builder, stages: Sequence[_Stage], depth: int) -> list[_FrameStream]:
    """Make a stream for each value and stage that reads it."""
    producers = {buffer: number for number, stage in enumerate(stages) for buffer in stage.writes}
    queues: list[_FrameStream] = []
    for consumer, stage in enumerate(stages):
        for buffer in dict.fromkeys(stage.reads):
            producer = producers[buffer]
            kind = StreamType.get(buffer_type(shape_of(buffer), element_of(buffer)))
            slots = stages[producer].slots or depth or consumer - producer + 1
            stream = writer.op(StreamOp(slots, kind))
            stream.name_hint = f"{buffer.name_hint or 'value'}_{consumer - 1}"
            queues.append(_FrameStream(buffer, producer, consumer, stream))
    return queues


def _program(
    stage: _Stage,
    number: int,
    queues: Sequence[_FrameStream],
    world: Mapping[SSAValue, SSAValue],
    frames: int,
    location: LocationAttr,
    turn: SSAValue | None,
) -> ProgramOp | None:
    """
    Return the program of a stage: for each frame it pops its inputs, reserves its outputs, computes, hands on.

    `turn` is a stream of nothing that the source fills before each frame, and the sink empties behind it.
    """
    into = [queue for queue in queues if queue.consumer == number]
    out = [queue for queue in queues if queue.producer == number]
    if not into and not out:
        return None
    body = Block()
    writer = Builder.at_end(body, location)
    is_source, is_sink = stage.call is None and not into, stage.call is None and not out
    with writer.loop("frame", 0, frames, kept=True) as frame:
        if turn is not None and is_source:
            writer.insert(ReserveOp(turn))
            writer.insert(PushOp(turn))
        slots = {queue.buffer: writer.op(PopOp(queue.stream)) for queue in into}
        places: dict[SSAValue, list[SSAValue]] = {}
        for queue in out:
            places.setdefault(queue.buffer, []).append(writer.op(ReserveOp(queue.stream)))
        _compute(writer, stage, slots, places, world, writer.value(frame))
        for queue in out:
            writer.insert(PushOp(queue.stream))
        for queue in into:
            writer.insert(ReleaseOp(queue.stream))
        if turn is not None and is_sink:
            writer.insert(PopOp(turn))
            writer.insert(ReleaseOp(turn))
    title = stage.title or (SINK if into else SOURCE)
    return ProgramOp(title, Region(body), stage.engine or None)


def _compute(
    writer: Builder,
    stage: _Stage,
    slots: Mapping[SSAValue, SSAValue],
    places: Mapping[SSAValue, Sequence[SSAValue]],
    world: Mapping[SSAValue, SSAValue],
    frame: SSAValue,
) -> None:
    """Emit the work on a frame: a stage computes into the first of its places, and copies to the others."""
    if stage.call is None:
        for buffer, copies in places.items():
            for place in copies:
                writer.insert(memref.CopyOp(_frame(writer, world[buffer], frame), place))
        for buffer, slot in slots.items():
            writer.insert(memref.CopyOp(slot, _frame(writer, world[buffer], frame)))
        return
    arguments = [slots[value] if value in slots else places[value][0] for value in stage.call.arguments]
    writer.insert(func.CallOp(stage.call.callee, arguments, []))
    for first, *others in places.values():
        for place in others:
            writer.insert(memref.CopyOp(first, place))


def _frame(writer: Builder, frames: SSAValue, number: SSAValue) -> SSAValue:
    """Return the view of one of the frames along a buffer's first axis."""
    shape = shape_of(frames)[1:]
    kind = MemRefType(cast(Any, element_of(frames)), shape, StridedLayoutAttr(row_major(shape), NoneAttr()))
    offsets = [DYNAMIC_INDEX, *(0 for _ in shape)]
    return writer.op(
        memref.SubviewOp.build(
            operands=[frames, [number], [], []],
            result_types=[kind],
            properties={
                "static_offsets": DenseArrayBase.from_list(i64, offsets),
                "static_sizes": DenseArrayBase.from_list(i64, [1, *shape]),
                "static_strides": DenseArrayBase.from_list(i64, [1] * len(offsets)),
            },
        )
    )


@dataclass(frozen=True)
class PipelineFramesPass(Pass):
    """
    Make the calls of stages concurrent programs: each stage computes a frame of its own at a time.

    The arguments of the network get an axis of `frames` frames. A program `source` brings frames to the stages that
    take inputs, `sink` takes what they give. Each value goes by a stream of its own to each stage that reads it. A
    stream has `depth` slots, or by default one more than the stages that it spans, with which all stages compute at
    once where their times are constant. In the mode `switch` there is one frame at a time. A function that submits the
    frames of a stage (submit-npu-frames) is a program too. Run it on buffers, after bufferize; verify-memory then
    proves that no two stages race and that none waits forever.
    """

    name = "pipeline-frames"

    frames: int = 8
    depth: int = 0
    mode: str = "pipeline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.frames < 1 or self.depth < 0:
            raise Diagnostic(
                "a pipeline of no frames or of negative depth",
                expected="frames of 1 or more, depth of 0 or more",
                found=f"frames={self.frames} depth={self.depth}",
            )
        if self.mode not in MODES:
            raise Diagnostic(f"there is no mode '{self.mode}'", expected=" or ".join(MODES), found=self.mode)
        for function in functions(op):
            if function.sym_visibility is None:
                pipeline_frames(op, function, self.frames, self.depth, switch=self.mode == "switch")

"""Lowering of NPU kernels on buffers to jobs: register writes, trigger and wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, StringAttr, i32
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....dialects.hier import LaunchOp
from ....errors import Diagnostic
from ....ir import functions, shape_of, where
from ....passes.core.base import Pass
from ....passes.memory.views import layout_of
from ..dialects.npu import NpuConvOp, NpuKernelOp, NpuMatmulOp, acquire, address, trigger, wait, write
from ..npu.geometry import WEIGHT_MEMORY_BASE, ConvKind
from ..npu.jobs import JobAddresses, NpuJob, NpuRegister, registers
from ..npu.memories import NpuMemories, memories_of


@dataclass(frozen=True)
class _Image:
    """Part of a kernel that is one job, and its offsets in bytes in input and output."""

    job: NpuJob
    input: int = 0
    output: int = 0


def lower_to_npu(op: NpuKernelOp, memories: NpuMemories, *, waits: bool = True) -> None:
    """
    Replace a kernel by its jobs, and a wait for all of them if `waits`.

    Images of a batch and parts of a matrix are jobs of their own. Raises Diagnostic for operands out of the NPU's
    reach, or with unsupported strides.
    """
    _check_levels(op, memories)
    lowering = _Lowering(op, InsertPoint.before(op))
    if isinstance(op, NpuMatmulOp):
        for image in _parts(op, memories):
            lowering.job(image, {})
    else:
        _lower_conv(cast(NpuConvOp, op), lowering, memories)
    if waits:
        lowering.emit(wait())
    Rewriter.erase_op(op)


def _lower_conv(op: NpuConvOp, lowering: _Lowering, memories: NpuMemories) -> None:
    (job,), (inputs, outputs) = op.jobs(), _strides_of(op)
    pixels = {"input_row_stride": inputs[1], "input_pixel_stride": inputs[2]}
    pixels |= {"output_row_stride": outputs[1], "output_pixel_stride": outputs[2]}
    image = _Image(replace(_with_weights(job, op, memories), **pixels))
    images = shape_of(op.output)[0]
    if images == 1:
        lowering.job(image, {})
        return
    number, inner = lowering.loop(images)
    far = {NpuRegister.INPUT: inner.times(number, inputs[0]), NpuRegister.OUTPUT: inner.times(number, outputs[0])}
    inner.job(image, far)
    inner.emit(scf.YieldOp())


def _parts(op: NpuMatmulOp, memories: NpuMemories) -> list[_Image]:
    """Return the images that tile the rows of a matrix: a row of the matrix is a pixel."""
    inputs, outputs = (strides[0] for strides in _strides_of(op))
    images: list[_Image] = []
    rows = 0
    for job in op.jobs():
        placed = replace(
            _with_weights(job, op, memories),
            input_pixel_stride=inputs,
            input_row_stride=inputs * job.width,
            output_pixel_stride=outputs,
            output_row_stride=outputs * job.width,
        )
        images.append(_Image(placed, rows * inputs, rows * outputs))
        rows += job.height * job.width
    return images


def _strides_of(op: NpuKernelOp) -> tuple[list[int], list[int]]:
    """Return the strides in bytes of the axes of input and output."""
    size = 1 if op.requantization is not None else 4
    byte_strides: list[list[int]] = []
    for value, bytes in ((op.inputs[0], 1), (op.output, size)):
        strides, _ = layout_of(value)
        if strides[-1] != 1 or any(not 0 < stride < 1 << 31 for stride in strides):
            raise Diagnostic(
                "the NPU takes contiguous channels",
                where=where(op),
                expected="a buffer with static strides, 1 along the last axis",
                found=str(value.type),
            )
        byte_strides.append([stride * bytes for stride in strides])
    return byte_strides[0], byte_strides[1]


def _with_weights(job: NpuJob, op: NpuKernelOp, memories: NpuMemories) -> NpuJob:
    """Return a job with the base address of its weights and its prefetch; other addresses are 0 and added later."""
    in_weight_memory = _space(op.inputs[1]) in [level.name for level in memories.weights]
    prefetch = in_weight_memory and op.name in memories.prefetching and job.kind is not ConvKind.DEPTHWISE
    addresses = JobAddresses(weights=WEIGHT_MEMORY_BASE if in_weight_memory else 0)
    return replace(job, addresses=addresses, prefetch=prefetch)


def _space(value: SSAValue) -> str:
    space = cast("MemRefType[Any]", value.type).memory_space
    return space.data if isinstance(space, StringAttr) else ""


def _check_levels(op: NpuKernelOp, memories: NpuMemories) -> None:
    if not isinstance(op.output.type, MemRefType):
        raise Diagnostic(f"'{op.name}' is on tensors", where=where(op), remedy="run bufferize and plan-memory before")
    for value in op.operands:
        levels = [memories.near, *(memories.weights if value is op.inputs[1] else ())]
        allowed = [level.name for level in levels]
        if _space(value) not in allowed:
            raise Diagnostic(
                f"the NPU does not reach an operand of '{op.name}'",
                where=where(op),
                expected=f"a buffer in {' or '.join(allowed)}",
                found=str(value.type),
                remedy="run plan-memory and expand-grid before, which bring tiles there",
            )
    weights = layout_of(op.inputs[1])[0]
    if weights != [shape_of(op.inputs[1])[1], 1]:
        raise Diagnostic("the NPU takes contiguous packed weights", where=where(op))


class _Lowering:
    """Builder of the jobs of a kernel at one insertion point."""

    def __init__(self, op: NpuKernelOp, place: InsertPoint):
        self._op, self._place = op, place
        self._addresses: dict[SSAValue, SSAValue] = {}

    def emit(self, op: Operation) -> SSAValue | None:
        """Insert an op; return its first result."""
        op.location = self._op.location
        Rewriter.insert_op(op, self._place)
        return op.results[0] if op.results else None

    def _value(self, op: Operation) -> SSAValue:
        result = self.emit(op)
        assert result is not None
        return result

    def job(self, image: _Image, further: dict[NpuRegister, SSAValue]) -> None:
        """Insert a job; `further` are summands of address registers."""
        words = registers(image.job)
        begin = {NpuRegister.INPUT: image.input, NpuRegister.OUTPUT: image.output}
        operands = self._operands()
        addresses = {number: self._address(value) for number, value in operands.items()}
        values: list[SSAValue] = []
        for number, word in enumerate(words):
            if number not in addresses:
                values.append(self._number(word))
                continue
            register = NpuRegister(number)
            shift = word + begin.get(register, 0)
            if register is NpuRegister.WEIGHTS and image.job.in_weight_memory:
                shift = -WEIGHT_MEMORY_BASE
            values.append(self._moved(addresses[register], shift, further.get(register)))
        self.emit(acquire())
        for number, value in enumerate(values):
            self.emit(write(number, value))
        self.emit(trigger())

    def _operands(self) -> dict[NpuRegister, SSAValue]:
        op = self._op
        operands = {NpuRegister.WEIGHTS: op.inputs[1], NpuRegister.INPUT: op.inputs[0], NpuRegister.OUTPUT: op.output}
        return operands | dict(zip((NpuRegister.SCALE, NpuRegister.BIAS), op.extras, strict=False))

    def _address(self, value: SSAValue) -> SSAValue:
        if value not in self._addresses:
            self._addresses[value] = self._value(address(value))
        return self._addresses[value]

    def _number(self, word: int) -> SSAValue:
        """Insert a 32-bit constant."""
        word &= 0xFFFF_FFFF
        return self._value(arith.ConstantOp(IntegerAttr(word - (1 << 32) if word >= 1 << 31 else word, i32)))

    def _moved(self, address: SSAValue, by: int, further: SSAValue | None) -> SSAValue:
        if by & 0xFFFF_FFFF:
            address = self._value(arith.AddiOp(address, self._number(by)))
        return address if further is None else self._value(arith.AddiOp(address, further))

    def loop(self, count: int) -> tuple[SSAValue, _Lowering]:
        """Insert a loop; return its index and a builder of its body."""
        numbers = [self._value(arith.ConstantOp(IntegerAttr(n, IndexType()))) for n in (0, count, 1)]
        body = Block(arg_types=[IndexType()])
        loop = scf.ForOp(numbers[0], numbers[1], numbers[2], [], body)
        self.emit(loop)
        return body.args[0], _Lowering(self._op, InsertPoint.at_end(body))

    def times(self, number: SSAValue, stride: int) -> SSAValue:
        """Insert the product of an index and a number, as 32 bits."""
        narrow = self._value(arith.IndexCastOp(number, i32))
        return self._value(arith.MuliOp(narrow, self._number(stride)))


def kernels_of(module: ModuleOp) -> Sequence[NpuKernelOp]:
    """Return the kernels of the NPU in a module's functions."""
    return [op for function in functions(module) for op in nested_ops(function) if isinstance(op, NpuKernelOp)]


def _launched_alone(module: ModuleOp) -> set[str]:
    """Return the names of functions that are launched and never called otherwise."""
    calls = [op for function in functions(module) for op in nested_ops(function) if isinstance(op, CallOp)]
    launched = {_callee(op) for op in calls if isinstance(op.parent_op(), LaunchOp)}
    return launched - {_callee(op) for op in calls if not isinstance(op.parent_op(), LaunchOp)}


def _function_of(op: Operation) -> str:
    """Return the name of the function around an op."""
    parent = op.parent_op()
    while not isinstance(parent, FuncOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent.sym_name.data


def _callee(op: CallOp) -> str:
    return op.callee.string_value()


def _lower_launch(op: LaunchOp, on_npu: set[str]) -> None:
    """Replace the launch of a kernel by its jobs, and the join by a wait."""
    kernel = op.kernel
    (join,) = [use.operation for use in op.token.uses]
    waiting = wait()
    waiting.location = join.location
    is_job = isinstance(kernel, CallOp) and _callee(kernel) in on_npu
    Rewriter.replace_op(join, [waiting] if is_job else [], [])
    Rewriter.inline_block(op.body.block, InsertPoint.before(op))
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class LowerToNpuPass(Pass):
    """
    Lower `npu.conv` and `npu.matmul` to jobs: acquire, 24 registers, trigger; then a wait.

    The module's machine (attach-machine) gives the levels of operands: the near level, for packed weights also
    preloaded ones. Run it after expand-grid and outline-kernels. Register values except addresses do not depend on the
    position of a tile, because tiles come filled. Launched kernels (`hier.launch`) are waited for at their join.
    """

    name = "lower-to-npu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        alone, on_npu = _launched_alone(op), set[str]()
        for kernel in kernels_of(op):
            function = _function_of(kernel)
            on_npu.add(function)
            lower_to_npu(kernel, memories_of(machine_of(op)), waits=function not in alone)
        for launch in [
            inner for function in functions(op) for inner in nested_ops(function) if isinstance(inner, LaunchOp)
        ]:
            _lower_launch(launch, on_npu)

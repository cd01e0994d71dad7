"""The pass `convert-to-opencl`: stages of OpenCL devices become launches of kernels with index spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.analysis.constants import constant_integer
from ....dialects.core.builder import Builder
from ....dialects.core.effects import EffectAnalysis, callee_of, effects_of, is_view, root_of
from ....dialects.core.nesting import nested_ops
from ....errors import Diagnostic
from ....ir import functions, shape_of, where
from ....passes.core.base import Pass
from ....passes.loops.nest import PARALLEL
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..dialects.hmp import MarkOp
from ..dialects.opencl import AXIS, GRID, BufferOp, LaunchKernelOp, OpenStageOp, StageOp
from ..opencl import is_device
from .outline_stages import LAYERS

_ARENA = "tilewright.arena"
_AXES = 3
"""Axes of an index space in OpenCL."""


def convert_to_opencl(module: ModuleOp) -> None:
    """
    Make the stages of OpenCL devices launches of their kernels.

    Raises Diagnostic for stages whose host would compute between kernels.
    """
    by_name = {function.sym_name.data: function for function in functions(module)}
    stages = [function for function in by_name.values() if LAYERS in function.attributes and _is_on_device(function)]
    for stage in stages:
        _check(stage, by_name)
    kernels = {name: by_name[name] for stage in stages for name in _called(stage)}
    tables = {name: _mark(kernel) for name, kernel in kernels.items()}
    effects = EffectAnalysis()
    written = {name: _written(kernel, effects) for name, kernel in kernels.items()}
    memories = {op.sym_name.data: op for op in module.ops if isinstance(op, memref.GlobalOp) and op.constant is None}
    for stage in stages:
        _convert(stage, tables, written, memories)
    if stages:
        _drop_arenas(module, memories)
        _open(by_name, stages)


def _is_on_device(function: FuncOp) -> bool:
    engine = function.attributes.get(ENGINE)
    return isinstance(engine, StringAttr) and is_device(engine.data)


def _calls(stage: FuncOp) -> list[func.CallOp]:
    return [op for op in stage.body.block.ops if isinstance(op, func.CallOp)]


def _called(stage: FuncOp) -> list[str]:
    """Return the names of the functions that a stage calls, each once."""
    return list(dict.fromkeys(call.callee.string_value() for call in _calls(stage)))


def _check(stage: FuncOp, by_name: dict[str, FuncOp]) -> None:
    for op in stage.body.block.ops:
        is_kernel = isinstance(op, func.CallOp) and not op.res and op.callee.string_value() in by_name
        is_value = isinstance(op, arith.ConstantOp | memref.GetGlobalOp | MarkOp | func.ReturnOp) or is_view(op)
        if not is_kernel and not is_value:
            raise Diagnostic(
                f"a stage of an OpenCL device computes '{op.name}' between its kernels",
                where=where(op),
                expected="calls of kernels on buffers, at places that are known when compiling",
                remedy="map its layer to a core, or run outline-kernels and convert-kernels-to-loops before",
            )


# Kernels


def _refuse_calls(kernel: FuncOp) -> None:
    for op in nested_ops(kernel):
        if (callee := callee_of(op)) is not None:
            raise Diagnostic(
                f"a kernel of an OpenCL device calls @{callee}", where=where(op), remedy="run inline before"
            )


def _mark(kernel: FuncOp) -> list[memref.GetGlobalOp]:
    """
    Mark the loops of a kernel's index space, and make the constants that it reads arguments.

    Returns copies of the ops that get the constants.
    """
    _refuse_calls(kernel)
    for copy in [op for op in kernel.body.block.ops if isinstance(op, memref.CopyOp)]:
        _expand(copy)
    loops = _nest(kernel.body.block)
    sizes = [_trip_count(loop) for loop in loops]
    grid = [1] * _AXES
    for position, (loop, size) in enumerate(zip(reversed(loops), reversed(sizes), strict=True)):
        axis = min(position, _AXES - 1)
        loop.attributes[AXIS] = IntegerAttr(axis, i64)
        grid[axis] *= size
    kernel.attributes[GRID] = DenseArrayBase.from_list(i64, grid)
    gets = [op for op in nested_ops(kernel) if isinstance(op, memref.GetGlobalOp)]
    block = kernel.body.block
    for get in gets:
        argument = block.insert_arg(get.memref.type, len(block.args))
        argument.name_hint = get.memref.name_hint
        get.memref.replace_all_uses_with(argument)
    said = list(kernel.arg_attrs.data) if kernel.arg_attrs is not None else []
    if said:
        kernel.properties["arg_attrs"] = ArrayAttr([*said, *(DictionaryAttr({}) for _ in gets)])
    kernel.properties["function_type"] = FunctionType.from_lists([argument.type for argument in block.args], [])
    for get in gets:
        get.detach()
    return gets


def _expand(copy: memref.CopyOp) -> None:
    """Replace a copy by parallel loops over its elements."""
    builder, shape = Builder.before(copy), shape_of(copy.source)
    with builder.loops([None] * len(shape), shape, marks=[PARALLEL], kept=True) as indices:
        at = [builder.value(index) for index in indices]
        element = builder.op(memref.LoadOp.get(copy.source, at))
        builder.insert(memref.StoreOp.get(element, copy.destination, at))
    Rewriter.erase_op(copy)


def _nest(block: Block) -> list[scf.ForOp]:
    """
    Return the parallel loops that work-items share, outermost first.

    Each contains the next, and beside it only code that every work-item may repeat: it writes to nothing that others
    see, and reads nothing that the loop writes.
    """
    loops: list[scf.ForOp] = []
    while True:
        visible = [op for op in block.ops if not _is_repeatable(op)]
        loop = visible[0] if len(visible) == 1 else None
        if not isinstance(loop, scf.ForOp) or not _is_shareable(loop) or _reads_results(block, loop):
            return loops
        loops.append(loop)
        block = loop.body.block


def _is_repeatable(op: Operation) -> bool:
    if isinstance(op, func.ReturnOp | scf.YieldOp):
        return True
    effects = effects_of(op)
    return effects.is_known and all(isinstance(root_of(value).owner, memref.AllocaOp) for value in effects.writes)


def _is_shareable(loop: scf.ForOp) -> bool:
    is_constant = all(constant_integer(value) is not None for value in (loop.lb, loop.ub, loop.step))
    return PARALLEL in loop.attributes and not loop.results and is_constant


def _reads_results(block: Block, loop: scf.ForOp) -> bool:
    """Return whether code beside a loop reads a buffer that the loop writes."""
    written = {root_of(value) for value in effects_of(loop).writes}
    others = (op for op in block.ops if op is not loop)
    return any(root_of(value) in written for op in others for value in effects_of(op).reads)


def _trip_count(loop: scf.ForOp) -> int:
    lower, upper, step = (cast(int, constant_integer(value)) for value in (loop.lb, loop.ub, loop.step))
    return len(range(lower, upper, step))


def _written(kernel: FuncOp, effects: EffectAnalysis) -> list[int]:
    """Return the positions of the arguments that a kernel writes."""
    written = set(effects.of_function(kernel).writes)
    return [argument.index for argument in kernel.body.block.args if argument in written]


# Stages


def _convert(
    stage: FuncOp,
    tables: dict[str, list[memref.GetGlobalOp]],
    written: dict[str, list[int]],
    memories: dict[str, memref.GlobalOp],
) -> None:
    """Put a stage's ops into an `opencl.stage`: its calls as launches, its arena as a buffer of the device."""
    outer, body = stage.body.block, Block()
    end = cast(Operation, outer.last_op)
    for op in [op for op in outer.ops if op is not end]:
        op.detach()
        body.add_op(op)
    for call in [op for op in body.ops if isinstance(op, func.CallOp)]:
        name = call.callee.string_value()
        constants = [get.clone() for get in tables[name]]
        launch = LaunchKernelOp(name, [*call.arguments, *(get.memref for get in constants)], written[name])
        launch.location = call.location
        Rewriter.replace_op(call, [*constants, launch], [])
    device = StageOp(body)
    device.location = stage.location
    Rewriter.insert_op(device, InsertPoint.before(end))
    arenas: dict[str, BufferOp] = {}
    for get in [op for op in body.ops if isinstance(op, memref.GetGlobalOp)]:
        name = get.name_.string_value()
        if name not in memories:
            continue
        if name not in arenas:
            arenas[name] = _buffer(get, memories[name])
            Rewriter.insert_op(arenas[name], InsertPoint.at_start(body))
        Rewriter.replace_op(get, [], [arenas[name].result])


def _buffer(get: memref.GetGlobalOp, memory: memref.GlobalOp) -> BufferOp:
    """Return the device's buffer in place of an arena."""
    if _ARENA not in memory.attributes:
        raise Diagnostic(
            f"a stage of an OpenCL device uses the state @{memory.sym_name.data}",
            where=where(get),
            expected="constants, arguments and an arena, whose contents are those of one frame",
            remedy="map the layers that keep state between frames to a core",
        )
    buffer = BufferOp(cast("MemRefType[Any]", get.memref.type))
    buffer.location = get.location
    return buffer


def _drop_arenas(module: ModuleOp, memories: dict[str, memref.GlobalOp]) -> None:
    """Erase the arenas that nothing uses any more."""
    used = {op.name_.string_value() for op in nested_ops(module) if isinstance(op, memref.GetGlobalOp)}
    for name, memory in memories.items():
        if name not in used and _ARENA in memory.attributes:
            Rewriter.erase_op(memory)


def _open(by_name: dict[str, FuncOp], stages: list[FuncOp]) -> None:
    """Open the stages of each public function when it begins, so that frames do not wait until kernels are built."""
    names = {stage.sym_name.data for stage in stages}
    for function in by_name.values():
        called = dict.fromkeys(callee_of(op) for op in nested_ops(function))
        if function.sym_visibility is not None:
            continue
        opened = [OpenStageOp(name) for name in called if name in names]
        for op in opened:
            op.location = function.location
        Rewriter.insert_op(opened, InsertPoint.at_start(function.body.block))


@dataclass(frozen=True)
class ConvertToOpenclPass(Pass):
    """
    Convert the stages of OpenCL devices, engines named `gpu...`, to launches of kernels over index spaces.

    The parallel loops of a kernel get the attribute `opencl.axis`: their iterations are work-items along that axis, the
    innermost loop along the axis 0, so that neighbours access neighbouring elements. Reductions stay in a work-item, in
    the order of the loops. A kernel without such loops is one work-item. The arena of a stage becomes memory of the
    device. Public functions open their stages when they begin: that builds the kernels.

    Run it on loops, after convert-kernels-to-loops. Modules without such stages are unchanged.
    """

    name = "convert-to-opencl"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_to_opencl(op)

"""Parallelisation of kernels over the cores of their engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.analysis.constants import constant_integer
from ....dialects.core.effects import effects_of, root_of
from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....ir import element_of, numpy_type
from ....passes.annotate_unrolling import is_worth_unrolling
from ....passes.core.base import Pass
from ....passes.emitc.text.functions import SPECIFIER
from ....passes.loops.nest import PARALLEL, UNROLL, index_constant
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..dialects.cluster import ForkOp

_LEAST = 4
"""Iterations of a loop within others that are worth a core."""

_CALLS = ("cluster.mac", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui")
"""Ops that become p.mac, p.max and p.min, in inline assembly: clang takes them for calls."""
_MOST_CALLS = 2
"""Such ops in a loop that clang unrolls wholly, at most."""

_PRODUCTS = ("cluster.dot", "cluster.dot_packed", "cluster.dot_narrow")


def fork_kernels(module: ModuleOp, cores: int = 0) -> None:
    """
    Partition the parallel loops of every outlined kernel over the cores of its engine.

    On one core, the C of kernels that spend their time in sums is marked to be compiled apart from their callers.
    `cores` overrides the number of cores of every engine.
    """
    for function in [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]:
        engine = function.attributes.get(ENGINE)
        if not isinstance(engine, StringAttr):
            continue
        used = None if cores else machine_of(module).engine(engine.data)
        count = used.cores if used else cores
        if count > 1 and _is_shareable(function):
            _fork(function, count, machine_of(module).near_level_of(used).bandwidth if used else 0)
        elif count == 1 and _sums(function):
            function.attributes[SPECIFIER] = StringAttr("TW_APART")


def _sums(function: func.FuncOp) -> bool:
    """
    Return whether a kernel has blocks of products, or innermost loops that all carry sums.

    Those need registers. Loops that store need the addresses of their buffers, which say what does not overlap.
    """
    ops = nested_ops(function)
    loops = [op for op in ops if isinstance(op, scf.ForOp)]
    innermost = [loop for loop in loops if not any(isinstance(op, scf.ForOp) for op in nested_ops(loop.body))]
    return any(op.name in _PRODUCTS for op in ops) or (bool(loops) and all(loop.results for loop in innermost))


def _is_shareable(function: func.FuncOp) -> bool:
    """Return whether all effects of a function visible to other cores are in parallel loops."""
    return _does_nothing_beside_loops(function.body.block)


def _does_nothing_beside_loops(block: Block) -> bool:
    loops = [op for op in block.ops if _is_parallel(op)]
    return bool(loops) and all(op in loops or _is_local(op) for op in block.ops)


def _is_parallel(op: Operation) -> bool:
    return isinstance(op, scf.ForOp) and PARALLEL in op.attributes and not op.results


def _is_local(op: Operation) -> bool:
    """Return whether every core may execute an op redundantly: it has no effect visible to other cores."""
    effects = effects_of(op)
    return effects.only_on_values and all(isinstance(root_of(each).owner, memref.AllocaOp) for each in effects.writes)


# Selection of loops


class _Shares(NamedTuple):
    """Points of each core, and the loops to partition for that; a single iteration with the core that runs it."""

    points: tuple[int, ...]
    loops: tuple[tuple[scf.ForOp, int | None], ...] = ()

    def plus(self, other: _Shares) -> _Shares:
        """Return the shares of two pieces of code, one after the other."""
        points = tuple(mine + others for mine, others in zip(self.points, other.points, strict=True))
        return _Shares(points, self.loops + other.loops)


def _shares(block: Block, cores: int, banks: int) -> _Shares:
    """Return the partition of the loops in a block that minimises the work of the busiest core."""
    total = _Shares((0,) * cores)
    # Single iterations come last, each for the core that has the least to do.
    for loop in sorted((cast(scf.ForOp, op) for op in block.ops if _is_parallel(op)), key=lambda op: _turns(op) == 1):
        total = total.plus(_best(loop, total.points, banks))
    return total


def _best(loop: scf.ForOp, before: Sequence[int], banks: int) -> _Shares:
    """
    Return the partition of a nest, either of its outermost loop or of loops in it; `before` are points so far.

    Where both take as long, it is that of loops in it if the other's shares meet at banks, `banks` bytes in all.
    """
    cores, turns, points = len(before), _turns(loop), _points(loop.body.block)
    if turns == 1:
        alone = min(reversed(range(cores)), key=lambda core: before[core])
        outermost = _Shares(tuple(points * (core == alone) for core in range(cores)), ((loop, alone),))
    else:
        chunk = -(-turns // cores)
        left = (turns - core * chunk for core in range(cores))
        outermost = _Shares(tuple(max(0, min(chunk, each)) * points for each in left), ((loop, None),))
    if not _does_nothing_beside_loops(loop.body.block):
        return outermost
    each = _shares(loop.body.block, cores, banks)
    inner = _Shares(tuple(turns * points for points in each.points), each.loops)
    if max(inner.points) == max(outermost.points) and banks and _meet(loop, cores, banks):
        return inner if all(_are_apart(each, cores, banks) for each, _ in inner.loops) else outermost
    return inner if max(inner.points) < max(outermost.points) else outermost


def _meet(loop: scf.ForOp, cores: int, banks: int) -> bool:
    """Return whether all accesses along a loop lie a multiple of `banks` bytes apart, from one core to the next."""
    distances = _distances(loop, -(-_turns(loop) // cores))
    return bool(distances) and not any(distance % banks for distance in distances)


def _are_apart(loop: scf.ForOp, cores: int, banks: int) -> bool:
    """Return whether the cores have equal shares of a loop, of some iterations, whose accesses do not all meet."""
    share, rest = divmod(_turns(loop), cores)
    return not rest and share >= _LEAST and bool(_distances(loop, share)) and not _meet(loop, cores, banks)


def _distances(loop: scf.ForOp, iterations: int) -> list[int]:
    """
    Return the distance in bytes by which each access moves on in iterations of a loop.

    They are none where the loop's index is used otherwise than as one of the access, or strides are not constants.
    """
    found: list[int] = []
    for use in loop.body.block.args[0].uses:
        op = use.operation
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            return []
        type_ = cast("MemRefType[Any]", op.memref.type)
        step = (type_.get_strides() or [None] * len(op.indices))[use.index - (len(op.operands) - len(op.indices))]
        if step is None:
            return []
        found.append(step * iterations * numpy_type(element_of(op.memref)).itemsize)
    return found


def _points(block: Block) -> int:
    """Return the points of the parallel loops in a block, 1 if there are none."""
    loops = [cast(scf.ForOp, op) for op in block.ops if _is_parallel(op)]
    return sum(_turns(loop) * _points(loop.body.block) for loop in loops) or 1


def _turns(loop: scf.ForOp) -> int:
    return len(range(*_bounds(loop)))


def _bounds(loop: scf.ForOp) -> tuple[int, int, int]:
    """Return the bounds of a loop and its step, all constants."""
    return cast("tuple[int, int, int]", tuple(map(constant_integer, (loop.lb, loop.ub, loop.step))))


# Rewriting


def _fork(function: func.FuncOp, cores: int, banks: int) -> None:
    """Replace a function's body by a fork of a new function with a core's share of the work."""
    types = list(function.function_type.inputs.data)
    name = function.sym_name.data
    shell = Block(arg_types=types)
    for old, new in zip(function.body.block.args, shell.args, strict=True):
        new.name_hint = old.name_hint
    inner = function.body.block
    core = inner.insert_arg(IndexType(), len(types))
    core.name_hint = "core"
    for loop, alone in _shares(inner, cores, banks).loops:
        _cut(loop, core, cores, alone)
    share = func.FuncOp(
        f"{name}_core", FunctionType.from_lists([*types, IndexType()], []), function.detach_region(function.body)
    )
    share.properties["sym_visibility"] = StringAttr("private")
    share.location = function.location
    fork = ForkOp(f"{name}_core", shell.args, cores)
    fork.location = function.location
    shell.add_ops([fork, func.ReturnOp()])
    function.add_region(Region(shell))
    Rewriter.insert_op(share, InsertPoint.before(function))


def _cut(loop: scf.ForOp, core: SSAValue, cores: int, alone: int | None) -> None:
    """
    Narrow a loop to the iterations of one core: a contiguous chunk, the last one shorter.

    A single iteration is that of the core `alone`. Equal chunks have no test, so that the compiler knows their length.
    """
    lower, upper, step = _bounds(loop)
    chunk = -(-_turns(loop) // cores) * step
    made: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        op.location = loop.location
        made.append(op)
        return op.results[0]

    def number(value: int) -> SSAValue:
        constant = add(index_constant(value))
        constant.name_hint = f"c{value}"
        return constant

    turn = core if alone is None else add(arith.XOrIOp(core, number(alone)))
    begin = add(arith.MuliOp(turn, number(chunk)))
    if lower:
        begin = add(arith.AddiOp(begin, number(lower)))
    end = add(arith.AddiOp(begin, number(chunk)))
    is_equal = chunk * cores == upper - lower
    first, last = (value if is_equal else add(arith.MinSIOp(value, number(upper))) for value in (begin, end))
    first.name_hint, last.name_hint = "first", "last"
    Rewriter.insert_op(made, InsertPoint.before(loop))
    _set_bounds(loop, first, last)
    factor = loop.attributes.get(UNROLL)
    if isinstance(factor, IntegerAttr) and not _stays_unrolled(loop, chunk // step, factor.value.data):
        del loop.attributes[UNROLL]


def _stays_unrolled(loop: scf.ForOp, turns: int, factor: int) -> bool:
    """
    Return whether a share of a loop is worth unrolling, and would not be unrolled wholly without being asked.

    Without a load it is a fill, of which clang would make a call.
    """
    ops = list(loop.body.block.ops)
    is_fill = not any(isinstance(op, memref.LoadOp) for op in ops)
    needs_asking = is_fill or sum(op.name in _CALLS for op in ops) > _MOST_CALLS
    return is_worth_unrolling(turns, factor) or (turns == 2 * factor and needs_asking)


def _set_bounds(loop: scf.ForOp, lower: SSAValue, upper: SSAValue) -> None:
    operands: Sequence[SSAValue] = [lower, upper, *list(loop.operands)[2:]]
    loop.operands = operands


@dataclass(frozen=True)
class ForkKernelsPass(Pass):
    """
    Partition every kernel over the cores of its engine: `cluster.fork` of a function with one core's share.

    Of the loops without loop-carried dependences, those that minimise the work of the busiest core are partitioned into
    equal chunks. Other work without visible effects, such as a row's reduction, is redundant on every core. Kernels
    without such loops stay on the controller. Run it after convert-kernels-to-loops, with the machine attached, or with
    a number of `cores`.
    """

    name = "fork-kernels"

    cores: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fork_kernels(op, self.cores)

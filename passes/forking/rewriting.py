"""Rewriting of a kernel into a fork of a function with one worker's share of its loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.scalars import index_constant
from ...dialects.hier.fork import ForkOp
from ..loops.nest import UNROLL
from .shares import Shares, bounds_of, trip_count


def _always(loop: scf.ForOp, iterations: int, factor: int) -> bool:
    return True


def fork(
    function: func.FuncOp,
    shares: Shares,
    *,
    claimed: bool = False,
    stays_unrolled: Callable[[scf.ForOp, int, int], bool] = _always,
) -> None:
    """
    Replace a function's body by a fork of a new function with a core's share of the work.

    A loop of which a core has so many iterations keeps the factor by which it is unrolled if it `stays_unrolled`.
    Threads claim the shares, if they are `claimed`.
    """
    cores = len(shares.points)
    types = list(function.function_type.inputs.data)
    name = function.sym_name.data
    shell = Block(arg_types=types)
    for old, new in zip(function.body.block.args, shell.args, strict=True):
        new.name_hint = old.name_hint
    inner = function.body.block
    core = inner.insert_arg(IndexType(), len(types))
    core.name_hint = "core"
    for loop, alone in shares.loops:
        chunk = _cut(loop, core, cores, alone)
        factor = loop.attributes.get(UNROLL)
        if isinstance(factor, IntegerAttr) and not stays_unrolled(loop, chunk, factor.value.data):
            del loop.attributes[UNROLL]
    share = func.FuncOp(
        f"{name}_core", FunctionType.from_lists([*types, IndexType()], []), function.detach_region(function.body)
    )
    share.properties["sym_visibility"] = StringAttr("private")
    share.location = function.location
    forked = ForkOp(f"{name}_core", shell.args, cores, claimed=claimed)
    forked.location = function.location
    shell.add_ops([forked, func.ReturnOp()])
    function.add_region(Region(shell))
    Rewriter.insert_op(share, InsertPoint.before(function))


def _cut(loop: scf.ForOp, core: SSAValue, cores: int, alone: int | None) -> int:
    """
    Narrow a loop to the iterations of one core: a contiguous chunk, the last one shorter. Return its iterations.

    A single iteration is that of the core `alone`. Equal chunks have no test, so that the compiler knows their length.
    """
    lower, upper, step = bounds_of(loop)
    chunk = -(-trip_count(loop) // cores) * step
    ops: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        op.location = loop.location
        ops.append(op)
        return op.results[0]

    def number(value: int) -> SSAValue:
        constant = add(index_constant(value))
        constant.name_hint = f"c{value}"
        return constant

    chunk_index = core if alone is None else add(arith.XOrIOp(core, number(alone)))
    begin = add(arith.MuliOp(chunk_index, number(chunk)))
    if lower:
        begin = add(arith.AddiOp(begin, number(lower)))
    end = add(arith.AddiOp(begin, number(chunk)))
    is_equal = chunk * cores == upper - lower
    first, last = (value if is_equal else add(arith.MinSIOp(value, number(upper))) for value in (begin, end))
    first.name_hint, last.name_hint = "first", "last"
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    _set_bounds(loop, first, last)
    return chunk // step


def _set_bounds(loop: scf.ForOp, lower: SSAValue, upper: SSAValue) -> None:
    operands: Sequence[SSAValue] = [lower, upper, *list(loop.operands)[2:]]
    loop.operands = operands

"""Static allocation of buffers in one arena."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, StringAttr, UnitAttr, i8, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.block_order import cycles, reverse_postorder
from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.core.nesting import nested_ops
from ..errors import Diagnostic
from ..ir import functions, where
from .core.base import Pass
from .core.remarks import analysis, passed
from .grids.memories import address_of
from .memory.arena import BUDGET, Lifetime, Placement, peak_step, place
from .memory.views import bytes_of

_VIEWS = (
    memref.SubviewOp,
    memref.ViewOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.CastOp,
)

_SHOWN = 8
"""Maximum number of buffers live at the peak that an error names."""


def lifetimes(function: func.FuncOp) -> list[tuple[memref.AllocOp, Lifetime]]:
    """
    Compute the live ranges of a function's allocations, in ops of its body, including uses of views.

    The blocks of a body are in reverse postorder. A buffer that is used in a cycle of blocks and elsewhere is live in
    the whole cycle; one that a branch passes on is live throughout. Allocations with an address in a level are
    excluded.
    """
    order = BodyOrder(function)
    allocations: list[tuple[memref.AllocOp, Lifetime]] = []
    for op in nested_ops(function.body):
        if isinstance(op, memref.AllocOp) and address_of(op) is None:
            first, last = order.live_range(op, _users(op.results[0]))
            name = op.results[0].name_hint or f"buffer_{len(allocations)}"
            allocations.append((op, Lifetime(name, bytes_of(op.results[0].type), first, last)))
    return allocations


class BodyOrder:
    """Order of the ops of a function's body, and the spans of its cycles of blocks, in steps of that order."""

    def __init__(self, function: func.FuncOp):
        blocks = function.body.blocks
        reached = reverse_postorder(function.body)
        ordered = list(dict.fromkeys([*reached, *blocks]))
        ops = [op for block in ordered for op in block.ops]
        self.steps = {op: step for step, op in enumerate(ops)}
        self._spans = [self._span(cycle) for cycle in cycles(ordered)] if len(ordered) > 1 else []

    def _span(self, cycle: Iterable[Block]) -> tuple[int, int]:
        steps = [self.steps[op] for block in cycle for op in (block.first_op, block.last_op) if op is not None]
        return min(steps), max(steps)

    def live_range(self, allocation: Operation, users: Sequence[Operation]) -> tuple[int, int]:
        """Return the first and the last step at which an allocation with these users is live."""
        ops = [ancestor(op, self.steps) for op in (allocation, *users)]
        if any(op.successors for op in ops[1:]):
            return 0, len(self.steps) - 1
        used = [self.steps[op] for op in ops[1:]] or [self.steps[ops[0]]]
        first, last = min(used), max(used)
        if len({op.parent for op in ops}) == 1:
            return first, last
        first = min(first, self.steps[ops[0]])
        for _ in self._spans:
            met = [(first, last), *(span for span in self._spans if span[0] <= last and first <= span[1])]
            lows, highs = zip(*met, strict=True)
            first, last = min(lows), max(highs)
        return first, last


def ancestor(op: Operation, steps: dict[Operation, int]) -> Operation:
    """Return the ancestor of `op` in the function's body."""
    while op not in steps:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _users(value: SSAValue) -> list[Operation]:
    """Return the ops that access a buffer, through views too."""
    users: list[Operation] = []
    values = [value]
    while values:
        for use in values.pop().uses:
            if isinstance(use.operation, _VIEWS):
                values.append(use.operation.results[0])
            elif isinstance(use.operation, func.ReturnOp):
                raise Diagnostic(
                    "a buffer that the function returns cannot be static",
                    where=where(use.operation),
                    remedy="run bufferize",
                )
            else:
                users.append(use.operation)
    return users


def allocate_static(
    module: ModuleOp, function: func.FuncOp, alignment: int, budget: int = BUDGET, capacity: int = 0
) -> None:
    """
    Replace the allocations of a function by views of one arena; buffers with intersecting live ranges do not overlap.

    Allocations in a memory level that their types name have an arena there. `budget` limits the search (see `place`).
    Raises Diagnostic for an arena above `capacity` bytes, unless that is 0.
    """
    allocations = lifetimes(function)
    levels = dict.fromkeys(cast(Any, op.results[0].type).memory_space for op, _ in allocations)
    for level in levels:
        inside = [(op, lifetime) for op, lifetime in allocations if cast(Any, op.results[0].type).memory_space == level]
        _allocate(module, function, inside, level, alignment, budget, capacity)


def _allocate(
    module: ModuleOp,
    function: func.FuncOp,
    allocations: Sequence[tuple[memref.AllocOp, Lifetime]],
    level: Attribute,
    alignment: int,
    budget: int,
    capacity: int,
) -> None:
    buffers = [lifetime for _, lifetime in allocations]
    placement = place(buffers, alignment, budget)
    if 0 < capacity < placement.size:
        problem = does_not_fit(buffers, placement, capacity, alignment)
        problem.where = where(function)
        raise problem
    symbol = f"{function.sym_name.data}_arena{f'_{level.data}' if isinstance(level, StringAttr) else ''}"
    kind = MemRefType(i8, [placement.size], memory_space=level)
    _define(module, symbol, kind, placement, alignment)
    arena = memref.GetGlobalOp(symbol, kind)
    first = function.body.blocks[0].first_op
    assert first is not None
    Rewriter.insert_op(arena, InsertPoint.before(first))
    numbers = {"arena": symbol, "bytes": placement.size, "bound": placement.bound, "buffers": len(buffers)}
    analysis(function, "arena", "{arena}: {bytes:,} bytes, {bound:,} alive at once; buffers: {buffers}", **numbers)
    for (op, lifetime), offset in zip(allocations, placement.offsets, strict=True):
        text = "{buffer} at {offset:,} of {arena}: {bytes:,} bytes, alive in steps {first} to {last}"
        steps = {"bytes": lifetime.size, "first": lifetime.first, "last": lifetime.last}
        passed(op, "address", text, buffer=f"%{lifetime.name}", offset=offset, arena=symbol, **steps)
        start = arith.ConstantOp(IntegerAttr(offset, IndexType()))
        view = memref.ViewOp(arena.results[0], start.result, [], cast(Any, op.results[0].type))
        view.attributes["tilewright.lifetime"] = StringAttr(f"{lifetime.first}..{lifetime.last}")
        start.location = view.location = op.location
        view.result.name_hint = op.results[0].name_hint
        Rewriter.insert_op(start, InsertPoint.before(op))
        Rewriter.replace_op(op, view)


def does_not_fit(buffers: Sequence[Lifetime], placement: Placement, capacity: int, alignment: int) -> Diagnostic:
    """Return the error of an arena above `capacity` bytes: missing bytes, buffers live at the peak, remedies."""
    step = peak_step(buffers, alignment)
    alive = sorted((b for b in buffers if b.first <= step <= b.last), key=lambda b: (-b.size, b.name))
    shown = [f"{b.name} ({b.size} bytes, steps {b.first}..{b.last})" for b in alive[:_SHOWN]]
    more = [f"{len(alive) - _SHOWN} more"] if len(alive) > _SHOWN else []
    proved = placement.bound > capacity
    return Diagnostic(
        f"the buffers do not fit into {capacity} bytes: {placement.size - capacity} bytes short",
        expected=f"an arena of at most {capacity} bytes",
        found=f"{placement.size} bytes, lower bound {placement.bound}",
        remedy="; or ".join(
            [f"a capacity of {placement.size}", *_remedies(buffers, alive, capacity, alignment, proved)]
        ),
        notes=[f"alive at step {step}, the peak: {', '.join([*shown, *more])}"],
    )


def _remedies(
    buffers: Sequence[Lifetime], alive: Sequence[Lifetime], capacity: int, alignment: int, proved: bool
) -> list[str]:
    """Return remedies other than a larger arena: more search, or the smallest buffer whose removal suffices."""
    remedies = [] if proved else ["a larger budget, which may find a better placement"]
    for buffer in sorted(alive, key=lambda b: (b.size, b.name)):
        others = [other for other in buffers if other is not buffer]
        if place(others, alignment, 0).size <= capacity:
            return [*remedies, f"{buffer.name} ({buffer.size} bytes) in another memory or made smaller"]
    return [*remedies, "several buffers in another memory or made smaller: no single one suffices"]


def _define(module: ModuleOp, symbol: str, kind: MemRefType[Any], placement: Placement, alignment: int) -> None:
    if any(getattr(op, "sym_name", None) == StringAttr(symbol) for op in module.body.block.ops):
        raise Diagnostic(f"the module already has a '{symbol}'", remedy="run allocate-static once, after bufferize")
    definition = memref.GlobalOp.get(StringAttr(symbol), kind, UnitAttr(), alignment=alignment & -alignment)
    definition.attributes["tilewright.arena"] = UnitAttr()
    definition.attributes["tilewright.peak"] = IntegerAttr(placement.bound, i64)
    Rewriter.insert_op(
        definition, InsertPoint.before(next(op for op in module.body.block.ops if isinstance(op, func.FuncOp)))
    )


@dataclass(frozen=True)
class AllocateStaticPass(Pass):
    """
    Allocate every buffer at a static offset in the arena of its memory level.

    Buffers with disjoint live ranges share memory. Every offset is a multiple of `alignment` bytes, and of the
    alignment of the machine's farthest level if the module has a machine.
    `budget` limits the search for a smaller arena in units of work, independent of the machine's speed; 0 disables it.
    An arena of more than `capacity` bytes is an error, unless that is 0.
    """

    name = "allocate-static"

    alignment: int = 16
    budget: int = BUDGET
    capacity: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.alignment < 8 or self.alignment & (self.alignment - 1):
            raise Diagnostic(
                f"alignment {self.alignment} is not a power of two of at least 8", remedy="give 8, 16, 32, ..."
            )
        for option, value in (("budget", self.budget), ("capacity", self.capacity)):
            if value < 0:
                raise Diagnostic(f"the {option} {value} is negative", remedy="give 0 or more")
        far = machine_of(op).far.alignment if ATTRIBUTE in op.attributes else 1
        alignment = lcm(self.alignment, far)
        for function in functions(op):
            allocate_static(op, function, alignment, self.budget, self.capacity)

"""What functions without transfers do to their arguments, taken whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects.core.effects import effects_of as memory_effects
from ...dialects.core.kernel import is_kernel, is_shaped
from ...dialects.hier import DmaStartOp, DmaWaitOp, GridOp, LaunchOp
from ...ir import functions
from .compile import VIEWS


@dataclass
class Effects:
    """The arguments that a function reads (as they are on entry) and writes, by position."""

    reads: list[int] = field(default_factory=list[int])
    writes: list[int] = field(default_factory=list[int])
    has_transfers: bool = False
    """Whether it has grids, transfers or parallel loops, so that it has to be walked through."""


def effects_of(function: FuncOp, symbols: Mapping[str, FuncOp]) -> Effects:
    """Return the effects of a function. An argument that it writes first is not read."""
    effects = Effects()
    places: dict[SSAValue, int] = {arg: i for i, arg in enumerate(function.body.block.args) if is_shaped(arg)}
    for op in function.body.walk():
        if isinstance(op, DmaStartOp | DmaWaitOp | LaunchOp | GridOp | scf.ParallelOp):
            effects.has_transfers = True
        if isinstance(op, VIEWS):
            if op.operands[0] in places:
                places[op.results[0]] = places[op.operands[0]]
            continue
        reads, writes = _touched(op, symbols, effects)
        for value in reads:
            if value in places and places[value] not in (*effects.writes, *effects.reads):
                effects.reads.append(places[value])
        for value in writes:
            if value in places and places[value] not in effects.writes:
                effects.writes.append(places[value])
    return effects


def _touched(op: Operation, symbols: Mapping[str, FuncOp], effects: Effects) -> tuple[list[SSAValue], list[SSAValue]]:
    """Return the buffers that an op reads and those that it writes."""
    match op:
        case CallOp() if op.callee.string_value() in symbols:
            inner = effects_of(symbols[op.callee.string_value()], symbols)
            effects.has_transfers |= inner.has_transfers
            return [op.operands[i] for i in inner.reads], [op.operands[i] for i in inner.writes]
        case _:
            found = memory_effects(op)
            if not found.is_known:
                values = [value for value in op.operands if is_shaped(value)]
                return values, values
            # Those of the ops inside of an op follow in the walk, in their order.
            return ([], []) if op.regions and not is_kernel(op) else (found.reads, found.writes)


def entry_functions(module: ModuleOp) -> list[FuncOp]:
    """Return the functions that no other one calls."""
    called = {op.callee.string_value() for f in functions(module) for op in f.walk() if isinstance(op, CallOp)}
    return [function for function in functions(module) if function.sym_name.data not in called]

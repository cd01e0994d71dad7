"""Capacity check of every memory level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from ..dialects.core.buckets import BUCKET_OF
from ..dialects.core.effects import is_view
from ..dialects.core.kernel import is_shaped
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.file import find_machine, variants
from ..dialects.core.machine.level import Level
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import ConcurrentOp, DmaStartOp, GridOp
from ..dialects.hier.capabilities import missing, needs_of
from ..dialects.hier.sharded import level_name
from ..dialects.quant import EntryOp, LookupOp
from ..errors import Diagnostic
from ..ir import DenseAttr, array_of, functions, where
from .core.base import Pass
from .emitc.sharing import spare_memories
from .grids.memories import COPIES
from .memory.views import MEMORY_VIEWS, bytes_of, short_row
from .proof.instances import prove_engines
from .timing.transfers import levels_of, link_of

_SHOWN = 4
"""Maximum number of parts that an error names."""


@dataclass(frozen=True)
class StaticAllocation:
    """Static allocation: memory that is owned for the whole program."""

    name: str
    level: str
    bytes: int


def verify_levels(module: ModuleOp, machine: Machine) -> None:
    """
    Raise Diagnostic if globals, inputs and outputs exceed their level, a program accesses a level that it does not
    address, or it runs on engine instances that the machine does not have.

    Values without a level are in the farthest. Allocations need offsets: run it after allocate-static.
    """
    for function in functions(module):
        for op in nested_ops(function):
            _verify_row(op, machine)
            if isinstance(op, DmaStartOp):
                _verify_link(op, machine)
            if isinstance(op, ConcurrentOp):
                prove_engines(op, machine)
    parts = [*parts_of(module, machine.far.name), *_tables_of(module, machine.far.name)]
    if machine.far.external:
        for function in functions(module):
            _verify_out_of_reach(function, machine)
    for level in machine.levels:
        here = [part for part in parts if part.level == level.name]
        needed = sum(level.aligned(part.bytes) for part in here)
        if needed > level.size:
            raise too_much(here, needed, level, machine, _elsewhere(parts, machine))


def _verify_link(op: DmaStartOp, machine: Machine) -> None:
    """Raise Diagnostic for a transfer between levels that no link joins, or one that transforms as its link cannot."""
    link = link_of(op, machine)
    lacking = missing(op.body, needs_of(op), link)
    if lacking is None:
        return
    need, reason = lacking
    source, target = levels_of(op, machine)
    raise Diagnostic(
        f"the link '{link.name}' cannot '{need}' what it moves from {source} to {target}",
        where=where(op),
        expected=f"transfers of links.{link.name}, whose transforms are {', '.join(link.transforms) or 'none'}",
        found=reason,
        remedy=f"let a kernel do it, or add '{need}' to transforms of links.{link.name} if its engine can",
    )


def _verify_row(op: Operation, machine: Machine) -> None:
    """Raise Diagnostic for a buffer of blocks in a level that is addressed by rows which does not fill whole ones."""
    buffers = op.results if isinstance(op, MEMORY_VIEWS) else op.body.block.args if isinstance(op, GridOp) else ()
    for value in buffers:
        if not is_shaped(value):
            continue
        level = next((level for level in machine.levels if level.name == _level_of(value.type, "")), None)
        if level is None or not level.row_bytes or not (short := short_row(value.type, level.row_bytes)):
            continue
        raise Diagnostic(
            f"a buffer in {level.name} has rows of {short} bytes",
            where=where(op),
            expected=f"whole rows of {level.row_bytes} bytes",
            found=str(value.type),
            remedy="let its innermost axis fill rows: a larger tile, whose padding is filled, or a layout in blocks",
        )


def _verify_out_of_reach(function: FuncOp, machine: Machine) -> None:
    """Raise Diagnostic if an op other than a transfer accesses a buffer in an unaddressed level."""
    far = machine.far.name
    for op in nested_ops(function):
        if isinstance(op, (DmaStartOp, ReturnOp, memref.GetGlobalOp)) or is_view(op):
            continue
        if any(is_shaped(value) and _level_of(value.type, far) == far for value in op.operands):
            raise Diagnostic(
                f"'{op.name}' works in {far}, which programs do not address",
                where=where(op),
                expected=f"transfers between {far} and {machine.home.name}",
                remedy=f"let its operands lie in {machine.home.name} (place-addressed, plan-memory)",
            )


def parts_of(module: ModuleOp, far: str) -> Iterator[StaticAllocation]:
    """Yield globals, inputs and outputs with their level, `far` if they name none."""
    spare = spare_memories(module)
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp) and op not in spare:
            copies = op.attributes.get(COPIES)
            shared = copies.value.data if isinstance(copies, IntegerAttr) else 1
            yield StaticAllocation(op.sym_name.data, _level_of(op.type, far), bytes_of(op.type) // shared)
    for function in functions(module):
        yield from _ports(function, far)


def _tables_of(module: ModuleOp, far: str) -> Iterator[StaticAllocation]:
    """Yield the constants that lowering creates: lookup tables, and non-zero initial values of state."""
    tables = dict.fromkeys(op.table for op in nested_ops(module) if isinstance(op, LookupOp | EntryOp))
    for number, table in enumerate(cast("dict[DenseAttr, None]", tables)):
        yield StaticAllocation(f"table_{number}", far, array_of(table).nbytes)
    for op in module.body.block.ops:
        first = op.initial_value if isinstance(op, memref.GlobalOp) and op.constant is None else None
        if isinstance(first, DenseIntOrFPElementsAttr) and array_of(cast("DenseIntOrFPElementsAttr[Any]", first)).any():
            state = cast(memref.GlobalOp, op)
            yield StaticAllocation(f"{state.sym_name.data}_first", _level_of(state.type, far), bytes_of(state.type))


def _ports(function: FuncOp, far: str) -> Iterator[StaticAllocation]:
    """Yield the inputs and outputs of a public function."""
    if function.sym_visibility == StringAttr("private") or BUCKET_OF in function.attributes:
        return
    for argument in function.body.block.args:
        if is_shaped(argument):
            name = argument.name_hint or f"arg{argument.index}"
            yield StaticAllocation(name, _level_of(argument.type, far), bytes_of(argument.type))


def _level_of(type: Attribute, far: str) -> str:
    return level_name(type) or far


def _elsewhere(parts: Sequence[StaticAllocation], machine: Machine) -> list[str]:
    """Return the use of the preloaded levels."""
    uses: list[str] = []
    for level in machine.levels:
        if level.preloaded:
            occupied = sum(level.aligned(part.bytes) for part in parts if part.level == level.name)
            uses.append(f"{level.name} holds {occupied:,} of {level.size:,} bytes")
    return uses


def too_much(
    parts: Sequence[StaticAllocation], needed: int, level: Level, machine: Machine, notes: Sequence[str] = ()
) -> Diagnostic:
    """Return the error of a level that is too small, with its largest parts."""
    largest = sorted(parts, key=lambda part: (-part.bytes, part.name))[:_SHOWN]
    named = [f"{part.name} ({part.bytes:,} bytes)" for part in largest]
    rest = [f"{len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return Diagnostic(
        f"the network does not fit {level.name}: {needed - level.size:,} bytes short",
        expected=f"{level.size:,} bytes in all",
        found=f"{needed:,} bytes for {', '.join([*named, *rest])}",
        remedy=_remedy(needed, level, machine),
        notes=list(notes),
    )


def _remedy(needed: int, level: Level, machine: Machine) -> str:
    if level != machine.far:
        return f"plan for the level as it is (plan-memory), or give {level.name} {needed:,} bytes"
    if len(machine.levels) == 1:
        return f"give {level.name} {needed:,} bytes in the machine's file (size)"
    behind = f"L{int(level.name[1:]) + 1}" if level.name[1:].isdecimal() else "FAR"
    larger = " or ".join(f"--target {name}" for name in _larger(machine, needed))
    return (f"compile for {larger}; or " if larger else "") + (
        f"put {behind} of {needed:,} bytes behind {level.name}, with a link to it: a machine file that includes "
        f"'{machine.name}' and has [levels.{behind}] and [links.NAME]"
    )


def _larger(machine: Machine, needed: int) -> list[str]:
    """Return the names of known machines with the same engines and a sufficient farther level."""
    levels, names = {level.name for level in machine.levels}, list[str]()
    for name in variants():
        other = find_machine(name)
        has_all = levels <= {level.name for level in other.levels} and set(machine.engines) <= set(other.engines)
        if has_all and other.far.name not in levels and other.far.size >= needed:
            names.append(name)
    return names


@dataclass(frozen=True)
class VerifyLevelsPass(Pass):
    """
    Reject a program whose weights, state, buffers, inputs and outputs exceed a memory level.

    Run it after allocate-static, when all of them are placed.
    """

    name = "verify-levels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_levels(op, machine_of(op))

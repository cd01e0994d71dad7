"""Kernels on tiles as a program is walked through: whether each gets, and leaves, the tiles of the whole kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

from ...dialects.core.kernel import is_shaped, kernel_of
from ..loops.affine import Linear
from .body import prove_kernel, prove_sizes, reads_of
from .kernel import Equation, Mismatch, Part, part_of, solve_point
from .memory import Buffer, Origin, State
from .rules import listed, refuse


@dataclass
class KernelFacts:
    """What a kernel op does to its operands, by their indices."""

    op: Operation
    reads: list[int]
    writes: list[int]
    in_place: set[tuple[int, int]]
    """Pairs (read, written) that are accessed at the same element at each point."""
    part: Part | None
    operand_of: list[int]
    """Access of the part -> operand, -1 for scalars."""


def facts_of(op: Operation) -> KernelFacts:
    """Return the facts about a kernel. Raises Diagnostic where it leaves its operands."""
    prove_kernel(op)
    kernel = kernel_of(op)
    operands = list(op.operands)
    reads = [operands.index(value) for value in dict.fromkeys(reads_of(kernel)) if is_shaped(value)]
    writes = [operands.index(access.value) for access in kernel.outputs]
    together: set[tuple[int, int]] = set()
    for write in kernel.outputs:
        reading = [a for a in (*kernel.inputs, *kernel.extras, *kernel.outputs) if is_shaped(a.value)]
        for i, value in enumerate(operands):
            maps = {a.map for a in reading if a.value is value}
            if maps == {write.map}:
                together.add((i, operands.index(write.value)))
    part = part_of(op)
    accesses = part.accesses if part is not None else ()
    places = [operands.index(a.value) if is_shaped(a.value) else -1 for a in accesses]
    return KernelFacts(op, reads, writes, together, part, places)


def name_of(op: Operation, index: int) -> str:
    """Return an operand, for messages."""
    hint = op.operands[index].name_hint if index < len(op.operands) else None
    return f"operand {index}" + (f" (%{hint})" if hint else "")


class TileChecks:
    """The checks of kernels on tiles in one run of a program."""

    def __init__(self, state: State):
        self._state = state
        self._plans: dict[tuple[Operation, tuple[int, ...]], list[Equation]] = {}
        self._sources: dict[tuple[int, Operation, int], Any] = {}
        self._calls = 0
        self.call = 0
        """The call that the program is in: in each, the operands of a kernel may be other buffers."""

    def enter(self) -> None:
        """Note that a function has been entered."""
        self._calls += 1
        self.call = self._calls

    def result_of(self, facts: KernelFacts, buffers: Sequence[Buffer | None]) -> Origin:
        """Check that a kernel on tiles, given these operands, has the tiles that it needs; returns what it makes."""
        part, op = cast(Part, facts.part), facts.op
        origins = self._origins(facts, buffers)
        starts = {access: origin.start for access, origin in origins.items() if origin.start}
        if mismatch := self._solve(part, starts):
            raise self._wrong_tile(op, facts, mismatch, starts)
        for access, origin in origins.items():
            name = f"{name_of(op, facts.operand_of[access])} of '{op.name}'"
            at = [f"tile at {listed(origin.start)}" if origin.start else "", self._state.place()]
            if self._sources.setdefault((self.call, op, access), origin.source) != origin.source:
                raise refuse("whole-kernel", f"{name} comes from another buffer than before", op, at)
            wanted = part.fills[access]
            if origin.fill is not None and not isinstance(wanted, UnitAttr) and wanted != origin.fill:
                message, needs = f"{name} is filled with {origin.fill}", f"the kernel needs {wanted}"
                raise refuse("whole-kernel", message, op, at, found=needs)
        return Origin((), op, solved=(facts, starts))

    def _origins(self, facts: KernelFacts, buffers: Sequence[Buffer | None]) -> dict[int, Origin]:
        """Return where the tiles that a kernel reads come from, by access."""
        found: dict[int, Origin] = {}
        for access, operand in enumerate(facts.operand_of):
            buffer = buffers[operand] if operand in facts.reads else None
            origin = self._state.origin_of(buffer) if buffer is not None else None
            if origin is not None:
                found[access] = origin
        return found

    def check_written(self, op: Operation, near: Buffer, start: tuple[int, ...]) -> None:
        """Check that a tile is written to where the kernel that made it says."""
        origin = self._state.origin_of(near)
        if origin is None or origin.solved is None:
            return
        facts, starts = origin.solved
        part = cast(Part, facts.part)
        access = len(part.accesses) - 1
        begun = starts.get(access, start)
        if begun != start:
            axis = next(axis for axis, (a, b) in enumerate(zip(begun, start, strict=True)) if a != b)
            raise self._wrong_tile(op, facts, Mismatch(access, axis, Linear((), begun[axis])), {access: start})
        starts = {**starts, access: start}
        if mismatch := self._solve(part, starts):
            raise self._wrong_tile(op, facts, mismatch, starts)

    def _solve(self, part: Part, starts: Mapping[int, Sequence[int]]) -> Mismatch | None:
        key = (part.op, tuple(starts))
        if key not in self._plans:
            prove_sizes(part)
            self._plans[key] = part.equations(list(starts))
        return solve_point(self._plans[key], starts)

    def _wrong_tile(
        self, op: Operation, facts: KernelFacts, mismatch: Mismatch, starts: Mapping[int, Sequence[int]]
    ) -> Exception:
        wanted = "elsewhere"
        if mismatch.expected is not None:
            wanted = f"at {mismatch.expected.constant} along axis {mismatch.axis}"
        others = ", ".join(listed(start) for access, start in starts.items() if access != mismatch.access)
        name = name_of(facts.op, facts.operand_of[mismatch.access])
        return refuse(
            "whole-kernel",
            f"{name} is not the tile that '{facts.op.name}' needs",
            op,
            [f"tile at {listed(starts[mismatch.access])}, needed {wanted}", self._state.place()],
            found=f"the tiles of its other operands begin at {others}" if others else "",
        )

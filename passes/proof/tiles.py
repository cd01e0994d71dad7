"""Proof, along a walk of the program, that each kernel reads and writes the right tiles of the whole kernel."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

from ...dialects.core.kernel import Access, Kernel, is_shaped, kernel_of, used_inputs
from ...ir import Array, shape_of
from .body import constant_of, prove_kernel
from .clobbers import Clobber, clobber_of
from .kernel import Equation, Mismatch, Part, accesses_of, output_start, part_of, solve
from .memory import MemoryState
from .origins import Index, Origin, PartialSums, Spot, of_shape
from .parts import prove_even
from .progress import Progress
from .regions import Buffer
from .rules import listed, name_of, refuse
from .steps import prove_sizes


@dataclass
class KernelFacts:
    """Memory effects of a kernel op on its operands, by their indices."""

    op: Operation
    kernel: Kernel
    reads: list[int]
    writes: list[int]
    part: Part | None
    operand_of: list[int]
    """Access of the part -> operand, -1 for scalars."""
    leaves: Origin | None
    """What it leaves in its outputs, where that does not depend on the step."""
    _clobbers: dict[tuple[int, int], Clobber | None] = field(default_factory=dict[tuple[int, int], Clobber | None])

    @property
    def adds_to(self) -> list[int]:
        """The operands that it adds to."""
        return self.writes if self.part is not None and self.part.accumulates else []

    def clobber(self, read: int, written: int) -> Clobber | None:
        """Return an element of an operand, in the same memory as an output, that is read after it is written."""
        if (read, written) not in self._clobbers:
            value = [*self.op.operands, *self.kernel.tables][read]
            output = self.kernel.outputs[self.writes.index(written)]
            self._clobbers[read, written] = clobber_of(self.kernel, value, output)
        return self._clobbers[read, written]


def facts_of(op: Operation, proved: set[Hashable] | None = None) -> KernelFacts:
    """
    Return the facts about a kernel. Raises Diagnostic where it leaves its operands.

    With `proved`, the accesses of kernels that have been proved, it is not seen as a part of a whole kernel.
    """
    kernel = kernel_of(op)
    part = part_of(op, kernel) if proved is None else None
    key = kernel.bounds, tuple((access.map, access.value.type, access.fill is None) for access in accesses_of(kernel))
    if proved is None or key not in proved:
        prove_kernel(op, kernel, part)
    if proved is not None:
        proved.add(key)
    first = len(op.operands) - len(kernel.outputs)
    writes = list(range(first, len(op.operands)))
    sources = [*op.operands[:first], *[None] * len(writes), *kernel.tables]

    def position(access: Access) -> int:
        output = next(
            (index for index, candidate in zip(writes, kernel.outputs, strict=True) if candidate is access), None
        )
        if output is not None:
            return output
        return sources.index(access.value) if is_shaped(access.value) else -1

    reads = dict.fromkeys(position(access) for access in used_inputs(kernel) if is_shaped(access.value))
    reads |= dict.fromkeys(sources.index(value) for value in kernel.tables)
    reads |= dict.fromkeys(writes if kernel.accumulates else [])
    places = [position(access) for access in part.accesses] if part is not None else []
    value = constant_of(op)
    leaves = Origin(value=value) if value is not None else None
    return KernelFacts(op, kernel, list(reads), writes, part, places, leaves)


@dataclass(frozen=True)
class Solved:
    """Kernel on tiles at one step: the offsets of its tiles by access, and the contents that it has read."""

    facts: KernelFacts
    spots: Mapping[int, Spot]
    origins: Mapping[int, Origin]
    x: Mapping[int, int] = field(default_factory=dict[int, int])


class TileChecks:
    """The checks of kernels on tiles in one run of a program."""

    def __init__(self, state: MemoryState):
        self._state = state
        self._progress = Progress(state)
        self._plans: dict[tuple[Operation, tuple[int, ...], tuple[int, ...]], list[Equation]] = {}
        self._sources: dict[tuple[int, Operation, int], Any] = {}
        self._used: set[Operation] = set()
        """The kernels on tiles whose results others on tiles use."""
        self._covered: dict[tuple[int, Operation], Array] = {}
        self._calls = 0
        self.call = 0
        """The call that the program is in: in each, the operands of a kernel may be other buffers."""

    def enter(self) -> int:
        """Note that a function has been entered; return the call around."""
        around, self.call = self.call, self._calls + 1
        self._calls += 1
        return around

    def result_of(self, facts: KernelFacts, part: Part, buffers: Sequence[Buffer | None]) -> Origin:
        """Check that a kernel on tiles, given these operands, has the tiles that it needs; returns what it makes."""
        op = facts.op
        self._check_distinct(facts, buffers)
        origins: dict[int, Origin] = {}
        spots: dict[int, Spot] = {}
        for access, operand in enumerate(facts.operand_of):
            buffer = buffers[operand] if operand >= 0 else None
            if buffer is None or (operand not in facts.reads and operand not in facts.writes):
                continue
            origin = self._state.origin_of(buffer) if operand in facts.reads else None
            if origin is not None:
                origins[access] = origin
            if spot := self._spot(facts, part, access, buffer, origin):
                spots[access] = spot
        last = len(part.accesses) - 1
        target = buffers[facts.operand_of[last]]
        is_placed = last in spots and target is not None and spots[last] in target.spots
        own = of_shape(target.spots, part.shapes[last]) if target is not None and last in spots else None
        if target is not None and own is not None and own.start == spots[last].start:
            self._cover(op, part.shapes[last], own.start, target.array.shape)
        x = self._solve(part, {access: spot.start for access, spot in spots.items()})
        if isinstance(x, dict) and part.accumulates and any(dim not in x for dim in part.cut_reductions):
            x = self._solve_step(part, spots, origins.get(last))
        solved = Solved(facts, spots, origins, x if isinstance(x, dict) else {})
        if isinstance(x, Mismatch):
            raise self._wrong_tile(op, solved, x)
        for access, origin in origins.items():
            self._check_origin(facts, part, access, origin, spots.get(access))
        result = self._made(part, solved.x)
        if result is not None:
            self._must_be_written(op, result.shape)
        self._progress.check_padding(part, origins)
        sums = self._progress.after(part, solved.x, origins, result) if part.accumulates else None
        return Origin(result=result, solved=solved, sums=sums, is_placed=is_placed)

    def _check_distinct(self, facts: KernelFacts, buffers: Sequence[Buffer | None]) -> None:
        """Check that no two operands are tiles which have been brought to one buffer."""
        seen: dict[int, int] = {}
        for operand in facts.reads:
            buffer = buffers[operand]
            if buffer is None or not buffer.memory.is_shared:
                continue
            other = seen.setdefault(buffer.number, operand)
            if other == operand or not (origin := self._state.origin_of(buffer)) or not origin.spots:
                continue
            names = f"{name_of(facts.op, other)} and {name_of(facts.op, operand)}"
            message = f"{names} of '{facts.op.name}' are in one buffer"
            raise self._state.refuse("disjoint", facts.op, message, buffer.address())

    def _spot(self, facts: KernelFacts, part: Part, access: int, buffer: Buffer, origin: Origin | None) -> Spot | None:
        """Return the offset of a buffer in the whole kernel's operand, None where that is not known."""
        shape, adds_to = part.shapes[access], facts.operand_of[access] in facts.adds_to
        origin = origin if origin is not None and not origin.repeated else Origin()
        if spot := of_shape(origin.spots, shape):
            return spot
        if origin.result is not None and origin.result.shape == shape and not adds_to:
            self._used.add(origin.result.source)
            return origin.result
        spot = of_shape(buffer.spots, shape)
        if spot is not None and origin.is_placed:
            return spot
        is_other = origin.is_mixed or origin.result is not None or (bool(origin.spots) and origin.is_whole)
        if adds_to or not is_other or (spot is not None and not buffer.memory.is_shared):
            return spot
        name = f"{name_of(facts.op, facts.operand_of[access])} of '{facts.op.name}'"
        message = f"what {name} holds is no tile of what it needs"
        raise self._state.refuse("whole-kernel", facts.op, message, f"tile of {listed(buffer.array.shape)}")

    def _check_origin(self, facts: KernelFacts, part: Part, access: int, origin: Origin, spot: Spot | None) -> None:
        operand = facts.operand_of[access]
        name = f"{name_of(facts.op, operand)} of '{facts.op.name}'"
        at = f"tile at {listed(spot.start)}" if spot else ""
        if self._is_new_source(facts, part, access, origin):
            raise self._state.refuse("whole-kernel", facts.op, f"{name} comes from another buffer than before", at)
        wanted = part.fills[access]
        if origin.valid is not None and not isinstance(wanted, UnitAttr) and wanted != origin.fill:
            message, needs = f"{name} is filled with {origin.fill}", f"the kernel needs {wanted}"
            raise self._state.refuse("whole-kernel", facts.op, message, at, found=needs)
        if spot is not None and spot is origin.result and not isinstance(wanted, UnitAttr):
            self._check_outside(facts, access, spot)

    def _is_new_source(self, facts: KernelFacts, part: Part, access: int, origin: Origin) -> bool:
        """Return whether an operand has come from another buffer before, seen through the levels it came by."""
        if facts.operand_of[access] in facts.adds_to or not origin.is_whole or not (origin.spots or origin.result):
            return False
        if origin.is_placed and origin.result is not None and origin.result.shape != part.shapes[access]:
            return False
        source = origin.spots[-1].source if origin.spots or origin.result is None else origin.result.source
        return self._sources.setdefault((self.call, facts.op, access), source) != source

    def _check_outside(self, facts: KernelFacts, access: int, spot: Spot) -> None:
        """Check that an intermediate's tile has nothing outside of it where the kernel needs that filled."""
        operand = facts.operand_of[access]
        shape = shape_of(facts.op.operands[operand])
        if all(0 <= at and at + n <= size for at, n, size in zip(spot.start, shape, spot.shape, strict=True)):
            return
        name = f"{name_of(facts.op, operand)} of '{facts.op.name}'"
        message = f"{name} is not filled where it leaves what it is a tile of"
        at = f"tile at {listed(spot.start)} of {listed(spot.shape)}"
        raise self._state.refuse("whole-kernel", facts.op, message, at)

    def _made(self, part: Part, x: Mapping[int, int]) -> Spot | None:
        """Return the offset of a tile's output in the whole kernel's result."""
        start = output_start(part, len(part.accesses) - 1, x, 0)
        return Spot(part.op, start, part.shapes[-1]) if start is not None else None

    def check_written(self, op: Operation, near: Buffer, far: Buffer, start: Index, inside: Sequence[slice]) -> bool:
        """
        Check that a tile is written to where the kernel that made it says.

        Returns whether that is known: where not, the far buffer may be a tile itself.
        """
        origin = self._state.origin_of(near)
        solved: Solved | None = origin.solved if origin is not None else None
        part = solved.facts.part if solved is not None else None
        result = origin.result if origin is not None else None
        shape = part.shapes[-1] if part is not None else result.shape if result is not None else None
        own = Spot((far.number, far.low), start, far.array.shape)
        spots_of_far = [own, *(spot.moved(start) for spot in far.spots[1:])]
        spot = of_shape(spots_of_far, shape) if shape is not None else None
        if spot is None:
            return False
        if solved is None or part is None:
            assert result is not None
            self._check_result(op, result, spot)
            self._cover(result.source, result.shape, spot.start, near.array.shape)
            return True
        if origin is not None and origin.sums is not None:
            self._check_begun(op, origin.sums, spots_of_far)
        access = len(part.accesses) - 1
        begun = solved.spots.get(access, spot).start
        if begun != spot.start:
            axis = next(axis for axis, (a, b) in enumerate(zip(begun, spot.start, strict=True)) if a != b)
            wrong = Solved(solved.facts, {access: spot}, {})
            raise self._wrong_tile(op, wrong, Mismatch(access, axis, begun[axis]))
        spots = {**solved.spots, access: spot}
        x = self._solve(part, {k: start_spot.start for k, start_spot in spots.items()})
        if isinstance(x, Mismatch):
            raise self._wrong_tile(op, Solved(solved.facts, spots, {}), x)
        self._progress.check_reached(op, part, solved.spots, solved.origins, inside)
        self._cover(part.op, spot.shape, spot.start, near.array.shape)
        return True

    def _check_begun(self, op: Operation, sums: PartialSums, target: Sequence[Spot]) -> None:
        """Check that sums which began as a copy of a tile are written back to it."""
        if not sums.begun or any(spot in sums.begun for spot in target):
            return
        message = f"the sums of '{sums.op.name}' begin as a copy of another tile than they are written to"
        remedy = "begin with a constant, or say in hier.kernel which operand they start from"
        raise self._state.refuse("whole-kernel", op, message, f"tile at {listed(target[0].start)}", remedy=remedy)

    def _cover(self, op: Operation, shape: Index, start: Index, extents: Sequence[int]) -> None:
        """Record the written part of a whole kernel's last output."""
        box = tuple(slice(max(0, at), max(0, at + n)) for at, n in zip(start, extents, strict=True))
        self._must_be_written(op, shape)[box] = True

    def _must_be_written(self, op: Operation, shape: Index) -> Array:
        """Return the written part of a whole kernel's last output."""
        key = (self.call, op)
        if key not in self._covered:
            self._covered[key] = np.zeros(shape, np.bool_)
        return self._covered[key]

    def check_covered(self) -> None:
        """Check that all of what each kernel on tiles makes has been written."""
        for (_, op), covered in self._covered.items():
            if covered.all() or op in self._used:
                continue
            element = listed([int(i) for i in np.argwhere(~covered)[0]])
            shape = listed(covered.shape)
            message = f"the tiles of '{op.name}' leave out a part of its output"
            raise refuse("complete", message, op, [f"element {element} of the shape {shape}"])

    def _check_result(self, op: Operation, result: Spot, spot: Spot) -> None:
        """Check that a tile is written at the kernel's output offset."""
        for axis, (a, b) in enumerate(zip(result.start, spot.start, strict=True)):
            if a != b:
                message = f"what the tile's buffer holds does not belong where '{op.name}' writes it"
                at = f"tile at {listed(spot.start)}, needed at {a} along axis {axis}"
                raise self._state.refuse("whole-kernel", op, message, at)

    def _solve_step(self, part: Part, spots: dict[int, Spot], before: Origin | None) -> dict[int, int] | Mismatch[int]:
        """
        Solve the equations of one step of a reduction that say too little by themselves: the sums are where they have
        been so far, and where they begin, so do the reduced loops. Where the sums are written shows whether they do.
        """
        output = len(part.accesses) - 1
        if before is not None and before.sums is not None and before.sums.start is not None:
            spots[output] = Spot(part.op, before.sums.start, part.shapes[output])
            return self._solve(part, {access: spot.start for access, spot in spots.items()})
        starts = {access: spot.start for access, spot in spots.items()}
        x = self._solve(part, starts)
        unknown = tuple(dim for dim in part.cut_reductions if isinstance(x, dict) and dim not in x)
        x = self._solve(part, starts, unknown)
        return x if isinstance(x, Mismatch) else {**x, **dict.fromkeys(unknown, 0)}

    def _solve(
        self, part: Part, starts: Mapping[int, Sequence[int]], zero: tuple[int, ...] = ()
    ) -> dict[int, int] | Mismatch[int]:
        key = (part.op, tuple(starts), zero)
        if key not in self._plans:
            prove_even(part)
            prove_sizes(part)
            self._plans[key] = part.equations(list(starts), zero)
        return solve(self._plans[key], starts)

    def _wrong_tile(self, op: Operation, solved: Solved, mismatch: Mismatch[int]) -> Exception:
        facts = solved.facts
        wanted = "elsewhere"
        if mismatch.expected is not None:
            wanted = f"at {mismatch.expected} along axis {mismatch.axis}"
        others = ", ".join(listed(spot.start) for access, spot in solved.spots.items() if access != mismatch.access)
        name = name_of(facts.op, facts.operand_of[mismatch.access])
        message = f"{name} is not the tile that '{facts.op.name}' needs"
        at = f"tile at {listed(solved.spots[mismatch.access].start)}, needed {wanted}"
        others_text = f"the tiles of its other operands begin at {others}" if others else ""
        return self._state.refuse("whole-kernel", op, message, at, found=others_text)

"""Makespan of consecutive kernels with some of them split into parts, by the machine's cost model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref

from ...dialects.core.machine.model import Engine, Machine
from ...ir import element_of, numpy_type
from ..map_engines import mapped_engine
from ..memory.layers import is_preloaded
from ..memory.tiling import Part
from ..memory.views import bytes_of
from ..overlap.places import Place
from ..overlap.runs import Run, cycles_of_runs
from .parts import Box, boxes_of, part_of


@dataclass(frozen=True)
class Step:
    """A kernel or a part of one: the engine that runs it, its cycles and bytes there, and where it reads and writes."""

    engine: Engine
    cycles: int
    size: int
    reads: tuple[Place, ...]
    writes: tuple[Place, ...]

    def has_to_follow(self, other: Step) -> bool:
        """Return whether a step may not run beside another one before it."""
        pairs = [(self.reads, other.writes), (self.writes, other.reads), (self.writes, other.writes)]
        return any(a.meets(b) for mine, theirs in pairs for a in mine for b in theirs)


def steps_of(whole: Part, machine: Machine, loop: int, cuts: Sequence[int]) -> list[Step] | None:
    """
    Return a kernel in parts along a loop, each a step; `cuts` are the points at which those after the first begin.

    None where its engine does not do a part, or where it is not known which bytes one touches.
    """
    engine = mapped_engine(whole.op, machine)
    price = machine.pricer(engine, whole.op)
    ends = (*cuts, whole.sizes[loop]) if cuts else ()
    parts = [part_of(whole, loop, begin, end) for begin, end in zip((0, *cuts), ends)] or [whole]
    found: list[Step] = []
    for part in parts:
        cycles, boxes = price(part.sizes) if price is not None else None, boxes_of(part)
        places = {position: place for position, box in boxes.items() if (place := box.place) is not None}
        if cycles is None or len(places) < len(boxes):
            return None
        again = _fetched_again(boxes.values(), engine, machine) if found else 0
        reads = tuple(place for position, place in places.items() if position < part.first_output)
        writes = tuple(place for position, place in places.items() if position >= part.first_output)
        found.append(Step(engine, cycles + again, _size(boxes.values(), machine), reads, writes))
    return found


def _size(boxes: Iterable[Box], machine: Machine) -> int:
    """Return the bytes of boxes that are not in an engine's memory before the program runs."""
    fetched = [box for box in boxes if not is_preloaded(box.value, machine)]
    return sum(prod(box.extents) * numpy_type(element_of(box.value)).itemsize for box in fetched)


def _fetched_again(boxes: Iterable[Box], engine: Engine, machine: Machine) -> int:
    """Return the cycles of bringing constants to the engine, which a part does for itself, as if nothing hid them."""
    wholes = [box.value for box in boxes if isinstance(box.value.owner, memref.GetGlobalOp)]
    return sum(machine.fetch_cycles(engine, bytes_of(v.type)) for v in wholes if not is_preloaded(v, machine))


def cycles_of(steps: Sequence[Step]) -> int:
    """Return the modelled time of steps, in the order in which engines are busiest."""
    befores = (
        {other for other in range(number) if step.has_to_follow(steps[other])} for number, step in enumerate(steps)
    )
    return cycles_of_runs([Run(step.engine, step.cycles, before) for step, before in zip(steps, befores, strict=True)])

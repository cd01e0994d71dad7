"""Blocks of a sum of products that each core computes: the partition of `fork-kernels`, in cycles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple


class BlockLoop(NamedTuple):
    """
    Parallel loop over blocks of outputs: its iterations, the outputs and the cycles of one.

    Of an iteration, `inner` iterations of a loop in it may be shared instead; each core then takes `fixed` of the
    cycles.
    """

    trips: int
    outputs: int
    cycles: float
    inner: int = 1
    fixed: float = 0.0


class Busiest(NamedTuple):
    """Cycles of the busiest core, and the active cores."""

    cycles: float
    active: int


_Cores = list[tuple[int, float]]
"""Outputs and cycles of each core."""


def busiest_core(outer: Sequence[int], line: Sequence[BlockLoop], cores: int, *, finding: float) -> Busiest:
    """
    Partition the blocks of a line, or a loop around the lines, whichever leaves the busiest core the fewest outputs.

    `outer` are the extents of the loops around, outermost first. Where cores share the blocks of each line, each
    finds its share of a loop in `finding` cycles. `passes/forking/shares.py` chooses so among the emitted loops.
    """
    mine = _line_of(line, cores, finding if cores > 1 and prod(outer) > 1 else 0.0)
    outputs = sum(part.trips * part.outputs for part in line)
    cycles = sum(part.trips * part.cycles for part in line)
    for extent in reversed(outer):
        chunk = -(-extent // cores)
        if extent * _most(mine) < chunk * outputs:
            mine = [(extent * count, extent * time) for count, time in mine]
        else:
            trips = [min(chunk, max(0, extent - core * chunk)) for core in range(cores)]
            mine = [(count * outputs, count * cycles) for count in trips]
        outputs, cycles = extent * outputs, extent * cycles
    busy = sum(count > 0 for count, _ in mine)
    return Busiest(max(time for _, time in mine), busy)


def _most(cores: _Cores) -> int:
    return max(count for count, _ in cores)


def _line_of(line: Sequence[BlockLoop], cores: int, finding: float) -> _Cores:
    """Share each loop of a line; single iterations come last, each on the core that has the least to do."""
    mine: _Cores = [(0, 0.0)] * cores
    for blocks in sorted(line, key=lambda part: part.trips == 1):
        if blocks.trips == 1:
            alone = min(reversed(range(cores)), key=lambda core: mine[core][0])
            own = [int(core == alone) for core in range(cores)]
            shares = [(n * blocks.outputs, n * blocks.cycles) for n in own]
        else:
            shares = _loop_of(blocks, cores)
        pairs = zip(mine, shares, strict=True)
        mine = [(count + more, time + spent + finding) for (count, time), (more, spent) in pairs]
    return mine


def _loop_of(blocks: BlockLoop, cores: int) -> _Cores:
    """Share a loop over blocks, or the loop inside."""
    chunk, inner = -(-blocks.trips // cores), -(-blocks.inner // cores)
    if blocks.trips * inner * (blocks.outputs // blocks.inner) < chunk * blocks.outputs:
        iteration = (blocks.cycles - blocks.fixed) / blocks.inner
        trips = [min(inner, max(0, blocks.inner - core * inner)) for core in range(cores)]
        outputs = blocks.trips * (blocks.outputs // blocks.inner)
        return [(n * outputs, blocks.trips * (blocks.fixed + n * iteration)) for n in trips]
    trips = [min(chunk, max(0, blocks.trips - core * chunk)) for core in range(cores)]
    return [(n * blocks.outputs, n * blocks.cycles) for n in trips]

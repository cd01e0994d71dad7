"""Remarks on a memory plan: tiles and their alternatives, buffers that are not double, residency, fusion, addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from xdsl.ir import Operation, SSAValue

from ..core.remarks import analysis, missed, passed
from ..tiles.group import Tilings
from .candidates import Candidate, Candidates, fits
from .hints import STAGES, pinned_stages
from .layers import Layers
from .near import ResidentSet
from .plan import LONGEST_GROUP, Addresses, Choice, Plan, best

_SHOWN = 3
"""Number of faster candidates that do not fit to remark on."""


def remark_on_plan(layers: Layers, plan: Plan, addresses: Mapping[str, Addresses], capacity: Mapping[str, int]) -> None:
    """Remark on the choices of a plan for a block, before the kernels are replaced by grids."""
    near = ResidentSet(layers, plan.resident, capacity)
    for choice in plan.choices:
        _remark_on_tiles(near, choice)
        _remark_on_rules(near, choice)
    for number in range(len(layers.buffers)):
        _remark_on_residency(near, plan, number, addresses)
    for one, two in pairwise(plan.choices):
        _remark_on_fusion(near, one, two)


def remark_on_addresses(
    op: Operation, tiling: Tilings, tiles: Sequence[int | None], scratch: Sequence[int | None], stages: Sequence[int]
) -> None:
    """Remark on the addresses of the tiles and scratch buffers of a group; None for tiles in place."""
    rings = zip(tiling.tiles, tiles, stages, strict=True)
    buffers = [
        {"operand": _name_of(tile.value), "level": tile.level, "address": at, "bytes": tile.near_size, "stages": count}
        for tile, at, count in rings
        if at is not None
    ]
    buffers += [
        {"operand": "scratch", "level": buffer.level, "address": at, "bytes": buffer.size, "stages": 1}
        for buffer, at in zip(tiling.scratch, scratch, strict=True)
    ]
    texts = ("{operand} at {level} address {address}, {stages} x {bytes:,} bytes".format(**b) for b in buffers)
    if buffers:
        passed(op, "address", "{text}", text="; ".join(texts), buffers=buffers)


def _remark_on_tiles(near: ResidentSet, choice: Choice) -> None:
    """Remark on the tiling of a fused group: on faster ones that do not fit, too, and on the next that does."""
    layers, candidate = near.layers, choice.candidate
    op, options = layers.ops[choice.last], layers.options(choice.first, choice.count, near.resident)
    available = near.available(choice.first, choice.last, options.levels)
    text = "{tile}: {cycles:,} cycles modelled, {bytes}; of {candidates:,} costed, {legal:,} legal, {tried:,} tried"
    numbers = {"candidates": len(options.costed), "legal": options.legal, "tried": options.tried}
    passed(op, "tile", text, **_arguments(candidate, options, available), **numbers)
    compute = min(sum(layers.floor(index) for index in choice.kernels), candidate.cycles)
    share, text = (
        compute / max(candidate.cycles, 1),
        "compute alone takes {compute:,} of {cycles:,} cycles, {share:.0%}",
    )
    analysis(op, "compute", text, compute=compute, cycles=candidate.cycles, share=share)
    others = _distinct(options.costed, candidate)
    fitting = [other for other in others if fits(other.bytes, available)]
    faster = [other for other in others if other.cycles < candidate.cycles and not fits(other.bytes, available)]
    for other in faster[:_SHOWN]:
        arguments = _arguments(other, options, available)
        missed(op, "tile", "{tile}: {cycles:,} cycles, but {short}", **arguments)
    for other in fitting[:1]:
        arguments = _arguments(other, options, available)
        analysis(op, "tile", "the next that fits is {tile}: {cycles:,} cycles, {bytes}", **arguments)
    if choice.count > 1:
        names = ", ".join(layers.ops[index].name for index in choice.kernels)
        text = "{count} kernels tile by tile, their intermediates in near memory alone: {kernels}"
        passed(op, "fusion", text, count=choice.count, kernels=names)
    _remark_on_stages(near, choice, options, available)


def _remark_on_stages(near: ResidentSet, choice: Choice, options: Candidates, available: Sequence[int]) -> None:
    """Remark on tiles that move and have one buffer, so that their transfers do not overlap compute."""
    layers, candidate = near.layers, choice.candidate
    op, sizes = layers.ops[choice.last], candidate.sizes
    tiling = layers.tiling(choice.first, choice.count, sizes, near.resident, candidate.alternative, candidate.panels)
    moving = frozenset(candidate.spread.order(candidate.order, tiling.grid))
    if not moving and any(tile.has_buffer for tile in tiling.tiles):
        missed(op, "double buffering", "the kernel is one tile, so that no transfer overlaps its compute")
    for number, tile in enumerate(tiling.tiles):
        if candidate.stages[number] > 1 or not tile.has_buffer or not tile.dims & moving:
            continue
        reason = _why_single(layers, choice, number, options, available)
        arguments = {"operand": _name_of(tile.value), "level": tile.level, "reason": reason}
        missed(op, "double buffering", "{operand} has one buffer in {level}: {reason}", **arguments)


def _distinct(candidates: Sequence[Candidate], chosen: Candidate) -> list[Candidate]:
    """Return the candidates other than the chosen one, fastest first, one of those that differ in loop order alone."""
    ranked = sorted(candidates, key=lambda candidate: (candidate.cycles, candidate.bytes, candidate.sizes))
    own = chosen.sizes, chosen.stages, chosen.bytes
    distinct = {(other.sizes, other.stages, other.bytes): other for other in reversed(ranked)}
    return [other for key, other in reversed(distinct.items()) if key != own]


def _why_single(layers: Layers, choice: Choice, number: int, options: Candidates, available: Sequence[int]) -> str:
    """Return why the moving tiles of an operand, by number, have one buffer."""
    candidate = choice.candidate
    pinned = [stages for index in choice.kernels if (stages := pinned_stages(layers.ops[index])) is not None]
    if pinned:
        return f"the hint {STAGES} = {pinned[0]}"
    if not layers.double_buffered:
        return "the option double-buffered=false of plan-memory"
    same = candidate.sizes, candidate.order, candidate.spread
    alike = [other for other in options.costed if (other.sizes, other.order, other.spread) == same]
    doubled = [other for other in alike if other.stages[number] > 1]
    if not doubled:
        return "no candidate near the Pareto front has two"
    other = min(doubled, key=lambda candidate: candidate.cycles)
    if not fits(other.bytes, available):
        return f"two take {_short_text(other, options, available)}"
    return f"two take {other.cycles:,} cycles, one {candidate.cycles:,}"


def _remark_on_rules(near: ResidentSet, choice: Choice) -> None:
    """Remark on the tilings that each rule refuses first, with the message for one, and on those of engines."""
    options = near.layers.options(choice.first, choice.count, near.resident)
    op, total = near.layers.ops[choice.last], options.tried
    for rule, count, example in options.refusals:
        text = "the rule '{rule}' refuses {count:,} of {total:,} tilings, such as {tile}: {reason}"
        tile, reason = _times(example.shape), rule.message(example)
        arguments = {"rule": rule.name, "count": count, "total": total, "tile": tile, "reason": reason}
        analysis(op, "legality", text, **arguments)
    left = total - sum(count for _, count, _ in options.refusals)
    if options.legal < left:
        text = "'{engine}' or its links do not run {count:,} of {total:,} tilings that the rules permit"
        engine = near.layers.engines[op].name
        analysis(op, "legality", text, engine=engine, count=left - options.legal, total=left)


def _remark_on_residency(near: ResidentSet, plan: Plan, number: int, addresses: Mapping[str, Addresses]) -> None:
    """Remark on a buffer between kernels: its address in a near level, or why it is not resident."""
    layers = near.layers
    buffer = layers.buffers[number]
    arguments = {
        "buffer": _name_of(buffer.alloc.results[0]),
        "bytes": buffer.size,
        "level": buffer.level,
        "first": buffer.first,
        "last": buffer.last,
    }
    if number in near.resident:
        address = addresses[buffer.level].resident[number]
        text = "{buffer}: {bytes:,} bytes at {level} address {address}, alive in kernels {first} to {last}"
        passed(buffer.alloc, "residency", text, address=address, **arguments)
        return
    is_inner = any(choice.first <= buffer.first and buffer.last <= choice.last for choice in plan.choices)
    if is_inner:
        return
    text = "{buffer}: {bytes:,} bytes, alive in kernels {first} to {last}, are not resident in {level}: {reason}"
    missed(buffer.alloc, "residency", text, reason=_why_evicted(near, plan, number), **arguments)


def _why_evicted(near: ResidentSet, plan: Plan, number: int) -> str:
    buffer = near.layers.buffers[number]
    if buffer.keep is False:
        return "a hint says so, or its kernels use no level in common"
    capacity = near.capacity[buffer.level]
    if buffer.size > capacity:
        return f"the level has {capacity:,}"
    during = plan.choices[plan.during(buffer.first, buffer.last)]
    free = {choice.first: _left(near, choice, buffer.level) for choice in during}
    tightest = min(free, key=lambda first: free[first])
    if free[tightest] < buffer.size:
        return f"{free[tightest]:,} are free beside the tiles of kernel {tightest} and what is resident"
    return "slower kernels, or no packing of the addresses"


def _left(near: ResidentSet, choice: Choice, level: str) -> int:
    """Return the bytes of a level beside a choice's tiles and the resident buffers."""
    layers = near.layers
    levels = layers.levels_of(choice.first, choice.count)
    sizes = zip(levels, near.available(choice.first, choice.last, levels), choice.candidate.bytes, strict=True)
    return next((left - size for own, left, size in sizes if own.name == level), int(near.left[level][choice.first]))


def _remark_on_fusion(near: ResidentSet, one: Choice, two: Choice) -> None:
    """Remark on two neighbouring groups that are not fused, where the second reads the result of the first."""
    layers = near.layers
    results = {access.value for access in layers.kernels[one.last].outputs}
    if results.isdisjoint(layers.ops[two.first].operands):
        return
    reason, fused = layers.fusion_obstacle(one.last), None
    number = layers.joins(one.last)
    if number is not None and number in near.resident:
        reason = "the result is resident"
    elif not reason and one.count + two.count > LONGEST_GROUP:
        reason = f"a group has at most {LONGEST_GROUP} kernels"
    elif not reason:
        fused = best(near, one.first, one.count + two.count)
        reason = "no tiling of both fits" if fused is None else ""
    unfused = one.candidate.cycles + two.candidate.cycles
    if fused is not None:
        reason = f"{fused.candidate.cycles:,} cycles fused, {unfused:,} unfused"
    producer = layers.ops[one.last]
    arguments = {"producer": producer.name, "reason": reason}
    missed(layers.ops[two.last], "fusion", "not tile by tile with '{producer}' before it: {reason}", **arguments)


def _arguments(candidate: Candidate, options: Candidates, available: Sequence[int]) -> dict[str, object]:
    names = _names(options)
    return {
        "tile": _text_of(candidate),
        "bytes": _bytes_text(candidate, options, available),
        "short": _short_text(candidate, options, available),
        "sizes": candidate.sizes,
        "order": candidate.order,
        "stages": candidate.stages,
        "instances": candidate.spread.copies,
        "cycles": candidate.cycles,
        "near_bytes": dict(zip(names, candidate.bytes, strict=True)),
        "available": dict(zip(names, available, strict=True)),
    }


def _text_of(candidate: Candidate) -> str:
    """Return sizes in the leader's loops, the tiled loops from outside in, stages and instances of a candidate."""
    order = " ".join(f"d{dim}" for dim in candidate.order)
    parts = [_times(candidate.sizes), f"loops {order}" if order else "no loop"]
    parts.append(f"stages {' '.join(map(str, candidate.stages))}")
    parts += [f"on {candidate.spread.copies} instances"] if candidate.spread.copies > 1 else []
    return ", ".join(parts)


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _names(options: Candidates) -> list[str]:
    return [level.name for level in options.levels]


def _bytes_text(candidate: Candidate, options: Candidates, available: Sequence[int]) -> str:
    rows = zip(_names(options), candidate.bytes, available, strict=True)
    return ", ".join(f"{size:,} of {left:,} bytes of {name}" for name, size, left in rows)


def _short_text(candidate: Candidate, options: Candidates, available: Sequence[int]) -> str:
    """Return the bytes that a candidate lacks: `2,080 bytes of L1, 1,056 too many`."""
    rows = zip(_names(options), candidate.bytes, available, strict=True)
    short = (f"{size:,} bytes of {name}, {size - left:,} too many" for name, size, left in rows if size > left)
    return ", ".join(short)


def _name_of(value: SSAValue) -> str:
    """Return the name of an operand, as its text gives it; of one without a name its type."""
    return f"%{value.name_hint}" if value.name_hint else str(value.type)

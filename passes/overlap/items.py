"""Dependence graph of the items of a block: RAW, WAR and WAW hazards between memory regions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.effect_traits import Awaits, Launches, NothingPending
from ...dialects.core.effects import EffectAnalysis, declared
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import TokenType
from ..core.byte_ranges import ByteRanges
from ..explicit.events import is_recursive, lasting
from .regions import MemoryRegion, is_movable, region_of


@dataclass
class ScheduleItem:
    """
    Op with cost or side effects, the memory regions that it accesses, and its predecessors.

    A start and its wait have the same accesses.
    """

    op: Operation
    number: int
    reads: list[MemoryRegion] = field(default_factory=list[MemoryRegion])
    writes: list[MemoryRegion] = field(default_factory=list[MemoryRegion])
    follows: set[int] = field(default_factory=set[int])
    is_unknown: bool = False
    """True if the op may access any memory."""
    regions: dict[SSAValue, MemoryRegion | None] = field(
        default_factory=dict[SSAValue, "MemoryRegion | None"], repr=False
    )
    """Memoised memory regions of buffers, shared by all items."""

    def touch(self, reads: Iterable[SSAValue], writes: Iterable[SSAValue]) -> None:
        """Add buffers that the op reads and that it writes."""
        for values, regions in ((reads, self.reads), (writes, self.writes)):
            for value in values:
                if value not in self.regions:
                    self.regions[value] = region_of(value)
                region = self.regions[value]
                if region is None:
                    self.is_unknown = True
                else:
                    regions.append(region)


def items_of(block: Block) -> list[ScheduleItem]:
    """Build the dependence graph of a block without its terminator, in program order."""
    items: list[ScheduleItem] = []
    hazards, regions, analysis = _Hazards(), dict[SSAValue, "MemoryRegion | None"](), EffectAnalysis()
    sources: dict[SSAValue, set[int]] = {}
    for op in block.ops:
        if op.has_trait(IsTerminator):
            continue
        needed = {number for value in _values_of(op) for number in sources.get(value, ())}
        if is_movable(op, analysis):
            sources |= dict.fromkeys(op.results, needed)
            continue
        item = ScheduleItem(op, len(items), follows=needed, regions=regions)
        _touch(item, op, analysis)
        sources |= {result: {item.number} for result in op.results}
        hazards.order(item)
        items.append(item)
    return items


def _values_of(op: Operation) -> Iterable[SSAValue]:
    """Yield the operands of an op and of the ops in its regions."""
    for inner in nested_ops(op):
        yield from inner.operands


def _touch(item: ScheduleItem, op: Operation, analysis: EffectAnalysis) -> None:
    """Record the reads and writes of an op, or of the ops in its regions."""
    if declared(type(op), Awaits) is not None:
        _touch_at_wait(item, op.operands[0], analysis)
        return
    if not is_recursive(op):
        effects = analysis.of(op)
        item.touch(effects.reads, effects.writes)
        item.is_unknown |= not effects.only_on_values
        return
    for token in op.operands:
        if isinstance(token.type, TokenType):
            _touch_at_wait(item, token, analysis)
    for inner in (inner for region in op.regions if region.blocks for inner in region.ops):
        _touch(item, inner, analysis)


def _touch_at_wait(item: ScheduleItem, token: SSAValue, analysis: EffectAnalysis) -> None:
    owner = token.owner
    if isinstance(owner, Operation) and declared(type(owner), NothingPending) is None:
        if is_recursive(owner) or lasting(owner, analysis.of(owner)):
            _touch(item, owner, analysis)
        else:
            item.is_unknown = True
    # A loop-carried transfer was issued before the loop or in it; both are recorded with the loop.


class _Hazards:
    """Last accesses to each byte range, to find data hazards."""

    def __init__(self) -> None:
        self._reads: dict[object, ByteRanges] = defaultdict(ByteRanges)
        self._writes: dict[object, ByteRanges] = defaultdict(ByteRanges)
        self._unknown: int | None = None
        self._launches: dict[Operation, int] = {}
        self._joined: dict[int, Operation] = {}

    def order(self, item: ScheduleItem) -> None:
        """Add the predecessors of an item by data hazards, and record its accesses."""
        self._note_launch(item)
        if self._unknown is not None:
            item.follows.add(self._unknown)
        if item.is_unknown:
            # Items before the last unknown one are predecessors by transitivity.
            item.follows.update(range(self._unknown or 0, item.number))
            self._reads.clear()
            self._writes.clear()
            self._unknown = item.number
            return
        for region in item.reads:
            self._follow(item, region, self._writes)
        for region in item.writes:
            self._follow(item, region, self._reads)
            self._follow(item, region, self._writes)
        for region in item.reads:
            self._reads[region.memory].add(region.low, region.high, item.number)
        for region in item.writes:
            # Later accesses to these bytes follow this item, and so its predecessors by transitivity.
            self._reads[region.memory].forget(region.low, region.high)
            self._writes[region.memory].forget(region.low, region.high)
            self._writes[region.memory].add(region.low, region.high, item.number)

    def _follow(self, item: ScheduleItem, region: MemoryRegion, accesses: dict[object, ByteRanges]) -> None:
        meeting = accesses[region.memory].meeting(region.low, region.high)
        item.follows.update(self._before(item, number) for number in meeting)

    def _note_launch(self, item: ScheduleItem) -> None:
        if declared(type(item.op), Launches) is not None:
            self._launches[item.op] = item.number
        elif (launch := launch_awaited(item.op)) is not None:
            self._joined[item.number] = launch

    def _before(self, item: ScheduleItem, number: int) -> int:
        """Return the predecessor implied by one: a queue executes its kernels in order, joined or not."""
        launch = self._joined.get(number)
        if launch is None or item.op not in self._launches or queue_of(item.op) != queue_of(launch):
            return number
        return self._launches[launch]


def launch_awaited(op: Operation) -> Operation | None:
    """Return the launch whose token an op waits for, None for other ops."""
    if declared(type(op), Awaits) is None or not isinstance(launch := op.operands[0].owner, Operation):
        return None
    return launch if declared(type(launch), Launches) is not None else None


def queue_of(launch: Operation) -> Attribute:
    """Return the queue of a launch."""
    trait = declared(type(launch), Launches)
    assert trait is not None
    return trait.queue_of(launch)

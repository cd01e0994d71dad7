"""Memory regions: byte ranges that buffers of the explicit level occupy, by interval analysis of their offsets."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.core.analysis.arithmetic import integer_of
from ...dialects.core.analysis.intervals import Range
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.effects import EffectAnalysis, is_view
from ...ir import numpy_type
from ..memory.views import bytes_of


class MemoryRegion(NamedTuple):
    """Bytes `low` to `high - 1` of a memory, which is a global's name or an allocated value."""

    memory: object
    low: int
    high: int

    def meets(self, other: MemoryRegion) -> bool:
        """Return whether two memory regions overlap."""
        return self.memory == other.memory and self.low < other.high and other.low < self.high


_EVERYWHERE = 1 << 62


def region_of(value: SSAValue) -> MemoryRegion | None:
    """
    Compute a memory region that contains a buffer, None if unknown.

    Follows views to their base; offsets of views range over all iterations of the enclosing loops.
    """
    owner = value.owner
    if isinstance(owner, memref.GetGlobalOp):
        return _whole(owner.name_.string_value(), value)
    if isinstance(owner, memref.ViewOp):
        return _part(owner)
    if isinstance(owner, memref.SubviewOp):
        return _piece(owner)
    if isinstance(owner, Operation) and is_view(owner):
        return region_of(owner.operands[0])
    if isinstance(owner, memref.AllocOp | memref.AllocaOp) or _is_parameter(value):
        return _whole(value, value)
    return None


def _whole(memory: object, value: SSAValue) -> MemoryRegion:
    """Return the whole memory of a base buffer."""
    reach = _reach(value)
    return MemoryRegion(memory, 0, _EVERYWHERE if reach is None else reach[1])


def _is_parameter(value: SSAValue) -> bool:
    """Return whether a value is a function argument: arguments do not alias."""
    owner = value.owner
    return isinstance(owner, Block) and isinstance(owner.parent_op(), FuncOp)


def _part(view: memref.ViewOp) -> MemoryRegion | None:
    source, shift = region_of(view.source), range_of(view.byte_shift)
    if source is None or shift is None or source.low:
        return source
    return MemoryRegion(source.memory, shift.low, shift.high + bytes_of(view.result.type))


def _piece(view: memref.SubviewOp) -> MemoryRegion | None:
    """Return the memory region of a subview; the whole source if unknown."""
    source = region_of(view.source)
    before, after = _reach(view.source), _reach(view.result)
    if source is None or before is None or after is None:
        return source
    begin = after[0] - before[0]
    return MemoryRegion(
        source.memory, source.low + begin, source.high - (before[1] - before[0]) + begin + after[1] - after[0]
    )


def _reach(value: SSAValue) -> tuple[int, int] | None:
    """Return the first byte of a buffer and the byte after its last, relative to its memory."""
    type = cast("MemRefType[Any]", value.type)
    shape, strides, offset = type.get_shape(), type.get_strides(), type.get_offset()
    if DYNAMIC_INDEX in shape or 0 in shape or strides is None or None in strides or offset is None:
        return None
    size = numpy_type(type.get_element_type()).itemsize
    steps = [cast(int, stride) * (extent - 1) for stride, extent in zip(strides, shape, strict=True)]
    return (offset + sum(step for step in steps if step < 0)) * size, (offset + sum(map(abs, steps)) + 1) * size


def range_of(value: SSAValue) -> Range | None:
    """Return the value range of an index by the loops around it, None where it is unbounded."""
    if (number := integer_of(value)) is not None:
        return Range(number, number)
    interval = ValueRanges().of(value)
    return interval if interval is not None and interval.magnitude < _EVERYWHERE else None


def is_movable(op: Operation, analysis: EffectAnalysis) -> bool:
    """Return whether an op is free of side effects and may be placed anywhere: views and index arithmetic."""
    return bool(op.results) and not op.regions and analysis.of(op).is_none

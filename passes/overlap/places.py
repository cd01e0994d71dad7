"""Memory regions of values of the explicit level: bytes of a memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ...dialects.core.effects import EffectAnalysis
from ...ir import numpy_type
from ..memory.views import bytes_of
from ..proof.compile import VIEWS

Range: TypeAlias = "tuple[int, int]"
"""The least and the greatest number that an index can be."""


class Place(NamedTuple):
    """Bytes `low` to `high - 1` of a memory: a global by its name, or what a value was allocated as."""

    memory: object
    low: int
    high: int

    def meets(self, other: Place) -> bool:
        """Return whether both have a byte."""
        return self.memory == other.memory and self.low < other.high and other.low < self.high


_EVERYWHERE = 1 << 62


def place_of(value: SSAValue) -> Place | None:
    """
    Return a place that a buffer lies within, None where that is not known.

    Views are followed to their memory, the shifts of views into bytes over all steps of the loops around.
    """
    owner = value.owner
    if isinstance(owner, memref.GetGlobalOp):
        return _whole(owner.name_.string_value(), value)
    if isinstance(owner, memref.ViewOp):
        return _part(owner)
    if isinstance(owner, memref.SubviewOp):
        return _piece(owner)
    if isinstance(owner, VIEWS):
        return place_of(owner.operands[0])
    if isinstance(owner, memref.AllocOp | memref.AllocaOp) or _is_parameter(value):
        return _whole(value, value)
    return None


def _whole(memory: object, value: SSAValue) -> Place:
    """Return all of a memory, of which a value is the whole."""
    reach = _reach(value)
    return Place(memory, 0, _EVERYWHERE if reach is None else reach[1])


def _is_parameter(value: SSAValue) -> bool:
    """Return whether a value is an argument of a function: they do not share memory."""
    owner = value.owner
    return isinstance(owner, Block) and isinstance(owner.parent_op(), FuncOp)


def _part(view: memref.ViewOp) -> Place | None:
    source, shift = place_of(view.source), range_of(view.byte_shift)
    if source is None or shift is None or source.low:
        return source
    return Place(source.memory, shift[0], shift[1] + bytes_of(view.result.type))


def _piece(view: memref.SubviewOp) -> Place | None:
    """Return from which byte to which a regular part of a buffer reaches; all of it where that is not known."""
    source = place_of(view.source)
    before, after = _reach(view.source), _reach(view.result)
    if source is None or before is None or after is None:
        return source
    begin = after[0] - before[0]
    return Place(source.memory, source.low + begin, source.high - (before[1] - before[0]) + begin + after[1] - after[0])


def _reach(value: SSAValue) -> Range | None:
    """Return the first byte of a buffer and the one after its last, counted from where its memory begins."""
    type = cast("MemRefType[Any]", value.type)
    shape, strides, offset = type.get_shape(), type.get_strides(), type.get_offset()
    if DYNAMIC_INDEX in shape or 0 in shape or strides is None or None in strides or offset is None:
        return None
    size = numpy_type(type.get_element_type()).itemsize
    steps = [cast(int, stride) * (extent - 1) for stride, extent in zip(strides, shape, strict=True)]
    return (offset + sum(step for step in steps if step < 0)) * size, (offset + sum(map(abs, steps)) + 1) * size


_Bounds: TypeAlias = "Callable[[Range, Range], Range | None]"


def _corners(compute: Callable[[int, int], int]) -> _Bounds:
    """Return the bounds of what grows or falls with each of its operands."""

    def bounds(a: Range, b: Range) -> Range:
        found = [compute(x, y) for x in a for y in b]
        return min(found), max(found)

    return bounds


def _quotient(a: Range, b: Range) -> Range | None:
    return (a[0] // b[1], a[1] // b[0]) if a[0] >= 0 and b[0] > 0 else None


def _remainder(a: Range, b: Range) -> Range | None:
    if a[0] < 0 or b[0] <= 0:
        return None
    return a if a[1] < b[0] else (0, b[1] - 1)


_RULES: dict[type[Operation], _Bounds] = {
    arith.AddiOp: _corners(lambda x, y: x + y),
    arith.SubiOp: _corners(lambda x, y: x - y),
    arith.MuliOp: _corners(lambda x, y: x * y),
    arith.MinSIOp: _corners(min),
    arith.MaxSIOp: _corners(max),
    arith.DivUIOp: _quotient,
    arith.FloorDivSIOp: _quotient,
    arith.RemUIOp: _remainder,
}


def range_of(value: SSAValue) -> Range | None:
    """Return the numbers that an index can be by the loops around it, None where that is not known."""
    if isinstance(value, BlockArgument):
        return _steps(value)
    op = cast(OpResult, value).op
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        number = cast("IntegerAttr[Any]", op.value).value.data
        return number, number
    rule = _RULES.get(type(op))
    if rule is None:
        return None
    a, b = (range_of(operand) for operand in op.operands)
    return None if a is None or b is None else rule(a, b)


def _steps(index: BlockArgument) -> Range | None:
    loop = index.block.parent_op()
    if not isinstance(loop, scf.ForOp) or index.index != 0:
        return None
    low, end = range_of(loop.lb), range_of(loop.ub)
    return None if low is None or end is None or low[0] >= end[1] else (low[0], end[1] - 1)


def is_movable(op: Operation, analysis: EffectAnalysis) -> bool:
    """Return whether an op only says where something is, or computes with indices, and may stand anywhere."""
    return bool(op.results) and not op.regions and analysis.of(op).is_none

"""Bufferisation of padding: the border is filled, the interior is computed in place if possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, OpResult, SSAValue

from ...errors import Diagnostic
from ...ir import numbers_of, shape_of, where
from ..memory.views import subview
from .bufferizer import Bufferizer, buffer_of


def plan_padding(state: Bufferizer, op: tensor.PadOp) -> None:
    """Plan in-place computation of a tensor whose only use is `tensor.pad`."""
    state.destinations[op.source] = lambda: _bordered(state, op)
    state.holders[op.source] = op.result
    state.parts.add(op.source)


def convert_padding(state: Bufferizer, op: Operation) -> None:
    """Convert `tensor.pad`. Raises Diagnostic for padding that is not of static size with a constant."""
    assert isinstance(op, tensor.PadOp)
    if op.source not in state.parts:
        inside = _bordered(state, op)
        state.emit(memref.CopyOp(buffer_of(state, op.source), inside))


def _bordered(state: Bufferizer, op: tensor.PadOp) -> SSAValue:
    """Fill the border of the padded buffer and return the view of its interior."""
    number = _number(op)
    whole = state.destination(op.results[0])
    value = state.emit(arith.ConstantOp(number.value))
    assert value is not None
    low, inner, full = numbers_of(op.static_low), shape_of(op.source), shape_of(op.results[0])
    for offsets, sizes in _border(low, inner, full):
        slab = state.emit(subview(whole, offsets, sizes, [1] * len(sizes)))
        assert slab is not None
        state.emit(linalg.FillOp([value], [slab], []))
    inside = state.emit(subview(whole, low, inner, [1] * len(low)))
    assert inside is not None
    return inside


def _border(low: Sequence[int], inner: Sequence[int], full: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (offsets, sizes) of disjoint boxes that cover the border: at most two per axis."""
    for axis, (begin, size, extent) in enumerate(zip(low, inner, full, strict=True)):
        for start, stop in ((0, begin), (begin + size, extent)):
            if start < stop:
                rest = len(full) - axis - 1
                offsets = [*low[:axis], start, *[0] * rest]
                yield offsets, [*inner[:axis], stop - start, *full[axis + 1 :]]


def _number(op: tensor.PadOp) -> arith.ConstantOp:
    """Return the padding constant."""
    terminator = op.region.block.last_op
    assert terminator is not None
    fill = terminator.operands[0]
    if not isinstance(fill, OpResult) or not isinstance(fill.op, arith.ConstantOp) or op.low or op.high:
        raise Diagnostic("only static padding with a constant can be bufferised", where=where(op))
    return fill.op

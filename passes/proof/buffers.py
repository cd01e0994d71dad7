"""Buffers of a walked program: arguments, globals, allocations, and views of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import lcm, prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation

from ...dialects.core.layout_arrays import LayoutArray
from ...dialects.core.layouts import layout_map
from ...dialects.core.machine.level import Level
from ...dialects.core.semantics import RULES
from ...dialects.hier import LocalOp, ViewOp
from ...dialects.hier.sharded import is_sharded, shard_type, sharding_of
from ...dialects.hier.shards import no_shard
from ...errors import Diagnostic
from ...ir import Array, numpy_type, where
from ..grids.memories import COPIES
from ..memory.views import MEMORY_VIEWS
from .memory import MemoryState
from .origins import Spot, index_within
from .regions import Buffer, Key, Memory, Region
from .rules import listed, refuse

Shards: TypeAlias = dict[tuple[int, ...], Buffer]
"""Shards of a sharded value, by the coordinates of their instances."""

BOXES = (memref.SubviewOp, memref.CastOp, memref.MemorySpaceCastOp)
"""Views that are a box of their source, or all of it."""


class Buffers:
    """Buffers of one walk; each view of a memory region is unique."""

    def __init__(self, state: MemoryState, globals: Mapping[str, memref.GlobalOp], levels: Mapping[str, Level]):
        from ...runtime.interpreter import memory as view_rules

        self._view_rules = view_rules
        self._state = state
        self._globals = globals
        self._levels = levels
        self._memories: dict[str, Buffer] = {}
        self._derived: dict[tuple[Operation, Buffer, tuple[int | None, ...]], Buffer] = {}
        self.homes: dict[Memory, tuple[int, ...]] = {}
        """Memory of one instance of a level -> the coordinates of the instance."""

    def new(self, name: str, type: Attribute, *, initial: bool, constant: bool = False) -> Buffer:
        """Return memory of its own of a memref's type; `initial`: the caller has written it."""
        shaped = cast(Any, type)
        if any(extent < 0 for extent in shaped.get_shape()):
            raise Diagnostic(f"{name} has a dynamic shape, {type}", expected="static shapes")
        array = self._view_rules.new_buffer(shaped.get_shape(), numpy_type(shaped.get_element_type()))
        space = shaped.memory_space
        level = space.data if isinstance(space, StringAttr) else None
        memory = Memory(name, array, initial=initial, constant=constant, level=level)
        self._state.memories.append(memory)
        return self._buffer(memory, array, (memory, 0, memory.size))

    def _buffer(
        self, memory: Memory, array: Array, key: Key, views: Sequence[Spot] = (), *, is_form: bool = False
    ) -> Buffer:
        return Buffer(memory, array, key, self._state.number_of(key), views, is_form=is_form)

    def of_global(self, op: memref.GetGlobalOp) -> Buffer:
        """Return the memory of a global. Raises Diagnostic for an undefined global, and for a full level."""
        name = op.name_.string_value()
        if name in self._memories:
            return self._memories[name]
        definition = self._globals.get(name)
        if definition is None:
            raise Diagnostic(f"the module defines no '{name}'", where=where(op))
        initial = isinstance(definition.initial_value, DenseIntOrFPElementsAttr)
        buffer = self.new(f"@{name}", definition.type, initial=initial, constant=definition.constant is not None)
        if isinstance(copies := definition.attributes.get(COPIES), IntegerAttr):
            buffer.memory.copies = max(1, copies.value.data)
        buffer.memory.is_arena = "tilewright.arena" in definition.attributes
        buffer.memory.is_shared = not initial and not buffer.memory.is_arena and buffer.memory.level is not None
        self._memories[name] = buffer
        self._fits(op, buffer.memory)
        return buffer

    def _fits(self, op: Operation, memory: Memory) -> None:
        limits = self._levels.get(memory.level or "")
        if limits is None:
            return
        if memory.copies > prod(limits.count):
            message = f"memory in {memory.copies} copies of {memory.level}, of which there are {prod(limits.count)}"
            at = [f"address {memory.size // memory.copies * prod(limits.count)} of {memory.name}"]
            raise refuse("level", message, op, at)
        others = (buffer.memory for buffer in self._memories.values())
        total = sum(other.size // other.copies for other in others if other.level == memory.level)
        if total > limits.size:
            raise refuse(
                "level",
                f"the memories in {memory.level} are larger than it is",
                op,
                [f"address {limits.size} of {memory.level}"],
                found=f"{total} bytes in a level of {limits.size}",
            )

    def allocated(self, op: Operation, extents: Sequence[int]) -> Buffer | Shards:
        """Return the memory of an allocation, by instance of a sharded one. Raises Diagnostic for a dynamic shape."""
        result = op.results[0]
        if extents:
            raise refuse("static", "an allocation of dynamic shape", op, [f"extents {listed(extents)}"])
        name = f"%{result.name_hint or 'alloc'}"
        if not is_sharded(result.type):
            return self.new(name, result.type, initial=False)
        type, sharding = shard_type(cast(Any, result.type)), sharding_of(result.type)
        shards = {point: self.new(f"{name}{listed(point)}", type, initial=False) for point in sharding.holders}
        self.homes |= {shard.memory: point for point, shard in shards.items()}
        return shards

    def shard(self, op: LocalOp, shards: Shards | Buffer, point: tuple[int, ...]) -> Buffer:
        """Return the shard of an instance. Raises Diagnostic for one that holds none, and for no allocated value."""
        if isinstance(shards, Buffer):
            message = f"the shards of {shards.memory.name} are in no memory of instances"
            remedy = "allocate the sharded value, and copy to it (memref.copy, lower-sharded)"
            raise refuse("static", message, op, [f"instance {listed(point)}"], remedy=remedy)
        if point in shards:
            return shards[point]
        error = no_shard(op, point)
        at = [f"instance {listed(point)}", self._state.place()]
        raise refuse("inside", error.message, op, at, found=error.expected, remedy=error.remedy)

    def view(self, op: Operation, source: Buffer, indices: tuple[int | None, ...]) -> Buffer:
        """
        Return a view of a buffer, of None along the axes whose indices depend on data.

        Raises Diagnostic where it leaves the buffer or is not aligned.
        """
        cached = self._derived.get((op, source, indices))
        if cached is None:
            by_data = source.by_data or None in indices
            cached = self._by_data(op, source, indices) if by_data else self._exact(op, source, indices)
            self._derived[(op, source, indices)] = cached
        return cached

    def _by_data(self, op: Operation, source: Buffer, indices: Sequence[int | None]) -> Buffer:
        """Return the bounding region of a view at data-dependent indices."""
        array = source.array
        if isinstance(op, memref.SubviewOp) and not source.by_data:
            array = array[self._around(op, array.shape, indices)]
        return Buffer(source.memory, array, source.key, source.number, by_data=True)

    def _around(self, op: memref.SubviewOp, shape: Sequence[int], indices: Sequence[int | None]) -> tuple[slice, ...]:
        """Return the bounding box of a subview; the whole axis for a data-dependent index."""
        dynamic = iter(indices)
        static = (op.static_offsets, op.static_sizes, op.static_strides)
        numbers = chain.from_iterable(attribute.get_values() for attribute in static)
        bounds = [next(dynamic) if number == DYNAMIC_INDEX else number for number in numbers]
        rank = len(shape)
        axes = zip(bounds[:rank], bounds[rank : 2 * rank], bounds[2 * rank :], shape, strict=True)
        box: list[slice] = []
        for axis, (offset, size, stride, extent) in enumerate(axes):
            if offset is None or size is None or stride is None:
                box.append(slice(None))
                continue
            end = offset + (size - 1) * stride + 1
            if not 0 <= offset < end <= extent:
                message = f"'{op.name}' is out of bounds of its source along axis {axis}"
                raise self._state.refuse("inside", op, message, f"elements {offset} to {end - 1} of {extent}")
            box.append(slice(offset, end, stride))
        return tuple(box)

    def _exact(self, op: Operation, source: Buffer, indices: Sequence[int | None]) -> Buffer:
        """Return a view of a buffer at known indices."""
        numbers = [index for index in indices if index is not None]
        try:
            (detail,) = RULES[type(op)](cast(Any, None), op, [source.blocks or source.array, *numbers])
        except (Diagnostic, IndexError, ValueError) as error:
            text = error.message if isinstance(error, Diagnostic) else str(error)
            detail = error.found if isinstance(error, Diagnostic) else ""
            at = f"operands {listed(numbers)}"
            raise self._state.refuse("inside", op, f"'{op.name}': {text}", at, found=detail) from error
        array, blocks = (_in_rows(detail), detail) if isinstance(detail, LayoutArray) else (detail, None)
        region = Region(source.memory, array)
        self._aligned(op, region, is_buffer=isinstance(op, MEMORY_VIEWS))
        at = index_within(source.array, array, region.low - source.low) if isinstance(op, BOXES) else None
        views = [spot.moved(at) for spot in source.spots] if at is not None else []
        if source.blocks is not None and isinstance(op, memref.SubviewOp):
            at = tuple(piece.start for piece in self._around(op, source.array.shape, indices))
            views = [spot.moved(at) for spot in source.spots]
        is_form = not isinstance(op, MEMORY_VIEWS) and (at is None or source.home is None)
        buffer = self._buffer(source.memory, array, _key_of(op, source, region), views, is_form=is_form)
        buffer.blocks = blocks
        return buffer

    def _aligned(self, op: Operation, region: Region, *, is_buffer: bool) -> None:
        """Reject a view that is misaligned for its elements, or for its level if it is a buffer there."""
        unit = lcm(region.array.itemsize, self._alignment(region.memory) if is_buffer else 1)
        if region.low % unit == 0:
            return
        what = f"its elements of {unit} bytes" if unit == region.array.itemsize else f"{unit} bytes"
        raise self._state.refuse("aligned", op, f"a view is not aligned to {what}", region.address())

    def _alignment(self, memory: Memory) -> int:
        """Return the alignment of buffers in a level's memory, or in an arena, in the farthest level."""
        far = next(iter(self._levels), "")
        limits = self._levels.get(memory.level or (far if memory.is_arena else ""))
        return limits.alignment if limits is not None else 1


def _in_rows(array: LayoutArray) -> Array:
    """Return an array on the bytes of one in a layout, in row-major order."""
    return array.memory.reshape(array.shape)


def _key_of(op: Operation, source: Buffer, region: Region) -> Key:
    if isinstance(op, ViewOp):
        return (source.memory, region.low, region.high - region.low, layout_map(op.result.type))
    if not isinstance(op, memref.ViewOp) or (region.low, region.high) == (source.low, source.high):
        return source.key
    owner = (op,) if source.memory.is_arena else ()
    return (source.memory, region.low, region.high - region.low, *owner)

"""Contents of the buffers of a network in program order, by name: which value an op reads, and which it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DictionaryAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.effects import effects_of
from ...dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ...dialects.core.nesting import nested_ops
from ...ir import Array, shape_of
from ..memory.views import MEMORY_VIEWS, layout_of
from ..proof.values import ATTRIBUTE, element_table, loops_of, stated_values, statement
from .placement import outputs_read, root_of

_UNKNOWN = -1
"""Version of an element that an op has left which states no value."""


@dataclass
class _Buffer:
    """Buffer of a function: its name, and the version of each element, 0 at the begin."""

    name: str
    versions: Array
    last: int = 0

    def value(self, version: int) -> str:
        """Return the name of a version of its content."""
        return self.name if not version else f"{self.name}:{version}"


class BufferContents:
    """Named contents of the buffers of a function, up to the present op."""

    def __init__(self, function: FuncOp):
        self._function = function
        self._buffers: dict[Any, _Buffer] = {}

    def state(self, op: Operation, begin: AffineMap, target: Operation | None = None) -> None:
        """
        State the values that an op of the network reads and leaves, in `target`, its part in each instance.

        `begin` leads from the coordinates of an instance to the loops.
        """
        effects, loops = effects_of(op), loops_of(op)
        if loops is None or not effects.is_known or not (is_kernel(op) or isinstance(op, memref.CopyOp)):
            self._forget(op)
            return
        reads, writes = [True, False], [False, True]
        if is_kernel(op):
            before = outputs_read(op, kernel_of(op))
            inputs = [value in effects.reads for value in op.operands[: len(op.operands) - len(before)]]
            reads, writes = [*inputs, *before], [False] * len(inputs) + [True] * len(before)
        entries: list[list[Attribute | None]] = []
        for side, chosen in ((self._read, reads), (self._written, writes)):
            triples = zip(op.operands, loops, chosen, strict=True)
            entries.append([side(v, *accessed) if is_one and is_shaped(v) else None for v, accessed, is_one in triples])
        (target or op).attributes[ATTRIBUTE] = stated_values(begin, *entries)

    def _forget(self, op: Operation) -> None:
        """Mark as unknown the contents of globals and of all buffers that an op may access."""
        for buffer in [buffer for buffer in self._buffers.values() if buffer.name.startswith("@")]:
            buffer.versions[...] = _UNKNOWN
        self.forget([value for inner in (op, *nested_ops(op)) for value in inner.operands])

    def forget(self, values: Sequence[SSAValue]) -> None:
        """Note that the buffers of some values hold none that is stated."""
        for value in values:
            if is_shaped(value) and (buffer := self._buffer_of(value)) is not None:
                buffer.versions[...] = _UNKNOWN

    def state_ends(self) -> None:
        """State in the function which values its arguments and globals hold at its end."""
        ends: dict[str, Attribute] = {}
        for buffer in self._buffers.values():
            version = _one(buffer.versions)
            if buffer.name.startswith(("arg", "@")) and version is not None and version > 0:
                ends[buffer.name] = StringAttr(buffer.value(version))
        if ends:
            self._function.attributes[ATTRIBUTE] = DictionaryAttr(ends)

    def _read(self, value: SSAValue, map: AffineMap, bounds: Sequence[int]) -> Attribute | None:
        """Return the entry of an operand that is read, None where its elements are of several values."""
        versions = self._part(value)
        version = _one(versions[1]) if versions is not None else None
        if versions is None or version is None or version < 0:
            return None
        return statement(versions[0].value(version), _element(value, map), len(bounds))

    def _written(self, value: SSAValue, map: AffineMap, bounds: Sequence[int]) -> Attribute | None:
        """Return the entry of an operand that is written, in a new version where it replaces elements of the last."""
        versions = self._part(value)
        if versions is None:
            self.forget([value])
            return None
        buffer, part = versions
        origin = AffineExpr.constant(0)
        is_written = element_table(map, bounds, shape_of(value), origin, [0] * len(bounds)) == 0
        if not buffer.last or (part[is_written] == buffer.last).any():
            buffer.last += 1
        part[is_written] = buffer.last
        return statement(buffer.value(buffer.last), _element(value, map), len(bounds))

    def _part(self, value: SSAValue) -> tuple[_Buffer, Array] | None:
        """Return the buffer that a value is a view of, and the versions of its elements; None where that is unknown."""
        buffer = self._buffer_of(value)
        if buffer is None or not _is_static(value):
            return None
        strides, offset = layout_of(value)
        item = buffer.versions.itemsize
        part = np.lib.stride_tricks.as_strided(
            buffer.versions[offset:], tuple(shape_of(value)), [stride * item for stride in strides]
        )
        return buffer, part

    def _buffer_of(self, value: SSAValue) -> _Buffer | None:
        """Return the buffer that a value is a view of, None where it is no argument, global or allocation."""
        while isinstance(value.owner, Operation) and value.owner.operands and not _is_root(value):
            if isinstance(value.owner, MEMORY_VIEWS) or root_of(value)[0] is value:
                return None
            value = root_of(value)[0]
        if not is_shaped(value) or not _is_root(value):
            return None
        key = value.owner.name_.string_value() if isinstance(value.owner, memref.GetGlobalOp) else value
        if key not in self._buffers:
            versions = np.zeros(int(np.prod(shape_of(value), dtype=np.int64)), np.int32)
            self._buffers[key] = _Buffer(self._name_of(value), versions)
        return self._buffers[key]

    def _name_of(self, root: SSAValue) -> str:
        if isinstance(root, BlockArgument):
            return f"arg{root.index}"
        if isinstance(root.owner, memref.GetGlobalOp):
            return f"@{root.owner.name_.string_value()}"
        return f"%{len(self._buffers)}" + (f".{root.name_hint}" if root.name_hint else "")


def _is_root(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) or isinstance(value.owner, memref.AllocOp | memref.GetGlobalOp)


def _is_static(value: SSAValue) -> bool:
    """Return whether the strides and the offset of a view are static."""
    layout = cast("MemRefType[Any]", value.type).layout
    if isinstance(layout, NoneAttr):
        return True
    if not isinstance(layout, StridedLayoutAttr):
        return False
    offset = layout.offset
    return not isinstance(offset, NoneAttr) and not any(isinstance(stride, NoneAttr) for stride in layout.strides.data)


def _element(value: SSAValue, map: AffineMap) -> AffineExpr:
    """Return the number of the element of its buffer that an access leads to."""
    strides, offset = layout_of(value)
    number: AffineExpr = AffineExpr.constant(offset)
    for stride, expr, size in zip(strides, map.results, shape_of(value), strict=True):
        if size > 1:
            number = expr * stride + number
    return number


def _one(versions: Array) -> int | None:
    """Return the version of all elements, None where there are several."""
    if not versions.size:
        return None
    first = int(versions.flat[0])
    return first if bool((versions == first).all()) else None

"""State of the bufferisation of one function."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...errors import Diagnostic
from ...ir import FreshNames, element_of, shape_of, symbol_names, where
from ..memory.views import buffer_type

Destination: TypeAlias = Callable[[], SSAValue]
"""Builds, at the current insertion point, the buffer that a tensor is computed into."""


@dataclass
class Bufferizer:
    """
    State of the bufferisation of a function: ops of `old` are rebuilt in order at the end of `new`.

    Within a loop, `new` is the body of the new loop; `entry` stays the function's block.
    """

    module: ModuleOp
    old: Block
    new: Block
    outputs: list[SSAValue]
    buffers: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    destinations: dict[SSAValue, Destination] = field(default_factory=dict[SSAValue, Destination])
    carried: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Yielded tensor that is planned to be computed in the buffer of a loop-carried one -> that one."""
    holders: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Tensor in whose buffer the destination of another is a view."""
    aliases: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    last_use: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    owned: set[SSAValue] = field(default_factory=set[SSAValue])
    parts: set[SSAValue] = field(default_factory=set[SSAValue])
    """Tensors computed in place in their part of a concatenation, or inside of their padding."""
    in_place: set[SSAValue] = field(default_factory=set[SSAValue])
    """Loaded values that alias the memory of a state."""
    copiers: dict[Hashable, str] = field(default_factory=dict[Hashable, str])
    """Functions that copy to and from slices of buffers."""
    numbers: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Position of each op of `old` in program order, including those in regions."""
    globals: dict[Attribute, str] = field(default_factory=dict[Attribute, str])
    current: Operation | None = None

    def __post_init__(self) -> None:
        self.entry = self.new
        self.symbols = FreshNames(symbol_names(self.module.body.block))
        self.first_function = next(op for op in self.module.body.block.ops if isinstance(op, func.FuncOp))

    def emit(self, op: Operation) -> SSAValue | None:
        """Append an op at the location of the op being converted; return its first result."""
        if self.current is not None:
            op.location = self.current.location
        self.new.add_op(op)
        return op.results[0] if op.results else None

    def root(self, value: SSAValue) -> SSAValue:
        """Return the representative of the tensors that alias `value`'s buffer."""
        while value in self.aliases:
            value = self.aliases[value]
        return value

    def is_last_use(self, value: SSAValue, op: Operation) -> bool:
        """Return whether an op is the last use of a tensor in a buffer of its own, so that it may be clobbered."""
        root = self.root(value)
        return root in self.owned and self.last_use.get(root) == self.numbers[op]

    def join(self, result: SSAValue, value: SSAValue) -> None:
        """Alias a tensor with another at the other's last use (in-place update)."""
        self.buffers[result] = self.buffers[value]
        root = self.root(value)
        self.aliases[result] = root
        self.last_use[root] = max(self.last_use[root], self.last_use.get(result, -1))

    def allocate(self, value: SSAValue) -> SSAValue:
        """Allocate a buffer for a tensor."""
        buffer = self.emit(memref.AllocOp.get(element_of(value), None, list(shape_of(value))))
        assert buffer is not None
        buffer.name_hint = value.name_hint
        return buffer

    def destination(self, value: SSAValue) -> SSAValue:
        """Return the destination buffer of a tensor; the buffers that contain it are built first."""
        missing: list[SSAValue] = []
        holder: SSAValue | None = value
        while holder is not None and holder not in self.buffers:
            missing.append(holder)
            holder = self.holders.get(holder)
        for member in reversed(missing):
            build = self.destinations.get(member)
            self.buffers[member] = build() if build else self.allocate(member)
        return self.buffers[value]


def buffer_of(state: Bufferizer, value: SSAValue) -> SSAValue:
    """Return the buffer of a tensor."""
    if value in state.buffers:
        return state.buffers[value]
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        state.buffers[value] = _global(state, value)
        return state.buffers[value]
    if isinstance(value, OpResult) and isinstance(value.op, tensor.EmptyOp):
        return state.destination(value)
    raise Diagnostic(
        f"a tensor of type {value.type} has no buffer", where=where(state.current) if state.current else ""
    )


def _global(state: Bufferizer, value: SSAValue) -> SSAValue:
    op = cast(arith.ConstantOp, value.owner)
    type = buffer_type(shape_of(value), element_of(value))
    if op.value not in state.globals:
        name = state.symbols.take(re.sub(r"\W", "_", value.name_hint or "constant").strip("_") or "constant")
        definition = memref.GlobalOp.get(StringAttr(name), type, cast(Attribute, op.value), constant=UnitAttr())
        definition.location = op.location
        Rewriter.insert_op(definition, InsertPoint.before(state.first_function))
        state.globals[cast(Attribute, op.value)] = name
    return address_of(state, state.globals[cast(Attribute, op.value)], type, value)


def address_of(state: Bufferizer, symbol: str, type: Attribute, value: SSAValue) -> SSAValue:
    """Insert the `memref.get_global` of a tensor as the function's first op."""
    get = memref.GetGlobalOp(symbol, cast(Any, type))
    if isinstance(value, OpResult):
        get.location = value.op.location
    first = state.entry.first_op
    if first is None:
        state.entry.add_op(get)
    else:
        state.entry.insert_op_before(get, first)
    get.results[0].name_hint = value.name_hint
    return get.results[0]

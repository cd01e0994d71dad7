"""The kernels of a function as planning sees them: which engine runs each, and what lies between them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from ...dialects.core.kernel import is_kernel, kernel_of
from ...errors import Diagnostic
from ...ir import where
from ...targets.core.machine import Engine, Level, Link, Machine
from ..loops.affine import linear
from ..map_engines import engine_of
from .candidates import Candidate, candidates
from .hints import SIZES, STAGES, pinned_place
from .pricing import Route, reserved
from .tiling import divides
from .views import bytes_of

RESHAPES = (memref.CollapseShapeOp, memref.ExpandShapeOp)


@dataclass(frozen=True)
class Hop:
    """
    Two neighbouring levels, the far one where kernels' operands lie and the near one they are brought to.

    `outs` is the level of outputs and sums where an engine has them apart, else the near one.
    """

    machine: Machine
    far: Level
    near: Level
    fetch: Link
    store: Link
    outs: Level

    @property
    def is_split(self) -> bool:
        """Whether outputs come to a level of their own: what a kernel makes is then not where the next one reads."""
        return self.outs != self.near


@dataclass(frozen=True)
class Buffer:
    """
    A buffer that may lie in the near level while it is needed: `size` bytes there, from kernel `first` to `last`.

    `values` are the buffer and the reshapes of it, `keep` says whether it must stay there, or must not.
    """

    alloc: Operation
    values: frozenset[SSAValue]
    size: int
    first: int
    last: int
    keep: bool | None = None


@dataclass
class Layers:
    """The kernels of a block that a hop is planned for, in order, and the buffers between them."""

    hop: Hop
    ops: list[Operation]
    engines: dict[Operation, Engine]
    buffers: list[Buffer]
    double_buffered: bool
    _floors: dict[int, int] = field(default_factory=dict[int, int])
    _known: dict[Hashable, list[Candidate]] = field(default_factory=dict[Hashable, list[Candidate]])

    @cached_property
    def buffers_of(self) -> list[list[int]]:
        """The buffers that each kernel touches, by their numbers."""
        return [
            [number for number, buffer in enumerate(self.buffers) if buffer.values & set(op.operands)]
            for op in self.ops
        ]

    def options(self, first: int, count: int, resident: frozenset[int]) -> list[Candidate]:
        """
        Return the ways to do `count` kernels from number `first` on together, with these buffers in the near level.

        Kernels that are alike share them.
        """
        ops = self.ops[first : first + count]
        touched = {number for index in range(first, first + count) for number in self.buffers_of[index]}
        values = frozenset(v for number in touched & resident for v in self.buffers[number].values)
        key = _structure(ops, values), tuple(self.engines[op].name for op in ops)
        if key not in self._known:
            self._known[key] = candidates(ops, self.route(ops), double_buffered=self.double_buffered, resident=values)
        return self._known[key]

    def floor(self, index: int) -> int:
        """Return the cycles that a kernel's engine computes at least, 0 where it cannot do all of it at once."""
        if index not in self._floors:
            op = self.ops[index]
            self._floors[index] = self.hop.machine.cost(self.engines[op], op) or 0
        return self._floors[index]

    def route(self, ops: Sequence[Operation]) -> Route:
        """Return the way of kernels' operands, with the engines that run them."""
        engines = {op: self.engines[op] for op in ops}
        hop = self.hop
        return Route(hop.machine, engines, hop.near, hop.fetch, hop.store, hop.outs)

    def joins(self, index: int) -> int | None:
        """Return the number of the buffer that a kernel makes for the next one alone, None where there is none."""
        if index + 1 >= len(self.ops) or self.hop.is_split:
            return None
        producer, user = self.ops[index], self.ops[index + 1]
        if SIZES in producer.attributes:
            return None
        kernel = kernel_of(producer)
        if len(kernel.outputs) != 1 or divides(kernel) or not _is_projection(kernel.outputs[0].map.results):
            return None
        value = kernel.outputs[0].value
        number = next((n for n in self.buffers_of[index] if self.buffers[n].values == frozenset([value])), None)
        if number is None or {use.operation for use in value.uses} != {producer, user}:
            return None
        read = [access for access in kernel_of(user).inputs if access.value is value]
        reused = any(access.value is value for access in kernel.inputs) or value in _written(user)
        alike = len({access.map for access in read}) == 1
        return None if reused or not alike or len(read) != list(user.operands).count(value) else number


def _written(op: Operation) -> set[SSAValue]:
    return {access.value for access in kernel_of(op).outputs}


def _is_projection(results: Sequence[AffineExpr]) -> bool:
    """Return whether the axes of a map are distinct dimensions, or 0."""
    dims: list[int] = []
    for expr in results:
        form = linear(expr)
        if form.constant or any(not isinstance(atom, int) or factor != 1 for atom, factor in form.terms):
            return False
        if len(form.terms) > 1:
            return False
        dims += [cast(int, atom) for atom, _ in form.terms]
    return len(set(dims)) == len(dims)


def _structure(ops: Sequence[Operation], resident: frozenset[SSAValue]) -> Hashable:
    """Return what groups of kernels with the same candidates have in common."""
    numbers: dict[SSAValue, int] = {}
    for op in ops:
        for value in op.operands:
            numbers.setdefault(value, len(numbers))
    kernels = tuple(
        (
            op.name,
            tuple((numbers[value], value.type, value in resident) for value in op.operands),
            frozenset(op.properties.items()),
            (op.attributes.get(SIZES), op.attributes.get(STAGES)),
            tuple(len(region.blocks) for region in op.regions),
        )
        for op in ops
    )
    return kernels


def layers_of(block: Block, hop: Hop, *, double_buffered: bool, keep_resident: bool) -> Layers:
    """
    Return the kernels of a block whose engines work behind a hop, and, with `keep_resident`, the buffers between them.

    Raises Diagnostic where no engine runs a kernel.
    """
    engines: dict[Operation, Engine] = {}
    for op in block.ops:
        if is_kernel(op):
            engine = engine_of(op, hop.machine)
            if _is_behind(engine, hop):
                engines[op] = engine
    ops = list(engines)
    found = Layers(hop, ops, engines, [], double_buffered)
    if keep_resident and not hop.is_split:
        numbers = {op: number for number, op in enumerate(ops)}
        allocs = [op for op in block.ops if isinstance(op, memref.AllocOp)]
        found.buffers = [b for op in allocs if (b := _buffer(op, numbers, hop)) is not None]
    return found


def _is_behind(engine: Engine, hop: Hop) -> bool:
    """Return whether the way from the far level to an engine's operands leads over a hop."""
    near = hop.machine.near_level_of(engine).name
    if near == hop.far.name:
        return False
    if near == hop.near.name:
        return True
    path = hop.machine.path(hop.far.name, near)
    return bool(path) and path[0] == hop.fetch


def _buffer(alloc: memref.AllocOp, numbers: dict[Operation, int], hop: Hop) -> Buffer | None:
    """Return an allocation as a buffer that may lie in the near level; None where others than these kernels use it."""
    values, users = _reshapes(alloc.results[0])
    keep = pinned_place(alloc)
    if not users or any(user not in numbers for user in users):
        if keep:
            raise Diagnostic(
                f"a buffer cannot stay in {hop.near.name}: others than kernels that work there use it",
                where=where(alloc),
                remedy="remove the hint hier.keep",
            )
        return None
    steps = [numbers[user] for user in users]
    size = reserved(bytes_of(alloc.results[0].type), hop.near)
    return Buffer(alloc, frozenset(values), size, min(steps), max(steps), keep)


def _reshapes(value: SSAValue) -> tuple[list[SSAValue], list[Operation]]:
    """Return a buffer with the reshapes of it, and the other ops that use them."""
    values, users = [value], list[Operation]()
    for use in value.uses:
        if isinstance(use.operation, RESHAPES):
            inner = _reshapes(use.operation.results[0])
            values, users = values + inner[0], users + inner[1]
        else:
            users.append(use.operation)
    return values, users

"""The kernels of a function as planning sees them: which engine runs each, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Kernel, is_kernel, kernel_of
from ...dialects.core.kernel_structure import structure_of
from ...dialects.core.machine.model import Engine, Level, Link, Machine
from ...dialects.hier.grid import spatial_grid
from ...errors import Diagnostic
from ...ir import where
from ..map_engines import engine_of
from .candidates import Candidates
from .hints import SIZES, STAGES, pinned_place
from .pricing import Pricer, Route, reserved
from .views import VIEWS, bytes_of

_RESHAPES = (memref.CollapseShapeOp, memref.ExpandShapeOp)


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
    is_last: bool = True
    """Whether it leads to where the engines work."""

    @property
    def is_split(self) -> bool:
        """Return whether outputs have a level of their own, which is not the one that consumers read."""
        return self.outs != self.near


@dataclass(frozen=True)
class Buffer:
    """
    A buffer that may lie in the near level while it is needed: `size` bytes there, from kernel `first` to `last`.

    `values` are the buffer and the views of it, `keep` says whether it must stay there, or must not.
    """

    alloc: Operation
    values: frozenset[SSAValue]
    size: int
    first: int
    last: int
    keep: bool | None = None


_Asked: TypeAlias = "tuple[int, int, frozenset[int]]"
"""The first of some kernels, how many they are, and the buffers in the near level."""


@dataclass
class _Group:
    """Facts about structurally equal kernels: their cost model, and their candidate tilings with resident operands."""

    pricer: Pricer
    known: dict[tuple[bool, ...], Candidates] = field(default_factory=dict[tuple[bool, ...], Candidates])

    @cached_property
    def floor(self) -> int:
        """The cycles that the instances of the engine of a single kernel compute at least."""
        (op,), route = self.pricer.ops, self.pricer.route
        return (route.machine.cost(route.engines[op], op) or 0) // route.engines[op].total


@dataclass
class Layers:
    """The kernels of a block that a hop is planned for, in order, and the buffers between them."""

    hop: Hop
    ops: list[Operation]
    kernels: list[Kernel]
    engines: dict[Operation, Engine]
    buffers: list[Buffer]
    double_buffered: bool
    around: int = 1
    """The copies that the grid whose body this is, or one around it, is spread over."""
    may_spread: bool = True
    """Whether tiles may be spread over copies of engines."""
    placed: frozenset[SSAValue] = frozenset()
    """The operands that are used where they lie, whatever is planned."""
    taken: int = 0
    """The bytes of the far level that weights, state, inputs and outputs take."""
    fixed: int = 0
    """The bytes of the near level that are taken whatever is planned."""
    _groups: dict[Hashable, _Group] = field(default_factory=dict[Hashable, "_Group"], init=False)
    _group_of: dict[tuple[int, int], _Group] = field(default_factory=dict[tuple[int, int], "_Group"], init=False)
    _asked: dict[_Asked, Candidates] = field(default_factory=dict["_Asked", Candidates], init=False)

    @cached_property
    def buffers_of(self) -> list[list[int]]:
        """The buffers that each kernel touches, by their numbers."""
        numbers = {value: number for number, buffer in enumerate(self.buffers) for value in buffer.values}
        return [sorted({numbers[value] for value in op.operands if value in numbers}) for op in self.ops]

    @cached_property
    def crowded(self) -> frozenset[int]:
        """
        The kernels whose result, which the next one alone reads, has no room in the far level.

        It is too large for the near level, and beside what else is needed then, as if nothing of that stayed near.
        """
        room = self.hop.far.size - self.taken
        needed = loads(((b.first, b.last, b.size) for b in self.buffers), len(self.ops))
        joints = ((index, self.joins(index)) for index in range(len(self.ops)) if max(needed[index : index + 2]) > room)
        large = self.hop.near.size
        return frozenset(i for i, number in joints if number is not None and self.buffers[number].size > large)

    @cached_property
    def users_of(self) -> list[list[int]]:
        """The kernels that touch each buffer, by their numbers."""
        users: list[list[int]] = [[] for _ in self.buffers]
        for index, numbers in enumerate(self.buffers_of):
            for number in numbers:
                users[number].append(index)
        return users

    @cached_property
    def begun_at(self) -> list[list[int]]:
        """The buffers whose live range begins at each kernel, by their numbers."""
        begun: list[list[int]] = [[] for _ in self.ops]
        for number, buffer in enumerate(self.buffers):
            begun[buffer.first].append(number)
        return begun

    def options(self, first: int, count: int, resident: Set[int]) -> Candidates:
        """
        Return the ways to do `count` kernels from number `first` on together, with these buffers in the near level.

        Kernels that are structurally equal share them.
        """
        touched = {number for index in range(first, first + count) for number in self.buffers_of[index]}
        asked = first, count, frozenset(touched & resident)
        if asked not in self._asked:
            self._asked[asked] = self._options(*asked)
        return self._asked[asked]

    def _options(self, first: int, count: int, near: frozenset[int]) -> Candidates:
        ops, group = self.ops[first : first + count], self._group(first, count)
        values = {v for number in near for v in self.buffers[number].values}
        values |= self.placed.intersection(value for op in ops for value in op.operands)
        marks = tuple(value in values for op in ops for value in op.operands)
        if marks not in group.known:
            group.known[marks] = Candidates(
                ops, self.route(ops), group.pricer, double_buffered=self.double_buffered, resident=values
            )
        return group.known[marks]

    def _group(self, first: int, count: int) -> _Group:
        if (first, count) not in self._group_of:
            ops = self.ops[first : first + count]
            key = structure_of(ops, (), (SIZES, STAGES)), tuple(self.engines[op].name for op in ops)
            if key not in self._groups:
                self._groups[key] = _Group(Pricer(tuple(ops), self.route(ops)))
            self._group_of[first, count] = self._groups[key]
        return self._group_of[first, count]

    def floor(self, index: int) -> int:
        """Return the cycles that the copies of a kernel's engine compute at least, 0 where it cannot do all at once."""
        return self._group(index, 1).floor

    def route(self, ops: Sequence[Operation]) -> Route:
        """Return the way of kernels' operands, with the engines that run them."""
        engines = {op: self.engines[op] for op in ops}
        hop = self.hop
        copies = min((self.copies(op) for op in ops), default=1)
        return Route(
            hop.machine, engines, hop.near, hop.fetch, hop.store, hop.outs, copies, self.around, not hop.is_last
        )

    def copies(self, op: Operation) -> int:
        """
        Return the number of engine instances to unroll tiles over: private levels are taken at their first instance,
        shared ones as they are. A tile in the level of one instance is not visible to the others.
        """
        levels = [prod(level.count) for level in (self.hop.near, self.hop.outs) if prod(level.count) > 1]
        if self.around > 1 or not self.may_spread or prod(self.hop.far.count) > 1:
            return 1
        if not levels and not self.hop.is_last:
            return 1
        return min([self.engines[op].total, *levels])

    def joins(self, index: int) -> int | None:
        """Return the number of the buffer that a kernel makes for the next one alone, None where there is none."""
        if index + 1 >= len(self.ops) or self.hop.is_split:
            return None
        producer, user = self.ops[index], self.ops[index + 1]
        if SIZES in producer.attributes:
            return None
        kernel = self.kernels[index]
        if len(kernel.outputs) != 1 or not _is_projection(kernel.outputs[0].map.results):
            return None
        value = kernel.outputs[0].value
        number = next((n for n in self.buffers_of[index] if self.buffers[n].values == frozenset([value])), None)
        if number is None or any(use.operation not in (producer, user) for use in value.uses):
            return None
        read = [access for access in self.kernels[index + 1].inputs if access.value is value]
        if not self.hop.is_last and any(access.fill is not None for access in read):
            return None  # the next hop would cut it, and what lies outside of it then is for nobody to fill
        reused = any(access.value is value for access in kernel.inputs) or value in _written(self.kernels[index + 1])
        alike = len({access.map for access in read}) == 1
        return None if reused or not alike or len(read) != list(user.operands).count(value) else number


def loads(ranges: Iterable[tuple[int, int, int]], steps: int) -> list[int]:
    """Return the bytes alive at each step, given the first and the last step of each buffer and its bytes."""
    changes = [0] * (steps + 1)
    for first, last, size in ranges:
        changes[first] += size
        changes[last + 1] -= size
    return list(accumulate(changes[:steps]))


def _written(kernel: Kernel) -> set[SSAValue]:
    return {access.value for access in kernel.outputs}


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


def layers_of(block: Block, hop: Hop, *, double_buffered: bool, keep_resident: bool) -> Layers:
    """
    Return the kernels of a block whose engines work behind a hop, and, with `keep_resident`, the buffers between them.

    Kernels that read tables, or that have no points, stay where their operands are.

    Raises Diagnostic where no engine runs a kernel.
    """
    engines: dict[Operation, Engine] = {}
    kernels: list[Kernel] = []
    for op in block.ops:
        if is_kernel(op) and not (kernel := kernel_of(op)).tables and 0 not in kernel.bounds:
            engine = engine_of(op, hop.machine)
            if _is_behind(engine, hop):
                engines[op] = engine
                kernels.append(kernel)
    ops = list(engines)
    around = spatial_grid(block.parent_op())
    found = Layers(hop, ops, kernels, engines, [], double_buffered, 1 if around is None else around.copies)
    found.placed = frozenset(v for op in ops for v in op.operands if _is_placed(v, hop))
    if keep_resident and not hop.is_split:
        numbers = {op: number for number, op in enumerate(ops)}
        steps = _Steps(block, numbers)
        allocs = [op for op in block.ops if isinstance(op, memref.AllocOp)]
        found.buffers = [b for op in allocs if (b := _buffer(op, steps, hop)) is not None]
    return found


def _is_placed(value: SSAValue, hop: Hop) -> bool:
    """Return whether a buffer lies in the near level, or in a memory that is filled before the program runs."""
    return _space(value) == hop.near.name or is_preloaded(value, hop.machine)


def is_preloaded(value: SSAValue, machine: Machine) -> bool:
    """Return whether a buffer lies in a memory that is filled before the program runs."""
    return _space(value) in {level.name for level in machine.levels if level.preloaded}


def _space(value: SSAValue) -> str:
    """Return the level that a buffer's type names, empty where there is none."""
    type = value.type
    space = cast("MemRefType[Any]", type).memory_space if isinstance(type, MemRefType) else None
    return space.data if isinstance(space, StringAttr) else ""


def alternatives(layers: Layers) -> list[Layers]:
    """
    Return layers as they may be planned: as they are, where buffers that stay are in reach of all engine instances.

    What stays in one of several copies of a level is not: there either nothing stays, unless it has to, or no kernel is
    spread over copies.
    """
    is_apart = prod(layers.hop.near.count) > 1 and any(layers.copies(op) > 1 for op in layers.ops)
    if not layers.buffers or not is_apart:
        return [layers]
    alone = replace(layers, may_spread=False)
    if any(buffer.keep for buffer in layers.buffers):
        return [alone]
    return [replace(layers, buffers=[]), alone]


def _is_behind(engine: Engine, hop: Hop) -> bool:
    """Return whether the way from the far level to an engine's operands leads over a hop."""
    near = hop.machine.near_level_of(engine).name
    if near == hop.far.name:
        return False
    if near == hop.near.name:
        return True
    path = hop.machine.path(hop.far.name, near)
    return bool(path) and path[0] == hop.fetch


class _Steps:
    """Times of the ops of a block, in numbers of its kernels."""

    def __init__(self, block: Block, numbers: dict[Operation, int]):
        self._block, self._numbers, self._after = block, numbers, dict[Operation, int]()
        done = 0
        for op in block.ops:
            done += op in numbers
            self._after[op] = done

    def is_kernel(self, op: Operation) -> bool:
        """Return whether an op is one of the kernels."""
        return op in self._numbers

    def of(self, op: Operation) -> tuple[int, int]:
        """Return the number of a kernel twice, of another op those of the kernels before and after it."""
        if op in self._numbers:
            return self._numbers[op], self._numbers[op]
        while op not in self._after:
            parent = op.parent_op()
            assert parent is not None
            op = parent
        last = len(self._numbers) - 1
        return max(0, self._after[op] - 1), min(self._after[op], last)


def _buffer(alloc: memref.AllocOp, steps: _Steps, hop: Hop) -> Buffer | None:
    """
    Return an allocation as a buffer that may lie in the near level; None where others than these kernels use it.

    Those that a program uses itself have to be near where the far level is out of its reach.
    """
    values, users = _views(alloc.results[0], is_static_view if hop.is_last else is_view)
    keep = pinned_place(alloc)
    if users and hop.far.external and not all(map(steps.is_kernel, users)):
        keep = True
    elif not users or not all(map(steps.is_kernel, users)):
        if keep:
            raise Diagnostic(
                f"a buffer cannot stay in {hop.near.name}: others than kernels that work there use it",
                where=where(alloc),
                remedy="remove the hint hier.keep",
            )
        return None
    first, last = zip(*map(steps.of, users), strict=True)
    size = reserved(bytes_of(alloc.results[0].type), hop.near)
    return Buffer(alloc, frozenset(values), size, min(first), max(last), keep)


def is_view(op: Operation) -> bool:
    """Return whether an op views a buffer, in whatever way."""
    return isinstance(op, VIEWS)


def is_static_view(op: Operation) -> bool:
    """Return whether an op views a buffer in another shape, or a part of it that is known."""
    return isinstance(op, _RESHAPES) or (isinstance(op, memref.SubviewOp) and len(op.operands) == 1)


def _views(value: SSAValue, counts: Callable[[Operation], bool]) -> tuple[list[SSAValue], list[Operation]]:
    """Return a buffer with the views of it that count as such, and the other ops that use them."""
    values, users = [value], list[Operation]()
    for each in values:  # grows
        for use in each.uses:
            if counts(use.operation):
                values.append(use.operation.results[0])
            else:
                users.append(use.operation)
    return values, users

"""Input of memory planning: the kernels of a block with their engines, and the buffers between them."""

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
    Pair of neighbouring memory levels: `far` has the operands, transfers bring their tiles to `near`.

    `outs` is the level of outputs and accumulators; it equals `near` unless the engine has a separate one.
    """

    machine: Machine
    far: Level
    near: Level
    fetch: Link
    store: Link
    outs: Level
    is_last: bool = True
    """True if engines access the near level directly."""

    @property
    def is_split(self) -> bool:
        """Return whether outputs have a level of their own, which consumers do not read."""
        return self.outs != self.near


@dataclass(frozen=True)
class Buffer:
    """
    Buffer that may be resident: `size` bytes in the near level, live from kernel `first` to `last`.

    `values` are the buffer and its views; `keep` pins the residency, None if free.
    """

    alloc: Operation
    values: frozenset[SSAValue]
    size: int
    first: int
    last: int
    keep: bool | None = None


_Asked: TypeAlias = "tuple[int, int, frozenset[int]]"
"""Number of the first kernel, number of kernels, and resident buffers."""


@dataclass
class _Group:
    """Memoised cost model and candidate tilings of structurally equal kernels; candidates are by resident operands."""

    pricer: Pricer
    known: dict[tuple[bool, ...], Candidates] = field(default_factory=dict[tuple[bool, ...], Candidates])

    @cached_property
    def floor(self) -> int:
        """Lower bound in cycles of a single kernel: its compute cycles divided by the engine instances."""
        (op,), route = self.pricer.ops, self.pricer.route
        return (route.machine.cost(route.engines[op], op) or 0) // route.engines[op].total


@dataclass
class Layers:
    """Kernels of a block that cross a hop, in program order, and the buffers between them."""

    hop: Hop
    ops: list[Operation]
    kernels: list[Kernel]
    engines: dict[Operation, Engine]
    buffers: list[Buffer]
    double_buffered: bool
    around: int = 1
    """Engine instances of the enclosing grid."""
    may_spread: bool = True
    """True if tiles may be mapped to several engine instances."""
    placed: frozenset[SSAValue] = frozenset()
    """Operands accessed in place, whatever the plan."""
    taken: int = 0
    """Bytes of the far level for weights, state, inputs and outputs."""
    fixed: int = 0
    """Bytes of the near level in use, whatever the plan."""
    _groups: dict[Hashable, _Group] = field(default_factory=dict[Hashable, "_Group"], init=False)
    _group_of: dict[tuple[int, int], _Group] = field(default_factory=dict[tuple[int, int], "_Group"], init=False)
    _asked: dict[_Asked, Candidates] = field(default_factory=dict["_Asked", Candidates], init=False)

    @cached_property
    def buffers_of(self) -> list[list[int]]:
        """Buffers accessed by each kernel, by number."""
        numbers = {value: number for number, buffer in enumerate(self.buffers) for value in buffer.values}
        return [sorted({numbers[value] for value in op.operands if value in numbers}) for op in self.ops]

    @cached_property
    def crowded(self) -> frozenset[int]:
        """
        Kernels whose result, read by the next kernel alone, exceeds both levels.

        The result is larger than the near level, and the live buffers exceed the far level even without residency.
        """
        room = self.hop.far.size - self.taken
        needed = loads(((b.first, b.last, b.size) for b in self.buffers), len(self.ops))
        joints = ((index, self.joins(index)) for index in range(len(self.ops)) if max(needed[index : index + 2]) > room)
        large = self.hop.near.size
        return frozenset(i for i, number in joints if number is not None and self.buffers[number].size > large)

    @cached_property
    def users_of(self) -> list[list[int]]:
        """Kernels that access each buffer, by number."""
        users: list[list[int]] = [[] for _ in self.buffers]
        for index, numbers in enumerate(self.buffers_of):
            for number in numbers:
                users[number].append(index)
        return users

    @cached_property
    def begun_at(self) -> list[list[int]]:
        """Buffers whose live range begins at each kernel, by number."""
        begun: list[list[int]] = [[] for _ in self.ops]
        for number, buffer in enumerate(self.buffers):
            begun[buffer.first].append(number)
        return begun

    def options(self, first: int, count: int, resident: Set[int]) -> Candidates:
        """
        Return the candidate tilings of the fused group `first` to `first + count - 1` with these resident buffers.

        Structurally equal groups share them.
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
        """
        Return a lower bound in cycles of a kernel on all its engine instances; 0 if the engine cannot run it whole.
        """
        return self._group(index, 1).floor

    def route(self, ops: Sequence[Operation]) -> Route:
        """Return the route of kernels' operands through the levels, with the engines of the kernels."""
        engines = {op: self.engines[op] for op in ops}
        hop = self.hop
        copies = min((self.copies(op) for op in ops), default=1)
        return Route(
            hop.machine, engines, hop.near, hop.fetch, hop.store, hop.outs, copies, self.around, not hop.is_last
        )

    def copies(self, op: Operation) -> int:
        """
        Return the engine instances available to unroll tiles over.

        Instances do not see each other's private levels. Private levels are counted at their first instance.
        """
        levels = [prod(level.count) for level in (self.hop.near, self.hop.outs) if prod(level.count) > 1]
        if self.around > 1 or not self.may_spread or prod(self.hop.far.count) > 1:
            return 1
        if not levels and not self.hop.is_last:
            return 1
        return min([self.engines[op].total, *levels])

    def joins(self, index: int) -> int | None:
        """
        Return the number of the buffer between a kernel and the next, its sole consumer; None if they cannot be fused.
        """
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
            return None  # the next hop would tile it, and its padding would have no fill
        reused = any(access.value is value for access in kernel.inputs) or value in _written(self.kernels[index + 1])
        alike = len({access.map for access in read}) == 1
        return None if reused or not alike or len(read) != list(user.operands).count(value) else number


def loads(ranges: Iterable[tuple[int, int, int]], steps: int) -> list[int]:
    """Compute the live bytes at each step; `ranges` are the first step, last step and bytes of each buffer."""
    changes = [0] * (steps + 1)
    for first, last, size in ranges:
        changes[first] += size
        changes[last + 1] -= size
    return list(accumulate(changes[:steps]))


def _written(kernel: Kernel) -> set[SSAValue]:
    return {access.value for access in kernel.outputs}


def _is_projection(results: Sequence[AffineExpr]) -> bool:
    """Return whether the results of a map are distinct dimensions or 0 (a projection)."""
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
    Collect the kernels of a block whose engines are behind a hop, and, with `keep_resident`, the buffers between them.

    Kernels with table lookups, or with an empty iteration domain, are not tiled.

    Raises Diagnostic for a kernel that no engine runs.
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
    """Return whether a buffer is in the near level or in a preloaded one."""
    return _space(value) == hop.near.name or is_preloaded(value, hop.machine)


def is_preloaded(value: SSAValue, machine: Machine) -> bool:
    """Return whether a buffer is in a preloaded level."""
    return _space(value) in {level.name for level in machine.levels if level.preloaded}


def _space(value: SSAValue) -> str:
    """Return the memory level in a buffer's type, empty if it has none."""
    type = value.type
    space = cast("MemRefType[Any]", type).memory_space if isinstance(type, MemRefType) else None
    return space.data if isinstance(space, StringAttr) else ""


def alternatives(layers: Layers) -> list[Layers]:
    """
    Return the alternatives to plan: residency without spatial mapping, or spatial mapping without residency.

    A resident buffer in a private level is visible to one engine instance only. A pinned residency excludes the spatial
    mapping. If levels are shared, the layers are the only alternative.
    """
    is_apart = prod(layers.hop.near.count) > 1 and any(layers.copies(op) > 1 for op in layers.ops)
    if not layers.buffers or not is_apart:
        return [layers]
    alone = replace(layers, may_spread=False)
    if any(buffer.keep for buffer in layers.buffers):
        return [alone]
    return [replace(layers, buffers=[]), alone]


def _is_behind(engine: Engine, hop: Hop) -> bool:
    """Return whether the path from the far level to an engine's operands begins with a hop."""
    near = hop.machine.near_level_of(engine).name
    if near == hop.far.name:
        return False
    if near == hop.near.name:
        return True
    path = hop.machine.path(hop.far.name, near)
    return bool(path) and path[0] == hop.fetch


class _Steps:
    """Steps of the ops of a block, counted in kernels."""

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
        """Return the number of a kernel twice; for another op, the numbers of the kernels before and after it."""
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
    Return an allocation as a candidate for residency; None if ops other than these kernels use it.

    Buffers that the program accesses itself are pinned to the near level if the far level is external.
    """
    values, users = _views(alloc.results[0], is_static_view if hop.is_last else is_view)
    keep = pinned_place(alloc)
    if users and hop.far.external and not all(map(steps.is_kernel, users)):
        keep = True
    elif not users or not all(map(steps.is_kernel, users)):
        if keep:
            raise Diagnostic(
                f"a buffer cannot be resident in {hop.near.name}: ops other than its kernels use it",
                where=where(alloc),
                remedy="remove the hint hier.keep",
            )
        return None
    first, last = zip(*map(steps.of, users), strict=True)
    size = reserved(bytes_of(alloc.results[0].type), hop.near)
    return Buffer(alloc, frozenset(values), size, min(first), max(last), keep)


def is_view(op: Operation) -> bool:
    """Return whether an op is a view of a buffer."""
    return isinstance(op, VIEWS)


def is_static_view(op: Operation) -> bool:
    """Return whether an op is a reshape or a subview with static offsets."""
    return isinstance(op, _RESHAPES) or (isinstance(op, memref.SubviewOp) and len(op.operands) == 1)


def _views(value: SSAValue, counts: Callable[[Operation], bool]) -> tuple[list[SSAValue], list[Operation]]:
    """Return a buffer with its transitive views accepted by `counts`, and the other ops that use them."""
    values, users = [value], list[Operation]()
    for each in values:  # grows
        for use in each.uses:
            if counts(use.operation):
                values.append(use.operation.results[0])
            else:
                users.append(use.operation)
    return values, users
